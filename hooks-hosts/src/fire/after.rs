//! After a call.

use hook_sdk::data::{Block, ToolInput, ToolResult};
use hook_sdk::dispatch::Report;
use hook_sdk::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess};
use hook_sdk::{HookContext, HookSet};
use serde_json::Value;

use super::{gate, halted, said};
use crate::event::HostEvent;
use crate::shape;
use crate::table::HookPoint;
use crate::verdict::{HostDecision, HostVerdict};

/// What the model reads in place of a result that a hook has removed.
const REMOVED: &str = "(a hook has removed the result)";

/// Judges how a call has ended, and tells the hooks that only want to know.
pub(super) async fn call(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let (call, input, mut result) = (gate::of_event(event), input(event), seen(event));
    let mut ended = AfterToolCall::new(call.clone(), input.clone()).result(result.clone()).attempt(1_u32);
    let mut verdict = if event.kind == HookPoint::AfterToolCallFailure {
        result.is_error = true;
        let after = AfterToolCallFailure::new(call, input, result.text().into_owned());
        let fired = hooks.fire(cx, &after, result.clone()).await;
        said(fired, |fired| gathered(event, &result, fired.subject.as_ref(), &fired.report))
    } else {
        let fired = hooks.fire(cx, &AfterToolCallSuccess::new(call, input), result.clone()).await;
        said(fired, |fired| gathered(event, &result, fired.subject.as_ref(), &fired.report))
    };
    if hooks.has::<AfterToolCall>() {
        ended.error.clone_from(&event.error);
        let told = said(hooks.fire(cx, &ended, ()).await, |fired| HostVerdict::of(halted(&fired.report)));
        if verdict.decision == HostDecision::NoOpinion {
            verdict.decision = told.decision;
        }
        verdict.warnings.extend(told.warnings);
    }
    verdict
}

/// What the tool has run with.
fn input(event: &HostEvent) -> ToolInput {
    ToolInput::from(event.input.clone().unwrap_or_default())
}

/// The result as hooks see it: each text of it as one block.
fn seen(event: &HostEvent) -> ToolResult {
    let mut result = ToolResult::default();
    result.content = match (&event.result, &event.error) {
        (Some(result), _) => shape::blocks(result),
        (None, Some(error)) => vec![Block::from(error.clone())],
        (None, None) => Vec::new(),
    };
    result
}

fn gathered(event: &HostEvent, before: &ToolResult, after: Option<&ToolResult>, report: &Report) -> HostVerdict {
    let mut verdict = HostVerdict::of(halted(report));
    match after {
        None => verdict.result = Some(REMOVED.into()),
        Some(after) => {
            verdict.contexts.clone_from(&after.additional_context);
            if after.content != before.content {
                verdict.result = Some(replacement(event, before, after));
            }
        }
    }
    verdict
}

/// The result in the form that it had, if the hooks only changed its texts.
fn replacement(event: &HostEvent, before: &ToolResult, after: &ToolResult) -> Value {
    let alike = |(before, after): (&Block, &Block)| before.as_text().is_some() == after.as_text().is_some();
    let is_same = before.content.len() == after.content.len() && before.content.iter().zip(&after.content).all(alike);
    match &event.result {
        Some(result) if is_same => shape::put_back(result, &mut after.content.iter()),
        _ => after.text().into_owned().into(),
    }
}
