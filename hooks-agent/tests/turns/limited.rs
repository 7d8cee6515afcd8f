//! What an agent may use is what its definition and the hooks of its callers allow; and what is said is what is stored.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::data::{CompactedHistory, Message};
use hook_sdk::hook::{BoxFuture, OnFailure};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::channel::{Address, Channel, Heard, Incoming};
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::window::{DropThenSummarise, Window};
use hooks_agent::{Limits, Outcome, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

fn offered(bench: &Bench, call: usize) -> Vec<String> {
    bench.model.heard()[call].tools.iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn a_bundled_tool_is_offered_only_if_a_hook_adds_it() {
    let secret = || FnTool::new(ToolSpec::new("secret"), |_, _| Ok("told".to_owned()));
    let agent = SubAgent::new(AgentDef::new("clerk"), "Helps.").tools(["lookup", "secret"]);
    let mut bench = Bench::new([
        Line::call("1", "clerk", json!({ "prompt": "x" })),
        Line::call("2", "secret", json!({})),
        Line::text("done"),
        Line::text("done"),
    ]);
    let harness = bench.harness().bundled_tool(secret()).agent(agent.clone()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).tools(["clerk", "secret"]).open().await.unwrap();
    session.turn(None, "hi").await;
    assert_eq!((offered(&bench, 0), offered(&bench, 1)), (vec!["clerk".to_owned()], vec!["lookup".to_owned()]));
    let read = &bench.model.heard()[2].messages;
    assert!(super::bench::line(read.last().unwrap()).contains("there is no tool `secret`"));
    bench.app(
        Hook::at::<PreToolMaterialization>("adds").reader(|_, _, ()| vec![Contribution::tool_bundle("b", ["secret"])]),
    );
    bench.turn().await;
    let session = harness.session("d", AgentDef::new("a")).tools(["clerk"]).open().await.unwrap();
    session.turn(None, "hi").await;
    assert_eq!(bench.model.heard().last().unwrap().tools.last().unwrap().name, "secret");
}

#[tokio::test]
async fn what_hooks_exclude_for_a_caller_is_excluded_for_its_agents_at_every_level() {
    let limit = |allowed: &'static [&'static str]| {
        Hook::at::<PreToolMaterialization>("limits").reader(move |cx: &HookContext, _, ()| {
            if cx.agent_path().is_empty() {
                vec![Contribution::tool_limit("l", allowed.iter().copied())]
            } else {
                vec![]
            }
        })
    };
    let mut bench = Bench::new([
        Line::call("1", "clerk", json!({ "prompt": "x" })),
        Line::call("2", "aide", json!({ "prompt": "x" })),
        Line::call("3", "breaks", json!({})),
        Line::text("done"),
        Line::text("done"),
        Line::text("done"),
    ]);
    bench.app(limit(&["clerk", "aide", "lookup"]));
    let clerk = SubAgent::new(AgentDef::new("clerk"), "Helps.").tools(["aide", "lookup", "breaks"]);
    let aide = SubAgent::new(AgentDef::new("aide"), "Helps too.").tools(["lookup", "breaks"]).own_gates();
    bench.session(bench.harness().agent(clerk).agent(aide)).await.turn(None, "hi").await;
    assert_eq!(offered(&bench, 1), ["aide", "lookup"]);
    assert_eq!(offered(&bench, 2), ["lookup"]);
}

#[tokio::test]
async fn the_hooks_of_a_caller_answer_the_question_of_its_gate_about_a_call_of_its_agent() {
    let bench = Bench::new([
        Line::call("1", "clerk", json!({ "prompt": "x" })),
        Line::call("2", "lookup", json!({})),
        Line::text("done"),
        Line::text("done"),
    ]);
    let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("sure?")).only("tool", "lookup");
    let night = Hook::at::<PermissionRequest>("night").reader(|_, _, _| Permission::deny("at night"));
    bench.registry.register(asks).unwrap();
    bench.registry.register(night).unwrap();
    let harness =
        bench.harness().approver(|_: &_| Approval::Yes).agent(SubAgent::new(AgentDef::new("clerk"), "Helps."));
    let caller = AgentDef::new("a").hooks(["asks", "night"]);
    harness.build().unwrap().session("c", caller).open().await.unwrap().turn(None, "hi").await;
    let read = &bench.model.heard()[2].messages;
    assert_eq!(super::bench::line(read.last().unwrap()), "tool: <- Denied: at night");
    assert!(!bench.log.take().contains(&"the tool".to_owned()));
}

