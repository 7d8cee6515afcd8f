//! A crate root that redefines every name that the generated code could use by mistake.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert
#![allow(clippy::unnecessary_wraps, clippy::needless_pass_by_value)] // these forms are tested here
#![allow(dead_code, non_camel_case_types, unused_macros, private_interfaces)]

use ::hook_sdk::{HookKind, hook};

::hook_sdk::setup!();

mod core {}
mod std {}
mod hook_sdk {}
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
#[hook_kind(name = "named", subject = ::std::vec::Vec<u8>, verdict = ::hook_sdk::verdict::Permission, removable, match(tool))]
pub struct Event {
    tool: ::std::string::String,
}

/// An answer.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hook_sdk::Verdict)]
enum Answer {
    #[verdict(neutral)]
    None,
    Some(#[verdict(joined)] ::std::vec::Vec<u8>),
    #[verdict(deny)]
    Err(::hook_sdk::verdict::Denial),
}

/// Another.
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::hook_sdk::Verdict)]
struct r#fn {
    #[verdict(nested)]
    r#type: Answer,
    #[verdict(last)]
    later: ::core::option::Option<u8>,
    #[verdict(by)]
    hook: ::core::option::Option<::hook_sdk::HookId>,
}

#[hook(id = "call", kind = Event, tool = "x")]
fn call(cx: &::hook_sdk::HookContext, event: &Event, subject: &mut ::std::vec::Vec<u8>) {
    subject.push(u8::from(cx.human_present()) + u8::from(event.tool == "x"));
}

#[hook(id = "answer", kind = Event, on_failure = deny)]
async fn answer(
    subject: ::std::vec::Vec<u8>,
) -> ::core::result::Result<::core::option::Option<::std::vec::Vec<u8>>, ::std::string::String> {
    ::core::result::Result::Ok(::core::option::Option::Some(subject))
}

#[hook(id = "hook_sdk", kind = [before_tool_call, Event])]
fn hook_sdk(_cx: &::hook_sdk::HookContext) -> ::core::result::Result<(), ::std::string::String> {
    ::core::result::Result::Ok(())
}

#[hook(id = "event", kind = Event)]
fn event(event: &Event) -> ::hook_sdk::verdict::Permission {
    ::hook_sdk::verdict::Permission::deny(&*event.tool)
}

/// A raw identifier is a valid name.
#[hook(id = "match", kind = Event)]
fn r#match(r#type: &mut ::std::vec::Vec<u8>) {
    r#type.push(7);
}

#[hook(kind = Event, after = ["match"])]
fn r#type() {}

::hook_sdk::group! {
    /// A raw identifier too.
    pub r#loop
}

#[hook(group = r#loop, kind = Event)]
fn r#while() {}

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
        use ::hook_sdk::prelude::*;

        #[hook(id = "deep", kind = super::super::Event)]
        pub(crate) fn deep(subject: Vec<u8>) -> Vec<u8> {
            subject
        }
    }
    pub(crate) use deeper::deep as renamed;
}

fn fire(hooks: ::hook_sdk::HookSet) -> ::hook_sdk::Fired<Event> {
    let event = Event { tool: "x".into() };
    hooks.fire_blocking(&::hook_sdk::HookContext::new(), &event, ::std::vec![0]).unwrap()
}

fn set<const N: usize>(hooks: [::hook_sdk::scope::HookRef; N]) -> ::hook_sdk::HookSet {
    let registry = ::hook_sdk::Registry::empty().with(hooks).unwrap();
    registry.scope(&::hook_sdk::scope::AgentDef::new("a").hooks(hooks), ::core::option::Option::None).unwrap()
}

#[test]
fn generated_code_does_not_use_the_names_of_the_user() {
    let fired = fire(set(::hook_sdk::hooks![call, hook_sdk, r#match, r#type, nested::renamed]));
    assert_eq!(fired.subject, ::core::option::Option::Some(::std::vec![0, 1, 7]));
    let denied = fire(set(::hook_sdk::hooks![event]));
    assert_eq!(denied.verdict.denial().unwrap().reason.as_str(), "x");
}

#[tokio::test]
async fn generated_code_of_run_modes_does_not_use_the_names_of_the_user() {
    let hooks = ::hook_sdk::hooks![detached, background, blocking];
    let ran = ::hook_sdk::testing::run(hooks, &Told {}, ::std::vec![]).await.unwrap();
    ran.expect_completed("detached").expect_completed("background").expect_changed("blocking");
}

#[test]
fn the_id_of_a_raw_name_has_no_prefix() {
    let hooks = ::hook_sdk::Registry::empty().with(::hook_sdk::hooks![r#match, r#type, r#loop]).unwrap().hooks();
    let ids: ::std::vec::Vec<_> = hooks.iter().map(|hook| hook.id().as_str()).collect();
    assert_eq!(ids, ["loop", "match", "type"]);
}
