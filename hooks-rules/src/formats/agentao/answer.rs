//! Answers of flat handlers, according to their documentation.

use serde_json::Value;

use crate::answer::{Answer, Fields, RuleDecision, RunStatus, first_line};
use crate::event::Event;
use crate::formats::json;

pub(super) fn read(event: Event, status: &RunStatus, stdout: &str, stderr: &str) -> Answer {
    let (code, ended) = match status {
        RunStatus::NotStarted(why) => return failed(format!("it could not be started: {why}")),
        RunStatus::TimedOut => return failed("it timed out".to_owned()),
        RunStatus::Exit(code) => (*code, format!("it exited with code {code}")),
        RunStatus::Signal(signal) => (1, format!("it was killed by signal {signal}")),
        RunStatus::Http(status) => (1, format!("it answered with status {status}")),
    };
    let text = stdout.trim_start_matches('\u{feff}').trim();
    // Checked before stdout: a Stop hook that writes to stderr continues the turn.
    if event == Event::Stop && code == 2 {
        let said = stderr.trim();
        let reason = if said.is_empty() { "A stop hook asked for the work to go on." } else { said };
        return Answer { decision: RuleDecision::Continue(reason.to_owned()), ..Answer::default() };
    }
    if code != 0 && text.is_empty() {
        return failed(format!("{ended}: {}", first_line(stderr)));
    }
    match object(text) {
        Some(object) => {
            let mut answer = match event {
                Event::UserPromptSubmit => prompt(&object),
                Event::PreToolUse => tool(&object),
                Event::Stop => stop(&object),
                Event::SessionStart | Event::PostToolUse | Event::PostToolUseFailure => context_answer(event, &object),
                _ => Answer::default(),
            };
            without_effect(event, &object, &mut answer);
            answer
        }
        _ if text.is_empty() => Answer::default(),
        // Text, or JSON that is not an object.
        _ if matches!(event, Event::UserPromptSubmit | Event::Stop) => {
            Answer { contexts: vec![text.to_owned()], ..Answer::default() }
        }
        _ => Answer::default(),
    }
}

/// The alternative spellings of each key.
const SPELLINGS: &[(&str, &[&str])] = &[
    ("blockingError", &["blocking_error", "hook_blocking_error"]),
    ("preventContinuation", &["prevent_continuation", "hook_stopped_continuation"]),
    ("stopReason", &["stop_reason"]),
    (
        "additionalContext",
        &["additional_context", "additional_contexts", "additionalContexts", "hook_additional_context"],
    ),
    ("suppressOutput", &["suppress_output"]),
    ("systemMessage", &["system_message"]),
    ("force_continue", &["forceContinue"]),
    ("follow_up_message", &["followUpMessage"]),
    ("hookSpecificOutput", &["hook_specific_output"]),
    ("permissionDecision", &["permission_decision"]),
    ("permissionDecisionReason", &["permission_decision_reason"]),
];

/// Keys without alternative spellings.
const OTHERS: &[&str] = &["continue", "decision", "reason"];

/// Parses a text as an object and normalises its keys. A record of an attachment, or a list of such records, is also an
/// answer.
fn object(text: &str) -> Option<Fields> {
    let said = match json::<Value>(text).ok()? {
        Value::Object(object) if object.contains_key("attachment_type") => of_records([object]),
        Value::Object(object) => object,
        Value::Array(records) => {
            let record = |record: Value| match record {
                Value::Object(record) if record.contains_key("attachment_type") => Some(record),
                _ => None,
            };
            let records: Option<Vec<Fields>> = records.into_iter().map(record).collect();
            of_records(records.filter(|records| !records.is_empty())?)
        }
        _ => return None,
    };
    Some(in_one_spelling(said))
}

fn in_one_spelling(mut object: Fields) -> Fields {
    for (key, others) in SPELLINGS {
        for other in *others {
            if let Some(value) = object.remove(*other) {
                object.entry(*key).or_insert(value);
            }
        }
    }
    if let Some(Value::Object(output)) = object.get_mut("hookSpecificOutput") {
        *output = in_one_spelling(std::mem::take(output));
    }
    object
}

/// Converts records, each with a type and a message.
fn of_records(records: impl IntoIterator<Item = Fields>) -> Fields {
    let mut said = Fields::new();
    for mut record in records {
        let message = ["message", "content", "text", "reason"].iter().find_map(|key| record.remove(*key));
        let message = message.unwrap_or_default();
        match record.get("attachment_type").and_then(Value::as_str) {
            // A blocking record without a message still blocks.
            Some("hook_blocking_error") => {
                let is_said = message.as_str().is_some_and(|text| !text.trim().is_empty());
                said.entry("blockingError").or_insert(if is_said { message } else { true.into() });
            }
            Some("hook_stopped_continuation") => {
                said.insert("preventContinuation".to_owned(), true.into());
                said.entry("stopReason").or_insert(message);
            }
            Some("hook_additional_context") => {
                let contexts = said.entry("additionalContext").or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(contexts) = contexts {
                    contexts.push(message);
                }
            }
            _ => {}
        }
    }
    said
}

