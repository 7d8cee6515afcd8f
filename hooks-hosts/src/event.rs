//! What a host says: one event, in the terms of every host, and where its payloads have it.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::table::{HookPoint, HostToolSpec};

/// The tool of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HostTool {
    /// The name that the host uses, such as `run_shell_command`.
    pub host: String,
    /// The name that hooks see at every host, such as `Bash`.
    pub canonical: String,
    /// The tool of an MCP server, if the host tells that it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpName>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct McpName {
    /// The server; `None` if the host does not name it.
    pub server: Option<String>,
    /// The name of the tool at its server.
    pub tool: String,
}

/// A file that a patch touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PatchedFile {
    /// `add`, `update`, `delete` or `move`.
    pub op: &'static str,
    /// The file.
    pub path: String,
    /// Where the file is moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// For each change, what is removed and what stands there instead.
    #[serde(skip)]
    pub hunks: Vec<(String, String)>,
}

/// An event of a host, read from its payload. Hooks find it in their context:
/// `cx.state::<HostEvent>()`.
///
/// Its JSON has the fields that the host has sent, and no others.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HostEvent {
    /// The host, such as `claude`.
    #[serde(skip)]
    pub host: &'static str,
    /// The point of the turn.
    pub kind: HookPoint,
    /// The event's name, as the host writes it.
    pub host_event: String,
    /// The id of the session.
    pub session: Option<String>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The folder of the project, where the host runs hooks in another one.
    #[serde(skip)]
    pub project: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<HostTool>,
    /// The id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// An id that no other call has, where the host sends none.
    #[serde(skip)]
    pub(crate) own_id: String,
    /// The arguments of the call, under canonical names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The files that the call patches, if it applies a patch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PatchedFile>,
    /// The result of the tool, as the host has sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The error of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The exit code of a shell command, if the host says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What the model said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_message: Option<String>,
    /// Whether a hook has already kept this turn going.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_hook_active: Option<bool>,
    /// What only some hosts or events have.
    #[serde(flatten)]
    pub details: Map<String, Value>,
    /// Why the arguments of the call cannot be judged. Then the call is denied.
    #[serde(skip)]
    pub unseen: Option<String>,
    /// The arguments whose names were made canonical: the host's name, and ours.
    #[serde(skip)]
    pub(crate) renamed: Vec<(&'static str, &'static str)>,
    /// The row of the tool, if the table of the host knows it.
    #[serde(skip)]
    pub(crate) spec: Option<HostToolSpec>,
    /// Whether the arguments can be written back as the host expects them.
    #[serde(skip)]
    pub(crate) writable: bool,
    /// The whole payload.
    #[serde(skip)]
    pub payload: Value,
}

impl HostEvent {
    /// An event of which only the name is known.
    pub(crate) fn named(host: &'static str, kind: HookPoint, name: &str) -> Self {
        Self { host, kind, host_event: name.to_owned(), writable: true, ..Self::default() }
    }

    /// The id of the call, which is never empty: hooks that count calls by it would take all of them for one.
    pub(crate) fn call_id(&self) -> &str {
        self.tool_use_id.as_deref().unwrap_or(&self.own_id)
    }

    /// Whether the call is one of an MCP server, as far as the host tells.
    pub(crate) fn is_mcp(&self) -> bool {
        self.tool.as_ref().is_some_and(|tool| tool.mcp.is_some())
    }
}

/// Where a payload has what, as JSON pointers; the first that leads somewhere counts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PayloadKeys {
    /// The event.
    pub event: &'static [&'static str],
    /// The session.
    pub session: &'static [&'static str],
    /// The working folder.
    pub cwd: &'static [&'static str],
    /// The folder of the project, where the host runs hooks in another one.
    pub project: &'static [&'static str],
    /// The name of the tool.
    pub tool: &'static [&'static str],
    /// The arguments of the call.
    pub input: &'static [&'static str],
    /// Whether the arguments may be JSON in a text.
    pub input_is_text: bool,
    /// The id of the call.
    pub call: &'static [&'static str],
    /// The result of the tool.
    pub result: &'static [&'static str],
    /// The error of the tool.
    pub error: &'static [&'static str],
    /// The prompt.
    pub prompt: &'static [&'static str],
    /// What the model said last.
    pub last_message: &'static [&'static str],
    /// Whether a hook has already kept the turn going.
    pub stop_hook_active: &'static [&'static str],
    /// Other fields: the name that ours has, and where the host has it.
    pub details: &'static [(&'static str, &'static str)],
}

/// The keys of Claude Code, which several hosts have taken over. Others put theirs in the place of these.
pub(crate) const SNAKE_CASE: PayloadKeys = PayloadKeys {
    event: &["/hook_event_name"],
    session: &["/session_id"],
    cwd: &["/cwd"],
    project: &[],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    input_is_text: false,
    call: &["/tool_use_id"],
    result: &["/tool_response"],
    error: &["/error"],
    prompt: &["/prompt"],
    last_message: &["/last_assistant_message"],
    stop_hook_active: &["/stop_hook_active"],
    details: &[("trigger", "/trigger"), ("source", "/source"), ("reason", "/reason")],
};
