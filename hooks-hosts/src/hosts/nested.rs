//! The form of Claude Code's answers, which several hosts have taken over.

use super::prelude::*;

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
pub(super) fn specific<const N: usize>(event: &HostEvent, fields: [(&str, Option<Value>); N]) -> Value {
    let mut output = object(fields);
    if output == json!({}) {
        return output;
    }
    output["hookEventName"] = event.host_event.clone().into();
    json!({ "hookSpecificOutput": output })
}

/// An answer before a call.
pub(super) fn before(event: &HostEvent, verdict: &HostVerdict, host: Before) -> Value {
    let (mut word, mut reason) = verdict.decision.permission();
    if word == Some("allow") || word.is_none() && verdict.input.is_some() && host.input_needs_allow {
        (word, reason) = (Some("allow"), verdict.reason.as_deref().filter(|_| host.allow_has_reason));
    }
    let is_alone = word == Some("deny") && host.denial_alone;
    specific(
        event,
        [
            ("permissionDecision", word.map(Value::from)),
            ("permissionDecisionReason", reason.map(Value::from)),
            ("updatedInput", verdict.input.clone()),
            ("additionalContext", verdict.context().filter(|_| !is_alone).map(Value::from)),
        ],
    )
}

/// An answer to the question whether a person has to be asked.
pub(super) fn permission(event: &HostEvent, verdict: &HostVerdict) -> Value {
    let (word, message) = match verdict.decision.permission() {
        (Some("ask"), _) => (None, None),
        said => said,
    };
    let decision = object([
        ("behavior", word.map(Value::from)),
        ("message", message.map(Value::from)),
        ("updatedInput", verdict.input.clone().filter(|_| word.is_some())),
    ]);
    specific(event, [("decision", word.map(|_| decision))])
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
    specific(event, [("additionalContext", verdict.context().map(Value::from))])
}

/// A refusal, whatever is asked.
pub(super) fn refuse(reason: &str) -> HostAnswer {
    HostAnswer::json(json!({ "decision": "deny", "reason": reason }))
}

/// The tool of an MCP server behind `mcp__SERVER__TOOL`.
pub(super) fn mcp(name: &str, payload: &Value) -> Option<McpName> {
    separated(name.strip_prefix("mcp__")?, payload)
}

/// The tool of an MCP server behind `SERVER__TOOL`.
pub(super) fn separated(name: &str, _payload: &Value) -> Option<McpName> {
    let (server, tool) = name.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())?;
    Some(McpName { server: Some(server.to_owned()), tool: tool.to_owned() })
}
