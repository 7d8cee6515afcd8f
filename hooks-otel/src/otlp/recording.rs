//! The spans of a recording. Its payloads are left where they are.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::context::Ids;
use hooks_replay::{DispatchLine, RecordingLine, RunLine, TurnLine};
use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry::{KeyValue, StringValue};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::operation::{CHAT, EXECUTE_TOOL, INVOKE_AGENT, Operation, TOOL, of_answer, of_call, of_model, of_reply};
use crate::told::{Dispatch, Kinds, Part, Told, Wanted, kinds, of_ids};

const WANTED: Wanted = Wanted { guardrails: true, failures: false, viewers: true };

/// The ids of a span. A recording has none, so they follow from what is recorded.
#[derive(Clone, Copy)]
pub(super) struct SpanIds {
    pub(super) trace: TraceId,
    pub(super) span: SpanId,
}

impl SpanIds {
    /// Those of a span that is in no other.
    fn of(name: &str) -> Self {
        let hash = Sha256::digest(name);
        let number = hash.iter().take(16).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        let (trace, span) = (number.to_be_bytes(), (number >> 64) as u64);
        Self { trace: TraceId::from_bytes(trace), span: SpanId::from(span) }
    }

    /// Those of the `i`-th span of this sort in this one.
    fn within(self, sort: &str, i: usize) -> Self {
        Self { trace: self.trace, ..Self::of(&format!("{sort} {} {i}", self.span)) }
    }
}

/// What becomes of a span, of its ids, of those of the span that it is in, and of those that it has links to.
type Each<'a> = dyn FnMut(&Told, &SpanIds, Option<&SpanIds>, &[SpanIds]) -> io::Result<()> + 'a;

#[derive(Default)]
pub(super) struct Recording {
    pub(super) program: String,
    turns: Vec<Turn>,
    by_request: HashMap<Arc<str>, usize>,
    /// The request, the dispatch, and its hooks.
    dispatches: Vec<(Option<Arc<str>>, Told, Vec<Told>)>,
}

struct Turn {
    ids: Ids,
    span: Told,
    /// The turns that asked what this one answers.
    asked: Vec<String>,
    /// Model calls, and runs of tools with the names of these.
    calls: Vec<(Option<String>, Told)>,
}

impl Recording {
    pub(super) fn of(lines: impl IntoIterator<Item = RecordingLine>) -> Self {
        let (mut all, kinds) = (Self::default(), kinds());
        for line in lines {
            match line {
                RecordingLine::Header(header) if all.program.is_empty() => all.program = header.program,
                RecordingLine::Turn(line) => {
                    if let Some(request) = &line.ids.request {
                        all.by_request.insert(Arc::clone(request), all.turns.len());
                    }
                    all.turns.push(turn(&line));
                }
                RecordingLine::Dispatch(line) => all.dispatches.extend(dispatch(&line, &kinds)),
                _ => {}
            }
        }
        all
    }

    pub(super) fn each(&self, each: &mut Each<'_>) -> io::Result<()> {
        for turn in &self.turns {
            let (ids, caller) = (self.ids(turn), self.caller(turn).map(|caller| self.ids(caller)));
            let asked = turn.asked.iter().filter_map(|request| self.turn(request));
            let links: Vec<_> = asked.map(|asked| self.ids(asked)).collect();
            each(&turn.span, &ids, caller.as_ref(), &links)?;
            for (i, (tool, span)) in turn.calls.iter().enumerate() {
                if tool.as_ref().is_none_or(|tool| !self.is_agent(turn, tool)) {
                    each(span, &ids.within("call", i), Some(&ids), &[])?;
                }
            }
        }
        for (i, (request, span, hooks)) in self.dispatches.iter().enumerate() {
            let turn = request.as_ref().and_then(|request| self.turn(request)).map(|turn| self.ids(turn));
            let ids = match &turn {
                Some(turn) => turn.within("dispatch", i),
                None => SpanIds::of(&format!("dispatch {} {i}", self.program)),
            };
            each(span, &ids, turn.as_ref(), &[])?;
            for (i, span) in hooks.iter().enumerate() {
                each(span, &ids.within("run", i), Some(&ids), &[])?;
            }
        }
        Ok(())
    }

    fn turn(&self, request: &str) -> Option<&Turn> {
        self.by_request.get(request).map(|at| &self.turns[*at])
    }

    /// The turn of the agent that called this one: the conversation of a sub-agent is named after its call.
    fn caller(&self, turn: &Turn) -> Option<&Turn> {
        if turn.ids.agent_path.is_empty() {
            return None;
        }
        let conversation = turn.ids.conversation.as_deref()?.rsplit_once('/')?.0;
        let begins = turn.span.at;
        let holds = |of: &Told| of.at <= begins && begins <= of.at + of.took;
        self.turns.iter().find(|of| of.ids.conversation.as_deref() == Some(conversation) && holds(&of.span))
    }

    /// Whether the calls of a tool are those of an agent, whose turns are here.
    fn is_agent(&self, turn: &Turn, tool: &str) -> bool {
        let mut own = self.turns.iter().filter(|of| of.ids.agent.as_deref() == Some(tool));
        own.any(|of| self.caller(of).is_some_and(|caller| std::ptr::eq(caller, turn)))
    }

