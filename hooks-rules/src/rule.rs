use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::event::Event;
use crate::filter::Filter;
use crate::matcher::Matcher;

/// A stable name of a rule: its event and a fingerprint of its content, such as `pre_tool_use_3f2a90c1`. It stays the
/// same if the rule moves to another line, and changes if the rule changes. A second rule with the same content has the
/// suffix `_2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct RuleId(Arc<str>);

impl RuleId {
    pub(crate) fn new(text: String) -> Self {
        Self(text.into())
    }

    /// The id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The origin of a rule, as shown to a person who wants to know which rule decided.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct RuleSource {
    /// The rule.
    pub rule: RuleId,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line.
    pub line: usize,
    /// The plugin to which the rule belongs.
    pub plugin: Option<String>,
}

/// A validated handler of a rule file.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that the file has")]
pub struct Rule {
    /// The id.
    pub id: RuleId,
    /// The dialect of its file.
    pub dialect: Dialect,
    /// The event at which it runs.
    pub event: Event,
    /// The values for which it runs.
    pub matcher: Matcher,
    /// The matcher as it is written in the file.
    pub written_matcher: Option<Value>,
    /// The field `if`, which further restricts the tool calls for which it runs.
    pub filter: Option<Filter>,
    /// What it does.
    pub action: Action,
    /// The timeout.
    pub timeout: Duration,
    /// Whether the file sets the timeout.
    pub timeout_is_written: bool,
    /// The effect of a failure.
    pub on_failure: FailureMode,
    /// Whether the file sets it.
    pub on_failure_is_written: bool,
    /// Whether it runs in the background. It then cannot decide anything.
    pub detached: bool,
    /// Whether exit code 2 of a background run wakes the model.
    pub wakes: bool,
    /// Whether it runs only until its first success.
    pub once: bool,
    /// The message to show while it runs.
    pub status_message: Option<String>,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line, starting at 1.
    pub line: usize,
    /// Its column, starting at 1.
    pub column: usize,
}

/// The action of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Runs a command.
    Command(CommandLine),
    /// Sends the input to a URL.
    Http(HttpRequest),
    /// Adds a text to the conversation. `{userMessage}` in it is replaced by the prompt.
    Text(String),
    /// Asks a model.
    Judge(JudgePrompt),
    /// Does what only another program can do, so it fails here.
    Unsupported {
        /// The type of the handler: `agent` or `mcp_tool`.
        kind: String,
        /// The prompt, or the tool.
        what: String,
    },
    /// Runs a compiled hook.
    Compiled {
        /// The id of the hook.
        id: String,
        /// Its parameters.
        with: Option<Value>,
    },
}

/// A command in a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The command line for the shell or, if there are `args`, the program.
    pub command: String,
    /// The arguments. If there are any, no shell is involved.
    pub args: Option<Vec<String>>,
    /// The shell that runs the command line.
    pub shell: Shell,
}

/// The shell that runs a command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shell {
    /// `sh`.
    #[default]
    Sh,
    /// `pwsh`.
    PowerShell,
}

/// A request in a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The URL.
    pub url: String,
    /// The headers. `$NAME` in a value is replaced by the environment variable if `allowed_env` contains it, and by
    /// nothing otherwise.
    pub headers: BTreeMap<String, String>,
    /// The environment variables that headers can use.
    pub allowed_env: Vec<String>,
}

/// A question to a model in a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgePrompt {
    /// The prompt. `$ARGUMENTS` in it is replaced by the input. Without it, the input is appended.
    pub prompt: String,
    /// The model, if the rule names one.
    pub model: Option<String>,
    /// Whether a negative answer is sent to the model instead of ending the turn.
    pub continue_on_block: bool,
}

/// The effect of a rule's failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureMode {
    /// None: the failure is reported, and the event continues.
    #[default]
    Continue,
    /// The same as exit code 2.
    Block,
}

impl Rule {
    /// Of two duplicate rules, the greater one runs, so that a copy that runs in the background, fails open or has a
    /// shorter timeout does not replace a guard.
    #[cfg(feature = "runner")]
    pub(crate) fn power(&self) -> impl Ord + use<> {
        (!self.detached, self.on_failure == FailureMode::Block, self.timeout)
    }

    /// Whether it may run for a call of a tool of this MCP server, `mcp__SERVER__TOOL`, whatever the tools of the server are
    /// called. An expression that names other servers alone is taken not to select one.
    ///
    /// ```
    /// let text = r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__files__.*", "hooks": [{"type": "command", "command": "./a"}]}]}}"#;
    /// let rule = &hooks_rules::RuleFile::read("hooks.json", text).rules[0];
    /// assert!(rule.may_judge_server("files") && !rule.may_judge_server("mail"));
    /// ```
    pub fn may_judge_server(&self, server: &str) -> bool {
        self.event.is_of_a_tool()
            && self.event.spec().kind.is_some()
            && self.matcher.may_select_of_server(server)
            && self.filter.as_ref().is_none_or(|filter| filter.may_name_server(server))
    }

    /// A short description for lists: the command, the URL or the id. Long text is truncated.
    pub fn summary(&self) -> String {
        let line = self.text().split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(80) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// A complete description.
    pub fn text(&self) -> String {
        match &self.action {
            Action::Command(line) => {
                let args = line.args.iter().flatten().map(|arg| format!(" {arg}"));
                std::iter::once(line.command.clone()).chain(args).collect()
            }
            Action::Http(request) => format!("POST {}", request.url),
            Action::Text(text) => format!("text: {text}"),
            Action::Judge(question) => format!("asks a model: {}", question.prompt),
            Action::Unsupported { kind, what } => format!("{kind}: {what}"),
            Action::Compiled { id, .. } => format!("hook {id}"),
        }
    }

    /// Inserts the input into the prompt for a model.
    #[cfg(feature = "runner")]
    pub(crate) fn filled(question: &str, input: &str) -> String {
        const HOLE: &str = "$ARGUMENTS";
        let mut text = String::with_capacity(question.len() + input.len());
        let mut rest = question;
        let mut filled = false;
        while let Some(at) = rest.find(HOLE) {
            if let Some(before) = rest[..at].strip_suffix('\\') {
                text.push_str(before);
                text.push_str(HOLE);
            } else {
                text.push_str(&rest[..at]);
                text.push_str(input);
                filled = true;
            }
            rest = &rest[at + HOLE.len()..];
        }
        text.push_str(rest);
        if filled { text } else { format!("{text}\n\n{input}") }
    }
}

/// The fingerprint of a rule's content.
pub(crate) fn fingerprint(event: Event, matcher: Option<&Value>, handler: &Map<String, Value>) -> String {
    // FNV-1a is small and the same on every machine. Keys are sorted, because their order has no meaning and depends on
    // the build.
    let (mut matcher, mut handler) = (matcher.cloned().unwrap_or_default(), Value::Object(handler.clone()));
    matcher.sort_all_objects();
    handler.sort_all_objects();
    let text = format!("{event}\0{matcher}\0{handler}");
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{}_{:08x}", event.snake_case(), (hash >> 32) as u32 ^ (hash & 0xffff_ffff) as u32)
}
