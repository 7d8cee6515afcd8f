//! What scripts get of a call, before it and after it.

use std::path::{Component, Path, PathBuf};

use hooks_core::data::{ToolCall, ToolInput};
use serde_json::Value;

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
    if OF_FILES.contains(&name) {
        if let Some(Value::String(path)) = input.get_mut("file_path").filter(|path| *path != "") {
            *path = full(Path::new(&occurrence.cwd), Path::new(path.as_str())).to_string_lossy().into_owned();
        }
    }
    occurrence.set("tool_name", name).set("tool_input", input);
}

/// The path from the root, without `.` and `..`, so that a script can hold its beginning against a folder.
fn full(cwd: &Path, path: &Path) -> PathBuf {
    let mut full = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                full.pop();
            }
            part => full.push(part),
        }
    }
    full
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_full_and_plain() {
        let table = [
            ("src/lib.rs", "/repo/src/lib.rs"),
            ("./a", "/repo/a"),
            ("src/../../etc/passwd", "/etc/passwd"),
            ("/etc/passwd", "/etc/passwd"),
            ("/repo/src/../secret", "/repo/secret"),
            ("../../..", "/"),
        ];
        for (path, expected) in table {
            assert_eq!(full(Path::new("/repo"), Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
