//! What hooks do instead of wrappers: answer for a tool or a model, steer one call; and a person who joins a turn.

use std::sync::Arc;

use hook_sdk::data::{Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Outcome, TurnEvent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};
use super::suspended::{AtDesk, Desk};

#[tokio::test]
async fn a_gate_can_answer_in_place_of_a_tool_and_hooks_see_its_result() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("cache").reader(|_, _, input: &ToolInput| {
        if input["id"] == "a" {
            Permission::answer(ToolResult::new("found in the cache"))
        } else {
            Permission::NoOpinion
        }
    }));
    bench.app(Hook::at::<AfterToolCallSuccess>("stars").writer(|_, _, result: &mut ToolResult| {
        result.rewrite_text(|text| Some(text.replace("cache", "*****")));
    }));
    let (_, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(bench.log.take(), ["the model", "the model"], "the tool did not run");
    assert_eq!(bench.stored().await[2], "tool: <- found in the *****");
    assert!(!events.iter().any(|event| matches!(event, TurnEvent::ToolStarted(_))));
}

#[tokio::test]
async fn an_answer_yields_to_an_ask_and_a_deny_and_not_to_an_allow() {
    let answers = || Permission::answer(ToolResult::new("cached"));
    for (other, stored) in [
        (Permission::Allow, "tool: <- cached"),
        (Permission::deny("no"), "tool: <- Denied: no"),
        (Permission::ask("may it?"), "tool: <- Denied: may it?. there is nobody to ask"),
    ] {
        let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done")]);
        bench.app(Hook::at::<BeforeToolCall>("one").reader(move |_, _, _| answers()));
        bench.app(Hook::at::<BeforeToolCall>("other").reader(move |_, _, _| other.clone()));
        bench.turn().await;
        assert_eq!(bench.stored().await[2], stored);
    }
}

#[tokio::test]
async fn a_hook_can_answer_in_place_of_the_model_and_later_hooks_see_its_answer() {
    let mut bench = Bench::new([Line::text("never")]);
    bench.app(Hook::at::<PreModelCall>("canned").writer(|_, _, request: &mut ModelRequest| {
        *request = request.clone().answer("We are closed.");
    }));
    bench.app(Hook::at::<PostModelCall>("signs").writer(|_, _, reply: &mut ModelReply| {
        reply.content.push(" The desk".into());
    }));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert!(bench.model.heard().is_empty());
    assert!(matches!(reply.outcome, Outcome::Answered(_)));
    assert_eq!(bench.stored().await.len(), 2);
    assert!(reply.to_string().starts_with("We are closed."), "{reply}");
    assert!(events.iter().any(|event| matches!(event, TurnEvent::Text(text) if text.starts_with("We are closed."))));
}

#[tokio::test]
async fn call_options_of_a_hook_apply_to_one_call_only() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]);
    bench.app(Hook::at::<PreModelCall>("first").writer(|_, event: &PreModelCall, request: &mut ModelRequest| {
        if event.messages.len() == 1 {
            request.tools = Some(vec!["lookup".to_owned(), "nobody_has".to_owned()]);
            request.tool_choice = Some("lookup".to_owned());
            request.temperature = Some(0.5);
            request.max_tokens = Some(64);
            request.output_schema = Some(json!({ "type": "object" }));
            request.extra.insert("seed".to_owned(), json!(7));
        }
    }));
    bench.turn().await;
    let heard = bench.model.heard();
    let names = |call: usize| heard[call].tools.iter().map(|tool: &ToolSpec| tool.name.as_str()).collect::<Vec<_>>();
    assert_eq!((names(0), names(1)), (vec!["lookup"], vec!["lookup", "breaks", "panics"]));
    let first = &heard[0];
    assert_eq!(
        (first.tool_choice.as_deref(), first.temperature, first.max_tokens),
        (Some("lookup"), Some(0.5), Some(64))
    );
    assert_eq!((first.output_schema.clone(), &first.extra["seed"]), (Some(json!({ "type": "object" })), &json!(7)));
    assert_eq!((heard[1].tool_choice.as_deref(), heard[1].temperature), (None, None));
}

#[tokio::test]
async fn a_tool_that_a_hook_removed_from_the_request_does_not_run() {
    let desk = Arc::new(Desk::default());
    let calls = [("1", "lookup", json!({})), ("2", "pay", json!({})), ("3", "lookup", json!({}))];
    let lines = [Line::calls(calls), Line::call("4", "lookup", json!({})), Line::text("done")];
    let mut bench = Bench::new(lines);
    bench.app(Hook::at::<PreModelCall>("first").writer(|_, event: &PreModelCall, request: &mut ModelRequest| {
        if event.messages.len() == 1 {
            request.tools = Some(vec!["pay".to_owned(), "breaks".to_owned()]);
        }
    }));
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("pay?")).only("tool", "pay"));
    let pay = FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned()));
    let session = bench.session(bench.harness().tool(pay).approver(AtDesk(Arc::clone(&desk)))).await;
    assert!(matches!(session.turn(None, "hi").await.outcome, Outcome::Suspended(_)));
    desk.answer(Approval::Yes);
    assert_eq!(session.resume(None).await.to_string(), "done");
    let removed = "tool: <- there is no tool `lookup`; the tools are: breaks, pay";
    let stored = bench.stored().await;
    let results: Vec<_> = stored.iter().filter(|row| row.starts_with("tool:")).collect();
    assert_eq!(results, [removed, removed, "tool: <- paid", "tool: <- found nothing"], "the next request offers it");
    assert_eq!(bench.log.take().iter().filter(|what| *what == "the tool").count(), 1);
}

/// Waits for a signal before it answers.
struct Waits(Arc<tokio::sync::Semaphore>);

impl Model for Waits {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            self.0.acquire().await.unwrap().forget();
            let said: Vec<_> =
                call.messages.iter().filter(|m| m.role == Role::User).map(|m| m.text().into_owned()).collect();
            Ok(ModelAnswer::text(format!("I heard {}", said.join(", "))))
        })
    }
}

#[tokio::test]
async fn a_message_joins_a_running_turn_at_its_next_step() {
    let mut bench = Bench::new([]);
    bench.app(Hook::at::<BeforeCreateMessage>("stars").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| Some(text.replace("secret", "***")));
    }));
    let word = Arc::new(tokio::sync::Semaphore::new(0));
    let session = bench.session(bench.harness().model("main", Waits(word.clone()))).await;
    let mut turn = session.turn(None, "go on");
    let steering = turn.steering();
    while !matches!(turn.next().await, Some(TurnEvent::ModelCalled { .. })) {}
    assert!(steering.steer(Message::new(Role::User, "and mind the secret")));
    word.add_permits(2);
    while let Some(event) = turn.next().await {
        drop(event);
    }
    assert!(!turn.steer(Message::new(Role::User, "too late")), "the turn is over");
    assert!(!steering.steer(Message::new(Role::User, "too late")), "the turn is over");
    assert_eq!(turn.await.to_string(), "I heard go on, and mind the ***");
    assert_eq!(
        bench.stored().await,
        [
            "user: go on",
            "assistant: I heard go on",
            "user: and mind the ***",
            "assistant: I heard go on, and mind the ***"
        ]
    );
}
