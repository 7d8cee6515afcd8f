use hooks_macros::__event as event;

use super::words::words;
use crate::data::{Message, Messages};
use crate::verdict::StopVerdict;

words! {
    /// Why a turn is about to end.
    StopReason {
        /// The model gave its final answer.
        FinalResponse = "final_response",
        /// The turn reached its maximum number of steps.
        MaxIterations = "max_iterations",
        /// The model repeated itself without progress.
        DoomLoop = "doom_loop",
        /// The answer was cut off.
        LengthTruncation = "length_truncation",
    }
}

/// Fires when a turn is about to end: hooks may let it end, end it with an error, or continue it with a follow-up.
#[event(name = "stop", verdict = StopVerdict, match(reason), new(reason))]
pub struct Stop {
    /// Why the turn is about to end.
    pub reason: StopReason,
    /// Whether the turn reached its maximum number of steps, so that a request to continue has no effect.
    pub at_iteration_cap: bool,
    /// Whether a hook of this kind has already continued this turn.
    pub stop_hook_active: bool,
    /// The model's last message.
    pub last_message: Option<Message>,
}

words! {
    /// How a turn ended.
    ExitReason {
        /// The turn was cancelled before the model was called.
        AbortedPreCall = "aborted_pre_call",
        /// The model called no tool.
        NoToolCalls = "no_tool_calls",
        /// The turn was cancelled after the model answered.
        AbortedPostResponse = "aborted_post_response",
        /// The turn was cancelled while tools ran.
        AbortedDuringTools = "aborted_during_tools",
        /// The turn waits for the person. For harnesses whose turns can pause; the loop of `hooks-agent` never uses it.
        YieldToUser = "yield_to_user",
        /// The turn continues elsewhere. For harnesses with checkpoints; the loop of `hooks-agent` never uses it.
        CheckpointHandoff = "checkpoint_handoff",
        /// The context is too large for the model.
        ContextTooLarge = "context_too_large",
        /// The budget was spent and could not be recovered.
        BudgetYieldUnrecovered = "budget_yield_unrecovered",
        /// The answer was cut off.
        MaxTokensReached = "max_tokens_reached",
        /// The turn was cancelled at a checkpoint. For harnesses with checkpoints; the loop of `hooks-agent` never uses
        /// it.
        AbortedAfterCheckpoint = "aborted_after_checkpoint",
        /// An error cancelled the turn.
        AbortedViaError = "aborted_via_error",
        /// A hook halted the turn.
        Halted = "halted",
        /// A hook blocked the prompt.
        PromptRefused = "prompt_refused",
        /// A hook replaced the answer with an error.
        AnswerBlocked = "answer_blocked",
        /// The turn reached its maximum number of steps.
        MaxIterations = "max_iterations",
        /// The model repeated itself without progress.
        DoomLoop = "doom_loop",
        /// The turn failed.
        Error = "error",
    }
}

/// Fires once when a turn has ended, whatever the reason.
#[event(name = "turn_end", turn_over, match(reason), new(reason))]
pub struct TurnEnd {
    /// How the turn ended.
    pub reason: ExitReason,
    /// The error, if there was one.
    pub error: Option<String>,
    /// The conversation at the end of the turn.
    pub history: Messages,
}
