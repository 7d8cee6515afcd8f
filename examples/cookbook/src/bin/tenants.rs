//! One program for many tenants: each has its own agent, parameters and data, and a guard of the operator holds for all.
//!
//! `cargo run -p cookbook --bin tenants`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: hooks
use std::error::Error;

use hook_sdk::prelude::*;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::{Harness, TurnEvent};
use serde::Deserialize;
use serde_json::json;

/// The tenant of a session. Tools read it from the context, never from what the model wrote.
struct Tenant(&'static str);

#[derive(Deserialize)]
struct Refund {
    cents: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)] // a misspelt parameter is an error of the tenant's file
struct Limit {
    cents: u64,
}

/// The tenant's own limit, a parameter in its agent file.
#[hook(id = "limit_refunds", kind = before_tool_call, tool = "refund")]
fn limit_refunds(limit: &With<Limit>, input: &ToolInput) -> Permission {
    match input.read::<Refund>() {
        Ok(refund) if refund.cents <= limit.cents => Permission::Allow,
        Ok(_) => Permission::deny(format!("refunds above {} cents need a person", limit.cents)),
        Err(error) => Permission::deny(error),
    }
}

/// The operator's rule, in the app's list: a session without a tenant runs no tool at all.
#[hook(id = "need_tenant", kind = before_tool_call, locked)]
fn need_tenant(cx: &HookContext) -> Permission {
    match cx.state::<Tenant>() {
        Ok(_) => Permission::NoOpinion,
        Err(_) => Permission::deny("this session belongs to no tenant"),
    }
}

const NORTH: &str = r#"{ "name": "north", "hooks": [{ "id": "limit_refunds", "with": { "cents": 5000 } }] }"#;
const SOUTH: &str = r#"{ "name": "south", "hooks": [{ "id": "limit_refunds", "with": { "cents": 100 } }] }"#;
// ANCHOR_END: hooks

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::discover()?;
    registry.set_app(AppDef::new("desk").hooks(hooks![need_tenant]));

    let refund = FnTool::new(ToolSpec::new("refund"), |cx, input| {
        let tenant = cx.state::<Tenant>().map_err(|error| ToolError::new(error.to_string()))?.0;
        let refund: Refund = input.read().map_err(|error| ToolError::new(error.to_string()))?;
        Ok(format!("{} cents paid by {tenant}", refund.cents))
    });
    let call = |id: &str| [Line::call(id, "refund", json!({ "cents": 900 })), Line::text("Done.")];
    let model = Scripted::new(["1", "2", "3"].into_iter().flat_map(call));
    let harness = Harness::builder(registry).model("main", model).tool(refund).build()?;

    let sessions = [
        ("north", harness.session("north:c-1", AgentDef::from_json("north.json", NORTH)?).state(Tenant("north"))),
        ("south", harness.session("south:c-1", AgentDef::from_json("south.json", SOUTH)?).state(Tenant("south"))),
        ("nobody", harness.session("c-1", AgentDef::from_json("north.json", NORTH)?)),
    ];
    for (name, opening) in sessions {
        let session = opening.open().await?;
        let mut turn = session.turn(None, "refund 9.00 please");
        while let Some(event) = turn.next().await {
            if let TurnEvent::ToolFinished { result, .. } = event {
                println!("{name}: {}", result.text());
            }
        }
    }
    Ok(())
}
