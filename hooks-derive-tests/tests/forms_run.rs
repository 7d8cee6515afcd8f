//! `run`, `blocking`, `idempotent`, `retries` and `delay` in every form of a hook that can have them.
#![allow(clippy::unwrap_used, clippy::panic)] // hooks of tests unwrap to assert
#![allow(clippy::ptr_arg, clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::unused_async)] // these forms are tested here

use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Duration;

use hook_sdk::hook::RunMode;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::record::{OnEnd, RunEnd, Status};
use hook_sdk::scope::HookRef;
use hook_sdk::testing::{self, Trial};
use serde::{Deserialize, Serialize};

/// A text is about to be sent.
#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_send", subject = String, verdict = Permission, json)]
struct BeforeSend {
    to: String,
}

/// The turn is over.
#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "all_done", subject = Vec<u32>, verdict = Contributions, json)]
struct AllDone {
    number: u32,
}

/// Neither `Clone` nor JSON. Hooks that run inline need neither.
#[derive(Debug, HookKind)]
#[hook_kind(name = "bare")]
struct Bare {}

/// The values that detached and background hooks have seen.
struct Seen(Mutex<Vec<String>>);

fn see(cx: &HookContext, what: &str) -> Result<(), MissingState> {
    cx.state::<Seen>()?.0.lock().unwrap().push(what.to_owned());
    Ok(())
}

#[hook(id = "nothing", kind = BeforeSend, run = detached)]
fn nothing() {}

#[hook(id = "plain", kind = BeforeSend, run = detached)]
fn plain(cx: &HookContext, event: &BeforeSend, text: &String) {
    see(cx, &format!("{} {text}", event.to)).unwrap();
}

#[hook(id = "fails", kind = BeforeSend, run = detached)]
fn fails() -> Result<(), String> {
    Err("no luck".to_owned())
}

#[hook(id = "waits", kind = BeforeSend, run = detached, timeout = "2s", priority = 3)]
async fn waits(text: &String, cx: &HookContext) -> Result<(), MissingState> {
    tokio::task::yield_now().await;
    see(cx, text)
}

#[hook(id = "without_subject", kind = BeforeSend, run = detached, on_failure = continue)]
async fn without_subject(event: &BeforeSend, cx: &HookContext) {
    see(cx, &event.to).unwrap();
}

#[hook(id = "late", kind = BeforeSend, run = detached, timeout = "1ms")]
async fn late() {
    std::future::pending::<()>().await;
}

#[hook(id = "breaks", kind = BeforeSend, run = detached)]
async fn breaks() {
    panic!("oh");
}

#[hook(id = "turns", kind = [before_tool_call, AllDone], run = detached)]
fn turns(cx: &HookContext) -> Result<(), MissingState> {
    see(cx, "turned")
}

#[hook(id = "one_note", kind = AllDone, run = detached)]
fn one_note() -> Contribution {
    Contribution::audit("one")
}

#[hook(id = "many_notes", kind = AllDone, run = detached)]
async fn many_notes(event: &AllDone, numbers: &Vec<u32>) -> Result<Vec<Contribution>, String> {
    Ok(vec![Contribution::audit(format!("{} {numbers:?}", event.number)), Contribution::Noop])
}

#[hook(id = "computes_apart", kind = AllDone, run = detached, blocking, timeout = "5s")]
fn computes_apart(event: &AllDone) -> Contributions {
    Contribution::audit(format!("{}", event.number)).into()
}

#[derive(Deserialize)]
struct Limit {
    word: String,
}

#[hook(id = "limited", kind = AllDone, run = detached)]
fn limited(limit: &With<Limit>) -> Contribution {
    Contribution::audit(&*limit.word)
}

#[hook(id = "job", kind = AllDone, run = background, idempotent, retries = 3, delay = "10m")]
async fn job(numbers: &Vec<u32>, limit: &With<Limit>, cx: &HookContext) -> Option<Contribution> {
    Some(Contribution::audit(format!("{} {numbers:?} {}", limit.word, cx.agent().unwrap_or_default())))
}

#[hook(id = "plain_job", kind = [AllDone, after_create_message], run = background)]
fn plain_job() {}

#[hook(id = "gate_job", kind = BeforeSend, run = background, blocking)]
fn gate_job(text: &String, cx: &HookContext) {
    see(cx, text).unwrap();
}

#[hook(id = "says_inline", kind = Bare, run = inline, idempotent)]
fn says_inline() {}

#[hook(id = "reads_apart", kind = BeforeSend, blocking)]
fn reads_apart(text: &String) -> Permission {
    Permission::deny(format!("{text} on {:?}", thread::current().id()))
}

#[hook(id = "lends_apart", kind = BeforeSend, blocking, timeout = "2s")]
fn lends_apart(cx: &HookContext, text: &mut String) -> Result<Permission, MissingState> {
    text.push_str(" lent");
    see(cx, &format!("{:?}", thread::current().id()))?;
    Ok(Permission::Allow)
}

