//! Windsurf.

mod table;

use serde_json::Value;

use table::TABLE;

use crate::answer::HostAnswer;
use crate::event::{HostEvent, McpName};
use crate::host::Host;
use crate::json;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Windsurf;

/// Only an exit status of 2 is heard, with the reason on standard error.
impl Host for Windsurf {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    /// The event names the tool.
    fn arranged(&self, event: &str, payload: &Value) -> Result<Value, String> {
        let mut payload = payload.clone();
        let Some(info) = payload.get("tool_info").cloned() else { return Ok(payload) };
        let (tool, input) = match event.trim_start_matches("pre_").trim_start_matches("post_") {
            "mcp_tool_use" => {
                let input = info.get("mcp_tool_arguments").cloned().unwrap_or(Value::Null);
                (info.get("mcp_tool_name").cloned().unwrap_or(Value::Null), input)
            }
            tool => (tool.into(), info),
        };
        payload["tool_name"] = tool;
        payload["tool_input"] = input;
        Ok(payload)
    }

    fn mcp(&self, tool: &str, payload: &Value) -> Option<McpName> {
        payload.pointer("/tool_info/mcp_tool_name")?;
        let server = json::text(payload, &["/tool_info/mcp_server_name"]).map(str::to_owned);
        Some(McpName { server, tool: tool.to_owned() })
    }

    fn write(&self, _event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        match &verdict.decision {
            HostDecision::Deny(reason) => HostAnswer::exit_2(reason),
            _ => HostAnswer::silent(),
        }
    }
}
