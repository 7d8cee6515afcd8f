//! The hook of rig.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hook_sdk::data::{Block, Message, Messages, ModelAnswer, ModelRequest, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::{ExitReason, StreamChannel, StreamDelta, TurnEnd};
use hook_sdk::protocol::{Approval, NextStep, StepError, ToolQuestion};
use hook_sdk::verdict::Decision;
use hook_sdk::{HookContext, HookSet};
use rig_agent::agent::{
    AgentHook, DispatchAction, DispatchEvent, HookContext as RigContext, ModelTurnAction, ModelTurnFinished,
    ObservationAction, OutcomeAction, OutcomeEvent, RunSettled, RunStart, RunStartAction, SettledOutcome, TextDelta,
};
use rig_agent::tool::{ToolOutput, ToolResult as RigResult};
use rig_core::completion::{CompletionRequest, CompletionResponse};
use rig_core::effect::{EffectId, EffectKind, Outcome};
use rig_core::message::{AssistantContent, CallId, Message as Row, ToolCall as RigCall, ToolName};

use crate::parked::{Next, Parked};
use crate::request;
use crate::rows;
use crate::run::{ModelStep, Run, ToolStep};

/// The kind of the run's entries that hold what hooks say to the person.
pub const NOTICE: &str = "hook_notice";

type Ask = Arc<dyn Fn(ToolQuestion) -> BoxFuture<'static, Approval> + Send + Sync>;

