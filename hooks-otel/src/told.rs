//! What is told of a dispatch, of one that has just ended as of one of a recording: its span, and a span for each hook that did
//! something.

use std::collections::HashMap;
use std::time::Duration;

use hook_sdk::Semantics;
use hook_sdk::context::Ids;
use hook_sdk::kinds;
use hook_sdk::record::{Note, Status};
use hook_sdk::verdict::Attribution;
use opentelemetry::trace::SpanKind;
use opentelemetry::{KeyValue, StringValue, Value};

use crate::names::{AGENT, CONVERSATION, ERROR_TYPE, OPERATION, hook};

/// A run that took longer gets a span, even if it did nothing.
const LONG: Duration = Duration::from_millis(1);

/// The kind that fires for each piece of a stream. Its dispatches are shown only if a hook stopped the stream or failed.
const PIECES: &str = "stream_delta";

/// The operation of the conventions for a hook at a gate.
const RUN_GUARDRAIL: &str = "run_guardrail";

/// What a hook guards: the direction, and the type of content.
type Target = (&'static str, Option<&'static str>);

/// What hooks do at each kind of the program.
pub(crate) type Kinds = HashMap<&'static str, Semantics>;

pub(crate) fn kinds() -> Kinds {
    kinds::all().into_iter().map(|kind| (kind.name, kind.semantics)).collect()
}

/// What spans have beside what they always have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The attributes of gates, whose names still move: pull request 427.
    pub(crate) guardrails: bool,
    /// The texts of errors.
    pub(crate) failures: bool,
    /// The kind of the span, for two viewers.
    pub(crate) viewers: bool,
}

/// A dispatch.
pub(crate) struct Dispatch<'a> {
    pub(crate) kind: StringValue,
    /// `None` of a kind that this program does not know.
    pub(crate) semantics: Option<Semantics>,
    pub(crate) ids: &'a Ids,
    pub(crate) verdict: Option<StringValue>,
    pub(crate) removed: bool,
    pub(crate) dropped: bool,
    /// When it began, since 1970.
    pub(crate) at: Duration,
    pub(crate) took: Duration,
    pub(crate) error: Option<StringValue>,
    /// The hooks that ran, in order.
    pub(crate) parts: Vec<Part<'a>>,
}

/// The part of a hook.
pub(crate) struct Part<'a> {
    pub(crate) hook: &'a str,
    /// As it is serialized.
    pub(crate) status: StringValue,
    /// Whether it changed the subject.
    pub(crate) changed: bool,
    pub(crate) contributed: bool,
    pub(crate) verdict: Option<StringValue>,
    /// Cleaned of secrets by the engine.
    pub(crate) cause: Option<&'a str>,
    pub(crate) note: Option<StringValue>,
    pub(crate) rule: Option<&'a Attribution>,
    pub(crate) took: Duration,
}

/// A span that is complete.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) kind: SpanKind,
    /// Since 1970.
    pub(crate) at: Duration,
    pub(crate) took: Duration,
    pub(crate) attributes: Vec<KeyValue>,
    /// Why it failed, as a word, which is an attribute too.
    pub(crate) error: Option<StringValue>,
}

impl Told {
    pub(crate) fn new(
        name: String,
        (at, took): (Duration, Duration),
        error: Option<StringValue>,
        attributes: impl Iterator<Item = KeyValue>,
    ) -> Self {
        let error_type = error.clone().map(|error| KeyValue::new(ERROR_TYPE, error));
        let attributes = attributes.chain(error_type).collect();
        Self { name, kind: SpanKind::Internal, at, took, attributes, error }
    }
}

impl<'a> Dispatch<'a> {
    /// With the hooks that ran. The one that removed the subject, the last one that ended unless it failed, has changed it.
    pub(crate) fn with(mut self, parts: impl Iterator<Item = Part<'a>>) -> Self {
        self.parts.extend(parts.filter(|part| part.status.as_str() != "skipped"));
        let ended =
            |part: &&mut Part<'_>| !matches!(part.status.as_str(), "cancelled" | "detached" | "queued" | "dropped");
        if let Some(last) = self.parts.iter_mut().rfind(ended).filter(|_| self.removed) {
            last.changed |= last.is_completed();
        }
        self
    }

