//! The hook of rig.

mod model;
mod stream;
mod tools;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::{ExitReason, StreamChannel, TurnEnd};
use hook_sdk::protocol::{Approval, ToolQuestion};
use hook_sdk::{HookContext, HookSet};
use rig_agent::agent::{
    AgentHook, DispatchAction, DispatchEvent, HookContext as RigContext, ModelTurnAction, ModelTurnFinished,
    ObservationAction, OutcomeAction, OutcomeEvent, ReasoningDelta, RunSettled, RunStart, RunStartAction,
    SettledOutcome, StepEventKind, TextDelta, ToolCallDelta,
};
use rig_core::effect::{EffectKind, MemoryOp, Outcome};
use rig_core::message::{AssistantContent, ToolCall as RigCall};

use crate::rows;
use crate::run::Run;

/// The kind of the run's entries that hold what hooks say to the person.
pub const NOTICE: &str = "hook_notice";

/// How often hooks at `post_model_call` may ask for another answer.
const CONTINUES: u32 = 3;

/// How often hooks may continue a run at its end.
const LIMIT: u32 = 8;

type Ask = Arc<dyn Fn(ToolQuestion) -> BoxFuture<'static, Approval> + Send + Sync>;

/// A set of hooks as one hook of an agent: `AgentBuilder::add_hook(RigHooks::new(hooks))`. Add it last: what a hook behind it
/// rewrites, nobody judges.
#[derive(Clone)]
pub struct RigHooks {
    hooks: HookSet,
    cx: HookContext,
    ask: Option<Ask>,
    max_turns: usize,
    id: u64,
}

impl fmt::Debug for RigHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigHooks").field("hooks", &self.hooks).finish_non_exhaustive()
    }
}

impl RigHooks {
    /// Runs these hooks.
    pub fn new(hooks: HookSet) -> Self {
        static SETS: AtomicU64 = AtomicU64::new(0);
        let id = SETS.fetch_add(1, Ordering::Relaxed);
        Self { hooks, cx: HookContext::new(), ask: None, max_turns: usize::MAX, id }
    }

    /// Sets the context of each run: its conversation, and the state that hooks need. The run sets agent and request.
    #[must_use]
    pub fn context(mut self, cx: HookContext) -> Self {
        self.cx = cx;
        self
    }

    /// Sets what answers the questions of gates. Without it, a call about which a gate asks is denied.
    #[must_use]
    pub fn ask<T: Into<Approval>, R: Future<Output = T> + Send + 'static>(
        mut self,
        ask: impl Fn(ToolQuestion) -> R + Send + Sync + 'static,
    ) -> Self {
        self.ask = Some(Arc::new(move |question| {
            let answer = ask(question);
            Box::pin(async move { answer.await.into() })
        }));
        self
    }

    /// Says how many turns of the model a run of the agent has, which rig does not tell its hooks: hooks do not continue
    /// a run in its last turn, and the answer stands. Without it, rig ends such a run with its error `MaxTurns`.
    #[must_use]
    pub fn max_turns(mut self, max_turns: usize) -> Self {
        self.max_turns = max_turns;
        self
    }

    fn run(&self, rig: &RigContext) -> Run {
        Run::of(self.id, rig, &self.cx, self.ask.is_some())
    }
}

/// Why a run stops in which another hook of the agent repaired, skipped or retried a call that rig refuses.
const NOT_JUDGED: &str = "another hook of the agent took care of an invalid call, and rig showed that reply to no hook";

/// Why a run stops with two sets of hooks.
const TWO_SETS: &str = "the agent has two `RigHooks`, and what the second one rewrites, the first one does not judge: \
    make one of the hooks of both";

fn calls(content: &[AssistantContent]) -> impl Iterator<Item = &RigCall> {
    content.iter().filter_map(|part| match part {
        AssistantContent::ToolCall(call) => Some(call),
        _ => None,
    })
}

impl AgentHook for RigHooks {
    async fn on_run_start(&self, rig: &RigContext, event: RunStart<'_>) -> RunStartAction {
        let run = self.run(rig);
        if run.is_second {
            return RunStartAction::Stop(run.end(TWO_SETS.into()));
        }
        self.prompt(&run, event).await.unwrap_or_else(|ended| RunStartAction::Stop(run.end(ended)))
    }

