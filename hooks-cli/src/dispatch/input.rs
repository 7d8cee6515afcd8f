//! Converts a payload to what a harness would fire: the event and the subject of the kind, and the context.

use std::path::PathBuf;

use hook_sdk::HookContext;
use hook_sdk::data::{CompactedHistory, Message, Messages, Role, ToolCall, ToolResult};
use hook_sdk::kinds::{
    AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart, BeforeCompaction, BeforeToolCall, PermissionRequest,
    PostCompact, SessionEnd, SessionStart, Stop, TurnEnd, UserPromptSubmit,
};
use hooks_rules::{Event, ExtraFields, Occurrence, SessionInfo};
use serde::Serialize;
use serde_json::{Value, json};

use super::host::HostInput;
use super::payload::Payload;
use crate::output::Output;

/// An occurrence of an event, ready to be fired.
pub(super) struct DispatchInput {
    pub(super) event: Event,
    /// `None` if no kind carries the event.
    pub(super) kind: Option<&'static str>,
    pub(super) cx: HookContext,
    /// The event and the subject of the kind.
    pub(super) fires: Value,
    pub(super) subject: Value,
    /// The occurrence by which rules are selected.
    pub(super) occurrence: Occurrence,
    /// Fields that have no meaning for the event.
    pub(super) unknown: Vec<String>,
    /// What a host has sent, if it was one.
    pub(super) host: Option<HostInput>,
}

impl DispatchInput {
    /// Creates one from a payload. `project` is the working directory, unless the payload sets it.
    ///
    /// # Errors
    /// All problems of the payload.
    pub(super) fn new(event: Event, payload: &mut Payload, project: PathBuf) -> Result<Self, Vec<String>> {
        let kind = event.spec().kind;
        let session = payload.text("session_id").unwrap_or_else(|| "session-1".to_owned());
        let cwd = payload.text("cwd").map_or(project, PathBuf::from);
        if !cwd.is_dir() {
            payload.problem(format!("`cwd` is {}, and there is no such folder", cwd.display()));
        }
        let state = SessionInfo {
            transcript: payload.text("transcript_path").filter(|path| !path.is_empty()).map(PathBuf::from),
            permission_mode: payload.text("permission_mode"),
        };
        let (path, agent) = agent(event, payload);
        let mut occurrence = Occurrence::new(event);
        occurrence.session.clone_from(&session);
        occurrence.cwd = cwd.to_string_lossy().into_owned();
        if !path.is_empty() {
            occurrence.agent = Some((path.join("/"), agent.clone()));
        }
        let (fires, subject) = fired(event, payload, &session, &mut occurrence);
        if !payload.problems().is_empty() {
            return Err(payload.problems().to_vec());
        }
        let cx = HookContext::builder().app("hooks").conversation(session).workspace(cwd).state(state);
        let cx = cx.state(ExtraFields(payload.passed()));
        let cx = cx.agent(agent).agent_path(path).keep_records(true).build();
        Ok(Self { event, kind, cx, fires, subject, occurrence, unknown: payload.unknown(event), host: None })
    }

    /// Creates one from what a host has sent.
    ///
    /// # Errors
    /// No rule runs at its event.
    pub(super) fn of_host(host: HostInput) -> Result<Self, Output> {
        let occurrence = host.occurrence()?;
        let event = occurrence.event;
        Ok(Self {
            event,
            kind: event.spec().kind,
            cx: HookContext::new(),
            fires: Value::Null,
            subject: Value::Null,
            occurrence,
            unknown: Vec::new(),
            host: Some(host),
        })
    }

    /// Prepares the next end of the turn, after rules have continued it.
    pub(super) fn again(&mut self) {
        self.fires["stop_hook_active"] = true.into();
    }
}

/// The callers of the agent, and the agent.
fn agent(event: Event, payload: &mut Payload) -> (Vec<String>, String) {
    let is_sub = matches!(event, Event::SubagentStart | Event::SubagentStop);
    let (id, kind) = (payload.text("agent_id"), payload.text("agent_type"));
    if !is_sub && id.is_none() {
        return (Vec::new(), kind.unwrap_or_else(|| "agent".to_owned()));
    }
    let kind = kind.unwrap_or_else(|| "general-purpose".to_owned());
    let id = id.unwrap_or_else(|| "main".to_owned());
    let mut path: Vec<String> = id.split('/').map(str::to_owned).collect();
    if path.len() > 1 && path.last() == Some(&kind) {
        path.pop();
    }
    (path, kind)
}

