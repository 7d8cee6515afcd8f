//! Qwen Code.

use super::nested::{self, Before};
use super::prelude::*;

const AFTER_CALL: Carries = Carries { deny: Degraded, replace: Degraded, ..AFTER };

pub(super) static QWEN: Host = Host {
    name: "qwen",
    title: "Qwen Code",
    facts: "0.24.3 to 0.25.3, 2026-10-19",
    events: &[
        event("PreToolUse", P::BeforeToolCall, BEFORE),
        event("PermissionRequest", P::PermissionRequest, super::claude::PERMISSION),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER_CALL),
        event("PostToolUseFailure", P::AfterToolCallFailure, Carries { replace: Impossible, ..AFTER_CALL }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        // A text goes to the summarizer.
        event("PreCompact", P::BeforeCompaction, Carries { context: Yes, ..UNSTOPPED }),
    ],
    notices: "PostCompact SubagentStart SubagentStop StopFailure Notification",
    tools: super::gemini::TOOLS,
    keys: PayloadKeys {
        call: &["/tool_use_id", "/tool_call_id"],
        result: &["/tool_response/llmContent", "/tool_response"],
        // The event comes after results of tools too; only this is what a person wrote.
        prompt: &["/submitted_prompt", "/prompt"],
        ..SNAKE_CASE
    },
    reads_stderr: true,
    place: EntryPlace {
        home: Some(("QWEN_HOME", ".qwen")),
        // Releases disagree about seconds and milliseconds; 20000 is right at all of them.
        handler: r#"{"name": "$NAME", "type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        unit: TimeUnit::Either,
        variables: "QWEN_PROJECT_DIR GEMINI_PROJECT_DIR CLAUDE_PROJECT_DIR",
        waits: &[("", 60.0)],
        matcher: Some("*"),
        mcp: Some("mcp__.*"),
        machine: "/etc/qwen-code/settings.json",
        off: Some(("/disableAllHooks", true)),
        then: "`/hooks` in Qwen Code shows the hooks",
        ..EntryPlace::at(".qwen/settings.json")
    },
    mcp: Some(nested::mcp),
    write,
    ..HOST
};

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    const BEFORE: Before = Before { input_needs_allow: true, allow_has_reason: true, denial_alone: false };
    HostAnswer::json(match event.kind {
        P::BeforeToolCall => nested::before(event, verdict, BEFORE),
        P::PermissionRequest => nested::permission(event, verdict),
        P::AfterToolCallSuccess => {
            let mut answer = nested::context(event, verdict);
            // The model reads an error with this text, and no result.
            if let Some(text) = verdict.result_text() {
                answer["continue"] = json!(false);
                answer["stopReason"] = text.into();
            }
            answer
        }
        _ => nested::block(event, verdict),
    })
}
