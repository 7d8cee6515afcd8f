use std::fmt;

use hook_sdk::data::{Message, Messages, Usage};
use hook_sdk::kinds::{ExitReason, StopReason};
use hook_sdk::plugin::PluginsFailed;
use hook_sdk::verdict::{Contexts, Contributions, Diagnostic, Halt, Reason};
use hook_sdk::{ConfigError, DispatchError, HookId};

use crate::approve::ApprovalRequest;
use crate::model::ModelError;
use crate::store::StoreError;

/// The result of a turn. It displays as text for the person, without the details of errors. Those are in
/// [`Outcome::Failed`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// How the turn ended.
    pub outcome: Outcome,
    /// The same as a stable word, as hooks at `turn_end` see it.
    pub exit: ExitReason,
    /// The model's answer, if the turn failed or was halted only after all hooks had judged the answer and it was stored.
    pub answer: Option<Message>,
    /// The messages that the turn added to the conversation, as they are stored.
    pub messages: Messages,
    /// Text that hooks at `stop` add to the answer, unless they suppress it.
    pub contexts: Contexts,
    /// Messages from hooks at `stop` to the person.
    pub system_messages: Vec<String>,
    /// The hook at `stop` that ended the turn although another hook wanted to continue, and its reason. The answer is
    /// kept.
    pub ended: Option<EndedBy>,
    /// The contributions of hooks in the phases of the turn: policies, audit notes, jobs.
    pub contributions: Contributions,
    /// Problems of these contributions: they conflict, exceed a limit, or name something unknown.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of model calls, without those for summaries.
    pub iterations: u32,
    /// The tokens of all model calls of the turn that providers report, including those for summaries and those of
    /// sub-agents.
    pub usage: Usage,
    /// The ids of stored rows that the model did not get in this turn, because they did not fit and could not be
    /// summarised. They stay stored, and the next turn starts with them.
    pub left_out: Vec<String>,
    /// Messages that were to [join](crate::Turn::steer) the turn, which ended before its next step. They are not
    /// stored, as far as the store can be read. The app can start another turn with them.
    pub not_joined: Messages,
    /// Whether its calls wait. A calling agent needs it, because its own call waits then.
    pub(crate) waits: Waits,
}

/// Whether calls of a turn wait for an approval when it ends, whatever ended it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Waits {
    /// Those that waited when it began.
    #[default]
    AsBefore,
    /// Some do, for this one.
    For(Box<ApprovalRequest>),
    /// None does.
    No,
}

/// The hook that ended a turn which has an answer, and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndedBy {
    /// The reason.
    pub reason: Reason,
    /// The hook.
    pub by: Option<HookId>,
}

