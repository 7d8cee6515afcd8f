//! What the callbacks of one run share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::HookContext;
use hook_sdk::data::{Message, Messages, ModelAnswer, ModelRequest, ToolCall, ToolInput, ToolResult};
use rig_agent::agent::{HookContext as RigContext, ModelTurnAction};
use rig_core::effect::EffectId;
use rig_core::message::{AssistantContent, Message as Row};

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

#[derive(Default)]
pub(crate) struct RunData {
    pub(crate) prompt: Option<Row>,
    pub(crate) contexts: Messages,
    pub(crate) model: Option<ModelStep>,
    pub(crate) tools: HashMap<EffectId, ToolStep>,
    /// Replies with calls as the model gave them, and as hooks left them: rig keeps the first, models read the second.
    pub(crate) replies: Vec<(Vec<AssistantContent>, Vec<AssistantContent>)>,
    pub(crate) continued: u32,
    /// What follows the turn of the model that was just judged.
    pub(crate) next: Option<ModelTurnAction>,
}

/// The state of a run. rig drops it with the run.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) cx: HookContext,
    data: Arc<Mutex<RunData>>,
}

/// The runs of all sets of hooks in one agent.
#[derive(Clone, Default)]
struct Runs(HashMap<u64, Run>);

/// rig does not serialise updates of its scratchpad, and tools run concurrently.
static BEGIN: Mutex<()> = Mutex::new(());

impl Run {
    /// The state of the set `of` in the run of `rig`.
    pub(crate) fn of(of: u64, rig: &RigContext, cx: &HookContext) -> Self {
        let _begin = BEGIN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut runs = rig.scratchpad().get::<Runs>().unwrap_or_default();
        if let Some(run) = runs.0.get(&of) {
            return run.clone();
        }
        let mut cx = cx.to_builder().request(rig.run_id().to_string());
        if let Some(agent) = rig.agent_name() {
            cx = cx.agent(agent);
        }
        let run = Self { cx: cx.build(), data: Arc::default() };
        runs.0.insert(of, run.clone());
        rig.scratchpad().insert(runs);
        run
    }

    pub(crate) fn data(&self) -> MutexGuard<'_, RunData> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
