//! Async closures are models, tools and approvers; the events and the reply of a turn come from one call.

use hook_sdk::data::{Block, ToolCall};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::TurnEvent;
use hooks_agent::approve::AsyncApprover;
use hooks_agent::model::{Line, ModelAnswer, ModelCall, ModelError, Scripted};
use hooks_agent::tool::{AsyncTool, ToolError, ToolSpec};
use serde_json::json;

use super::bench::Bench;

#[tokio::test]
async fn closures_that_wait_are_models_tools_and_approvers() {
    for (cents, expected) in [(50, "paid 50"), (500, "Denied: a payment. The person said no")] {
        let model = move |call: ModelCall| async move {
            tokio::task::yield_now().await;
            let last = call.messages.last().ok_or_else(|| ModelError::Rejected("nothing to answer".to_owned()))?;
            let result = last.content.iter().find_map(|block| match block {
                Block::ToolResult(result) => result.content.first().and_then(Block::as_text).map(ModelAnswer::text),
                _ => None,
            });
            let pay = || ModelAnswer::new(vec![Block::ToolUse(ToolCall::new("1", "pay", json!({ "cents": cents })))]);
            Ok::<_, ModelError>(result.unwrap_or_else(pay))
        };
        let pay = AsyncTool::new(ToolSpec::new("pay"), async |cx: HookContext, input: ToolInput| {
            tokio::task::yield_now().await;
            let cents = input["cents"].as_u64().ok_or_else(|| ToolError::new("`cents` is missing"))?;
            assert_eq!(cx.agent(), Some("a"));
            Ok::<_, ToolError>(format!("paid {cents}"))
        });
        let approve = AsyncApprover::new(async |request| {
            tokio::task::yield_now().await;
            request.input["cents"].as_u64().is_some_and(|cents| cents < 100)
        });
        let mut bench = Bench::new([]);
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a payment")));
        let session = bench.session(bench.harness().model("main", model).tool(pay).approver(approve)).await;
        let (reply, events) = session.turn(None, "pay").finish().await;
        assert_eq!(reply.outcome.answer().map(|answer| answer.text().into_owned()).as_deref(), Some(expected));
        assert!(events.iter().any(|event| matches!(event, TurnEvent::ToolFinished { .. })), "{events:?}");
    }
}

#[tokio::test]
async fn a_closure_that_is_a_model_fails_as_a_model_does() {
    for (fails, retried) in [(true, true), (false, false)] {
        let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = std::sync::Arc::clone(&calls);
        let model = move |_: ModelCall| {
            let first = counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
            async move {
                match (first, fails) {
                    (true, true) => {
                        Err(Box::<dyn std::error::Error + Send + Sync>::from(ModelError::Unavailable("down".into())))
                    }
                    (true, false) => Err("no key".into()),
                    _ => Ok("hello"),
                }
            }
        };
        let bench = Bench::new([]);
        tokio::time::pause();
        let reply = bench.session(bench.harness().model("main", model)).await.turn(None, "hi").await;
        tokio::time::resume();
        assert_eq!(reply.outcome.answer().is_some(), retried, "{reply}");
        assert_eq!(reply.outcome.error().is_some(), !retried, "{reply}");
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 1 + usize::from(retried));
    }
}

#[tokio::test]
async fn a_scripted_model_can_yield_so_that_a_turn_can_be_cancelled_within_its_answer() {
    // More words than tokio runs tasks before it looks at the future that waits for them.
    let text = "word ".repeat(1_000);
    let model = Scripted::new([Line::text(text.as_str()).streamed()]).yielding();
    let bench = Bench::new([]);
    let session = bench.session(bench.harness().model("main", model)).await;
    let mut turn = session.turn(None, "hi");
    let cancellation = turn.cancellation();
    let mut shown = String::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Text(text) = event {
            shown.push_str(&text);
            cancellation.cancel();
        }
    }
    assert!(text.starts_with(&shown) && !shown.is_empty() && shown != text, "{} of {}", shown.len(), text.len());
}

#[cfg(feature = "schema")]
#[tokio::test]
async fn the_schema_and_the_description_of_a_tool_come_from_the_type_of_its_input() {
    use hooks_agent::tool::typed;

    /// Pays
    /// an amount.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Pay {
        /// In cents.
        cents: u64,
    }

    let pay = typed(ToolSpec::new("pay").idempotent(), async |_cx, pay: Pay| format!("paid {}", pay.cents));
    let lines = [json!({ "cents": 7 }), json!({ "cents": "all" })].map(|input| Line::call("1", "pay", input));
    let bench = Bench::new(lines.into_iter().chain([Line::text("done")]));
    let session = bench.session(bench.harness().tool(pay)).await;
    session.turn(None, "hi").await;
    let stored = bench.stored().await;
    assert_eq!(stored[2], "tool: <- paid 7");
    assert!(stored[4].contains("cents"), "{stored:?}");
    let heard = bench.model.heard();
    let spec = heard[0].tools.iter().find(|tool| tool.name == "pay").unwrap();
    assert_eq!((spec.description.as_str(), spec.idempotent), ("Pays\nan amount.", true));
    assert_eq!(spec.schema["properties"]["cents"]["description"], "In cents.");
    assert_eq!(
        (spec.schema.get("title"), spec.schema.get("$schema"), spec.schema.get("description")),
        (None, None, None)
    );
}
