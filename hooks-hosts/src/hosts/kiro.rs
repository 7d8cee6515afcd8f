//! Kiro.

mod table;

use std::time::Duration;

use serde_json::{Value, json};

use table::TABLE;

use crate::answer::{HostAnswer, Stdout};
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Kiro;

impl Host for Kiro {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        let (server, tool) = tool.strip_prefix('@')?.split_once('/')?;
        Some(McpName { server: Some(server.to_owned()), tool: tool.to_owned() })
    }

    fn complete(&self, event: &mut HostEvent) {
        let failed = event.result.as_ref().and_then(|result| result.get("success")) == Some(&Value::Bool(false));
        if event.kind.is_after_tool() && failed {
            event.kind = HookPoint::AfterToolCallFailure;
        }
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        match (&verdict.decision, event.kind) {
            (HostDecision::Deny(reason), _) => HostAnswer::exit_2(reason),
            // The reason has no place.
            (HostDecision::Ask(_), _) => {
                HostAnswer::json(json!({ "hookSpecificOutput": { "permissionDecision": "ask" } }))
            }
            (HostDecision::KeepGoing(reason), _) => HostAnswer::json(json!({ "decision": "block", "reason": reason })),
            (_, HookPoint::UserPromptSubmit | HookPoint::SessionStart) => match verdict.context() {
                Some(text) => HostAnswer { stdout: Stdout::Text(text), ..HostAnswer::default() },
                None => HostAnswer::silent(),
            },
            _ => HostAnswer::silent(),
        }
    }

    /// The engine V2 waits for ten seconds.
    fn deadline(&self, event: &str) -> Duration {
        Duration::from_secs(if event.starts_with(char::is_uppercase) { 16 } else { 8 })
    }
}