    async fn on_dispatch(&self, rig: &RigContext, event: DispatchEvent<'_>) -> DispatchAction {
        let run = self.run(rig);
        // A run that is resumed has no start.
        if run.is_second {
            return DispatchAction::stop(run.end(TWO_SETS.into()));
        }
        match event.kind {
            EffectKind::ToolCall { name, args } => self.call(&run, event, name, args).await,
            EffectKind::Completion { request, stream } => match self.request(&run, rig, request, *stream).await {
                Ok(request) => DispatchAction::patch(EffectKind::Completion { request, stream: *stream }),
                Err(ended) => DispatchAction::stop(run.end(ended)),
            },
            EffectKind::Memory { op: MemoryOp::Append { conversation, messages } } => {
                let (conversation, mut messages) = (conversation.clone(), messages.clone());
                run.data().mask(&mut messages);
                DispatchAction::patch(EffectKind::Memory { op: MemoryOp::Append { conversation, messages } })
            }
            _ => DispatchAction::proceed(),
        }
    }

    /// Also the memory, so that it keeps what hooks left.
    fn observes(&self, kind: StepEventKind) -> bool {
        let others = [StepEventKind::EmbedDispatch, StepEventKind::RerankDispatch, StepEventKind::RetrieveDispatch];
        !others.contains(&kind) && kind != StepEventKind::CustomDispatch
    }

    async fn on_outcome(&self, rig: &RigContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        let run = self.run(rig);
        let replaced = match (event.kind, event.outcome) {
            (EffectKind::ToolCall { .. }, outcome) => {
                let result = match outcome {
                    Ok(Outcome::ToolResult { result }) => Some(result),
                    _ => None,
                };
                let left = self.result(&run, event.id, result).await;
                left.map(|left| left.map(|result| Outcome::ToolResult { result }))
            }
            (_, Ok(Outcome::Completion(response))) => {
                self.answer(&run, rig, response).await.map(|left| left.map(Outcome::Completion))
            }
            _ => Ok(None),
        };
        match replaced {
            Ok(None) => OutcomeAction::proceed(),
            Ok(Some(outcome)) => OutcomeAction::replace(Ok(outcome)),
            Err(ended) => OutcomeAction::stop(run.end(ended)),
        }
    }

    async fn on_model_turn_finished(&self, rig: &RigContext, _event: ModelTurnFinished<'_>) -> ModelTurnAction {
        let run = self.run(rig);
        let mut data = run.data();
        let Some((next, continued)) = data.next.take() else { return ModelTurnAction::Continue };
        data.continued = continued;
        next
    }

    async fn on_text_delta(&self, rig: &RigContext, event: TextDelta<'_>) -> ObservationAction {
        self.piece(rig, StreamChannel::Text, event.delta, event.aggregated).await
    }

    async fn on_reasoning_delta(&self, rig: &RigContext, event: ReasoningDelta<'_>) -> ObservationAction {
        self.piece(rig, StreamChannel::Thinking, event.delta, event.aggregated).await
    }

    async fn on_tool_call_delta(&self, rig: &RigContext, event: ToolCallDelta<'_>) -> ObservationAction {
        self.piece(rig, StreamChannel::Input, event.delta, event.aggregated).await
    }

    async fn on_run_settled(&self, rig: &RigContext, event: RunSettled<'_>) {
        let run = self.run(rig);
        let model = run.data().model.take();
        if let (Some(mut model), SettledOutcome::Error(error)) = (model, event.outcome) {
            // Hooks see the failure; the run is over whatever they say.
            let _ = model.step.resume(Err(error.to_owned())).await;
        }
        let end = {
            let mut data = run.data();
            let ended = data.ended.take();
            let (reason, error) = match event.outcome {
                SettledOutcome::Response(_) => (ExitReason::NoToolCalls, None),
                // rig tells only the words of its error.
                SettledOutcome::Error(error) if error.starts_with("reached the max turns limit") => {
                    (ExitReason::MaxIterations, Some(error.to_owned()))
                }
                SettledOutcome::Error(error) => (ended.unwrap_or(ExitReason::Error), Some(error.to_owned())),
            };
            let mut end = TurnEnd::new(reason);
            end.error = error;
            let mut rows = std::mem::take(&mut data.history);
            rows.extend_from_slice(event.messages.unwrap_or_default());
            data.mask(&mut rows);
            end.history = rows::messages(&rows);
            end
        };
        // The run is over: nothing that hooks answer can change it.
        let _ = self.hooks.fire(&run.cx, &end, ()).await;
    }
}
