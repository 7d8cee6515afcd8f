//! Sub-agents: what they have of their own, and what they share with their callers.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::data::{Block, ResultRow, Usage};
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::kinds::*;
use hook_sdk::plugin::Plugin;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer, Scripted};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Limits, Outcome, SubAgent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

fn research() -> SubAgent {
    SubAgent::new(AgentDef::new("research"), "Looks things up.").system_prompt("Cite sources.")
}

fn ask() -> Line {
    Line::call("1", "research", json!({ "prompt": "what is it?" }))
}

fn delete() -> FnTool<impl Fn(&HookContext, &ToolInput) -> Result<String, hooks_agent::tool::ToolError> + Send + Sync> {
    FnTool::new(ToolSpec::new("delete_everything"), |_, _| Ok("deleted".to_owned()))
}

fn offered(bench: &Bench, call: usize) -> Vec<String> {
    bench.model.heard()[call].tools.iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn a_sub_agent_is_offered_its_own_tools_or_those_of_its_caller_and_not_itself() {
    for (agent, expected) in [
        (research().tools(["lookup"]), vec!["lookup"]),
        (research().tools(["research", "nobody_has"]), vec!["research"]),
        (research(), vec!["lookup", "breaks", "panics"]),
    ] {
        let mut bench = Bench::new([ask(), Line::text("it is a bird"), Line::text("done")]);
        // The calling turn is not offered it either.
        bench.app(Hook::at::<PreToolMaterialization>("limits").reader(|cx, _, ()| {
            let all = ["lookup", "breaks", "panics", "research"];
            if cx.agent_path().is_empty() { vec![Contribution::tool_limit("safe", all)] } else { vec![] }
        }));
        bench.session(bench.harness().tool(delete()).agent(agent)).await.turn(None, "hi").await;
        assert_eq!(offered(&bench, 1), expected);
    }
}

#[tokio::test]
async fn a_sub_agent_calls_the_model_of_its_profile() {
    let fast = Arc::new(Scripted::new([Line::text("it is a bird")]));
    let bench = Bench::new([ask(), Line::text("done")]);
    let harness = bench.harness().shared_model("fast", fast.clone()).agent(research().profile("fast"));
    bench.session(harness).await.turn(None, "hi").await;
    assert_eq!((fast.heard().len(), fast.heard()[0].profile.as_str()), (1, "fast"));
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_has_a_deadline_and_a_turn_may_have_one() {
    let waits = || {
        Hook::at::<PreModelCall>("waits").async_reader(|_, _, _| Box::pin(tokio::time::sleep(Duration::from_secs(500))))
    };
    let mut bench = Bench::new([ask(), Line::text("then not")]);
    let slow = AgentDef::new("research").hooks(["waits"]);
    bench.registry.register(waits()).unwrap();
    bench.app(Hook::at::<TurnEnd>("ends").reader({
        let log = bench.log.clone();
        move |_, event: &TurnEnd, ()| log.note(event.reason.to_string())
    }));
    let agent = SubAgent::new(slow, "Is slow.").deadline(Duration::from_secs(20));
    let before = tokio::time::Instant::now();
    let reply = bench.session(bench.harness().agent(agent)).await.turn(None, "hi").await;
    assert_eq!((reply.to_string().as_str(), before.elapsed().as_secs()), ("then not", 20));
    assert_eq!(bench.stored().await[2], "tool: <- [Not finished: deadline]");

    let mut limits = Limits::default();
    limits.turn = Some(Duration::from_secs(7));
    let harness = bench.harness().limits(limits).build().unwrap();
    let session = harness.session("d", AgentDef::new("a").hooks(["waits"])).open().await.unwrap();
    let before = tokio::time::Instant::now();
    let reply = session.turn(None, "hi").await;
    assert_eq!((reply.to_string().as_str(), before.elapsed().as_secs()), ("[Not finished: deadline]", 7));
    assert!(matches!(reply.outcome, Outcome::Unfinished { .. }));
    assert_eq!(bench.log.take(), ["the model", "deadline", "the model", "no_tool_calls", "deadline"]);
}

#[tokio::test]
async fn sub_agents_share_the_budget_of_steps_and_tokens_and_leave_their_caller_one_call() {
    // An agent that would look things up forever.
    let calls = (0..60).map(|i| Line::call(format!("l{i}"), "lookup", json!({ "id": i.to_string() })));
    let bench = Bench::new([ask()].into_iter().chain(calls));
    let mut limits = Limits::default();
    limits.iterations = 10;
    let mut own = Limits::default();
    own.iterations = 1_000;
    let harness = bench.harness().limits(limits).agent(research().limits(own));
    let reply = bench.session(harness).await.turn(None, "hi").await;
    assert_eq!(bench.model.heard().len(), 10, "{reply}");
    assert_eq!(bench.model.heard().last().unwrap().system_prompt, "Be brief.");

    let says = |tokens: u64, block: Block| Line::answer(ModelAnswer::new(vec![block]).usage(Usage::new(tokens, 0)));
    let call = |id: &str, tool: &str, input| Block::ToolUse(ToolCall::new(id, tool, input));
    let bench = Bench::new([
        says(10, call("1", "research", json!({ "prompt": "what?" }))),
        says(60, call("2", "lookup", json!({ "id": "a" }))),
        says(60, call("3", "lookup", json!({ "id": "b" }))),
        says(1, Block::from("never")),
    ]);
    let mut limits = Limits::default();
    limits.tokens = Some(100);
    let reply = bench.session(bench.harness().limits(limits).agent(research())).await.turn(None, "hi").await;
    assert_eq!((bench.model.heard().len(), reply.usage.input), (3, 130));
    assert_eq!(
        (reply.exit.as_ref(), reply.to_string().as_str()),
        ("budget_yield_unrecovered", "\n[Not finished: token_budget]")
    );
}

/// Denies a lookup of anything but `a`, and records the caller.
fn guard(id: &'static str, bench: &Bench, right: &'static str) -> Hook {
    let log = bench.log.clone();
    Hook::at::<BeforeToolCall>(id)
        .reader(move |cx, _, input: &ToolInput| {
            log.note(format!("{id} of {}", cx.agent().unwrap_or("nobody")));
            if input["id"] == right { Permission::NoOpinion } else { Permission::deny(format!("{id} says no")) }
        })
        .only("tool", "lookup")
}

async fn looked_up(agent: SubAgent, prompt: Option<PromptDef>) -> (Vec<String>, Vec<String>) {
    let look = Line::call("2", "lookup", json!({ "id": "b" }));
    let mut bench = Bench::new([ask(), look, Line::text("so"), Line::text("done")]);
    for hook in [guard("own", &bench, "b"), guard("asker", &bench, "a"), guard("prompt", &bench, "b")] {
        bench.registry.register(hook).unwrap();
    }
    let app = guard("app", &bench, "b");
    bench.app(app);
    let harness = bench.harness().agent(agent);
    let harness = ["asker in agent `research`", "asker in prompt `p`"]
        .into_iter()
        .fold(harness, |harness, about| harness.accept(FindingKind::DroppedGate, about, "the test shows it"));
    let session = harness.build().unwrap().session("c", AgentDef::new("a").hooks(["asker"])).open().await.unwrap();
    session.turn(prompt.as_ref(), "hi").await;
    let mut results: Vec<String> = Vec::new();
    for message in &*bench.model.heard()[2].messages {
        results.extend(message.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => result.content[0].as_text().map(str::to_owned),
            _ => None,
        }));
    }
    (bench.log.take().into_iter().filter(|line| line.contains(" of ") || line == "the tool").collect(), results)
}

