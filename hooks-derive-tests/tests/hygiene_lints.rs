//! A crate that denies all warnings and has no standard prelude: the generated code causes no warning and does not use the
//! prelude.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    single_use_lifetimes,
    unreachable_pub,
    unused_qualifications,
    unused_imports,
    unused_results,
    let_underscore_drop,
    elided_lifetimes_in_paths,
    clippy::all,
    clippy::pedantic
)]

::hooks_core::setup!();

/// An app's own verdict.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hooks_core::Verdict)]
#[verdict(contribute)]
pub struct Notes {
    /// What to note.
    #[verdict(joined)]
    pub texts: ::std::vec::Vec<::std::string::String>,
    /// Whether to ring.
    #[verdict(any, final)]
    pub rings: bool,
}

/// A verdict whose variants have every option.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hooks_core::Verdict)]
pub enum Refunds {
    /// Nothing.
    #[verdict(neutral)]
    NoOpinion,
    /// Yes.
    #[verdict(lapses)]
    Pay,
    /// Perhaps.
    #[verdict(freezes)]
    Ask {
        /// Why.
        #[verdict(joined)]
        why: ::std::string::String,
        /// How much.
        cents: u64,
    },
    /// No.
    #[verdict(deny)]
    Refuse,
}

/// An app's own kind.
#[derive(::core::fmt::Debug, ::hooks_core::HookKind)]
#[hook_kind(
    name = "before_refund",
    subject = ::std::vec::Vec<u8>,
    verdict = ::hooks_core::verdict::Permission,
    removable,
    match(region),
    check = not_empty
)]
pub struct BeforeRefund {
    /// Where.
    pub region: ::std::string::String,
}

#[allow(clippy::ptr_arg)] // the signature of a check is fixed
fn not_empty(
    _before: &::std::vec::Vec<u8>,
    after: &::std::vec::Vec<u8>,
) -> ::core::result::Result<(), ::hooks_core::Violation> {
    if after.is_empty() {
        return ::core::result::Result::Err(::hooks_core::Violation::new("a refund has a text"));
    }
    ::core::result::Result::Ok(())
}

/// An event that detached hooks can copy.
#[derive(
    ::core::clone::Clone, ::core::fmt::Debug, ::serde::Serialize, ::serde::Deserialize, ::hooks_core::HookKind,
)]
#[hook_kind(name = "refunded", subject = ::std::vec::Vec<u8>, json)]
pub struct Refunded {}

/// Counts.
#[::hooks_core::hook(id = "counts", kind = Refunded, run = detached)]
pub fn counts(_event: &Refunded) {}

/// Tells the bank.
///
/// # Errors
/// None so far.
#[::hooks_core::hook(id = "tells", kind = Refunded, run = background, idempotent, retries = 1)]
pub async fn tells(_text: &::std::vec::Vec<u8>) -> ::core::result::Result<(), ::std::string::String> {
    ::core::future::ready(()).await;
    ::core::result::Result::Ok(())
}

/// Computes.
#[::hooks_core::hook(id = "computes", kind = Refunded, blocking, timeout = "1s")]
pub fn computes(text: &mut ::std::vec::Vec<u8>) {
    text.push(1);
}

/// Reads.
#[must_use]
#[::hooks_core::hook(id = "reads", kind = BeforeRefund, region = "*", priority = -1, after = ["writes"], on_failure = deny)]
pub fn reads(
    _cx: &::hooks_core::HookContext,
    _event: &BeforeRefund,
    _text: &::std::vec::Vec<u8>,
) -> ::hooks_core::verdict::Permission {
    ::hooks_core::verdict::Permission::Allow
}

/// Writes.
#[::hooks_core::hook(id = "writes", kind = BeforeRefund, before = ["reads"])]
fn writes(text: &mut ::std::vec::Vec<u8>) {
    text.push(b'!');
}

/// Takes.
#[::hooks_core::hook(id = "takes", kind = BeforeRefund, on_failure = remove)]
fn takes(text: ::std::vec::Vec<u8>) -> ::core::option::Option<::std::vec::Vec<u8>> {
    if text.is_empty() { ::core::option::Option::None } else { ::core::option::Option::Some(text) }
}

/// Waits.
#[::hooks_core::hook(id = "waits", kind = [before_tool_call, BeforeRefund], timeout = "2s")]
async fn waits(_cx: &::hooks_core::HookContext) -> ::core::result::Result<(), ::std::string::String> {
    ::core::future::ready(()).await;
    ::core::result::Result::Ok(())
}

#[::core::prelude::v1::test]
fn all_hooks_are_registered() {
    use ::core::iter::Iterator as _;

    #[::hooks_core::hook(id = "within", kind = before_tool_call)]
    fn within() {}

    let listed = ::hooks_core::hooks![reads, writes, takes, waits, within];
    let registry = match ::hooks_core::Registry::empty().with(listed) {
        ::core::result::Result::Ok(registry) => registry,
        ::core::result::Result::Err(error) => ::core::panic!("{error}"),
    };
    let hooks = registry.hooks();
    ::core::assert!(hooks.iter().map(|hook| hook.id().as_str()).eq(["reads", "takes", "waits", "within", "writes"]));
    ::core::assert_eq!(::hooks_core::hooks![].len(), 0);
}
