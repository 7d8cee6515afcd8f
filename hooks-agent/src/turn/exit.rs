use hooks_core::HookId;
use hooks_core::data::Message;
use hooks_core::kinds::{ExitReason, StopReason};
use hooks_core::verdict::{Halt, Reason};

use crate::reply::{Outcome, TurnError};

/// How a turn ended by itself.
pub(super) enum Ending {
    /// With the model's answer.
    Answered(Message, ExitReason),
    /// A hook put an error in the place of the answer.
    Blocked { reason: Reason, by: Option<HookId> },
    /// It went too far.
    Unfinished(StopReason),
}

/// Why a turn could not go on.
pub(super) enum Exit {
    /// A hook refused or stopped it at its prompt.
    Refused(Outcome),
    /// A hook ended it.
    Halted(Halt),
    /// It was cancelled, at this place.
    Cancelled(ExitReason),
    /// Something failed that it cannot do without.
    Failed(TurnError),
}

impl<E: Into<TurnError>> From<E> for Exit {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Exit {
    /// The word that hooks at `turn_end` read.
    pub(super) fn reason(&self) -> ExitReason {
        match self {
            Self::Refused(_) => ExitReason::PromptRefused,
            Self::Halted(_) => ExitReason::Halted,
            Self::Cancelled(place) => place.clone(),
            Self::Failed(TurnError::Model(crate::model::ModelError::Overflow(_))) => ExitReason::ContextTooLarge,
            Self::Failed(_) => ExitReason::Error,
        }
    }
}

impl Ending {
    /// The word that hooks at `turn_end` read.
    pub(super) fn reason(&self) -> ExitReason {
        match self {
            Self::Answered(_, reason) => reason.clone(),
            Self::Blocked { .. } => ExitReason::AnswerBlocked,
            Self::Unfinished(reason) => ExitReason::from(reason.as_ref()),
        }
    }
}
