#![allow(clippy::ref_option_ref, reason = "what serde derives")]

use hook_sdk::HookId;
use hook_sdk::data::{Message, ToolCall, ToolResult, Usage};
use hook_sdk::kinds::CompactionKind;
use hook_sdk::verdict::{Contributions, Diagnostic, Reason};
use serde::Serialize;

/// An event of a running turn, reported as it happens.
///
/// It serialises to an object with the fields `type` and `data`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnEvent {
    /// A piece of the model's answer. If the model does not stream, or a hook defers its output, this is the whole
    /// answer, after it was stored.
    Text(String),
    /// A piece of the model's thinking.
    Thinking(String),
    /// A piece of the input of a tool call that the model is writing.
    #[non_exhaustive]
    ToolInput {
        /// The id of the call, as the model gave it.
        call: String,
        /// The name of the tool.
        tool: String,
        /// The piece.
        text: String,
    },
    /// The text that was shown of the last answer is not what is stored: a hook rewrote, removed or blocked the answer, or it
    /// could not be stored. Show this text in its place. It may come after the answer's [`Stored`](Self::Stored).
    #[non_exhaustive]
    Retracted {
        /// The text that replaces what was shown.
        instead: String,
    },
    /// The reader was too slow: the oldest events were dropped.
    #[non_exhaustive]
    Missed {
        /// The number of dropped events.
        events: usize,
    },
    /// A message was stored.
    Stored(Message),
    /// A kind was fired for which at least one hook was selected, so its filter matched.
    #[non_exhaustive]
    Fired {
        /// The kind.
        kind: &'static str,
        /// The verdict, in a word such as `deny` or `continue`. `None` if the hooks decided nothing.
        verdict: Option<&'static str>,
        /// The hooks that failed.
        failed: Vec<HookId>,
        /// Whether one of the hooks ended the turn.
        halted: bool,
    },
    /// A hook rejected the prompt (at `user_prompt_submit`) or the answer (at `stop`), or stopped the answer (at
    /// `stream_delta`).
    #[non_exhaustive]
    Blocked {
        /// The kind at which the hook ran.
        kind: &'static str,
        /// The hook.
        by: Option<HookId>,
        /// The reason.
        reason: Reason,
    },
    /// A hook stopped the turn: at `user_prompt_submit`, or with a [`Halt`](hook_sdk::verdict::Halt) at any kind.
    #[non_exhaustive]
    Stopped {
        /// The kind at which the hook ran.
        kind: &'static str,
        /// The hook.
        by: Option<HookId>,
        /// The reason.
        reason: Reason,
    },
    /// The prompt was accepted, and hooks have prepared the conversation for this turn.
    #[non_exhaustive]
    Prepared {
        /// The number of stored messages that hooks at `filter_messages` removed from the model's input.
        left_out: usize,
        /// The number of contexts that hooks at `user_prompt_submit` added to the prompt.
        contexts: usize,
    },
    /// A model call starts.
    #[non_exhaustive]
    ModelCalled {
        /// The profile of the call.
        profile: String,
        /// The number of messages in the call.
        messages: usize,
    },
    /// A model answered. Hooks have not run on the answer yet.
    #[non_exhaustive]
    ModelAnswered {
        /// The name of the model, if the provider reports it.
        model: String,
        /// Why the model stopped, as the provider reports it.
        stop_reason: String,
        /// The token usage, if the provider reports it.
        usage: Option<Usage>,
    },
    /// A model rejected the call or could not be reached, and the loop does not retry the call.
    #[non_exhaustive]
    ModelFailed {
        /// The error message.
        error: String,
    },
    /// A tool is about to run. The input is that of the stored message, in which hooks may have masked it; the tool gets what
    /// the model wrote and gates changed. So it is in all events about a call.
    ToolStarted(ToolCall),
    /// A tool failed and will run again after a delay, because a hook requested a retry.
    #[non_exhaustive]
    ToolRetrying {
        /// The call.
        call: ToolCall,
        /// The error message, as hooks at `after_tool_call_failure` left it.
        error: String,
    },
    /// A tool call is complete, with the result that the model gets. If there was no [`ToolStarted`](Self::ToolStarted)
    /// event for the call, its tool did not run.
    #[non_exhaustive]
    ToolFinished {
        /// The call.
        call: ToolCall,
        /// The result that the model gets, as all hooks left it and as it is stored. If another role says the result, it is
        /// in a later [`Stored`](Self::Stored) message, and this is the note that points to it.
        result: ToolResult,
        /// The hook that removed the tool's output.
        removed_by: Option<HookId>,
        /// The gate hook that kept the call from running: it denied the call, or it asked and the answer was no.
        refused_by: Option<HookId>,
    },
    /// An event in the turn of a sub-agent.
    #[non_exhaustive]
    Within {
        /// The agent.
        agent: String,
        /// The id of the call to the agent. One agent can run in several calls at the same time.
        call: String,
        /// The event.
        event: Box<TurnEvent>,
    },
    /// Hooks contributed in a phase of the turn.
    #[non_exhaustive]
    Contributed {
        /// The kind of the phase.
        kind: &'static str,
        /// The contributions of this phase. [`Reply::contributions`](crate::Reply::contributions) has those of all
        /// phases.
        contributions: Contributions,
    },
    /// Contributions of hooks conflict, or exceed a limit.
    Diagnostic(Diagnostic),
    /// The conversation was compacted.
    #[non_exhaustive]
    Compacted {
        /// The kind of compaction.
        kind: CompactionKind,
        /// The number of messages after it.
        messages: usize,
    },
    /// Hooks at `pre_model_call` changed the system prompt of a call, whatever its call site.
    SystemPromptChanged,
    /// The decision of the hooks at `stop`.
    #[non_exhaustive]
    Stop {
        /// The decision.
        effect: StopEffect,
        /// The hook that decided. `None` if no hook decided anything.
        by: Option<HookId>,
        /// The reason for ending the turn or blocking the answer.
        reason: Option<Reason>,
    },
    /// A message from a hook to the person.
    SystemMessage(String),
    /// The model call failed and will be retried after a delay. Thinking and inputs of calls that were shown since
    /// [`ModelCalled`](Self::ModelCalled) belong to the failed call.
    #[non_exhaustive]
    Retrying {
        /// The error message.
        error: String,
    },
}

/// What hooks at `stop` decide about the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopEffect {
    /// The turn ends.
    Allow,
    /// An error replaces the answer.
    Block,
    /// The turn continues.
    Continue,
    /// A hook wants to continue, but the turn has reached its maximum number of iterations.
    ContinueAtMaxIter,
    /// A hook wants to continue, but the turn has used up its tokens.
    ContinueAtTokenBudget,
    /// A hook wants to continue, but hooks have already continued this turn as often as allowed.
    ReentryCapped,
}

impl StopEffect {
    /// The name used in traces.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Block => "block",
            Self::Continue => "continue",
            Self::ContinueAtMaxIter => "continue_at_max_iter",
            Self::ContinueAtTokenBudget => "continue_at_token_budget",
            Self::ReentryCapped => "reentry_capped",
        }
    }
}
