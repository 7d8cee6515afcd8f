//! Ids of turns, and what is reported to the app about a turn whose future was dropped.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hook_sdk::data::Role;
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelError, Scripted};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Harness, Outcome, Reply, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::Bench;

/// Records the id of each turn.
fn notes_requests(bench: &Bench) -> Hook {
    let log = bench.log.clone();
    Hook::at::<TurnEnd>("request").reader(move |cx, _, ()| log.note(cx.request().unwrap()))
}

#[tokio::test]
async fn turn_ids_of_a_conversation_are_unique_across_compactions_restarts_and_programs() {
    let overflow = || Line::error(ModelError::Overflow("too long".into()));
    // The fourth turn folds the conversation to itself, so fewer prompts are stored than there were turns.
    let lines = (0..3).map(|i| Line::text(i.to_string())).chain([overflow(), overflow(), Line::text("done")]);
    let mut bench = Bench::new(lines.chain((0..9).map(|i| Line::text(i.to_string()))));
    bench.app(notes_requests(&bench));
    let first = bench.session(bench.harness()).await;
    for _ in 0..4 {
        let _ = first.turn(None, "hi").await;
    }
    let prompts = bench.stored().await.iter().filter(|line| line.starts_with("user: hi")).count();
    assert!(prompts < 4, "nothing was folded: {:?}", bench.stored().await);
    let (again, other) = (bench.session(bench.harness()).await, bench.session(bench.harness()).await);
    for session in [&again, &other, &first] {
        let _ = session.turn(None, "hi").await;
        let _ = session.turn(None, "hi").await;
    }
    let requests: Vec<_> = bench.log.take().into_iter().filter(|noted| noted.starts_with("c:")).collect();
    assert_eq!((requests.len(), requests.iter().collect::<BTreeSet<_>>().len()), (10, 10), "{requests:#?}");
}

type Reported = Arc<Mutex<Vec<String>>>;

/// What a listener got: whose turn it was, its outcome, and the jobs.
fn listened() -> (Reported, impl Fn(&HookContext, &Reply) + Send + Sync + 'static) {
    let heard = Reported::default();
    let notes = Arc::clone(&heard);
    let listener = move |cx: &HookContext, reply: &Reply| {
        let jobs: Vec<_> = reply.contributions.background_jobs().map(|(job, _)| job.to_owned()).collect();
        notes.lock().unwrap().push(format!("{}: {reply} {}", cx.agent().unwrap(), jobs.join(" ")));
    };
    (heard, listener)
}

fn learns() -> Hook {
    Hook::at::<PostTurn>("learn").reader(|cx, _, ()| {
        let job = format!("learn_{}", cx.agent().unwrap());
        Contributions::from(vec![Contribution::background_job(job, json!({}))])
    })
}

#[tokio::test(start_paused = true)]
async fn contributions_to_a_dropped_turn_are_reported() {
    let mut bench = Bench::new([Line::call("1", "hangs", json!({})), Line::text("never")]);
    bench.app(learns());
    let (heard, listener) = listened();
    let harness = bench.harness().tool(super::tools::Hangs).on_reply(listener);
    let session = bench.session(harness).await;
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if matches!(event, TurnEvent::ToolStarted(_)) {
            break;
        }
    }
    drop(turn);
    // The next turn begins after the end of that one.
    let _ = session.turn(None, "again").await;
    assert_eq!(*heard.lock().unwrap(), ["a: [Cancelled] learn_a", "a: never learn_a"]);
}

#[tokio::test]
async fn the_turn_of_a_sub_agent_is_reported_before_that_of_its_caller() {
    let ask = Line::call("1", "research", json!({ "prompt": "what is it?" }));
    let mut bench = Bench::new([ask, Line::text("a bird"), Line::text("a bird, I hear")]);
    bench.app(learns());
    let (heard, listener) = listened();
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.");
    bench.session(bench.harness().agent(research).on_reply(listener)).await.turn(None, "hi").await;
    assert_eq!(*heard.lock().unwrap(), ["research: a bird learn_research", "a: a bird, I hear learn_a"]);
}

