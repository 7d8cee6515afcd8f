//! The rows of a host: its events, its tools, and what an answer can carry.

use serde::Serialize;

/// The point of an agent's turn that a host's event stands for, named as the kind that fires there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookPoint {
    /// A tool is about to run.
    BeforeToolCall,
    /// A person is about to be asked.
    PermissionRequest,
    /// A tool has returned a result.
    AfterToolCallSuccess,
    /// A tool has failed.
    AfterToolCallFailure,
    /// A person has submitted a prompt.
    UserPromptSubmit,
    /// A model is about to be called.
    PreModelCall,
    /// A session begins.
    SessionStart,
    /// A session has ended.
    SessionEnd,
    /// A turn is about to end.
    Stop,
    /// A conversation is about to be compacted.
    BeforeCompaction,
    /// The host only tells, and no kind fires.
    #[default]
    Notice,
    /// Another host runs this hook, and its own entry judges the call.
    ForeignHost,
}

impl HookPoint {
    /// The name of the kind, as in attributes.
    pub fn name(self) -> &'static str {
        match self {
            Self::BeforeToolCall => "before_tool_call",
            Self::PermissionRequest => "permission_request",
            Self::AfterToolCallSuccess => "after_tool_call_success",
            Self::AfterToolCallFailure => "after_tool_call_failure",
            Self::UserPromptSubmit => "user_prompt_submit",
            Self::PreModelCall => "pre_model_call",
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
            Self::Stop => "stop",
            Self::BeforeCompaction => "before_compaction",
            Self::Notice => "notice",
            Self::ForeignHost => "foreign_host",
        }
    }

    /// Whether hooks at the kind of this name run there.
    pub(crate) fn runs(self, kind: &str) -> bool {
        self.name() == kind || self.is_after_tool() && kind == "after_tool_call"
    }

    /// Whether something waits for the answer that must not happen without it.
    pub fn is_gate(self) -> bool {
        matches!(
            self,
            Self::BeforeToolCall
                | Self::PermissionRequest
                | Self::UserPromptSubmit
                | Self::PreModelCall
                | Self::BeforeCompaction
        )
    }

    /// Whether a tool has run.
    pub fn is_after_tool(self) -> bool {
        matches!(self, Self::AfterToolCallSuccess | Self::AfterToolCallFailure)
    }
}

/// How a host carries an answer at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Carried {
    /// As it is.
    Yes,
    /// Only together with an allow, so without one it becomes a denial.
    IfAllowed,
    /// As another answer that is never weaker: a question or a rewrite as a denial, a denial after a call as a text for
    /// the model.
    Degraded,
    /// A text for the model has no place, and is dropped with a warning.
    Dropped,
    /// The host cannot do it, which the log says.
    Impossible,
    /// The answer does not exist at this event.
    #[default]
    Absent,
}

/// How a host carries each answer at one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Carries {
    /// It must not happen; after a call, the model is told that the result is not good.
    pub deny: Carried,
    /// A person must be asked.
    pub ask: Carried,
    /// The call runs with other arguments.
    pub rewrite: Carried,
    /// A person is asked about other arguments.
    pub ask_rewritten: Carried,
    /// It may happen without a question.
    pub allow: Carried,
    /// A text for the model.
    pub context: Carried,
    /// The model reads another result.
    pub replace: Carried,
    /// The turn goes on.
    pub keep_going: Carried,
}

impl Carries {
    /// At an event whose answer is not read.
    pub(crate) const NOTHING: Self = Self {
        deny: Carried::Absent,
        ask: Carried::Absent,
        rewrite: Carried::Absent,
        ask_rewritten: Carried::Absent,
        allow: Carried::Absent,
        context: Carried::Absent,
        replace: Carried::Absent,
        keep_going: Carried::Absent,
    };
}

/// Before a call, with everything that this project knows of.
pub(crate) const BEFORE: Carries = Carries {
    deny: Carried::Yes,
    ask: Carried::Yes,
    rewrite: Carried::Yes,
    ask_rewritten: Carried::Degraded,
    allow: Carried::Yes,
    context: Carried::Yes,
    ..Carries::NOTHING
};

