//! A loop of your own with the types of async-openai, and a guard around its tools.

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

use std::error::Error;

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionRequestMessage,
    ChatCompletionResponseMessage,
};
use hook_sdk::prelude::*;
use serde_json::json;

async fn refund(input: &ToolInput) -> Result<String, String> {
    tokio::task::yield_now().await;
    let cents = input["cents"].as_u64().ok_or("no cents")?;
    Ok(format!("{cents} cents paid"))
}

// ANCHOR: tool
/// A call of the model, if its guard allows it. `ask` asks the person.
async fn call(
    hooks: &HookSet,
    cx: &HookContext,
    call: &ChatCompletionMessageToolCall,
    ask: fn(&str) -> bool,
) -> Result<Vec<ChatCompletionRequestMessage>, Box<dyn Error + Send + Sync>> {
    let made = ToolCall::new(&call.id, &call.function.name, ToolInput::parse(&call.function.arguments));
    let step = hooks.tool_call(cx, &made).ask(async |question| ask(question.question.reason.as_str()));
    // `input` is what the guard judged: use it, not what the model wrote.
    let result = step.run(async |input| refund(&input).await).await?;
    // The result, and what hooks add for the model.
    let messages = Messages::from(result.into_messages(&made)).to_openai();
    Ok(messages.into_iter().map(serde_json::from_value).collect::<Result<_, _>>()?)
}
// ANCHOR_END: tool

/// Stands in for the model: it calls `refund` with these cents.
fn reply(cents: u64) -> ChatCompletionResponseMessage {
    let arguments = json!({ "cents": cents }).to_string();
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "refund", "arguments": arguments}});
    serde_json::from_value(json!({"role": "assistant", "content": null, "tool_calls": [call]})).unwrap_or_default()
}

async fn turn(hooks: &HookSet, cents: u64) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
    let mut read = Vec::new();
    for made in reply(cents).tool_calls.unwrap_or_default() {
        let ChatCompletionMessageToolCalls::Function(made) = made else { return Err("a custom call".into()) };
        for message in call(hooks, &HookContext::new(), &made, |_| false).await? {
            read.push(serde_json::to_value(&message)?["content"].to_string());
        }
    }
    Ok(read)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let hooks = guides::hooks()?;
    for cents in [900, 2_000, 9_900] {
        println!("{cents}: {}", turn(&hooks, cents).await?.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_guard_judges_each_call() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let hooks = guides::hooks()?;
        assert_eq!(super::turn(&hooks, 900).await?, [r#""900 cents paid""#]);
        assert_eq!(super::turn(&hooks, 2_000).await?, [r#""Denied: this refund needs a person. The person said no""#]);
        assert_eq!(super::turn(&hooks, 9_900).await?, [r#""Denied: refunds above 50.00 are not possible here""#]);
        Ok(())
    }
}
