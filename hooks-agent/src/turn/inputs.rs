//! Keeping what a turn takes from outside of its hooks, where somebody wants to know.

use hooks_core::data::{Message, ToolCall, ToolResult};

use super::TurnLoop;
use super::result::CallOutcome;
use super::stream::CallStream;
use crate::approve::ApprovalAnswer;
use crate::inputs::{AnswerInput, ResultInput, TurnInputs};
use crate::model::{ModelAnswer, ModelError};
use crate::state::SessionState;
use crate::store::StoredConversation;

/// What is known before the first hook.
pub(super) fn begun(
    session: &SessionState,
    prompt: Option<&Message>,
    stored: Option<&StoredConversation>,
) -> Box<TurnInputs> {
    let rows = stored.iter().flat_map(|stored| &stored.rows);
    Box::new(TurnInputs {
        stored: rows.map(|row| row.message.clone()).collect::<Vec<_>>().into(),
        prompt: prompt.cloned(),
        system_prompt: session.system_prompt.clone(),
        channel: session.channel.clone(),
        profiles: session.harness.models.profiles(),
        profile: session.profile.clone(),
        limits: session.limits.clone(),
        tools: session.offered(),
        bundled: session.harness.tools.bundled().cloned().collect(),
        ..TurnInputs::default()
    })
}

impl TurnLoop {
    /// A model answered, or did not.
    pub(super) fn note_answer(&mut self, outcome: &Result<ModelAnswer, ModelError>, stream: &CallStream) {
        if let Some(inputs) = &mut self.inputs {
            let text = if outcome.is_err() { stream.heard() } else { String::new() };
            inputs.answers.push(AnswerInput { outcome: outcome.clone(), streamed: stream.last().is_some(), text });
        }
    }

    /// A tool or an agent was run.
    pub(super) fn note_result(&mut self, call: &ToolCall, outcome: &CallOutcome) {
        let Some(inputs) = &mut self.inputs else { return };
        let result = match outcome {
            CallOutcome::Succeeded(result) | CallOutcome::Failed(result) => result.clone(),
            CallOutcome::NotDone(why) => ToolResult::error(why.as_str()),
            CallOutcome::Refused(refusal) => ToolResult::error(refusal.message.as_str()),
        };
        inputs.results.push(ResultInput { call: call.id.clone(), tool: call.name.clone(), result });
    }

    /// Somebody was asked about a call.
    pub(super) fn note_approval(&mut self, answer: Option<&ApprovalAnswer>) {
        if let Some(inputs) = &mut self.inputs {
            inputs.approvals.push(answer.cloned());
        }
    }
}
