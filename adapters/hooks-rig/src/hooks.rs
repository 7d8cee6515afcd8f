//! The hook of rig.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use hook_sdk::data::{Block, Message, Messages, ModelAnswer, ModelRequest, Role, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::{BoxFuture, Hold};
use hook_sdk::kinds::{BeforeCreateMessage, ExitReason, PostModelCall, StreamChannel, StreamDelta, TurnEnd};
use hook_sdk::protocol::{Approval, NextStep, ToolQuestion};
use hook_sdk::verdict::Decision;
use hook_sdk::{HookContext, HookSet};
use rig_agent::agent::{
    AgentHook, DispatchAction, DispatchEvent, HookContext as RigContext, ModelTurnAction, ModelTurnFinished,
    ObservationAction, OutcomeAction, OutcomeEvent, ReasoningDelta, RunSettled, RunStart, RunStartAction,
    SettledOutcome, StepEventKind, TextDelta, ToolCallDelta,
};
use rig_agent::tool::{ToolOutput, ToolResult as RigResult};
use rig_core::completion::{CompletionRequest, CompletionResponse};
use rig_core::effect::{EffectId, EffectKind, MemoryOp, Outcome};
use rig_core::message::{AssistantContent, CallId, ToolCall as RigCall, ToolName};

use crate::parked::{Next, Parked};
use crate::request;
use crate::rows;
use crate::run::{Ended, ModelStep, Run, ToolStep};

/// The kind of the run's entries that hold what hooks say to the person.
pub const NOTICE: &str = "hook_notice";

/// How often hooks at `post_model_call` may ask for another answer.
const CONTINUES: u32 = 3;

/// How often hooks may continue a run at its end.
const LIMIT: u32 = 8;

type Ask = Arc<dyn Fn(ToolQuestion) -> BoxFuture<'static, Approval> + Send + Sync>;

