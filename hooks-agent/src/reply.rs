use std::fmt;

use hooks_core::data::{Message, Messages, Usage};
use hooks_core::kinds::{ExitReason, StopReason};
use hooks_core::plugin::PluginsFailed;
use hooks_core::verdict::{Contexts, Contributions, Diagnostic, Halt, Reason};
use hooks_core::{ConfigError, DispatchError, HookId};

use crate::approve::ApprovalRequest;
use crate::model::ModelError;
use crate::store::StoreError;

/// What a turn came to. Shown, it is what a person reads: what failed is in [`Outcome::Failed`], and not in that.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// How it ended.
    pub outcome: Outcome,
    /// The same in a stable word, as hooks at `turn_end` read it.
    pub exit: ExitReason,
    /// The messages that the turn added to the conversation, as they are stored.
    pub messages: Messages,
    /// Text of hooks at `stop` that goes with the answer, unless they keep it back.
    pub contexts: Contexts,
    /// Messages of hooks at `stop` for the person.
    pub system_messages: Vec<String>,
    /// The hook at `stop` that ended the turn, whoever wanted to go on, and why; the answer stands.
    pub ended: Option<EndedBy>,
    /// What hooks contributed in the phases of the turn: its policies, its audit notes, the jobs that are to be done later.
    pub contributions: Contributions,
    /// What of the contributions does not go together, has no room, or names what is not there.
    pub diagnostics: Vec<Diagnostic>,
    /// How often the model was called.
    pub iterations: u32,
    /// The tokens of all calls of models in the turn, as far as providers say: those for a summary of the conversation, and
    /// those of agents that it asked, included.
    pub usage: Usage,
    /// The ids of stored rows that the model did not read in this turn, because they did not fit and nobody could sum them up.
    /// They stay stored, and the next turn begins with them.
    pub left_out: Vec<String>,
    /// Messages that were to [join](crate::Turn::steer) the turn, which ended before its next step. They are not stored: what is
    /// done with them is for the app to say, such as a turn of their own.
    pub not_joined: Messages,
}

/// Who ended a turn that came to its answer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndedBy {
    /// Why.
    pub reason: Reason,
    /// The hook.
    pub by: Option<HookId>,
}

/// How a turn ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// With the model's answer.
    Answered(Message),
    /// A hook refused the prompt.
    #[non_exhaustive]
    PromptBlocked {
        /// Why.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook stopped the turn at its prompt.
    #[non_exhaustive]
    PromptStopped {
        /// Why.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook at `stop` put an error in the place of the answer.
    #[non_exhaustive]
    AnswerBlocked {
        /// Why.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook at `stream_delta` stopped the answer while it came.
    #[non_exhaustive]
    StreamStopped {
        /// What was shown, and stands, with the reason.
        shown: String,
        /// Why.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook ended it; the halt says which.
    Halted(Halt),
    /// It went too far; the last thing that the model said, if it did.
    #[non_exhaustive]
    Unfinished {
        /// Why.
        reason: StopReason,
        /// The model's last message.
        last: Option<Message>,
    },
    /// It was cancelled.
    Cancelled,
    /// A call waits for somebody's word, and neither it nor a later one of the same answer ran:
    /// [`Session::resume`](crate::Session::resume) goes on.
    Suspended(Box<ApprovalRequest>),
    /// Something failed that the turn cannot do without.
    Failed(TurnError),
}

/// Why a turn failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The lists of hooks do not fit together.
    #[error(transparent)]
    Hooks(#[from] ConfigError),
    /// A hook that is required failed.
    #[error(transparent)]
    Dispatch(DispatchError),
    /// Plugins could not be started, and not all of them are optional.
    #[error(transparent)]
    Plugins(PluginsFailed),
    /// The model did not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No model has the profile that the turn asks for.
    #[error("no model has the profile `{profile}`; there are: {known}")]
    #[non_exhaustive]
    NoProfile {
        /// The profile.
        profile: String,
        /// The profiles there are.
        known: String,
    },
    /// Code of the app panicked in the midst of the turn: a compactor, say, or a first look at the prompt.
    #[error("the app's code panicked: {0}")]
    Panicked(String),
    /// No call of the conversation waits for an answer that could be acted on.
    #[error(
        "no call of this conversation waits for an answer: each has its result, or what ran it may have done it; what waits since \
         another process is in the store of its harness, so this one needs the same `.store(…)`"
    )]
    NothingToResume,
    /// A hook ended what was asked for between turns.
    #[error("a hook ended it: {}", .0.reason)]
    Halted(Halt),
    /// What was asked for between turns was cancelled.
    #[error("it was cancelled")]
    Cancelled,
    /// A message could not be stored or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TurnError {
    /// What a person may read of it: nothing that a provider, a store or a hook said, which may hold a key.
    fn for_person(&self) -> &'static str {
        match self {
            Self::Model(ModelError::Overflow(_)) => "The conversation is too long.",
            Self::Model(ModelError::RateLimited { .. } | ModelError::Unavailable(_)) => {
                "The model cannot be reached just now; please try again later."
            }
            Self::Model(_) => "The model did not answer.",
            Self::Store(_) => "The conversation could not be stored or read.",
            Self::Dispatch(_) => "A check that is required could not be made.",
            Self::NothingToResume => "Nothing waits for an answer.",
            Self::Halted(_) => "It was stopped.",
            Self::Cancelled => "It was cancelled.",
            Self::Hooks(_) | Self::Plugins(_) | Self::NoProfile { .. } | Self::Panicked(_) => {
                "Something is wrong with this program."
            }
        }
    }
}

