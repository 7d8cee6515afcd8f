use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shared::shared;
use crate::tables::setters;

shared! {
    /// What a harness knows of a tool: its schema, where it comes from, and what its author says about it.
    ///
    /// ```
    /// use hook_sdk::prelude::*;
    /// use hook_sdk::kinds::*;
    ///
    /// #[hook(kind = before_tool_call)]
    /// fn ask_before_it_destroys(event: &BeforeToolCall) -> Permission {
    ///     match event.info.as_ref().and_then(|info| info.destructive) {
    ///         Some(false) => Permission::NoOpinion,
    ///         _ => Permission::ask("this tool may destroy something"),
    ///     }
    /// }
    /// ```
    ToolInfo(ToolInfoData)
}

/// The data of a [`ToolInfo`]. A flag that nobody set is `None`: unknown is not "no". The author of a tool sets the
/// flags, so trust them as far as that author.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolInfoData {
    /// The JSON Schema of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The MCP server of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether the tool changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether the tool may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Whether running it twice has the same effect as running it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// Whether it reaches other systems, such as the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

setters!(ToolInfo {
    /// Sets the JSON Schema of the input.
    schema: Value => Some,
    /// Sets the MCP server of the tool.
    server: impl Into<String> => Some,
    /// Sets whether the tool changes nothing.
    read_only: bool => Some,
    /// Sets whether the tool may destroy something.
    destructive: bool => Some,
    /// Sets whether running it twice has the same effect as running it once.
    idempotent: bool => Some,
    /// Sets whether it reaches other systems.
    open_world: bool => Some,
});
