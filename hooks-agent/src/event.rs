#![allow(clippy::ref_option_ref, reason = "what serde derives")]

use hooks_core::HookId;
use hooks_core::data::{Message, ToolCall, ToolResult, Usage};
use hooks_core::kinds::CompactionKind;
use hooks_core::verdict::{Contributions, Diagnostic, Reason};
use serde::Serialize;

/// What happens in a turn, reported as it happens.
///
/// Serialised it is an object with its `type`, and what it has in `data`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnEvent {
    /// A piece of the model's answer, or all of it once it is stored, where the model does not stream or a hook defers its output.
    Text(String),
    /// A piece of what the model thinks.
    Thinking(String),
    /// A piece of the input of a call that the model is writing.
    #[non_exhaustive]
    ToolInput {
        /// The id of the call, as the model has it.
        call: String,
        /// The tool.
        tool: String,
        /// The piece.
        text: String,
    },
    /// What was shown of the answer does not stand: a hook rewrote or blocked it. This stands instead.
    #[non_exhaustive]
    Retracted {
        /// What stands.
        instead: String,
    },
    /// Nobody read so many events that as many of the oldest are gone.
    #[non_exhaustive]
    Missed {
        /// How many.
        events: usize,
    },
    /// A message was stored.
    Stored(Message),
    /// A kind was fired, and a hook was selected: its filter matched.
    #[non_exhaustive]
    Fired {
        /// The kind.
        kind: &'static str,
        /// What its hooks decided, in a word such as `deny` or `continue`; `None` where they decided nothing.
        verdict: Option<&'static str>,
        /// The hooks that failed.
        failed: Vec<HookId>,
        /// Whether one of them ended the turn.
        halted: bool,
    },
    /// A hook refused the prompt (at `user_prompt_submit`) or the answer (at `stop`), or stopped it (at `stream_delta`).
    #[non_exhaustive]
    Blocked {
        /// The kind at which it did.
        kind: &'static str,
        /// The hook.
        by: Option<HookId>,
        /// Why.
        reason: Reason,
    },
    /// A hook stopped the turn: at its prompt, or by a [`Halt`](hooks_core::verdict::Halt) anywhere.
    #[non_exhaustive]
    Stopped {
        /// The kind at which it did.
        kind: &'static str,
        /// The hook.
        by: Option<HookId>,
        /// Why.
        reason: Reason,
    },
    /// The prompt was taken, with what hooks made of the conversation for this turn.
    #[non_exhaustive]
    Prepared {
        /// How many stored messages hooks at `filter_messages` left out of what the model reads.
        left_out: usize,
        /// How many contexts hooks at `user_prompt_submit` added to the prompt.
        contexts: usize,
    },
    /// A model is called.
    #[non_exhaustive]
    ModelCalled {
        /// Its profile.
        profile: String,
        /// How many messages it is sent.
        messages: usize,
    },
    /// A model answered; no hook has heard of it yet.
    #[non_exhaustive]
    ModelAnswered {
        /// The model, where the provider says.
        model: String,
        /// Why it stopped, in the provider's word.
        stop_reason: String,
        /// The tokens that the call took, where the provider says.
        usage: Option<Usage>,
    },
    /// A model refused or could not be reached, and is not called again by itself.
    #[non_exhaustive]
    ModelFailed {
        /// What went wrong.
        error: String,
    },
    /// A tool is about to run.
    ToolStarted(ToolCall),
    /// A tool failed and runs again after a while, because a hook asked for it.
    #[non_exhaustive]
    ToolRetrying {
        /// The call.
        call: ToolCall,
        /// What went wrong.
        error: String,
    },
    /// A call is over, with the result that the model reads. Where no [`ToolStarted`](Self::ToolStarted) went before, it did
    /// not run.
    #[non_exhaustive]
    ToolFinished {
        /// The call.
        call: ToolCall,
        /// The result that the model reads.
        result: ToolResult,
        /// The hook that removed what the tool answered.
        removed_by: Option<HookId>,
        /// The hook at the gate because of which it did not run: it denied the call, or asked and the answer was no.
        refused_by: Option<HookId>,
    },
    /// Something happened in the turn of an agent that this one asked.
    #[non_exhaustive]
    Within {
        /// The agent.
        agent: String,
        /// The id of the call by which it was asked: an agent may be asked twice at once.
        call: String,
        /// What happened.
        event: Box<TurnEvent>,
    },
    /// Hooks contributed in a phase of the turn.
    #[non_exhaustive]
    Contributed {
        /// The phase's kind.
        kind: &'static str,
        /// What they contributed in it; [`Reply::contributions`](crate::Reply::contributions) is that of all phases.
        contributions: Contributions,
    },
    /// What hooks contributed does not go together, or has no room.
    Diagnostic(Diagnostic),
    /// The conversation was compacted.
    #[non_exhaustive]
    Compacted {
        /// How.
        kind: CompactionKind,
        /// How many messages it has now.
        messages: usize,
    },
    /// Hooks at `pre_model_call` left another system prompt than they were given, whatever the call is for.
    SystemPromptChanged,
    /// What hooks at `stop` made of the turn's end.
    #[non_exhaustive]
    Stop {
        /// What.
        effect: StopEffect,
        /// The hook whose decision it is; `None` where none decided anything.
        by: Option<HookId>,
        /// Why it ends the turn or blocks the answer.
        reason: Option<Reason>,
    },
    /// A hook tells the person something.
    SystemMessage(String),
    /// The model is called again after a while.
    #[non_exhaustive]
    Retrying {
        /// What went wrong.
        error: String,
    },
}

/// What hooks at `stop` made of the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopEffect {
    /// It ends.
    Allow,
    /// An error takes the place of the answer.
    Block,
    /// It goes on.
    Continue,
    /// It would go on, but has taken as many steps as it may.
    ContinueAtMaxIter,
    /// It would go on, but hooks continued it often enough.
    ReentryCapped,
}

impl StopEffect {
    /// The word in a trace.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Block => "block",
            Self::Continue => "continue",
            Self::ContinueAtMaxIter => "continue_at_max_iter",
            Self::ReentryCapped => "reentry_capped",
        }
    }
}
