use serde::{Deserialize, Serialize};

use super::words::words;
use crate::HookKind;
use crate::data::{Message, Messages};
use crate::verdict::StopVerdict;

words! {
    /// Why a turn is about to end.
    StopReason {
        /// The model gave its answer.
        FinalResponse = "final_response",
        /// The turn took as many steps as it may.
        MaxIterations = "max_iterations",
        /// The model went round in circles.
        DoomLoop = "doom_loop",
        /// The answer was cut.
        LengthTruncation = "length_truncation",
    }
}

/// Fires when a turn is about to end: hooks may let it end, end it with an error, or go on with a follow-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "stop", verdict = StopVerdict, match(reason), new(reason), json)]
#[non_exhaustive]
pub struct Stop {
    /// Why the turn is about to end.
    pub reason: StopReason,
    /// Whether the turn took as many steps as it may, so that to continue has no effect.
    #[serde(default)]
    pub at_iteration_cap: bool,
    /// Whether a hook of this kind already continued this turn.
    #[serde(default)]
    pub stop_hook_active: bool,
    /// The last message of the model.
    #[serde(default)]
    pub last_message: Option<Message>,
}

words! {
    /// How a turn ended.
    ExitReason {
        /// It was cancelled before the model was called.
        AbortedPreCall = "aborted_pre_call",
        /// The model called no tool.
        NoToolCalls = "no_tool_calls",
        /// It was cancelled after the model answered.
        AbortedPostResponse = "aborted_post_response",
        /// It was cancelled while tools ran.
        AbortedDuringTools = "aborted_during_tools",
        /// The person is to go on. For harnesses whose turns can rest; the loop of `hooks-agent` has none.
        YieldToUser = "yield_to_user",
        /// It is gone on with elsewhere. For harnesses with checkpoints; the loop of `hooks-agent` has none.
        CheckpointHandoff = "checkpoint_handoff",
        /// The context is too large for the model.
        ContextTooLarge = "context_too_large",
        /// The budget was spent and could not be won back.
        BudgetYieldUnrecovered = "budget_yield_unrecovered",
        /// The answer was cut.
        MaxTokensReached = "max_tokens_reached",
        /// It was cancelled at a checkpoint. For harnesses with checkpoints; the loop of `hooks-agent` has none.
        AbortedAfterCheckpoint = "aborted_after_checkpoint",
        /// It was cancelled by an error.
        AbortedViaError = "aborted_via_error",
        /// A hook ended it.
        Halted = "halted",
        /// A hook refused its prompt.
        PromptRefused = "prompt_refused",
        /// A hook put an error in the place of its answer.
        AnswerBlocked = "answer_blocked",
        /// It took as many steps as it may.
        MaxIterations = "max_iterations",
        /// The model went round in circles.
        DoomLoop = "doom_loop",
        /// It failed.
        Error = "error",
    }
}

/// Fires when a turn has ended, however it did: once for each turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "turn_end", turn_over, match(reason), new(reason), json)]
#[non_exhaustive]
pub struct TurnEnd {
    /// How it ended.
    pub reason: ExitReason,
    /// What went wrong, if something did.
    #[serde(default)]
    pub error: Option<String>,
    /// The conversation at its end.
    #[serde(default)]
    pub history: Messages,
}
