//! `deny_secrets`: no secret leaves in the arguments of a tool.

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use serde_json::Value;
use wildmatch::WildMatch;

use super::MaskSecrets;
use crate::json;
use crate::parameters::{Fields, from_fields, patterns};

/// The parameters of `deny_secrets`.
#[derive(Clone, Debug)]
pub struct DenySecrets {
    tools: Vec<WildMatch>,
    secrets: MaskSecrets,
}

from_fields!(DenySecrets, |fields: &mut Fields| DenySecrets {
    tools: patterns(fields, "tools", &["*"]),
    secrets: MaskSecrets::read(fields),
});

impl DenySecrets {
    /// Denies a call whose arguments contain secrets.
    ///
    /// # Errors
    /// Where they are. The secrets themselves are not in it.
    pub fn judge(&self, tool: &str, input: &Value) -> Result<(), String> {
        if !self.tools.iter().any(|pattern| pattern.matches(tool)) {
            return Ok(());
        }
        let places = json::places(input, &mut |name, text| self.secrets.edit(name, text));
        match places.len() {
            0 => Ok(()),
            count => Err(format!(
                "expected no secrets in the arguments of `{tool}`, and found {count} at `{}`; refer to them by name",
                places.join("`, `")
            )),
        }
    }
}

/// Denies calls whose arguments contain keys, tokens or passwords.
#[hook(kind = before_tool_call)]
pub fn deny_secrets(secrets: &With<DenySecrets>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    secrets.judge(&event.call.name, input).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
