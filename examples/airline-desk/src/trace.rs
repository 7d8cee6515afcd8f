//! Traces turns as text: the kinds that fire with the hooks that ran, the model, the tools, and the stored messages.
//!
//! A trace shows messages as they are stored, so it contains nothing that the hooks mask.

mod every;
mod line;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::HookKind;
use hook_sdk::data::Message;
use hook_sdk::kinds::StreamDelta;
use hook_sdk::record::Record;
use hooks_agent::TurnEvent;

pub(crate) use every::{every_kind, is_own};

/// The kinds that a trace shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Tracing {
    /// The kinds at which a hook ran.
    #[default]
    Hooks,
    /// All kinds that fire.
    All,
}

/// Observes dispatches and the events of turns, and keeps lines until they are [taken](Self::take).
///
/// Records of dispatches arrive immediately, events of a turn when the app polls them. An event names the kind that was
/// fired, which is used to put both in order.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// Records of dispatches whose event has not arrived yet.
    records: VecDeque<Record>,
    lines: Vec<String>,
    in_turn: bool,
    /// Whether a call is running, per nesting level of agents.
    calls: Vec<bool>,
    /// The running calls, by level and id. Several can run concurrently.
    running: HashSet<(usize, String)>,
}

impl Trace {
    /// Handles the end of a dispatch. If all hooks were filtered out, no turn event follows.
    pub(crate) fn record(&self, record: &Record) {
        // Nor does one for a piece of a stream that passes unchanged.
        let passes = record.kind == StreamDelta::NAME && record.verdict.is_none();
        if record.is_selected() && !passes {
            self.kept().records.push_back(record.clone());
        }
    }

    /// Adds a line.
    pub(crate) fn note(&self, text: String) {
        let mut kept = self.kept();
        kept.flush();
        kept.lines.push(text);
    }

    /// Handles the beginning of the turn `number`.
    pub(crate) fn begin(&self, number: u64) {
        let mut kept = self.kept();
        kept.flush();
        kept.line(&format!("turn {number}"), 0);
        kept.in_turn = true;
    }

    /// Handles the end of the turn.
    pub(crate) fn end(&self, exit: &str) {
        let mut kept = self.kept();
        kept.flush();
        kept.in_turn = false;
        kept.calls.clear();
        kept.line(&format!("turn over: {exit}"), 0);
    }

    /// Handles an event of a turn.
    pub fn event(&self, event: &TurnEvent) {
        self.kept().event(event, 0);
    }

    /// Handles a message that was stored outside of a turn.
    pub(crate) fn stored(&self, row: &Message) {
        let mut kept = self.kept();
        kept.flush();
        kept.say(&TurnEvent::Stored(row.clone()), 0);
    }

    /// Takes the lines so far.
    pub fn take(&self) -> Vec<String> {
        let mut kept = self.kept();
        if !kept.in_turn {
            kept.flush();
        }
        std::mem::take(&mut kept.lines)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Handles an event at the nesting level `level`.
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

    /// Handles the record of `kind`.
    fn fired(&mut self, kind: &str, level: usize) {
        if let Some(record) = self.records.front().filter(|record| record.kind == kind).cloned() {
            self.records.pop_front();
            self.dispatched(&record, level);
        }
    }

    /// Handles all remaining records, which are those of dispatches outside of turns.
    fn flush(&mut self) {
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
