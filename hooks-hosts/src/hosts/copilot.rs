//! Copilot CLI.

use super::prelude::*;

/// The casing of an event's name is the dialect of its payload.
const EVENTS: &[HostEventSpec] = &[
    event("preToolUse PreToolUse", P::BeforeToolCall, Carries { context: Dropped, ..BEFORE }),
    event(
        "permissionRequest PermissionRequest",
        P::PermissionRequest,
        Carries { rewrite: Degraded, ..super::claude::PERMISSION },
    ),
    event("postToolUse PostToolUse", P::AfterToolCallSuccess, Carries { deny: Degraded, ..AFTER }),
    event(
        "postToolUseFailure PostToolUseFailure",
        P::AfterToolCallFailure,
        Carries { deny: Degraded, replace: Impossible, ..AFTER },
    ),
    // The page says that the output of the prompt's event is dropped, a changelog that its context arrives.
    event("userPromptSubmitted UserPromptSubmit", P::UserPromptSubmit, Carries { deny: Impossible, ..PROMPT }),
    event("sessionStart SessionStart", P::SessionStart, CONTEXT),
    event("sessionEnd SessionEnd", P::SessionEnd, Carries::NOTHING),
    event("agentStop Stop", P::Stop, STOP),
    event("preCompact PreCompact", P::BeforeCompaction, UNSTOPPED),
];

pub(super) static COPILOT: Host = Host {
    name: "copilot",
    title: "Copilot CLI",
    facts: "1.0.71 to 1.0.101, 2026-10-20",
    events: EVENTS,
    notices: "\
        userPromptTransformed subagentStart SubagentStart subagentStop SubagentStop errorOccurred notification Notification",
    tools: &[
        tool("bash powershell", "Bash"),
        // What is typed into a shell that runs.
        tool("write_bash write_powershell", "Bash").calling(&[("input", "command")]),
        // The Pascal dialect has Claude's names, and may have Claude's arguments.
        tool("view Read", "Read"),
        tool("create Write", "Write"),
        tool("edit str_replace", "Edit"),
        tool("apply_patch", "apply_patch").patch(&["input"]),
        tool("grep rg", "Grep"),
        tool("glob", "Glob"),
        tool("web_fetch", "WebFetch"),
        tool("web_search", "WebSearch"),
        tool("task", "Task"),
    ],
    keys: PayloadKeys {
        session: &["/sessionId", "/session_id"],
        tool: &["/toolName", "/tool_name"],
        input: &["/toolArgs", "/tool_input"],
        input_is_text: true,
        call: &["/toolCallId", "/tool_use_id"],
        // One of another form is judged whole.
        result: &["/toolResult/textResultForLlm", "/tool_result/text_result_for_llm", "/toolResult", "/tool_result"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        home: Some(("COPILOT_HOME", ".copilot")),
        user: ".copilot/hooks/$NAME.json",
        project: ".github/hooks/$NAME.json",
        form: EntryForm::Flat,
        head: r#""version": 1"#,
        handler: r#"{"type": "command", "bash": $COMMAND, "timeoutSec": $TIME}"#,
        reads: "command exec args timeout",
        variables: "COPILOT_",
        waits: &[("", 30.0)],
        closes: true,
        off: Some(("/disableAllHooks", true)),
        switches: &[
            (".github/copilot/settings.local.json", "/disableAllHooks", true),
            (".github/copilot/settings.json", "/disableAllHooks", true),
            (".copilot/settings.json", "/disableAllHooks", true),
        ],
        events: "preToolUse permissionRequest postToolUse postToolUseFailure userPromptSubmitted sessionStart sessionEnd agentStop preCompact",
        then: "start Copilot again; it reads hooks at its start only, and those of a repository in a trusted folder only",
        ..EntryPlace::at("")
    },
    counts_bytes: true,
    event_by_keys,
    arrange,
    write,
    refuse,
    foreign,
    ..HOST
};
/// The camelCase dialect names no event, but the keys of the tool events tell them apart.
fn event_by_keys(payload: &Value) -> Option<&'static str> {
    let has = |key: &str| payload.get(key).is_some();
    match (has("toolName"), has("toolResult"), has("error")) {
        (true, false, false) => Some("preToolUse"),
        (true, true, _) => Some("postToolUse"),
        (true, false, true) => Some("postToolUseFailure"),
        _ if has("stopReason") => Some("agentStop"),
        _ if has("prompt") && !has("transformedPrompt") => Some("userPromptSubmitted"),
        _ => None,
    }
}

/// VS Code reads the same folders, and calls an entry of either casing with a payload that names its event. Copilot names none
/// in the payloads of the camelCase entries that are installed.
fn foreign(event: Option<&str>, payload: &Value, env: &dyn Fn(&str) -> bool) -> Option<Foreign> {
    let has = |key: &str| payload.get(key).is_some();
    let names_event = (has("hook_event_name") || has("hookEventName")) && !has("toolName");
    let is_ours = event.is_some_and(|event| event.starts_with(char::is_lowercase));
    let tool = payload.get("tool_name").and_then(Value::as_str);
    let is_theirs = |tool: &str| super::vscode::VSCODE.knows(tool) && !COPILOT.knows(tool);
    let is_other = names_event && (is_ours || tool.is_some_and(is_theirs));
    (is_other && !env("COPILOT_CLI")).then_some(Foreign::As("vscode"))
}

/// The arguments of `apply_patch` are the text of the patch.
#[expect(clippy::unnecessary_wraps, reason = "another host refuses what it cannot read")]
fn arrange(_event: &str, payload: &mut Value) -> Result<bool, String> {
    let mut is_writable = true;
    for (tool, arguments) in [("toolName", "toolArgs"), ("tool_name", "tool_input")] {
        let patches = payload.get(tool).and_then(Value::as_str).is_some_and(|name| name == "apply_patch");
        let text = payload.get(arguments).and_then(Value::as_str).filter(|_| patches);
        if let Some(text) = text.filter(|text| crate::json::parse(text.as_bytes()).is_err()) {
            payload[arguments] = json!({ "input": text });
            is_writable = false;
        }
    }
    Ok(is_writable)
}

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    let (word, reason) = match verdict.decision.permission() {
        (Some("ask"), _) if event.kind != P::BeforeToolCall => (None, None),
        said => said,
    };
    let keys = match event.kind {
        P::PermissionRequest => ("behavior", "message"),
        _ => ("permissionDecision", "permissionDecisionReason"),
    };
    let follow_up = verdict.decision.follow_up();
    let result = |text| json!({ "resultType": "success", "textResultForLlm": text });
    HostAnswer::json(object([
        (keys.0, word.map(Value::from)),
        (keys.1, reason.map(Value::from)),
        ("decision", follow_up.map(|_| "block".into())),
        ("reason", follow_up.map(Value::from)),
        ("modifiedArgs", verdict.input.clone()),
        ("modifiedResult", verdict.result_text().map(result)),
        ("additionalContext", verdict.context().map(Value::from)),
    ]))
}

/// Copilot closes on any exit status before a call, and on 2 at a permission.
fn refuse(reason: &str) -> HostAnswer {
    let answer = json!({
        "permissionDecision": "deny", "permissionDecisionReason": reason, "behavior": "deny", "message": reason,
    });
    HostAnswer { exit: 2, ..HostAnswer::json(answer) }
}
