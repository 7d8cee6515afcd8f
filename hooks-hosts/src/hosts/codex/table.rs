use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{AFTER, BEFORE, Carried, Carries, HostTable, PROMPT, SESSION, SNAKE_CASE, STOP, event, tool};

pub(super) const TABLE: HostTable = HostTable {
    name: "codex",
    title: "Codex",
    facts: "0.155.1 to 0.166, 2026-10",
    events: &[
        // A bare allow counts as a failed run.
        event("PreToolUse", P::BeforeToolCall, Carries { ask: Carried::Degraded, allow: Carried::Absent, ..BEFORE }),
        event(
            "PermissionRequest",
            P::PermissionRequest,
            Carries { rewrite: Carried::Degraded, ..super::super::claude::PERMISSION },
        ),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, SESSION),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, Carries { deny: Carried::Yes, ..Carries::NOTHING }),
    ],
    notices: "PostCompact SubagentStart SubagentStop PreModelRequest PostModelRequest Interrupt Notification",
    tools: &[
        tool("Bash", "Bash", &[]).needs(&["command"]),
        tool("apply_patch", "apply_patch", &[]).patch(&["command"]),
    ],
    keys: SNAKE_CASE,
    reads_stderr: false,
    place: EntryPlace {
        user: ".codex/hooks.json",
        project: ".codex/hooks.json",
        form: EntryForm::Groups,
        root: Some("hooks"),
        head: "",
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        millis: false,
        at_gates: "",
        matcher: Some("*"),
        events: "",
        then: "review the hooks with `/hooks` in Codex: it skips hooks that nobody has trusted",
    },
};
