//! One turn of a recording.

use std::collections::HashMap;

use hooks_agent::{Outcome, TurnError, TurnEvent, TurnRequest};
use hooks_core::data::{Block, Message, ToolResult};

use super::{Replay, rows};

/// What the loop told of a turn.
#[derive(Default)]
pub(super) struct Told {
    started: Vec<String>,
    /// What the model was told of each call, by the call's id.
    pub(super) finished: HashMap<String, Finished>,
    left_out: usize,
    contexts: usize,
}

/// A call that is over.
pub(super) struct Finished {
    ran: bool,
    removed: bool,
    result: ToolResult,
}

impl Told {
    fn hear(&mut self, event: TurnEvent) {
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
    /// Has the loop answer the prompt that `recorded` begins with, and puts what it stored in the places of the recorded
    /// messages. What it did not store keeps its place too.
    pub(super) async fn turn(&mut self, recorded: &[Message]) -> Result<(), TurnError> {
        let Some(prompt) = recorded.first() else { return Ok(()) };
        let desk = self.desk;
        self.turns += 1;
        if let Some(trace) = &desk.trace {
            trace.begin(self.turns);
        }
        let mut turn = self.session.begin(TurnRequest::from(prompt.clone()).prompt(desk.prompt.clone()));
        let mut told = Told::default();
        while let Some(event) = turn.next().await {
            if let Some(trace) = &desk.trace {
                trace.event(&event);
            }
            told.hear(event);
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
            // Where the recording ends, its model says no more.
            Outcome::Failed(TurnError::Model(_)) => None,
            Outcome::Failed(error) => return Err(error),
            _ => None,
        };
        self.count(&told, reply.contributions.iter().count());

        for (message, row) in recorded.iter().zip(rows::placed(recorded, &reply.messages)) {
            let row = match row {
                Some(row) => {
                    self.glimpse(message, &row, &told);
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

    fn count(&mut self, told: &Told, contributed: usize) {
        let count = |what: fn(&Finished) -> bool| told.finished.values().filter(|call| what(call)).count() as u64;
        self.totals.refused += count(|call| !call.ran);
        self.totals.removed += count(|call| call.removed);
        self.totals.contexts += (told.contexts + contributed) as u64;
        self.totals.left_out += told.left_out as u64;
    }

    /// Shows what became of a message: on its way to the model, where it is a tool's result, and to the store.
    fn glimpse(&mut self, recorded: &Message, row: &rows::Placed, told: &Told) {
        let finished = row.call.as_ref().and_then(|call| told.finished.get(&call.id).map(|finished| (call, finished)));
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
