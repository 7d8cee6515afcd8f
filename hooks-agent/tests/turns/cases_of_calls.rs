//! Numbered cases about calls of models and tools: those of `hooks-core/testdata/cases.md` that no other test covers.

use std::sync::atomic::{AtomicU32, Ordering};

use hook_sdk::data::{Block, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::ApprovalRequest;
use hooks_agent::model::{Line, ModelAnswer, ModelError};
use hooks_agent::store::MessageStore;
use hooks_agent::window::Window;
use hooks_agent::{Outcome, TurnEvent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

/// The number of log entries.
fn count(bench: &Bench, what: &str) -> usize {
    bench.log.take().iter().filter(|noted| *noted == what).count()
}

/// Replaces the text of the reply.
fn rewords(text: &'static str) -> Hook {
    Hook::at::<PostModelCall>("mask").writer(move |_, _, reply: &mut ModelReply| {
        for block in reply.content.iter_mut().filter(|block| block.as_text().is_some()) {
            *block = Block::from(text);
        }
    })
}

fn lookup() -> Block {
    Block::ToolUse(ToolCall::new("1", "lookup", json!({ "id": "a" })))
}

#[tokio::test]
async fn v22_the_text_that_a_hook_rewrote_is_stored() {
    let mut bench = Bench::new([Line::text("my secret")]);
    bench.app(rewords("my ***"));
    assert_eq!(bench.turn().await.to_string(), "my ***");
    assert_eq!(bench.stored().await, ["user: hi", "assistant: my ***"]);
}

#[tokio::test]
async fn v25_rewriting_a_text_does_not_change_the_call_next_to_it() {
    let asks = ModelAnswer::new(vec![Block::from("my secret"), lookup()]);
    let mut bench = Bench::new([Line::answer(asks), Line::text("done")]);
    bench.app(rewords("***"));
    bench.turn().await;
    assert_eq!(bench.stored().await[1..3], [r#"assistant: *** | -> lookup({"id":"a"})"#, "tool: <- found a"]);
    assert_eq!(count(&bench, "the tool"), 1);
}

/// Adds a call without an id to the first reply. The second number counts the calls.
fn adds_a_call(asked: &std::sync::Arc<AtomicU32>) -> Hook {
    let asked = std::sync::Arc::clone(asked);
    Hook::at::<PostModelCall>("add").writer(move |_, _, reply: &mut ModelReply| {
        if asked.fetch_add(1, Ordering::SeqCst) == 0 {
            reply.content.push(Block::ToolUse(ToolCall::new("", "lookup", json!({ "id": "b" }))));
        }
    })
}

#[tokio::test]
async fn v26_a_call_that_a_hook_adds_gets_an_id_and_runs_once() {
    let mut bench = Bench::new([Line::answer(ModelAnswer::new(vec![lookup()])), Line::text("done")]);
    bench.app(adds_a_call(&std::sync::Arc::default()));
    let reply = bench.turn().await;
    let calls: Vec<_> = reply.messages.iter().flat_map(Message::tool_calls).map(|call| call.id.as_str()).collect();
    assert!(matches!(calls[..], ["1", added] if !added.is_empty() && added != "1"), "{calls:?}");
    assert_eq!(bench.stored().await[2..4], ["tool: <- found a", "tool: <- found b"]);
    assert_eq!(count(&bench, "the tool"), 2, "each runs once");
}

#[tokio::test]
async fn v28_v29_the_provider_gets_the_system_prompt_and_the_route_that_hooks_set() {
    for (routed, cleared, expected) in [(false, false, "main"), (true, false, "small"), (true, true, "main")] {
        let mut bench = Bench::new([Line::text("hello")]);
        bench.app(Hook::at::<PreModelCall>("edit").writer(move |_, _, request: &mut ModelRequest| {
            request.system_prompt.push_str(" In rhyme.");
            request.profile = routed.then(|| "small".to_owned());
        }));
        bench.app(Hook::at::<PreModelCall>("route").writer(move |_, _, request: &mut ModelRequest| {
            request.profile = request.profile.take().filter(|_| !cleared);
        }));
        let small = std::sync::Arc::clone(&bench.model);
        bench.session(bench.harness().shared_model("small", small)).await.turn(None, "hi").await;
        let calls = bench.model.heard();
        let got: Vec<_> = calls.iter().map(|call| (call.profile.as_str(), call.system_prompt.as_str())).collect();
        assert_eq!(got, [(expected, "Be brief. In rhyme.")]);
    }
}

#[tokio::test]
async fn v31_a_call_that_a_hook_adds_to_a_cut_reply_is_neither_run_nor_stored() {
    let mut bench = Bench::new([Line::answer(ModelAnswer::text("so it").stop_reason("max_tokens"))]);
    let asked = std::sync::Arc::default();
    bench.app(adds_a_call(&asked));
    bench.turn().await;
    assert_eq!(bench.stored().await, ["user: hi", "assistant: so it"]);
    assert_eq!((count(&bench, "the tool"), asked.load(Ordering::SeqCst)), (0, 1), "the hook was asked once");
}

/// Continues whenever possible.
fn continues() -> Hook {
    Hook::at::<PostModelCall>("again").reader(|_, event: &PostModelCall, _| match event.call_site.as_str() {
        "main" => ReplyVerdict::Continue,
        _ => ReplyVerdict::NoOpinion,
    })
}

#[tokio::test]
async fn v34_continuing_after_text_was_shown_has_no_effect() {
    let mut bench = Bench::new([Line::text("so it is").streamed(), Line::text("never")]);
    bench.app(continues());
    let reply = bench.turn().await;
    assert_eq!((reply.to_string().as_str(), reply.iterations, bench.model.heard().len()), ("so it is", 1, 1));
}

#[tokio::test]
async fn v35_a_rejected_call_is_retried_with_the_repaired_messages_and_no_error_is_reported() {
    let mut bench = Bench::new([Line::error(ModelError::Rejected("too rude".into())), Line::text("hello")]);
    bench.app(Hook::at::<PostModelCall>("repair").writer(|_, event: &PostModelCall, reply: &mut ModelReply| {
        if event.error.is_none() {
            return ReplyVerdict::NoOpinion;
        }
        reply.messages = vec![Message::new(Role::User, "hi, please")].into();
        ReplyVerdict::Continue
    }));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert!(matches!(reply.outcome, Outcome::Answered(_)), "{reply:?}");
    let sent: Vec<_> = bench.model.heard().iter().map(|call| call.messages[0].text().into_owned()).collect();
    assert_eq!(sent, ["hi", "hi, please"]);
    assert!(events.iter().all(|event| !matches!(event, TurnEvent::Retrying { .. })), "{events:?}");
}

#[tokio::test]
async fn v38_a_changed_system_prompt_is_reported_for_every_hook_and_call_site_and_an_equal_one_is_not() {
    let writer = |site: &'static str| {
        Hook::at::<PreModelCall>("edit")
            .writer(|_, _, request: &mut ModelRequest| {
                request.system_prompt.push_str(" In rhyme.");
            })
            .only("call_site", site)
    };
    let replacer = |site: &'static str| {
        Hook::at::<PreModelCall>("edit")
            .replacer(|_, event: &PreModelCall, request: ModelRequest| {
                let prompt = format!("{} Call: {}", request.system_prompt, event.call_site);
                let mut request = request;
                request.system_prompt = prompt;
                request
            })
            .only("call_site", site)
    };
    let equal = Hook::at::<PreModelCall>("edit").writer(|_, _, request: &mut ModelRequest| {
        request.system_prompt = request.system_prompt.clone();
    });
    // A turn with a summary of old messages, and then the call itself.
    for (hook, changed) in [
        (writer("main"), 1),
        (writer("compaction"), 1),
        (writer("*"), 2),
        (replacer("main"), 1),
        (replacer("compaction"), 1),
        (equal, 0),
    ] {
        let mut bench = Bench::new([Line::text("summary"), Line::text("hello")]);
        let old = |i: usize| Message::new([Role::User, Role::Assistant][i % 2], format!("message {i}"));
        bench.store.append("c", (0..8).map(old).collect()).await.unwrap();
        bench.app(hook);
        let harness = bench.harness().window(Window::new(1_000).compact_at(60));
        let (_, events) = turn_with_events(&bench.session(harness).await, "hi").await;
        assert_eq!(bench.model.heard().len(), 2);
        assert_eq!(events.iter().filter(|event| **event == TurnEvent::SystemPromptChanged).count(), changed);
    }
}

#[tokio::test]
async fn v46_the_model_reads_the_coaching_of_a_hook_three_times() {
    let calls = (0..5).map(|i| Line::call("1", "breaks", json!({ "try": i }))).chain([Line::text("sorry")]);
    let mut bench = Bench::new(calls);
    let failed = AtomicU32::new(0);
    bench.app(Hook::at::<AfterToolCallFailure>("coach").writer(move |_, _, result: &mut ToolResult| {
        if failed.fetch_add(1, Ordering::SeqCst) < 3 {
            result.add_context("try another input");
        }
    }));
    bench.turn().await;
    let coached = |messages: &Messages| messages.iter().filter(|message| message.text().contains("another")).count();
    let heard: Vec<_> = bench.model.heard().iter().map(|call| coached(&call.messages)).collect();
    assert_eq!(heard, [0, 1, 2, 3, 3, 3]);
}

#[tokio::test]
async fn a31_a_denied_call_does_not_run_and_one_refusal_is_reported() {
    let mut bench = Bench::new([Line::answer(ModelAnswer::new(vec![lookup()])), Line::text("then not")]);
    bench.app(Hook::at::<BeforeToolCall>("no").reader(|_, _, _| Permission::deny("never")));
    let harness =
        bench.harness().approver(|_: &ApprovalRequest| -> Approval { panic!("nobody is asked about a refusal") });
    let (_, events) = turn_with_events(&bench.session(harness).await, "hi").await;
    let finished: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::ToolStarted(call) => Some(format!("{} runs", call.name)),
            TurnEvent::ToolFinished { call, result, .. } => Some(format!("{}: {}", call.name, result.text())),
            _ => None,
        })
        .collect();
    assert_eq!(finished, ["lookup: Denied: never"]);
    assert_eq!(count(&bench, "the tool"), 0);
}
