//! Agents that call other agents.

use std::sync::Arc;

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::MessageStore;
use hooks_agent::{Outcome, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::Bench;
use super::suspended::{AtDesk, Desk};

fn research() -> SubAgent {
    SubAgent::new(AgentDef::new("research").hooks(["own"]), "Looks things up.")
        .system_prompt("Cite sources.")
        .tools(["lookup", "research"])
}

fn ask() -> Line {
    Line::call("1", "research", json!({ "prompt": "what is it?" }))
}

#[tokio::test]
async fn a_sub_agent_runs_its_own_hooks_and_the_app_s_and_none_of_its_caller() {
    let mut bench = Bench::new([ask(), Line::text("it is a bird"), Line::text("a bird, I hear")]);
    let noted = |id: &'static str, log: super::bench::Log| {
        Hook::at::<BeforeAgentStart>(id).reader(move |cx, event: &BeforeAgentStart, ()| {
            let path = [cx.agent_path(), &[cx.agent().unwrap().to_owned()]].concat().join("/");
            log.note(format!("{id} of {path} by {}", event.trigger));
        })
    };
    bench.registry.register(noted("own", bench.log.clone())).unwrap();
    bench.registry.register(noted("asker", bench.log.clone())).unwrap();
    let log = bench.log.clone();
    bench.app(noted("app", log));
    let harness = bench.harness().agent(research()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a").hooks(["asker"])).open().await.unwrap();
    let reply = session.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "a bird, I hear");
    assert_eq!(
        bench.log.take(),
        [
            "app of a by user",
            "asker of a by user",
            "the model",
            "app of a/research by agent",
            "own of a/research by agent",
            "the model",
            "the model",
        ]
    );
    assert_eq!(
        bench.stored().await,
        [
            "user: hi",
            r#"assistant: -> research({"prompt":"what is it?"})"#,
            "tool: <- it is a bird",
            "assistant: a bird, I hear",
        ]
    );
    assert_eq!(bench.model.heard()[1].system_prompt, "Cite sources.");
}

#[tokio::test]
async fn a_sub_agent_whose_prompt_is_rejected_is_a_failed_call() {
    let mut bench = Bench::new([ask(), Line::text("sorry")]);
    bench.registry.register(Hook::at::<UserPromptSubmit>("own").reader(|_, _, _| PromptVerdict::block("no"))).unwrap();
    bench.app(Hook::at::<AfterToolCallFailure>("see").reader(|_, _, _| ()));
    let session = bench.session(bench.harness().agent(research())).await;
    let mut turn = session.turn(None, "hi");
    let mut failures = 0;
    while let Some(event) = turn.next().await {
        failures += u32::from(matches!(event, TurnEvent::Fired { kind: "after_tool_call_failure", .. }));
    }
    assert_eq!((turn.await.to_string().as_str(), failures), ("sorry", 1));
    assert_eq!(bench.stored().await[2], "tool: <- [Blocked by hook] no");
}

#[tokio::test]
async fn a_sub_agent_is_cancelled_with_its_caller_and_ends_first() {
    let mut bench = Bench::new([ask(), Line::text("never")]);
    bench
        .registry
        .register(Hook::at::<PreModelCall>("own").async_reader(|_, _, _| Box::pin(std::future::pending::<()>())))
        .unwrap();
    let log = bench.log.clone();
    bench.app(Hook::at::<TurnEnd>("ends").reader(move |cx, _, ()| log.note(cx.agent().unwrap())));
    let session = bench.session(bench.harness().agent(research())).await;
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if matches!(event, TurnEvent::Within { .. }) {
            turn.cancel();
        }
    }
    assert!(matches!(turn.await.outcome, Outcome::Cancelled));
    assert_eq!(bench.log.take(), ["the model", "research", "a"]);
}

#[tokio::test]
async fn agents_that_call_each_other_stop_at_the_limit() {
    let lines = (0..5).map(|_| ask()).chain((0..6).map(|i| Line::text(format!("level {i}"))));
    let bench = Bench::new(lines);
    bench.registry.register(Hook::at::<TurnEnd>("own").reader(|_, _, ()| ())).unwrap();
    let reply = bench.session(bench.harness().agent(research())).await.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "level 4");
}

#[tokio::test]
async fn calls_with_similar_ids_ask_agents_in_conversations_of_their_own() {
    let ids = ["1", "1-2", "1-2-3", "3/2", "p/q", "p%2Fq", "call_a-b", "3"];
    let calls = ids.map(|id| (id, if id == "3" { "mid" } else { "asks" }, json!({ "prompt": id })));
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new([Line::calls(calls), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
    let mid = Scripted::new([Line::call("2", "asks", json!({ "prompt": "look" })), Line::text("asked")]);
    let looks = (0..8).map(|at| Line::call(format!("s{at}"), "lookup", json!({ "id": at })));
    let looks = Scripted::new(looks.chain((0..8).map(|_| Line::text("looked"))));
    let agent = |name: &str| SubAgent::new(AgentDef::new(name), "Asks.").profile(name);
    let harness = bench.harness().model("mid", mid).model("asks", looks);
    let harness = harness.agent(agent("mid").tools(["asks", "lookup"])).agent(agent("asks").tools(["lookup"]));
    let session = bench.session(harness.approver(AtDesk(Arc::clone(&desk)))).await;
    session.turn(None, "hi").await;
    let mut names = bench.store.conversations(None, 100).await.unwrap().ids;
    names.sort();
    assert_eq!(desk.open(), 8, "{names:?}");
    // Plain ids are not escaped.
    let expected =
        ["c", "c/1", "c/1%2D2", "c/1-2%2D3", "c/3", "c/3%2F2", "c/3/2", "c/call_a-b", "c/p%252Fq", "c/p%2Fq"];
    assert_eq!(names, expected);
    let mut found: Vec<_> = names.iter().filter_map(|name| hooks_agent::caller_of(name)).collect();
    found.sort();
    let mut calls: Vec<_> = ids.map(|id| ("c", id.to_owned())).into_iter().chain([("c/3", "2".to_owned())]).collect();
    calls.sort();
    assert_eq!(found, calls);
    assert_eq!(hooks_agent::caller_of("c/1%2D2-3"), Some(("c", "1-2".to_owned())), "its third one");
    (0..8).for_each(|_| desk.answer(Approval::Yes));
    assert_eq!(session.resume(None).await.to_string(), "done");
    let log = bench.log.take();
    assert_eq!((log.iter().filter(|what| *what == "the tool").count(), desk.open()), (8, 0));
}