/// How a turn ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The model answered.
    Answered(Message),
    /// A hook rejected the prompt.
    #[non_exhaustive]
    PromptBlocked {
        /// The reason.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook stopped the turn at its prompt.
    #[non_exhaustive]
    PromptStopped {
        /// The reason.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook at `stop` replaced the answer with an error.
    #[non_exhaustive]
    AnswerBlocked {
        /// The reason.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook at `stream_delta` stopped the answer while it was streamed.
    #[non_exhaustive]
    StreamStopped {
        /// The text that was shown, followed by the reason. It is stored.
        shown: String,
        /// The reason.
        reason: Reason,
        /// The hook.
        by: Option<HookId>,
    },
    /// A hook halted the turn. The halt names the hook.
    Halted(Halt),
    /// The turn reached a limit.
    #[non_exhaustive]
    Unfinished {
        /// The limit that it reached.
        reason: StopReason,
        /// The model's last message, if there is one.
        last: Option<Message>,
    },
    /// The turn was cancelled.
    Cancelled,
    /// A call waits for an approval. Neither it nor a later call of the same answer was run.
    /// [`Session::resume`](crate::Session::resume) continues the turn.
    Suspended(Box<ApprovalRequest>),
    /// A part that the turn needs failed.
    Failed(TurnError),
}

/// Why a turn failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The lists of hooks are invalid.
    #[error(transparent)]
    Hooks(#[from] ConfigError),
    /// A required hook failed.
    #[error(transparent)]
    Dispatch(DispatchError),
    /// A plugin that is not optional could not be started.
    #[error(transparent)]
    Plugins(PluginsFailed),
    /// The model did not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The turn asks for a profile that no model has.
    #[error("no model has the profile `{profile}`; the profiles are: {known}")]
    #[non_exhaustive]
    NoProfile {
        /// The profile.
        profile: String,
        /// The profiles of the harness.
        known: String,
    },
    /// A sub-agent failed, and its calls wait on.
    #[error("the agent `{agent}` failed, and its calls wait on: {error}")]
    #[non_exhaustive]
    Agent {
        /// The agent.
        agent: String,
        /// Its error.
        error: String,
    },
    /// Code of the app panicked, for example a compactor or a preflight.
    #[error("the app's code panicked: {0}")]
    Panicked(String),
    /// No call of the conversation waits for an answer.
    #[error(
        "no call of this conversation waits for an answer: each has a result, or may have run without one; calls that \
         an earlier process left waiting are in its store, so give this harness the same `.store(…)`"
    )]
    NothingToResume,
    /// A resumed turn needs the prompt of the turn that asked, because its list of hooks decides which gates judge the
    /// call.
    #[error(
        "the call waits since a turn {}, and this one has {}; pass the same prompt to `resume`",
        .asked.as_ref().map_or_else(|| "without a prompt".to_owned(), |name| format!("with the prompt `{name}`")),
        .given.as_ref().map_or_else(|| "none".to_owned(), |name| format!("`{name}`"))
    )]
    #[non_exhaustive]
    OtherPrompt {
        /// The prompt of the turn that asked.
        asked: Option<String>,
        /// The prompt of the turn that was to continue.
        given: Option<String>,
    },
    /// A hook halted an operation between turns.
    #[error("a hook halted the operation: {}", .0.reason)]
    Halted(Halt),
    /// An operation between turns was cancelled.
    #[error("the operation was cancelled")]
    Cancelled,
    /// A message could not be stored or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TurnError {
    /// A message for the person. It contains no text of a provider, a store or a hook, which may contain a secret.
    fn for_person(&self) -> &'static str {
        match self {
            Self::Model(ModelError::Overflow(_)) => "The conversation is too long.",
            Self::Model(ModelError::RateLimited { .. } | ModelError::Unavailable(_)) => {
                "The model cannot be reached at the moment; please try again later."
            }
            Self::Model(_) => "The model did not answer.",
            Self::Store(_) => "The conversation could not be stored or read.",
            Self::Dispatch(_) => "A required check could not be run.",
            Self::NothingToResume => "No call waits for an answer.",
            Self::Agent { .. } => "An agent could not continue; please try again later.",
            Self::Halted(_) => "The operation was stopped.",
            Self::Cancelled => "The operation was cancelled.",
            Self::Hooks(_)
            | Self::Plugins(_)
            | Self::NoProfile { .. }
            | Self::OtherPrompt { .. }
            | Self::Panicked(_) => "An internal error occurred.",
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
            answer: None,
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
            waits: Waits::default(),
        }
    }

    /// Everything that the turn did, for a reply with another outcome.
    pub(crate) fn without_outcome(&self) -> Self {
        Self {
            outcome: Outcome::Cancelled,
            exit: self.exit.clone(),
            answer: self.outcome.answer().or(self.answer.as_ref()).cloned(),
            messages: self.messages.clone(),
            contexts: self.contexts.clone(),
            system_messages: self.system_messages.clone(),
            ended: self.ended.clone(),
            contributions: self.contributions.clone(),
            diagnostics: self.diagnostics.clone(),
            iterations: self.iterations,
            usage: self.usage,
            left_out: self.left_out.clone(),
            not_joined: self.not_joined.clone(),
            waits: self.waits.clone(),
        }
    }
}

impl Outcome {
    /// The model's answer, if the turn ended with one.
    pub fn answer(&self) -> Option<&Message> {
        if let Self::Answered(message) = self { Some(message) } else { None }
    }

    /// The request for which the turn waits, if it does.
    pub fn waits_for(&self) -> Option<&ApprovalRequest> {
        if let Self::Suspended(request) = self { Some(request) } else { None }
    }

    /// The error, if the turn failed.
    pub fn error(&self) -> Option<&TurnError> {
        if let Self::Failed(error) = self { Some(error) } else { None }
    }

    /// The hook that rejected, stopped or ended the turn, if one did.
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
        self.answer.iter().try_for_each(|answer| writeln!(f, "{}", answer.text()))?;
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
