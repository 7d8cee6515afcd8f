use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, CONTEXT, Carried, Carries, HostTable, PROMPT, PayloadKeys, SNAKE_CASE, STOP, event, tool,
};

const EDIT: &[(&str, &str)] = &[("old_str", "old_string"), ("new_str", "new_string"), ("changes", "edits")];

pub(super) const TABLE: HostTable = HostTable {
    name: "droid",
    title: "Droid",
    facts: "0.223 to 0.245, 2026-10-20",
    events: &[
        // Changed arguments are documented with an allow only, which skips the question.
        event(
            "PreToolUse",
            P::BeforeToolCall,
            Carries { rewrite: Carried::IfAllowed, context: Carried::Dropped, ..BEFORE },
        ),
        event("PostToolUse", P::AfterToolCallSuccess, Carries { replace: Carried::Impossible, ..AFTER }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, Carries { deny: Carried::Yes, ..Carries::NOTHING }),
    ],
    notices: "SubagentStop Notification",
    tools: &[
        tool("Execute", "Bash", &[]).needs(&["command"]),
        tool("Read", "Read", &[]).needs(&["file_path"]),
        tool("Create", "Write", &[]).needs(&["file_path"]),
        tool("Write", "Write", &[]).needs(&["file_path"]),
        tool("Edit", "Edit", EDIT).needs(&["file_path"]),
        tool("MultiEdit", "Edit", EDIT).needs(&["file_path"]),
        tool("ApplyPatch", "apply_patch", &[]).patch(&["input", "patch"]),
        tool("Grep", "Grep", &[]),
        tool("Glob", "Glob", &[]),
        tool("FetchUrl", "WebFetch", &[]).needs(&["url"]),
        tool("WebSearch", "WebSearch", &[]),
        tool("Task", "Task", &[]),
    ],
    keys: PayloadKeys {
        event: &["/hook_event_name", "/hookEventName"],
        session: &["/session_id", "/sessionId"],
        stop_hook_active: &["/stop_hook_active", "/stopHookActive"],
        ..SNAKE_CASE
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".factory/settings.json",
        project: ".factory/settings.json",
        form: EntryForm::Groups,
        root: Some("hooks"),
        head: "",
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        millis: false,
        at_gates: "",
        matcher: Some("*"),
        events: "",
        then: "start Droid again: it reads hooks at its start. An event in `.factory/hooks.json` hides the same one of the settings",
    },
};
