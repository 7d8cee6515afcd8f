//! Answers of flat handlers, as their documentation has them.

use serde_json::Value;

use super::{Answer, Decision, Fields, RunStatus, first_line};
use crate::event::Event;

pub(super) fn read(event: Event, status: &RunStatus, stdout: &str, stderr: &str) -> Answer {
    let (code, ended) = match status {
        RunStatus::NotStarted(why) => return failed(format!("it could not be run: {why}")),
        RunStatus::TimedOut => return failed("it was not done in time".to_owned()),
        RunStatus::Exit(code) => (*code, format!("it left with code {code}")),
        RunStatus::Signal(signal) => (1, format!("it was killed by signal {signal}")),
        RunStatus::Http(status) => (1, format!("it answered with status {status}")),
    };
    let text = stdout.trim_start_matches('\u{feff}').trim();
    // Before stdout is looked at: a Stop hook that complains keeps the turn going.
    if event == Event::Stop && code == 2 {
        let said = stderr.trim();
        let reason = if said.is_empty() { "A stop hook asked for the work to go on." } else { said };
        return Answer { decision: Decision::Continue(reason.to_owned()), ..Answer::default() };
    }
    if code != 0 && text.is_empty() {
        return failed(format!("{ended}: {}", first_line(stderr)));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => match event {
            Event::UserPromptSubmit => prompt(&object),
            Event::PreToolUse => tool(&object),
            Event::Stop => stop(&object),
            _ => Answer::default(),
        },
        _ if text.is_empty() => Answer::default(),
        // Text, or JSON that is no object.
        _ if event == Event::UserPromptSubmit => Answer { contexts: vec![text.to_owned()], ..Answer::default() },
        _ => Answer::default(),
    }
}

fn failed(why: String) -> Answer {
    Answer { failure: Some(why), ..Answer::default() }
}

/// blockingError > preventContinuation > additionalContext.
fn prompt(object: &Fields) -> Answer {
    let mut answer = Answer { contexts: contexts(object), ..Answer::default() };
    if let Some(reason) = blocking_error(object) {
        answer.decision = Decision::Deny(reason);
    } else if let Some(reason) = prevented(object) {
        answer.stop = Some(reason);
    }
    answer
}

/// A refusal by either spelling. An allow is no decision here, and context is recorded and not injected.
fn tool(object: &Fields) -> Answer {
    let mut answer = Answer::default();
    if let Some(reason) = blocking_error(object) {
        answer.decision = Decision::Deny(reason);
        return answer;
    }
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    let said = |name: &str| output.and_then(|output| string(output, name));
    let reason = said("permissionDecisionReason").or_else(|| said("reason")).or_else(|| string(object, "reason"));
    let reason = reason.unwrap_or_default();
    answer.decision = match said("permissionDecision").as_deref() {
        Some("deny") => Decision::Deny(reason),
        Some("ask") => Decision::Ask(reason),
        _ => Decision::None,
    };
    answer
}

/// An error > an end > a wish to go on.
fn stop(object: &Fields) -> Answer {
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    let mut answer = Answer { contexts: output.map(contexts).unwrap_or_default(), ..Answer::default() };
    answer.contexts.extend(contexts(object));
    answer.suppress_output = object.get("suppressOutput") == Some(&Value::Bool(true));
    if let Some(message) = string(object, "systemMessage") {
        answer.contexts.push(message.clone());
        answer.messages.push(message);
    }
    let ends = object.get("continue") == Some(&Value::Bool(false));
    if let Some(reason) = blocking_error(object) {
        answer.decision = Decision::Deny(reason);
    } else if ends {
        answer.stop = Some(string(object, "stopReason").unwrap_or_default());
        // The end wins over the wish to go on, whose reason is kept.
        if let Some(reason) = goes_on(object) {
            answer.remarks.push(format!("`continue: false` ends the turn; the reason to go on was: {reason}"));
        }
    } else if let Some(reason) = prevented(object) {
        answer.stop = Some(reason);
    } else if let Some(reason) = goes_on(object) {
        answer.decision = Decision::Continue(reason);
    }
    answer
}

/// `decision: block` with a reason, or `force_continue` with its message.
fn goes_on(object: &Fields) -> Option<String> {
    if object.get("force_continue") == Some(&Value::Bool(true)) {
        let follow_up = string(object, "follow_up_message").or_else(|| string(object, "stopReason"));
        return Some(follow_up.unwrap_or_else(|| "A stop hook asked for the work to go on.".to_owned()));
    }
    (string(object, "decision")? == "block").then(|| string(object, "reason")).flatten()
}

/// `blockingError` or `hook_blocking_error`: a text that is not empty, or true.
fn blocking_error(object: &Fields) -> Option<String> {
    ["blockingError", "hook_blocking_error"].iter().find_map(|name| match object.get(*name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Bool(true) => {
            Some(string(object, "reason").or_else(|| string(object, "stopReason")).unwrap_or_default())
        }
        _ => None,
    })
}

fn prevented(object: &Fields) -> Option<String> {
    let prevents = ["preventContinuation", "hook_stopped_continuation"]
        .iter()
        .any(|name| object.get(*name) == Some(&Value::Bool(true)));
    prevents.then(|| string(object, "stopReason").unwrap_or_else(|| "a hook ended the turn".to_owned()))
}

/// `additionalContext` or `hook_additional_context`, a text or a list of texts.
fn contexts(object: &Fields) -> Vec<String> {
    let found = ["additionalContext", "hook_additional_context"].iter().filter_map(|name| object.get(*name));
    let texts = found.flat_map(|value| match value {
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    });
    texts.filter(|text| !text.trim().is_empty()).collect()
}

fn string(object: &Fields, name: &str) -> Option<String> {
    object.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
