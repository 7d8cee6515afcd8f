//! Claude Code.

use super::nested::{self, Before};
use super::prelude::*;

pub(super) static CLAUDE: Host = Host {
    name: "claude",
    title: "Claude Code",
    facts: "2.1.302, 2026-10-21",
    events: &[
        event("PreToolUse", P::BeforeToolCall, Carries { ask_rewritten: Yes, ..BEFORE }),
        event("PermissionRequest", P::PermissionRequest, PERMISSION),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER),
        event("PostToolUseFailure", P::AfterToolCallFailure, Carries { replace: Impossible, ..AFTER }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, SESSION),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, Carries { deny: Yes, ..Carries::NOTHING }),
    ],
    notices: "\
        PostCompact SubagentStart SubagentStop Notification PermissionDenied PostToolBatch \
        UserPromptExpansion StopFailure PreModelSwitch Setup ConfigChange CwdChanged FileChanged DirectoryAdded \
        WorktreeRemove InstructionsLoaded MessageDisplay TaskCreated TaskCompleted TeammateIdle \
        Elicitation ElicitationResult PostModelSwitch",
    tools: &[
        tool("Bash PowerShell", "Bash"),
        own("Read Write Grep Glob WebFetch WebSearch TodoWrite AskUserQuestion ExitPlanMode"),
        tool("Edit MultiEdit NotebookEdit", "Edit"),
        tool("Agent Task", "Task"),
    ],
    place: EntryPlace {
        home: Some(("CLAUDE_CONFIG_DIR", ".claude")),
        handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME$GATE}"#,
        at_gates: r#", "onFailure": "block""#,
        reads: "args",
        variables: "CLAUDE_",
        waits: &[("UserPromptSubmit", 30.0), ("", 600.0)],
        matcher: Some("*"),
        exact: true,
        mcp: Some("mcp__.*"),
        off: Some(("/disableAllHooks", true)),
        switches: &[
            ("/etc/claude-code/managed-settings.json", "/disableAllHooks", true),
            ("/etc/claude-code/managed-settings.json", "/allowManagedHooksOnly", true),
            ("/Library/Application Support/ClaudeCode/managed-settings.json", "/disableAllHooks", true),
            ("/Library/Application Support/ClaudeCode/managed-settings.json", "/allowManagedHooksOnly", true),
        ],
        then: "`/hooks` in Claude Code shows the hooks",
        ..EntryPlace::at(".claude/settings.json")
    },
    mcp: Some(nested::mcp),
    write,
    foreign,
    ..HOST
};
/// Where the question has been put already: an ask is what would happen anyway.
pub(super) const PERMISSION: Carries = Carries {
    deny: Yes,
    ask: Yes,
    rewrite: IfAllowed,
    ask_rewritten: Degraded,
    allow: Yes,
    context: Dropped,
    ..Carries::NOTHING
};

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    HostAnswer::json(match event.kind {
        P::BeforeToolCall => nested::before(event, verdict, Before::default()),
        P::PermissionRequest => nested::permission(event, verdict),
        P::AfterToolCallSuccess => after(event, verdict),
        P::SessionStart => nested::session(event, verdict),
        _ => nested::block(event, verdict),
    })
}

/// What the payload shows counts: a variable of the environment may have come from a terminal within another host.
fn foreign(_event: Option<&str>, payload: &Value, env: &dyn Fn(&str) -> bool) -> Option<Foreign> {
    if payload.get("cursor_version").is_some() {
        return Some(Foreign::Silent("cursor"));
    }
    if payload.get("timestamp").is_none() || payload.get("permission_mode").is_some() {
        return None;
    }
    if env("COPILOT_CLI") {
        return Some(Foreign::As("copilot"));
    }
    let tool = payload.get("tool_name").and_then(Value::as_str);
    let ours = |name: &str| nested::mcp(name, payload).is_some() || CLAUDE.tools().any(|tool| tool.name == name);
    (!tool.is_some_and(ours)).then_some(Foreign::As("vscode"))
}

/// After a call. A replaced result keeps the form of the tool's own, or Claude Code ignores it.
fn after(event: &HostEvent, verdict: &HostVerdict) -> Value {
    let mut answer = nested::block(event, verdict);
    if let Some(shaped) = verdict.shaped(event.result.as_ref()) {
        if answer.get("hookSpecificOutput").is_none() {
            answer["hookSpecificOutput"] = json!({ "hookEventName": event.host_event });
        }
        answer["hookSpecificOutput"]["updatedToolOutput"] = shaped;
    }
    answer
}
