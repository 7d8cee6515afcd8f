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

::hook_sdk::setup!();

/// An app's own verdict.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hook_sdk::Verdict)]
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
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hook_sdk::Verdict)]
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
#[derive(::core::fmt::Debug, ::hook_sdk::HookKind)]
#[hook_kind(
    name = "before_refund",
    subject = ::std::vec::Vec<u8>,
    verdict = ::hook_sdk::verdict::Permission,
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
) -> ::core::result::Result<(), ::hook_sdk::Violation> {
    if after.is_empty() {
        return ::core::result::Result::Err(::hook_sdk::Violation::new("a refund has a text"));
    }
    ::core::result::Result::Ok(())
}

/// An event that detached hooks can copy.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::serde::Serialize, ::serde::Deserialize, ::hook_sdk::HookKind)]
#[hook_kind(name = "refunded", subject = ::std::vec::Vec<u8>, json)]
pub struct Refunded {}

/// Counts.
#[::hook_sdk::hook(id = "counts", kind = Refunded, run = detached)]
pub fn counts(_event: &Refunded) {}

/// Tells the bank.
///
/// # Errors
/// None so far.
#[::hook_sdk::hook(id = "tells", kind = Refunded, run = background, idempotent, retries = 1)]
pub async fn tells(_text: &::std::vec::Vec<u8>) -> ::core::result::Result<(), ::std::string::String> {
    ::core::future::ready(()).await;
    ::core::result::Result::Ok(())
}

/// Computes.
#[::hook_sdk::hook(id = "computes", kind = Refunded, blocking, timeout = "1s")]
pub fn computes(text: &mut ::std::vec::Vec<u8>) {
    text.push(1);
}

/// Reads.
#[must_use = "an attribute of the function"]
#[::hook_sdk::hook(id = "reads", kind = BeforeRefund, region = "*", priority = -1, after = ["writes"], on_failure = deny)]
pub fn reads(
    _cx: &::hook_sdk::HookContext,
    _event: &BeforeRefund,
    _text: &::std::vec::Vec<u8>,
) -> ::hook_sdk::verdict::Permission {
    ::hook_sdk::verdict::Permission::Allow
}

/// Writes.
#[::hook_sdk::hook(id = "writes", kind = BeforeRefund, before = ["reads"])]
fn writes(text: &mut ::std::vec::Vec<u8>) {
    text.push(b'!');
}

/// Takes.
#[::hook_sdk::hook(id = "takes", kind = BeforeRefund, on_failure = remove)]
fn takes(text: ::std::vec::Vec<u8>) -> ::core::option::Option<::std::vec::Vec<u8>> {
    if text.is_empty() { ::core::option::Option::None } else { ::core::option::Option::Some(text) }
}

/// Waits.
#[::hook_sdk::hook(id = "waits", kind = [before_tool_call, BeforeRefund], timeout = "2s")]
async fn waits(_cx: &::hook_sdk::HookContext) -> ::core::result::Result<(), ::std::string::String> {
    ::core::future::ready(()).await;
    ::core::result::Result::Ok(())
}

#[::core::prelude::v1::test]
fn all_hooks_are_registered() {
    use ::core::iter::Iterator as _;

    #[::hook_sdk::hook(id = "within", kind = before_tool_call)]
    fn within() {}

    let listed = ::hook_sdk::hooks![reads, writes, takes, waits, within];
    let registry = match ::hook_sdk::Registry::empty().with(listed) {
        ::core::result::Result::Ok(registry) => registry,
        ::core::result::Result::Err(error) => ::core::panic!("{error}"),
    };
    let hooks = registry.hooks();
    ::core::assert!(hooks.iter().map(|hook| hook.id().as_str()).eq(["reads", "takes", "waits", "within", "writes"]));
    ::core::assert_eq!(::hook_sdk::hooks![].len(), 0);
}
