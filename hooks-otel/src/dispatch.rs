//! Spans of dispatches, made when a dispatch has ended: only then it is known which hooks did something.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hook_sdk::HookId;
use hook_sdk::context::Ids;
use hook_sdk::record::{Observer, Record, Run, RunEnd, Status};
use hook_sdk::verdict::Contributions;
use opentelemetry::trace::{Link, Span, SpanBuilder, SpanKind, Status as SpanStatus, TraceContextExt};
use opentelemetry::{Context, KeyValue, Value};

use crate::names::{AGENT, CONVERSATION, ERROR_TYPE, guardrail, hook, operation};
use crate::telemetry::Telemetry;
use crate::{run, status};

impl Observer for Telemetry {
    fn starts(&self, kind: &'static str, _hook: &HookId, ids: &Arc<Ids>) {
        if !self.shared.tracing.is_silent() {
            self.shared.parents.keep(kind, ids);
        }
    }

    fn dispatched(&self, record: &Record) {
        if record.runs.iter().any(status::has_run) {
            self.shared.metrics.dispatched(record, &self.shared.ids);
            dispatched(self, record);
        }
    }

    fn ended(&self, ended: &RunEnd, _contributions: &Contributions) {
        self.shared.metrics.ended(ended, &self.shared.ids);
        run_ended(self, ended);
    }
}

/// A span for the dispatch, with children for the hooks that did something.
fn dispatched(telemetry: &Telemetry, record: &Record) {
    let semantics = telemetry.semantics(record.kind);
    let remover = status::remover(record);
    let changed = |run: &Run| run.changed || remover == Some(&run.hook);
    let is_told = |run: &Run| status::is_told(run, record.kind, changed(run));
    let told = record.runs.iter().filter(|run| is_told(run)).count();
    let launched = |run: &&Run| matches!(run.status, Status::Detached | Status::Queued);
    if told == 0 && !run::is_shown(record.kind, semantics) && !record.runs.iter().any(|run| launched(&run)) {
        return;
    }
    let end = SystemTime::now();
    let start = end.checked_sub(record.duration).unwrap_or(end);
    let mut parent = Context::current();
    if let Some(span) = record.dropped.then(|| telemetry.shared.parents.get(record.kind, &record.ids)).flatten() {
        parent = parent.with_remote_span_context(span);
    }
    let begin = || {
        let ran = record.runs.iter().filter(|run| status::has_run(run)).count();
        let span = SpanBuilder::from_name(format!("{} {}", hook::SPAN, record.kind)).with_start_time(start);
        span.with_attributes(of_dispatch(telemetry, record, ran, told))
    };
    let Some(mut span) = telemetry.shared.tracing.start(&parent, begin) else { return };
    for run in record.runs.iter().filter(launched) {
        telemetry.shared.launched.keep(key(record.kind, run, &record.ids), span.span_context());
    }
    if told == 0 || !span.is_recording() {
        return span.end_with_timestamp(end);
    }
    let guarded = run::guarded(record.kind, semantics);
    let within = parent.with_remote_span_context(span.span_context().clone());
    let mut from = start;
    for run in &record.runs {
        let took = run.duration.unwrap_or_default();
        // Hooks that waited at the same time began together; a record has their durations alone.
        let begins = if from + took > end { end.checked_sub(took).unwrap_or(start).max(start) } else { from };
        if is_told(run) {
            child(telemetry, record, (run, changed(run)), guarded, &within, begins);
        }
        from = begins + took;
    }
    span.end_with_timestamp(end);
}

fn of_dispatch(telemetry: &Telemetry, record: &Record, ran: usize, told: usize) -> Vec<KeyValue> {
    let mut attributes = Vec::with_capacity(10);
    attributes.push(KeyValue::new(hook::KIND, record.kind));
    attributes.extend(record.verdict.map(|verdict| KeyValue::new(hook::VERDICT, verdict)));
    attributes.push(number(hook::RUNS, ran));
    attributes.push(number(hook::SILENT, ran - told));
    for (name, is) in [(hook::REMOVED, record.removed), (hook::DROPPED, record.dropped)] {
        attributes.extend(is.then(|| KeyValue::new(name, true)));
    }
    add_ids(&mut attributes, &record.ids);
    telemetry.add_viewers(&mut attributes, "CHAIN", "chain");
    attributes
}

/// The span of a hook that did something, and whether it changed or removed the subject.
fn child(
    telemetry: &Telemetry,
    record: &Record,
    (run, changed): (&Run, bool),
    guarded: Option<(&'static str, Option<&'static str>)>,
    within: &Context,
    begins: SystemTime,
) {
    let begin = || {
        let what = if guarded.is_some() { operation::RUN_GUARDRAIL } else { hook::SPAN };
        let mut attributes = Vec::with_capacity(18);
        attributes.push(KeyValue::new(hook::KIND, record.kind));
        add_run(&mut attributes, telemetry, (run, changed));
        add_ids(&mut attributes, &record.ids);
        match guarded {
            Some(target) => {
                telemetry.add_viewers(&mut attributes, "GUARDRAIL", "guardrail");
                if telemetry.has_guardrails {
                    add_guardrail(&mut attributes, telemetry, record, (run, changed), target);
                }
            }
            None => telemetry.add_viewers(&mut attributes, "CHAIN", "span"),
        }
        SpanBuilder::from_name(format!("{what} {}", run.hook)).with_start_time(begins).with_attributes(attributes)
    };
    let Some(mut span) = telemetry.shared.tracing.start(within, begin) else { return };
    end(&mut span, run, begins + run.duration.unwrap_or_default());
}

