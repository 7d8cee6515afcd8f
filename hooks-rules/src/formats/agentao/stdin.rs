//! `{event, data}`, except for `Stop` and `PreCompact`, which have one flat object.

use serde_json::{Map, Value, json};

use crate::event::Event;
use crate::occurrence::Occurrence;

/// The details of an occurrence that this dialect sends. Nested files have no such fields.
const DETAILS: &[&str] = &["turn_end_reason", "compaction_type", "reason", "at_max_iter"];

/// The object for a rule's stdin.
pub(super) fn write(occurrence: &Occurrence) -> Value {
    match occurrence.event {
        Event::Stop | Event::PreCompact => flat(occurrence),
        _ => enveloped(occurrence),
    }
}

fn flat(occurrence: &Occurrence) -> Value {
    let mut object = Map::new();
    object.insert("hook_event_name".to_owned(), occurrence.event.as_str().into());
    object.insert("session_id".to_owned(), occurrence.session.clone().into());
    let transcript = (!occurrence.transcript.is_empty()).then(|| occurrence.transcript.clone());
    object.insert("transcript_path".to_owned(), transcript.into());
    object.insert("cwd".to_owned(), occurrence.cwd.clone().into());
    let mode = occurrence.permission_mode.as_deref().unwrap_or("workspace-write");
    object.insert("permission_mode".to_owned(), mode.into());
    object.extend(occurrence.fields.clone());
    if occurrence.event == Event::PreCompact {
        // Never null in this dialect.
        object.entry("custom_instructions").and_modify(|text| {
            if text.is_null() {
                *text = "".into();
            }
        });
    }
    let detail = |name: &&str| Some(((*name).to_owned(), occurrence.details.get(*name)?.clone()));
    object.extend(DETAILS.iter().filter_map(detail));
    Value::Object(object)
}

fn enveloped(occurrence: &Occurrence) -> Value {
    let names: &[(&str, &str)] = match occurrence.event {
        Event::UserPromptSubmit => &[("prompt", "userMessage")],
        Event::PreToolUse => &[("tool_name", "toolName"), ("tool_input", "toolInput")],
        Event::PostToolUse => {
            &[("tool_name", "toolName"), ("tool_input", "toolInput"), ("tool_response", "toolOutput")]
        }
        Event::PostToolUseFailure => &[("tool_name", "toolName"), ("tool_input", "toolInput"), ("error", "error")],
        _ => &[],
    };
    let mut data: Map<String, Value> = names
        .iter()
        .filter_map(|(own, wire)| Some(((*wire).to_owned(), occurrence.fields.get(*own)?.clone())))
        .collect();
    data.insert("sessionId".to_owned(), occurrence.session.clone().into());
    if !occurrence.event.is_of_a_tool() {
        data.insert("cwd".to_owned(), occurrence.cwd.clone().into());
    }
    json!({ "event": occurrence.event.as_str(), "data": data })
}
