//! An agent of rig that adds, and a guard in it. A scripted model stands in for a provider.
//!
//! `cargo run --example guard`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

use std::error::Error;

use hook_sdk::prelude::*;
use hooks_rig::RigHooks;
use rig_agent::agent::AgentBuilder;
use rig_agent::test_utils::{MockAddTool as Add, MockCompletionModel, MockTurn};
use serde_json::json;

#[hook(id = "small_sums", kind = before_tool_call, tool = "add")]
fn small_sums(input: &ToolInput) -> Permission {
    match (input["x"].as_i64(), input["y"].as_i64()) {
        (Some(x), Some(y)) if x.checked_add(y).is_some_and(|sum| sum <= 100) => Permission::Allow,
        _ => Permission::deny("sums above 100 need a person"),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("call_1", "add", json!({"x": 99, "y": 2})),
        MockTurn::text("I may not add that."),
    ]);
    let script = model.clone();

    // ANCHOR: agent
    let agent = AgentDef::from_json("agent.json", r#"{ "name": "sums", "hooks": ["small_sums"] }"#)?;
    let hooks = Registry::discover()?.scope(&agent, None)?;
    let agent = AgentBuilder::new(model)
        .preamble("You add.")
        .tool(Add)
        .add_hook(RigHooks::new(hooks)) // the new line, added last
        .build();
    // ANCHOR_END: agent

    let response = agent.prompt("What is 99 + 2?").max_turns(3).await?;
    println!("the model reads: {}", serde_json::to_string(&script.requests()[1].chat_history.last())?);
    println!("{}", response.output());
    Ok(())
}