/// Before a call, where only a denial is heard.
pub(crate) const DENY_ONLY: Carries = Carries {
    ask: Carried::Degraded,
    rewrite: Carried::Degraded,
    allow: Carried::Absent,
    context: Carried::Dropped,
    ..BEFORE
};

/// After a call, where the answer is not read.
pub(crate) const AFTER_UNREAD: Carries =
    Carries { deny: Carried::Impossible, replace: Carried::Impossible, context: Carried::Dropped, ..Carries::NOTHING };

/// After a call, with everything.
pub(crate) const AFTER: Carries =
    Carries { deny: Carried::Yes, replace: Carried::Yes, context: Carried::Yes, ..Carries::NOTHING };

/// At a prompt, with everything. A rewritten prompt is a denial at every host.
pub(crate) const PROMPT: Carries =
    Carries { deny: Carried::Yes, rewrite: Carried::Degraded, context: Carried::Yes, ..Carries::NOTHING };

/// At the end of a turn.
pub(crate) const STOP: Carries = Carries { keep_going: Carried::Yes, ..Carries::NOTHING };

/// At the start of a session, where only a text for the model counts.
pub(crate) const CONTEXT: Carries = Carries { deny: Carried::Impossible, context: Carried::Yes, ..Carries::NOTHING };

/// At the start of a session that can be refused too.
pub(crate) const SESSION: Carries = Carries { deny: Carried::Yes, ..CONTEXT };

/// Before a compaction that the host does not keep from happening.
pub(crate) const UNSTOPPED: Carries = Carries { deny: Carried::Impossible, ..Carries::NOTHING };

/// An event of a host.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct HostEventSpec {
    /// The name that the host uses.
    pub name: &'static str,
    /// What it stands for.
    pub kind: HookPoint,
    /// What the answer can carry.
    pub carries: Carries,
    /// The tools whose calls it tells, as the host names them, `mcp` for those of servers; empty for all.
    pub tools: &'static [&'static str],
    /// Whether it tells calls that have failed too, as `after_tool_call_failure`.
    pub tells_failures: bool,
}

/// The tools of MCP servers, among [tools](HostEventSpec::tools).
pub(crate) const MCP: &str = "mcp";

/// Events of a table that are the same but for their names.
pub(crate) const fn event(names: &'static str, kind: HookPoint, carries: Carries) -> HostEventSpec {
    HostEventSpec { name: names, kind, carries, tools: &[], tells_failures: false }
}

impl HostEventSpec {
    /// Whether hooks of this kind are fired at it.
    pub fn fires(&self, kind: HookPoint) -> bool {
        self.kinds().any(|fired| fired == kind)
    }

    /// The kinds that it stands for.
    pub fn kinds(&self) -> impl Iterator<Item = HookPoint> + use<> {
        std::iter::once(self.kind).chain(self.tells_failures.then_some(HookPoint::AfterToolCallFailure))
    }

    /// It tells the calls of these tools only.
    pub(crate) const fn of(mut self, tools: &'static [&'static str]) -> Self {
        self.tools = tools;
        self
    }

    /// It tells failed calls too.
    pub(crate) const fn and_failures(mut self) -> Self {
        self.tells_failures = true;
        self
    }
}

/// A tool of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostToolSpec {
    /// The name that the host uses.
    pub name: &'static str,
    /// The name that hooks see.
    pub canonical: &'static str,
    /// Arguments that mean something else here than at other hosts: the host's name, and the canonical one. They hold inside
    /// lists too.
    pub arguments: &'static [(&'static str, &'static str)],
    /// Canonical arguments of which the call must have one, as a text or a list, so that a guard can judge it; see
    /// [`needs`](Self::needs).
    pub(crate) needs: &'static [&'static str],
    /// The row holds only for calls that have one of these arguments, as the host names them, or with this word: `command=append`.
    pub only_with: &'static [&'static str],
    /// Another tool that the call may be too: it is judged as both.
    pub also: Option<&'static str>,
    /// Arguments that say nothing of what the call does, and that stay where a rewrite leaves them out: the host needs them.
    pub(crate) kept: &'static [&'static str],
    /// The argument with the text of a patch, under any of these names; empty if the tool applies none.
    pub patch: &'static [&'static str],
}

