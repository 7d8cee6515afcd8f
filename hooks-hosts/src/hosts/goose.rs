//! goose.

mod table;

use serde_json::{Value, json};

use table::TABLE;

use super::nested;
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Goose;

impl Host for Goose {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        nested::separated(tool).filter(|_| !TABLE.tools.iter().any(|spec| spec.name.eq_ignore_ascii_case(tool)))
    }

    /// An empty object counts as a hook that failed.
    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        match (&verdict.decision, event.kind) {
            (HostDecision::Deny(reason) | HostDecision::KeepGoing(reason), _) => self.refuse(reason),
            (_, HookPoint::BeforeToolCall | HookPoint::Stop) => HostAnswer::json(json!({ "decision": "allow" })),
            _ => HostAnswer::silent(),
        }
    }

    fn refuse(&self, reason: &str) -> HostAnswer {
        HostAnswer::json(json!({ "decision": "block", "reason": reason }))
    }
}
