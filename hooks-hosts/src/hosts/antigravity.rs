//! Antigravity.

use super::nested;
use super::prelude::*;

pub(super) static ANTIGRAVITY: Host = Host {
    name: "antigravity",
    title: "Antigravity",
    facts: "1.1.2 to 1.4.3, 2026-10-21",
    events: &[
        // What an allow means is disputed, and no decision at all prompts: it is the word for no opinion.
        event("PreToolUse", P::BeforeToolCall, Carries { context: Dropped, allow: Absent, ..BEFORE }),
        event("PostToolUse", P::AfterToolCallSuccess, AFTER_UNREAD).and_failures(),
        event("PreInvocation", P::PreModelCall, CONTEXT),
        event("Stop", P::Stop, STOP),
    ],
    notices: "PostInvocation",
    tools: &[
        tool("run_command", "Bash").keeping(&["Cwd"]),
        tool("send_command_input", "Bash").calling(&[("Input", "command")]),
        tool("view_file", "Read"),
        tool("write_to_file", "Write"),
        tool("replace_file_content multi_replace_file_content", "Edit"),
        tool("grep_search", "Grep"),
        tool("find_by_name", "Glob"),
        tool("read_url_content", "WebFetch"),
        tool("search_web", "WebSearch"),
        tool("invoke_subagent", "Task"),
    ],
    keys: PayloadKeys {
        event: &[],
        session: &["/conversationId"],
        cwd: &["/workspacePaths/0"],
        project: &["/workspacePaths/0"],
        tool: &["/toolCall/name"],
        input: &["/toolCall/args"],
        error: &["/error"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        user: ".gemini/config/hooks.json",
        project: ".agents/hooks.json",
        form: EntryForm::Named,
        root: None,
        waits: &[("", 30.0)],
        matcher: Some("*"),
        then: "check with `agy -p /hooks`: a file that it cannot read is dropped whole, in silence",
        ..EntryPlace::at("")
    },
    needs_all: true,
    event_by_keys,
    complete,
    write,
    refuse: nested::refuse,
    ..HOST
};

/// The payload names no event; only a call that has not run can be told from the rest.
fn event_by_keys(payload: &Value) -> Option<&'static str> {
    let has = |key: &str| payload.get(key).is_some();
    match (has("toolCall"), has("executionNum"), has("invocationNum")) {
        (true, ..) if !has("error") => Some("PreToolUse"),
        (_, true, _) => Some("Stop"),
        (_, _, true) => Some("PreInvocation"),
        _ => None,
    }
}

fn complete(event: &mut HostEvent) {
    let (name, key) = match event.kind {
        P::AfterToolCallSuccess => ("step", "stepIdx"),
        P::Stop => ("termination", "terminationReason"),
        _ => return,
    };
    event.details.extend(event.payload.get(key).map(|value| (name.to_owned(), value.clone())));
}

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    HostAnswer::json(match (event.kind, &verdict.decision) {
        (P::BeforeToolCall, HostDecision::Deny(reason)) => return nested::refuse(reason),
        (P::BeforeToolCall, HostDecision::Ask(reason)) => json!({ "decision": "force_ask", "reason": reason }),
        (P::BeforeToolCall, _) => object([("decision", Some("allow".into())), ("overwrite", verdict.input.clone())]),
        (P::Stop, HostDecision::KeepGoing(reason)) => json!({ "decision": "continue", "reason": reason }),
        (P::Stop, _) => json!({ "decision": "stop" }),
        (P::PreModelCall, _) => {
            object([("injectSteps", verdict.context().map(|text| json!([{ "ephemeralMessage": text }])))])
        }
        _ => json!({}),
    })
}