#[tokio::test]
async fn the_gates_of_the_caller_apply_to_a_sub_agent_unless_the_app_disables_it() {
    let agent = || SubAgent::new(AgentDef::new("research").hooks(["own"]), "Looks things up.");
    let (log, results) = looked_up(agent(), None).await;
    assert_eq!(log, ["app of research", "own of research", "asker of research"]);
    assert_eq!(results, ["Denied: asker says no"]);
    // The prompt's list replaces the agent's, also for sub-agents.
    let (log, results) = looked_up(agent(), Some(PromptDef::new("p").hooks(["prompt"]))).await;
    assert_eq!(log, ["app of research", "own of research", "prompt of research", "the tool"]);
    assert_eq!(results, ["found b"]);
    let (log, results) = looked_up(agent().own_gates(), None).await;
    assert_eq!(log, ["app of research", "own of research", "the tool"]);
    assert_eq!(results, ["found b"]);
}

/// The highest number that a guard allows.
#[derive(serde::Deserialize)]
struct UpTo {
    max: u64,
}

#[tokio::test]
async fn the_gates_of_the_caller_s_plugins_apply_to_a_sub_agent() {
    let look = || Line::call("2", "lookup", json!({ "number": 50 }));
    let guard =
        || Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::deny("never")).only("tool", "lookup");
    let up_to = || {
        let judge = |cx: &HookContext, _: &BeforeToolCall, input: &ToolInput| {
            let max = cx.with::<UpTo>().map_or(0, |up_to| up_to.max);
            let fits = input["number"].as_u64().is_some_and(|number| number <= max);
            if fits { Permission::NoOpinion } else { Permission::deny("too much") }
        };
        Hook::at::<BeforeToolCall>("guard").reader(judge).parameters::<UpTo>().only("tool", "lookup")
    };
    let with = |name: &str, max: u64| {
        let list = json!({ "name": name, "hooks": [{ "id": "guard", "with": { "max": max } }] });
        AgentDef::from_json("agent.json", &list.to_string()).unwrap()
    };
    let table = [
        (
            "of one agent",
            Plugin::new("p").agent("support").hook(guard()),
            AgentDef::new("support"),
            AgentDef::new("research"),
        ),
        ("of all agents", Plugin::new("p").hook(guard()), AgentDef::new("support"), AgentDef::new("research")),
        ("stricter parameters", Plugin::new("p").hook(up_to()), with("support", 1), with("research", 100)),
    ];
    for (what, plugin, support, research) in table {
        let bench = Bench::new([ask(), look(), Line::text("so"), Line::text("done")]);
        bench.registry.install(plugin).unwrap();
        let agent = SubAgent::new(research, "Looks things up.").tools(["lookup"]);
        let session = bench.harness().agent(agent).build().unwrap().session("c", support).open().await.unwrap();
        session.turn(None, "hi").await;
        let log = bench.log.take();
        assert!(!log.contains(&"the tool".to_owned()), "{what}: {log:?}");
        assert_eq!(bench.model.heard().len(), 4, "{what}");
    }
}

