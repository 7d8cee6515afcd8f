//! Cline: its extension, its SDK and its command line.

mod call;

use super::nested;
use super::prelude::*;

/// `cancel` after a call would end the run.
const AFTER_CALL: Carries = Carries { deny: Degraded, replace: Impossible, ..AFTER };
const SUBMITTED: Carries = Carries { context: Dropped, ..PROMPT };
const UNREAD: Carries = Carries { context: Dropped, keep_going: Impossible, deny: Impossible, ..Carries::NOTHING };

/// The files of the extension, and the events of the SDK and the command line.
const EVENTS: &[HostEventSpec] = &[
    event("PreToolUse", P::BeforeToolCall, Carries { context: Yes, ..DENY_ONLY }),
    event("PostToolUse", P::AfterToolCallSuccess, AFTER_CALL).and_failures(),
    event("UserPromptSubmit", P::UserPromptSubmit, SUBMITTED),
    event("TaskStart", P::SessionStart, Carries { deny: Yes, ..UNREAD }),
    event("TaskComplete TaskCancel", P::SessionEnd, UNREAD),
    event("tool_call", P::BeforeToolCall, Carries { ask: Degraded, allow: Absent, ..BEFORE }),
    event("tool_result", P::AfterToolCallSuccess, AFTER_CALL).and_failures(),
    event("prompt_submit", P::UserPromptSubmit, Carries { deny: Impossible, ..SUBMITTED }),
    event("agent_start", P::SessionStart, UNREAD),
    event("agent_end", P::Stop, UNREAD),
    event("session_shutdown", P::SessionEnd, UNREAD),
];

const WRITE: &[(&str, &str)] = &[("new_text", "content")];
const EDIT: &[(&str, &str)] = &[("new_text", "new_string")];

/// A denied call ends the whole run: Cline has no word for a call that is skipped.
pub(super) static CLINE: Host = Host {
    name: "cline",
    title: "Cline",
    facts: "VS Code 4.1.13 and its SDK, 2026-10",
    events: EVENTS,
    notices: "TaskResume PreCompact Notification agent_resume agent_abort agent_error",
    tools: &[
        tool("run_commands", "Bash").needing(&["commands", "command"]),
        tool("execute_command", "Bash"),
        tool("read_files", "Read").needing(&["files", "file_path"]),
        tool("read_file", "Read"),
        tool("editor", "Edit").calling(EDIT).only_with(&["old_text", "insert_line"]),
        tool("editor write_to_file", "Write").calling(WRITE),
        tool("replace_in_file", "Edit").calling(EDIT),
        tool("apply_patch", "apply_patch").patch(&["input"]),
        tool("search_codebase", "Grep").needing(&["queries", "pattern"]),
        tool("fetch_web_content", "WebFetch").needing(&["requests", "url"]),
        tool("spawn_agent", "Task"),
    ],
    keys: PayloadKeys {
        event: &["/hookName"],
        session: &["/taskId"],
        cwd: &["/workspaceRoots/0"],
        project: &["/workspaceRoots/0"],
        tool: &["/call/name"],
        input: &["/call/input"],
        call: &["/call/id"],
        result: &["/call/result"],
        error: &["/call/error"],
        prompt: &["/userPromptSubmit/prompt", "/prompt_submit/prompt", "/prompt"],
        last_message: &["/taskComplete/taskMetadata/result"],
        ..SNAKE_CASE
    },
    place: EntryPlace {
        user: "Documents/Cline/Hooks/$EVENT",
        project: ".clinerules/hooks/$EVENT",
        form: EntryForm::Scripts,
        root: None,
        handler: "{}",
        events: "PreToolUse PostToolUse UserPromptSubmit TaskStart TaskComplete TaskCancel",
        then: "turn hooks on in Cline's settings. A denied call ends the run there, and the model is not told why",
        ..EntryPlace::at("")
    },
    arrange: call::arrange,
    mcp: Some(nested::separated),
    write,
    refuse,
    ..HOST
};

fn write(event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
    let is_file = event.host_event.starts_with(char::is_uppercase);
    let is_call = !is_file && event.kind == P::BeforeToolCall;
    let denied = verdict.decision.denied();
    HostAnswer::json(object([
        ("cancel", (denied.is_some() || is_file).then(|| denied.is_some().into())),
        ("errorMessage", denied.map(Value::from)),
        ("overrideInput", verdict.input.clone()),
        (if is_call { "context" } else { "contextModification" }, verdict.context().map(Value::from)),
    ]))
}

fn refuse(reason: &str) -> HostAnswer {
    HostAnswer::json(json!({ "cancel": true, "errorMessage": reason }))
}
