//! The lines of a recording. Other versions of this crate read them too.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::context::Ids;
use hook_sdk::data::Usage;
use hook_sdk::record::{Note, Run, Trace};
use hook_sdk::verdict::Attribution;
use json_patch::{AddOperation, Patch, PatchOperation, ReplaceOperation, TestOperation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refs::{self, MissingReference, SharedId};

/// The version of the line format. Lines of a later version are reported and skipped.
pub const SCHEMA: u32 = 2;

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordingLine {
    /// The first line of a file.
    Header(Header),
    /// A message that later lines refer to.
    Message(SharedLine),
    /// A long value that later lines refer to.
    Value(SharedLine),
    /// A dispatch.
    Dispatch(Box<DispatchLine>),
    /// The end of a turn, with its inputs that do not come from hooks.
    Turn(Box<TurnLine>),
    /// The recording of a turn is truncated, because it reached the limit of [`RecordLimits`](crate::RecordLimits).
    Full {
        /// The turn, as in [`Ids::request`].
        request: Option<Arc<str>>,
    },
    /// Lines were dropped, because the writer was slower than the program, or could not write.
    Dropped {
        /// The number of lines.
        count: u64,
    },
}

/// A message or a long value that is written only once. Later lines contain the text `$message:id` or `$value:id`
/// instead. Other texts of this form are escaped with an additional `$`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SharedLine {
    /// A part of the hash of the content, in hexadecimal digits.
    pub id: SharedId,
    /// The content.
    pub value: Value,
}

/// Metadata of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The version of the line format. See [`SCHEMA`].
    pub schema: u32,
    /// The name of the program.
    pub program: String,
    /// The version of this crate.
    pub written_by: String,
    /// The time at which the recording began, in milliseconds since 1970.
    pub started: u64,
    /// The number of bytes after which texts were truncated.
    #[serde(default = "field")]
    pub field: usize,
}

/// The default of [`Header::field`].
pub(crate) fn field() -> usize {
    16 << 10
}

impl Header {
    pub(crate) fn new(program: &str, field: usize) -> Self {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Self {
            schema: SCHEMA,
            program: program.to_owned(),
            written_by: env!("CARGO_PKG_VERSION").to_owned(),
            started: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            field,
        }
    }
}

/// A dispatch: the event, and the result of each hook.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DispatchLine {
    /// The name of the kind.
    pub kind: String,
    /// The ids of the dispatch, such as its conversation and turn.
    pub ids: Ids,
    /// The nesting depth: 0 unless a hook fired it.
    #[serde(skip_serializing_if = "is_zero")]
    pub depth: usize,
    /// The event.
    pub event: Value,
    /// The subject before the hooks. Null if the kind has none.
    pub subject: Value,
    /// The hooks of the plan in order, disabled ones last. `None` for traffic of other programs, which had other hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<RunLine>>,
    /// Whether a hook removed the subject.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// The combined verdict. Null if the kind has none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub verdict: Value,
    /// The combined verdict as a word, such as `deny`. `None` if no hook decided anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// The error, if the dispatch failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it began, in microseconds since 1970. 0 if that was not recorded.
    #[serde(skip_serializing_if = "is_zero_u64")]
    pub at: u64,
    /// The duration in microseconds.
    #[serde(skip_serializing_if = "is_zero_u64")]
    pub micros: u64,
    /// What was removed from this line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// Whether the event and the subject are complete, although something was removed from the line: hooks get the same at
    /// the replay.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole_input: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde asks for
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde asks for
fn is_zero_u64(number: &u64) -> bool {
    *number == 0
}

/// The end of a turn, with its inputs and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TurnLine {
    /// The ids of the turn.
    pub ids: Ids,
    /// The conversation and the answers of models and tools, as serialised from `hooks_agent::inputs::TurnInputs`. Null
    /// if they exceeded the limit of a turn.
    pub inputs: Value,
    /// The exit reason, as a word.
    pub exit: String,
    /// The reply, as shown to the person.
    pub reply: String,
    /// When it began, in microseconds since 1970. 0 if that was not recorded.
    #[serde(skip_serializing_if = "is_zero_u64")]
    pub at: u64,
    /// The duration in microseconds.
    #[serde(skip_serializing_if = "is_zero_u64")]
    pub micros: u64,
    /// The tokens of its model calls, those of sub-agents included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The number of dispatches.
    pub dispatches: usize,
    /// What was removed from this line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// A change of a line before it was written. Its replay uses the changed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mark {
    /// A text was truncated.
    Cut,
    /// A secret was removed.
    Redacted,
}

/// The run of a hook in a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RunLine {
    /// The id of the hook.
    pub hook: String,
    /// A hash of its options, filters, parameters and version, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The status: `completed`, `failed`, `skipped: …`.
    pub status: String,
    /// The decision. Null if there is none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub verdict: Value,
    /// The decision as a word, such as `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// Its change of the subject, as a JSON patch (RFC 6902) of the subject that it got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Patch>,
    /// The number of its stage. Hooks of one stage may run concurrently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<usize>,
    /// Something that was discarded, or an answer without effect, as in [`Run::note`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The rule on whose behalf it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
    /// Whether it ran in shadow mode: its verdict and its change had no effect.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// The cause of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The duration in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
}

