//! Codex.

use super::nested::{self, Before};
use super::prelude::*;

/// Codex ignores an answer with a key that it does not know, and lets the call go on.
pub(super) static CODEX: Host = Host {
    name: "codex",
    title: "Codex",
    facts: "0.155.1 to 0.166, 2026-10",
    events: &[
        // A bare allow counts as a failed run.
        event("PreToolUse", P::BeforeToolCall, Carries { ask: Degraded, allow: Absent, ..BEFORE }),
        event("PermissionRequest", P::PermissionRequest, Carries { rewrite: Degraded, ..super::claude::PERMISSION }),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, SESSION),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, Carries { deny: Yes, ..Carries::NOTHING }),
    ],
    notices: "PostCompact SubagentStart SubagentStop PreModelRequest PostModelRequest Interrupt Notification",
    tools: &[own("Bash"), own("apply_patch").patch(&["command"])],
    place: EntryPlace {
        typed: true,
        home: Some(("CODEX_HOME", ".codex")),
        comments: false,
        waits: &[("SessionEnd", 1.0), ("", 600.0)],
        switches: &[(".codex/config.toml", "/features/hooks", false)],
        matcher: Some("*"),
        exact: true,
        mcp: Some("mcp__.*"),
        gone: "entries that stood behind it have another place now: review them with `/hooks` in Codex, which skips them until then",
        then: "review the hooks with `/hooks` in Codex: it skips hooks that nobody has trusted",
        ..EntryPlace::at(".codex/hooks.json")
    },
    mcp: Some(nested::mcp),
    write,
    ..HOST
};

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    const BEFORE: Before = Before { input_needs_allow: true, allow_has_reason: false, denial_alone: true };
    HostAnswer::json(match event.kind {
        P::BeforeToolCall => nested::before(event, verdict, BEFORE),
        P::PermissionRequest => nested::permission(event, verdict),
        P::SessionStart => nested::session(event, verdict),
        P::BeforeCompaction => match &verdict.decision {
            HostDecision::Deny(reason) => json!({ "continue": false, "stopReason": reason }),
            _ => json!({}),
        },
        _ => match (verdict.result_and_reason(), &verdict.decision) {
            (Some(text), HostDecision::NoOpinion) => replaced(&text, None, verdict),
            (Some(text), HostDecision::Deny(reason)) if event.kind.is_after_tool() => {
                replaced(&text, Some(reason), verdict)
            }
            (_, HostDecision::Deny(reason) | HostDecision::KeepGoing(reason)) => {
                json!({ "decision": "block", "reason": joined(reason, verdict) })
            }
            _ => nested::context(event, verdict),
        },
    })
}

/// `reason` stands in place of the result; `stopReason` is for the person.
fn replaced(text: &str, stop: Option<&str>, verdict: &HostVerdict) -> Value {
    let mut text = joined(text, verdict);
    if text.trim().is_empty() {
        "(a hook has removed the result)".clone_into(&mut text);
    }
    let why = stop.or(verdict.reason.as_deref()).unwrap_or("a hook has replaced the result of the tool");
    json!({ "continue": false, "stopReason": why, "reason": text })
}

/// A text and the contexts, which have no place of their own beside it.
fn joined(text: &str, verdict: &HostVerdict) -> String {
    std::iter::once(text).chain(verdict.contexts.iter().map(String::as_str)).collect::<Vec<_>>().join("\n\n")
}
