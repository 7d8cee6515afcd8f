//! Spans of dispatches, made when a dispatch has ended: only then it is known which hooks did something.

use std::sync::Arc;
use std::time::SystemTime;

use hook_sdk::HookId;
use hook_sdk::context::Ids;
use hook_sdk::record::{Note, Observer, Record, Run, RunEnd, Status};
use hook_sdk::verdict::Contributions;
use opentelemetry::trace::{Link, Span, SpanBuilder, SpanKind, Status as SpanStatus, TraceContextExt};
use opentelemetry::{Context, StringValue, Value};

use crate::names::hook;
use crate::telemetry::Telemetry;
use crate::told::{Dispatch, Part, number, of_ids, some, table};

impl Observer for Telemetry {
    fn starts(&self, kind: &'static str, _hook: &HookId, ids: &Arc<Ids>) {
        if !self.shared.tracing.is_silent() {
            self.shared.parents.keep(kind, ids);
        }
    }

    fn dispatched(&self, record: &Record) {
        if record.runs.iter().all(|run| matches!(run.status, Status::Skipped(_))) {
            return;
        }
        self.shared.metrics.dispatched(record);
        if !self.shared.tracing.is_silent() {
            self.tell(record);
        }
    }

    /// A span with a link to the dispatch that started the run, if that was in this process.
    fn ended(&self, ended: &RunEnd, _contributions: &Contributions) {
        self.shared.metrics.ended(ended);
        let (part, now) = (Part::of(&ended.run), SystemTime::now());
        let begin = || {
            let own = table([
                (hook::KIND, some(ended.kind.clone())),
                (hook::MODE, some(ended.mode.as_str())),
                ("hook.job.id", ended.job.clone().map(Value::from)),
                ("hook.attempt", ended.job.as_ref().and_then(|_| number(ended.attempt))),
                ("hook.again", ended.job.as_ref().map(|_| ended.again.into())),
            ]);
            let viewers = self.wanted.viewers("CHAIN", "span");
            let attributes = own.chain(part.attributes(self.wanted)).chain(of_ids(&ended.ids)).chain(viewers);
            let link = self.shared.launched.get(key(&ended.kind, part.hook, &ended.ids)).map(Link::with_context);
            SpanBuilder::from_name(format!("hook {}", part.hook))
                .with_kind(if ended.job.is_some() { SpanKind::Consumer } else { SpanKind::Internal })
                .with_start_time(now.checked_sub(part.took).unwrap_or(now))
                .with_attributes(attributes)
                .with_links(link.into_iter().collect())
        };
        if let Some(span) = self.shared.tracing.start(&Context::current(), begin) {
            end(span, part.error(), now);
        }
    }
}

impl Telemetry {
    /// A span for the dispatch, with children for the hooks that did something.
    fn tell(&self, record: &Record) {
        let dispatch = self.read(record);
        let launched = || dispatch.parts.iter().filter(|part| part.is_launched());
        if !dispatch.is_told() && launched().next().is_none() {
            return;
        }
        let end_time = SystemTime::now();
        let start = end_time.checked_sub(record.duration).unwrap_or(end_time);
        let mut parent = Context::current();
        if let Some(span) = record.dropped.then(|| self.shared.parents.get(record.kind, &record.ids)).flatten() {
            parent = parent.with_remote_span_context(span);
        }
        let begin = || {
            let span = SpanBuilder::from_name(dispatch.name()).with_start_time(start);
            span.with_attributes(dispatch.attributes(self.wanted))
        };
        let Some(span) = self.shared.tracing.start(&parent, begin) else { return };
        for part in launched() {
            self.shared.launched.keep(key(record.kind, part.hook, &record.ids), span.span_context());
        }
        if span.is_recording() {
            let within = parent.with_remote_span_context(span.span_context().clone());
            for told in dispatch.hooks(self.wanted) {
                let begins = start + told.begins;
                let begin =
                    || SpanBuilder::from_name(told.name).with_start_time(begins).with_attributes(told.attributes);
                if let Some(span) = self.shared.tracing.start(&within, begin) {
                    end(span, told.error, begins + told.took);
                }
            }
        }
        end(span, None, end_time);
    }

    fn read<'a>(&self, record: &'a Record) -> Dispatch<'a> {
        let dispatch = Dispatch {
            kind: record.kind.into(),
            semantics: self.shared.kinds.get(record.kind).copied(),
            ids: &record.ids,
            verdict: record.verdict.map(StringValue::from),
            removed: record.removed,
            dropped: record.dropped,
            took: record.duration,
            parts: Vec::new(),
        };
        dispatch.with(record.runs.iter().map(Part::of))
    }
}

impl<'a> Part<'a> {
    fn of(run: &'a Run) -> Self {
        Self {
            hook: run.hook.as_str(),
            status: status(run.status).into(),
            changed: run.changed,
            contributed: !run.contributed.is_empty(),
            verdict: run.verdict.map(StringValue::from),
            cause: run.cause.as_deref(),
            note: run.note.map(|of| note(of).into()),
            rule: run.attribution.as_deref(),
            took: run.duration.unwrap_or_default(),
        }
    }
}

fn end(mut span: impl Span, error: Option<StringValue>, at: SystemTime) {
    if let Some(error) = error {
        span.set_status(SpanStatus::error(error.as_str().to_owned()));
    }
    span.end_with_timestamp(at);
}

/// What a dispatch and the end of a run that it started have in common.
fn key<'a>(kind: &'a str, hook: &'a str, ids: &'a Ids) -> impl std::hash::Hash + Copy + 'a {
    (kind, hook, ids.conversation.as_deref(), ids.request.as_deref(), ids.message.as_deref())
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
