use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER_UNREAD, CONTEXT, Carried, Carries, DENY_ONLY, HostEventSpec, HostTable, PROMPT, SNAKE_CASE, STOP, event, tool,
};

/// The casing of an event's name is the engine: V3 writes `PreToolUse`, V1 and V2 `preToolUse`.
const EVENTS: &[HostEventSpec] = &[
    event("PreToolUse", P::BeforeToolCall, Carries { ask: Carried::Yes, ..DENY_ONLY }),
    event("preToolUse", P::BeforeToolCall, DENY_ONLY),
    event("PostToolUse", P::AfterToolCallSuccess, AFTER_UNREAD),
    event("postToolUse", P::AfterToolCallSuccess, AFTER_UNREAD),
    event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
    event("userPromptSubmit", P::UserPromptSubmit, Carries { deny: Carried::Impossible, ..PROMPT }),
    event("SessionStart", P::SessionStart, CONTEXT),
    event("agentSpawn", P::SessionStart, CONTEXT),
    event("SessionEnd", P::SessionEnd, Carries::NOTHING),
    event("Stop", P::Stop, STOP),
    event("stop", P::Stop, Carries { keep_going: Carried::Impossible, ..Carries::NOTHING }),
];

const FILE: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("file_text", "content"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
    ("operations", "files"),
];

pub(super) const TABLE: HostTable = HostTable {
    name: "kiro",
    title: "Kiro",
    facts: "CLI 2.22 to 2.28, IDE 1.2.37, 2026-10-08",
    events: EVENTS,
    notices: "PreTaskExec PostTaskExec PostFileCreate PostFileSave PostFileDelete Manual",
    tools: &[
        tool("execute_bash", "Bash", &[]).needs(&["command"]),
        tool("shell", "Bash", &[]).needs(&["command"]),
        tool("fs_read", "Read", FILE).needs(&["file_path", "files"]),
        tool("read", "Read", FILE).needs(&["file_path", "files"]),
        tool("fs_write", "Edit", FILE).only_with(&["old_str", "insert_line"]).needs(&["file_path"]),
        tool("fs_write", "Write", FILE).needs(&["file_path"]),
        tool("write", "Edit", FILE).only_with(&["old_str", "insert_line"]).needs(&["file_path"]),
        tool("write", "Write", FILE).needs(&["file_path"]),
        tool("str_replace", "Edit", FILE).needs(&["file_path"]),
        tool("grep", "Grep", &[]),
        tool("glob", "Glob", &[]),
        tool("web_fetch", "WebFetch", &[]).needs(&["url"]),
        tool("web_search", "WebSearch", &[]),
        tool("subagent", "Task", &[]),
    ],
    keys: crate::table::PayloadKeys { last_message: &["/assistant_response"], ..SNAKE_CASE },
    reads_stderr: false,
    place: EntryPlace {
        user: ".kiro/hooks/$NAME.json",
        project: ".kiro/hooks/$NAME.json",
        form: EntryForm::List,
        root: Some("hooks"),
        head: r#""version": "v1""#,
        handler: r#"{"name": "$NAME $EVENT", "trigger": "$EVENT", "action": {"type": "command", "command": $COMMAND}, "timeout": $TIME, "enabled": true}"#,
        millis: false,
        at_gates: "",
        matcher: Some(".*"),
        events: "PreToolUse PostToolUse UserPromptSubmit SessionStart SessionEnd Stop",
        then: "start Kiro with `--v3`, or use its IDE: the engine V2 reads hooks from agent files only",
    },
};
