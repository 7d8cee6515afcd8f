//! Spans of dispatches, made when a dispatch has ended: only then it is known which hooks did something.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hook_sdk::HookId;
use hook_sdk::context::Ids;
use hook_sdk::record::{Observer, Record, Run, RunEnd, Status};
use hook_sdk::verdict::Contributions;
use opentelemetry::trace::{SpanKind, TraceContextExt};
use opentelemetry::{Context, StringValue};

use crate::names::hook;
use crate::telemetry::Telemetry;
use crate::told::{Dispatch, Part, Told, note, number, some, status, table};

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
        if self.shared.tracing.is_silent() {
            return;
        }
        let (part, job) = (Part::of(&ended.run), ended.job.as_ref());
        let own = table([
            (hook::MODE, some(ended.mode.as_str())),
            ("hook.job.id", job.map(|id| id.clone().into())),
            ("hook.attempt", job.and_then(|_| number(ended.attempt))),
            ("hook.again", job.map(|_| ended.again.into())),
        ]);
        let attributes = part.attributes(&ended.kind.clone().into(), &ended.ids, self.wanted);
        let attributes = attributes.into_iter().chain(own).chain(self.wanted.viewers("CHAIN", "span"));
        let times = (now().saturating_sub(part.took), part.took);
        let mut told = Told::new(format!("hook {}", part.hook), times, part.error(), attributes);
        if job.is_some() {
            told.kind = SpanKind::Consumer;
        }
        let link = self.shared.launched.get(key(&ended.kind, part.hook, &ended.ids));
        drop(self.shared.tracing.tell(&Context::current(), told, link));
    }
}

impl Telemetry {
    /// A span for the dispatch, with children for the hooks that did something.
    fn tell(&self, record: &Record) {
        let dispatch = self.read(record);
        let mut launched = dispatch.parts.iter().filter(|part| part.is_launched()).peekable();
        if !dispatch.is_told() && launched.peek().is_none() {
            return;
        }
        let mut parent = Context::current();
        if let Some(span) = record.dropped.then(|| self.shared.parents.get(record.kind, &record.ids)).flatten() {
            parent = parent.with_remote_span_context(span);
        }
        let Some(span) = self.shared.tracing.tell(&parent, dispatch.span(self.wanted), None) else { return };
        for part in launched {
            self.shared.launched.keep(key(record.kind, part.hook, &record.ids), &span);
        }
        let within = parent.with_remote_span_context(span);
        for told in dispatch.hooks(self.wanted) {
            self.shared.tracing.tell(&within, told, None);
        }
    }

    fn read<'a>(&self, record: &'a Record) -> Dispatch<'a> {
        let dispatch = Dispatch {
            kind: record.kind.into(),
            semantics: self.shared.kinds.get(record.kind).copied(),
            ids: &record.ids,
            verdict: record.verdict.map(StringValue::from),
            removed: record.removed,
            dropped: record.dropped,
            at: now().saturating_sub(record.duration),
            took: record.duration,
            error: None,
            parts: Vec::new(),
        };
        dispatch.with(record.runs.iter().map(Part::of))
    }
}

fn now() -> Duration {
    UNIX_EPOCH.elapsed().unwrap_or_default()
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

/// What a dispatch and the end of a run that it started have in common.
fn key<'a>(kind: &'a str, hook: &'a str, ids: &'a Ids) -> impl std::hash::Hash + Copy + 'a {
    (kind, hook, ids.conversation.as_deref(), ids.request.as_deref(), ids.message.as_deref())
}