    /// Whether it has a span.
    pub(crate) fn is_told(&self) -> bool {
        let is_shown = matches!(self.semantics, Some(Semantics::Gate | Semantics::Transform | Semantics::Control));
        is_shown && self.kind.as_str() != PIECES || self.parts.iter().any(|part| self.tells(part))
    }

    /// Whether a hook has one: if it gave a verdict or failed; if it changed or contributed something or took long.
    fn tells(&self, part: &Part<'_>) -> bool {
        let decided = part.verdict.is_some() || part.error().is_some();
        let acted = part.changed || part.contributed || part.took > LONG;
        !part.is_launched() && (decided || acted && self.kind.as_str() != PIECES)
    }

    pub(crate) fn span(&self, wanted: Wanted) -> Told {
        let silent = self.parts.iter().filter(|part| !self.tells(part)).count();
        let own = table([
            (hook::KIND, some(self.kind.clone())),
            (hook::VERDICT, self.verdict.clone().map(Value::from)),
            ("hook.runs", number(self.parts.len())),
            ("hook.silent", number(silent)),
            ("hook.removed", self.removed.then_some(true.into())),
            ("hook.dropped", self.dropped.then_some(true.into())),
        ]);
        let attributes = own.chain(of_ids(self.ids)).chain(wanted.viewers("CHAIN", "chain"));
        Told::new(format!("hook {}", self.kind), (self.at, self.took), self.error.clone(), attributes)
    }

    /// The spans of hooks.
    pub(crate) fn hooks(&self, wanted: Wanted) -> impl Iterator<Item = Told> {
        let mut from = Duration::ZERO;
        let begins = self.parts.iter().map(move |part| {
            // Hooks that waited at the same time began together; only their durations are known.
            let overlaps = from + part.took > self.took;
            let begins = if overlaps { self.took.saturating_sub(part.took) } else { from };
            from = begins + part.took;
            (part, begins)
        });
        begins.filter(|(part, _)| self.tells(part)).map(move |(part, begins)| {
            let guarded = self.guarded();
            let (what, viewers) = match guarded {
                Some(_) => (RUN_GUARDRAIL, wanted.viewers("GUARDRAIL", "guardrail")),
                None => ("hook", wanted.viewers("CHAIN", "span")),
            };
            let guarded = guarded.filter(|_| wanted.guardrails);
            let guardrail = guarded.into_iter().flat_map(|target| self.guardrail(part, target));
            let own = part.attributes(&self.kind, self.ids, wanted).into_iter();
            // A recording may lack the time.
            let at = if self.at.is_zero() { self.at } else { self.at + begins };
            Told::new(
                format!("{what} {}", part.hook),
                (at, part.took),
                part.error(),
                own.chain(viewers).chain(guardrail),
            )
        })
    }

    /// `None` for kinds at which no hook guards.
    fn guarded(&self) -> Option<Target> {
        Some(match self.kind.as_str() {
            "before_tool_call" | "permission_request" => ("input", Some("tool_call")),
            "user_prompt_submit" => ("input", Some("llm")),
            "stop" | PIECES => ("output", Some("llm")),
            "before_compaction" => ("input", Some("memory")),
            _ if self.semantics == Some(Semantics::Gate) => ("input", None),
            _ => return None,
        })
    }

    fn guardrail(&self, part: &Part<'_>, (target, subtype): Target) -> Vec<KeyValue> {
        let changed = if part.changed { "modify" } else { "allow" };
        // `None` if it failed, because then it said nothing.
        let said = match &part.verdict {
            Some(verdict) => meaning(verdict).or(Some(changed)),
            None => part.is_completed().then_some(changed),
        };
        let removed = self.removed.then_some("block");
        let did = match self.verdict.as_ref().and_then(meaning) {
            Some("deny") => "block",
            Some(action) => action,
            None => removed.unwrap_or(changed),
        };
        let rule = part.rule.map_or(part.hook, |rule| rule.id.as_str());
        let own = table([
            (OPERATION, some(RUN_GUARDRAIL)),
            ("gen_ai.guardrail.component.name", some(part.hook.to_owned())),
            ("gen_ai.guardrail.target.type", some(target)),
            ("gen_ai.guardrail.target.subtype", subtype.map(Value::from)),
            ("gen_ai.guardrail.verdict.type", said.map(Value::from)),
            ("gen_ai.guardrail.action.type", some(did)),
            ("gen_ai.guardrail.security.policy.rule.id", some(rule.to_owned())),
            ("gen_ai.guardrail.security.content.modified", part.changed.then_some(true.into())),
        ]);
        own.collect()
    }
}