impl Reply {
    /// The reply of a turn in which nothing happened.
    pub(crate) fn of(outcome: Outcome) -> Self {
        let exit = match &outcome {
            Outcome::Cancelled => ExitReason::AbortedPreCall,
            _ => ExitReason::Error,
        };
        Self {
            outcome,
            exit,
            messages: Messages::default(),
            contexts: Contexts::default(),
            system_messages: Vec::new(),
            ended: None,
            contributions: Contributions::default(),
            diagnostics: Vec::new(),
            iterations: 0,
            usage: Usage::default(),
            left_out: Vec::new(),
            not_joined: Messages::default(),
        }
    }
}

impl Outcome {
    /// The hook that refused, stopped or ended the turn, where one did.
    pub fn by(&self) -> Option<&HookId> {
        match self {
            Self::PromptBlocked { by, .. }
            | Self::PromptStopped { by, .. }
            | Self::AnswerBlocked { by, .. }
            | Self::StreamStopped { by, .. } => by.as_ref(),
            Self::Halted(halt) => halt.by.as_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outcome.fmt(f)?;
        self.contexts.iter().try_for_each(|text| write!(f, "\n<stop-hook>{text}</stop-hook>"))?;
        self.ended.iter().try_for_each(|ended| write!(f, "\n[Hook stopped] {}", ended.reason))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(message) => f.write_str(&message.text()),
            Self::PromptBlocked { reason, .. } => write!(f, "[Blocked by hook] {reason}"),
            Self::PromptStopped { reason, .. } => write!(f, "[Hook stopped] {reason}"),
            Self::AnswerBlocked { reason, .. } => write!(f, "[Blocked by Stop hook] {reason}"),
            Self::StreamStopped { shown, .. } => f.write_str(shown),
            Self::Halted(halt) => write!(f, "[Hook stopped] {}", halt.reason),
            Self::Unfinished { reason, last } => {
                last.iter().try_for_each(|message| writeln!(f, "{}", message.text()))?;
                write!(f, "[Not finished: {reason}]")
            }
            Self::Cancelled => f.write_str("[Cancelled]"),
            Self::Suspended(request) => write!(f, "[Waiting for an answer] {}", request.question.reason),
            Self::Failed(error) => write!(f, "[Failed] {}", error.for_person()),
        }
    }
}
