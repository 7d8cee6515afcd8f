use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, CONTEXT, Carried, Carries, HostTable, PROMPT, PayloadKeys, SNAKE_CASE, STOP, UNSTOPPED, event,
};

const AFTER_CALL: Carries = Carries { deny: Carried::Degraded, replace: Carried::Degraded, ..AFTER };

pub(super) const TABLE: HostTable = HostTable {
    name: "qwen",
    title: "Qwen Code",
    facts: "0.24.3 to 0.25.3, 2026-10-19",
    events: &[
        event("PreToolUse", P::BeforeToolCall, BEFORE),
        event("PermissionRequest", P::PermissionRequest, super::super::claude::PERMISSION),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER_CALL),
        event("PostToolUseFailure", P::AfterToolCallFailure, Carries { replace: Carried::Impossible, ..AFTER_CALL }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        // A text goes to the summarizer.
        event("PreCompact", P::BeforeCompaction, Carries { context: Carried::Yes, ..UNSTOPPED }),
    ],
    notices: "PostCompact SubagentStart SubagentStop Notification",
    tools: super::super::gemini::TOOLS,
    keys: PayloadKeys {
        call: &["/tool_use_id", "/tool_call_id"],
        result: &["/tool_response/llmContent", "/tool_response"],
        // The event comes after results of tools too; only this is what a person wrote.
        prompt: &["/submitted_prompt", "/prompt"],
        ..SNAKE_CASE
    },
    reads_stderr: true,
    place: EntryPlace {
        user: ".qwen/settings.json",
        project: ".qwen/settings.json",
        form: EntryForm::Groups,
        root: Some("hooks"),
        head: "",
        // Releases disagree about seconds and milliseconds; 20000 is right at all of them.
        handler: r#"{"name": "$NAME", "type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        millis: true,
        at_gates: "",
        matcher: Some("*"),
        events: "",
        then: "`/hooks` in Qwen Code shows the hooks",
    },
};
