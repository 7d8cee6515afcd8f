//! The spans of a recording.

use std::collections::HashMap;
use std::io::{self, Write};

use hook_sdk::context::Ids;
use hook_sdk::data::Usage;
use hook_sdk::{Semantics, kinds};
use hooks_replay::{DispatchLine, RunLine, TurnLine};
use serde_json::{Value, json};

use super::OtlpExport;
use super::attributes::Attributes;
use super::tree::{SpanIds, Tree, id};
use crate::names::{AGENT, CONVERSATION, ERROR_TYPE, agent, guardrail, hook, operation, viewer};
use crate::run;

const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;

/// A span before it is written.
struct Span {
    ids: SpanIds,
    parent: Option<String>,
    name: String,
    kind: u8,
    at: u64,
    micros: u64,
    attributes: Attributes,
    error: Option<String>,
    links: Vec<SpanIds>,
}

/// Writes all spans, as items of a list, and counts them. Those without a time are left out.
pub(super) fn write_all(tree: &Tree, to: &mut impl Write) -> io::Result<OtlpExport> {
    let semantics: HashMap<_, _> = kinds::all().into_iter().map(|kind| (kind.name, kind.semantics)).collect();
    let (mut export, mut spans) = (OtlpExport::default(), Vec::new());
    let mut write = |spans: &mut Vec<Span>| {
        for span in spans.drain(..) {
            if span.at == 0 {
                export.undated += 1;
                continue;
            }
            if export.spans > 0 {
                to.write_all(b",")?;
            }
            serde_json::to_writer(&mut *to, &span.written())?;
            export.spans += 1;
        }
        io::Result::Ok(())
    };
    for turn in &tree.turns {
        of_turn(tree, turn, &mut spans);
        write(&mut spans)?;
    }
    for (i, line) in tree.dispatches.iter().enumerate() {
        of_dispatch(tree, line, i, semantics.get(&*line.kind).copied().unwrap_or(Semantics::Event), &mut spans);
        write(&mut spans)?;
    }
    Ok(export)
}

impl Span {
    fn new(ids: SpanIds, parent: Option<String>, name: &str, of: &str, attributes: Attributes) -> Self {
        let name = format!("{name} {of}").trim_end().to_owned();
        Self { ids, parent, name, kind: INTERNAL, at: 0, micros: 0, attributes, error: None, links: Vec::new() }
    }

    /// A span within another, the `i`-th of this sort.
    fn within(outer: &SpanIds, sort: &str, i: usize, (name, of): (&str, &str), attributes: Attributes) -> Self {
        let ids = SpanIds { span: id(8, &[sort, &outer.span, &i.to_string()]), trace: outer.trace.clone() };
        Self::new(ids, Some(outer.span.clone()), name, of, attributes)
    }

    fn took(self, at: u64, micros: u64) -> Self {
        Self { at, micros, ..self }
    }

    /// The time of a call, as in `Timing`.
    fn timed(self, time: &Value) -> Self {
        let number = |name: &str| time[name].as_u64().unwrap_or_default();
        self.took(number("at"), number("micros"))
    }

    fn failed(mut self, error: Option<String>) -> Self {
        self.attributes.add_some(ERROR_TYPE, error.clone());
        Self { error, ..self }
    }

    fn written(self) -> Value {
        let nanos = |micros: u64| (u128::from(micros) * 1_000).to_string();
        let mut span = json!({
            "traceId": self.ids.trace, "spanId": self.ids.span, "name": self.name, "kind": self.kind,
            "startTimeUnixNano": nanos(self.at), "endTimeUnixNano": nanos(self.at.saturating_add(self.micros)),
            "attributes": self.attributes,
        });
        if let Some(parent) = self.parent {
            span["parentSpanId"] = parent.into();
        }
        if let Some(error) = self.error {
            span["status"] = json!({ "code": 2, "message": error });
        }
        if !self.links.is_empty() {
            let link = |ids: SpanIds| json!({ "traceId": ids.trace, "spanId": ids.span });
            span["links"] = self.links.into_iter().map(link).collect();
        }
        span
    }
}

