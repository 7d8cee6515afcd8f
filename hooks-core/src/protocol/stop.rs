//! The end of a turn: hooks let the answer stand, block it, or continue the turn.

use std::future::{Future, ready};

use super::error::{StepError, StepErrorKind};
use super::message::{append_row, row_of, store};
use super::mode::{StepMode, Waits, at_once};
use super::returned::IntoRowId;
use crate::context::HookContext;
use crate::data::{Message, Role};
use crate::kinds::{Stop, StopReason};
use crate::plan::HookSet;
use crate::tables::setters;
use crate::verdict::{Denial, StopDecision};

/// How often hooks may continue a turn, unless the loop sets it.
const LIMIT: u32 = 8;

/// The end of a turn with the hooks at `stop`. Made by [`HookSet::stop`].
#[must_use = "the answer is neither judged nor stored before `store`"]
#[derive(Debug)]
pub struct StopStep<'a> {
    mode: StepMode<'a>,
    answer: Message,
    reason: StopReason,
    continued: &'a mut u32,
    limit: u32,
}

/// How a turn goes on after the hooks at `stop`.
#[must_use = "a turn that ends here without looking ignores a hook that continues it"]
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// The turn ends.
    End {
        /// The answer as it is stored.
        answer: Message,
        /// What the person sees besides the answer.
        notices: Vec<String>,
    },
    /// The model is called again.
    Continue {
        /// The answer as it is stored.
        answer: Message,
        /// The next message of the conversation, which is not stored yet.
        follow_up: Message,
        /// What the person sees now.
        notices: Vec<String>,
    },
}

impl HookSet {
    /// Prepares the end of a turn with the `answer` of the model. `continued` counts how often hooks have continued the
    /// turn; start each turn with a new one at 0.
    pub fn stop<'a>(&'a self, cx: &'a HookContext, answer: Message, continued: &'a mut u32) -> StopStep<'a> {
        StopStep { mode: StepMode::new(self, cx), answer, reason: StopReason::FinalResponse, continued, limit: LIMIT }
    }
}

setters!(StopStep<'_> {
    /// Why the turn ends; [`StopReason::FinalResponse`] if this is not set.
    reason: impl Into<StopReason>,
    /// How often hooks may continue a turn; 8 if this is not set.
    limit: u32,
});

impl StopStep<'_> {
    /// Fires `stop` with the answer as it is to be stored, and then stores it with `append`; or, if hooks block it, an
    /// error in its place.
    ///
    /// # Errors
    /// [`StepError`] if hooks block the answer or end the turn. The person must not see the answer then; it is stored only
    /// if a hook at `after_create_message` ended the turn.
    pub async fn store<R: Future<Output: IntoRowId>>(
        self,
        append: impl FnOnce(Message) -> R,
    ) -> Result<NextStep, StepError> {
        let mode = self.mode;
        self.step(mode, append).await
    }

    /// Like [`store`](Self::store), without a runtime.
    ///
    /// # Errors
    /// Those of [`store`](Self::store).
    pub fn store_blocking<I: IntoRowId>(self, append: impl FnOnce(Message) -> I) -> Result<NextStep, StepError> {
        let mode = self.mode.blocking();
        at_once(self.step(mode, |row| ready(append(row))))
    }

    async fn step<W: Waits, R: Future<Output: IntoRowId>>(
        self,
        mode: StepMode<'_, W>,
        append: impl FnOnce(Message) -> R,
    ) -> Result<NextStep, StepError> {
        let Self { mode: _, answer, reason, continued, limit } = self;
        mode.go_on()?;
        let row = row_of(mode, answer).await?;
        let at_cap = *continued >= limit;
        let event = Stop::new(reason).stop_hook_active(*continued > 0).at_iteration_cap(at_cap);
        let verdict = match mode.fire(&event.last_message(row.clone()), ()).await {
            Ok(fired) => fired.verdict,
            Err(end) => {
                let withheld = "[Withheld: the turn ended before all hooks had judged the answer]";
                append_row(mode, Message::new(Role::Assistant, withheld), append).await?;
                return Err(end);
            }
        };
        let mut notices = verdict.system_messages;
        if !verdict.suppress_output {
            notices.extend(verdict.contexts.iter().map(str::to_owned));
        }
        match verdict.decision {
            StopDecision::Block(reason) => {
                let denial = Denial { by: verdict.by, attribution: verdict.attribution, ..Denial::new(reason) };
                let blocked = Message::new(Role::Assistant, format!("[Blocked] {}", denial.reason));
                store(mode, blocked, append).await?;
                Err(StepErrorKind::Blocked(denial).into())
            }
            StopDecision::Continue(next) if !at_cap => {
                let answer = append_row(mode, row, append).await?;
                *continued += 1;
                Ok(NextStep::Continue { answer, follow_up: Message::new(Role::User, next.as_str()), notices })
            }
            StopDecision::NoOpinion | StopDecision::End(_) | StopDecision::Continue(_) => {
                Ok(NextStep::End { answer: append_row(mode, row, append).await?, notices })
            }
        }
    }
}
