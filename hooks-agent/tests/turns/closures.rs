//! Async closures are models, tools and approvers; the events and the reply of a turn come from one call.

use hook_sdk::data::{Block, ToolCall};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::TurnEvent;
use hooks_agent::approve::AsyncApprover;
use hooks_agent::model::{ModelAnswer, ModelCall, ModelError};
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
