//! Copilot CLI.

mod table;

use serde_json::{Map, Value, json};

use table::TABLE;

use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct Copilot;

impl Host for Copilot {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    /// The camelCase dialect names no event, but the keys of the tool events tell them apart.
    fn event_name(&self, payload: &Value) -> Option<String> {
        let has = |key: &str| payload.get(key).is_some();
        let by_keys = || match (has("toolName"), has("toolResult"), has("error")) {
            (true, false, false) => Some("preToolUse"),
            (true, true, _) => Some("postToolUse"),
            (true, false, true) => Some("postToolUseFailure"),
            _ if has("stopReason") => Some("agentStop"),
            _ if has("prompt") && !has("transformedPrompt") => Some("userPromptSubmitted"),
            _ => None,
        };
        let named = crate::json::text(payload, TABLE.keys.event).map(str::to_owned);
        named.or_else(|| by_keys().map(str::to_owned))
    }

    /// The arguments of `apply_patch` are the text of the patch.
    fn arranged(&self, _event: &str, payload: &Value) -> Result<Value, String> {
        let mut payload = payload.clone();
        for (tool, arguments) in [("toolName", "toolArgs"), ("tool_name", "tool_input")] {
            let patches = payload.get(tool).and_then(Value::as_str).is_some_and(|name| name == "apply_patch");
            let text = payload.get(arguments).and_then(Value::as_str);
            if let Some(text) = text.filter(|text| patches && crate::json::parse(text.as_bytes()).is_err()) {
                payload[arguments] = json!({ "input": text });
                payload["_patch_as_text"] = true.into();
            }
        }
        Ok(payload)
    }

    fn complete(&self, event: &mut HostEvent) {
        if event.payload.get("_patch_as_text").is_some() {
            event.writable = false;
        }
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        let mut answer = Map::new();
        let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        let decision = match (&verdict.decision, event.kind) {
            (HostDecision::Deny(reason), _) => Some(("deny", Some(reason))),
            (HostDecision::Ask(reason), HookPoint::BeforeToolCall) => Some(("ask", Some(reason))),
            (HostDecision::Allow, _) => Some(("allow", None)),
            (HostDecision::KeepGoing(reason), _) => {
                put("decision", "block".into());
                put("reason", reason.clone().into());
                None
            }
            _ => None,
        };
        let keys = match event.kind {
            HookPoint::PermissionRequest => ("behavior", "message"),
            _ => ("permissionDecision", "permissionDecisionReason"),
        };
        if let Some((word, reason)) = decision {
            put(keys.0, word.into());
            if let Some(reason) = reason {
                put(keys.1, reason.clone().into());
            }
        }
        if let Some(input) = &verdict.input {
            put("modifiedArgs", input.clone());
        }
        if let Some(text) = verdict.result_text() {
            put("modifiedResult", json!({ "resultType": "success", "textResultForLlm": text }));
        }
        if let Some(text) = verdict.context() {
            put("additionalContext", text.into());
        }
        HostAnswer::json(Value::Object(answer))
    }

    /// Copilot closes on any exit status before a call, and on 2 at a permission.
    fn refuse(&self, reason: &str) -> HostAnswer {
        let answer = json!({
            "permissionDecision": "deny", "permissionDecisionReason": reason, "behavior": "deny", "message": reason,
        });
        HostAnswer { exit: 2, ..HostAnswer::json(answer) }
    }
}