#[tokio::test]
async fn nothing_fires_after_a_halt_at_the_stored_prompt() {
    let mut bench = Bench::watched([Line::text("hello")]);
    bench.app(Hook::at::<AfterCreateMessage>("halts").reader(|_, _, ()| Err::<(), _>(Halt::new("enough"))));
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::Halted(_)), "{reply}");
    let log = bench.log.take();
    let at = log.iter().position(|kind| kind == "after_create_message").unwrap();
    assert_eq!(log[at + 1..], ["post_turn", "turn_end"]);
}

#[tokio::test]
async fn a_halt_at_a_compaction_leaves_the_conversation_as_it_is() {
    for at_the_end in [false, true] {
        let mut bench = Bench::new((0..20).map(|_| Line::text("a word ".repeat(40))));
        let window = Window::new(400).compact_at(200).compactor(DropThenSummarise::default());
        let session = bench.session(bench.harness().window(window)).await;
        session.turn(None, "hi").await;
        session.turn(None, "hi").await;
        let before = bench.stored().await;
        bench.app(if at_the_end {
            Hook::at::<PostCompact>("halts").reader(|_, _, _: &CompactedHistory| Err::<(), _>(Halt::new("enough")))
        } else {
            Hook::at::<BeforeCompaction>("halts").reader(|_, _, ()| Err::<(), _>(Halt::new("enough")))
        });
        assert!(session.compact("").await.is_err());
        assert_eq!(bench.stored().await, before);
    }
}

#[tokio::test]
async fn an_answer_that_is_stored_stays_shown_if_a_hook_fails_afterwards() {
    let mut bench = Bench::new([Line::text("hello there")]);
    bench.app(
        Hook::at::<AfterCreateMessage>("books")
            .reader(
                |_, event: &AfterCreateMessage, ()| if event.message.text() == "hi" { Ok(()) } else { Err("no ink") },
            )
            .on_failure(OnFailure::Required),
    );
    let session = bench.session(bench.harness()).await;
    let (reply, events) = turn_with_events(&session, "hi").await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    assert_eq!(bench.stored().await[1], "assistant: hello there");
    assert!(!events.iter().any(|event| matches!(event, TurnEvent::Retracted { .. })), "{events:#?}");
    let shown: String = events
        .iter()
        .filter_map(|event| if let TurnEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(shown, "hello there");
}

/// Never finishes, or panics.
struct Broken(bool);

impl Channel for Broken {
    fn name(&self) -> &'static str {
        "mail"
    }

    fn send<'a>(&'a self, _: &'a Address, _: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>> {
        assert!(!self.0, "of course");
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_hangs_or_panics_is_a_failed_delivery() {
    for panics in [false, true] {
        let model = Arc::new(Scripted::new([Line::text("hello")]));
        let mut limits = Limits::default();
        limits.channel = Duration::from_secs(5);
        let harness = hooks_agent::Harness::builder(Registry::empty())
            .shared_model("main", model)
            .limits(limits)
            .build()
            .unwrap();
        let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
        let heard = session.hear(&Broken(panics), Incoming::new("ada", "hi"), None).await.unwrap();
        let Heard::Answered { delivery: Delivery::Failed { error }, .. } = heard else { panic!("{heard:?}") };
        assert_eq!(error, if panics { "the channel panicked" } else { "not sent within 5s; it may still arrive" });
    }
}
