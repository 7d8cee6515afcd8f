use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{ToolCall, ToolInfo, ToolInput};
use crate::verdict::Permission;

/// Fires before a tool runs: hooks may rewrite its input and decide whether it may run.
///
/// Hooks can rewrite only the input of the call, not its id or name.
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
    /// The call as the model requested it.
    pub call: ToolCall,
    /// What the harness knows of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<ToolInfo>,
}

/// Fires after a hook at `before_tool_call` answered *ask* or *defer*, before a person is asked: hooks may answer in
/// the person's place.
///
/// An allow lets the call run with the input that the hooks leave. If they changed the input, the hooks at
/// `before_tool_call` judge it again. A deny refuses the call. An answer is its result. Every other verdict leaves the decision
/// to the person.
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
    /// The call as the model requested it.
    pub call: ToolCall,
    /// Why the hook at `before_tool_call` did not decide.
    #[serde(default)]
    pub reason: String,
    /// Whether that hook answered *defer* instead of *ask*.
    #[serde(default)]
    pub deferred: bool,
}
