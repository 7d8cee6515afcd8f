//! Which turn is within which.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use hooks_replay::{DispatchLine, RecordingLine, TurnLine};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The lines of a recording, without payloads.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) program: String,
    pub(super) turns: Vec<TurnLine>,
    pub(super) dispatches: Vec<DispatchLine>,
    by_request: HashMap<Arc<str>, usize>,
}

/// The ids of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpanIds {
    pub(super) trace: String,
    pub(super) span: String,
}

impl Tree {
    pub(super) fn of(lines: impl IntoIterator<Item = RecordingLine>) -> Self {
        let mut tree = Self::default();
        for line in lines {
            match line {
                RecordingLine::Header(header) if tree.program.is_empty() => tree.program = header.program,
                RecordingLine::Turn(mut turn) => {
                    turn.inputs = without_payloads(&turn.inputs);
                    turn.reply.clear();
                    if let Some(request) = &turn.ids.request {
                        tree.by_request.insert(Arc::clone(request), tree.turns.len());
                    }
                    tree.turns.push(*turn);
                }
                RecordingLine::Dispatch(mut line) => {
                    (line.event, line.subject, line.verdict) = (Value::Null, Value::Null, Value::Null);
                    for run in line.runs.iter_mut().flatten() {
                        run.verdict = Value::Null;
                        run.change.iter_mut().for_each(|change| change.0 = Vec::new());
                    }
                    tree.dispatches.push(*line);
                }
                _ => {}
            }
        }
        tree
    }

    pub(super) fn turn(&self, request: Option<&str>) -> Option<&TurnLine> {
        self.by_request.get(request?).map(|at| &self.turns[*at])
    }

    /// The turn of the agent that called this one: the conversation of a sub-agent is named after its call.
    pub(super) fn caller(&self, turn: &TurnLine) -> Option<&TurnLine> {
        if turn.ids.agent_path.is_empty() {
            return None;
        }
        let conversation = turn.ids.conversation.as_deref()?.rsplit_once('/')?.0;
        let holds = |of: &&TurnLine| of.at <= turn.at && turn.at <= of.at.saturating_add(of.micros);
        self.turns.iter().filter(|of| of.ids.conversation.as_deref() == Some(conversation)).find(holds)
    }

    /// Whether a call was one to an agent, whose turn is here.
    pub(super) fn is_of_agent(&self, turn: &TurnLine, call: &str) -> bool {
        let conversation = format!("{}/{call}", turn.ids.conversation.as_deref().unwrap_or_default());
        let of_it = |of: &TurnLine| of.ids.conversation.as_deref().is_some_and(|of| of.starts_with(&conversation));
        self.turns.iter().any(|of| !of.ids.agent_path.is_empty() && of_it(of))
    }

    pub(super) fn ids(&self, turn: &TurnLine) -> SpanIds {
        let of = turn_id(turn);
        let span = id(8, &["turn", &of]);
        // The path of callers is as long as the agents are nested, which is bounded.
        match self.caller(turn) {
            Some(caller) => SpanIds { trace: self.ids(caller).trace, span },
            None => SpanIds { trace: id(16, &["trace", &of]), span },
        }
    }
}

/// What spans tell of the inputs of a turn, each of which has the whole conversation.
fn without_payloads(inputs: &Value) -> Value {
    let each = |of: &Value, kept: fn(&Value) -> Value| of.as_array().into_iter().flatten().map(kept).collect::<Value>();
    let answer = |answer: &Value| {
        let (said, failed) = (&answer["outcome"]["Ok"], &answer["outcome"]["Err"]);
        let failed: Value =
            failed.as_object().into_iter().flatten().map(|(name, _)| (name.clone(), Value::Null)).collect();
        let said = json!({ "model": said["model"], "stop_reason": said["stop_reason"], "usage": said["usage"] });
        json!({ "time": answer["time"], "outcome": { "Ok": said, "Err": failed } })
    };
    let result = |result: &Value| {
        let is_error = json!({ "is_error": result["result"]["is_error"] });
        json!({ "call": result["call"], "tool": result["tool"], "time": result["time"], "result": is_error })
    };
    json!({
        "waiting": { "held": each(&inputs["waiting"]["held"], |held| json!({ "turn": held["turn"] })) },
        "answers": each(&inputs["answers"], answer), "results": each(&inputs["results"], result),
    })
}

/// What names a turn. Of one that a loop ran without the id of a request, what distinguishes it from the others.
fn turn_id(turn: &TurnLine) -> Cow<'_, str> {
    let TurnLine { ids, at, .. } = turn;
    match &ids.request {
        Some(request) => Cow::Borrowed(request),
        None => format!("{:?} {:?} {:?} {at}", ids.conversation, ids.agent_path, ids.turn).into(),
    }
}

/// An id of `bytes` bytes in hexadecimal digits, the same for the same parts.
pub(super) fn id(bytes: usize, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    // Two digits per byte: the ids of spans are at most as long as a number of 128 bits.
    let hash = hash.finalize();
    let number = hash.iter().take(bytes).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{number:0width$x}", width = 2 * bytes)
}
