use std::sync::Arc;
use std::time::Duration;

use hooks_core::data::{ToolCall, ToolInput, ToolResult};
use hooks_core::kinds::{AfterToolCallFailure, AfterToolCallSuccess};
use hooks_core::verdict::Halt;
use hooks_core::{Hook, HookContext};
use serde_json::Value;

use super::call;
use crate::answer::{Answer, Decision};
use crate::firing::{Firing, RulesFailed};
use crate::stdin::Occurrence;

/// `PostToolUse`.
pub(super) fn success(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::at::<AfterToolCallSuccess>(id).async_replacer(move |cx, event, result: ToolResult| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = occurrence(&firing, cx, &event.call, &event.input, event.duration);
            occurrence.set("tool_response", response(&result));
            let answer = firing.fire(occurrence, Some(&event.call.name)).await;
            apply(&firing, cx, &event.call, result, answer)
        })
    })
}

/// `PostToolUseFailure`.
pub(super) fn failure(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::at::<AfterToolCallFailure>(id).async_replacer(move |cx, event, result: ToolResult| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = occurrence(&firing, cx, &event.call, &event.input, event.duration);
            occurrence.set("error", middle_cut(&event.error)).set("is_interrupt", false);
            let answer = firing.fire(occurrence, Some(&event.call.name)).await;
            apply(&firing, cx, &event.call, result, answer)
        })
    })
}

fn occurrence(firing: &Firing, cx: &HookContext, call: &ToolCall, input: &ToolInput, took: Duration) -> Occurrence {
    let mut occurrence = firing.occurrence(cx);
    call::tell(firing, &mut occurrence, call, input);
    occurrence.set("duration_ms", u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    occurrence
}

/// What the tool answered: the value where its text is one in JSON, and the text otherwise.
fn response(result: &ToolResult) -> Value {
    let text = result.text();
    match serde_json::from_str(&text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
        _ => Value::String(text.into_owned()),
    }
}

fn apply(
    firing: &Firing,
    cx: &HookContext,
    call: &ToolCall,
    mut result: ToolResult,
    answer: Result<Answer, RulesFailed>,
) -> Result<(ToolResult, Option<Halt>), RulesFailed> {
    let before = firing.shared.take_contexts(cx, &call.id);
    // What was said before the call must not be lost with it.
    let answer = if before.is_empty() { answer? } else { answer.unwrap_or_default() };
    if let Some(output) = answer.updated_output {
        let text = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
        result.content = vec![hooks_core::data::Block::from(text)];
    }
    let feedback = match answer.decision {
        Decision::Feedback(reason) | Decision::Deny(reason) => Some(reason),
        _ => None,
    };
    for text in before.into_iter().chain(feedback).chain(answer.contexts) {
        result.add_context(text);
    }
    Ok((result, answer.stop.map(Halt::new)))
}

/// At most 10,000 characters, the middle left out.
fn middle_cut(text: &str) -> String {
    const HALF: usize = 5_000;
    let count = text.chars().count();
    if count <= 2 * HALF {
        return text.to_owned();
    }
    let (head, tail) = (text.chars().take(HALF), text.chars().skip(count - HALF));
    head.chain("\n[…]\n".chars()).chain(tail).collect()
}
