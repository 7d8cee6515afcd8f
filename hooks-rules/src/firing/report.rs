use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::event::Event;
use crate::rule::{RuleId, RuleSource};

/// One run of one rule. Holds nothing of what was given to the rule, and of what it said only why it failed.
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
    /// The plugin whose rule it is.
    pub plugin: Option<String>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// The exit code of its command.
    pub code: Option<i32>,
    /// How long it took.
    pub duration: Duration,
    /// What it decided, in a word.
    pub decision: Option<&'static str>,
    /// Why it failed.
    pub failure: Option<String>,
    /// What its author likely did not mean.
    pub remarks: Vec<String>,
    /// The variables that its command did not find because the app withholds them.
    pub withheld: Vec<String>,
}

impl RuleRun {
    /// Where the rule is from.
    pub fn source(&self) -> RuleSource {
        let Self { rule, file, line, plugin, .. } = self;
        RuleSource { rule: rule.clone(), file: Arc::clone(file), line: *line, plugin: plugin.clone() }
    }
}

/// How one run of a rule ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunOutcome {
    /// It answered, if only by saying nothing.
    Answered,
    /// It failed; what that means is the rule's `onFailure`.
    Failed,
    /// Nobody waits for it; a second run is reported when it ends.
    Detached,
    /// It was not started: too many run already that nobody waits for.
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

/// What the rules of an event said that its kind cannot carry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notices {
    /// The event.
    pub event: Event,
    /// The session.
    pub session: String,
    /// Messages for the person, in the order of the files.
    pub messages: Vec<String>,
    /// Messages for the model, out of turn.
    pub for_the_model: Vec<String>,
    /// Members of `hookSpecificOutput` such as `sessionTitle`.
    pub members: Map<String, Value>,
    /// The rule that decided, or ends the turn.
    pub decided_by: Option<RuleSource>,
}

/// What a command that nobody waited for (`asyncRewake`) has for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wake {
    /// The session.
    pub session: String,
    /// The rule.
    pub rule: RuleId,
    /// What it said.
    pub text: String,
}

/// Called where a command wakes the model.
pub(crate) type WakeListener = Arc<dyn Fn(&Wake) + Send + Sync>;

/// Called after each run.
pub(crate) type RunObserver = Arc<dyn Fn(&RuleRun) + Send + Sync>;

/// What a command printed, at most 1 MiB of each stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Printed {
    /// To standard output; the body of an answer of HTTP.
    pub stdout: String,
    /// To standard error.
    pub stderr: String,
}

/// Called after each run, with what the rule said and printed.
pub(crate) type AnswerObserver = Arc<dyn Fn(&RuleRun, &Answer, &Printed) + Send + Sync>;

/// Called with the notices of an event.
pub(crate) type NoticeListener = Arc<dyn Fn(&Notices) + Send + Sync>;