fn of_turn(tree: &Tree, turn: &TurnLine, spans: &mut Vec<Span>) {
    let (ids, parent) = (tree.ids(turn), tree.caller(turn).map(|caller| tree.ids(caller).span));
    let mut attributes = of_ids(&turn.ids, "AGENT", "agent");
    attributes.add(operation::NAME, operation::INVOKE_AGENT);
    attributes.add(agent::EXIT, &*turn.exit);
    attributes.add_tokens(turn.usage.as_ref());
    let name = turn.ids.agent.as_deref().unwrap_or_default();
    let mut span = Span::new(ids.clone(), parent, operation::INVOKE_AGENT, name, attributes);
    // A question names the turn that asked.
    let asked = turn.inputs["waiting"]["held"].as_array().into_iter().flatten();
    span.links = asked.filter_map(|held| tree.turn(held["turn"].as_str())).map(|asked| tree.ids(asked)).collect();
    spans.push(span.took(turn.at, turn.micros).failed((turn.exit == "error").then(|| "_OTHER".to_owned())));
    for (i, answer) in turn.inputs["answers"].as_array().into_iter().flatten().enumerate() {
        spans.push(of_answer(turn, answer, &ids, i));
    }
    for (i, result) in turn.inputs["results"].as_array().into_iter().flatten().enumerate() {
        if !tree.is_of_agent(turn, result["call"].as_str().unwrap_or_default()) {
            spans.push(of_result(turn, result, &ids, i));
        }
    }
}

/// A model call. The recording has the name that the model gives itself, not that of the request.
fn of_answer(turn: &TurnLine, answer: &Value, within: &SpanIds, i: usize) -> Span {
    let (said, failed) = (&answer["outcome"]["Ok"], &answer["outcome"]["Err"]);
    let model = said["model"].as_str().unwrap_or_default();
    let mut attributes = of_ids(&turn.ids, "LLM", "generation");
    attributes.add(operation::NAME, operation::CHAT);
    attributes.add_some(agent::RESPONSE_MODEL, Some(model).filter(|model| !model.is_empty()));
    attributes.add_some(agent::FINISH_REASONS, said["stop_reason"].as_str().map(|reason| json!([reason])));
    attributes.add_tokens(serde_json::from_value(said["usage"].clone()).ok().as_ref());
    // An error is its variant, because its text is one of the provider.
    let error = failed.as_object().and_then(|error| error.keys().next().cloned());
    let span = Span::within(within, "answer", i, (operation::CHAT, model), attributes);
    Span { kind: CLIENT, ..span }.timed(&answer["time"]).failed(error)
}

fn of_result(turn: &TurnLine, result: &Value, within: &SpanIds, i: usize) -> Span {
    let tool = result["tool"].as_str().unwrap_or_default();
    let mut attributes = of_ids(&turn.ids, "TOOL", "tool");
    attributes.add(operation::NAME, operation::EXECUTE_TOOL);
    attributes.add(agent::TOOL, tool);
    attributes.add_some(agent::TOOL_CALL, result["call"].as_str());
    attributes.add(agent::TOOL_TYPE, "function");
    let error = (result["result"]["is_error"] == true).then(|| "tool_error".to_owned());
    let span = Span::within(within, "result", i, (operation::EXECUTE_TOOL, tool), attributes);
    span.timed(&result["time"]).failed(error)
}

fn of_dispatch(tree: &Tree, line: &DispatchLine, i: usize, semantics: Semantics, spans: &mut Vec<Span>) {
    let runs = line.runs.iter().flatten();
    let ran: Vec<&RunLine> = runs.filter(|run| !run.status.starts_with("skipped")).collect();
    let statuses = ran.iter().map(|run| (&run.hook, status(run)));
    let remover = line.removed.then(|| run::remover(statuses)).flatten();
    let changed = |run: &RunLine| run.change.is_some() && !run.shadow || remover == Some(&run.hook);
    let count = ran.iter().filter(|run| is_told(run, &line.kind, changed(run))).count();
    if ran.is_empty() || count == 0 && !run::is_shown(&line.kind, semantics) {
        return;
    }
    let turn = tree.turn(line.ids.request.as_deref()).map(|turn| tree.ids(turn));
    let number = i.to_string();
    let trace = match &turn {
        Some(turn) => turn.trace.clone(),
        None => id(16, &["dispatch", &tree.program, &number]),
    };
    let ids = SpanIds { span: id(8, &["dispatch", &trace, &number]), trace };
    let mut attributes = of_ids(&line.ids, "CHAIN", "chain");
    attributes.add(hook::KIND, &*line.kind);
    attributes.add_some(hook::VERDICT, line.word.as_deref());
    attributes.add(hook::RUNS, ran.len());
    attributes.add(hook::SILENT, ran.len() - count);
    attributes.add_some(hook::REMOVED, line.removed.then_some(true));
    let span = Span::new(ids.clone(), turn.map(|turn| turn.span), hook::SPAN, &line.kind, attributes);
    spans.push(span.took(line.at, line.micros).failed(line.error.as_ref().map(|_| "required_hook".to_owned())));
    let (mut from, end) = (line.at, line.at.saturating_add(line.micros));
    for (i, run) in ran.into_iter().enumerate() {
        let took = run.micros.unwrap_or_default();
        // As for a record: of hooks that waited together, the durations alone are known.
        let begins = if from.saturating_add(took) > end { end.saturating_sub(took).max(line.at) } else { from };
        if is_told(run, &line.kind, changed(run)) {
            let (name, attributes) = of_run(line, run, changed(run), run::guarded(&line.kind, semantics));
            let span = Span::within(&ids, "run", i, (name, &run.hook), attributes);
            spans.push(span.took(begins, took).failed(error(&run.status).map(str::to_owned)));
        }
        from = begins.saturating_add(took);
    }
}

