//! Windsurf.

use super::prelude::*;
use crate::json;

/// Only an exit status of 2 is heard, with the reason on standard error.
pub(super) static WINDSURF: Host = Host {
    name: "windsurf",
    title: "Windsurf",
    facts: "vendor's pages of 2026",
    events: &[
        event("pre_run_command", P::BeforeToolCall, DENY_ONLY).of(&["run_command"]),
        event("pre_write_code", P::BeforeToolCall, DENY_ONLY).of(&["write_code"]),
        event("pre_read_code", P::BeforeToolCall, DENY_ONLY).of(&["read_code"]),
        event("pre_mcp_tool_use", P::BeforeToolCall, DENY_ONLY).of(&[MCP]),
        event("post_run_command", P::AfterToolCallSuccess, AFTER_UNREAD).of(&["run_command"]),
        event("post_write_code", P::AfterToolCallSuccess, AFTER_UNREAD).of(&["write_code"]),
        event("post_read_code", P::AfterToolCallSuccess, AFTER_UNREAD).of(&["read_code"]),
        event("post_mcp_tool_use", P::AfterToolCallSuccess, AFTER_UNREAD).of(&[MCP]),
        event("pre_user_prompt", P::UserPromptSubmit, Carries { context: Dropped, ..PROMPT }),
        event("post_cascade_response", P::Stop, Carries { keep_going: Impossible, ..Carries::NOTHING }),
    ],
    notices: "post_setup_worktree",
    tools: &[
        tool("run_command", "Bash"),
        // It writes new files too.
        tool("write_code", "Edit").also("Write"),
        tool("read_code", "Read"),
    ],
    keys: PayloadKeys {
        event: &["/agent_action_name"],
        session: &["/trajectory_id"],
        cwd: &["/tool_info/cwd"],
        tool: &["/tool_name", "/tool_info/mcp_tool_name"],
        input: &["/tool_input"],
        result: &["/tool_info/mcp_result"],
        prompt: &["/tool_info/user_prompt"],
        last_message: &["/tool_info/response"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        user: ".codeium/windsurf/hooks.json",
        project: ".windsurf/hooks.json",
        form: EntryForm::Flat,
        handler: r#"{"command": $COMMAND, "show_output": true}"#,
        then: "start Windsurf again",
        ..EntryPlace::at("")
    },
    arrange,
    mcp: Some(mcp),
    write,
    ..HOST
};

/// The event names the tool.
#[expect(clippy::unnecessary_wraps, reason = "another host refuses what it cannot read")]
fn arrange(event: &str, payload: &mut Value) -> Result<bool, String> {
    let Some(info) = payload.get("tool_info").cloned() else { return Ok(true) };
    let of_server = |key: &str| info.get(key).cloned().unwrap_or(Value::Null);
    (payload["tool_name"], payload["tool_input"]) = match event.trim_start_matches("pre_").trim_start_matches("post_") {
        "mcp_tool_use" => (of_server("mcp_tool_name"), of_server("mcp_tool_arguments")),
        tool => (tool.into(), info),
    };
    Ok(true)
}

fn mcp(tool: &str, payload: &Value) -> Option<McpName> {
    payload.pointer("/tool_info/mcp_tool_name")?;
    let server = json::text(payload, &["/tool_info/mcp_server_name"]).map(str::to_owned);
    Some(McpName { server, tool: tool.to_owned() })
}

fn write(_event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    match &verdict.decision {
        HostDecision::Deny(reason) => HostAnswer::exit_2(reason),
        _ => HostAnswer::default(),
    }
}