/// A set of hooks as one hook of an agent: `AgentBuilder::add_hook(RigHooks::new(hooks))`. Add it last, so that the hooks
/// judge what the agent does.
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

    async fn prompt(&self, run: &Run, event: RunStart<'_>) -> Result<RunStartAction, Ended> {
        run.data().history = event.history.to_vec();
        let stored = rows::messages(event.history);
        let text = rows::prompt_text(event.prompt);
        let mut row = None;
        let step = self.hooks.prompt(&run.cx, text.as_str(), &stored);
        let messages = step.store(async |prompt: Message| row = Some(prompt)).await.map_err(Ended::at_prompt)?;
        let Some(row) = row else { return Err("a hook removed the prompt".into()) };
        if messages.get(..stored.len()) != Some(&stored[..]) {
            return Err("a hook rewrote the history at the prompt, and rig cannot keep that".into());
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
        rig: &RigContext,
        request: &CompletionRequest,
        streams: bool,
    ) -> Result<CompletionRequest, Ended> {
        if streams && self.hooks.hold::<StreamDelta>() != Hold::NOTHING {
            return Err("a hook holds pieces of a stream back, and rig shows them as they come".into());
        }
        let (parked, undelivered) = {
            let mut data = run.data();
            (data.is_masked, data.output_tool) = (false, request::output_tool(request));
            data.streamed.clear();
            (data.model.take(), data.next.take())
        };
        let (model, next) = match parked {
            Some(ModelStep { again: None, .. }) if self.judges_replies() => return Err(NOT_JUDGED.into()),
            // The call that `post_model_call` asked for, unless another hook of the agent asked for one first.
            Some(ModelStep { rows, step, again: Some(again) }) if undelivered.is_none() => {
                (ModelStep { rows, step, again: None }, Next::Work(again))
            }
            _ => {
                let mut rows = request::split(&request.chat_history).1.to_vec();
                rows.splice(0..0, request.normalized_documents());
                let (contexts, prompt) = {
                    let data = run.data();
                    data.mask(&mut rows);
                    (data.contexts.clone(), data.prompt.clone())
                };
                let messages = request::with_contexts(&rows, prompt.as_ref(), &contexts);
                let left = u32::try_from(self.max_turns.saturating_sub(rig.turn())).unwrap_or(CONTINUES);
                let mut step = self.model_call(run, request::shown(request), messages, left.min(CONTINUES));
                let next = step.next().await;
                (ModelStep { rows, step, again: None }, next)
            }
        };
        match next {
            Next::Work((left, messages)) => {
                let written = request::written(request, streams, &left, rows::rows(&model.rows, &messages)?)?;
                run.data().model = Some(model);
                Ok(written)
            }
            Next::End(Ok(_)) => Err("a hook answered in the model's place, and rig has no way to say so".into()),
            Next::End(Err(end)) => Err(end.into()),
        }
    }

    fn judges_replies(&self) -> bool {
        self.hooks.has::<PostModelCall>() || self.hooks.has::<BeforeCreateMessage>()
    }

    fn model_call(
        &self,
        run: &Run,
        request: ModelRequest,
        mut messages: Messages,
        continues: u32,
    ) -> Parked<(ModelRequest, Messages), Result<ModelAnswer, String>, Message> {
        let (hooks, cx) = (self.hooks.clone(), run.cx.clone());
        Parked::new(move |worker| async move {
            let worker = tokio::sync::Mutex::new(worker);
            let call = async |request, messages| {
                let answer = worker.lock().await.work((request, messages)).await;
                answer.unwrap_or_else(|| Err("the call was given up".to_owned()))
            };
            hooks.model_call(&cx, request, &mut messages).continues(continues).run(call).await
        })
    }

    /// The answer as hooks left it, and what follows.
    async fn answer(
        &self,
        run: &Run,
        rig: &RigContext,
        response: &CompletionResponse,
    ) -> Result<Option<CompletionResponse>, Ended> {
        let (model, output_tool) = {
            let mut data = run.data();
            (data.model.take(), data.output_tool.take())
        };
        let Some(mut model) = model else { return Err("an answer came of a call that no hook has seen".into()) };
        let mut answer = request::answer(response, rig.is_streaming());
        let mut given = answer.clone().into_message([]);
        rows::name_calls(&mut given.content, &response.choice);
        self.judge_rest(run, &response.choice, &mut answer.content).await?;
        let mut reply = match model.step.resume(Ok(answer)).await {
            Next::Work(again) => {
                model.again = Some(again);
                let mut data = run.data();
                (data.model, data.next) = (Some(model), Some((ModelTurnAction::repeat(), data.continued)));
                return Ok(None);
            }
            Next::End(reply) => reply?,
        };
        rows::name_calls(&mut reply.content, &response.choice);
        let is_last = rig.turn() >= self.max_turns;
        let row = if reply.tool_calls().next().is_some() {
            self.hooks.store(&run.cx, reply, async |_| ()).await?
        } else {
            self.stop(run, rig, reply, is_last).await?
        };
        let is_output = |call: &&RigCall| output_tool.as_deref() == Some(call.function.name.as_str());
        if let Some(output) = calls(&response.choice).find(is_output) {
            // rig makes this text of it. It repeats no turn with calls.
            let text = Message::new(Role::Assistant, rows::input(output).text().into_owned());
            if self.stop(run, rig, text.clone(), true).await?.content != text.content {
                return Err(BY_TOOL.into());
            }
        }
        // Also without blocks that are empty, which a step drops.
        if row.content == given.content {
            return Ok(None);
        }
        let choice = rows::parts(&response.choice, &row.content)?;
        if !calls(&choice).map(identity).eq(calls(&response.choice).map(identity)) {
            return Err("hooks left other calls than the model made, and rig cannot carry that".into());
        }
        if !calls(&choice).filter(is_output).eq(calls(&response.choice).filter(is_output)) {
            return Err(BY_TOOL.into());
        }
        // rig replaces no reply with calls.
        if calls(&choice).next().is_some() {
            let mut data = run.data();
            data.replies.push((response.choice.clone(), choice));
            data.is_masked = true;
            return Ok(None);
        }
        let mut left = response.clone();
        left.choice = choice;
        Ok(Some(left))
    }

    /// The final answer as hooks left it. In the last turn, it stands.
    async fn stop(&self, run: &Run, rig: &RigContext, reply: Message, is_last: bool) -> Result<Message, Ended> {
        let mut continued = run.data().continued;
        let step = self.hooks.stop(&run.cx, reply, &mut continued).limit(if is_last { 0 } else { LIMIT });
        let (answer, notices) = match step.store(async |_| ()).await? {
            NextStep::End { answer, notices } => (answer, notices),
            NextStep::Continue { answer, follow_up, notices } => {
                let follow_up = self.hooks.store(&run.cx, follow_up, async |_| ()).await?;
                run.data().next = Some((ModelTurnAction::retry_with_feedback(follow_up.text()), continued));
                (answer, notices)
            }
        };
        for notice in notices {
            rig.append_entry(NOTICE, &notice).map_err(|error| error.to_string())?;
        }
        Ok(answer)
    }

    async fn call(&self, run: &Run, event: DispatchEvent<'_>, name: &str, args: &str) -> DispatchAction {
        if run.data().model.is_some() && self.judges_replies() {
            return DispatchAction::stop(run.end(NOT_JUDGED.into()));
        }
        let id = event.call_id.map_or_else(|| event.id.to_string(), ToString::to_string);
        let given = ToolInput::parse(args);
        // The arguments as the model made them, and as hooks left them in a reply that they changed.
        let made: Vec<(ToolInput, ToolInput)> = {
            let data = run.data();
            let reply = data.replies.last().filter(|_| data.is_masked);
            let made = reply.into_iter().flat_map(|(made, left)| calls(made).zip(calls(left)));
            made.filter(|(made, _)| Some(&made.id) == event.call_id)
                .map(|(made, left)| (rows::input(made), rows::input(left)))
                .collect()
        };
        let input = match made.iter().find(|(made, _)| *made == given) {
            Some((_, left)) => left.clone(),
            // Another hook of the agent rewrote them; the gates judge its version.
            None if made.iter().all(|(made, left)| made == left || *left == given) => given.clone(),
            None => {
                return DispatchAction::skip("two hooks of the agent rewrote the arguments of this call differently");
            }
        };
        let call = ToolCall::new(id, name, input);
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
            Next::End(Err(end)) => DispatchAction::stop(run.end(end.into())),
        }
    }

    fn tool_call(&self, run: &Run, call: ToolCall) -> Parked<ToolInput, ToolResult, ToolResult> {
        let (hooks, cx, ask) = (self.hooks.clone(), run.cx.clone(), self.ask.clone());
        Parked::new(move |mut worker| async move {
            let step = hooks.tool_call(&cx, &call).ask(|question: ToolQuestion| answer_of(ask.clone(), question));
            let run = async |input| match worker.work(input).await {
                Some(result) => result,
                None => ToolResult::error("the call was given up"),
            };
            step.run(run).await
        })
    }

    /// What the model reads of a call; `None` if it is what rig has.
    async fn result(&self, run: &Run, id: EffectId, result: Option<&RigResult>) -> Result<Option<RigResult>, Ended> {
        let step = run.data().tools.remove(&id);
        let (call, seen, left) = match (step, result) {
            (Some(ToolStep::Decided(call, result)), _) => (call, None, result),
            (Some(ToolStep::Runs(call, mut step)), result) => {
                let seen = match result {
                    Some(result) => shown(result),
                    None => ToolResult::error("the tool could not be called"),
                };
                match step.resume(seen.clone()).await {
                    Next::End(left) => (call, result.map(|_| seen), left?),
                    Next::Work(_) => return Err("a call wants to run twice".into()),
                }
            }
            // Another hook of the agent refused it before this one.
            (None, Some(result)) if result.is_skipped() || result.is_refused() => return Ok(None),
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err("a call of a tool ran that no gate has seen".into()),
        };
        let is_error = left.is_error;
        let messages = left.into_messages(&call);
        let [message] = &messages[..] else {
            return Err("a hook lets somebody else say a result, and rig cannot carry that".into());
        };
        let row = self.hooks.store(&run.cx, message.clone(), async |_| ()).await?;
        let Some((Block::ToolResult(block), contexts)) = row.content.split_first() else {
            return Err("a hook made the row of a result something else".into());
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

    /// Passes a piece of a stream to hooks before rig shows it.
    async fn piece(
        &self,
        rig: &RigContext,
        channel: StreamChannel,
        piece: &str,
        aggregated: &str,
    ) -> ObservationAction {
        if !self.hooks.has::<StreamDelta>() {
            return ObservationAction::Continue;
        }
        let run = self.run(rig);
        let shown = aggregated.strip_suffix(piece).unwrap_or(aggregated);
        {
            let streamed = &mut run.data().streamed;
            match streamed.iter_mut().find(|(of, text)| *of == channel && text == shown) {
                Some((_, text)) => aggregated.clone_into(text),
                None => streamed.push((channel.clone(), aggregated.to_owned())),
            }
        }
        let delta = StreamDelta::new(channel).shown(Arc::new(shown.to_owned())).fresh(piece.chars().count());
        let reason = match self.judge(&run, &delta, piece).await {
            Ok(left) if left == piece => return ObservationAction::Continue,
            Ok(_) => "a hook rewrote a piece of the stream, and rig shows it as it comes".into(),
            Err(ended) => ended,
        };
        ObservationAction::Stop(run.end(reason))
    }

    /// Passes to hooks what they have not seen of an answer in pieces. The answer then has the text that they left.
    async fn judge_rest(&self, run: &Run, choice: &[AssistantContent], content: &mut Vec<Block>) -> Result<(), Ended> {
        if !self.hooks.has::<StreamDelta>() {
            return Ok(());
        }
        let text: String = content.iter().filter_map(Block::as_text).collect();
        let rest = choice.iter().filter_map(|part| match part {
            AssistantContent::Reasoning(thought) => Some((StreamChannel::Thinking, thought.text.clone())),
            AssistantContent::ToolCall(call) => Some((StreamChannel::Input, rows::input(call).text().into_owned())),
            _ => None,
        });
        let streamed = std::mem::take(&mut run.data().streamed);
        for (channel, text) in std::iter::once((StreamChannel::Text, text)).chain(rest) {
            // The same input can be written in several ways.
            let is_same = |piece: &str| {
                piece == text || channel == StreamChannel::Input && ToolInput::parse(piece) == ToolInput::parse(&*text)
            };
            if text.is_empty() || streamed.iter().any(|(of, piece)| *of == channel && is_same(piece)) {
                continue;
            }
            let delta = StreamDelta::new(channel.clone()).fresh(text.chars().count()).last(true);
            let mut left = self.judge(run, &delta, &text).await?;
            if left == text {
                continue;
            }
            if channel != StreamChannel::Text {
                return Err(format!("a hook at `stream_delta` rewrote `{channel}`, and rig cannot carry that").into());
            }
            content.retain_mut(|block| match block {
                Block::Text(block) => {
                    block.text = std::mem::take(&mut left);
                    !block.text.is_empty()
                }
                _ => true,
            });
        }
        Ok(())
    }

    /// The text as hooks at `stream_delta` left it.
    async fn judge(&self, run: &Run, delta: &StreamDelta, text: &str) -> Result<String, Ended> {
        let fired = self.hooks.fire(&run.cx, delta, text.to_owned()).await.map_err(|error| error.to_string())?;
        if let Some(halt) = &fired.report.halt {
            return Err(Ended::because(ExitReason::Halted, halt.reason.to_string()));
        }
        match fired.verdict.decide() {
            Decision::Run => Ok(fired.subject),
            Decision::Refuse(denial) => Err(Ended::because(ExitReason::AnswerBlocked, denial.reason.to_string())),
            // Nobody can be asked while the answer streams.
            Decision::Answer(_) | Decision::Ask(_) | Decision::Defer(_) => {
                Err(Ended::because(ExitReason::AnswerBlocked, "a hook stopped the stream".to_owned()))
            }
        }
    }
}

/// Why a run stops in which another hook of the agent repaired, skipped or retried a call that rig refuses.
const NOT_JUDGED: &str = "another hook of the agent took care of an invalid call, and rig showed that reply to no hook";

/// Why a run stops in which hooks rewrote the call by which the model answers.
const BY_TOOL: &str = "a hook rewrote an answer that the model gave by a tool, and rig keeps it as it was";

/// What the approver answers. One that panics has not agreed.
async fn answer_of(ask: Option<Ask>, question: ToolQuestion) -> Approval {
    let Some(ask) = ask else { return Approval::No("There is nobody to ask".to_owned()) };
    let mut answer = pin!(async move { ask(question).await });
    poll_fn(|cx| {
        catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx)))
            .unwrap_or_else(|_| Poll::Ready(Approval::No("What answers questions has failed".to_owned())))
    })
    .await
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

impl AgentHook for RigHooks {
    async fn on_run_start(&self, rig: &RigContext, event: RunStart<'_>) -> RunStartAction {
        let run = self.run(rig);
        self.prompt(&run, event).await.unwrap_or_else(|ended| RunStartAction::Stop(run.end(ended)))
    }

    async fn on_dispatch(&self, rig: &RigContext, event: DispatchEvent<'_>) -> DispatchAction {
        let run = self.run(rig);
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
