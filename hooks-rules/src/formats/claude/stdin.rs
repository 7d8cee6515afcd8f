//! A flat object with the fields of the contract.

use serde_json::{Map, Value};

use crate::event::Event;
use crate::occurrence::Occurrence;

/// The events without a permission mode.
const NO_MODE: &[Event] = &[
    Event::SessionStart,
    Event::SessionEnd,
    Event::Setup,
    Event::PreCompact,
    Event::PostCompact,
    Event::Notification,
    Event::SubagentStart,
    Event::ConfigChange,
    Event::CwdChanged,
    Event::FileChanged,
    Event::DirectoryAdded,
    Event::WorktreeCreate,
    Event::WorktreeRemove,
    Event::InstructionsLoaded,
    Event::StopFailure,
    Event::MessageDisplay,
];

pub(super) fn write(occurrence: &Occurrence) -> Value {
    let mut object = Map::new();
    object.insert("session_id".to_owned(), occurrence.session.clone().into());
    object.insert("transcript_path".to_owned(), occurrence.transcript.clone().into());
    object.insert("cwd".to_owned(), occurrence.cwd.clone().into());
    object.insert("hook_event_name".to_owned(), occurrence.event.as_str().into());
    if let Some(prompt) = &occurrence.prompt {
        object.insert("prompt_id".to_owned(), prompt.clone().into());
    }
    if !NO_MODE.contains(&occurrence.event) {
        let mode = occurrence.permission_mode.as_deref().unwrap_or("default");
        object.insert("permission_mode".to_owned(), mode.into());
    }
    if let Some((id, kind)) = &occurrence.agent {
        object.insert("agent_id".to_owned(), id.clone().into());
        object.insert("agent_type".to_owned(), kind.clone().into());
    }
    object.extend(occurrence.fields.clone());
    object.extend(occurrence.passed.clone());
    Value::Object(object)
}
