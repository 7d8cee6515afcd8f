//! The types of rmcp as JSON.

use std::fmt::Display;

use hook_sdk::data::ToolResult;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::content::written;
use crate::guard::{McpCall, ServerAnswer};

pub(crate) fn call(params: &CallToolRequestParams) -> McpCall {
    McpCall::new(params.name.as_ref()).arguments(params.arguments.clone())
}

/// What a server said.
pub(crate) fn answer<T: Serialize, E: Display>(original: Result<T, E>) -> ServerAnswer<Result<T, E>> {
    let result = match original.as_ref().map(serde_json::to_value) {
        Ok(Ok(Value::Object(result))) => Ok(result),
        Ok(Ok(other)) => Err(format!("the server answered with {other}")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    ServerAnswer { original, result }
}

/// The result of a call. Hooks may leave content that is none of MCP.
pub(crate) fn result(json: Map<String, Value>) -> CallToolResult {
    let read = serde_json::from_value(Value::Object(json));
    read.unwrap_or_else(|error| {
        let text = format!("Withheld: hooks left content that is none of MCP: {error}");
        let json = written(None, &ToolResult::error(text));
        serde_json::from_value(Value::Object(json)).unwrap_or_default()
    })
}
