use hooks_core::kinds::PreToolMaterialization;
use hooks_core::prelude::*;

use crate::policy::{DOMAIN, Policy};
use crate::tools::{FORGET, REMEMBER};

/// Adds the tools that change notes, where notes may be changed. Where they are not added, the loop has no such tool,
/// whatever the model asks for.
#[hook(id = "memory_tools", kind = pre_tool_materialization)]
pub fn memory_tools(event: &PreToolMaterialization) -> Option<Contribution> {
    let write = Policy::in_force(&event.contributions).write;
    write.then(|| Contribution::tool_bundle(DOMAIN, [REMEMBER, FORGET]))
}