    fn ids(&self, turn: &Turn) -> SpanIds {
        let Turn { ids, span, .. } = turn;
        let root = match &ids.request {
            Some(request) => SpanIds::of(&format!("turn {request}")),
            // A loop ran it without the id of a request: what distinguishes it from the others.
            None => {
                let (of, at) = ((&ids.conversation, &ids.agent_path, ids.turn), span.at);
                SpanIds::of(&format!("turn {of:?} {at:?}"))
            }
        };
        // The path of callers is as long as the agents are nested, which is bounded.
        match self.caller(turn) {
            Some(caller) => SpanIds { trace: self.ids(caller).trace, ..root },
            None => root,
        }
    }
}

/// A turn, without what was said in it: each has the whole conversation.
fn turn(line: &TurnLine) -> Turn {
    let list = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let error = (line.exit == "error").then(|| "_OTHER".to_owned());
    let told = of_reply(line.exit.clone(), line.usage.as_ref());
    let agent = line.ids.agent.as_deref().unwrap_or_default();
    let span = span(&INVOKE_AGENT, (&line.ids, agent), (line.at, line.micros), error, told);
    let answers = list(&line.inputs["answers"]).into_iter().map(|said| (None, answer(&line.ids, &said)));
    let results = list(&line.inputs["results"]).into_iter().map(|said| {
        let text = |key: &str| said[key].as_str().map(str::to_owned);
        (text("tool"), result(&line.ids, text("call"), &said))
    });
    // A question names the turn that asked.
    let held = list(&line.inputs["waiting"]["held"]).into_iter();
    let asked = held.filter_map(|held| held["turn"].as_str().map(str::to_owned)).collect();
    Turn { ids: line.ids.clone(), span, asked, calls: answers.chain(results).collect() }
}

/// A model call. The recording has the name that the model gives itself, not that of the request.
fn answer(ids: &Ids, answer: &Value) -> Told {
    let (said, failed) = (&answer["outcome"]["Ok"], &answer["outcome"]["Err"]);
    let model = said["model"].as_str().unwrap_or_default();
    let usage = serde_json::from_value(said["usage"].clone()).ok();
    let told = of_answer(of_model(model), said["stop_reason"].as_str().map(str::to_owned), usage.as_ref());
    // An error is its variant, because its text is one of the provider.
    let error = failed.as_object().and_then(|error| error.keys().next().cloned());
    span(&CHAT, (ids, model), timing(answer), error, told)
}

fn result(ids: &Ids, call: Option<String>, result: &Value) -> Told {
    let tool = result["tool"].as_str().unwrap_or_default();
    let error = (result["result"]["is_error"] == true).then(|| "tool_error".to_owned());
    let told = of_call(call).chain([KeyValue::new(TOOL, tool.to_owned())]);
    span(&EXECUTE_TOOL, (ids, tool), timing(result), error, told)
}

/// The time of a call, as in `Timing`.
fn timing(call: &Value) -> (u64, u64) {
    let number = |name: &str| call["time"][name].as_u64().unwrap_or_default();
    (number("at"), number("micros"))
}

fn span(
    operation: &Operation,
    (ids, what): (&Ids, &str),
    (at, took): (u64, u64),
    error: Option<String>,
    told: impl IntoIterator<Item = KeyValue>,
) -> Told {
    let own = std::iter::once(operation.attribute()).chain(of_ids(ids)).chain(operation.viewers(WANTED));
    let times = (Duration::from_micros(at), Duration::from_micros(took));
    let told = Told::new(operation.span(what), times, error.map(StringValue::from), own.chain(told));
    Told { kind: operation.kind.clone(), ..told }
}

/// A dispatch and its hooks, unless it is not told.
fn dispatch(line: &DispatchLine, kinds: &Kinds) -> Option<(Option<Arc<str>>, Told, Vec<Told>)> {
    let dispatch = Dispatch {
        kind: line.kind.clone().into(),
        semantics: kinds.get(&*line.kind).copied(),
        ids: &line.ids,
        verdict: line.word.clone().map(StringValue::from),
        removed: line.removed,
        dropped: false,
        at: Duration::from_micros(line.at),
        took: Duration::from_micros(line.micros),
        error: line.error.as_ref().map(|_| "required_hook".into()),
        parts: Vec::new(),
    };
    let dispatch = dispatch.with(line.runs.iter().flatten().map(part));
    let is_told = !dispatch.parts.is_empty() && dispatch.is_told();
    is_told.then(|| (line.ids.request.clone(), dispatch.span(WANTED), dispatch.hooks(WANTED).collect()))
}

fn part(run: &RunLine) -> Part<'_> {
    Part {
        hook: &run.hook,
        // What follows a colon explains it.
        status: run.status.split(':').next().unwrap_or_default().replace(' ', "_").into(),
        changed: run.change.is_some() && !run.shadow,
        contributed: false,
        verdict: run.word.clone().map(StringValue::from),
        cause: None,
        note: run.note.clone().map(StringValue::from),
        rule: run.attribution.as_deref(),
        took: Duration::from_micros(run.micros.unwrap_or_default()),
    }
}