/// As [`run::is_told`], for a line.
fn is_told(run: &RunLine, kind: &str, changed: bool) -> bool {
    let acted = changed || run.micros.is_some_and(|took| u128::from(took) > run::LONG.as_micros());
    run::is_worth_a_span(kind, run.word.is_some() || error(&run.status).is_some(), acted)
}

/// Why a run failed, from its status in words.
fn error(status: &str) -> Option<&'static str> {
    Some(match status.split(':').next().unwrap_or_default() {
        "failed" => "failed",
        "timed out" => "timed_out",
        "panicked" => "panicked",
        "dropped" => "dropped",
        _ => return None,
    })
}

/// The status of a run as a word, as it is told.
fn status(run: &RunLine) -> &str {
    error(&run.status).unwrap_or(&run.status)
}

fn of_run(
    line: &DispatchLine,
    run: &RunLine,
    changed: bool,
    guarded: Option<(&'static str, Option<&'static str>)>,
) -> (&'static str, Attributes) {
    let kinds = if guarded.is_some() { ("GUARDRAIL", "guardrail") } else { ("CHAIN", "span") };
    let mut attributes = of_ids(&line.ids, kinds.0, kinds.1);
    attributes.add(hook::KIND, &*line.kind);
    attributes.add(hook::ID, &*run.hook);
    attributes.add(hook::STATUS, status(run));
    attributes.add(hook::CHANGED, changed);
    attributes.add_some(hook::VERDICT, run.word.as_deref());
    attributes.add_some(hook::NOTE, run.note.as_deref());
    let rule = run.attribution.as_ref().map(|rule| rule.id.to_string());
    attributes.add_some(hook::RULE, rule.clone());
    attributes.add_some(hook::PLUGIN, run.attribution.as_ref().and_then(|rule| rule.plugin.clone()));
    let Some((target, subtype)) = guarded else { return (hook::SPAN, attributes) };
    attributes.add(operation::NAME, operation::RUN_GUARDRAIL);
    attributes.add(guardrail::COMPONENT, &*run.hook);
    attributes.add(guardrail::TARGET, target);
    attributes.add_some(guardrail::SUBTYPE, subtype);
    attributes.add_some(guardrail::VERDICT, run::verdict(run.word.as_deref(), changed, run.status == "completed"));
    attributes.add(guardrail::ACTION, run::action(line.word.as_deref(), line.removed, changed));
    attributes.add(guardrail::RULE, rule.unwrap_or_else(|| run.hook.clone()));
    attributes.add_some(guardrail::MODIFIED, changed.then_some(true));
    (operation::RUN_GUARDRAIL, attributes)
}

fn of_ids(ids: &Ids, openinference: &str, langfuse: &str) -> Attributes {
    let mut attributes = Attributes::default();
    attributes.add_some(CONVERSATION, ids.conversation.as_deref());
    attributes.add_some(AGENT, ids.agent.as_deref());
    attributes.add(viewer::OPENINFERENCE, openinference);
    attributes.add(viewer::LANGFUSE, langfuse);
    attributes
}

impl Attributes {
    fn add_tokens(&mut self, usage: Option<&Usage>) {
        for (name, tokens) in usage.into_iter().flat_map(agent::tokens) {
            self.add(name, tokens);
        }
    }
}
