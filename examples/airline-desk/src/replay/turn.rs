//! Replays a turn of a recording.

use std::collections::HashMap;

use hook_sdk::data::{Block, Message, ToolResult};
use hooks_agent::{Outcome, TurnError, TurnEvent, TurnRequest};

use super::{Replay, rows};

/// The relevant events of a turn.
#[derive(Default)]
pub(super) struct TurnEvents {
    started: Vec<String>,
    /// The finished calls, by id.
    pub(super) finished: HashMap<String, Finished>,
    left_out: usize,
    contexts: usize,
}

/// A finished call.
pub(super) struct Finished {
    ran: bool,
    removed: bool,
    result: ToolResult,
}

impl TurnEvents {
    fn add(&mut self, event: TurnEvent) {
        match event {
            TurnEvent::ToolStarted(call) => self.started.push(call.id),
            TurnEvent::ToolFinished { call, result, removed_by, .. } => {
                let ran = self.started.contains(&call.id);
                self.finished.insert(call.id, Finished { ran, removed: removed_by.is_some(), result });
            }
            TurnEvent::Prepared { left_out, contexts, .. } => (self.left_out, self.contexts) = (left_out, contexts),
            _ => {}
        }
    }
}

impl Replay<'_> {
    /// Runs a turn for the prompt with which `recorded` begins, and puts the stored rows in the places of the recorded
    /// messages. A message without a row is kept as a placeholder.
    pub(super) async fn turn(&mut self, recorded: &[Message]) -> Result<(), TurnError> {
        let Some(prompt) = recorded.first() else { return Ok(()) };
        let desk = self.desk;
        self.turns += 1;
        if let Some(trace) = &desk.trace {
            trace.begin(self.turns);
        }
        let mut turn = self.session.begin(TurnRequest::from(prompt.clone()).prompt(desk.prompt.clone()));
        let mut events = TurnEvents::default();
        while let Some(event) = turn.next().await {
            if let Some(trace) = &desk.trace {
                trace.event(&event);
            }
            events.add(event);
        }
        let reply = turn.await;
        if let Some(trace) = &desk.trace {
            trace.end(reply.exit.as_ref());
        }
        let stopped = match reply.outcome {
            Outcome::PromptBlocked { reason, .. }
            | Outcome::PromptStopped { reason, .. }
            | Outcome::AnswerBlocked { reason, .. } => Some(reason.to_string()),
            Outcome::Halted(halt) => Some(halt.reason.to_string()),
            // The recording has no further answers.
            Outcome::Failed(TurnError::Model(_)) => None,
            Outcome::Failed(error) => return Err(error),
            _ => None,
        };
        self.count(&events, reply.contributions.iter().count());

        for (message, row) in recorded.iter().zip(rows::placed(recorded, &reply.messages)) {
            let row = match row {
                Some(row) => {
                    self.glimpse(message, &row, &events);
                    row.message
                }
                None => {
                    if stopped.is_some() {
                        self.totals.refused += message.tool_calls().count() as u64;
                    }
                    self.keep(message.clone(), stopped.as_deref()).await?
                }
            };
            self.stored.push(row);
        }
        Ok(())
    }

    fn count(&mut self, events: &TurnEvents, contributed: usize) {
        let count = |what: fn(&Finished) -> bool| events.finished.values().filter(|call| what(call)).count() as u64;
        self.totals.refused += count(|call| !call.ran);
        self.totals.removed += count(|call| call.removed);
        self.totals.contexts += (events.contexts + contributed) as u64;
        self.totals.left_out += events.left_out as u64;
    }

    /// Records how a message was changed: on its way to the model, if it is a tool result, and to the store.
    fn glimpse(&mut self, recorded: &Message, row: &rows::Placed, events: &TurnEvents) {
        let finished =
            row.call.as_ref().and_then(|call| events.finished.get(&call.id).map(|finished| (call, finished)));
        let Some((call, finished)) = finished else {
            return self.glimpses.stored(recorded, &row.message);
        };
        if !finished.ran {
            return self.glimpses.refused(call, &finished.result.text());
        }
        let mut shown = recorded.clone();
        if let Some(Block::ToolResult(block)) = shown.content.first_mut() {
            let mut before = ToolResult::default();
            before.content = std::mem::replace(&mut block.content, finished.result.content.clone());
            self.glimpses.shown(&before, &finished.result);
        }
        self.glimpses.stored(&shown, &row.message);
    }
}
