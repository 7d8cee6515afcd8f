use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{ToolCall, ToolInput};
use crate::verdict::Permission;

/// Fires before a tool runs: hooks may rewrite its input and decide whether it may run.
///
/// Nothing of the call but its input can be rewritten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_tool_call", subject = ToolInput, verdict = Permission, match(tool = call.name), json)]
#[non_exhaustive]
pub struct BeforeToolCall {
    /// The call as the model asked for it.
    pub call: ToolCall,
}

impl BeforeToolCall {
    /// The model asks for `call`.
    pub fn new(call: ToolCall) -> Self {
        Self { call }
    }
}
