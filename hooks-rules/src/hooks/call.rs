//! The fields of a tool call on stdin.

use std::path::Path;

use hook_sdk::data::{ToolCall, ToolInput};
use serde_json::Value;

use crate::occurrence::Occurrence;
use crate::paths::full;
use crate::runner::EventRules;

/// The tools for which scripts expect an absolute `file_path`.
const OF_FILES: &[&str] = &["Read", "Write", "Edit"];

/// Sets the tool's name, its input and the id of the call.
pub(super) fn set_call(rules: &EventRules, occurrence: &mut Occurrence, call: &ToolCall, input: &ToolInput) {
    set_input(rules, occurrence, call, input);
    occurrence.set("tool_use_id", call.id.as_str());
}

/// Sets the tool's name and its input.
pub(super) fn set_input(rules: &EventRules, occurrence: &mut Occurrence, call: &ToolCall, input: &ToolInput) {
    let name = rules.shared.aliases.on_the_wire(&call.name);
    let mut input = (**input).clone();
    if OF_FILES.contains(&name)
        && let Some(Value::String(path)) = input.get_mut("file_path").filter(|path| *path != "")
    {
        *path = full(Path::new(&occurrence.cwd), path).to_string_lossy().into_owned();
    }
    occurrence.set("tool_name", name).set("tool_input", input);
}
