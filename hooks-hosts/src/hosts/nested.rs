//! The form of Claude Code's answers, which several hosts have taken over.

use serde_json::{Map, Value, json};

use crate::event::HostEvent;
use crate::verdict::{HostDecision, HostVerdict};

/// How a host departs from Claude Code before a call.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    /// Changed arguments count only with an allow.
    pub(super) input_needs_allow: bool,
    /// An allow has its reason beside it.
    pub(super) allow_has_reason: bool,
    /// A denial stands alone.
    pub(super) denial_alone: bool,
}

/// `hookSpecificOutput` with these fields, or an empty object if there are none.
pub(super) fn specific(event: &HostEvent, fields: Map<String, Value>) -> Value {
    if fields.is_empty() {
        return json!({});
    }
    let mut output = Map::from_iter([("hookEventName".to_owned(), event.host_event.clone().into())]);
    output.extend(fields);
    json!({ "hookSpecificOutput": output })
}

/// An answer before a call.
pub(super) fn before(event: &HostEvent, verdict: &HostVerdict, host: Before) -> Value {
    let mut fields = Map::new();
    let word = match &verdict.decision {
        HostDecision::Deny(reason) => Some(("deny", Some(reason))),
        HostDecision::Ask(reason) => Some(("ask", Some(reason))),
        HostDecision::Allow => Some(("allow", verdict.reason.as_ref().filter(|_| host.allow_has_reason))),
        _ if verdict.input.is_some() && host.input_needs_allow => {
            Some(("allow", verdict.reason.as_ref().filter(|_| host.allow_has_reason)))
        }
        _ => None,
    };
    if let Some((word, reason)) = word {
        fields.insert("permissionDecision".to_owned(), word.into());
        if let Some(reason) = reason {
            fields.insert("permissionDecisionReason".to_owned(), reason.clone().into());
        }
    }
    if let Some(input) = &verdict.input {
        fields.insert("updatedInput".to_owned(), input.clone());
    }
    let is_denied = matches!(verdict.decision, HostDecision::Deny(_));
    if let Some(text) = verdict.context().filter(|_| !(is_denied && host.denial_alone)) {
        fields.insert("additionalContext".to_owned(), text.into());
    }
    specific(event, fields)
}

/// An answer to the question whether a person has to be asked.
pub(super) fn permission(event: &HostEvent, verdict: &HostVerdict) -> Value {
    let decision = match &verdict.decision {
        HostDecision::Deny(reason) => json!({ "behavior": "deny", "message": reason }),
        HostDecision::Allow => match &verdict.input {
            Some(input) => json!({ "behavior": "allow", "updatedInput": input }),
            None => json!({ "behavior": "allow" }),
        },
        _ => return json!({}),
    };
    specific(event, Map::from_iter([("decision".to_owned(), decision)]))
}

/// `decision: block` if something is refused or has to go on, and a text for the model.
pub(super) fn block(event: &HostEvent, verdict: &HostVerdict) -> Value {
    let mut answer = context(event, verdict);
    if let HostDecision::Deny(reason) | HostDecision::KeepGoing(reason) = &verdict.decision {
        answer["decision"] = "block".into();
        answer["reason"] = reason.clone().into();
    }
    answer
}

/// The end of a session that must not begin, and a text for the model.
pub(super) fn session(event: &HostEvent, verdict: &HostVerdict) -> Value {
    let mut answer = context(event, verdict);
    if let HostDecision::Deny(reason) = &verdict.decision {
        answer["continue"] = false.into();
        answer["stopReason"] = reason.clone().into();
    }
    answer
}

/// A text for the model.
pub(super) fn context(event: &HostEvent, verdict: &HostVerdict) -> Value {
    specific(event, verdict.context().map(|text| ("additionalContext".to_owned(), text.into())).into_iter().collect())
}

/// The tool of an MCP server behind `mcp__SERVER__TOOL`.
pub(super) fn mcp(name: &str, _payload: &Value) -> Option<crate::event::McpName> {
    separated(name.strip_prefix("mcp__")?)
}

/// The tool of an MCP server behind `SERVER__TOOL`.
pub(super) fn separated(name: &str) -> Option<crate::event::McpName> {
    let (server, tool) = name.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())?;
    Some(crate::event::McpName { server: Some(server.to_owned()), tool: tool.to_owned() })
}
