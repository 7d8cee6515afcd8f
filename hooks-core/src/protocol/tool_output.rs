//! What a closure that runs a tool may return.

use std::fmt::Display;

use serde_json::Value;

use crate::data::ToolResult;
use crate::tables::converts;

/// The output of a tool: text, JSON, a [`ToolResult`], or a `Result` of one of them. An error becomes the text of a
/// failed result.
pub trait IntoToolResult {
    /// The result for the model.
    fn into_tool_result(self) -> ToolResult;
}

converts!(IntoToolResult::into_tool_result -> ToolResult {
    ToolResult => |result| result,
    String => |text| ToolResult::new(text),
    &str => |text| ToolResult::new(text),
    Value => |json| ToolResult::new(json.to_string()),
});

impl<T: IntoToolResult, E: Display> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> ToolResult {
        match self {
            Ok(output) => output.into_tool_result(),
            Err(error) => ToolResult::error(error.to_string()),
        }
    }
}
