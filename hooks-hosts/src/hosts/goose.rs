//! goose.

use super::nested;
use super::prelude::*;

pub(super) static GOOSE: Host = Host {
    name: "goose",
    title: "goose",
    facts: "1.51.0 and the source of autumn 2026",
    events: &[
        event("PreToolUse", P::BeforeToolCall, DENY_ONLY),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("PostToolUseFailure", P::AfterToolCallFailure, AFTER_UNREAD),
        event("UserPromptSubmit", P::UserPromptSubmit, Carries { deny: Impossible, context: Dropped, ..PROMPT }),
        event("SessionStart", P::SessionStart, Carries { context: Dropped, ..Carries::NOTHING }),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
    ],
    notices: "PreToolUseResult BeforeShellExecution BeforeReadFile AfterShellExecution AfterFileEdit",
    tools: &[
        tool("shell developer__shell", "Bash"),
        tool("write", "Write"),
        tool("edit", "Edit"),
        tool("developer__text_editor", "Write").only_with(&["file_text"]),
        tool("developer__text_editor", "Edit").only_with(&["old_str", "new_str", "insert_line", "diff"]),
        // Its `command` alone says whether it reads.
        tool("developer__text_editor", "Read").also("Edit"),
    ],
    keys: PayloadKeys {
        event: &["/event"],
        cwd: &["/working_dir"],
        call: &["/tool_call_id"],
        result: &["/tool_output"],
        prompt: &["/message"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        typed: true,
        comments: false,
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME$GATE}"#,
        at_gates: r#", "on_failure": "block""#,
        variables: "PLUGIN_ROOT",
        waits: &[("", 30.0)],
        matcher: Some(""),
        mcp: Some(".*__.*"),
        then: "start goose again",
        ..EntryPlace::at(".agents/plugins/$NAME/hooks/hooks.json")
    },
    mcp: Some(mcp),
    write,
    refuse,
    ..HOST
};

fn mcp(tool: &str, payload: &Value) -> Option<McpName> {
    nested::separated(tool, payload).filter(|_| !GOOSE.tools().any(|spec| spec.name.eq_ignore_ascii_case(tool)))
}

/// An empty object counts as a hook that failed.
fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    match (&verdict.decision, event.kind) {
        (HostDecision::Deny(reason) | HostDecision::KeepGoing(reason), _) => refuse(reason),
        (_, P::BeforeToolCall | P::Stop) => HostAnswer::json(json!({ "decision": "allow" })),
        _ => HostAnswer::default(),
    }
}

fn refuse(reason: &str) -> HostAnswer {
    HostAnswer::json(json!({ "decision": "block", "reason": reason }))
}