#[tokio::test]
async fn a_panicking_listener_and_an_invalid_list_do_not_change_the_reply() {
    let bench = Bench::new([Line::text("hello")]);
    let harness = bench.harness().on_reply(|_, _| std::panic::resume_unwind(Box::new("of course")));
    assert_eq!(bench.session(harness).await.turn(None, "hi").await.to_string(), "hello");
    let (heard, listener) = listened();
    let session = bench.session(bench.harness().on_reply(listener)).await;
    let unknown = hook_sdk::scope::PromptDef::new("p").hooks(["nobody_knows_it"]);
    let reply = session.turn(Some(&unknown), "hi").await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn agents_with_one_name_and_different_lists_have_their_own_hooks_and_see_new_hooks() {
    let bench = Bench::new((0..5).map(|i| Line::text(i.to_string())));
    for id in ["one", "two"] {
        let log = bench.log.clone();
        bench.registry.register(Hook::at::<TurnEnd>(id).reader(move |_, _, ()| log.note(id))).unwrap();
    }
    let harness = bench.harness().build().unwrap();
    let turn = async |hooks: &[&str]| {
        let agent = AgentDef::new("a").hooks(hooks.iter().copied());
        let _ = harness.session("c", agent).open().await.unwrap().turn(None, "hi").await;
        bench.log.take().into_iter().filter(|noted| noted != "the model").collect::<Vec<_>>()
    };
    assert_eq!(turn(&["one"]).await, ["one"]);
    assert_eq!(turn(&["two"]).await, ["two"]);
    assert_eq!(turn(&["two", "one"]).await, ["two", "one"]);
    bench.registry.disable("one").unwrap();
    assert_eq!(turn(&["two", "one"]).await, ["two"]);
    let log = bench.log.clone();
    bench.registry.register(Hook::at::<TurnEnd>("app").reader(move |_, _, ()| log.note("app"))).unwrap();
    bench.registry.set_app(AppDef::new("app").hooks(["app"]));
    assert_eq!(turn(&["two", "one"]).await, ["app", "two"]);
}

#[tokio::test]
async fn a_session_returns_the_stored_conversation() {
    let bench = Bench::new([Line::text("hello")]);
    let session = bench.session(bench.harness()).await;
    let _ = session.turn(None, "hi").await;
    let messages = session.messages().await.unwrap();
    let said: Vec<_> = messages.iter().map(|message| (message.role, message.text().into_owned())).collect();
    assert_eq!(said, [(Role::User, "hi".to_owned()), (Role::Assistant, "hello".to_owned())]);
}

#[test]
fn a_harness_reports_a_filter_for_a_tool_that_it_does_not_have() {
    let registry = Registry::empty();
    let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::NoOpinion).only("tool", "refnd");
    registry.register(guard).unwrap();
    let summaries = Hook::at::<PreModelCall>("summaries").writer(|_, _, _| ()).only("call_site", "compaction");
    registry.register(summaries).unwrap();
    let tool = FnTool::new(ToolSpec::new("refund"), |_, _| Ok(String::new()));
    let harness = Harness::builder(registry).model("main", Scripted::new([])).tool(tool).build().unwrap();
    let findings = harness.audit([]);
    let dead: Vec<_> = findings.iter().filter(|finding| finding.kind() == FindingKind::MatchesNothing).collect();
    assert_eq!(dead.len(), 1, "{findings:?}");
    assert!(dead[0].to_string().ends_with("did you mean `refund`?"), "{}", dead[0]);
}

#[tokio::test]
async fn hooks_see_the_profile_of_the_session_and_may_reset_it() {
    use std::sync::{Arc, Mutex};

    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut bench = Bench::new([Line::text("small")]);
    let notes = Arc::clone(&seen);
    bench.app(Hook::at::<PreModelCall>("routes").writer(move |_, _, request: &mut ModelRequest| {
        notes.lock().unwrap().push(request.profile.clone());
    }));
    let big = Arc::new(hooks_agent::model::Scripted::new([Line::text("large")]));
    let harness = bench.harness().shared_model("big", big).build().unwrap();
    for (profile, reply) in [(Some("big"), "large"), (None, "small")] {
        let opening = harness.session(reply, AgentDef::new("a"));
        let opening = if let Some(profile) = profile { opening.profile(profile) } else { opening };
        assert_eq!(opening.open().await.unwrap().turn(None, "hi").await.to_string(), reply);
    }
    assert_eq!(*seen.lock().unwrap(), [Some("big".to_owned()), None]);
}
