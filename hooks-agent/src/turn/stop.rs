//! What becomes of an answer: the hooks at `stop`, and the row that is stored and shown.

use hook_sdk::HookKind;
use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::{ExitReason, Stop, StopReason};
use hook_sdk::verdict::StopDecision;

use super::TurnLoop;
use super::end::End;
use super::stream::text_of;
use crate::budget;
use crate::event::{StopEffect, TurnEvent};
use crate::injected;
use crate::reply::{EndedBy, Outcome};

/// Takes the place of an answer that not all hooks could judge.
const WITHHELD: &str = "[Withheld: the turn ended before all hooks had judged the answer]";

impl TurnLoop {
    /// Fires `stop`. Returns `None` if the turn continues.
    ///
    /// Hooks see the `answer` of the model in the form in which it will be stored, after masking, with the truncated
    /// answers that it continues. It is stored after they ran, because one of them may replace it by an error.
    pub(super) async fn stop(&mut self, reason: StopReason, answer: Option<Message>) -> Result<Option<End>, End> {
        let row = self.row_of_answer(answer.clone()).await?;
        if self.halted.is_some() {
            self.not_judged(row).await?;
            return self.go_on(ExitReason::AbortedPostResponse).map(|()| None);
        }
        let at_cap = self.budget.has_no_calls();
        let mut event =
            Stop::new(reason.clone()).at_iteration_cap(at_cap).stop_hook_active(self.counts.stop_hook_active);
        event.last_message = row.clone().or_else(|| answer.clone()).or_else(|| self.last_said());
        let verdict = match self.fire(&event, ()).await {
            Ok(fired) => fired.verdict,
            Err(exit) => {
                self.not_judged(row).await?;
                return Err(exit);
            }
        };
        for text in &verdict.system_messages {
            self.emit(|| TurnEvent::SystemMessage(text.clone()));
        }
        self.draft.system_messages.extend(verdict.system_messages);
        if !verdict.suppress_output && reason == StopReason::FinalResponse {
            self.draft.contexts = verdict.contexts;
        }

        let effect = match &verdict.decision {
            StopDecision::Block(_) => StopEffect::Block,
            StopDecision::Continue(_) if at_cap => StopEffect::ContinueAtMaxIter,
            StopDecision::Continue(_) if self.budget.spent().is_some() => StopEffect::ContinueAtTokenBudget,
            StopDecision::Continue(_) if self.counts.stop_continues >= self.limits().stop_continues => {
                StopEffect::ReentryCapped
            }
            StopDecision::Continue(_) if self.halted.is_none() => StopEffect::Continue,
            _ => StopEffect::Allow,
        };
        let why = match &verdict.decision {
            StopDecision::End(reason) | StopDecision::Block(reason) => Some(reason.clone()),
            _ => None,
        };
        if self.hooks.has::<Stop>() {
            self.emit(|| TurnEvent::Stop { effect, by: verdict.by.clone(), reason: why.clone() });
        }
        match (effect, verdict.decision) {
            (StopEffect::Continue, StopDecision::Continue(follow_up)) => {
                self.append_judged(row).await?;
                self.counts.stop_continues += 1;
                self.counts.stop_hook_active = true;
                self.store(injected::follow_up(follow_up.as_str())).await?;
                self.go_on(ExitReason::AbortedPostResponse)?;
                Ok(None)
            }
            (_, StopDecision::Block(reason)) => {
                let by = verdict.by;
                self.emit(|| TurnEvent::Blocked { kind: Stop::NAME, by: by.clone(), reason: reason.clone() });
                self.say(String::new(), &format!("[Blocked by Stop hook] {reason}")).await?;
                Ok(Some(End::new(Outcome::AnswerBlocked { reason, by }, ExitReason::AnswerBlocked)))
            }
            (_, decision) => {
                if let StopDecision::End(reason) = decision {
                    self.draft.ended = Some(EndedBy { reason, by: verdict.by });
                }
                if self.halted.is_some() {
                    // The hooks after the one that halted have not run.
                    self.not_judged(row).await?;
                    return self.go_on(ExitReason::AbortedPostResponse).map(|()| None);
                }
                let answer = self.append_judged(row).await?.or(answer);
                self.go_on(ExitReason::AbortedPostResponse)?;
                Ok(Some(match (reason, answer) {
                    (StopReason::FinalResponse, Some(answer)) => {
                        End::new(Outcome::Answered(answer), ExitReason::NoToolCalls)
                    }
                    (StopReason::LengthTruncation, Some(answer)) => {
                        End::new(Outcome::Answered(answer), ExitReason::MaxTokensReached)
                    }
                    (reason, _) => {
                        let word = match reason.as_ref() {
                            budget::TOKENS => ExitReason::BudgetYieldUnrecovered,
                            word => ExitReason::from(word),
                        };
                        End::new(Outcome::Unfinished { reason, last: self.last_said() }, word)
                    }
                }))
            }
        }
    }

