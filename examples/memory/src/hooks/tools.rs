use hook_sdk::kinds::PreToolMaterialization;
use hook_sdk::prelude::*;
use hook_sdk::verdict::ToolDeclaration;
use serde_json::json;

use crate::policy::{DOMAIN, Policy};
use crate::tools::{FORGET, REMEMBER, forgets};

/// Declares the tools that change notes, if notes may be changed. Otherwise the loop does not have these tools,
/// whatever the model calls.
///
/// If notes were recalled, the model can only forget one of these, so it does not have to guess a name.
#[hook(id = "memory_tools", kind = pre_tool_materialization)]
pub fn memory_tools(event: &PreToolMaterialization) -> Option<Contribution> {
    if !Policy::in_force(&event.contributions).write {
        return None;
    }
    let recalled = event.contributions.prompt_context();
    let keys: Vec<&str> =
        recalled.entries.iter().filter(|entry| entry.domain == DOMAIN).map(|entry| &*entry.id).collect();
    let forget = ToolDeclaration::new(FORGET);
    let forget = if keys.is_empty() { forget } else { forget.schema(forgets(&json!({ "enum": keys }))) };
    Some(Contribution::tool_bundle(DOMAIN, [REMEMBER.into(), forget]))
}
