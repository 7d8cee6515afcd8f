use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::event::Event;
use crate::rule::{RuleId, RuleSource};

/// A run of a rule. It contains nothing of the rule's input, and of its output only the reason of a failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RuleRun {
    /// The rule.
    pub rule: RuleId,
    /// The event.
    pub event: Event,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line.
    pub line: usize,
    /// The plugin to which the rule belongs.
    pub plugin: Option<String>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// The exit code of the command.
    pub code: Option<i32>,
    /// The duration.
    pub duration: Duration,
    /// The decision, as a word.
    pub decision: Option<&'static str>,
    /// The reason of a failure.
    pub failure: Option<String>,
    /// Warnings about probable mistakes of the rule's author.
    pub remarks: Vec<String>,
    /// The environment variables that the app withheld from the command.
    pub withheld: Vec<String>,
}

impl RuleRun {
    /// The rule's id and position.
    pub fn source(&self) -> RuleSource {
        let Self { rule, file, line, plugin, .. } = self;
        RuleSource { rule: rule.clone(), file: Arc::clone(file), line: *line, plugin: plugin.clone() }
    }
}

/// How a run of a rule ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunOutcome {
    /// It answered, possibly without output.
    Answered,
    /// It failed. The rule's `onFailure` determines the effect.
    Failed,
    /// It continues in the background. When it ends, a second run is reported.
    Detached,
    /// It was not started, because too many background runs are active.
    Dropped,
}

impl fmt::Display for RuleRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} ({}:{}): ", self.rule, self.event, self.file.display(), self.line)?;
        f.write_str(match self.outcome {
            RunOutcome::Answered => "answered",
            RunOutcome::Failed => "failed",
            RunOutcome::Detached => "detached",
            RunOutcome::Dropped => "dropped",
        })?;
        self.decision.map_or(Ok(()), |word| write!(f, " {word}"))?;
        self.failure.as_ref().map_or(Ok(()), |why| write!(f, ", {why}"))
    }
}

/// Parts of the answers of an event's rules that its kind cannot carry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notices {
    /// The event.
    pub event: Event,
    /// The session.
    pub session: String,
    /// Messages for the person, in the order of the files.
    pub messages: Vec<String>,
    /// Messages for the model that are not tied to the event.
    pub for_the_model: Vec<String>,
    /// Members of `hookSpecificOutput`, such as `sessionTitle`.
    pub members: Map<String, Value>,
    /// The rule that decided, or that ends the turn.
    pub decided_by: Option<RuleSource>,
}

/// A message for the model from a background command (`asyncRewake`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wake {
    /// The session.
    pub session: String,
    /// The rule.
    pub rule: RuleId,
    /// The message.
    pub text: String,
}

/// Called when a command wakes the model.
pub(crate) type WakeListener = Arc<dyn Fn(&Wake) + Send + Sync>;

/// Called after each run.
pub(crate) type RunObserver = Arc<dyn Fn(&RuleRun) + Send + Sync>;

/// The output of a command, at most 1 MiB of each stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandOutput {
    /// Standard output, or the body of an HTTP response.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Called after each run, with the answer of the rule and the output of its command.
pub(crate) type AnswerObserver = Arc<dyn Fn(&RuleRun, &Answer, &CommandOutput) + Send + Sync>;

/// Called with the notices of an event.
pub(crate) type NoticeListener = Arc<dyn Fn(&Notices) + Send + Sync>;
