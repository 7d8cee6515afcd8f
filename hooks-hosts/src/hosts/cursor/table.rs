use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, Carried, Carries, HostTable, PROMPT, PayloadKeys, SESSION, STOP, UNSTOPPED, event, tool,
};

/// A question is accepted and has no effect. Only a denial is reliable.
const GATE: Carries =
    Carries { ask: Carried::Degraded, rewrite: Carried::Degraded, context: Carried::Dropped, ..BEFORE };
const AFTER_UNHEARD: Carries =
    Carries { deny: Carried::Impossible, replace: Carried::Impossible, context: Carried::Dropped, ..Carries::NOTHING };

/// The keys of the arguments are not documented.
const FILE: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("target_file", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
    ("contents", "content"),
];

pub(super) const TABLE: HostTable = HostTable {
    name: "cursor",
    title: "Cursor",
    facts: "CLI 2026.09.18, documentation of 2026-10-08",
    events: &[
        event("preToolUse", P::BeforeToolCall, Carries { rewrite: Carried::Yes, ..GATE }),
        event("beforeShellExecution", P::BeforeToolCall, GATE),
        event("beforeMCPExecution", P::BeforeToolCall, GATE),
        event("beforeReadFile", P::BeforeToolCall, GATE),
        event("beforeTabFileRead", P::BeforeToolCall, GATE),
        // The result of an MCP tool can be replaced, no other.
        event("postToolUse", P::AfterToolCallSuccess, Carries { deny: Carried::Degraded, ..AFTER }),
        event("postToolUseFailure", P::AfterToolCallFailure, AFTER_UNHEARD),
        event("afterShellExecution", P::AfterToolCallSuccess, AFTER_UNHEARD),
        event("afterMCPExecution", P::AfterToolCallSuccess, AFTER_UNHEARD),
        event("afterFileEdit", P::AfterToolCallSuccess, AFTER_UNHEARD),
        event("beforeSubmitPrompt", P::UserPromptSubmit, PROMPT),
        event("sessionStart", P::SessionStart, SESSION),
        event("sessionEnd", P::SessionEnd, Carries::NOTHING),
        event("stop", P::Stop, STOP),
        event("preCompact", P::BeforeCompaction, UNSTOPPED),
    ],
    notices: "subagentStart subagentStop afterAgentResponse afterAgentThought afterTabFileEdit",
    tools: &[
        tool("Shell", "Bash", &[]).needs(&["command"]),
        tool("Read", "Read", FILE).needs(&["file_path"]),
        // Some builds call an edit so, and the keys tell nothing.
        tool("Write", "Write", FILE).needs(&["file_path"]).also("Edit"),
        tool("StrReplace", "Edit", FILE).needs(&["file_path"]),
        tool("Edit", "Edit", FILE).needs(&["file_path"]),
        tool("Delete", "Delete", FILE).needs(&["file_path"]),
        tool("Grep", "Grep", &[]),
        tool("WebFetch", "WebFetch", &[]).needs(&["url"]),
        tool("WebSearch", "WebSearch", &[]),
        tool("Task", "Task", &[]),
    ],
    keys: PayloadKeys {
        event: &["/hook_event_name"],
        session: &["/session_id", "/conversation_id"],
        cwd: &["/cwd", "/workspace_roots/0"],
        project: &["/workspace_roots/0"],
        tool: &["/tool_name"],
        input: &["/tool_input"],
        input_is_text: true,
        call: &["/tool_use_id"],
        result: &["/tool_output"],
        error: &["/error_message"],
        prompt: &["/prompt"],
        last_message: &[],
        stop_hook_active: &[],
        details: &[("trigger", "/trigger")],
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".cursor/hooks.json",
        project: ".cursor/hooks.json",
        form: EntryForm::Flat,
        root: Some("hooks"),
        head: r#""version": 1"#,
        handler: r#"{"command": $COMMAND, "timeout": $TIME$GATE}"#,
        millis: false,
        at_gates: r#", "failClosed": true"#,
        matcher: None,
        // A shell command and a file would be told twice. An MCP call is, because only the second event names the server.
        events: "preToolUse beforeMCPExecution postToolUse postToolUseFailure beforeSubmitPrompt sessionStart sessionEnd stop preCompact",
        then: "trust the workspace; the output channel `Hooks` shows the runs",
    },
};
