use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, CONTEXT, Carried, Carries, HostEventSpec, HostTable, PROMPT, PayloadKeys, STOP, UNSTOPPED, event,
    tool,
};

const AFTER_CALL: Carries = Carries { deny: Carried::Degraded, ..AFTER };
const AFTER_FAILURE: Carries = Carries { replace: Carried::Impossible, ..AFTER_CALL };
const BEFORE_CALL: Carries = Carries { context: Carried::Dropped, ..BEFORE };

const PERMISSION: Carries = Carries { rewrite: Carried::Degraded, ..super::super::claude::PERMISSION };

/// The page says that the output of the prompt's event is dropped, a changelog that its context arrives.
const SUBMITTED: Carries = Carries { deny: Carried::Impossible, ..PROMPT };

/// The casing of an event's name is the dialect of its payload.
const EVENTS: &[HostEventSpec] = &[
    event("preToolUse", P::BeforeToolCall, BEFORE_CALL),
    event("PreToolUse", P::BeforeToolCall, BEFORE_CALL),
    event("permissionRequest", P::PermissionRequest, PERMISSION),
    event("PermissionRequest", P::PermissionRequest, PERMISSION),
    event("postToolUse", P::AfterToolCallSuccess, AFTER_CALL),
    event("PostToolUse", P::AfterToolCallSuccess, AFTER_CALL),
    event("postToolUseFailure", P::AfterToolCallFailure, AFTER_FAILURE),
    event("PostToolUseFailure", P::AfterToolCallFailure, AFTER_FAILURE),
    event("userPromptSubmitted", P::UserPromptSubmit, SUBMITTED),
    event("UserPromptSubmit", P::UserPromptSubmit, SUBMITTED),
    event("sessionStart", P::SessionStart, CONTEXT),
    event("SessionStart", P::SessionStart, CONTEXT),
    event("sessionEnd", P::SessionEnd, Carries::NOTHING),
    event("SessionEnd", P::SessionEnd, Carries::NOTHING),
    event("agentStop", P::Stop, STOP),
    event("Stop", P::Stop, STOP),
    event("preCompact", P::BeforeCompaction, UNSTOPPED),
    event("PreCompact", P::BeforeCompaction, UNSTOPPED),
];

pub(super) const TABLE: HostTable = HostTable {
    name: "copilot",
    title: "Copilot CLI",
    facts: "1.0.71 to 1.0.101, 2026-10-20",
    events: EVENTS,
    notices: "\
        userPromptTransformed subagentStart SubagentStart subagentStop SubagentStop errorOccurred notification Notification",
    tools: &[
        tool("bash", "Bash", &[]).needs(&["command"]),
        tool("powershell", "Bash", &[]).needs(&["command"]),
        // What is typed into a shell that runs.
        tool("write_bash", "Bash", INPUT).needs(&["command"]),
        tool("write_powershell", "Bash", INPUT).needs(&["command"]),
        tool("view", "Read", &[("path", "file_path")]).needs(&["file_path"]),
        tool("Read", "Read", &[]).needs(&["file_path"]),
        tool("create", "Write", &[("path", "file_path"), ("file_text", "content")]).needs(&["file_path"]),
        tool("Write", "Write", &[]).needs(&["file_path"]),
        // The Pascal dialect has Claude's names, and may have Claude's arguments.
        tool("edit", "Edit", EDIT).only_with(&["path"]).needs(&["file_path"]),
        tool("edit", "Edit", &[]).needs(&["file_path"]),
        tool("str_replace", "Edit", EDIT).needs(&["file_path"]),
        tool("apply_patch", "apply_patch", &[]).patch(&["input"]),
        tool("grep", "Grep", &[]),
        tool("rg", "Grep", &[]),
        tool("glob", "Glob", &[]),
        tool("web_fetch", "WebFetch", &[]).needs(&["url"]),
        tool("web_search", "WebSearch", &[]),
        tool("task", "Task", &[]),
    ],
    keys: PayloadKeys {
        event: &["/hook_event_name"],
        session: &["/sessionId", "/session_id"],
        cwd: &["/cwd"],
        tool: &["/toolName", "/tool_name"],
        input: &["/toolArgs", "/tool_input"],
        input_is_text: true,
        call: &["/toolCallId", "/tool_use_id"],
        result: &["/toolResult/textResultForLlm", "/tool_result/text_result_for_llm"],
        error: &["/error"],
        prompt: &["/prompt"],
        stop_hook_active: &["/stop_hook_active"],
        details: &[("trigger", "/trigger"), ("source", "/source"), ("reason", "/reason")],
        ..PayloadKeys::NOTHING
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".copilot/hooks/$NAME.json",
        project: ".github/hooks/$NAME.json",
        form: EntryForm::Flat,
        root: Some("hooks"),
        head: r#""version": 1"#,
        handler: r#"{"type": "command", "bash": $COMMAND, "timeoutSec": $TIME}"#,
        millis: false,
        at_gates: "",
        matcher: None,
        events: "preToolUse permissionRequest postToolUse postToolUseFailure userPromptSubmitted sessionStart sessionEnd agentStop preCompact",
        then: "start Copilot again; it reads hooks at its start only, and those of a repository in a trusted folder only",
    },
};

const INPUT: &[(&str, &str)] = &[("input", "command")];
const EDIT: &[(&str, &str)] = &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")];
