use crate::event::HookPoint as P;
use crate::place::{EntryForm, EntryPlace};
use crate::table::{AFTER_UNREAD, Carried, Carries, DENY_ONLY, HostTable, PROMPT, PayloadKeys, event, tool};

pub(super) const TABLE: HostTable = HostTable {
    name: "windsurf",
    title: "Windsurf",
    facts: "vendor's pages of 2026",
    events: &[
        event("pre_run_command", P::BeforeToolCall, DENY_ONLY),
        event("pre_write_code", P::BeforeToolCall, DENY_ONLY),
        event("pre_read_code", P::BeforeToolCall, DENY_ONLY),
        event("pre_mcp_tool_use", P::BeforeToolCall, DENY_ONLY),
        event("post_run_command", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("post_write_code", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("post_read_code", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("post_mcp_tool_use", P::AfterToolCallSuccess, AFTER_UNREAD),
        event("pre_user_prompt", P::UserPromptSubmit, Carries { context: Carried::Dropped, ..PROMPT }),
        event("post_cascade_response", P::Stop, Carries { keep_going: Carried::Impossible, ..Carries::NOTHING }),
    ],
    notices: "post_setup_worktree",
    tools: &[
        tool("run_command", "Bash", &[("command_line", "command")]).needs(&["command"]),
        // It writes new files too.
        tool("write_code", "Edit", &[]).needs(&["file_path"]).also("Write"),
        tool("read_code", "Read", &[]).needs(&["file_path"]),
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
        ..PayloadKeys::NOTHING
    },
    reads_stderr: false,
    place: EntryPlace {
        user: ".codeium/windsurf/hooks.json",
        project: ".windsurf/hooks.json",
        form: EntryForm::Flat,
        root: Some("hooks"),
        head: "",
        handler: r#"{"command": $COMMAND, "show_output": true}"#,
        millis: false,
        at_gates: "",
        matcher: None,
        events: "",
        then: "start Windsurf again",
    },
};
