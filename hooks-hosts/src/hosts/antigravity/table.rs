use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{AFTER_UNREAD, BEFORE, CONTEXT, Carried, Carries, HostTable, PayloadKeys, STOP, event, tool};

const EDIT: &[(&str, &str)] = &[
    ("TargetFile", "file_path"),
    ("TargetContent", "old_string"),
    ("ReplacementContent", "new_string"),
    ("ReplacementChunks", "edits"),
];

pub(super) const TABLE: HostTable = HostTable {
    name: "antigravity",
    title: "Antigravity",
    facts: "1.1.2 to 1.4.3, 2026-10-21",
    events: &[
        // What an allow means is disputed, and no decision at all prompts: it is the word for no opinion.
        event("PreToolUse", P::BeforeToolCall, Carries { context: Carried::Dropped, allow: Carried::Absent, ..BEFORE }),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("PreInvocation", P::PreModelCall, CONTEXT),
        event("Stop", P::Stop, STOP),
    ],
    notices: "PostInvocation",
    tools: &[
        tool("run_command", "Bash", &[("CommandLine", "command")]).needs(&["command"]),
        tool("send_command_input", "Bash", &[("Input", "command")]).needs(&["command"]),
        tool("view_file", "Read", &[("AbsolutePath", "file_path")]).needs(&["file_path"]),
        tool("write_to_file", "Write", &[("TargetFile", "file_path"), ("CodeContent", "content")])
            .needs(&["file_path"]),
        tool("replace_file_content", "Edit", EDIT).needs(&["file_path"]),
        tool("multi_replace_file_content", "Edit", EDIT).needs(&["file_path"]),
        tool("grep_search", "Grep", &[("Query", "pattern")]),
        tool("find_by_name", "Glob", &[("Pattern", "pattern")]),
        tool("read_url_content", "WebFetch", &[("Url", "url")]).needs(&["url"]),
        tool("search_web", "WebSearch", &[]),
        tool("invoke_subagent", "Task", &[]),
    ],
    keys: PayloadKeys {
        session: &["/conversationId"],
        cwd: &["/workspacePaths/0"],
        project: &["/workspacePaths/0"],
        tool: &["/toolCall/name"],
        input: &["/toolCall/args"],
        error: &["/error"],
        ..PayloadKeys::NOTHING
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".gemini/config/hooks.json",
        project: ".agents/hooks.json",
        form: EntryForm::Named,
        root: None,
        head: "",
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        millis: false,
        at_gates: "",
        matcher: Some("*"),
        events: "",
        then: "check with `agy -p /hooks`: a file that it cannot read is dropped whole, in silence",
    },
};
