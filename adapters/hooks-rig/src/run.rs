//! What the callbacks of one run share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::HookContext;
use hook_sdk::data::{Message, Messages, ModelAnswer, ModelRequest, ToolCall, ToolInput, ToolResult};
use hook_sdk::kinds::{ExitReason, StreamChannel};
use hook_sdk::protocol::{StepError, StepErrorKind};
use rig_agent::agent::{HookContext as RigContext, ModelTurnAction};
use rig_core::effect::EffectId;
use rig_core::message::{AssistantContent, CallId, Message as Row};

use crate::parked::Parked;

/// The call of a model: its rows as rig has them, and the step of the hooks.
pub(crate) struct ModelStep {
    pub(crate) rows: Vec<Row>,
    pub(crate) step: Parked<(ModelRequest, Messages), Result<ModelAnswer, String>, Message>,
    /// What the step wants done, if it asked for another answer.
    pub(crate) again: Option<(ModelRequest, Messages)>,
}

/// A call of a tool.
pub(crate) enum ToolStep {
    /// The tool runs.
    Runs(ToolCall, Parked<ToolInput, ToolResult, ToolResult>),
    /// Hooks decided it: this is what the model reads.
    Decided(ToolCall, ToolResult),
}

/// Why hooks end the run.
pub(crate) struct Ended {
    pub(crate) reason: ExitReason,
    pub(crate) text: String,
}

impl From<String> for Ended {
    fn from(text: String) -> Self {
        Self { reason: ExitReason::Error, text }
    }
}

impl From<&str> for Ended {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<StepError> for Ended {
    fn from(end: StepError) -> Self {
        let reason = match end.kind() {
            StepErrorKind::Halted(_) => ExitReason::Halted,
            StepErrorKind::Blocked(_) => ExitReason::AnswerBlocked,
            StepErrorKind::Suspended(_) => ExitReason::Other("suspended".to_owned()),
            StepErrorKind::Cancelled => ExitReason::AbortedViaError,
            _ => ExitReason::Error,
        };
        Self { reason, text: end.to_string() }
    }
}

impl Ended {
    pub(crate) fn at_prompt(end: StepError) -> Self {
        let is_blocked = matches!(end.kind(), StepErrorKind::Blocked(_));
        let ended = Self::from(end);
        if is_blocked { Self { reason: ExitReason::PromptRefused, ..ended } } else { ended }
    }
}

#[derive(Default)]
pub(crate) struct RunData {
    /// The history that the caller gave.
    pub(crate) history: Vec<Row>,
    pub(crate) prompt: Option<Row>,
    pub(crate) contexts: Messages,
    pub(crate) model: Option<ModelStep>,
    pub(crate) tools: HashMap<EffectId, ToolStep>,
    /// Replies with calls as the model gave them, and as hooks left them: rig keeps the first, models read the second.
    pub(crate) replies: Vec<(Vec<AssistantContent>, Vec<AssistantContent>)>,
    /// The calls of the last reply: their arguments as the model made them, and as hooks at `post_model_call` left them. A
    /// mask of the stored row leaves the tools their input.
    pub(crate) inputs: Vec<(CallId, ToolInput, ToolInput)>,
    /// The tool with which the model answers in the last call, if rig has one.
    pub(crate) output_tool: Option<String>,
    /// The pieces of the last reply that hooks have seen, joined.
    pub(crate) streamed: Vec<(StreamChannel, String)>,
    pub(crate) continued: u32,
    /// What follows the turn of the model that was just judged, and how often hooks have continued the run then.
    pub(crate) next: Option<(ModelTurnAction, u32)>,
    /// Why hooks ended the run.
    pub(crate) ended: Option<ExitReason>,
}

impl RunData {
    /// Replaces the replies with calls by what hooks left of them.
    pub(crate) fn mask(&self, rows: &mut [Row]) {
        for row in rows {
            if let Row::Assistant(turn) = row
                && let Some((_, left)) = self.replies.iter().find(|(reply, _)| *reply == turn.content)
            {
                turn.content.clone_from(left);
            }
        }
    }
}

/// The state of a run. rig drops it with the run.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) cx: HookContext,
    /// Whether the agent has another set, which came first.
    pub(crate) is_second: bool,
    data: Arc<Mutex<RunData>>,
}

/// The run of the first set of hooks in an agent, and which set that is.
#[derive(Clone)]
struct First(u64, Run);

/// rig does not serialise updates of its scratchpad, and tools run concurrently.
static BEGIN: Mutex<()> = Mutex::new(());

impl Run {
    /// The state of the set `of` in the run of `rig`.
    pub(crate) fn of(of: u64, rig: &RigContext, cx: &HookContext, asks: bool) -> Self {
        let _begin = BEGIN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_second = match rig.scratchpad().get::<First>() {
            Some(First(set, run)) if set == of => return run,
            first => first.is_some(),
        };
        let mut cx = cx.to_builder().request(rig.run_id().to_string());
        if let Some(agent) = rig.agent_name() {
            cx = cx.agent(agent);
        }
        if asks {
            cx = cx.human_present(true);
        }
        let run = Self { cx: cx.build(), is_second, data: Arc::default() };
        if !is_second {
            rig.scratchpad().insert(First(of, run.clone()));
        }
        run
    }

    pub(crate) fn data(&self) -> MutexGuard<'_, RunData> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers why the run ends. Returns the reason for rig.
    pub(crate) fn end(&self, ended: Ended) -> String {
        self.data().ended.get_or_insert(ended.reason);
        ended.text
    }
}