/// A set of hooks as one hook of an agent: `AgentBuilder::add_hook(RigHooks::new(hooks))`. Add it last, so that the hooks
/// judge what the agent does.
#[derive(Clone)]
pub struct RigHooks {
    hooks: HookSet,
    cx: HookContext,
    ask: Option<Ask>,
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
        Self { hooks, cx: HookContext::new(), ask: None, id: SETS.fetch_add(1, Ordering::Relaxed) }
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
        self.cx = self.cx.to_builder().human_present(true).build();
        self.ask = Some(Arc::new(move |question| {
            let answer = ask(question);
            Box::pin(async move { answer.await.into() })
        }));
        self
    }

    fn run(&self, rig: &RigContext) -> Run {
        Run::of(self.id, rig, &self.cx)
    }

    async fn prompt(&self, run: &Run, event: RunStart<'_>) -> Result<RunStartAction, String> {
        let stored = rows::messages(event.history);
        let text = rows::prompt_text(event.prompt);
        let mut row = None;
        let step = self.hooks.prompt(&run.cx, text.as_str(), &stored);
        let messages = step.store(async |prompt: Message| row = Some(prompt)).await.map_err(ended)?;
        let Some(row) = row else { return Err("a hook removed the prompt".to_owned()) };
        if messages.get(..stored.len()) != Some(&stored[..]) {
            return Err("a hook rewrote the history at the prompt, and rig cannot keep that".to_owned());
        }
        let at = messages.iter().rposition(|message| *message == row).unwrap_or(stored.len());
        let contexts = messages.iter().enumerate().skip(stored.len()).filter(|(index, _)| *index != at);
        let contexts = contexts.map(|(_, message)| message.clone()).collect();
        let left = row.text();
        let prompt = if left == text { event.prompt.clone() } else { rows::with_text(event.prompt, &left) };
        let mut data = run.data();
        (data.contexts, data.prompt) = (contexts, Some(prompt.clone()));
        Ok(if left == text { RunStartAction::Continue } else { RunStartAction::Rewrite(prompt) })
    }

    async fn request(
        &self,
        run: &Run,
        request: &CompletionRequest,
        streams: bool,
    ) -> Result<CompletionRequest, String> {
        let parked = run.data().model.take();
        let (mut model, next) = match parked {
            // The call that `post_model_call` asked for.
            Some(ModelStep { rows, step, again: Some(again) }) => {
                (ModelStep { rows, step, again: None }, Next::Work(again))
            }
            _ => {
                let mut rows = request::split(&request.chat_history).1.to_vec();
                let (contexts, prompt) = {
                    let data = run.data();
                    for row in &mut rows {
                        if let Row::Assistant(turn) = row
                            && let Some((_, left)) = data.replies.iter().find(|(reply, _)| *reply == turn.content)
                        {
                            turn.content.clone_from(left);
                        }
                    }
                    (data.contexts.clone(), data.prompt.clone())
                };
                let messages = request::with_contexts(&rows, prompt.as_ref(), &contexts);
                let mut step = self.model_call(run, request::shown(request), messages);
                let next = step.next().await;
                (ModelStep { rows, step, again: None }, next)
            }
        };
        match next {
            Next::Work((left, messages)) => {
                let written = request::written(request, streams, &left, rows::rows(&model.rows, &messages)?)?;
                model.again = None;
                run.data().model = Some(model);
                Ok(written)
            }
            Next::End(Ok(_)) => Err("a hook answered in the model's place, and rig has no way to say so".to_owned()),
            Next::End(Err(end)) => Err(ended(end)),
        }
    }

    fn model_call(
        &self,
        run: &Run,
        request: ModelRequest,
        mut messages: Messages,
    ) -> Parked<(ModelRequest, Messages), Result<ModelAnswer, String>, Message> {
        let (hooks, cx) = (self.hooks.clone(), run.cx.clone());
        Parked::new(move |worker| async move {
            let worker = tokio::sync::Mutex::new(worker);
            let call = async |request, messages| {
                let answer = worker.lock().await.work((request, messages)).await;
                answer.unwrap_or_else(|| Err("the call was given up".to_owned()))
            };
            hooks.model_call(&cx, request, &mut messages).run(call).await
        })
    }

    /// The answer as hooks left it, and what follows.
    async fn answer(
        &self,
        run: &Run,
        rig: &RigContext,
        response: &CompletionResponse,
    ) -> Result<Option<CompletionResponse>, String> {
        let model = run.data().model.take();
        let Some(mut model) = model else { return Err("an answer came of a call that no hook has seen".to_owned()) };
        let answer = request::answer(response, rig.is_streaming());
        let reply = match model.step.resume(Ok(answer)).await {
            Next::Work(again) => {
                model.again = Some(again);
                let mut data = run.data();
                (data.model, data.next) = (Some(model), Some(ModelTurnAction::repeat()));
                return Ok(None);
            }
            Next::End(reply) => reply.map_err(ended)?,
        };
        let row = if reply.tool_calls().next().is_some() {
            self.hooks.store(&run.cx, reply, async |_| ()).await.map_err(ended)?
        } else {
            self.stop(run, rig, reply).await?
        };
        let choice = rows::parts(&response.choice, &row.content)?;
        if !calls(&choice).map(identity).eq(calls(&response.choice).map(identity)) {
            return Err("hooks left other calls than the model made, and rig cannot carry that".to_owned());
        }
        if choice == response.choice {
            return Ok(None);
        }
        // rig replaces no reply with calls.
        if calls(&choice).next().is_some() {
            run.data().replies.push((response.choice.clone(), choice));
            return Ok(None);
        }
        let mut left = response.clone();
        left.choice = choice;
        Ok(Some(left))
    }

    /// The final answer as hooks left it.
    async fn stop(&self, run: &Run, rig: &RigContext, reply: Message) -> Result<Message, String> {
        let mut continued = run.data().continued;
        let next = self.hooks.stop(&run.cx, reply, &mut continued).store(async |_| ()).await.map_err(ended)?;
        run.data().continued = continued;
        let (answer, notices) = match next {
            NextStep::End { answer, notices } => (answer, notices),
            NextStep::Continue { answer, follow_up, notices } => {
                let follow_up = self.hooks.store(&run.cx, follow_up, async |_| ()).await.map_err(ended)?;
                run.data().next = Some(ModelTurnAction::retry_with_feedback(follow_up.text()));
                (answer, notices)
            }
        };
        for notice in notices {
            rig.append_entry(NOTICE, &notice).map_err(|error| error.to_string())?;
        }
        Ok(answer)
    }

    async fn call(&self, run: &Run, event: DispatchEvent<'_>, name: &str, args: &str) -> DispatchAction {
        let id = event.call_id.map_or_else(|| event.id.to_string(), ToString::to_string);
        let made = {
            let data = run.data();
            let mut made = data.replies.iter().rev().flat_map(|(_, left)| calls(left));
            made.find(|call| Some(&call.id) == event.call_id).map(rows::input)
        };
        let given = ToolInput::parse(args);
        let call = ToolCall::new(id, name, made.unwrap_or_else(|| given.clone()));
        let mut step = self.tool_call(run, call.clone());
        match step.next().await {
            Next::Work(input) => {
                let action = if input == given {
                    DispatchAction::proceed()
                } else {
                    let args = input.text().into_owned();
                    DispatchAction::patch(EffectKind::ToolCall { name: name.to_owned(), args })
                };
                run.data().tools.insert(event.id, ToolStep::Runs(call, step));
                action
            }
            Next::End(Ok(result)) => {
                let reason = result.text().into_owned();
                run.data().tools.insert(event.id, ToolStep::Decided(call, result));
                DispatchAction::skip(reason)
            }
            Next::End(Err(end)) => DispatchAction::stop(ended(end)),
        }
    }

    fn tool_call(&self, run: &Run, call: ToolCall) -> Parked<ToolInput, ToolResult, ToolResult> {
        let (hooks, cx, ask) = (self.hooks.clone(), run.cx.clone(), self.ask.clone());
        Parked::new(move |mut worker| async move {
            let step = hooks.tool_call(&cx, &call).ask(|question: ToolQuestion| {
                let ask = ask.clone();
                async move {
                    match ask {
                        Some(ask) => ask(question).await,
                        None => Approval::No("There is nobody to ask".to_owned()),
                    }
                }
            });
            let run = async |input| match worker.work(input).await {
                Some(result) => result,
                None => ToolResult::error("the call was given up"),
            };
            step.run(run).await
        })
    }

    /// What the model reads of a call; `None` if it is what rig has.
    async fn result(&self, run: &Run, id: EffectId, result: Option<&RigResult>) -> Result<Option<RigResult>, String> {
        let step = run.data().tools.remove(&id);
        let (call, seen, left) = match (step, result) {
            (Some(ToolStep::Decided(call, result)), _) => (call, None, result),
            (Some(ToolStep::Runs(call, mut step)), result) => {
                let seen = match result {
                    Some(result) => shown(result),
                    None => ToolResult::error("the tool could not be called"),
                };
                match step.resume(seen.clone()).await {
                    Next::End(left) => (call, result.map(|_| seen), left.map_err(ended)?),
                    Next::Work(_) => return Err("a call wants to run twice".to_owned()),
                }
            }
            // Another hook of the agent refused it before this one.
            (None, Some(result)) if result.is_skipped() || result.is_refused() => return Ok(None),
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err("a call of a tool ran that no gate has seen".to_owned()),
        };
        let is_error = left.is_error;
        let messages = left.into_messages(&call);
        let [message] = &messages[..] else {
            return Err("a hook lets somebody else say a result, and rig cannot carry that".to_owned());
        };
        let row = self.hooks.store(&run.cx, message.clone(), async |_| ()).await.map_err(ended)?;
        let Some((Block::ToolResult(block), contexts)) = row.content.split_first() else {
            return Err("a hook made the row of a result something else".to_owned());
        };
        let content: Vec<Block> = block.content.iter().chain(contexts).cloned().collect();
        if seen.is_some_and(|seen| seen.content == content && seen.is_error == block.is_error) {
            return Ok(None);
        }
        let content = rows::parts(result.map(RigResult::output).map_or(&[], ToolOutput::as_content), &content)?;
        let output = ToolOutput::content(content).unwrap_or_else(|_| ToolOutput::text(""));
        Ok(Some(match result {
            Some(result) if result.is_success() != is_error => result.clone().with_output(output),
            _ if is_error => RigResult::skipped("").with_output(output),
            _ => RigResult::success(output),
        }))
    }

    async fn piece(&self, run: &Run, event: TextDelta<'_>) -> Result<(), String> {
        if !self.hooks.has::<StreamDelta>() {
            return Ok(());
        }
        let shown = event.aggregated.strip_suffix(event.delta).unwrap_or(event.aggregated);
        let mut delta = StreamDelta::new(StreamChannel::Text);
        delta.shown = Arc::new(shown.to_owned());
        delta.fresh = event.delta.chars().count();
        let fired =
            self.hooks.fire(&run.cx, &delta, event.delta.to_owned()).await.map_err(|error| error.to_string())?;
        if let Some(halt) = &fired.report.halt {
            return Err(halt.reason.to_string());
        }
        match fired.verdict.decide() {
            Decision::Run if fired.subject == event.delta => Ok(()),
            Decision::Run => Err("a hook rewrote a piece of the stream, and rig shows it as it comes".to_owned()),
            Decision::Refuse(denial) => Err(denial.reason.to_string()),
            // Nobody can be asked while the answer streams.
            Decision::Answer(_) | Decision::Ask(_) | Decision::Defer(_) => Err("a hook stopped the stream".to_owned()),
        }
    }
}