/// What hosts call an argument of a tool: its canonical name, and the others.
pub(crate) const ARGUMENTS: &[(&str, &[&str])] = &[
    ("command", &["command_line", "CommandLine", "cmd"]),
    ("file_path", &["path", "filePath", "target_file", "TargetFile", "AbsolutePath", "absolute_path", "notebook_path"]),
    ("content", &["contents", "file_text", "CodeContent"]),
    ("old_string", &["old_str", "oldString", "old_text", "before", "TargetContent"]),
    ("new_string", &["new_str", "newString", "new_source", "after", "code", "ReplacementContent"]),
    ("edits", &["changes", "replacements", "ReplacementChunks"]),
    ("files", &["paths", "include", "operations", "target_directories"]),
    ("pattern", &["query", "Query", "Pattern"]),
    ("url", &["Url"]),
];

/// Tools of a table that are the same but for their names.
pub(crate) const fn tool(names: &'static str, canonical: &'static str) -> HostToolSpec {
    HostToolSpec {
        name: names,
        canonical,
        arguments: &[],
        needs: &[],
        only_with: &[],
        also: None,
        kept: &[],
        patch: &[],
    }
}

/// Tools that hooks see under the names of the host.
pub(crate) const fn own(names: &'static str) -> HostToolSpec {
    tool(names, "")
}

impl HostToolSpec {
    /// The tools as which hooks judge its calls.
    pub fn judged_as(&self) -> impl Iterator<Item = &'static str> + use<> {
        let of_patch = ["Write", "Edit"].into_iter().filter(|_| !self.patch.is_empty()).collect::<Vec<_>>();
        std::iter::once(self.canonical).chain(self.also).chain(of_patch)
    }

    /// Canonical arguments of which the call must have one. A shell without a command cannot be judged, whatever its table says.
    pub fn needs(&self) -> &'static [&'static str] {
        match self.canonical {
            _ if !self.needs.is_empty() => self.needs,
            "Bash" => &["command"],
            "Read" | "Write" | "Edit" | "Delete" => &["file_path"],
            "WebFetch" => &["url"],
            _ => &[],
        }
    }

    /// Whether every element of this list is judged on its own.
    pub(crate) fn judges(&self, list: &str) -> bool {
        self.needs().contains(&list) || self.canonical == "Edit" && list == "edits"
    }

    /// The name of an argument as the host has it, and the canonical one.
    pub(crate) fn argument(&self, name: &str) -> Option<(&'static str, &'static str)> {
        let has: &[&str] = match self.canonical {
            "Bash" => &["command"],
            "Read" | "Write" | "Edit" | "Delete" => {
                &["file_path", "content", "old_string", "new_string", "edits", "files"]
            }
            "Grep" | "Glob" => &["pattern"],
            "WebFetch" => &["url"],
            _ => &[],
        };
        let everywhere = ARGUMENTS.iter().filter(|(canonical, _)| has.contains(canonical));
        let everywhere = everywhere.flat_map(|(canonical, names)| names.iter().map(|name| (*name, *canonical)));
        self.arguments.iter().copied().chain(everywhere).find(|(host, _)| *host == name)
    }

    /// These arguments mean something else than at other hosts.
    pub(crate) const fn calling(mut self, arguments: &'static [(&'static str, &'static str)]) -> Self {
        self.arguments = arguments;
        self
    }

    /// A call without one of these arguments cannot be judged.
    pub(crate) const fn needing(mut self, needs: &'static [&'static str]) -> Self {
        self.needs = needs;
        self
    }

    /// The row holds only for calls with one of these arguments.
    pub(crate) const fn only_with(mut self, arguments: &'static [&'static str]) -> Self {
        self.only_with = arguments;
        self
    }

    /// The call may be one of this tool too.
    pub(crate) const fn also(mut self, canonical: &'static str) -> Self {
        self.also = Some(canonical);
        self
    }

    /// These arguments stay.
    pub(crate) const fn keeping(mut self, arguments: &'static [&'static str]) -> Self {
        self.kept = arguments;
        self
    }

    /// A tool that applies a patch.
    pub(crate) const fn patch(mut self, arguments: &'static [&'static str]) -> Self {
        self.patch = arguments;
        self
    }
}