    /// Handles an answer that the hooks at `stop` have not judged. It is withheld, unless it was shown while it was
    /// streamed.
    async fn not_judged(&mut self, row: Option<Message>) -> Result<(), End> {
        let withheld = self.is_deferred || self.hooks.has::<Stop>() && self.shown.is_empty();
        if withheld && row.is_some() { self.withhold().await } else { self.append_said(row, "").await.map(drop) }
    }

    /// The row of an answer, with the truncated ones that it continues. An empty answer is valid, but there is nothing to
    /// store. If hooks cannot judge it, a deferred answer is replaced by a note.
    pub(super) async fn row_of_answer(&mut self, last: Option<Message>) -> Result<Option<Message>, End> {
        let halves = std::mem::take(&mut self.draft.halves);
        let view = &mut self.transcript.view;
        for half in &halves {
            // From now on, the model reads the whole answer.
            view.iter().rposition(|message| message == half).map(|at| view.remove(at));
        }
        let whole = halves.into_iter().chain(last).reduce(|half, mut rest| {
            rest.content.splice(0..0, half.content.clone());
            rest
        });
        let Some(whole) = whole.filter(|whole| !whole.content.is_empty()) else { return Ok(None) };
        let row = self.row_of(whole).await;
        if row.is_err() && self.is_deferred {
            self.withhold().await?;
        }
        row.map(Some)
    }

    /// Stores what was shown of an answer, if hooks cannot judge it.
    pub(super) async fn keeping<T>(&mut self, judged: Result<T, End>, note: &str) -> Result<T, End> {
        if judged.is_err() {
            self.keep_shown(note).await?;
        }
        judged
    }

    /// Stores what was shown of an answer, and a `note` after it, or only a note if the answer was deferred.
    pub(super) async fn keep_shown(&mut self, note: &str) -> Result<(), End> {
        if !self.shown.is_empty() {
            self.say(self.shown.clone(), note).await.map(drop)
        } else if self.is_deferred {
            self.withhold().await
        } else {
            Ok(())
        }
    }

    async fn withhold(&mut self) -> Result<(), End> {
        self.append_said(Some(Message::new(Role::Assistant, WITHHELD)), "").await.map(drop)
    }

    /// Stores `text` and a `note` as an answer. Returns what is stored.
    pub(super) async fn say(&mut self, text: String, note: &str) -> Result<String, End> {
        let note = if text.is_empty() { note.trim_start() } else { note };
        let row = self.row_of(Message::new(Role::Assistant, text + note)).await?;
        let stored = self.append_said(Some(row), note).await?;
        Ok(stored.map(|stored| stored.text().into_owned()).unwrap_or_default())
    }

    /// Stores the row of an answer, if there is one, and returns it. What was shown then is what is stored, up to a
    /// `note`, of which the person learns otherwise. Whatever becomes of an answer, it is stored here.
    pub(super) async fn append_said(&mut self, row: Option<Message>, note: &str) -> Result<Option<Message>, End> {
        let before = self.transcript.added.len();
        let stored = match row {
            Some(row) => Some(self.append(row).await),
            None => None,
        };
        // A hook may fail after the row was stored. What is stored is shown nevertheless.
        match (&stored, self.transcript.added.get(before).cloned()) {
            (Some(_), Some(row)) => self.show(&row, note),
            (Some(_), None) => {}
            (None, _) => self.show(&Message::of(Role::Assistant, Vec::new()), note),
        }
        stored.transpose()
    }

    /// Shows a stored answer, or replaces what was shown by it.
    fn show(&mut self, stored: &Message, note: &str) {
        let (text, shown) = (text_of(&stored.content), std::mem::take(&mut self.shown));
        if shown.is_empty() {
            if note.is_empty() && !text.is_empty() {
                self.emit(|| TurnEvent::Text(stored.text().into_owned()));
            }
        } else if text.strip_suffix(note) != Some(&shown) {
            self.emit(|| TurnEvent::Retracted { instead: stored.text().into_owned() });
        }
    }

    /// Retracts text that was shown but not stored, because the turn ended with `outcome` in between.
    pub(super) fn retract(&mut self, outcome: &Outcome) {
        if !std::mem::take(&mut self.shown).is_empty() {
            self.emit(|| TurnEvent::Retracted { instead: outcome.to_string() });
        }
    }

    /// Like [`append_said`](Self::append_said), for an answer that all hooks have judged. It is part of the reply, even if
    /// the turn ends badly after that.
    async fn append_judged(&mut self, row: Option<Message>) -> Result<Option<Message>, End> {
        let before = self.transcript.added.len();
        let is_answer = row.is_some();
        let stored = self.append_said(row, "").await;
        self.draft.answer = self.transcript.added.get(before).filter(|_| is_answer).cloned();
        stored.map(|_| self.draft.answer.clone())
    }

    /// The last message of the model in this turn.
    pub(super) fn last_said(&self) -> Option<Message> {
        self.transcript.added.iter().rev().find(|message| message.role == Role::Assistant).cloned()
    }
}
