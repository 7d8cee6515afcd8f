//! Checks the masks on a hundred recorded conversations, if these are present.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests unwrap to assert, and print why they are skipped")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::support;
use airline_desk::desk::Desk;
use airline_desk::summary::Summary;
use hook_sdk::data::ToolInput;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::scope::AgentDef;
use hook_sdk::{Hook, HookContext, Registry};
use regex::Regex;
use serde_json::{Value, json};

/// The recording is next to the workspace, and not part of it.
fn recording() -> Option<Vec<u8>> {
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/airline-trajectories.jsonl"));
    let read = std::fs::read(&file).ok();
    if read.is_none() {
        println!("skipped: {} does not exist", file.display());
    }
    read
}

/// Counts over every message: its content, and the arguments of its calls as text.
///
/// A date in digits is `\b\d{4}-\d{2}-\d{2}\b` in the strings after the line's JSON is decoded. A timestamp such as
/// `2024-05-13T19:11:23` is not one by this rule, because `T` continues the word; timestamps are counted separately.
#[derive(Debug, Default, PartialEq)]
struct Count {
    messages: usize,
    emails: usize,
    birth_dates: usize,
    birth_dates_in_words: usize,
    other_dates: Vec<String>,
    other_dates_in_words: Vec<String>,
    timestamps: Vec<String>,
}

fn count(transcripts: &[Value]) -> Count {
    let emails = Regex::new(r"[\w.+-]+@[\w-]+\.[\w.-]+").unwrap();
    let dates = Regex::new(r"\b(\d{4})-\d{2}-\d{2}\b").unwrap();
    let in_words = Regex::new(r"(?:April|May|October) \d{1,2}, (\d{4})").unwrap();
    let timestamps = Regex::new(r"\b\d{4}-\d{2}-\d{2}T[\d:]+").unwrap();
    let mut count = Count::default();
    for message in messages(transcripts) {
        count.messages += 1;
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        let texts = calls.map(|call| &call["function"]["arguments"]).chain([&message["content"]]);
        for text in texts.filter_map(Value::as_str) {
            count.emails += emails.find_iter(text).count();
            for date in dates.captures_iter(text) {
                if &date[1] <= "2001" { count.birth_dates += 1 } else { count.other_dates.push(date[0].to_owned()) }
            }
            for date in in_words.captures_iter(text) {
                if &date[1] <= "2001" {
                    count.birth_dates_in_words += 1;
                } else {
                    count.other_dates_in_words.push(date[0].to_owned());
                }
            }
            count.timestamps.extend(timestamps.find_iter(text).map(|found| found.as_str().to_owned()));
        }
    }
    count
}

fn messages(transcripts: &[Value]) -> impl Iterator<Item = &Value> {
    transcripts.iter().flat_map(|transcript| transcript["messages"].as_array().unwrap())
}

/// A JSON value reduced to its keys.
fn keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), keys(value))).collect(),
        Value::Array(items) => items.iter().map(keys).collect(),
        _ => Value::Null,
    }
}

/// A replay with the agent of `definition`, and the inputs that the last hook at the gate saw.
fn replay(definition: &str, lines: &[u8]) -> (Vec<Value>, Summary, Vec<String>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let spy = move |_: &HookContext, _: &BeforeToolCall, input: &ToolInput| {
        sink.lock().unwrap().push(input.text().into_owned());
    };
    let registry = Registry::discover().unwrap();
    registry.register(Hook::at::<BeforeToolCall>("spy").reader(spy)).unwrap();
    let agent = AgentDef::from_json("agent.json", definition).unwrap().hooks(["spy"]);
    let (after, summary) = support::replay(&Desk::with(registry, &agent, None).unwrap(), lines);
    let seen = seen.lock().unwrap().clone();
    (after, summary, seen)
}

fn definition() -> String {
    std::fs::read_to_string(support::desk_file("agent.json")).unwrap()
}

#[test]
fn the_masks_replace_personal_data_and_nothing_else() {
    let Some(lines) = recording() else { return };
    let recorded = support::parse(&lines);
    let (stored, summary, _) = replay(&definition(), &lines);

    let before = count(&recorded);
    assert_eq!((recorded.len(), before.messages), (100, 2526));
    assert_eq!((before.emails, before.birth_dates, before.birth_dates_in_words), (66, 710, 7 + 3));
    assert_eq!(before.other_dates.len(), 1314);

    // A denial would replace a result, with its dates, by a reason. The desk's own hooks deny nothing here.
    assert_eq!((summary.totals.refused, summary.totals.removed, summary.skipped.len()), (0, 0, 0));

    let after = count(&stored);
    let expected = Count { emails: 0, birth_dates: 0, birth_dates_in_words: 0, ..before };
    assert_eq!(after, expected); // including the other dates, in their order
}

#[test]
fn masked_messages_keep_their_keys_and_masked_results_are_still_json() {
    let Some(lines) = recording() else { return };
    let recorded = support::parse(&lines);
    let (stored, ..) = replay(&definition(), &lines);
    let mut parsed = 0;
    for (before, after) in messages(&recorded).zip(messages(&stored)) {
        for field in ["role", "name", "tool_call_id"] {
            assert_eq!(before.get(field), after.get(field));
        }
        assert_eq!(keys(before), keys(after));
        let json =
            |message: &Value| serde_json::from_str::<Value>(message["content"].as_str().unwrap_or_default()).ok();
        if let (Some("tool"), Some(before)) = (before["role"].as_str(), json(before)) {
            assert_eq!(keys(&before), keys(&json(after).unwrap()));
            parsed += 1;
        }
    }
    assert_eq!(parsed, 481);
}

#[test]
fn tools_get_the_unmasked_input() {
    let Some(lines) = recording() else { return };
    let recorded = support::parse(&lines);
    let (stored, _, seen) = replay(&definition(), &lines);
    let arguments = |transcripts: &[Value]| -> Vec<String> {
        let calls = messages(transcripts).filter_map(|message| message["tool_calls"].as_array()).flatten();
        calls.map(|call| call["function"]["arguments"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(seen, arguments(&recorded));
    // Only their stored form is masked: 30 bookings, each with the birth dates of its passengers.
    let masked = arguments(&stored).iter().filter(|text| text.contains("[birth date]")).count();
    assert_eq!((masked, seen.iter().filter(|text| text.contains("[birth date]")).count()), (30, 0));
}

#[test]
fn without_the_mask_in_the_list_of_the_agent_nothing_is_masked() {
    let Some(lines) = recording() else { return };
    let mut agent: Value = serde_json::from_str(&definition()).unwrap();
    agent["hooks"].as_array_mut().unwrap().retain(|hook| *hook != json!("redact_pii"));
    let (stored, ..) = replay(&agent.to_string(), &lines);
    assert_eq!(count(&stored), count(&support::parse(&lines)));
}

#[test]
fn an_empty_list_changes_nothing() {
    let Some(lines) = recording() else { return };
    let (stored, summary, seen) = replay(r#"{"name": "bare", "hooks": []}"#, &lines);
    assert_eq!(stored, support::parse(&lines));
    let totals = summary.totals;
    assert_eq!((totals.messages_in, totals.messages_out, totals.calls, seen.len()), (2_526, 2_526, 577, 577));
    assert_eq!((totals.refused, totals.approved, totals.contexts, totals.left_out), (0, 0, 0, 0));
}
