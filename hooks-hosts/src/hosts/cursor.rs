//! Cursor.

mod table;

use serde_json::{Map, Value, json};

use table::TABLE;

use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::json;
use crate::shape;
use crate::table::{Carried, Carries, HostTable};
use crate::verdict::{HostDecision, HostVerdict};

/// A longer text at a prompt is dropped.
const LONGEST_CONTEXT: usize = 10_000;

#[derive(Debug)]
pub(super) struct Cursor;

impl Host for Cursor {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    /// The events of one tool have its arguments beside everything else.
    fn arranged(&self, event: &str, payload: &Value) -> Result<Value, String> {
        let mut payload = payload.clone();
        let (tool, arguments): (&str, &[&str]) = match event {
            "beforeShellExecution" | "afterShellExecution" => ("Shell", &["command"]),
            "beforeReadFile" | "beforeTabFileRead" => ("Read", &["file_path", "content"]),
            "afterFileEdit" => ("Edit", &["file_path", "edits"]),
            _ => ("", &[]),
        };
        if !tool.is_empty() {
            let sent = |key: &&str| Some(((*key).to_owned(), payload.get(*key)?.clone()));
            let input: Map<String, Value> = arguments.iter().filter_map(sent).collect();
            payload["tool_name"] = tool.into();
            payload["tool_input"] = input.into();
        }
        for result in ["output", "result_json", "tool_output"] {
            if let Some(text) = payload.get(result).and_then(Value::as_str) {
                let parsed = json::parse(text.as_bytes()).ok().filter(|value| value.is_object() || value.is_array());
                payload["tool_output"] = parsed.unwrap_or_else(|| text.into());
            }
        }
        Ok(payload)
    }

    fn mcp(&self, tool: &str, payload: &Value) -> Option<McpName> {
        if let Some(tool) = tool.strip_prefix("MCP:") {
            return Some(McpName { server: None, tool: tool.to_owned() });
        }
        let server = json::text(payload, &["/mcp_server_name"]).map(str::to_owned);
        let is_mcp = json::text(payload, TABLE.keys.event).is_some_and(|event| event.contains("MCP"));
        (server.is_some() || is_mcp).then(|| McpName { server, tool: tool.to_owned() })
    }

    fn complete(&self, event: &mut HostEvent) {
        if event.kind == HookPoint::Stop {
            let loops = event.payload.get("loop_count").and_then(Value::as_u64);
            event.stop_hook_active = Some(loops.is_some_and(|loops| loops > 0));
        }
    }

    fn carries(&self, event: &HostEvent) -> Carries {
        let carries = TABLE.carries(&event.host_event);
        let replace = if event.is_mcp() { carries.replace } else { Carried::Impossible };
        if event.kind.is_after_tool() { Carries { replace, ..carries } } else { carries }
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        let mut answer = Map::new();
        let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        match (&verdict.decision, event.kind) {
            (HostDecision::Deny(reason), HookPoint::BeforeToolCall) => {
                put("permission", "deny".into());
                put("user_message", reason.clone().into());
                if event.host_event != "beforeReadFile" && event.host_event != "beforeTabFileRead" {
                    put("agent_message", reason.clone().into());
                }
            }
            (HostDecision::Allow, HookPoint::BeforeToolCall) => {
                put("permission", "allow".into());
            }
            (HostDecision::Deny(reason), _) => {
                put("continue", false.into());
                put("user_message", reason.clone().into());
            }
            (HostDecision::KeepGoing(reason), _) => {
                put("followup_message", reason.clone().into());
            }
            _ => {}
        }
        if let Some(input) = &verdict.input {
            put("updated_input", input.clone());
        }
        if let Some(result) = &verdict.result {
            let shaped = match (result, &event.result) {
                (Value::String(text), Some(original)) => shape::replaced(original, text),
                (result, _) => result.clone(),
            };
            put("updated_mcp_tool_output", shaped);
        }
        if let Some(text) = verdict.context() {
            put("additional_context", text.chars().take(LONGEST_CONTEXT).collect::<String>().into());
        }
        HostAnswer::json(Value::Object(answer))
    }

    fn refuse(&self, reason: &str) -> HostAnswer {
        let answer = json!({
            "permission": "deny", "continue": false, "user_message": reason, "agent_message": reason,
        });
        HostAnswer { exit: 2, stderr: Some(reason.to_owned()), ..HostAnswer::json(answer) }
    }
}
