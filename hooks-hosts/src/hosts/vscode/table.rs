use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, CONTEXT, Carried, Carries, HostTable, PROMPT, PayloadKeys, SNAKE_CASE, STOP, UNSTOPPED, event, tool,
};

const FILE: &[(&str, &str)] = &[("filePath", "file_path")];
const EDIT: &[(&str, &str)] = &[
    ("filePath", "file_path"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
    ("replacements", "edits"),
    ("code", "new_string"),
];

pub(super) const TABLE: HostTable = HostTable {
    name: "vscode",
    title: "VS Code",
    facts: "source of autumn 2026, page of 2026-10-07",
    events: &[
        event("PreToolUse", P::BeforeToolCall, BEFORE),
        event("PostToolUse", P::AfterToolCallSuccess, Carries { replace: Carried::Impossible, ..AFTER }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, UNSTOPPED),
    ],
    notices: "SubagentStart SubagentStop",
    tools: &[
        tool("run_in_terminal", "Bash", &[]).needs(&["command"]),
        tool("runTerminalCommand", "Bash", &[]).needs(&["command"]),
        tool("read_file", "Read", FILE).needs(&["file_path"]),
        tool("create_file", "Write", FILE).needs(&["file_path"]),
        tool("createFile", "Write", FILE).needs(&["file_path"]),
        tool("replace_string_in_file", "Edit", EDIT).needs(&["file_path"]),
        tool("multi_replace_string_in_file", "Edit", EDIT).needs(&["edits"]),
        tool("insert_edit_into_file", "Edit", EDIT).needs(&["file_path"]),
        tool("editFiles", "Edit", EDIT).needs(&["files", "file_path"]),
        tool("apply_patch", "apply_patch", &[]).patch(&["input"]),
        tool("grep_search", "Grep", &[("query", "pattern")]),
        tool("file_search", "Glob", &[("query", "pattern")]),
        tool("fetch_webpage", "WebFetch", &[]).needs(&["urls", "url"]),
        tool("runSubagent", "Task", &[]),
    ],
    keys: PayloadKeys {
        event: &["/hook_event_name", "/hookEventName"],
        session: &["/session_id", "/sessionId"],
        ..SNAKE_CASE
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".copilot/hooks/$NAME-vscode.json",
        project: ".github/hooks/$NAME-vscode.json",
        form: EntryForm::Flat,
        root: Some("hooks"),
        head: "",
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        millis: false,
        at_gates: "",
        matcher: None,
        events: "",
        then: "trust the workspace; the output channel `GitHub Copilot Chat Hooks` shows the runs",
    },
};
