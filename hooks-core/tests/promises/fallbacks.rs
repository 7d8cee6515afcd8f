//! A fallback answers in place of a failed hook, in every form and for every kind of failure. The run is still recorded
//! as failed.
#![allow(clippy::ptr_arg, clippy::needless_pass_by_value)] // the test needs these forms of parameters

use std::time::Duration;

use hook_sdk::hook::NotSelected;
use hook_sdk::record::{Note, Status};
use hook_sdk::scope::{HookRef, HookUse};

use super::support::*;

/// A transform with a rule, so that a hook can also fail by breaking the rule.
#[derive(Debug, HookKind)]
#[hook_kind(name = "edit", subject = String, verdict = Permission, check = no_shouting)]
struct Edit {}

fn no_shouting(_before: &String, after: &String) -> Result<(), hook_sdk::Violation> {
    if after.contains('!') { Err(hook_sdk::Violation::new("no shouting")) } else { Ok(()) }
}

#[hook(id = "reads", kind = Edit, fallback = reads_instead)]
fn reads(_text: &String) -> Result<Permission, String> {
    Err("out of order".into())
}
fn reads_instead(text: &String) -> Result<Permission, String> {
    Ok(Permission::ask(format!("about {text}")))
}

#[hook(id = "reads_async", kind = Edit, fallback = reads_async_instead)]
async fn reads_async(_text: &String) -> Result<Permission, String> {
    tokio::task::yield_now().await;
    Err("out of order".into())
}
async fn reads_async_instead(text: &String) -> Result<Permission, String> {
    tokio::task::yield_now().await;
    Ok(Permission::ask(format!("about {text}")))
}

#[hook(id = "lent", kind = Edit, fallback = lent_instead)]
fn lent(text: &mut String) {
    text.push_str(" lost");
    panic!("mid-way");
}
fn lent_instead(text: &mut String) {
    text.push_str(" instead");
}

#[hook(id = "lent_async", kind = Edit, timeout = "1s", fallback = lent_async_instead)]
async fn lent_async(text: &mut String) {
    text.push_str(" lost");
    std::future::pending::<()>().await;
}
async fn lent_async_instead(text: &mut String) {
    tokio::time::sleep(Duration::from_millis(900)).await;
    text.push_str(" instead");
}

#[hook(id = "owned", kind = Edit, fallback = owned_instead)]
fn owned(text: String) -> String {
    text + "!"
}
fn owned_instead(text: String) -> String {
    text + " instead"
}

#[hook(id = "owned_async", kind = Edit, fallback = owned_async_instead)]
async fn owned_async(text: String) -> String {
    tokio::task::yield_now().await;
    text + "!"
}
async fn owned_async_instead(text: String) -> String {
    tokio::task::yield_now().await;
    text + " instead"
}

#[hook(id = "owned_halt", kind = Edit, fallback = owned_instead)]
fn owned_halt(text: String) -> (String, Halt) {
    (text + "!", Halt::new("enough"))
}

#[hook(id = "lent_async_halt", kind = Edit, fallback = lent_async_instead)]
async fn lent_async_halt(text: &mut String) -> Halt {
    text.push('!');
    Halt::new("enough")
}

#[hook(id = "fine", kind = Edit, fallback = lent_instead)]
fn fine(text: &mut String) {
    text.push_str(" fine");
}

#[derive(serde::Deserialize)]
struct Words {
    first: String,
    second: String,
}

/// Another kind with the same signature.
#[derive(Debug, HookKind)]
#[hook_kind(name = "edit_again", subject = String, verdict = Permission)]
struct EditAgain {}

#[hook(id = "with_words", kind = [Edit, EditAgain], fallback = with_words_instead)]
fn with_words(text: &mut String, words: &With<Words>) {
    text.push_str(&words.first);
    panic!("{}", words.first);
}
fn with_words_instead(text: &mut String, words: &With<Words>) {
    text.push_str(&words.second);
}

#[hook(id = "both_fail", kind = Edit, on_failure = continue, fallback = fails_too)]
fn both_fail(text: &mut String) -> Result<(), String> {
    text.push_str(" lost");
    Err("first".into())
}
fn fails_too(text: &mut String) -> Result<(), String> {
    text.push('!');
    Ok(())
}

#[hook(id = "denies", kind = Edit, fallback = denies_instead)]
fn denies() -> Permission {
    panic!("no answer")
}
fn denies_instead() -> Permission {
    Permission::deny("to be sure")
}

fn set_of(hooks: &[HookRef]) -> HookSet {
    let registry = Registry::empty().with(hooks.iter().copied()).unwrap();
    registry.scope(&AgentDef::new("a").hooks(hooks.iter().copied()), None).unwrap()
}

