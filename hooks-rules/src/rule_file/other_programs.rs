//! Similar files of other programs. They are reported as such, and their content is not checked.

use std::path::Path;

use crate::event::Event;
use crate::syntax::{Flaw, Flaws, Node, items};

/// A program, the folder of its files, and the events that only it has.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    (
        "Cursor",
        ".cursor",
        &[
            "beforeShellExecution",
            "afterShellExecution",
            "beforeMCPExecution",
            "afterMCPExecution",
            "beforeReadFile",
            "afterFileEdit",
            "beforeSubmitPrompt",
            "afterAgentResponse",
            "afterAgentThought",
            "beforeTabFileRead",
            "afterTabFileEdit",
        ],
    ),
    (
        "Gemini CLI",
        ".gemini",
        &[
            "BeforeTool",
            "AfterTool",
            "BeforeAgent",
            "AfterAgent",
            "BeforeModel",
            "AfterModel",
            "BeforeToolSelection",
            "PreCompress",
        ],
    ),
    ("GitHub Copilot", ".github", &["userPromptSubmitted", "errorOccurred", "agentStop", "subagentStop"]),
];

/// The program that has an event with this name.
pub(super) fn event_of(name: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|(_, _, events)| events.contains(&name)).map(|(program, ..)| *program)
}

/// Whether the file belongs to another program. If so, adds one warning.
pub(super) fn warn(file: &Path, root: &Node, flaws: &mut Flaws) -> bool {
    let Some(hooks) = root.entry("hooks") else { return false };
    let events = hooks.node.entries().unwrap_or_default();
    // An inner list under a known event means that the file is for this program, whatever else it contains.
    let ours = |name: &str| Event::named(name).is_some();
    if events.iter().any(|entry| ours(&entry.key) && items(&entry.node).iter().any(|node| node.get("hooks").is_some()))
    {
        return false;
    }
    let mut handlers = events.iter().flat_map(|entry| items(&entry.node));
    let is_copilot =
        handlers.any(|node| ["bash", "powershell", "timeoutSec"].iter().any(|key| node.get(key).is_some()));
    let by_event = || events.iter().find_map(|entry| event_of(&entry.key));
    let by_folder = || {
        let is_in = |folder: &str| file.components().any(|part| part.as_os_str() == folder);
        PROGRAMS.iter().find(|(_, folder, _)| is_in(folder)).map(|(program, ..)| *program)
    };
    let by_handler = || is_copilot.then_some("GitHub Copilot");
    let Some(program) = by_handler().or_else(by_event).or_else(by_folder).filter(|_| !events.is_empty()) else {
        return false;
    };
    let problem = format!("this is a file of {program}; none of its rules run here");
    let help =
        "keep it for that program, and write rules for this one in nested groups: `{\"hooks\": {\"PreToolUse\": […]}}`";
    flaws.push(Flaw::warning(hooks.key_span.clone(), problem, help));
    true
}
