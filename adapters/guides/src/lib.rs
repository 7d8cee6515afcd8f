//! What the programs of the page "Guard an existing agent" share: the guard.

use std::error::Error;

use hook_sdk::prelude::*;
use serde::Deserialize;

// ANCHOR: guard
hook_sdk::fires![tool_call]; // what a loop with these hooks runs

#[derive(Deserialize)]
struct Refund {
    cents: u64,
}

/// Denies large refunds, asks about others, and denies arguments that it cannot read.
#[hook(kind = before_tool_call, tool = "refund | mcp__*__refund")]
fn limit_refunds(input: &ToolInput) -> Permission {
    match input.read::<Refund>() {
        Ok(refund) if refund.cents <= 1_000 => Permission::NoOpinion,
        Ok(refund) if refund.cents <= 5_000 => Permission::ask("this refund needs a person"),
        Ok(_) => Permission::deny("refunds above 50.00 are not possible here"),
        Err(error) => Permission::deny(error),
    }
}

/// The hooks of the agent `support`.
///
/// # Errors
/// Every mistake in the list.
pub fn hooks() -> Result<HookSet, Box<dyn Error + Send + Sync>> {
    let agent = AgentDef::from_json("agent.json", r#"{"name": "support", "hooks": ["limit_refunds"]}"#)?;
    let registry = Registry::discover()?;
    let hooks = registry.scope(&agent, None)?;
    // A guard that no list names, or that guards none of these tools, is an error too.
    registry.check([&hooks], &HarnessFacts::new().tools(["refund", "mcp__till__refund"]))?;
    Ok(hooks)
}
// ANCHOR_END: guard
