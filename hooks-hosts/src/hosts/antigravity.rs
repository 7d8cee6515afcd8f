//! Antigravity.

mod table;

use serde_json::{Value, json};

use table::TABLE;

use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Antigravity;

impl Host for Antigravity {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    /// The payload names no event; only a call that has not run can be told from the rest.
    fn event_name(&self, payload: &Value) -> Option<String> {
        let has = |key: &str| payload.get(key).is_some();
        let name = match (has("toolCall"), has("executionNum"), has("invocationNum")) {
            (true, ..) if !has("error") => "PreToolUse",
            (_, true, _) => "Stop",
            (_, _, true) => "PreInvocation",
            _ => return None,
        };
        Some(name.to_owned())
    }

    fn complete(&self, event: &mut HostEvent) {
        let payload = &event.payload;
        let detail = match event.kind {
            HookPoint::AfterToolCallSuccess => payload.get("stepIdx").map(|step| ("step", step)),
            HookPoint::Stop => payload.get("terminationReason").map(|reason| ("termination", reason)),
            _ => None,
        };
        let detail = detail.map(|(name, value)| (name.to_owned(), value.clone()));
        event.details.extend(detail);
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        HostAnswer::json(match (event.kind, &verdict.decision) {
            (HookPoint::BeforeToolCall, HostDecision::Deny(reason)) => json!({ "decision": "deny", "reason": reason }),
            (HookPoint::BeforeToolCall, HostDecision::Ask(reason)) => {
                json!({ "decision": "force_ask", "reason": reason })
            }
            (HookPoint::BeforeToolCall, _) => match &verdict.input {
                Some(input) if removes(event, input) => {
                    let reason = "a hook removes an argument of this call, and Antigravity would keep it";
                    json!({ "decision": "deny", "reason": reason })
                }
                Some(input) => json!({ "decision": "allow", "overwrite": input }),
                None => json!({ "decision": "allow" }),
            },
            (HookPoint::Stop, HostDecision::KeepGoing(reason)) => json!({ "decision": "continue", "reason": reason }),
            (HookPoint::Stop, _) => json!({ "decision": "stop" }),
            (HookPoint::PreModelCall, _) => match verdict.context() {
                Some(text) => json!({ "injectSteps": [{ "ephemeralMessage": text }] }),
                None => json!({}),
            },
            _ => json!({}),
        })
    }

    fn refuse(&self, reason: &str) -> HostAnswer {
        HostAnswer::json(json!({ "decision": "deny", "reason": reason }))
    }
}

/// Whether the arguments lack one that the call has. Antigravity merges both.
fn removes(event: &HostEvent, input: &Value) -> bool {
    let sent = event.payload.pointer("/toolCall/args").and_then(Value::as_object);
    sent.is_some_and(|sent| sent.keys().any(|key| input.get(key).is_none()))
}