/// The event of the kind and the subject, from the fields of the event.
fn fired(event: Event, payload: &mut Payload, session: &str, occurrence: &mut Occurrence) -> (Value, Value) {
    match event {
        Event::PreToolUse => {
            let call = call(payload, occurrence);
            let input = to_value(&call.input);
            (to_value(&BeforeToolCall::new(call)), input)
        }
        Event::PermissionRequest => {
            let call = call(payload, occurrence);
            let input = to_value(&call.input);
            (to_value(&PermissionRequest::new(call)), input)
        }
        Event::PostToolUse => {
            let call = call(payload, occurrence);
            let response = payload.value("tool_response").unwrap_or_else(|| "".into());
            let text = response.as_str().map_or_else(|| response.to_string(), str::to_owned);
            (to_value(&AfterToolCallSuccess::new(call.clone(), call.input)), to_value(&ToolResult::new(text)))
        }
        Event::PostToolUseFailure => {
            let call = call(payload, occurrence);
            let error = payload.text("error").unwrap_or_else(|| "the tool failed".to_owned());
            (
                to_value(&AfterToolCallFailure::new(call.clone(), call.input, error.as_str())),
                to_value(&ToolResult::error(error)),
            )
        }
        Event::UserPromptSubmit => {
            let prompt = payload.needed("prompt", "Where is my order?");
            let messages = json!([Message::new(Role::User, prompt.as_str())]);
            let original: Messages = serde_json::from_value(messages.clone()).unwrap_or_default();
            (to_value(&UserPromptSubmit::new(prompt, original)), messages)
        }
        Event::Stop | Event::SubagentStop => {
            let reason = payload.text("turn_end_reason").unwrap_or_else(|| "final_response".to_owned());
            let mut stop = Stop::new(reason).stop_hook_active(payload.flag("stop_hook_active"));
            if let Some(text) = payload.text("last_assistant_message") {
                stop = stop.last_message(Message::new(Role::Assistant, text));
            }
            (to_value(&stop), Value::Null)
        }
        Event::SubagentStart => {
            (to_value(&BeforeAgentStart::new(payload.text("prompt").unwrap_or_default())), Value::Null)
        }
        Event::SessionStart => {
            let source = payload.text("source").unwrap_or_else(|| "startup".to_owned());
            occurrence.set("source", source.as_str());
            (to_value(&SessionStart::new(session, source)), Value::Null)
        }
        Event::SessionEnd => {
            let reason = payload.text("reason").unwrap_or_else(|| "other".to_owned());
            occurrence.set("reason", reason.as_str());
            (to_value(&SessionEnd::new(session, reason)), Value::Null)
        }
        Event::PreCompact => {
            let trigger = trigger(payload, occurrence);
            let compaction = payload.text("compaction_type").unwrap_or_else(|| "full".to_owned());
            let mut compact = BeforeCompaction::new(trigger, compaction, Messages::default());
            compact.reason = payload.text("reason").unwrap_or_default();
            compact.instructions = payload.text("custom_instructions").unwrap_or_default();
            (to_value(&compact), Value::Null)
        }
        Event::PostCompact => {
            let trigger = trigger(payload, occurrence);
            let mut history = CompactedHistory::new(Messages::default());
            if let Some(summary) = payload.text("compact_summary") {
                history = history.summary(summary);
            }
            (to_value(&PostCompact::new(trigger, "full")), to_value(&history))
        }
        Event::StopFailure => {
            let error = payload.text("error").unwrap_or_else(|| "unknown".to_owned());
            let details = payload.text("error_details").unwrap_or_else(|| error.clone());
            occurrence.set("error", error);
            (to_value(&TurnEnd::new("error").error(details)), Value::Null)
        }
        _ => {
            // No kind carries the event, so commands get the fields unchanged.
            for (name, value) in payload.rest() {
                occurrence.set(&name, value);
            }
            (Value::Null, Value::Null)
        }
    }
}

fn call(payload: &mut Payload, occurrence: &mut Occurrence) -> ToolCall {
    let tool = payload.needed("tool_name", "Bash");
    let input = payload.object("tool_input");
    let id = payload.text("tool_use_id").unwrap_or_else(|| "call_1".to_owned());
    occurrence.set("tool_name", tool.as_str()).set("tool_input", input.clone());
    ToolCall::new(id, tool, input)
}

fn trigger(payload: &mut Payload, occurrence: &mut Occurrence) -> String {
    let trigger = payload.text("trigger").unwrap_or_else(|| "auto".to_owned());
    occurrence.set("trigger", trigger.as_str());
    trigger
}

/// The data of all kinds can be written as JSON.
fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
