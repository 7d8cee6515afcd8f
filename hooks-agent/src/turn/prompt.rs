//! The beginning of a turn: the stored conversation, the prompt, and what hooks add.

use hook_sdk::data::Message;
use hook_sdk::kinds::{BeforeAgentStart, ExitReason, FilterMessages, UserPromptSubmit};
use hook_sdk::verdict::{PromptDecision, Reason};
use hook_sdk::{HookId, HookKind};

use super::TurnLoop;
use super::end::End;
use super::lineage::Lineage;
use super::pairs::paired;
use super::resume::open_calls;
use crate::event::TurnEvent;
use crate::injected;
use crate::reply::Outcome;
use crate::store::StoredConversation;

impl TurnLoop {
    /// Appends the prompt to the conversation `stored`, and lets hooks change both.
    ///
    /// Only the person's message is stored. What hooks at `user_prompt_submit` add is valid for this turn only.
    pub(super) async fn submit(&mut self, prompt: Message, stored: StoredConversation) -> Result<(), End> {
        self.transcript.lineage = Lineage::of(stored);
        let messages = self.transcript.lineage.messages();
        let open = open_calls(&messages);
        self.calls.stored = messages.iter().flat_map(Message::tool_calls).map(|call| call.id.clone()).collect();
        let stored = paired(messages.into());
        let rows = stored.len();
        self.transcript.view = self.fire(&FilterMessages::new(), stored).await?.subject;
        self.transcript.lineage.becomes(&self.transcript.view);
        let left_out = rows.saturating_sub(self.transcript.view.len());
        self.go_on(ExitReason::AbortedPreCall)?;

        let mut original = self.transcript.view.clone();
        original.push(prompt.clone());
        let event = UserPromptSubmit::new(self.input.as_str(), original.clone());
        let event = event.profile(self.profile()).hidden(self.asked.hidden);
        let fired = self.fire(&event, original).await?;
        let place = match (fired.verdict.decision, event.place_of_prompt(&fired.subject)) {
            (PromptDecision::Block(reason), _) => return Err(self.blocked(reason, fired.verdict.by)),
            (PromptDecision::Stop(reason), _) => {
                let by = fired.verdict.by;
                self.emit(|| TurnEvent::Stopped {
                    kind: UserPromptSubmit::NAME,
                    by: by.clone(),
                    reason: reason.clone(),
                });
                return Err(End::refused(Outcome::PromptStopped { reason, by }));
            }
            (_, None) => return Err(self.blocked("a hook removed the prompt".into(), None)),
            (_, Some(place)) => place,
        };
        self.go_on(ExitReason::AbortedPreCall)?;

        self.emit(|| TurnEvent::Prepared { left_out, contexts: fired.verdict.contexts.len() });
        let mut view = fired.subject;
        let behind = view.split_off(place + 1);
        let prompt = view.remove(place);
        self.transcript.lineage.becomes(&view);
        view.extend(fired.verdict.contexts.iter().map(|text| injected::prompt_context(text)));
        self.transcript.view = view;
        self.taken = true;
        let row = self.row_of(prompt).await?;
        // Only now: the answer of a person can still come if hooks reject the prompt or fail.
        self.abandon_waiting(open).await?;
        self.append(row).await?;
        if let Some(row) = self.transcript.lineage.last_stored().map(str::to_owned) {
            self.answers(&row);
        }
        self.transcript.view.extend(behind);
        self.not_halted()?;
        let input = self.input.clone();
        self.start_agent(&input).await
    }

    /// How the turn ends if hooks block the prompt.
    fn blocked(&self, reason: Reason, by: Option<HookId>) -> End {
        let kind = UserPromptSubmit::NAME;
        self.emit(|| TurnEvent::Blocked { kind, by: by.clone(), reason: reason.clone() });
        End::refused(Outcome::PromptBlocked { reason, by })
    }

    /// Records that the person's message was stored as `row`, for the context of later hooks.
    pub(super) fn answers(&mut self, row: &str) {
        for cx in [&mut self.cx, &mut self.to_end] {
            *cx = cx.to_builder().message(row).build();
        }
    }

    /// Determines the system prompt.
    pub(super) async fn start_agent(&mut self, input: &str) -> Result<(), End> {
        let trigger = self.asked.trigger.as_deref().unwrap_or(&self.session.trigger);
        let event = BeforeAgentStart::new(input).messages(self.transcript.view.clone()).trigger(trigger);
        let start = self.fire(&event, ()).await?.verdict;
        let own = start.system_prompt.unwrap_or_else(|| self.session.system_prompt.clone());
        let of_session: Vec<&str> = match &self.asked.again {
            Some(again) => again.contexts.iter().map(String::as_str).collect(),
            None => self.session.contexts.iter().collect(),
        };
        let parts = [own.as_str()].into_iter().chain(of_session).chain(start.contexts.iter());
        self.model.system_prompt = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
        self.go_on(ExitReason::AbortedPreCall)?;
        self.phases(input).await
    }
}