#[tokio::test]
async fn the_gates_of_a_sub_agent_judge_the_input_that_its_caller_s_gates_rewrote() {
    let look = Line::call("2", "lookup", json!({ "id": "b" }));
    let mut bench = Bench::new([ask(), look, Line::text("so"), Line::text("done")]);
    bench.registry.register(guard("own", &bench, "a")).unwrap();
    let mends = Hook::at::<BeforeToolCall>("mends").writer(|_, _, input: &mut ToolInput| {
        if input["id"] == "b" {
            input["id"] = "a".into();
        }
    });
    bench.registry.register(mends).unwrap();
    let own = Hook::at::<BeforeToolCall>("lenient").reader(|_, _, _| Permission::NoOpinion);
    bench.app(own);
    let agent = SubAgent::new(AgentDef::new("research").hooks(Vec::<String>::new()), "Looks things up.");
    let harness = bench.harness().agent(agent).build().unwrap();
    let session = harness.session("c", AgentDef::new("a").hooks(["mends", "own"])).open().await.unwrap();
    session.turn(None, "hi").await;
    let log = bench.log.take();
    assert_eq!(log.iter().filter(|line| *line == "own of research").count(), 2, "{log:?}");
    assert!(log.contains(&"the tool".to_owned()), "{log:?}");
}

#[tokio::test]
async fn a_halt_in_a_sub_agent_ends_its_caller_unless_the_app_disables_it() {
    for (agent, reply) in [(research(), "[Hook stopped] enough"), (research().halts_alone(), "done")] {
        let mut bench = Bench::new([ask(), Line::text("never"), Line::text("done")]);
        bench.app(Hook::at::<PostModelCall>("halts").reader(|cx, _, _| {
            if cx.agent() == Some("research") { Err(Halt::new("enough")) } else { Ok(ReplyVerdict::NoOpinion) }
        }));
        let reported = bench.session(bench.harness().agent(agent)).await.turn(None, "hi").await;
        assert_eq!(reported.to_string(), reply);
        assert_eq!(bench.stored().await[2], "tool: <- [Hook stopped] enough");
    }
}

