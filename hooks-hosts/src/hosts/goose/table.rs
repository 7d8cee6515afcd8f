use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER_UNREAD, Carried, Carries, DENY_ONLY, HostTable, PROMPT, PayloadKeys, SNAKE_CASE, STOP, event, tool,
};

const FILE: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("file_text", "content"),
    ("before", "old_string"),
    ("after", "new_string"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
];

pub(super) const TABLE: HostTable = HostTable {
    name: "goose",
    title: "goose",
    facts: "1.51.0 and the source of autumn 2026",
    events: &[
        event("PreToolUse", P::BeforeToolCall, DENY_ONLY),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("PostToolUseFailure", P::AfterToolCallFailure, AFTER_UNREAD),
        event(
            "UserPromptSubmit",
            P::UserPromptSubmit,
            Carries { deny: Carried::Impossible, context: Carried::Dropped, ..PROMPT },
        ),
        event("SessionStart", P::SessionStart, Carries { context: Carried::Dropped, ..Carries::NOTHING }),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
    ],
    notices: "PreToolUseResult BeforeShellExecution BeforeReadFile AfterShellExecution AfterFileEdit",
    tools: &[
        tool("shell", "Bash", &[]).needs(&["command"]),
        tool("developer__shell", "Bash", &[]).needs(&["command"]),
        tool("write", "Write", FILE).needs(&["file_path"]),
        tool("edit", "Edit", FILE).needs(&["file_path"]),
        tool("developer__text_editor", "Write", FILE).only_with(&["file_text"]).needs(&["file_path"]),
        tool("developer__text_editor", "Edit", FILE).needs(&["file_path"]),
    ],
    keys: PayloadKeys {
        event: &["/event"],
        cwd: &["/working_dir"],
        call: &["/tool_call_id"],
        result: &["/tool_output"],
        prompt: &["/message"],
        ..SNAKE_CASE
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".agents/plugins/$NAME/hooks/hooks.json",
        project: ".agents/plugins/$NAME/hooks/hooks.json",
        form: EntryForm::Groups,
        root: Some("hooks"),
        head: "",
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME$GATE}"#,
        millis: false,
        at_gates: r#", "on_failure": "block""#,
        matcher: Some(""),
        events: "",
        then: "start goose again",
    },
};