#[hook(id = "owns_apart", kind = BeforeSend, blocking, fallback = answers)]
fn owns_apart(_text: String) -> String {
    panic!("oh")
}

fn answers(text: String) -> String {
    text + " answered"
}

#[hook(id = "unaskable", kind = BeforeSend, blocking)]
fn unaskable() {
    panic!("oh")
}

fn send() -> BeforeSend {
    BeforeSend { to: "ada".into() }
}

async fn seen<const N: usize>(hooks: [HookRef; N]) -> (Vec<String>, String) {
    let trial = Trial::of(hooks).context(|cx| cx.state(Seen(Mutex::default())));
    let state = std::sync::Arc::new(Seen(Mutex::default()));
    let shared = std::sync::Arc::clone(&state);
    let ran = trial.context(|cx| cx.shared_state(shared)).run(&send(), "hello".to_owned()).await.unwrap();
    let seen = state.0.lock().unwrap().clone();
    (seen, ran.to_string())
}

#[tokio::test]
async fn each_form_of_a_detached_hook_runs_to_completion() {
    let ran = testing::run(hooks![nothing, fails], &send(), String::new()).await.unwrap();
    ran.expect_completed("nothing").expect_failed("fails", "no luck").expect_free();
    assert!(ran.report.failures.is_empty(), "the dispatch does not wait for the failure");
    let record = ran.report.record.clone().unwrap();
    assert!(record.runs.iter().all(|run| run.status == Status::Detached), "{ran}");
    assert_eq!(seen(hooks![plain]).await.0, ["ada hello"]);
    assert_eq!(seen(hooks![waits]).await.0, ["hello"]);
    assert_eq!(seen(hooks![without_subject]).await.0, ["ada"]);
}

#[tokio::test(start_paused = true)]
async fn a_detached_hook_can_time_out_and_panic_like_an_inline_hook() {
    let ran = testing::run(hooks![late, breaks], &send(), String::new()).await.unwrap();
    ran.expect_status("late", Status::TimedOut).expect_status("breaks", Status::Panicked);
    assert_eq!(ran.of("late").cause.as_deref(), Some("not finished within 1ms"));
}

#[tokio::test]
async fn one_hook_can_be_detached_at_several_kinds() {
    let state = || Trial::of(hooks![turns]).context(|cx| cx.state(Seen(Mutex::default())));
    state().run(&AllDone { number: 1 }, vec![]).await.unwrap().expect_completed("turns");
    let call = ToolCall::new("1", "x", serde_json::json!({}));
    let input = call.input.clone();
    state().run(&BeforeToolCall::new(call), input).await.unwrap().expect_completed("turns").expect_free();
}

#[tokio::test]
async fn contributions_of_detached_hooks_are_not_part_of_the_verdict() {
    let hooks = hooks![one_note, many_notes, computes_apart];
    let ran = testing::run(hooks, &AllDone { number: 7 }, vec![1]).await.unwrap();
    let mut notes: Vec<&str> = ran.left.audit_notes().map(|note| &*note.message).collect();
    notes.sort_unstable();
    assert_eq!(notes, ["7", "7 [1]", "one"], "{ran}");
    assert!(ran.verdict.is_empty());
}

#[tokio::test]
async fn a_detached_hook_gets_the_values_of_its_list() {
    let registry = Registry::empty().with(hooks![limited]).unwrap();
    let notes = std::sync::Arc::new(Mutex::new(Vec::new()));
    let into = std::sync::Arc::clone(&notes);
    registry.observe(OnEnd(move |_: &RunEnd, left: &Contributions| {
        into.lock().unwrap().extend(left.audit_notes().map(|note| note.message.clone()));
    }));
    let agent = r#"{"name": "ada", "hooks": [{"id": "limited", "with": {"word": "few"}}]}"#;
    let set = registry.scope(&AgentDef::from_json("a.json", agent).unwrap(), None).unwrap();
    let _ = set.fire(&HookContext::new(), &AllDone { number: 7 }, vec![1]).await.unwrap();
    registry.drain(Duration::from_secs(5)).await;
    assert_eq!(*notes.lock().unwrap(), ["few"]);
}

