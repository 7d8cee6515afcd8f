//! What happens in a turn, as lines for people: the kinds that fire with the hooks that ran, the model, the tools, the
//! rows of the store.
//!
//! Of what is said, a trace shows what is stored: nothing that the hooks mask.

mod every;
mod line;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_agent::TurnEvent;
use hooks_core::HookKind;
use hooks_core::data::Message;
use hooks_core::kinds::StreamDelta;
use hooks_core::record::Record;

pub(crate) use every::{every_kind, is_own};

/// Which kinds a trace shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Tracing {
    /// Those at which a hook ran.
    #[default]
    Hooks,
    /// All that fire.
    All,
}

/// Listens to the dispatches and to the events of turns, and keeps lines until they are [taken](Self::take).
///
/// The records of the dispatches come at once, the events of a turn when the app asks for them. An event says that a kind
/// was fired, so the two are put in order by it.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// Dispatches that no event told of yet.
    records: VecDeque<Record>,
    lines: Vec<String>,
    in_turn: bool,
    /// Whether a call is under way: in the turn, and within it in those of agents that are asked.
    calls: Vec<bool>,
    /// The calls whose tools run, by level and id: some run together.
    running: HashSet<(usize, String)>,
}

impl Trace {
    /// A dispatch has ended. Where every hook was filtered out, no event of the turn follows.
    pub(crate) fn record(&self, record: &Record) {
        // Nor does one where a piece of an answer just passes.
        let passes = record.kind == StreamDelta::NAME && record.verdict.is_none();
        if record.is_selected() && !passes {
            self.kept().records.push_back(record.clone());
        }
    }

    /// Something of its own has a line.
    pub(crate) fn note(&self, text: String) {
        let mut kept = self.kept();
        kept.told();
        kept.lines.push(text);
    }

    /// The turn `number` begins.
    pub(crate) fn begin(&self, number: u64) {
        let mut kept = self.kept();
        kept.told();
        kept.line(&format!("turn {number}"), 0);
        kept.in_turn = true;
    }

    /// The turn is over.
    pub(crate) fn end(&self, exit: &str) {
        let mut kept = self.kept();
        kept.told();
        kept.in_turn = false;
        kept.calls.clear();
        kept.line(&format!("turn over: {exit}"), 0);
    }

    /// Something happened in a turn.
    pub fn event(&self, event: &TurnEvent) {
        self.kept().event(event, 0);
    }

    /// A message was stored outside of a turn.
    pub(crate) fn stored(&self, row: &Message) {
        let mut kept = self.kept();
        kept.told();
        kept.say(&TurnEvent::Stored(row.clone()), 0);
    }

    /// The lines so far, which are given away.
    pub fn take(&self) -> Vec<String> {
        let mut kept = self.kept();
        if !kept.in_turn {
            kept.told();
        }
        std::mem::take(&mut kept.lines)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// `level` agents deep.
    fn event(&mut self, event: &TurnEvent, level: usize) {
        self.calls.resize(self.calls.len().max(level + 1), false);
        match event {
            TurnEvent::Within { event, .. } => {
                self.event(event, level + 1);
            }
            TurnEvent::Fired { kind, .. } => self.fired(kind, level),
            TurnEvent::ToolStarted(call) => {
                self.running.insert((level, call.id.clone()));
                self.calls[level] = true;
                self.say(event, level);
            }
            TurnEvent::ToolFinished { call, .. } => {
                if !self.running.remove(&(level, call.id.clone())) {
                    self.say(event, level);
                }
                self.calls.truncate(level);
            }
            _ => self.say(event, level),
        }
    }

    /// The record of `kind`.
    fn fired(&mut self, kind: &str, level: usize) {
        if let Some(record) = self.records.front().filter(|record| record.kind == kind).cloned() {
            self.records.pop_front();
            self.dispatched(&record, level);
        }
    }

    /// All records that are left: those of dispatches outside of turns.
    fn told(&mut self) {
        while let Some(record) = self.records.pop_front() {
            self.dispatched(&record, 0);
        }
    }

    fn dispatched(&mut self, record: &Record, level: usize) {
        // A call begins at its gate.
        if let Some(call) = self.calls.get_mut(level).filter(|_| record.kind == "before_tool_call") {
            *call = true;
        }
        if let Some(text) = line::dispatch(record) {
            self.line(&text, level);
        }
    }

    fn say(&mut self, event: &TurnEvent, level: usize) {
        if let Some(text) = line::event(event) {
            self.line(&text, level);
        }
    }

    fn line(&mut self, text: &str, level: usize) {
        let in_calls = self.calls.iter().take(level + 1).filter(|call| **call).count();
        let depth = 1 + usize::from(self.in_turn) + in_calls + level;
        self.lines.push(format!("{:indent$}{text}", "", indent = 2 * depth));
    }
}
