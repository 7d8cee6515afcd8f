//! What stands in for a model and a payment service in the recipes.

use hook_sdk::data::{Block, Message};
use hook_sdk::hook::BoxFuture;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::tool::{FnTool, Tool, ToolError, ToolSpec};
use serde_json::json;

/// Asks for the refund that the customer names, and reports the result.
#[derive(Debug)]
pub struct Clerk;

impl Model for Clerk {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async {
            let asked = |message: &Message| message.text().split(' ').find_map(|word| word.parse::<u64>().ok());
            let result = |block: &Block| match block {
                Block::ToolResult(result) => result.content.iter().find_map(Block::as_text).map(str::to_owned),
                _ => None,
            };
            let said = call.messages.iter().rev();
            let mut found = said.map(|message| (message.content.iter().find_map(result), asked(message)));
            Ok(match found.find(|(result, cents)| result.is_some() || cents.is_some()) {
                Some((Some(result), _)) => ModelAnswer::text(result),
                Some((None, Some(cents))) => {
                    let refund = ToolCall::new(format!("call_{}", call.turn), "refund", json!({ "cents": cents }));
                    ModelAnswer::new(vec![Block::ToolUse(refund)])
                }
                _ => ModelAnswer::text("How much do you want back?"),
            })
        })
    }
}

/// Pays back the `cents` of its input, and prints that.
#[allow(clippy::print_stdout, reason = "a program that shows what it does")]
pub fn refund() -> impl Tool {
    FnTool::new(ToolSpec::new("refund"), |_cx, input| {
        let cents = input.get("cents").ok_or_else(|| ToolError::new("no `cents`"))?;
        println!("paid {cents} cents");
        Ok(format!("{cents} cents paid"))
    })
}
