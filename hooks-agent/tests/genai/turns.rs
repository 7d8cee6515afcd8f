//! Whole turns over HTTP.

use std::time::Duration;

use hook_sdk::kinds::ExitReason;
use hook_sdk::prelude::*;
use hooks_agent::model::ModelError;
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Harness, Limits, Outcome, Session, TurnError, TurnEvent};
use serde_json::json;

use super::server::{Reply, Server};

/// A session in which the loop's own delays would exceed the test.
async fn session(server: &Server) -> Session {
    session_with(server, Duration::from_secs(3_600)).await
}

async fn session_with(server: &Server, retry_after: Duration) -> Session {
    let mut limits = Limits::default();
    limits.retry_after = retry_after;
    let find = FnTool::new(ToolSpec::new("find"), |_cx, input| Ok(format!("found {}", input["id"])));
    let harness =
        Harness::builder(Registry::empty()).model("main", server.model()).tool(find).limits(limits).build().unwrap();
    harness.session("c", AgentDef::new("a")).system_prompt("Be brief.").open().await.unwrap()
}

#[tokio::test]
async fn a_turn_streams_calls_a_tool_and_answers() {
    let server =
        Server::start([Reply::calls("a", "find", "{\"id\":7}"), Reply::stream().text("It is ").text("7.").end("stop")])
            .await;
    let session = session(&server).await;
    let mut turn = session.turn(None, "which one?");
    let mut seen = Vec::new();
    while let Some(event) = turn.next().await {
        match event {
            TurnEvent::Text(text) => seen.push(text),
            TurnEvent::ToolFinished { result, .. } => seen.push(result.text().into_owned()),
            _ => {}
        }
    }
    assert_eq!(seen, ["found 7", "It is ", "7."]);
    assert_eq!(turn.await.to_string(), "It is 7.");
    let asked = server.asked();
    let roles: Vec<_> = asked[1].body["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(asked[1].body["messages"][3]["content"], "found 7");
}

#[tokio::test]
async fn a_retry_waits_as_long_as_the_provider_says() {
    let limited = Reply::status(429, "retry-after: 0\r\n", "slow down");
    let server = Server::start([limited, Reply::says("hello")]).await;
    // The loop's delay is at most a minute, which is longer than this test may take.
    let reply = tokio::time::timeout(Duration::from_secs(30), session(&server).await.turn(None, "hi")).await.unwrap();
    assert_eq!(reply.to_string(), "hello");
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_call_is_retried_after_a_server_error_and_not_after_a_rejection() {
    for (status, body, asked) in [(500, "oops", 2), (400, "no", 1)] {
        let server = Server::start([Reply::status(status, "", body), Reply::says("hello")]).await;
        let reply = session_with(&server, Duration::from_millis(1)).await.turn(None, "hi").await;
        assert_eq!(server.asked().len(), asked, "{status}");
        let refused =
            matches!(&reply.outcome, Outcome::Failed(TurnError::Model(ModelError::Rejected(why))) if why == "400: no");
        assert_eq!((refused, reply.to_string() == "hello"), (asked == 1, asked == 2), "{reply}");
    }
}

#[tokio::test]
async fn a_call_is_not_retried_after_its_text_was_shown() {
    let server = Server::start([Reply::stream().text("It is "), Reply::says("It is 7.")]).await;
    let reply = session_with(&server, Duration::from_millis(1)).await.turn(None, "hi").await;
    assert!(matches!(reply.outcome, Outcome::Failed(TurnError::Model(ModelError::Broken(_)))), "{reply}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_cancelled_turn_disconnects_from_a_server_that_never_answers() {
    for reply in [Reply::silence(), Reply::stream().text("It ").then_silence()] {
        let server = Server::start([reply, Reply::says("hello again")]).await;
        let session = session(&server).await;
        let turn = session.turn(None, "hi");
        server.was_asked().await;
        turn.cancel();
        let reply = turn.await;
        assert!(matches!(reply.outcome, Outcome::Cancelled), "{reply}");
        assert_eq!(reply.exit, ExitReason::AbortedPreCall);
        server.hung_up().await;
        assert_eq!(session.turn(None, "hi").await.to_string(), "hello again");
    }
}

/// What is shown of a turn, including thinking and inputs of calls.
async fn shown(session: &Session) -> (Vec<String>, hooks_agent::Reply) {
    let mut turn = session.turn(None, "which one?");
    let mut seen = Vec::new();
    while let Some(event) = turn.next().await {
        match event {
            TurnEvent::Text(text) => seen.push(format!("text: {text}")),
            TurnEvent::Thinking(text) => seen.push(format!("thinking: {text}")),
            TurnEvent::ToolInput { tool, text, .. } => seen.push(format!("{tool}: {text}")),
            _ => {}
        }
    }
    (seen, turn.await)
}

#[tokio::test]
async fn a_stream_that_breaks_in_thoughts_or_in_an_input_runs_no_call_and_is_retried() {
    let thinks = || Reply::stream().event(&json!({ "choices": [{ "delta": { "reasoning_content": "Hm." } }] }));
    let call = json!([{ "index": 0, "id": "a", "function": { "name": "find", "arguments": "{\"id\":7" } }]);
    let within = thinks().event(&json!({ "choices": [{ "delta": { "tool_calls": call } }] }));
    for (broken, expected) in
        [(thinks(), vec!["thinking: Hm.", "text: 7"]), (within, vec!["thinking: Hm.", "find: {\"id\":7", "text: 7"])]
    {
        let server = Server::start([broken, Reply::says("7")]).await;
        let (seen, reply) = shown(&session_with(&server, Duration::from_millis(1)).await).await;
        // No text was shown, so nothing would be shown twice.
        assert_eq!((seen, server.asked().len()), (expected.into_iter().map(str::to_owned).collect(), 2));
        assert_eq!((reply.to_string().as_str(), reply.messages.len()), ("7", 2));
    }
}
