//! A loop without a runtime, and a guard around its tools.

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

use std::error::Error;

use hook_sdk::prelude::*;
use hook_sdk::protocol::StepError;
use serde_json::{Value, json};

fn refund(input: &Value) -> Result<String, String> {
    let cents = input["cents"].as_u64().ok_or("no cents")?;
    Ok(format!("{cents} cents paid"))
}

// ANCHOR: tool
/// A call of the model, if its guard allows it. `ask` asks the person.
fn call(hooks: &HookSet, id: &str, name: &str, arguments: &str, ask: fn(&str) -> bool) -> Result<String, StepError> {
    let cx = HookContext::new();
    let call = ToolCall::new(id, name, ToolInput::parse(arguments));
    let step = hooks.tool_call(&cx, &call).ask_blocking(|question| ask(question.question.reason.as_str()));
    let result = step.run_blocking(|input| refund(&input))?;
    Ok(result.text().into_owned())
}
// ANCHOR_END: tool

fn turn(hooks: &HookSet, cents: &Value) -> Result<String, StepError> {
    call(hooks, "call_1", "refund", &json!({ "cents": cents }).to_string(), |_| true)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let hooks = guides::hooks()?;
    for cents in [json!(900), json!(2_000), json!(9_900), json!("lots")] {
        println!("{cents}: {}", turn(&hooks, &cents)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_guard_judges_each_call() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let hooks = guides::hooks()?;
        assert_eq!(super::turn(&hooks, &json!(2_000))?, "2000 cents paid");
        assert_eq!(super::turn(&hooks, &json!(9_900))?, "Denied: refunds above 50.00 are not possible here");
        assert!(super::turn(&hooks, &json!("lots"))?.starts_with("Denied: expected an object with `cents`"));
        Ok(())
    }
}
