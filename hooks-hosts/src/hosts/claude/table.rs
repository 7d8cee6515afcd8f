use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{AFTER, BEFORE, Carried, Carries, HostTable, PROMPT, SESSION, SNAKE_CASE, STOP, event, tool};

pub(super) const TABLE: HostTable = HostTable {
    name: "claude",
    title: "Claude Code",
    facts: "2.1.302, 2026-10-21",
    events: &[
        event("PreToolUse", P::BeforeToolCall, Carries { ask_rewritten: Carried::Yes, ..BEFORE }),
        event("PermissionRequest", P::PermissionRequest, PERMISSION),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER),
        event("PostToolUseFailure", P::AfterToolCallFailure, Carries { replace: Carried::Impossible, ..AFTER }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, SESSION),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, Carries { deny: Carried::Yes, ..Carries::NOTHING }),
    ],
    notices: "\
        PostCompact SubagentStart SubagentStop Notification PermissionDenied PostToolBatch \
        UserPromptExpansion StopFailure Setup ConfigChange CwdChanged FileChanged DirectoryAdded \
        WorktreeRemove InstructionsLoaded MessageDisplay TaskCreated TaskCompleted TeammateIdle \
        Elicitation ElicitationResult PostModelSwitch",
    tools: &[
        tool("Bash", "Bash", &[]).needs(&["command"]),
        tool("PowerShell", "Bash", &[]).needs(&["command"]),
        tool("Read", "Read", &[]).needs(&["file_path"]),
        tool("Write", "Write", &[]).needs(&["file_path"]),
        tool("Edit", "Edit", &[]).needs(&["file_path"]),
        tool("MultiEdit", "Edit", &[]).needs(&["file_path"]),
        tool("NotebookEdit", "Edit", &[("notebook_path", "file_path"), ("new_source", "new_string")])
            .needs(&["file_path"]),
        tool("Grep", "Grep", &[]),
        tool("Glob", "Glob", &[]),
        tool("WebFetch", "WebFetch", &[]).needs(&["url"]),
        tool("WebSearch", "WebSearch", &[]),
        tool("Agent", "Task", &[]),
        tool("Task", "Task", &[]),
    ],
    keys: SNAKE_CASE,
    reads_stderr: false,
    place: EntryPlace {
        user: ".claude/settings.json",
        project: ".claude/settings.json",
        form: EntryForm::Groups,
        root: Some("hooks"),
        head: "",
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME$GATE}"#,
        millis: false,
        at_gates: r#", "onFailure": "block""#,
        matcher: Some("*"),
        events: "",
        then: "`/hooks` in Claude Code shows the hooks",
    },
};

/// Where the question has been put already: an ask is what would happen anyway.
pub(in crate::hosts) const PERMISSION: Carries = Carries {
    deny: Carried::Yes,
    ask: Carried::Yes,
    rewrite: Carried::IfAllowed,
    ask_rewritten: Carried::Degraded,
    allow: Carried::Yes,
    context: Carried::Dropped,
    ..Carries::NOTHING
};
