//! An approver that asks the person in the chat.

use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::store::StoreFuture;
use tokio::sync::{mpsc, oneshot};

use super::input::{Heard, Input};
use super::screen::{Screen, Style};

/// Sends the questions of gates to the holder of [`Questions`].
pub(super) struct Person(mpsc::UnboundedSender<Question>);

/// Receives the questions in order.
pub(super) struct Questions(mpsc::UnboundedReceiver<Question>);

/// A question, with a channel for its answer.
pub(super) struct Question {
    reason: String,
    answer: oneshot::Sender<Approval>,
}

impl Person {
    pub(super) fn new() -> (Self, Questions) {
        let (send, questions) = mpsc::unbounded_channel();
        (Self(send), Questions(questions))
    }
}

impl Approver for Person {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            // If nobody receives the question, it is denied below.
            let _ = self.0.send(Question { reason: request.question.reason.to_string(), answer });
            Ok(answered.await.unwrap_or_else(|_| Approval::No("Nobody answered".to_owned())))
        })
    }
}

impl Questions {
    /// The next question. Pending forever if there will be none.
    pub(super) async fn next(&mut self) -> Question {
        match self.0.recv().await {
            Some(question) => question,
            None => std::future::pending().await,
        }
    }
}

impl Question {
    /// Asks the person and waits for yes or no. Returns `false` if the person wants to cancel the turn.
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
                    "y" | "yes" => Approval::Yes,
                    _ => Approval::No("The customer said no".to_owned()),
                }
            }
            Heard::End => {
                screen.say(Style::Plain, "\n");
                Approval::No("Nobody answered".to_owned())
            }
            Heard::Interrupt => {
                screen.say(Style::Plain, "\n");
                return false;
            }
        };
        // The turn may have ended before the answer.
        let _ = self.answer.send(answer);
        true
    }
}

/// `text` with a capital letter at the beginning and a full stop at the end.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| format!("{}{}.", first.to_uppercase(), chars.as_str())).unwrap_or_default()
}
