//! Asking the person where a gate asks.

use hooks_agent::approve::{ApprovalAnswer, ApprovalRequest, Approver};
use hooks_core::hook::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::input::{Heard, Input};
use super::screen::{Screen, Style};

/// Hands the questions of gates on to whoever holds the [`Questions`].
pub(super) struct Person(mpsc::UnboundedSender<Question>);

/// The questions, one after the other.
pub(super) struct Questions(mpsc::UnboundedReceiver<Question>);

/// One question, until it is answered or nobody waits for the answer any more.
pub(super) struct Question {
    reason: String,
    answer: oneshot::Sender<ApprovalAnswer>,
}

impl Person {
    pub(super) fn new() -> (Self, Questions) {
        let (send, questions) = mpsc::unbounded_channel();
        (Self(send), Questions(questions))
    }
}

impl Approver for Person {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            // Where nobody listens any more, nobody answers.
            let _ = self.0.send(Question { reason: request.question.reason.to_string(), answer });
            answered.await.unwrap_or_else(|_| ApprovalAnswer::No("Nobody answered".to_owned()))
        })
    }
}

impl Questions {
    /// The next question. Waits for ever where there will be none.
    pub(super) async fn next(&mut self) -> Question {
        match self.0.recv().await {
            Some(question) => question,
            None => std::future::pending().await,
        }
    }
}

impl Question {
    /// Asks, and waits for yes or no; `false` where the person would rather have the turn cancelled.
    pub(super) async fn put(mut self, screen: &Screen, input: &Input) -> bool {
        screen.say(Style::Question, &format!("  ? {} Do it? [y/n] ", sentence(&self.reason)));
        let heard = tokio::select! {
            heard = input.next() => heard,
            () = self.answer.closed() => Heard::End,
        };
        let answer = match heard {
            Heard::Line(line) => {
                screen.echo(&line);
                match line.trim().to_lowercase().as_str() {
                    "y" | "yes" => ApprovalAnswer::Yes,
                    _ => ApprovalAnswer::No("The customer said no".to_owned()),
                }
            }
            Heard::End => {
                screen.say(Style::Plain, "\n");
                ApprovalAnswer::No("Nobody answered".to_owned())
            }
            Heard::Interrupt => {
                screen.say(Style::Plain, "\n");
                return false;
            }
        };
        // The turn may have been over before the answer came.
        let _ = self.answer.send(answer);
        true
    }
}

/// `text` with a capital first and a full stop behind.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| format!("{}{}.", first.to_uppercase(), chars.as_str())).unwrap_or_default()
}
