//! Gemini CLI.

mod table;

use serde_json::{Map, Value, json};

use table::TABLE;
pub(super) use table::TOOLS;

use super::nested;
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::json;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Gemini;

impl Host for Gemini {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, _tool: &str, payload: &Value) -> Option<McpName> {
        let server = json::text(payload, &["/mcp_context/server_name"])?;
        let tool = json::text(payload, &["/mcp_context/tool_name"])?;
        Some(McpName { server: Some(server.to_owned()), tool: tool.to_owned() })
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        let mut fields = Map::new();
        if let Some(input) = &verdict.input {
            fields.insert("tool_input".to_owned(), input.clone());
        }
        if let Some(text) = verdict.context() {
            fields.insert("additionalContext".to_owned(), text.into());
        }
        let mut answer = nested::specific(event, fields);
        let mut put = |word: &str, reason: &str| {
            answer["decision"] = word.into();
            answer["reason"] = reason.into();
        };
        match (&verdict.decision, verdict.result_text()) {
            (HostDecision::Deny(reason) | HostDecision::KeepGoing(reason), _) => put("deny", reason),
            // The model reads an error with this text, and no result.
            (_, Some(text)) => put("deny", &text),
            (HostDecision::Ask(reason), _) if event.kind == HookPoint::BeforeToolCall => {
                put("ask", reason);
                answer["systemMessage"] = reason.clone().into();
            }
            _ => {}
        }
        HostAnswer::json(answer)
    }

    fn refuse(&self, reason: &str) -> HostAnswer {
        HostAnswer::json(json!({ "decision": "deny", "reason": reason }))
    }
}