#[tokio::test(start_paused = true)]
async fn in_every_form_the_fallback_answers_and_the_run_stays_failed() {
    let cases = [
        (hooks![reads], "text", Some("ask"), Status::Failed, "out of order"),
        (hooks![reads_async], "text", Some("ask"), Status::Failed, "out of order"),
        (hooks![lent], "text instead", None, Status::Panicked, "mid-way"),
        (hooks![lent_async], "text instead", None, Status::TimedOut, "not finished within 1s"),
        (hooks![owned], "text instead", None, Status::Failed, "no shouting"),
        (hooks![owned_async], "text instead", None, Status::Failed, "no shouting"),
        (hooks![owned_halt], "text instead", None, Status::Failed, "no shouting"),
        (hooks![lent_async_halt], "text instead", None, Status::Failed, "no shouting"),
        (hooks![denies], "text", Some("deny"), Status::Panicked, "no answer"),
    ];
    for (hook, subject, verdict, status, cause) in cases {
        let fired = set_of(&hook).fire(&cx(), &Edit {}, "text".to_owned()).await.unwrap();
        assert_eq!((fired.subject.as_str(), fired.verdict.summary()), (subject, verdict), "{hook:?}");
        let failure = &fired.report.failures[0];
        assert_eq!((failure.cause.as_str(), failure.fell_back, fired.report.failures.len()), (cause, true, 1));
        assert!(fired.report.halt.is_none(), "{hook:?}");
        let run = &fired.report.record.as_ref().unwrap().runs[0];
        assert_eq!((run.status, run.note, run.verdict), (status, Some(Note::FallbackAnswered), verdict), "{hook:?}");
        assert_eq!((run.changed, run.cause.as_deref()), (subject != "text", Some(cause)), "{hook:?}");
    }
}

#[test]
fn at_each_kind_hook_and_fallback_receive_the_same_parameters() {
    let with = serde_json::json!({ "first": " one", "second": " two" });
    let agent = AgentDef::new("a").hooks([HookUse::id("with_words").with(with)]);
    let set = Registry::empty().with(hooks![with_words]).unwrap().scope(&agent, None).unwrap();
    let edited = set.fire_blocking(&cx(), &Edit {}, "text".to_owned()).unwrap();
    let again = set.fire_blocking(&cx(), &EditAgain {}, "text".to_owned()).unwrap();
    assert_eq!([edited.subject, again.subject], ["text two", "text two"]);
    assert_eq!([&edited.report.failures[0].cause, &again.report.failures[0].cause], [" one", " one"]);
    assert!(set.to_string().contains("on failure its fallback, then deny; with parameters;"), "{set}");
}

#[test]
fn a_fallback_does_not_run_if_the_hook_succeeds() {
    let fired = set_of(&hooks![fine]).fire_blocking(&cx(), &Edit {}, "text".to_owned()).unwrap();
    assert_eq!((fired.subject.as_str(), fired.report.failures.len()), ("text fine", 0));
    assert_eq!(fired.report.record.as_ref().unwrap().runs[0].status, Status::Completed);
}

#[test]
fn if_both_fail_on_failure_applies_and_the_changes_of_both_are_dropped() {
    let fired = set_of(&hooks![both_fail, fine]).fire_blocking(&cx(), &Edit {}, "text".to_owned()).unwrap();
    assert_eq!(fired.subject, "text fine");
    let [failure] = fired.report.failures.as_slice() else { panic!("{:?}", fired.report.failures) };
    assert_eq!(failure.cause, "first; its fallback failed too (rule broken): no shouting");
    assert!(!failure.fell_back);
    assert_eq!(fired.report.record.as_ref().unwrap().runs[0].note, None);
}

fn not_concerned(_text: &String) -> Result<Permission, NotSelected> {
    Err(NotSelected)
}
async fn not_concerned_async(_text: &String) -> Result<Permission, NotSelected> {
    tokio::task::yield_now().await;
    Err(NotSelected)
}

#[hook(id = "guards", kind = Edit, on_failure = deny, fallback = not_concerned)]
fn guards(_text: &String) -> Result<Permission, String> {
    Err("out of order".into())
}

#[hook(id = "guards_async", kind = Edit, on_failure = deny, fallback = not_concerned_async)]
async fn guards_async(_text: &String) -> Result<Permission, String> {
    tokio::task::yield_now().await;
    Err("out of order".into())
}

/// A failed guard stays failed, even if its fallback returns that the event is not for it.
#[tokio::test(start_paused = true)]
async fn a_fallback_cannot_deselect_a_hook_that_failed() {
    for hook in [hooks![guards], hooks![guards_async]] {
        let fired = set_of(&hook).fire(&cx(), &Edit {}, "text".to_owned()).await.unwrap();
        assert_eq!(fired.verdict.summary(), Some("deny"), "{hook:?}");
        let [failure] = fired.report.failures.as_slice() else { panic!("{:?}", fired.report.failures) };
        assert_eq!(failure.cause, "out of order; its fallback failed too (error): the event is not for this hook");
        assert!(fired.report.not_selected.is_empty(), "{hook:?}");
    }
}

#[test]
fn later_hooks_see_what_the_fallback_left() {
    let fired = set_of(&hooks![lent, owned, fine]).fire_blocking(&cx(), &Edit {}, "text".to_owned()).unwrap();
    assert_eq!(fired.subject, "text instead instead fine");
}

#[tokio::test(start_paused = true)]
async fn a_final_answer_of_a_fallback_is_final() {
    let fired = set_of(&hooks![denies, reads_async]).fire(&cx(), &Edit {}, "text".to_owned()).await.unwrap();
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "to be sure");
    assert_eq!(fired.report.record.as_ref().unwrap().runs[1].status, Status::Cancelled);
}

#[test]
fn without_a_runtime_a_deadline_is_the_same_typed_error_as_without_a_fallback() {
    let hooks = set_of(&hooks![lent_async]);
    let fired = futures_executor::block_on(hooks.fire(&cx(), &Edit {}, "text".to_owned()));
    assert!(matches!(fired.unwrap_err(), DispatchError::NoRuntime { .. }));
}
