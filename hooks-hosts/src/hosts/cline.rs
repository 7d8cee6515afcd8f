//! Cline: its extension, its SDK and its command line.

mod call;
mod table;

use serde_json::{Map, Value, json};

use table::TABLE;

use super::nested;
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Cline;

/// A denied call ends the whole run: Cline has no word for a call that is skipped.
impl Host for Cline {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn arranged(&self, _event: &str, payload: &Value) -> Result<Value, String> {
        let mut payload = payload.clone();
        if let Some(call) = call::arranged(&payload)? {
            payload["call"] = call;
        }
        Ok(payload)
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        nested::separated(tool)
    }

    fn complete(&self, event: &mut HostEvent) {
        let input = event.input.as_mut();
        let joined = |value: &mut Value| value.as_object_mut().and_then(|map| map.remove("_with_args")).is_some();
        let Some(input) = input else { return };
        let mut any = joined(input);
        if let Some(list) = input.get_mut("commands").and_then(Value::as_array_mut) {
            any |= list.iter_mut().map(joined).fold(false, |any, one| any | one);
        }
        event.writable &= !any;
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        let is_file = event.host_event.starts_with(char::is_uppercase);
        let mut answer = Map::new();
        let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        if let HostDecision::Deny(reason) = &verdict.decision {
            put("cancel", true.into());
            put("errorMessage", reason.clone().into());
        } else if is_file {
            put("cancel", false.into());
        }
        if let Some(input) = &verdict.input {
            put("overrideInput", input.clone());
        }
        if let Some(text) = verdict.context() {
            let is_call = !is_file && event.kind == HookPoint::BeforeToolCall;
            put(if is_call { "context" } else { "contextModification" }, text.into());
        }
        HostAnswer::json(Value::Object(answer))
    }

    fn refuse(&self, reason: &str) -> HostAnswer {
        HostAnswer::json(json!({ "cancel": true, "errorMessage": reason }))
    }
}
