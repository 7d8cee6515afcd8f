//! Files of other programs that look like ours. They are named, not corrected.

use std::path::Path;

use crate::event::Event;
use crate::written::{Flaw, Flaws, Node, items};

/// A program, the folder that its files are in, and the events that no other has.
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

/// The program that has an event of this name.
pub(super) fn event_of(name: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|(_, _, events)| events.contains(&name)).map(|(program, ..)| *program)
}

/// Whether the file is another program's, which is told once.
pub(super) fn warn(file: &Path, root: &Node, flaws: &mut Flaws) -> bool {
    let Some(hooks) = root.entry("hooks") else { return false };
    let events = hooks.node.entries().unwrap_or_default();
    // What has an inner list under an event of ours is ours, whatever else it has.
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
    let problem = format!("this is a file of {program}; nothing of it runs here");
    let help =
        "keep it for that program, and write rules for this one in nested groups: `{\"hooks\": {\"PreToolUse\": […]}}`";
    flaws.push(Flaw::warning(hooks.key_span.clone(), problem, help));
    true
}
