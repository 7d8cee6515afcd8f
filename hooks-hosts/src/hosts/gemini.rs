//! Gemini CLI.

use super::nested;
use super::prelude::*;
use crate::json;

pub(super) static GEMINI: Host = Host {
    name: "gemini",
    title: "Gemini CLI",
    facts: "0.56 to 0.65, 2026-10",
    events: &[
        // An allow does not skip the question.
        event("BeforeTool", P::BeforeToolCall, Carries { context: Dropped, allow: Absent, ..BEFORE }),
        event("AfterTool", P::AfterToolCallSuccess, Carries { replace: Degraded, ..AFTER }).and_failures(),
        event("BeforeAgent", P::UserPromptSubmit, PROMPT),
        event("BeforeModel", P::PreModelCall, Carries { deny: Yes, rewrite: Degraded, ..Carries::NOTHING }),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("AfterAgent", P::Stop, STOP),
        event("PreCompress", P::BeforeCompaction, UNSTOPPED),
    ],
    notices: "AfterModel BeforeToolSelection Notification",
    tools: TOOLS,
    keys: PayloadKeys {
        // One of another form is judged whole.
        result: &["/tool_response/llmContent", "/tool_response"],
        error: &["/tool_response/error"],
        last_message: &["/prompt_response"],
        details: &[
            ("model", "/llm_request/model"),
            ("messages", "/llm_request/messages"),
            ("trigger", "/trigger"),
            ("source", "/source"),
            ("reason", "/reason"),
        ],
        ..SNAKE_CASE
    },
    reads_stderr: true,
    place: EntryPlace {
        home: Some(("GEMINI_CLI_HOME", "")),
        handler: r#"{"name": "$NAME", "type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        unit: TimeUnit::Millis,
        variables: "GEMINI_ CLAUDE_PROJECT_DIR",
        waits: &[("", 60.0)],
        matcher: Some(".*"),
        mcp: Some("mcp_.*"),
        machine: "/etc/gemini-cli/settings.json",
        off: Some(("/hooksConfig/enabled", false)),
        then: "trust the folder: without trust Gemini runs no hooks of any settings; `/hooks panel` shows them",
        ..EntryPlace::at(".gemini/settings.json")
    },
    mcp: Some(mcp),
    write,
    refuse: nested::refuse,
    ..HOST
};
/// Those of Qwen too.
pub(super) const TOOLS: &[HostToolSpec] = &[
    tool("run_shell_command", "Bash"),
    tool("read_file", "Read"),
    tool("read_many_files", "Read").needing(&["files"]),
    tool("write_file", "Write"),
    tool("replace edit", "Edit"),
    tool("grep_search search_file_content", "Grep"),
    tool("glob", "Glob"),
    // Gemini has the addresses within a text.
    tool("web_fetch", "WebFetch").needing(&["url", "prompt"]),
    tool("google_web_search web_search", "WebSearch"),
    tool("invoke_agent agent", "Task"),
];

fn mcp(_tool: &str, payload: &Value) -> Option<McpName> {
    let server = json::text(payload, &["/mcp_context/server_name"])?;
    let tool = json::text(payload, &["/mcp_context/tool_name"])?;
    Some(McpName { server: Some(server.to_owned()), tool: tool.to_owned() })
}

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    let context = verdict.context().map(Value::from);
    let mut answer = nested::specific(event, [("tool_input", verdict.input.clone()), ("additionalContext", context)]);
    let mut put = |word: &str, reason: &str| {
        answer["decision"] = word.into();
        answer["reason"] = reason.into();
    };
    match (&verdict.decision, verdict.result_and_reason()) {
        // The model reads an error with this text, and no result.
        (_, Some(text)) => put("deny", &text),
        (HostDecision::Deny(reason) | HostDecision::KeepGoing(reason), _) => put("deny", reason),
        (HostDecision::Ask(reason), _) if event.kind == P::BeforeToolCall => {
            put("ask", reason);
            answer["systemMessage"] = reason.clone().into();
        }
        _ => {}
    }
    HostAnswer::json(answer)
}
