//! Droid.

use super::nested::{self, Before};
use super::prelude::*;

pub(super) static DROID: Host = Host {
    name: "droid",
    title: "Droid",
    facts: "0.223 to 0.245, 2026-10-20",
    events: &[
        // Changed arguments are documented with an allow only, which skips the question.
        event("PreToolUse", P::BeforeToolCall, Carries { rewrite: IfAllowed, context: Dropped, ..BEFORE }),
        event("PostToolUse", P::AfterToolCallSuccess, Carries { replace: Impossible, ..AFTER }).and_failures(),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, Carries { deny: Yes, ..Carries::NOTHING }),
    ],
    notices: "SubagentStop Notification",
    tools: &[
        tool("Execute", "Bash"),
        own("Read Grep Glob WebSearch Task"),
        tool("Create Write", "Write"),
        tool("Edit MultiEdit", "Edit"),
        tool("ApplyPatch", "apply_patch").patch(&["input", "patch"]),
        tool("FetchUrl", "WebFetch"),
    ],
    keys: PayloadKeys {
        event: &["/hook_event_name", "/hookEventName"],
        session: &["/session_id", "/sessionId"],
        stop_hook_active: &["/stop_hook_active", "/stopHookActive"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        typed: true,
        waits: &[("", 60.0)],
        variables: "FACTORY_ DROID_ CLAUDE_PROJECT_DIR",
        matcher: Some("*"),
        mcp: Some("mcp__.*"),
        bare: "hooks.json",
        then: "start Droid again: it reads hooks at its start. An event in `.factory/hooks.json` hides the same one of the settings",
        ..EntryPlace::at(".factory/settings.json")
    },
    mcp: Some(nested::mcp),
    complete,
    write,
    ..HOST
};

/// A failed command is a result like others; its last line has the exit code.
fn complete(event: &mut HostEvent) {
    let text = event.result.as_ref().and_then(Value::as_str).unwrap_or_default();
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
    let code = last.strip_prefix("[Process exited with code ").and_then(|rest| rest.strip_suffix(']'));
    event.exit_code = code.and_then(|code| code.trim().parse().ok());
    if event.exit_code.is_some_and(|code| code != 0) {
        event.kind = P::AfterToolCallFailure;
    }
}

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    const BEFORE: Before = Before { input_needs_allow: true, allow_has_reason: true, denial_alone: false };
    // Only an exit status stops a compaction.
    if let (P::BeforeCompaction, HostDecision::Deny(reason)) = (event.kind, &verdict.decision) {
        return HostAnswer::exit_2(reason);
    }
    HostAnswer::json(match event.kind {
        P::BeforeToolCall => nested::before(event, verdict, BEFORE),
        _ => nested::block(event, verdict),
    })
}
