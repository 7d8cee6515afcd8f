//! What scripts get of a call, before it and after it.

use std::path::Path;

use hooks_core::data::{ToolCall, ToolInput};
use serde_json::Value;

use crate::files::full;
use crate::firing::Firing;
use crate::stdin::Occurrence;

/// Tools whose `file_path` scripts expect to be a full one.
const OF_FILES: &[&str] = &["Read", "Write", "Edit"];

/// Sets the tool's name on the wire, its input and the call's id.
pub(super) fn tell(firing: &Firing, occurrence: &mut Occurrence, call: &ToolCall, input: &ToolInput) {
    tell_input(firing, occurrence, call, input);
    occurrence.set("tool_use_id", call.id.as_str());
}

/// Sets the tool's name on the wire and its input.
pub(super) fn tell_input(firing: &Firing, occurrence: &mut Occurrence, call: &ToolCall, input: &ToolInput) {
    let name = firing.shared.aliases.on_the_wire(&call.name);
    let mut input = (**input).clone();
    if OF_FILES.contains(&name)
        && let Some(Value::String(path)) = input.get_mut("file_path").filter(|path| *path != "")
    {
        *path = full(Path::new(&occurrence.cwd), path).to_string_lossy().into_owned();
    }
    occurrence.set("tool_name", name).set("tool_input", input);
}
