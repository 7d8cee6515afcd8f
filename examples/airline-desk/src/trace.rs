//! What happens in a turn, as lines for people: the kinds that fire with the hooks that ran, the model, the tools, the
//! rows of the store.
//!
//! Of what is said, a trace shows what is stored: nothing that the hooks mask.

mod every;
mod line;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_agent::TurnEvent;
use hooks_core::data::Message;
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
    /// Whether a tool call is under way.
    in_call: bool,
    /// Whether the call under way ran.
    ran: bool,
}

impl Trace {
    /// A dispatch has ended.
    pub(crate) fn record(&self, record: &Record) {
        self.kept().records.push_back(record.clone());
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
        kept.line(&format!("turn {number}"));
        kept.in_turn = true;
    }

    /// The turn is over.
    pub(crate) fn end(&self, exit: &str) {
        let mut kept = self.kept();
        kept.told();
        (kept.in_turn, kept.in_call) = (false, false);
        kept.line(&format!("turn over: {exit}"));
    }

    /// Something happened in a turn.
    pub fn event(&self, event: &TurnEvent) {
        let mut kept = self.kept();
        match event {
            TurnEvent::Fired { kind, .. } => kept.fired(kind),
            TurnEvent::ToolStarted(_) => {
                (kept.in_call, kept.ran) = (true, true);
                kept.say(event);
            }
            TurnEvent::ToolFinished { .. } => {
                if !kept.ran {
                    kept.say(event);
                }
                (kept.in_call, kept.ran) = (false, false);
            }
            _ => kept.say(event),
        }
    }

    /// A message was stored outside of a turn.
    pub(crate) fn stored(&self, row: &Message) {
        let mut kept = self.kept();
        kept.told();
        kept.say(&TurnEvent::Stored(row.clone()));
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
    /// The record of `kind`; there is none where the filters of all hooks left them out.
    fn fired(&mut self, kind: &str) {
        if let Some(record) = self.records.front().filter(|record| record.kind == kind).cloned() {
            self.records.pop_front();
            self.dispatched(&record);
        }
    }

    /// All records that are left: those of dispatches outside of turns, and of those that ended with an error.
    fn told(&mut self) {
        while let Some(record) = self.records.pop_front() {
            self.dispatched(&record);
        }
    }

    fn dispatched(&mut self, record: &Record) {
        // A call begins at its gate.
        self.in_call |= record.kind == "before_tool_call";
        if let Some(text) = line::dispatch(record) {
            self.line(&text);
        }
    }

    fn say(&mut self, event: &TurnEvent) {
        if let Some(text) = line::event(event) {
            self.line(&text);
        }
    }

    fn line(&mut self, text: &str) {
        let depth = 1 + usize::from(self.in_turn) + usize::from(self.in_call);
        self.lines.push(format!("{:indent$}{text}", "", indent = 2 * depth));
    }
}