#[tokio::test]
async fn the_masks_of_the_caller_apply_to_the_rows_of_a_sub_agent_unless_the_app_disables_it() {
    use hooks_agent::store::MessageStore;

    async fn rows(bench: &Bench, conversation: &str) -> String {
        format!("{:?}", bench.store.page(conversation, None, 99).await.unwrap().rows)
    }
    for (at, fails, own_gates) in [(0, false, false), (1, false, false), (0, true, false), (0, false, true)] {
        let look = || Line::call("2", "lookup", json!({ "id": "hunter2" }));
        let bench = Bench::new([ask(), look(), Line::text("it is *"), Line::text("done")]);
        // It fails only for the sub-agent.
        let down = move |cx: &HookContext| if fails && cx.agent() == Some("research") { Err("down") } else { Ok(()) };
        let masks = if at == 0 {
            Hook::at::<BeforeCreateMessage>("masks").writer(move |cx, _, row: &mut Message| {
                row.rewrite_text(|text| Some(text.replace("hunter2", "***")));
                down(cx)
            })
        } else {
            Hook::at::<BeforeStoreToolResult>("masks").writer(move |cx, _, row: &mut ResultRow| {
                row.content = vec!["***".into()];
                down(cx)
            })
        };
        bench.registry.register(masks.on_failure(OnFailure::Required)).unwrap();
        let agent = SubAgent::new(AgentDef::new("research"), "Looks things up.").tools(["lookup"]);
        let agent = if own_gates { agent.own_gates() } else { agent };
        let harness = bench.harness().agent(agent).accept(
            FindingKind::DroppedGuard,
            "masks in agent `research`",
            "the test shows it",
        );
        let session = harness.build().unwrap().session("c", AgentDef::new("a").hooks(["masks"])).open().await.unwrap();
        let _reply = session.turn(None, "hi").await;
        let child = rows(&bench, "c/1").await;
        let found = child.contains("found hunter2");
        assert_eq!(found, own_gates, "{at}, fails: {fails}: {child}");
        assert_eq!(child.contains("***"), !fails && !own_gates, "{at}, fails: {fails}: {child}");
    }
}

#[tokio::test]
async fn the_stream_hooks_of_the_caller_judge_what_a_sub_agent_says_unless_the_app_disables_it() {
    use hooks_agent::TurnEvent;

    fn said(event: &TurnEvent) -> String {
        match event {
            TurnEvent::Text(text) => text.clone(),
            TurnEvent::Within { event, .. } => said(event),
            _ => String::new(),
        }
    }
    for (streams, denies, own_gates) in
        [(true, false, false), (false, false, false), (true, true, false), (false, true, false), (true, false, true)]
    {
        let answer = Line::text("it is hunter2 there");
        let answer = if streams { answer.streamed() } else { answer };
        let bench = Bench::new([ask(), answer, Line::text("done")]);
        let masks = Hook::at::<StreamDelta>("masks").writer(move |_, _, window: &mut String| {
            let found = window.contains("hunter2");
            *window = window.replace("hunter2", "***");
            if found && denies { Permission::deny("a secret") } else { Permission::Allow }
        });
        bench.registry.register(masks.hold(10)).unwrap();
        let agent = SubAgent::new(AgentDef::new("research"), "Looks things up.");
        let agent = if own_gates { agent.own_gates() } else { agent };
        let harness = bench.harness().agent(agent).accept(
            FindingKind::DroppedGate,
            "masks in agent `research`",
            "the test shows it",
        );
        let session = harness.build().unwrap().session("c", AgentDef::new("a").hooks(["masks"])).open().await.unwrap();
        let (_reply, events) = turn_with_events(&session, "hi").await;
        let shown: String = events.iter().map(said).collect();
        let case = format!("streams: {streams}, denies: {denies}: {shown}");
        assert_eq!(shown.contains("hunter2"), own_gates, "{case}");
        assert_eq!(shown.contains("***"), !denies && !own_gates, "{case}");
    }
}