#[tokio::test]
async fn a_job_contains_the_values_of_its_list() {
    let registry = Registry::empty().with(hooks![job, plain_job]).unwrap();
    let jobs = std::sync::Arc::new(Mutex::new(Vec::new()));
    registry.set_background(Sink(std::sync::Arc::clone(&jobs)));
    let agent = r#"{"name": "ada", "hooks": [{"id": "job", "with": {"word": "few"}}, "plain_job"]}"#;
    let set = registry.scope(&AgentDef::from_json("a.json", agent).unwrap(), None).unwrap();
    let cx = HookContext::builder().agent("ada").build();
    let _ = set.fire(&cx, &AllDone { number: 7 }, vec![1]).await.unwrap();
    let jobs = jobs.lock().unwrap().clone();
    assert_eq!((jobs[0].max_attempts, jobs[0].delay), (4, std::time::Duration::from_secs(600)));
    assert_eq!(jobs[0].subject, Some(serde_json::json!([1])));
    assert_eq!(
        (jobs[1].max_attempts, &jobs[1].subject),
        (1, &None),
        "a subject that the hook does not take is not stored"
    );
    let end = registry.run_job(&HookContext::new(), &jobs[0]).await.unwrap();
    assert_eq!(end.contributions.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["few [1] ada"]);
    // A list without the required values is an error before any hook runs.
    let error = registry.scope(&AgentDef::new("a").hooks(hooks![job]), None).unwrap_err();
    assert!(error.to_string().contains("missing field `word`"), "{error}");
}

struct Sink(std::sync::Arc<Mutex<Vec<hook_sdk::detached::Job>>>);

impl hook_sdk::detached::BackgroundSink for Sink {
    fn enqueue(&self, job: hook_sdk::detached::Job) -> Result<(), hook_sdk::detached::EnqueueError> {
        self.0.lock().unwrap().push(job);
        Ok(())
    }
}

#[tokio::test]
async fn a_background_hook_at_a_gate_only_observes() {
    let (seen, printed) = seen(hooks![gate_job]).await;
    assert_eq!(seen, ["hello"], "{printed}");
}

#[tokio::test]
async fn each_form_of_a_blocking_hook_runs_on_another_thread() {
    let here: ThreadId = thread::current().id();
    let ran = testing::run(hooks![reads_apart], &send(), "text".to_owned()).await.unwrap();
    ran.expect_denied("text on ThreadId");
    assert!(!ran.verdict.denial().unwrap().reason.as_str().ends_with(&format!("{here:?}")));
    let (seen, printed) = seen(hooks![lends_apart]).await;
    assert_ne!(seen, [format!("{here:?}")]);
    assert!(printed.contains("changed the subject, returned `allow`"), "{printed}");
    let ran = testing::run(hooks![owns_apart], &send(), "text".to_owned()).await.unwrap();
    assert_eq!(ran.subject, "text answered");
    let ran = testing::run(hooks![unaskable], &send(), String::new()).await.unwrap();
    ran.expect_status("unaskable", Status::Panicked);
    assert!(ran.verdict.denial().is_some(), "a gate that fails denies on any thread");
}

#[test]
fn the_manifest_and_the_plan_show_how_hooks_run() {
    let registry = Registry::empty().with(hooks![nothing, reads_apart, gate_job, says_inline]).unwrap();
    registry.set_background(Sink(std::sync::Arc::default()));
    let agent = AgentDef::new("a").hooks(hooks![nothing, reads_apart, gate_job, says_inline]);
    let plan = registry.scope(&agent, None).unwrap().to_string();
    let line = |id: &str| plan.lines().find(|line| line.contains(id)).unwrap().to_owned();
    assert!(line("nothing").contains("reads  detached, within 30s; priority 0; on failure continue;"), "{plan}");
    assert!(line("reads_apart").contains("reads  blocking, within 30s; priority 0; on failure deny;"), "{plan}");
    assert!(line("gate_job").contains("reads  background, blocking, within 30s;"), "{plan}");
    assert!(line("says_inline").contains("reads  idempotent, priority 0; on failure continue;"), "{plan}");
    let manifest = registry.manifest();
    let of = |id: &str| manifest.hooks.iter().find(|hook| hook.id.as_str() == id).unwrap();
    assert_eq!(
        (of("nothing").at[0].options.run, of("gate_job").at[0].options.run),
        (RunMode::Detached, RunMode::Background)
    );
    assert!(of("says_inline").at[0].options.idempotent && of("reads_apart").at[0].options.blocking);
}

#[test]
fn without_a_runtime_detached_and_blocking_hooks_fail() {
    let ran = testing::run_blocking(hooks![nothing], &send(), "text".to_owned()).unwrap();
    ran.expect_failed("nothing", "a detached hook needs a Tokio runtime, and none is running here").expect_free();
    assert_eq!(ran.subject, "text");
    let error = testing::run_blocking(hooks![reads_apart], &send(), String::new()).unwrap_err();
    assert!(error.to_string().contains("the hook `reads_apart`, which is `blocking` and runs on another thread,"));
}

#[tokio::test]
async fn hooks_with_run_options_can_still_be_called_as_functions() {
    nothing();
    assert_eq!(fails().unwrap_err(), "no luck");
    assert_eq!(answers("x".to_owned()), "x answered");
    let slow = tokio::time::timeout(Duration::from_millis(1), late()).await;
    assert!(slow.is_err());
}