/// What a verdict means in the words of the conventions, unless it lets things pass.
fn meaning(verdict: &StringValue) -> Option<&'static str> {
    match verdict.as_str() {
        "deny" | "block" | "stop" | "end" => Some("deny"),
        "ask" | "defer" => Some("escalate"),
        "answer" => Some("modify"),
        _ => None,
    }
}

impl Part<'_> {
    /// Why it failed, as a word.
    pub(crate) fn error(&self) -> Option<StringValue> {
        is_failure(self.status.as_str()).then(|| self.status.clone())
    }

    fn is_completed(&self) -> bool {
        self.status.as_str() == "completed"
    }

    /// Whether its end is told apart.
    pub(crate) fn is_launched(&self) -> bool {
        matches!(self.status.as_str(), "detached" | "queued")
    }

    pub(crate) fn attributes(&self, kind: &StringValue, ids: &Ids, wanted: Wanted) -> Vec<KeyValue> {
        let cause = self.cause.filter(|_| wanted.failures);
        let own = table([
            (hook::KIND, some(kind.clone())),
            (hook::ID, some(self.hook.to_owned())),
            (hook::STATUS, some(self.status.clone())),
            ("hook.changed", some(self.changed)),
            (hook::VERDICT, self.verdict.clone().map(Value::from)),
            ("hook.failure", cause.map(|cause| cause.to_owned().into())),
            (hook::NOTE, self.note.clone().map(Value::from)),
            ("hook.rule", self.rule.map(|rule| rule.id.to_string().into())),
            ("hook.plugin", self.rule.and_then(|rule| rule.plugin.clone()).map(Value::from)),
        ]);
        own.chain(of_ids(ids)).collect()
    }
}

/// Whether a status, in a word, is a failure.
pub(crate) fn is_failure(status: &str) -> bool {
    matches!(status, "failed" | "timed_out" | "panicked" | "dropped")
}

impl Wanted {
    /// The kind of a span for viewers, if they are wanted.
    pub(crate) fn viewers(self, openinference: &'static str, langfuse: &'static str) -> impl Iterator<Item = KeyValue> {
        let kinds = [("openinference.span.kind", openinference), ("langfuse.observation.type", langfuse)];
        kinds.into_iter().filter(move |_| self.viewers).map(|(name, kind)| KeyValue::new(name, kind))
    }
}

/// The attributes that have a value.
pub(crate) fn table<const N: usize>(of: [(&'static str, Option<Value>); N]) -> impl Iterator<Item = KeyValue> {
    of.into_iter().filter_map(|(name, value)| Some(KeyValue::new(name, value?)))
}

#[allow(clippy::unnecessary_wraps, reason = "a row of a table may lack its value")]
pub(crate) fn some(value: impl Into<Value>) -> Option<Value> {
    Some(value.into())
}

pub(crate) fn number(number: impl TryInto<i64>) -> Option<Value> {
    some(number.try_into().unwrap_or(i64::MAX))
}

pub(crate) fn of_ids(ids: &Ids) -> impl Iterator<Item = KeyValue> + use<> {
    let text = |id: &Option<std::sync::Arc<str>>| id.clone().map(Value::from);
    table([(CONVERSATION, text(&ids.conversation)), (AGENT, text(&ids.agent))])
}

/// The word of a status, as it is serialized.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Completed => "completed",
        Status::Skipped(_) => "skipped",
        Status::Failed => "failed",
        Status::TimedOut => "timed_out",
        Status::Panicked => "panicked",
        Status::Cancelled => "cancelled",
        Status::Detached => "detached",
        Status::Queued => "queued",
        Status::Dropped => "dropped",
        _ => "other",
    }
}

/// The word of a note, as it is serialized.
pub(crate) fn note(note: Note) -> &'static str {
    match note {
        Note::AllowOutdated => "allow_outdated",
        Note::FallbackAnswered => "fallback_answered",
        Note::Shadow => "shadow",
        Note::SubjectFrozen => "subject_frozen",
        _ => "other",
    }
}
