use std::sync::Arc;
use std::time::Duration;

use hook_sdk::data::{Block, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::{AfterToolCallFailure, AfterToolCallSuccess};
use hook_sdk::verdict::Halt;
use hook_sdk::{Hook, HookContext};
use serde_json::{Value, json};

use super::{BoxError, call, halt};
use crate::answer::{Answer, RuleDecision};
use crate::occurrence::Occurrence;
use crate::runner::{EventRules, RuleNote, RuleNotes, RulesError};
use crate::syntax::{Flaws, parse};

/// `PostToolUse`.
pub(super) fn success(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<AfterToolCallSuccess>(id).async_replacer(move |cx, event, result: ToolResult| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = occurrence(&rules, cx, &event.call, &event.input, event.duration);
            let tool = rules.shared.aliases.on_the_wire(&event.call.name);
            occurrence.set("tool_response", response(tool, &event.input, &result));
            let answer = rules.fire(cx, occurrence, Some(&event.call.name)).await;
            apply(&rules, cx, &event.call, result, answer)
        })
    })
}

/// `PostToolUseFailure`.
pub(super) fn failure(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<AfterToolCallFailure>(id).async_replacer(move |cx, event, result: ToolResult| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = occurrence(&rules, cx, &event.call, &event.input, event.duration);
            occurrence.set("error", middle_cut(&event.error)).set("is_interrupt", false);
            let answer = rules.fire(cx, occurrence, Some(&event.call.name)).await;
            apply(&rules, cx, &event.call, result, answer)
        })
    })
}

fn occurrence(rules: &EventRules, cx: &HookContext, call: &ToolCall, input: &ToolInput, took: Duration) -> Occurrence {
    let mut occurrence = rules.occurrence(cx);
    call::set_call(rules, &mut occurrence, call, input);
    occurrence.set("duration_ms", u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    occurrence
}

/// The output of a tool, in the format that scripts expect: a JSON value if the text is JSON, the format of the
/// contract for the shell and for written files, and text otherwise.
fn response(tool: &str, input: &Value, result: &ToolResult) -> Value {
    let text = result.text();
    match (unambiguous(&text), tool) {
        (Some(value @ (Value::Object(_) | Value::Array(_))), _) if tool != "Bash" || value.get("stdout").is_some() => {
            value
        }
        (_, "Bash") => json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": false }),
        (_, "Write") => json!({ "filePath": input.get("file_path"), "success": true }),
        _ => Value::String(text.into_owned()),
    }
}

/// The value of a text in which every reader of JSON finds the same. Of a key that stands there twice, a script would see one.
fn unambiguous(text: &str) -> Option<Value> {
    let mut flaws = Flaws::default();
    let node = parse(text, &mut flaws).ok()?;
    flaws.is_empty().then(|| node.value())
}

/// The replacement of a result: the blocks of MCP, a whole result of MCP, text, or the parts of the shell's output.
fn blocks(value: &Value) -> Vec<Block> {
    let text = |item: &Value| (item["type"] == "text").then(|| item["text"].as_str().map(str::to_owned))?;
    let items = value.get("content").filter(|content| content.is_array()).unwrap_or(value);
    let texts: Option<Vec<String>> = items.as_array().and_then(|items| items.iter().map(text).collect());
    let Some(mut texts) = texts.filter(|texts| !texts.is_empty()) else { return vec![Block::from(output(value))] };
    if let Some(structure) = value.get("structuredContent") {
        let says = |text: &String| serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structure);
        if !texts.iter().any(says) {
            texts.push(structure.to_string());
        }
    }
    texts.into_iter().map(Block::from).collect()
}

fn output(value: &Value) -> String {
    let part = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (value, part("stdout"), part("stderr")) {
        (Value::String(text), ..) => text.clone(),
        (_, Some(out), Some(err)) => format!("{out}\n{err}"),
        (_, Some(text), None) | (_, None, Some(text)) => text.to_owned(),
        _ => value.to_string(),
    }
}

fn apply(
    rules: &EventRules,
    cx: &HookContext,
    call: &ToolCall,
    mut result: ToolResult,
    answer: Result<Option<Answer>, RulesError>,
) -> Result<(ToolResult, Option<Halt>), BoxError> {
    let mut before = rules.shared.take_contexts(cx, &call.id);
    before.extend(rules.shared.take_wakes(cx));
    // Contexts from before the call must not get lost.
    let answer =
        if before.is_empty() { answer?.ok_or(NotSelected)? } else { answer.ok().flatten().unwrap_or_default() };
    if let Some(value) = answer.updated_output {
        result.content = blocks(&value);
    }
    let feedback = match answer.decision {
        RuleDecision::Feedback(why) | RuleDecision::Deny(why) => Some(reasoned(why)),
        _ => None,
    };
    let is_said = RuleNotes::say(cx, feedback.clone().map(RuleNote::Block));
    // Of a rule that failed, the result says it already.
    let feedback = feedback.filter(|why| !is_said && answer.withheld.as_ref() != Some(why));
    if let Some(why) = answer.withheld {
        result = ToolResult::error(format!("The result is not to be used, because a guard did not accept it: {why}"));
    }
    for text in before.into_iter().chain(feedback).chain(answer.contexts) {
        result.add_context(text);
    }
    let by = answer.by;
    Ok((result, answer.stop.map(|reason| halt(reason, by.as_ref()))))
}

/// A block without a reason is one all the same.
fn reasoned(reason: String) -> String {
    if reason.trim().is_empty() { "a rule does not accept this result, and gives no reason".to_owned() } else { reason }
}

/// At most 10,000 characters, with the middle removed.
fn middle_cut(text: &str) -> String {
    const HALF: usize = 5_000;
    let count = text.chars().count();
    if count <= 2 * HALF {
        return text.to_owned();
    }
    let (head, tail) = (text.chars().take(HALF), text.chars().skip(count - HALF));
    head.chain("\n[…]\n".chars()).chain(tail).collect()
}
