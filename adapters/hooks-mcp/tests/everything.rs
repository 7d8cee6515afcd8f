//! A server with a tool for each thing that a guard has to carry.

use std::sync::Arc;
use std::time::Duration;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, json};

#[derive(Clone, Debug)]
pub(crate) struct Everything;

const TOOLS: &[&str] =
    &["add", "delete", "diary", "echo", "embedded", "fail", "large", "refuse", "progress", "slow", "structured"];

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(|name| Tool::new(*name, "A tool of a test", Arc::new(Map::new())));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = json!(request.arguments);
        let text = arguments["text"].as_str().unwrap_or_default();
        let said = |text: &str| CallToolResult::success(vec![ContentBlock::text(text)]);
        let result = match &*request.name {
            "add" => {
                let sum = arguments["a"].as_i64().unwrap_or_default() + arguments["b"].as_i64().unwrap_or_default();
                CallToolResult::structured(json!({"sum": sum}))
            }
            "echo" | "delete" | "diary" => said(text),
            "embedded" => CallToolResult::success(vec![
                ContentBlock::image("aGFsbG8=", "image/png"),
                ContentBlock::embedded_text("file:///note", text),
            ]),
            "structured" => {
                let mut result = said("see the structure");
                result.structured_content = Some(json!({"key": text, "list": [1, 2.5, null]}));
                result
            }
            "fail" => CallToolResult::error(vec![ContentBlock::text(format!("failed: {text}"))]),
            "refuse" => return Err(ErrorData::invalid_params(format!("refused: {text}"), Some(json!({"at": text})))),
            "large" => said(&text.repeat(10 << 20)),
            "progress" => {
                if let Some(token) = cx.meta.get_progress_token() {
                    let _ = cx.peer.notify_progress(ProgressNotificationParam::new(token, 1.0)).await;
                }
                said("done")
            }
            "slow" => {
                tokio::select! {
                    () = cx.ct.cancelled() => {}
                    () = tokio::time::sleep(Duration::from_secs(60)) => {}
                }
                said("cancelled")
            }
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(result.into())
    }
}
