use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{
    AFTER, BEFORE, Carried, Carries, DENY_ONLY, HostEventSpec, HostTable, PROMPT, PayloadKeys, event, tool,
};

/// `cancel` after a call would end the run.
const AFTER_CALL: Carries = Carries { deny: Carried::Degraded, replace: Carried::Impossible, ..AFTER };
const SUBMITTED: Carries = Carries { context: Carried::Dropped, ..PROMPT };
const UNREAD: Carries = Carries {
    context: Carried::Dropped,
    keep_going: Carried::Impossible,
    deny: Carried::Impossible,
    ..Carries::NOTHING
};

/// The files of the extension, and the events of the SDK and the command line.
const EVENTS: &[HostEventSpec] = &[
    event("PreToolUse", P::BeforeToolCall, Carries { context: Carried::Yes, ..DENY_ONLY }),
    event("PostToolUse", P::AfterToolCallSuccess, AFTER_CALL),
    event("UserPromptSubmit", P::UserPromptSubmit, SUBMITTED),
    event("TaskStart", P::SessionStart, Carries { deny: Carried::Yes, ..UNREAD }),
    event("TaskComplete", P::SessionEnd, UNREAD),
    event("TaskCancel", P::SessionEnd, UNREAD),
    event("tool_call", P::BeforeToolCall, Carries { ask: Carried::Degraded, allow: Carried::Absent, ..BEFORE }),
    event("tool_result", P::AfterToolCallSuccess, AFTER_CALL),
    event("prompt_submit", P::UserPromptSubmit, Carries { deny: Carried::Impossible, ..SUBMITTED }),
    event("agent_start", P::SessionStart, UNREAD),
    event("agent_end", P::Stop, UNREAD),
    event("session_shutdown", P::SessionEnd, UNREAD),
];

const FILE: &[(&str, &str)] = &[("path", "file_path"), ("new_text", "content")];
const EDIT: &[(&str, &str)] = &[("path", "file_path"), ("old_text", "old_string"), ("new_text", "new_string")];

pub(super) const TABLE: HostTable = HostTable {
    name: "cline",
    title: "Cline",
    facts: "VS Code 4.1.13 and its SDK, 2026-10",
    events: EVENTS,
    notices: "TaskResume PreCompact Notification agent_resume agent_abort agent_error",
    tools: &[
        tool("run_commands", "Bash", &[("cmd", "command")]).needs(&["commands", "command"]),
        tool("execute_command", "Bash", &[]).needs(&["command"]),
        tool("read_files", "Read", FILE).needs(&["files", "file_path"]),
        tool("read_file", "Read", FILE).needs(&["file_path"]),
        tool("editor", "Edit", EDIT).only_with(&["old_text", "insert_line"]).needs(&["file_path"]),
        tool("editor", "Write", FILE).needs(&["file_path"]),
        tool("write_to_file", "Write", FILE).needs(&["file_path"]),
        tool("replace_in_file", "Edit", EDIT).needs(&["file_path"]),
        tool("apply_patch", "apply_patch", &[]).patch(&["input"]),
        tool("search_codebase", "Grep", &[]).needs(&["queries", "pattern"]),
        tool("fetch_web_content", "WebFetch", &[]).needs(&["requests", "url"]),
        tool("spawn_agent", "Task", &[]),
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
        ..PayloadKeys::NOTHING
    },
    reads_stderr: false,
    place: EntryPlace {
        user: "Documents/Cline/Hooks/$EVENT",
        project: ".clinerules/hooks/$EVENT",
        form: EntryForm::Scripts,
        root: None,
        head: "",
        handler: "{}",
        millis: false,
        at_gates: "",
        matcher: None,
        events: "PreToolUse PostToolUse UserPromptSubmit TaskStart TaskComplete TaskCancel",
        then: "turn hooks on in Cline's settings. A denied call ends the run there, and the model is not told why",
    },
};
