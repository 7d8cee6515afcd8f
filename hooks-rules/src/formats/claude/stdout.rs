//! Classifies stdout.

use serde_json::{Map, Value};

use crate::formats::json;

/// The kind of output.
#[derive(Debug, PartialEq)]
pub(super) enum Stdout {
    Nothing,
    /// An answer in JSON.
    Json(Map<String, Value>),
    /// An invalid answer, with the reason.
    Broken(String),
    Text(String),
    /// The command continues in the background. The rest of the output is not read.
    GoesOnAlone,
}

const ANSWER_FIELDS: &[&str] = &[
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "terminalSequence",
    "decision",
    "reason",
    "hookSpecificOutput",
    "async",
];

/// Keys that existing scripts use but no documentation mentions.
const UNDOCUMENTED: &[&str] = &["metrics", "rewakeSummary", "asyncTimeout"];

pub(super) fn read(stdout: &str) -> Stdout {
    let text = stdout.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Stdout::Nothing;
    }
    if text.lines().next().is_some_and(goes_on_alone) {
        return Stdout::GoesOnAlone;
    }
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Stdout::Text(text.to_owned());
    }
    match json::<Value>(text) {
        Ok(Value::Object(answer)) if answer.get("async") == Some(&Value::Bool(true)) => Stdout::GoesOnAlone,
        Ok(Value::Object(answer)) => Stdout::Json(answer),
        Ok(_) => Stdout::Text(text.to_owned()),
        Err(error) => lines(text).unwrap_or_else(|| {
            Stdout::Broken(format!("stdout looks like an answer in JSON but is not valid: {error}"))
        }),
    }
}

/// Whether an object has none of the keys of an answer.
pub(super) fn says_nothing(object: &Map<String, Value>) -> bool {
    let means_something = |key: &String| ANSWER_FIELDS.contains(&key.as_str()) || UNDOCUMENTED.contains(&key.as_str());
    !object.is_empty() && !object.keys().any(means_something)
}

/// Whether a text contains an object that was probably meant as an answer.
pub(super) fn holds_an_answer(text: &str) -> bool {
    let (Some(from), Some(to)) = (text.find('{'), text.rfind('}')) else { return false };
    let object = text.get(from..=to).and_then(|object| json::<Map<String, Value>>(object).ok());
    object.is_some_and(|object| !says_nothing(&object) && !object.is_empty())
}

/// Whether a first line moves the command to the background.
pub(crate) fn goes_on_alone(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('{')
        && json::<Map<String, Value>>(line).is_ok_and(|answer| answer.get("async") == Some(&Value::Bool(true)))
}

/// Several lines with one object each: text, unless one of them was meant as an answer.
fn lines(text: &str) -> Option<Stdout> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let objects: Option<Vec<Map<String, Value>>> = lines.by_ref().map(|line| json(line).ok()).collect();
    let meant = objects?.iter().any(|object| ANSWER_FIELDS.iter().any(|field| object.contains_key(*field)));
    Some(if meant {
        Stdout::Broken("stdout has several JSON objects, one of which is an answer; print one object".to_owned())
    } else {
        Stdout::Text(text.to_owned())
    })
}
