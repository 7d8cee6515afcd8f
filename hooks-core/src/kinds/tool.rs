use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{ToolCall, ToolInput};
use crate::verdict::Permission;

/// Fires before a tool runs: hooks may rewrite its input and decide whether it may run.
///
/// Nothing of the call but its input can be rewritten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "before_tool_call",
    subject = ToolInput,
    verdict = Permission,
    match(tool = call.name),
    new(call),
    json
)]
#[non_exhaustive]
pub struct BeforeToolCall {
    /// The call as the model asked for it.
    pub call: ToolCall,
}

/// Fires when a person is about to be asked about a call, because a hook at `before_tool_call` asked or put it off: hooks may
/// answer in the person's place.
///
/// An allow lets the call run, with the input that the hooks leave; where they changed it, the harness has the gates judge it
/// anew. A deny refuses it. Everything else leaves it to the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "permission_request",
    subject = ToolInput,
    verdict = Permission,
    match(tool = call.name),
    new(call),
    json
)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// Why the gate did not decide itself.
    #[serde(default)]
    pub reason: String,
    /// Whether the gate put it off (*defer*) rather than asked.
    #[serde(default)]
    pub deferred: bool,
}