fn end(span: &mut impl Span, run: &Run, at: SystemTime) {
    if let Some(error) = status::error(run.status) {
        span.set_status(SpanStatus::error(error));
    }
    span.end_with_timestamp(at);
}

/// What a record says about a run. The cause of a failure is cleaned of secrets by the engine.
fn add_run(to: &mut Vec<KeyValue>, telemetry: &Telemetry, (run, changed): (&Run, bool)) {
    to.push(KeyValue::new(hook::ID, telemetry.shared.ids.value(&run.hook)));
    to.push(KeyValue::new(hook::STATUS, status::status(run.status)));
    to.push(KeyValue::new(hook::CHANGED, changed));
    to.extend(run.verdict.map(|verdict| KeyValue::new(hook::VERDICT, verdict)));
    to.extend(status::error(run.status).map(|error| KeyValue::new(ERROR_TYPE, error)));
    let cause = run.cause.as_ref().filter(|_| telemetry.has_failures);
    to.extend(cause.map(|cause| KeyValue::new(hook::FAILURE, cause.clone())));
    to.extend(run.note.map(|note| KeyValue::new(hook::NOTE, status::note(note))));
    if let Some(rule) = &run.attribution {
        to.push(KeyValue::new(hook::RULE, telemetry.shared.ids.value(&rule.id)));
        to.extend(rule.plugin.as_ref().map(|plugin| KeyValue::new(hook::PLUGIN, plugin.clone())));
    }
}

fn add_guardrail(
    to: &mut Vec<KeyValue>,
    telemetry: &Telemetry,
    record: &Record,
    (run, changed): (&Run, bool),
    (target, subtype): (&'static str, Option<&'static str>),
) {
    let rule = run.attribution.as_ref().map_or(&run.hook, |rule| &rule.id);
    to.push(KeyValue::new(operation::NAME, operation::RUN_GUARDRAIL));
    to.push(KeyValue::new(guardrail::COMPONENT, telemetry.shared.ids.value(&run.hook)));
    to.push(KeyValue::new(guardrail::TARGET, target));
    to.extend(subtype.map(|subtype| KeyValue::new(guardrail::SUBTYPE, subtype)));
    to.extend(
        run::verdict(run.verdict, changed, run.status == Status::Completed)
            .map(|verdict| KeyValue::new(guardrail::VERDICT, verdict)),
    );
    to.push(KeyValue::new(guardrail::ACTION, run::action(record.verdict, record.removed, changed)));
    to.push(KeyValue::new(guardrail::RULE, telemetry.shared.ids.value(rule)));
    to.extend(changed.then(|| KeyValue::new(guardrail::MODIFIED, true)));
}

/// The span of a detached run, or of an attempt of a background run, with a link to the dispatch that started it, if that was in
/// this process.
fn run_ended(telemetry: &Telemetry, ended: &RunEnd) {
    let (run, now) = (&ended.run, SystemTime::now());
    let start = now.checked_sub(run.duration.unwrap_or(Duration::ZERO)).unwrap_or(now);
    let key = key(&ended.kind, run, &ended.ids);
    let begin = || {
        let mut attributes = vec![KeyValue::new(hook::KIND, ended.kind.clone())];
        attributes.push(KeyValue::new(hook::MODE, ended.mode.as_str()));
        add_run(&mut attributes, telemetry, (run, run.changed));
        add_ids(&mut attributes, &ended.ids);
        if let Some(job) = &ended.job {
            attributes.push(KeyValue::new(hook::JOB, job.clone()));
            attributes.push(KeyValue::new(hook::ATTEMPT, i64::from(ended.attempt)));
            attributes.push(KeyValue::new(hook::AGAIN, ended.again));
        }
        telemetry.add_viewers(&mut attributes, "CHAIN", "span");
        let links = telemetry.shared.launched.get(key).map(Link::with_context);
        let kind = if ended.job.is_some() { SpanKind::Consumer } else { SpanKind::Internal };
        let span = SpanBuilder::from_name(format!("{} {}", hook::SPAN, run.hook)).with_kind(kind);
        span.with_start_time(start).with_attributes(attributes).with_links(links.into_iter().collect())
    };
    if let Some(mut span) = telemetry.shared.tracing.start(&Context::current(), begin) {
        end(&mut span, run, now);
    }
}

/// What a dispatch and the end of a run that it started have in common.
fn key<'a>(kind: &'a str, run: &'a Run, ids: &'a Ids) -> impl std::hash::Hash + Copy + 'a {
    (kind, run.hook.as_str(), ids.conversation.as_deref(), ids.request.as_deref(), ids.message.as_deref())
}

fn add_ids(to: &mut Vec<KeyValue>, ids: &Ids) {
    for (name, id) in [(CONVERSATION, &ids.conversation), (AGENT, &ids.agent)] {
        to.extend(id.as_ref().map(|id| KeyValue::new(name, Arc::clone(id))));
    }
}

fn number(name: &'static str, number: usize) -> KeyValue {
    KeyValue::new(name, Value::I64(i64::try_from(number).unwrap_or(i64::MAX)))
}
