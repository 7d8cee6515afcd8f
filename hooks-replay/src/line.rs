//! The lines of a recording: what is written, and read again by other versions.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::context::Ids;
use hooks_core::record::{Note, Run, Trace};
use json_patch::{AddOperation, Patch, PatchOperation, ReplaceOperation, TestOperation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refs::{self, Missing, SharedId};

/// The version of the form of a line. A line of a later one is reported and left out.
pub const SCHEMA: u32 = 2;

/// One line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Line {
    /// The first line of a file.
    Header(Header),
    /// A message that later lines refer to.
    Message(SharedLine),
    /// A long value that later lines refer to.
    Value(SharedLine),
    /// A dispatch.
    Dispatch(Box<DispatchLine>),
    /// The end of a turn, with what it took from outside of its hooks.
    Turn(Box<TurnLine>),
    /// The dispatches of a turn that follow were not written: there were more than a turn may have.
    Full {
        /// The turn, as [`Ids::request`] names it.
        request: Option<Arc<str>>,
    },
    /// Lines that were not written: the writer was too slow for the program.
    Dropped {
        /// How many.
        count: u64,
    },
}

/// A message or a long value, which is written once. In later lines the text `$message:id` or `$value:id` stands in its place.
/// A text of that form which somebody said has one more `$`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SharedLine {
    /// A part of the hash of its content, in hexadecimal digits.
    pub id: SharedId,
    /// What it is.
    pub value: Value,
}

/// Who wrote a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The program's name.
    pub program: String,
    /// The version of this crate that wrote it.
    pub written_by: String,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
    /// Bytes of a text, beyond which it was cut.
    #[serde(default = "field")]
    pub field: usize,
}

/// How long a text may be where nothing is said.
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

/// A dispatch: what was fired, and what each hook made of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DispatchLine {
    /// The name of the kind.
    pub kind: String,
    /// Where it happened.
    pub ids: Ids,
    /// How many dispatches it is within: 0 where no hook fired it.
    #[serde(skip_serializing_if = "is_zero")]
    pub depth: usize,
    /// The event.
    pub event: Value,
    /// The subject as it was fired; null where the kind has none.
    pub subject: Value,
    /// The hooks of the plan in their order, the disabled last. `None` where the traffic is another program's, which had
    /// other hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<RunLine>>,
    /// Whether a hook removed the subject.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// The folded answer; null where the kind has none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub verdict: Value,
    /// The folded answer in a word, such as `deny`; `None` where no hook had an opinion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// Why the dispatch gave no outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long it took, in microseconds.
    #[serde(skip_serializing_if = "is_zero_u64")]
    pub micros: u64,
    /// What was left out of this line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde asks for
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde asks for
fn is_zero_u64(number: &u64) -> bool {
    *number == 0
}

/// A turn that ended: what it took from outside of its hooks, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TurnLine {
    /// Where it happened.
    pub ids: Ids,
    /// The conversation, and what models and tools answered, as `hooks_agent::inputs::TurnInputs` is written; null where that
    /// was longer than a turn may be.
    pub inputs: Value,
    /// How it ended, in a word.
    pub exit: String,
    /// What the person read.
    pub reply: String,
    /// How many dispatches it had.
    pub dispatches: usize,
    /// What was left out of this line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// Something that was left out of a line before it was written, so that its replay is one of something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mark {
    /// A text was longer than a field may be.
    Cut,
    /// A secret was removed.
    Redacted,
}

/// One hook's part in a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RunLine {
    /// The id of the hook.
    pub hook: String,
    /// A number that changes with its options, its filters and its parameters, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// How it ended: `completed`, `failed`, `skipped: …`.
    pub status: String,
    /// What it decided; null where it decided nothing.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub verdict: Value,
    /// What it decided in a word, such as `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// Its change of the subject, as a JSON patch (RFC 6902) of the subject that it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Patch>,
    /// Whether it ran in shadow: neither its verdict nor its change counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// How long it took, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
}

impl DispatchLine {
    /// The line of a dispatch that just ended. `write` makes of each value what is written of it.
    pub(crate) fn of(trace: Trace, write: &mut dyn FnMut(Value) -> Value) -> Self {
        let record = &trace.record;
        let mut write = |value| write(Arc::unwrap_or_clone(value));
        let (event, before) = (write(trace.event), write(trace.before));
        let mut subject = Cow::Borrowed(&before);
        let mut runs = Vec::with_capacity(record.runs.len());
        // The disabled hooks come last, and have no payload.
        let mut traced = trace.runs.into_iter();
        for run in &record.runs {
            let traced = traced.next();
            let mut line = RunLine::of(run);
            if let Some(traced) = traced {
                line.revision = Some(format!("{:016x}", traced.revision));
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
            micros: micros(record.duration),
            marks: Vec::new(),
        }
    }
}

impl Line {
    /// As [`DispatchLine::resolve`].
    pub(crate) fn resolve(&mut self, message: &mut dyn FnMut(SharedId) -> Option<Value>) -> Result<(), Missing> {
        match self {
            Self::Dispatch(line) => line.resolve(message),
            Self::Turn(line) => refs::resolve(&mut line.inputs, message),
            _ => Ok(()),
        }
    }

    /// Everything in it that may refer to something: what people, models, tools and hooks said.
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
    /// Puts messages into the place of references to them. Each change is then one of messages too, and not of references.
    /// What is not found stays as it is.
    pub(crate) fn resolve(&mut self, message: &mut dyn FnMut(SharedId) -> Option<Value>) -> Result<(), Missing> {
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
            // A patch whose place was cut no longer applies; the line says that it was cut.
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
    fn of(run: &Run) -> Self {
        Self {
            hook: run.hook.to_string(),
            status: run.status.to_string(),
            word: run.verdict.map(str::to_owned),
            shadow: run.note == Some(Note::Shadow),
            cause: run.cause.clone(),
            micros: run.duration.map(micros),
            ..Self::default()
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