impl DispatchLine {
    /// Creates the line of a dispatch. `write` converts each value to the form that is written.
    pub(crate) fn of(trace: Trace, write: &mut dyn FnMut(Value) -> Value) -> Self {
        let record = &trace.record;
        let mut write = |value| write(Arc::unwrap_or_clone(value));
        let (event, before) = (write(trace.event), write(trace.before));
        let mut subject = Cow::Borrowed(&before);
        let mut runs = Vec::with_capacity(record.runs.len());
        // The disabled hooks come last and have no payload.
        let mut traced = trace.runs.into_iter();
        for run in &record.runs {
            let traced = traced.next();
            let mut line = RunLine::of(run);
            if let Some(traced) = traced {
                line.revision = Some(format!("{:016x}", traced.revision));
                line.stage = Some(traced.stage);
                line.verdict = write(traced.verdict);
                let after = traced.after.map(&mut write);
                line.change = after.as_ref().map(|after| json_patch::diff(&subject, after));
                if let (Some(after), false) = (after, line.shadow) {
                    subject = Cow::Owned(after);
                }
            }
            runs.push(line);
        }
        drop(subject);
        Self {
            kind: record.kind.to_owned(),
            ids: (*record.ids).clone(),
            depth: trace.depth,
            event,
            subject: before,
            runs: Some(runs),
            removed: record.removed,
            verdict: write(trace.verdict),
            word: record.verdict.map(str::to_owned),
            error: trace.error,
            at: 0,
            micros: micros(record.duration),
            marks: Vec::new(),
            whole_input: false,
        }
    }

    /// Whether hooks get something else at the replay than they got, because the recorder removed a part of it.
    pub(crate) fn lacks_input(&self) -> bool {
        !self.marks.is_empty() && !self.whole_input
    }
}

impl RecordingLine {
    /// What is missing in the recording at this place, if this line says so.
    pub fn gap(&self) -> Option<String> {
        match self {
            Self::Dropped { count } => {
                Some(format!("{count} lines were dropped, because the recorder was too slow or its disk was full"))
            }
            Self::Full { .. } => {
                Some("the rest of the turn was not recorded, because it reached the size limit".to_owned())
            }
            _ => None,
        }
    }

    /// Like [`DispatchLine::resolve`].
    pub(crate) fn resolve(
        &mut self,
        message: &mut dyn FnMut(SharedId) -> Option<Value>,
    ) -> Result<(), MissingReference> {
        match self {
            Self::Dispatch(line) => line.resolve(message),
            Self::Turn(line) => refs::resolve(&mut line.inputs, message),
            _ => Ok(()),
        }
    }

    /// Calls `each` with every value that can contain references: what people, models, tools and hooks said.
    pub(crate) fn each_value(&mut self, each: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::Dispatch(line) => line.each_value(each),
            Self::Turn(line) => each(&mut line.inputs),
            Self::Message(line) | Self::Value(line) => each(&mut line.value),
            Self::Header(_) | Self::Full { .. } | Self::Dropped { .. } => {}
        }
    }
}

impl DispatchLine {
    pub(crate) fn each_value(&mut self, each: &mut dyn FnMut(&mut Value)) {
        each(&mut self.event);
        each(&mut self.subject);
        each(&mut self.verdict);
        for run in self.runs.iter_mut().flatten() {
            each(&mut run.verdict);
            for operation in run.change.iter_mut().flat_map(|change| &mut change.0) {
                match operation {
                    PatchOperation::Add(AddOperation { value, .. })
                    | PatchOperation::Replace(ReplaceOperation { value, .. })
                    | PatchOperation::Test(TestOperation { value, .. }) => each(value),
                    _ => {}
                }
            }
        }
    }
}

impl DispatchLine {
    /// Replaces references by messages. Changes then apply to the messages instead of the references. A reference that
    /// is not found stays in the line.
    pub(crate) fn resolve(
        &mut self,
        message: &mut dyn FnMut(SharedId) -> Option<Value>,
    ) -> Result<(), MissingReference> {
        let mut missing = Ok(());
        let mut whole = |mut value: Value| {
            missing = missing.and(refs::resolve(&mut value, message));
            value
        };
        let (mut given, mut with_messages) = (self.subject.clone(), whole(self.subject.take()));
        self.subject = with_messages.clone();
        for run in self.runs.iter_mut().flatten() {
            run.verdict = whole(run.verdict.take());
            let Some(change) = &mut run.change else { continue };
            let mut left = given.clone();
            // If the place of a patch was truncated, the patch cannot be applied. The line is marked as truncated.
            let _ = json_patch::patch(&mut left, change);
            let next = whole(left.clone());
            *change = json_patch::diff(&with_messages, &next);
            if !run.shadow {
                (given, with_messages) = (left, next);
            }
        }
        self.event = whole(self.event.take());
        self.verdict = whole(self.verdict.take());
        missing
    }
}

impl RunLine {
    /// Whether it decided, added or changed something.
    pub(crate) fn answers(&self) -> bool {
        self.word.is_some() || self.changes().is_some()
    }

    /// Its change, if it changed anything: a hook may write what was there before.
    pub(crate) fn changes(&self) -> Option<&Patch> {
        self.change.as_ref().filter(|change| !change.is_empty())
    }

    fn of(run: &Run) -> Self {
        Self {
            hook: run.hook.to_string(),
            status: run.status.to_string(),
            word: run.verdict.map(str::to_owned),
            shadow: run.note == Some(Note::Shadow),
            note: run.note.and_then(word),
            attribution: run.attribution.clone(),
            cause: run.cause.clone(),
            micros: run.duration.map(micros),
            ..Self::default()
        }
    }
}

/// The word with which a note is serialised.
fn word(note: Note) -> Option<String> {
    serde_json::to_value(note).ok()?.as_str().map(str::to_owned)
}

/// The time of the machine, in microseconds since 1970.
pub(crate) fn now() -> u64 {
    micros(std::time::UNIX_EPOCH.elapsed().unwrap_or_default())
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