/// Warns about an answer without any effect.
fn without_effect(event: Event, object: &Fields, answer: &mut Answer) {
    let observes = matches!(event, Event::SessionEnd | Event::PreCompact);
    let known = |key: &str| OTHERS.contains(&key) || SPELLINGS.iter().any(|(known, _)| *known == key);
    // A script that echoes its input did not mean it as an answer.
    let is_input = ["event", "data", "hook_event_name"].iter().any(|key| object.contains_key(*key));
    if !object.is_empty() && !is_input && (observes || !object.keys().any(|key| known(key))) {
        let listed = object.keys().take(5).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        answer.remarks.push(format!("the answer has {listed}, which have no effect at {event}"));
    }
}

fn failed(why: String) -> Answer {
    Answer { failure: Some(why), ..Answer::default() }
}

/// Precedence: blockingError > preventContinuation > additionalContext.
fn prompt(object: &Fields) -> Answer {
    let mut answer = Answer { contexts: contexts(object), ..Answer::default() };
    if let Some(reason) = blocking_error(object) {
        answer.decision = RuleDecision::Deny(reason);
    } else if let Some(reason) = prevented(object) {
        answer.stop = Some(reason);
    }
    answer
}

/// A denial in either spelling. An allow has no effect in this dialect, and context is recorded but not injected.
fn tool(object: &Fields) -> Answer {
    let mut answer = Answer::default();
    if let Some(reason) = blocking_error(object) {
        answer.decision = RuleDecision::Deny(reason);
        return answer;
    }
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    let said = |name: &str| output.and_then(|output| string(output, name));
    let reason = said("permissionDecisionReason").or_else(|| said("reason")).or_else(|| string(object, "reason"));
    let reason = reason.unwrap_or_default();
    answer.decision = match said("permissionDecision").as_deref() {
        Some("deny") => RuleDecision::Deny(reason),
        Some("ask") => RuleDecision::Ask(reason),
        _ => RuleDecision::None,
    };
    answer
}

/// At the start of a session and after a call: context, and feedback for the model.
fn context_answer(event: Event, object: &Fields) -> Answer {
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    let mut answer = Answer { contexts: contexts(object), stop: prevented(object), ..Answer::default() };
    answer.contexts.extend(output.map(contexts).unwrap_or_default());
    match (blocking_error(object), event) {
        // There is nothing to deny yet: the session stops at its first prompt.
        (Some(reason), Event::SessionStart) => answer.stop = Some(reason),
        (Some(reason), _) => answer.decision = RuleDecision::Feedback(reason),
        (None, _) => {}
    }
    answer
}

/// Precedence: an error, then ending the turn, then continuing it.
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
        answer.decision = RuleDecision::Deny(reason);
    } else if ends {
        answer.stop = Some(string(object, "stopReason").unwrap_or_default());
        // Ending the turn takes precedence. The reason to continue is kept as a remark.
        if let Some(reason) = goes_on(object) {
            answer.remarks.push(format!("`continue: false` ends the turn; the reason to go on was: {reason}"));
        }
    } else if let Some(reason) = prevented(object) {
        answer.stop = Some(reason);
    } else if let Some(reason) = goes_on(object) {
        answer.decision = RuleDecision::Continue(reason);
    }
    answer
}

/// `decision: block` with a reason, or `force_continue` with a message.
fn goes_on(object: &Fields) -> Option<String> {
    if object.get("force_continue") == Some(&Value::Bool(true)) {
        let follow_up = string(object, "follow_up_message").or_else(|| string(object, "stopReason"));
        return Some(follow_up.unwrap_or_else(|| "A stop hook asked for the work to go on.".to_owned()));
    }
    (string(object, "decision")? == "block").then(|| string(object, "reason")).flatten()
}

/// `blockingError`: a non-empty text, or true.
fn blocking_error(object: &Fields) -> Option<String> {
    match object.get("blockingError")? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Bool(true) => {
            Some(string(object, "reason").or_else(|| string(object, "stopReason")).unwrap_or_default())
        }
        _ => None,
    }
}

fn prevented(object: &Fields) -> Option<String> {
    let prevents = object.get("preventContinuation") == Some(&Value::Bool(true));
    prevents.then(|| string(object, "stopReason").unwrap_or_else(|| "a hook ended the turn".to_owned()))
}

/// `additionalContext`: a text or a list of texts.
fn contexts(object: &Fields) -> Vec<String> {
    let texts = match object.get("additionalContext") {
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
}

fn string(object: &Fields, name: &str) -> Option<String> {
    object.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
