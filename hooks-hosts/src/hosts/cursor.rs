//! Cursor.

use super::prelude::*;
use crate::json;

/// A question is accepted and has no effect. Only a denial is reliable.
const GATE: Carries = Carries { ask: Degraded, rewrite: Degraded, context: Dropped, ..BEFORE };

pub(super) static CURSOR: Host = Host {
    name: "cursor",
    title: "Cursor",
    facts: "CLI 2026.09.18, documentation of 2026-10-08",
    events: &[
        event("preToolUse", P::BeforeToolCall, Carries { rewrite: Yes, ..GATE }),
        event("beforeShellExecution", P::BeforeToolCall, GATE).of(&["Shell"]),
        event("beforeMCPExecution", P::BeforeToolCall, GATE).of(&[MCP]),
        event("beforeReadFile beforeTabFileRead", P::BeforeToolCall, GATE).of(&["Read"]),
        // The result of an MCP tool can be replaced, no other.
        event("postToolUse", P::AfterToolCallSuccess, Carries { deny: Degraded, ..AFTER }),
        event("postToolUseFailure", P::AfterToolCallFailure, AFTER_UNREAD),
        event("afterShellExecution", P::AfterToolCallSuccess, AFTER_UNREAD).of(&["Shell"]),
        event("afterMCPExecution", P::AfterToolCallSuccess, AFTER_UNREAD).of(&[MCP]),
        event("afterFileEdit", P::AfterToolCallSuccess, AFTER_UNREAD).of(&["Write", "Edit"]),
        event("beforeSubmitPrompt", P::UserPromptSubmit, PROMPT),
        event("sessionStart", P::SessionStart, SESSION),
        event("sessionEnd", P::SessionEnd, Carries::NOTHING),
        event("stop", P::Stop, STOP),
        event("preCompact", P::BeforeCompaction, UNSTOPPED),
    ],
    notices: "subagentStart subagentStop afterAgentResponse afterAgentThought afterTabFileEdit",
    tools: &[
        tool("Shell", "Bash"),
        // It lists folders too.
        tool("Read", "Read").calling(&[("target_directory", "file_path")]).needing(&["file_path", "files"]),
        // Some builds call an edit so, and the keys tell nothing.
        tool("Write", "Write").also("Edit"),
        tool("StrReplace Edit", "Edit"),
        tool("Delete", "Delete").also("Edit"),
        own("Grep WebFetch WebSearch Task"),
    ],
    keys: PayloadKeys {
        session: &["/session_id", "/conversation_id"],
        cwd: &["/cwd", "/workspace_roots/0"],
        project: &["/workspace_roots/0"],
        input_is_text: true,
        result: &["/tool_output"],
        error: &["/error_message"],
        last_message: &[],
        stop_hook_active: &[],
        details: &[("trigger", "/trigger")],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        form: EntryForm::Flat,
        head: r#""version": 1"#,
        strict: true,
        handler: r#"{"command": $COMMAND, "timeout": $TIME$GATE}"#,
        waits: &[("", 60.0)],
        at_gates: r#", "failClosed": true"#,
        reads: "type",
        variables: "CURSOR_ CLAUDE_PROJECT_DIR",
        // A shell command and a file would be told twice. An MCP call is, because only the second event names the server.
        // A completion of a line in the editor reads files by no tool.
        events: "preToolUse beforeMCPExecution beforeTabFileRead postToolUse postToolUseFailure beforeSubmitPrompt sessionStart sessionEnd stop preCompact",
        then: "trust the workspace; the output channel `Hooks` shows the runs",
        ..EntryPlace::at(".cursor/hooks.json")
    },
    arrange,
    mcp: Some(mcp),
    complete,
    restricts,
    write,
    refuse,
    ..HOST
};

/// The events of one tool have its arguments beside everything else.
#[expect(clippy::unnecessary_wraps, reason = "another host refuses what it cannot read")]
fn arrange(event: &str, payload: &mut Value) -> Result<bool, String> {
    let (tool, arguments): (&str, &[&str]) = match event {
        "beforeShellExecution" | "afterShellExecution" => ("Shell", &["command"]),
        "beforeReadFile" | "beforeTabFileRead" => ("Read", &["file_path", "content"]),
        "afterFileEdit" => ("Edit", &["file_path", "edits"]),
        _ => ("", &[]),
    };
    if !tool.is_empty() {
        let sent = |key: &&str| Some(((*key).to_owned(), payload.get(*key)?.clone()));
        let input: Value = arguments.iter().filter_map(sent).collect();
        payload["tool_name"] = tool.into();
        payload["tool_input"] = input;
        // The event says what is called, and that is no tool of a server.
        payload["mcp_server_name"] = Value::Null;
    }
    for result in ["output", "result_json", "tool_output"] {
        if let Some(text) = payload.get(result).and_then(Value::as_str) {
            let parsed = json::parse(text.as_bytes()).ok().filter(|value| value.is_object() || value.is_array());
            payload["tool_output"] = parsed.unwrap_or_else(|| text.into());
        }
    }
    Ok(true)
}

fn mcp(tool: &str, payload: &Value) -> Option<McpName> {
    if let Some(tool) = tool.strip_prefix("MCP:") {
        return Some(McpName { server: None, tool: tool.to_owned() });
    }
    let server = json::text(payload, &["/mcp_server_name"]).map(str::to_owned);
    let is_mcp = json::text(payload, CURSOR.keys.event).is_some_and(|event| event.contains("MCP"));
    (server.is_some() || is_mcp).then(|| McpName { server, tool: tool.to_owned() })
}

fn complete(event: &mut HostEvent) {
    if event.kind == P::Stop {
        let loops = event.payload.get("loop_count").and_then(Value::as_u64);
        event.stop_hook_active = Some(loops.is_some_and(|loops| loops > 0));
    }
}

fn restricts(event: &HostEvent, carries: Carries) -> Carries {
    let replace = if event.is_mcp() { carries.replace } else { Impossible };
    if event.kind.is_after_tool() { Carries { replace, ..carries } } else { carries }
}

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    let denied = verdict.decision.denied().map(Value::from);
    let is_call = event.kind == P::BeforeToolCall;
    let is_file = matches!(&*event.host_event, "beforeReadFile" | "beforeTabFileRead");
    HostAnswer::json(object([
        ("permission", verdict.decision.permission().0.filter(|_| is_call).map(Value::from)),
        ("continue", denied.as_ref().filter(|_| !is_call).map(|_| false.into())),
        ("agent_message", denied.clone().filter(|_| is_call && !is_file)),
        ("user_message", denied),
        ("followup_message", verdict.decision.follow_up().map(Value::from)),
        ("updated_input", verdict.input.clone()),
        ("updated_mcp_tool_output", verdict.shaped(event.result.as_ref())),
        ("additional_context", verdict.context().map(Value::from)),
    ]))
}

fn refuse(reason: &str) -> HostAnswer {
    let answer = json!({
        "permission": "deny", "continue": false, "user_message": reason, "agent_message": reason,
    });
    HostAnswer { exit: 2, stderr: Some(reason.to_owned()), ..HostAnswer::json(answer) }
}
