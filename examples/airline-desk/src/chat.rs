//! A chat with the desk, in a terminal or through a pipe.

pub(crate) mod bookings;
mod clerk;
mod input;
mod person;
mod screen;
#[cfg(feature = "store")]
pub(crate) mod stored;

use std::process::ExitCode;
use std::sync::Arc;

use hook_sdk::data::Role;
use hook_sdk::kinds::SessionEndReason;
use hooks_agent::model::Model;
use hooks_agent::{Outcome, Session, Turn, TurnEvent};

use crate::desk::{Desk, DeskError};
use crate::run::{RunError, runtime};
pub use clerk::Clerk;
use input::{Heard, Input};
use person::{Person, Questions};
use screen::{Screen, Style};

/// The system prompt for a real model.
const INSTRUCTIONS: &str = "\
You help the customers of Puffin Air, with the tools that you have. The customer in front of you has the user id \
runa_vik_12. A seat costs 240 dollars and is paid with credit_card_1002003. What reads [email] or [birth date] is masked.";

const WELCOME: &str = "\
This is the desk of Puffin Air. Try:
  I am runa.vik@puffin.example, born April 12, 1988. Who am I?
  look up PUF001
  cancel PUF002
  refund PUF002
  book 5 seats to Bergen
  book 7 seats to Bergen
Ctrl-C cancels an answer, Ctrl-D ends the conversation.
";

/// Runs the chat until the input ends.
///
/// # Errors
/// [`RunError`] if there is no runtime, or a required hook of the session fails.
pub fn run(desk: &Desk, model: Arc<dyn Model>) -> Result<ExitCode, RunError> {
    runtime().map_err(RunError::Runtime)?.block_on(talk(desk, model))?;
    Ok(ExitCode::SUCCESS)
}

async fn talk(desk: &Desk, model: Arc<dyn Model>) -> Result<(), RunError> {
    let (person, questions) = Person::new();
    let harness = desk.harness().shared_model("main", model).tools(bookings::tools()).approver(person).build();
    let harness = harness.map_err(DeskError::from)?;
    let mut chat = Chat { desk, screen: Screen::new(), input: Input::new(), questions };
    harness.start("terminal").await?;
    let session = harness.session("chat", desk.agent.clone());
    let session = session.system_prompt(INSTRUCTIONS).channel("terminal").open().await?;
    chat.screen.say(Style::Aside, WELCOME);
    chat.trace();
    let mut number = 0;
    loop {
        chat.screen.say(Style::Person, "\nyou> ");
        match chat.input.next().await {
            Heard::End => break,
            Heard::Interrupt => chat.screen.say(Style::Aside, "(Ctrl-D ends the conversation)"),
            Heard::Line(line) => {
                chat.screen.echo(&line);
                if !line.trim().is_empty() {
                    number += 1;
                    chat.turn(&session, number, line).await;
                }
            }
        }
    }
    chat.screen.say(Style::Aside, "\n");
    session.close(SessionEndReason::Shutdown).await?;
    harness.stop("the person left", std::time::Duration::from_secs(5)).await?;
    desk.close().await;
    chat.trace();
    Ok(())
}

/// The state of a chat.
struct Chat<'a> {
    desk: &'a Desk,
    screen: Screen,
    input: Input,
    questions: Questions,
}

impl Chat<'_> {
    /// Runs a turn for `line`, and shows the answer while it arrives.
    async fn turn(&mut self, session: &Session, number: u64, line: String) {
        if let Some(trace) = &self.desk.trace {
            trace.begin(number);
        }
        let turn = session.turn(self.desk.prompt.as_ref(), line.as_str());
        let _outcome = self.follow(turn, &line).await;
    }

    /// Shows the events of a turn that answers `line`, and returns how it ended.
    async fn follow(&mut self, mut turn: Turn, line: &str) -> Outcome {
        let (mut speaking, mut started) = (false, None);
        self.screen.wait();
        loop {
            let event = tokio::select! {
                biased;
                () = self.input.interrupted() => {
                    turn.cancel();
                    continue;
                }
                // Show events before a later question.
                event = turn.next() => event,
                question = self.questions.next() => {
                    if !question.put(&self.screen, &self.input).await {
                        turn.cancel();
                    }
                    continue;
                }
            };
            let Some(event) = event else { break };
            if let TurnEvent::Text(text) = &event {
                if !std::mem::replace(&mut speaking, true) {
                    self.screen.say(Style::Desk, "desk> ");
                }
                self.screen.say(Style::Plain, text);
                continue;
            }
            if std::mem::take(&mut speaking) {
                self.screen.say(Style::Plain, "\n");
            }
            if let TurnEvent::ToolStarted(call) = &event {
                started = Some(call.id.clone());
            }
            if let Some(trace) = &self.desk.trace {
                trace.event(&event);
                self.trace();
            } else if let Some(aside) = event_line(&event, line, started.as_deref()) {
                self.screen.say(Style::Aside, &format!("  · {aside}\n"));
            }
            self.screen.wait();
        }
        let reply = turn.await;
        if speaking {
            self.screen.say(Style::Plain, "\n");
        }
        if !matches!(reply.outcome, Outcome::Answered(_)) {
            self.screen.say(Style::Question, &format!("{reply}\n"));
        }
        if let Some(trace) = &self.desk.trace {
            trace.end(reply.exit.as_ref());
        }
        self.trace();
        reply.outcome
    }

    fn trace(&self) {
        for line in self.desk.trace.iter().flat_map(crate::trace::Trace::take) {
            self.screen.say(Style::Aside, &format!("{line}\n"));
        }
    }
}

/// A line for events other than the answer: tools, and prompts that are stored in a modified form.
fn event_line(event: &TurnEvent, line: &str, started: Option<&str>) -> Option<String> {
    match event {
        TurnEvent::Stored(row) if row.role == Role::User && row.text() != line => {
            Some(format!("stored as: {}", row.text()))
        }
        TurnEvent::ToolFinished { call, .. } if started == Some(call.id.as_str()) => Some(format!("{} ran", call.name)),
        TurnEvent::ToolFinished { call, .. } => Some(format!("{} did not run", call.name)),
        _ => None,
    }
}
