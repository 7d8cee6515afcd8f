//! Droid.

mod table;

use serde_json::Value;

use table::TABLE;

use super::nested::{self, Before};
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Droid;

impl Host for Droid {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        nested::mcp(tool)
    }

    /// A failed command is a result like others; its last line has the exit code.
    fn complete(&self, event: &mut HostEvent) {
        let text = event.result.as_ref().and_then(Value::as_str).unwrap_or_default();
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        let code = last.strip_prefix("[Process exited with code ").and_then(|rest| rest.strip_suffix(']'));
        event.exit_code = code.and_then(|code| code.trim().parse().ok());
        if event.exit_code.is_some_and(|code| code != 0) {
            event.kind = HookPoint::AfterToolCallFailure;
        }
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        const BEFORE: Before = Before { input_needs_allow: true, allow_has_reason: true, denial_alone: false };
        // Only an exit status stops a compaction.
        if let (HookPoint::BeforeCompaction, HostDecision::Deny(reason)) = (event.kind, &verdict.decision) {
            return HostAnswer::exit_2(reason);
        }
        HostAnswer::json(match event.kind {
            HookPoint::BeforeToolCall => nested::before(event, verdict, BEFORE),
            _ => nested::block(event, verdict),
        })
    }
}
