//! The steps of a turn: whoever calls them cannot forget an answer of a hook.

mod cancellation;
mod model_call;
mod tool_call;
mod turn;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::CancellationToken;
use hook_sdk::data::{Block, ModelAnswer, ToolInfo};
use hook_sdk::hook::OnFailure;
use hook_sdk::protocol::{Approval, NextStep, StepError, StepErrorKind, ToolQuestion};
use serde_json::json;

use super::support::*;

fn call() -> ToolCall {
    ToolCall::new("call_1", "pay", json!({ "cents": 900 }))
}

fn gate(id: &str, answer: impl Fn(&ToolInput) -> Permission + Send + Sync + 'static) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(move |_, _, input: &ToolInput| answer(input))
}

fn halts<T>() -> Result<T, Halt> {
    Err(Halt::new("enough"))
}

fn asks() -> Hook {
    gate("asks", |_| Permission::ask("sure?"))
}

#[tokio::test]
async fn the_steps_of_a_turn_can_be_spawned() {
    let hooks = set([asks()]);
    let ran = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&ran);
    let task = tokio::spawn(async move {
        let (cx, call) = (cx(), call());
        let asked = AtomicU32::new(0);
        let step = hooks.tool_call(&cx, &call).ask(async |question: ToolQuestion| {
            tokio::task::yield_now().await;
            asked.fetch_add(1, Ordering::Relaxed);
            question.question.reason.as_str() == "sure?"
        });
        let result = step
            .run(async |input| {
                tokio::task::yield_now().await;
                log.lock().unwrap().push(input["cents"].as_u64());
                Ok::<_, String>("paid")
            })
            .await?;
        let mut messages = Messages::default();
        let mut stored = Vec::new();
        hooks.store(&cx, Message::new(Role::User, "hello"), async |row| stored.push(row)).await?;
        hooks.prompt(&cx, "hello", &messages).store(async |row| stored.push(row)).await?;
        let model = async |_, messages: Messages| {
            tokio::task::yield_now().await;
            format!("{} messages", messages.len())
        };
        let reply = hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages).run(model).await?;
        let _next = hooks.stop(&cx, reply, &mut 0).store(async |row| stored.push(row)).await?;
        Ok::<_, StepError>((result, asked.into_inner(), stored.len()))
    });
    let (result, asked, stored) = task.await.unwrap().unwrap();
    assert_eq!((&*result.text(), asked, stored), ("paid", 1, 3));
    assert_eq!(*ran.lock().unwrap(), [Some(900)]);
}
