//! Codex.

mod table;

use std::time::Duration;

use serde_json::{Value, json};

use table::TABLE;

use super::nested::{self, Before};
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Codex;

/// Codex ignores an answer with a key that it does not know, and lets the call go on.
impl Host for Codex {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        nested::mcp(tool)
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        const BEFORE: Before = Before { input_needs_allow: true, allow_has_reason: false, denial_alone: true };
        HostAnswer::json(match event.kind {
            HookPoint::BeforeToolCall => nested::before(event, verdict, BEFORE),
            HookPoint::PermissionRequest => nested::permission(event, verdict),
            HookPoint::SessionStart => nested::session(event, verdict),
            HookPoint::BeforeCompaction => match &verdict.decision {
                HostDecision::Deny(reason) => json!({ "continue": false, "stopReason": reason }),
                _ => json!({}),
            },
            _ => match (verdict.result_text(), &verdict.decision) {
                (Some(text), HostDecision::NoOpinion) => replaced(&text, verdict),
                (_, HostDecision::Deny(reason) | HostDecision::KeepGoing(reason)) => {
                    json!({ "decision": "block", "reason": joined(reason, verdict) })
                }
                _ => nested::context(event, verdict),
            },
        })
    }

    /// The end of a session is given a second.
    fn deadline(&self, event: &str) -> Duration {
        Duration::from_millis(if event == "SessionEnd" { 800 } else { 16_000 })
    }
}

/// `reason` stands in place of the result; `stopReason` is for the person.
fn replaced(text: &str, verdict: &HostVerdict) -> Value {
    let mut text = joined(text, verdict);
    if text.trim().is_empty() {
        "(a hook has removed the result)".clone_into(&mut text);
    }
    let why = verdict.reason.as_deref().unwrap_or("a hook has replaced the result of the tool");
    json!({ "continue": false, "stopReason": why, "reason": text })
}

/// A text and the contexts, which have no place of their own beside it.
fn joined(text: &str, verdict: &HostVerdict) -> String {
    std::iter::once(text).chain(verdict.contexts.iter().map(String::as_str)).collect::<Vec<_>>().join("\n\n")
}
