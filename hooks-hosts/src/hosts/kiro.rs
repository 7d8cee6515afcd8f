//! Kiro.

use super::prelude::*;

/// The casing of an event's name is the engine: V3 writes `PreToolUse`, V1 and V2 `preToolUse`.
const EVENTS: &[HostEventSpec] = &[
    event("PreToolUse", P::BeforeToolCall, Carries { ask: Yes, ..DENY_ONLY }),
    event("preToolUse", P::BeforeToolCall, DENY_ONLY),
    event("PostToolUse", P::AfterToolCallSuccess, AFTER_UNREAD),
    // Only the results of V2 say whether the tool has failed.
    event("postToolUse", P::AfterToolCallSuccess, AFTER_UNREAD).and_failures(),
    event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
    event("userPromptSubmit", P::UserPromptSubmit, Carries { deny: Impossible, ..PROMPT }),
    event("SessionStart agentSpawn", P::SessionStart, CONTEXT),
    event("SessionEnd", P::SessionEnd, Carries::NOTHING),
    event("Stop", P::Stop, STOP),
    event("stop", P::Stop, Carries { keep_going: Impossible, ..Carries::NOTHING }),
];

pub(super) static KIRO: Host = Host {
    name: "kiro",
    title: "Kiro",
    facts: "CLI 2.22 to 2.28, IDE 1.2.37, 2026-10-08",
    events: EVENTS,
    notices: "PreTaskExec PostTaskExec PostFileCreate PostFileSave PostFileDelete Manual",
    tools: &[
        tool("execute_bash shell", "Bash"),
        tool("fs_read read", "Read").needing(&["file_path", "files"]),
        tool("fs_write write", "Edit").only_with(&["old_str", "insert_line"]),
        tool("fs_write write", "Write").calling(&[("new_str", "content")]).only_with(&["command=append"]).also("Edit"),
        tool("fs_write write", "Write"),
        tool("str_replace", "Edit"),
        tool("grep", "Grep"),
        tool("glob", "Glob"),
        tool("web_fetch", "WebFetch"),
        tool("web_search", "WebSearch"),
        tool("subagent", "Task"),
    ],
    keys: PayloadKeys { last_message: &["/assistant_response"], ..SNAKE_CASE },
    place: EntryPlace {
        form: EntryForm::List,
        head: r#""version": "v1""#,
        handler: r#"{"name": "$NAME $EVENT", "trigger": "$EVENT", "action": {"type": "command", "command": $COMMAND}, "timeout": $TIME, "enabled": true}"#,
        // The engine V2 waits for ten.
        waits: &[("preToolUse postToolUse userPromptSubmit agentSpawn stop", 10.0), ("", 60.0)],
        matcher: Some(".*"),
        variables: "USER_PROMPT",
        mcp: Some("@.*"),
        events: "PreToolUse PostToolUse UserPromptSubmit SessionStart SessionEnd Stop",
        then: "start Kiro with `--v3`, or use its IDE: the engine V2 reads hooks from agent files only",
        ..EntryPlace::at(".kiro/hooks/$NAME.json")
    },
    mcp: Some(mcp),
    complete,
    write,
    ..HOST
};

fn mcp(tool: &str, _payload: &Value) -> Option<McpName> {
    let (server, tool) = tool.strip_prefix('@')?.split_once('/')?;
    Some(McpName { server: Some(server.to_owned()), tool: tool.to_owned() })
}

fn complete(event: &mut HostEvent) {
    let failed = event.result.as_ref().and_then(|result| result.get("success")) == Some(&Value::Bool(false));
    if event.kind.is_after_tool() && failed {
        event.kind = P::AfterToolCallFailure;
    }
}

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    match (&verdict.decision, event.kind) {
        (HostDecision::Deny(reason), _) => HostAnswer::exit_2(reason),
        // The reason has no place.
        (HostDecision::Ask(_), _) => HostAnswer::json(json!({ "hookSpecificOutput": { "permissionDecision": "ask" } })),
        (HostDecision::KeepGoing(reason), _) => HostAnswer::json(json!({ "decision": "block", "reason": reason })),
        (_, P::UserPromptSubmit | P::SessionStart) => match verdict.context() {
            Some(text) => HostAnswer { stdout: Stdout::Text(text), ..HostAnswer::default() },
            None => HostAnswer::default(),
        },
        _ => HostAnswer::default(),
    }
}
