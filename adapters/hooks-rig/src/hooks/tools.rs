//! Calls of tools, and their results.

use super::{Ask, NOT_JUDGED, RigHooks};
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use hook_sdk::data::{Block, ToolCall, ToolInput, ToolResult};
use hook_sdk::protocol::{Approval, ToolQuestion};
use rig_agent::agent::{DispatchAction, DispatchEvent};
use rig_agent::tool::{ToolOutput, ToolResult as RigResult};
use rig_core::effect::{EffectId, EffectKind};

use crate::parked::{Next, Parked};
use crate::rows;
use crate::run::{Ended, Run, ToolStep};

impl RigHooks {
    pub(super) async fn call(&self, run: &Run, event: DispatchEvent<'_>, name: &str, args: &str) -> DispatchAction {
        if run.data().model.is_some() && self.judges_replies() {
            return DispatchAction::stop(run.end(NOT_JUDGED.into()));
        }
        let id = event.call_id.map_or_else(|| event.id.to_string(), ToString::to_string);
        let given = ToolInput::parse(args);
        let mut inputs = run.data().inputs.clone();
        inputs.retain(|(id, ..)| Some(id) == event.call_id);
        let input = match inputs.iter().find(|(_, made, _)| *made == given) {
            Some((.., left)) => left.clone(),
            // Another hook of the agent rewrote them; the gates judge its version.
            None if inputs.iter().all(|(_, made, left)| made == left || *left == given) => given.clone(),
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
        Parked::new(move |worker| async move {
            let step = hooks.tool_call(&cx, &call).ask(|question: ToolQuestion| answer_of(ask.clone(), question));
            let run = async |input| match worker.work(input).await {
                Some(result) => result,
                None => ToolResult::error("the call was given up"),
            };
            step.run(run).await
        })
    }

    /// What the model reads of a call; `None` if it is what rig has.
    pub(super) async fn result(
        &self,
        run: &Run,
        id: EffectId,
        result: Option<&RigResult>,
    ) -> Result<Option<RigResult>, Ended> {
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
}

/// What the approver answers. One that panics has not agreed.
async fn answer_of(ask: Option<Ask>, question: ToolQuestion) -> Approval {
    let Some(ask) = ask else { return Approval::No("There is nobody to ask".to_owned()) };
    let answer = AssertUnwindSafe(async move { ask(question).await }).catch_unwind().await;
    answer.unwrap_or_else(|_| Approval::No("What answers questions has failed".to_owned()))
}

/// The result of a tool as hooks see it.
fn shown(result: &RigResult) -> ToolResult {
    let mut shown = ToolResult::default();
    shown.content = rows::blocks(result.output().as_content());
    shown.is_error = !result.is_success();
    shown
}
