//! A crate root that redefines every name that the generated code could use by mistake.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert
#![allow(clippy::unnecessary_wraps, clippy::needless_pass_by_value)] // these forms are tested here
#![allow(dead_code, non_camel_case_types, unused_macros, private_interfaces)]

use ::hooks_core::{HookKind, hook};

::hooks_core::setup!();

mod core {}
mod std {}
mod hooks_core {}
mod private {}
mod inventory {}
struct String;
struct Option;
struct Result;
struct Box;
struct Send;
struct Sync;
struct Some;
struct None;
struct Ok;
struct Err;
struct Fn;
struct From;
struct Into;
struct HookContext;
struct Handler;
struct Subject;
struct Verdict;
struct Itself;
trait Clone {}
trait AsRef {}
macro_rules! file {
    () => {
        compile_error!("a macro of the user's")
    };
}
macro_rules! panic {
    () => {};
}

/// The event.
#[derive(::core::fmt::Debug, HookKind)]
#[hook_kind(name = "named", subject = ::std::vec::Vec<u8>, verdict = ::hooks_core::verdict::Permission, removable, match(tool))]
pub struct Event {
    tool: ::std::string::String,
}

/// An answer.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hooks_core::Verdict)]
enum Answer {
    #[verdict(neutral)]
    None,
    Some(#[verdict(joined)] ::std::vec::Vec<u8>),
    #[verdict(deny)]
    Err(::hooks_core::verdict::Denial),
}

/// Another.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hooks_core::Verdict)]
struct r#fn {
    #[verdict(nested)]
    r#type: Answer,
    #[verdict(last)]
    later: ::core::option::Option<u8>,
    #[verdict(by)]
    hook: ::core::option::Option<::hooks_core::HookId>,
}

#[hook(id = "call", kind = Event, tool = "x")]
fn call(cx: &::hooks_core::HookContext, event: &Event, subject: &mut ::std::vec::Vec<u8>) {
    subject.push(u8::from(cx.human_present()) + u8::from(event.tool == "x"));
}

#[hook(id = "answer", kind = Event, on_failure = deny)]
async fn answer(
    subject: ::std::vec::Vec<u8>,
) -> ::core::result::Result<::core::option::Option<::std::vec::Vec<u8>>, ::std::string::String> {
    ::core::result::Result::Ok(::core::option::Option::Some(subject))
}

#[hook(id = "hooks_core", kind = [before_tool_call, Event])]
fn hooks_core(_cx: &::hooks_core::HookContext) -> ::core::result::Result<(), ::std::string::String> {
    ::core::result::Result::Ok(())
}

#[hook(id = "event", kind = Event)]
fn event(event: &Event) -> ::hooks_core::verdict::Permission {
    ::hooks_core::verdict::Permission::deny(&*event.tool)
}

/// A raw identifier is a valid name.
#[hook(id = "match", kind = Event)]
fn r#match(r#type: &mut ::std::vec::Vec<u8>) {
    r#type.push(7);
}

#[hook(id = "type", kind = Event, after = ["match"])]
fn r#type() {}

/// An event that detached hooks can copy.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::serde::Serialize, ::serde::Deserialize, HookKind)]
#[hook_kind(name = "told", subject = ::std::vec::Vec<u8>, json)]
pub struct Told {}

#[hook(id = "detached", kind = Told, run = detached)]
fn detached(_event: &Told, _subject: &::std::vec::Vec<u8>) {}

#[hook(id = "background", kind = Told, run = background, idempotent, retries = 2)]
async fn background(_subject: &::std::vec::Vec<u8>) -> ::core::result::Result<(), ::std::string::String> {
    ::core::result::Result::Ok(())
}

#[hook(id = "blocking", kind = Told, blocking)]
fn blocking(subject: &mut ::std::vec::Vec<u8>) {
    subject.push(7);
}

mod nested {
    pub(crate) mod deeper {
        use ::hooks_core::prelude::*;

        #[hook(id = "deep", kind = super::super::Event)]
        pub(crate) fn deep(subject: Vec<u8>) -> Vec<u8> {
            subject
        }
    }
    pub(crate) use deeper::deep as renamed;
}

fn fire(hooks: ::hooks_core::HookSet) -> ::hooks_core::Fired<Event> {
    let event = Event { tool: "x".into() };
    hooks.fire_blocking(&::hooks_core::HookContext::new(), &event, ::std::vec![0]).unwrap()
}

fn set<const N: usize>(hooks: [::hooks_core::scope::HookRef; N]) -> ::hooks_core::HookSet {
    let registry = ::hooks_core::Registry::empty().with(hooks).unwrap();
    registry.scope(&::hooks_core::scope::AgentDef::new("a").hooks(hooks), ::core::option::Option::None).unwrap()
}

#[test]
fn generated_code_does_not_use_the_names_of_the_user() {
    let fired = fire(set(::hooks_core::hooks![call, hooks_core, r#match, r#type, nested::renamed]));
    assert_eq!(fired.subject, ::core::option::Option::Some(::std::vec![0, 1, 7]));
    let denied = fire(set(::hooks_core::hooks![event]));
    assert_eq!(denied.verdict.denial().unwrap().reason.as_str(), "x");
}

#[tokio::test]
async fn generated_code_of_run_modes_does_not_use_the_names_of_the_user() {
    let hooks = ::hooks_core::hooks![detached, background, blocking];
    let ran = ::hooks_core::testing::run(hooks, &Told {}, ::std::vec![]).await.unwrap();
    ran.expect_completed("detached").expect_completed("background").expect_changed("blocking");
}

#[test]
fn the_id_of_a_raw_name_has_no_prefix() {
    let hooks = ::hooks_core::Registry::empty().with(::hooks_core::hooks![r#match]).unwrap().hooks();
    assert_eq!(hooks[0].id().as_str(), "match");
}
