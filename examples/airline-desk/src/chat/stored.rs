//! A stored conversation: another process can continue it, and answer its questions.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::kinds::SessionEndReason;
use hook_sdk::protocol::Approval;
use hooks_agent::model::Model;
use hooks_agent::store::StoreError;
use hooks_agent::{Outcome, Session, TurnError};
use hooks_store::{Store, StoredApprover, StoredQuestion};

use super::input::{Heard, Input};
use super::person::Person;
use super::screen::{Screen, Style};
use super::{Chat, INSTRUCTIONS, bookings};
use crate::desk::{Desk, DeskError};
use crate::run::RunError;

/// How often to check for answers from other processes.
const LOOK: Duration = Duration::from_millis(200);

/// The next event.
enum Next {
    Heard(Heard),
    /// Another process has answered the question.
    Answered,
}

pub(crate) async fn talk(
    desk: &Desk,
    model: Arc<dyn Model>,
    store: &Store,
    url: &str,
    conversation: &str,
) -> Result<(), RunError> {
    let (_person, questions) = Person::new();
    let harness = desk
        .harness()
        .shared_model("main", model)
        .tools(bookings::tools())
        .store(store.clone())
        .approver(StoredApprover::new(store.clone()).patience(Duration::ZERO))
        .build()
        .map_err(DeskError::from)?;
    let chat = Chat { desk, screen: Screen::new(), input: Input::new(), questions };
    harness.start("terminal").await?;
    let session = harness.session(conversation, desk.agent.clone());
    let session = session.system_prompt(INSTRUCTIONS).channel("terminal").open().await?;
    let stored = session.messages().await?.len();
    chat.screen.say(Style::Aside, &format!("The conversation `{conversation}` in {url}: {stored} messages so far.\n"));
    chat.trace();
    let mut kept = Kept { chat, store, url, conversation, number: 0 };
    kept.talk(&session).await?;
    kept.chat.screen.say(Style::Aside, "\n");
    session.close(SessionEndReason::Shutdown).await?;
    harness.stop("the person left", Duration::from_secs(5)).await?;
    desk.close().await;
    kept.chat.trace();
    Ok(())
}

struct Kept<'a> {
    chat: Chat<'a>,
    store: &'a Store,
    url: &'a str,
    conversation: &'a str,
    number: u64,
}

impl Kept<'_> {
    async fn talk(&mut self, session: &Session) -> Result<(), RunError> {
        loop {
            if let Some(answered) = self.here(self.store.answered_questions().await)? {
                self.resume(session, &answered.id).await;
                continue;
            }
            let question = self.here(self.store.questions().await)?;
            match &question {
                Some(question) => self.show(question),
                None => self.chat.screen.say(Style::Person, "\nyou> "),
            }
            let line = match self.next(question.is_some()).await? {
                Next::Answered => continue,
                Next::Heard(Heard::End) => return Ok(()),
                Next::Heard(Heard::Interrupt) => {
                    self.chat.screen.say(Style::Aside, "(Ctrl-D ends the conversation)");
                    continue;
                }
                Next::Heard(Heard::Line(line)) => line,
            };
            self.chat.screen.echo(&line);
            match (question, line.trim().to_lowercase().as_str()) {
                (_, "") => {}
                (Some(question), "y" | "yes") => self.answer(&question, &Approval::Yes).await,
                (Some(question), "n" | "no") => {
                    self.answer(&question, &Approval::No("The customer said no".to_owned())).await;
                }
                _ => {
                    self.number += 1;
                    self.begin();
                    let turn = session.turn(self.chat.desk.prompt.as_ref(), line.as_str());
                    let _outcome = self.chat.follow(turn, &line).await;
                }
            }
        }
    }

    /// The first of these questions that a turn of this conversation waits for.
    fn here(&self, questions: Result<Vec<StoredQuestion>, StoreError>) -> Result<Option<StoredQuestion>, RunError> {
        let questions = questions.map_err(|error| RunError::Store(error.to_string()))?;
        Ok(questions.into_iter().find(|question| question.request.suspended_turn().conversation == self.conversation))
    }

    fn show(&self, question: &StoredQuestion) {
        let reason = &question.request.question.reason;
        let (store, id) = (self.url, &question.id);
        let text =
            format!("  ? {reason}: y or n, or elsewhere: hooks store answer --store '{store}' '{id}' yes\n  [y/n] ");
        self.chat.screen.say(Style::Question, &text);
    }

    /// The next line. If a question is open, an answer from another process takes precedence.
    async fn next(&self, waits: bool) -> Result<Next, RunError> {
        loop {
            let look = async { if waits { tokio::time::sleep(LOOK).await } else { std::future::pending().await } };
            tokio::select! {
                heard = self.chat.input.next() => return Ok(Next::Heard(heard)),
                () = look => {
                    if self.here(self.store.questions().await)?.is_none() {
                        self.chat.screen.say(Style::Plain, "\n");
                        return Ok(Next::Answered);
                    }
                }
            }
        }
    }

    async fn answer(&self, question: &StoredQuestion, answer: &Approval) {
        // If another process was faster, its answer counts.
        if let Err(error) = self.store.answer(&question.id, answer).await {
            self.chat.screen.say(Style::Aside, &format!("({error})\n"));
        }
    }

    async fn resume(&mut self, session: &Session, answered: &str) {
        self.begin();
        let turn = session.resume(self.chat.desk.prompt.as_ref());
        let acted = match self.chat.follow(turn, "").await {
            // The call has its result by now, or will never run.
            Outcome::Failed(TurnError::NothingToResume) => false,
            Outcome::Suspended(next) => next.id == answered,
            // The store may recover.
            Outcome::Failed(_) => {
                tokio::time::sleep(LOOK).await;
                true
            }
            _ => true,
        };
        if !acted {
            let _ = self.store.close_question(answered).await;
        }
    }

    fn begin(&self) {
        if let Some(trace) = &self.chat.desk.trace {
            trace.begin(self.number);
        }
    }
}