fn calls(content: &[AssistantContent]) -> impl Iterator<Item = &RigCall> {
    content.iter().filter_map(|part| match part {
        AssistantContent::ToolCall(call) => Some(call),
        _ => None,
    })
}

fn identity(call: &RigCall) -> (&CallId, &ToolName) {
    (&call.id, &call.function.name)
}

/// The result of a tool as hooks see it.
fn shown(result: &RigResult) -> ToolResult {
    let mut shown = ToolResult::default();
    shown.content = rows::blocks(result.output().as_content());
    shown.is_error = !result.is_success();
    shown
}

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn ended(end: StepError) -> String {
    end.to_string()
}

impl AgentHook for RigHooks {
    async fn on_run_start(&self, rig: &RigContext, event: RunStart<'_>) -> RunStartAction {
        let run = self.run(rig);
        self.prompt(&run, event).await.unwrap_or_else(RunStartAction::Stop)
    }

    async fn on_dispatch(&self, rig: &RigContext, event: DispatchEvent<'_>) -> DispatchAction {
        let run = self.run(rig);
        match event.kind {
            EffectKind::ToolCall { name, args } => self.call(&run, event, name, args).await,
            EffectKind::Completion { request, stream } => match self.request(&run, request, *stream).await {
                Ok(request) => DispatchAction::patch(EffectKind::Completion { request, stream: *stream }),
                Err(reason) => DispatchAction::stop(reason),
            },
            _ => DispatchAction::proceed(),
        }
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
            Err(reason) => OutcomeAction::stop(reason),
        }
    }

    async fn on_model_turn_finished(&self, rig: &RigContext, _event: ModelTurnFinished<'_>) -> ModelTurnAction {
        self.run(rig).data().next.take().unwrap_or(ModelTurnAction::Continue)
    }

    async fn on_text_delta(&self, rig: &RigContext, event: TextDelta<'_>) -> ObservationAction {
        match self.piece(&self.run(rig), event).await {
            Ok(()) => ObservationAction::Continue,
            Err(reason) => ObservationAction::Stop(reason),
        }
    }

    async fn on_run_settled(&self, rig: &RigContext, event: RunSettled<'_>) {
        let run = self.run(rig);
        let model = run.data().model.take();
        if let (Some(mut model), SettledOutcome::Error(error)) = (model, event.outcome) {
            // Hooks see the failure; the run is over whatever they say.
            let _ = model.step.resume(Err(error.to_owned())).await;
        }
        let (reason, error) = match event.outcome {
            SettledOutcome::Response(_) => (ExitReason::NoToolCalls, None),
            SettledOutcome::Error(error) => (ExitReason::Error, Some(error.to_owned())),
        };
        let mut end = TurnEnd::new(reason);
        end.error = error;
        end.history = rows::messages(event.messages.unwrap_or_default());
        // The run is over: nothing that hooks answer can change it.
        let _ = self.hooks.fire(&run.cx, &end, ()).await;
    }
}
