//! VS Code, with its own agent.

use super::nested::{self, Before};
use super::prelude::*;

pub(super) static VSCODE: Host = Host {
    name: "vscode",
    title: "VS Code",
    facts: "source of autumn 2026, page of 2026-10-07",
    events: &[
        event("PreToolUse", P::BeforeToolCall, BEFORE),
        event("PostToolUse", P::AfterToolCallSuccess, Carries { replace: Impossible, ..AFTER }),
        event("UserPromptSubmit", P::UserPromptSubmit, PROMPT),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("Stop", P::Stop, STOP),
        event("PreCompact", P::BeforeCompaction, UNSTOPPED),
    ],
    notices: "SubagentStart SubagentStop",
    tools: &[
        tool("run_in_terminal runTerminalCommand", "Bash").keeping(&["explanation", "isBackground"]),
        tool("read_file", "Read").keeping(&["startLine", "endLine"]),
        tool("create_file createFile", "Write"),
        tool("replace_string_in_file", "Edit"),
        tool("multi_replace_string_in_file", "Edit").needing(&["edits"]),
        tool("insert_edit_into_file", "Edit"),
        tool("editFiles", "Edit").needing(&["files", "file_path"]),
        tool("apply_patch", "apply_patch").patch(&["input"]),
        tool("grep_search", "Grep"),
        tool("file_search", "Glob"),
        tool("fetch_webpage", "WebFetch").needing(&["urls", "url"]),
        tool("runSubagent", "Task"),
    ],
    keys: PayloadKeys {
        event: &["/hook_event_name", "/hookEventName"],
        session: &["/session_id", "/sessionId"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        user: ".copilot/hooks/$NAME-vscode.json",
        project: ".github/hooks/$NAME-vscode.json",
        form: EntryForm::Flat,
        reads: "bash timeoutSec",
        waits: &[("", 30.0)],
        switches: &[
            (".vscode/settings.json", "/chat.useHooks", false),
            (".config/Code/User/settings.json", "/chat.useHooks", false),
            ("Library/Application Support/Code/User/settings.json", "/chat.useHooks", false),
        ],
        then: "trust the workspace; the output channel `GitHub Copilot Chat Hooks` shows the runs",
        ..EntryPlace::at("")
    },
    // A call that does not fit the tool's schema runs as the model wrote it.
    needs_all: true,
    write,
    foreign,
    ..HOST
};

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    HostAnswer::json(match (event.kind, &verdict.decision) {
        (P::BeforeToolCall, _) => nested::before(event, verdict, Before::default()),
        // The page and the source agree on this form only.
        (P::UserPromptSubmit, HostDecision::Deny(reason)) => {
            json!({ "continue": false, "stopReason": reason })
        }
        // Nested, where Claude Code has it above.
        (P::Stop, HostDecision::KeepGoing(reason)) => {
            nested::specific(event, [("decision", Some("block".into())), ("reason", Some(reason.clone().into()))])
        }
        _ => nested::block(event, verdict),
    })
}

/// Copilot CLI reads the same folders.
fn foreign(_event: Option<&str>, _payload: &Value, env: &dyn Fn(&str) -> bool) -> Option<Foreign> {
    env("COPILOT_CLI").then_some(Foreign::As("copilot"))
}
