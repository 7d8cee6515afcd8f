//! Claude Code.

mod table;

use serde_json::{Value, json};

pub(super) use table::PERMISSION;
use table::TABLE;

use super::nested::{self, Before};
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::{Foreign, Host};
use crate::shape;
use crate::table::HostTable;
use crate::verdict::HostVerdict;

#[derive(Debug)]
pub(super) struct Claude;

impl Host for Claude {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        nested::mcp(tool)
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        HostAnswer::json(match event.kind {
            HookPoint::BeforeToolCall => nested::before(event, verdict, Before::default()),
            HookPoint::PermissionRequest => nested::permission(event, verdict),
            HookPoint::AfterToolCallSuccess => after(event, verdict),
            HookPoint::SessionStart => nested::session(event, verdict),
            _ => nested::block(event, verdict),
        })
    }

    /// What the payload shows counts: a variable of the environment may have come from a terminal within another host.
    fn foreign(&self, payload: &Value, env: &dyn Fn(&str) -> bool) -> Option<Foreign> {
        if payload.get("cursor_version").is_some() {
            return Some(Foreign::Silent("cursor"));
        }
        if payload.get("timestamp").is_none() || payload.get("permission_mode").is_some() {
            return None;
        }
        if env("COPILOT_CLI") {
            return Some(Foreign::As("copilot"));
        }
        let tool = payload.get("tool_name").and_then(Value::as_str);
        let ours = |name: &str| nested::mcp(name).is_some() || TABLE.tools.iter().any(|tool| tool.name == name);
        (!tool.is_some_and(ours)).then_some(Foreign::As("vscode"))
    }
}

/// After a call. A replaced result keeps the form of the tool's own, or Claude Code ignores it.
fn after(event: &HostEvent, verdict: &HostVerdict) -> Value {
    let mut answer = nested::block(event, verdict);
    if let Some(result) = &verdict.result {
        let shaped = match (result, &event.result) {
            (Value::String(text), Some(original)) => shape::replaced(original, text),
            (result, _) => result.clone(),
        };
        if answer.get("hookSpecificOutput").is_none() {
            answer["hookSpecificOutput"] = json!({ "hookEventName": event.host_event });
        }
        answer["hookSpecificOutput"]["updatedToolOutput"] = shaped;
    }
    answer
}
