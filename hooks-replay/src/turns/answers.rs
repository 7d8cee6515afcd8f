//! A model, tools and an approver that only return recorded answers.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hook_sdk::HookContext;
use hook_sdk::data::{Block, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::inputs::{AnswerInput, ApprovalInput, ResultInput, TurnInputs};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::StoreFuture;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::{HarnessBuilder, Limits};

/// The recorded answers of a turn that were not used yet.
#[derive(Clone)]
struct RecordedAnswers(Arc<Mutex<Rest>>);

struct Rest {
    answers: VecDeque<AnswerInput>,
    results: Vec<ResultInput>,
    approvals: VecDeque<ApprovalInput>,
}

impl RecordedAnswers {
    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces everything external to a harness by recorded answers.
pub(super) fn recorded(harness: HarnessBuilder, inputs: &TurnInputs) -> HarnessBuilder {
    let rest = Rest {
        answers: inputs.answers.clone().into(),
        results: inputs.results.clone(),
        approvals: inputs.approvals.clone().into(),
    };
    let recorded = RecordedAnswers(Arc::new(Mutex::new(rest)));
    let tool = |spec: &ToolSpec| RecordedTool { spec: spec.clone(), recorded: recorded.clone() };
    let mut harness = harness.tools(inputs.tools.iter().map(tool)).limits(limits(inputs)).approver(recorded.clone());
    for spec in &inputs.bundled {
        harness = harness.bundled_tool(tool(spec));
    }
    for profile in &inputs.profiles {
        harness = harness.model(profile.as_str(), recorded.clone());
    }
    let plan = inputs.plan.clone();
    harness.preflight(move |_: &HookContext, _: &str, _: &_| plan.clone())
}

/// Timeouts do not apply: what was waited for is in the recording.
fn limits(inputs: &TurnInputs) -> Limits {
    let mut limits = inputs.limits.clone();
    (limits.turn, limits.retry_after, limits.approval) = (None, Duration::ZERO, Duration::ZERO);
    // Nobody reads the events.
    limits.events = Limits::default().events;
    limits
}

impl Model for RecordedAnswers {
    fn call<'a>(&'a self, _call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let said = self.rest().answers.pop_front();
            let said = said.ok_or_else(|| ModelError::Rejected("the recording ends here".to_owned()))?;
            if said.streamed {
                // In one piece, because the recording does not contain the pieces.
                deltas.text(&said.text);
                said.outcome.iter().flat_map(|answer| &answer.content).for_each(|block| stream(&deltas, block));
            }
            said.outcome.map_err(at_once)
        })
    }
}

fn stream(deltas: &Deltas<'_>, block: &Block) {
    match block {
        Block::Text(text) => deltas.text(&text.text),
        Block::ToolUse(call) => deltas.tool_input(&call.id, &call.name, &call.input.text()),
        _ => {}
    }
}

/// The same error without the provider's delay.
fn at_once(error: ModelError) -> ModelError {
    match error {
        ModelError::RateLimited { message, .. } => ModelError::rate_limited(message, Some(Duration::ZERO)),
        other => other,
    }
}

struct RecordedTool {
    spec: ToolSpec,
    recorded: RecordedAnswers,
}

impl Tool for RecordedTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        call: &'a ToolCall,
        _input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let results = &mut self.recorded.rest().results;
            let found = results.iter().position(|result| result.call == call.id && result.tool == call.name);
            let found = found.map(|at| results.remove(at).result);
            found
                .ok_or_else(|| ToolError::new(format!("this call of `{}` was not run when it was recorded", call.name)))
        })
    }
}

impl Approver for RecordedAnswers {
    fn approve<'a>(&'a self, _request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        let answer = self.rest().approvals.pop_front();
        Box::pin(async move {
            Ok(match answer {
                Some(ApprovalInput::Answered(answer)) => answer,
                Some(ApprovalInput::Panicked) => std::panic::resume_unwind(Box::new("as it was recorded")),
                Some(_late) => pending().await,
                None => Approval::No("this question was not asked when the turn was recorded".to_owned()),
            })
        })
    }
}
