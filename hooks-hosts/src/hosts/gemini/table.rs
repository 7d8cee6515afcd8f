use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, CONTEXT, Carried, Carries, HostTable, HostToolSpec, PROMPT, PayloadKeys, SNAKE_CASE, STOP,
    UNSTOPPED, event, tool,
};

pub(super) const TABLE: HostTable = HostTable {
    name: "gemini",
    title: "Gemini CLI",
    facts: "0.56 to 0.65, 2026-10",
    events: &[
        // An allow does not skip the question.
        event("BeforeTool", P::BeforeToolCall, Carries { context: Carried::Dropped, allow: Carried::Absent, ..BEFORE }),
        event("AfterTool", P::AfterToolCallSuccess, Carries { replace: Carried::Degraded, ..AFTER }),
        event("BeforeAgent", P::UserPromptSubmit, PROMPT),
        event(
            "BeforeModel",
            P::PreModelCall,
            Carries { deny: Carried::Yes, rewrite: Carried::Degraded, ..Carries::NOTHING },
        ),
        event("SessionStart", P::SessionStart, CONTEXT),
        event("SessionEnd", P::SessionEnd, Carries::NOTHING),
        event("AfterAgent", P::Stop, STOP),
        event("PreCompress", P::BeforeCompaction, UNSTOPPED),
    ],
    notices: "AfterModel BeforeToolSelection Notification",
    tools: TOOLS,
    keys: PayloadKeys {
        result: &["/tool_response/llmContent"],
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
        user: ".gemini/settings.json",
        project: ".gemini/settings.json",
        form: EntryForm::Groups,
        root: Some("hooks"),
        head: "",
        handler: r#"{"name": "$NAME", "type": "command", "command": $COMMAND, "timeout": $TIME}"#,
        millis: true,
        at_gates: "",
        matcher: Some(".*"),
        events: "",
        then: "trust the folder: without trust Gemini runs no hooks of any settings; `/hooks panel` shows them",
    },
};

/// Those of Qwen too.
pub(in crate::hosts) const TOOLS: &[HostToolSpec] = &[
    tool("run_shell_command", "Bash", &[]).needs(&["command"]),
    tool("read_file", "Read", PATH).only_with(&["absolute_path"]).needs(&["file_path"]),
    tool("read_file", "Read", &[]).needs(&["file_path"]),
    tool("write_file", "Write", &[]).needs(&["file_path"]),
    tool("replace", "Edit", &[]).needs(&["file_path"]),
    tool("edit", "Edit", &[]).needs(&["file_path"]),
    tool("grep_search", "Grep", &[]),
    tool("search_file_content", "Grep", &[]),
    tool("glob", "Glob", &[]),
    // Gemini has the addresses within a text.
    tool("web_fetch", "WebFetch", &[]).needs(&["url", "prompt"]),
    tool("google_web_search", "WebSearch", &[]),
    tool("web_search", "WebSearch", &[]),
    tool("invoke_agent", "Task", &[]),
    tool("agent", "Task", &[]),
];

const PATH: &[(&str, &str)] = &[("absolute_path", "file_path")];
