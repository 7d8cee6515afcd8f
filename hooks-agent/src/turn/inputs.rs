//! Collects the inputs of a turn, if there is a listener for them.

use hook_sdk::data::{Message, ToolCall, ToolResult};
use hook_sdk::verdict::Halt;

use super::TurnLoop;
use super::result::CallOutcome;
use super::stream::CallStream;
use super::tools::CallRun;
use crate::inputs::{AnswerInput, ApprovalInput, JoinedInput, ResultInput, Timing, TurnInputs, WaitingInput};
use crate::limits::Limits;
use crate::model::{ModelAnswer, ModelError};
use crate::request::TurnRequest;
use crate::state::SessionState;
use crate::store::StoredConversation;

/// The inputs that are known before the first hook.
pub(super) fn begun(
    session: &SessionState,
    asked: &TurnRequest,
    stored: Option<&StoredConversation>,
) -> Box<TurnInputs> {
    let rows = stored.iter().flat_map(|stored| &stored.rows);
    Box::new(TurnInputs {
        stored: rows.map(|row| row.message.clone()).collect::<Vec<_>>().into(),
        prompt: asked.message.clone(),
        trigger: asked.trigger.as_ref().unwrap_or(&session.trigger).clone(),
        hidden: asked.hidden,
        gated_by: session.asker.gated_by.clone(),
        system_prompt: session.system_prompt.clone(),
        contexts: session.contexts.iter().map(str::to_owned).collect(),
        channel: session.channel.clone(),
        dynamic_ui: session.dynamic_ui,
        allowed: session.asker.allowed.clone(),
        profiles: session.harness.models.profiles(),
        profile: session.profile.clone(),
        limits: limits(session),
        time: Timing::begin(),
        tools: session.offered(),
        bundled: session.harness.tools.bundled().cloned().collect(),
        ..TurnInputs::default()
    })
}

/// The limits of a turn, which are not above those of its callers.
fn limits(session: &SessionState) -> Limits {
    let mut limits = session.limits.clone();
    if let Some((calls, tokens)) = session.asker.budget.as_ref().map(|budget| budget.left()) {
        limits.iterations = limits.iterations.min(calls);
        if tokens < u64::MAX {
            limits.tokens = Some(limits.tokens.map_or(tokens, |own| own.min(tokens)));
        }
    }
    limits
}

impl TurnLoop {
    /// The beginning of a call. The clock is read only if somebody wants the inputs.
    pub(super) fn begin(&self) -> Timing {
        if self.inputs.is_some() { Timing::begin() } else { Timing::default() }
    }

    /// Adds the result of a model call.
    pub(super) fn note_answer(
        &mut self,
        outcome: &Result<ModelAnswer, ModelError>,
        stream: &CallStream,
        began: Timing,
    ) {
        if let Some(inputs) = &mut self.inputs {
            let text = if outcome.is_err() { stream.collected_text() } else { String::new() };
            let (outcome, streamed, time) = (outcome.clone(), stream.has_begun(), began.end());
            inputs.answers.push(AnswerInput { outcome, streamed, text, time });
        }
    }

    /// Adds the result of a tool or an agent.
    pub(super) fn note_result(&mut self, call: &ToolCall, run: &CallRun) {
        let Some(inputs) = &mut self.inputs else { return };
        let result = match &run.outcome {
            CallOutcome::Succeeded(result) | CallOutcome::Failed(result) => result.clone(),
            CallOutcome::NotDone(why) => ToolResult::error(why.as_str()),
            CallOutcome::Refused(refusal) => ToolResult::error(refusal.message.as_str()),
        };
        inputs.results.push(ResultInput {
            call: call.id.clone(),
            tool: call.name.clone(),
            result,
            usage: run.usage,
            halt: run.halt.as_ref().map(|halt| halt.reason.to_string()),
            waits: run.waits.clone(),
            failed: run.failed.clone(),
            time: run.time,
        });
    }

    /// The result of a call in a repeated turn, where a tool replaces an agent.
    pub(super) fn as_recorded(&self, call: &ToolCall, run: CallRun) -> CallRun {
        let recorded = self.asked.again.iter().flat_map(|again| &again.results);
        match recorded.into_iter().find(|result| result.call == call.id && result.tool == call.name) {
            Some(ResultInput { usage, halt, waits, failed, .. }) => CallRun {
                outcome: run.outcome,
                usage: *usage,
                halt: halt.as_deref().map(Halt::new),
                waits: waits.clone(),
                failed: failed.clone(),
                time: run.time,
            },
            None => run,
        }
    }

    /// Adds a message that joins the turn.
    pub(super) fn note_joined(&mut self, step: usize, message: &Message) {
        if let Some(inputs) = &mut self.inputs {
            inputs.joined.push(JoinedInput { step, message: message.clone() });
        }
    }

    /// Adds the calls that wait.
    pub(super) fn note_waiting(&mut self, waiting: &WaitingInput) {
        if let Some(inputs) = &mut self.inputs {
            inputs.waiting.held.extend(waiting.held.iter().cloned());
            inputs.waiting.agents.extend(waiting.agents.iter().cloned());
            inputs.waiting.agent_calls.extend(waiting.agent_calls.iter().cloned());
            inputs.waiting.taken.extend(waiting.taken.iter().cloned());
        }
    }

    /// Adds what the approver did.
    pub(super) fn note_approval(&mut self, answer: ApprovalInput) {
        if let Some(inputs) = &mut self.inputs {
            inputs.approvals.push(answer);
        }
    }
}
