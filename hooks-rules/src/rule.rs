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

/// What names a rule for good: the event and a fingerprint of what it says, `pre_tool_use_3f2a90c1`. It stays when the rule
/// moves to another line, and changes when the rule does. A second rule that says the same has `_2` at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct RuleId(Arc<str>);

impl RuleId {
    pub(crate) fn new(text: String) -> Self {
        Self(text.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a rule is from: what a person looks for who asks who decided.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct RuleSource {
    /// The rule.
    pub rule: RuleId,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line.
    pub line: usize,
    /// The plugin whose rule it is.
    pub plugin: Option<String>,
}

/// One handler of a file, read and checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that the file has")]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// The form of its file.
    pub dialect: Dialect,
    /// When it runs.
    pub event: Event,
    /// For which values it runs.
    pub matcher: Matcher,
    /// The matcher as the file has it.
    pub written_matcher: Option<Value>,
    /// For which calls of a tool it runs, in addition to the matcher.
    pub filter: Option<Filter>,
    /// What it does.
    pub action: Action,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether the file says so itself.
    pub timeout_is_written: bool,
    /// What a failure of it means.
    pub on_failure: FailureMode,
    /// Whether nobody waits for it; it can then decide nothing.
    pub detached: bool,
    /// Whether it wakes the model where it leaves with exit code 2 while nobody waits for it.
    pub wakes: bool,
    /// Whether it runs once, and no more after its first success.
    pub once: bool,
    /// What to show while it runs.
    pub status_message: Option<String>,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Runs a command.
    Command(CommandLine),
    /// Sends the input to an address.
    Http(HttpRequest),
    /// Puts this text into the conversation; `{userMessage}` in it is the prompt.
    Text(String),
    /// Asks a model.
    Judge(JudgePrompt),
    /// Is a compiled hook, named by its id.
    Compiled {
        /// The id.
        id: String,
        /// Its parameters.
        with: Option<Value>,
    },
}

/// A command as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The line for the shell; with `args`, the program.
    pub command: String,
    /// The arguments; where they are there, no shell is involved.
    pub args: Option<Vec<String>>,
    /// The shell that reads the line.
    pub shell: Shell,
}

/// The shell that reads a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shell {
    /// `sh`.
    #[default]
    Sh,
    /// `pwsh`.
    PowerShell,
}

/// A request as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The address.
    pub url: String,
    /// The headers; `$NAME` in a value is filled from the environment where `allowed_env` has the name, and empty
    /// otherwise.
    pub headers: BTreeMap<String, String>,
    /// The variables that headers may use.
    pub allowed_env: Vec<String>,
}

/// A question to a model as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgePrompt {
    /// The text; `$ARGUMENTS` in it is the input, and the input is put after it where it has none.
    pub prompt: String,
    /// The model, where the rule asks for one.
    pub model: Option<String>,
    /// Whether a no goes to the model instead of ending the turn.
    pub continue_on_block: bool,
}

/// What a failure of a rule means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureMode {
    /// Nothing: it is reported, and the event goes on.
    #[default]
    Continue,
    /// What exit code 2 would mean.
    Block,
}

impl Rule {
    /// Of two rules that are one the greater runs: a copy that nobody waits for, that fails open or that has less time takes
    /// no guard's place.
    #[cfg(feature = "runner")]
    pub(crate) fn power(&self) -> impl Ord + use<> {
        (!self.detached, self.on_failure == FailureMode::Block, self.timeout)
    }

    /// What it does, in a few words for lists: the command, the address, the id. Long text is cut.
    pub fn summary(&self) -> String {
        let line = self.text().split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(80) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// What it does, whole.
    pub fn text(&self) -> String {
        match &self.action {
            Action::Command(line) => {
                let args = line.args.iter().flatten().map(|arg| format!(" {arg}"));
                std::iter::once(line.command.clone()).chain(args).collect()
            }
            Action::Http(request) => format!("POST {}", request.url),
            Action::Text(text) => format!("text: {text}"),
            Action::Judge(question) => format!("asks a model: {}", question.prompt),
            Action::Compiled { id, .. } => format!("hook {id}"),
        }
    }

    /// The text for a model: the question with the input in it.
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

/// The fingerprint of what a rule says.
pub(crate) fn fingerprint(event: Event, matcher: Option<&Value>, handler: &Map<String, Value>) -> String {
    // FNV-1a: small, and the same on every machine. The order of fields says nothing, and builds differ in it.
    let (mut matcher, mut handler) = (matcher.cloned().unwrap_or_default(), Value::Object(handler.clone()));
    matcher.sort_all_objects();
    handler.sort_all_objects();
    let text = format!("{event}\0{matcher}\0{handler}");
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{}_{:08x}", event.snake_case(), (hash >> 32) as u32 ^ (hash & 0xffff_ffff) as u32)
}
