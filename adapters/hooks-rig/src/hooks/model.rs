//! Prompts, calls to the model, and its answers.

use super::{CONTINUES, LIMIT, NOT_JUDGED, NOTICE, RigHooks, calls};
use hook_sdk::data::{Message, Messages, ModelAnswer, ModelRequest, Role};
use hook_sdk::hook::Hold;
use hook_sdk::kinds::{BeforeCreateMessage, PostModelCall, StreamDelta};
use hook_sdk::protocol::NextStep;
use rig_agent::agent::{HookContext as RigContext, ModelTurnAction, RunStart, RunStartAction};
use rig_core::completion::{CompletionRequest, CompletionResponse};
use rig_core::message::ToolCall as RigCall;

use crate::parked::{Next, Parked};
use crate::run::{Ended, ModelStep, Run};
use crate::{request, rows};

impl RigHooks {
    pub(super) async fn prompt(&self, run: &Run, event: RunStart<'_>) -> Result<RunStartAction, Ended> {
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

    pub(super) async fn request(
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
            data.output_tool = request::output_tool(request);
            data.inputs.clear();
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

    pub(super) fn judges_replies(&self) -> bool {
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
            let call = async |request, messages| {
                let answer = worker.work((request, messages)).await;
                answer.unwrap_or_else(|| Err("the call was given up".to_owned()))
            };
            hooks.model_call(&cx, request, &mut messages).continues(continues).run(call).await
        })
    }

    /// The answer as hooks left it, and what follows.
    pub(super) async fn answer(
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
        let identity = |call: &RigCall| (call.id.to_string(), call.function.name.to_string());
        let made: Vec<_> = calls(&response.choice).map(identity).collect();
        if !reply.tool_calls().map(|call| (call.id.clone(), call.name.clone())).eq(made.iter().cloned()) {
            return Err(OTHER_CALLS.into());
        }
        let inputs = calls(&response.choice).zip(reply.tool_calls());
        run.data().inputs =
            inputs.map(|(made, left)| (made.id.clone(), rows::input(made), left.input.clone())).collect();
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
        if !calls(&choice).map(identity).eq(made) {
            return Err(OTHER_CALLS.into());
        }
        if !calls(&choice).filter(is_output).eq(calls(&response.choice).filter(is_output)) {
            return Err(BY_TOOL.into());
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
}

/// Why a run stops in which hooks rewrote the call by which the model answers.
const BY_TOOL: &str = "a hook rewrote an answer that the model gave by a tool, and rig keeps it as it was";

const OTHER_CALLS: &str = "hooks left other calls than the model made, and rig cannot carry that";
