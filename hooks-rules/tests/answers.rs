//! Answers, line by line of `data/answers.toml`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use crate::support::{self, tables};
use hooks_rules::{Answer, AnswerReader, Dialect, Event, FailureMode, RuleDecision, RunStatus};
use proptest::prelude::*;
use serde_json::Value;

fn status(value: &toml::Value) -> RunStatus {
    match value {
        toml::Value::Integer(code) if *code < 0 => RunStatus::Signal(i32::try_from(-code).unwrap()),
        toml::Value::Integer(code) => RunStatus::Exit(i32::try_from(*code).unwrap()),
        toml::Value::String(word) if word == "timed out" => RunStatus::TimedOut,
        toml::Value::String(word) if word == "not started" => RunStatus::NotStarted("no such file".to_owned()),
        toml::Value::String(word) => RunStatus::Http(word.strip_prefix("http ").unwrap().parse().unwrap()),
        other => panic!("{other}"),
    }
}

/// The expected answer of a row. Missing fields are empty.
fn observed(answer: &Answer) -> toml::Table {
    let mut observed = toml::Table::new();
    let mut put = |name: &str, value: toml::Value| observed.insert(name.to_owned(), value);
    let list = |texts: &[String]| texts.iter().cloned().map(toml::Value::String).collect::<Vec<_>>();
    if let Some(word) = answer.decision.as_str() {
        put("decision", word.into());
    }
    if let Some(reason) = &answer.stop {
        put("stop", reason.clone().into());
    }
    for (name, texts) in
        [("contexts", &answer.contexts), ("messages", &answer.messages), ("model", &answer.for_the_model)]
    {
        if !texts.is_empty() {
            put(name, list(texts).into());
        }
    }
    for (name, value) in [("input", &answer.updated_input), ("output", &answer.updated_output)] {
        if let Some(value) = value {
            put(name, value.to_string().into());
        }
    }
    for (name, flag) in
        [("suppress", answer.suppress_output), ("alone", answer.goes_on_alone), ("failure", answer.failure.is_some())]
    {
        if flag {
            put(name, true.into());
        }
    }
    observed
}

fn reason(decision: &RuleDecision) -> &str {
    match decision {
        RuleDecision::Feedback(text)
        | RuleDecision::Continue(text)
        | RuleDecision::Allow(text)
        | RuleDecision::Ask(text)
        | RuleDecision::Defer(text)
        | RuleDecision::Deny(text) => text,
        _ => "",
    }
}

#[test]
fn every_line_has_its_expected_answer() {
    for line in &tables("answers.toml", "lines") {
        let word = |name: &str| line.get(name).and_then(toml::Value::as_str).unwrap_or_default();
        let dialect = if word("dialect").is_empty() { Dialect::Claude } else { support::dialect(word("dialect")) };
        let mut reading = AnswerReader::new(dialect, Event::named(word("event")).unwrap());
        if word("on_failure") == "block" {
            reading.on_failure = FailureMode::Block;
        }
        let answer = reading.read(&status(&line["exit"]), word("stdout"), word("stderr"));
        let mut expected = line.get("expect").map(|e| e.as_table().unwrap().clone()).unwrap_or_default();
        if let Some(expected) = expected.remove("reason") {
            assert_eq!(reason(&answer.decision), expected.as_str().unwrap(), "{line}");
        }
        let remarks = expected.remove("remarks").map_or(0, |count| count.as_integer().unwrap());
        assert_eq!(answer.remarks.len(), usize::try_from(remarks).unwrap(), "{line}\n{answer:?}");
        let members = expected.remove("members").map(|m| m.as_str().unwrap().to_owned());
        let members = members.map_or(Value::Object(serde_json::Map::new()), |m| serde_json::from_str(&m).unwrap());
        assert_eq!(Value::Object(answer.members.clone()), members, "{line}");
        assert_eq!(observed(&answer), expected, "{line}\n{answer:?}");
    }
}

/// The attachments of a flat answer.
#[test]
fn attachments_are_of_four_types() {
    let reading = AnswerReader::new(Dialect::Agentao, Event::UserPromptSubmit);
    let kinds = |stdout: &str| {
        let answer = reading.read(&RunStatus::Exit(0), stdout, "");
        answer.attachments().into_iter().map(|attachment| attachment.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(""), ["hook_success"]);
    assert_eq!(kinds("text"), ["hook_additional_context"]);
    assert_eq!(
        kinds(r#"{"blockingError": "x", "additionalContext": "y"}"#),
        ["hook_blocking_error", "hook_additional_context"]
    );
    assert_eq!(kinds(r#"{"preventContinuation": true}"#), ["hook_stopped_continuation"]);
}

#[test]
fn long_texts_are_truncated_at_a_character_boundary() {
    let reading = AnswerReader::new(Dialect::Claude, Event::UserPromptSubmit);
    let long = "ä".repeat(20_000);
    let mut answer = reading.read(&RunStatus::Exit(0), &long, "");
    assert_eq!(answer.contexts[0], long, "nothing is lost before somebody could keep it");
    answer.shorten(|_| None);
    assert!(answer.contexts[0].starts_with(&"ä".repeat(10_000)));
    assert!(answer.contexts[0].ends_with("[10000 more characters were left out]"));
    let output = serde_json::json!({"hookEventName": "UserPromptSubmit", "sessionTitle": "ä".repeat(20_000)});
    let mut answer =
        reading.read(&RunStatus::Exit(0), &serde_json::json!({"hookSpecificOutput": output}).to_string(), "");
    answer.shorten(|_| None);
    assert!(answer.members["sessionTitle"].as_str().unwrap().ends_with("[10000 more characters were left out]"));
    let failed = reading.read(&RunStatus::Exit(1), "", &"ä".repeat(20_000)).failure.unwrap();
    assert!(failed.chars().count() < 600, "{failed}");
}

/// A text that is too long is saved to a file. A reason is not truncated.
#[test]
fn a_long_text_becomes_a_preview_and_a_reason_stays() {
    let reading = AnswerReader::new(Dialect::Claude, Event::UserPromptSubmit);
    let long = "ä".repeat(20_000);
    let mut answer = reading.read(&RunStatus::Exit(0), &long, "");
    let mut kept = Vec::new();
    answer.shorten(|text| {
        kept.push(text.to_owned());
        Some("/kept.txt".into())
    });
    assert_eq!(kept, [long.as_str()]);
    let preview = format!("{}\n[20000 characters in all; the whole text is in /kept.txt]", "ä".repeat(2_000));
    assert_eq!(answer.contexts, [preview]);
    let mut refused = reading.read(&RunStatus::Exit(2), "", &long);
    refused.shorten(|_| None);
    assert_eq!(refused.decision, RuleDecision::Deny(long));
}

#[test]
fn the_answer_of_a_judging_model_is_read() {
    let read = |event: Event, text: &str, goes_on: bool| {
        AnswerReader::new(Dialect::Claude, event).read_judgement(text, goes_on)
    };
    let no = r#"{"ok": false, "reason": "tests fail"}"#;
    assert_eq!(read(Event::PreToolUse, r#"{"ok": true}"#, false), Answer::default());
    assert_eq!(read(Event::Stop, no, false).decision, RuleDecision::Continue("tests fail".into()));
    assert_eq!(read(Event::Stop, r#"{"ok": false, "impossible": true}"#, false), Answer::default());
    let refused = read(Event::PreToolUse, &format!("```json\n{no}\n```"), false);
    assert_eq!((refused.decision, refused.stop), (RuleDecision::Deny("tests fail".into()), Some("tests fail".into())));
    let observed = read(Event::PostToolUse, no, true);
    assert_eq!((observed.decision, observed.stop), (RuleDecision::Feedback("tests fail".into()), None));
    assert_eq!(read(Event::PermissionRequest, no, false), Answer::default());
    assert!(read(Event::PreToolUse, "I think so", false).failure.is_some());
}

fn events() -> impl Strategy<Value = Event> {
    prop::sample::select(Event::all().collect::<Vec<_>>())
}

fn stdouts() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "\"",
        ":",
        ",",
        "true",
        "null",
        "7",
        "\n",
        "decision",
        "block",
        "approve",
        "continue",
        "allow",
        "hookSpecificOutput",
        "hookEventName",
        "PreToolUse",
        "permissionDecision",
        "updatedInput",
        "é",
        "\u{feff}",
    ]);
    let object = (any::<bool>(), prop::sample::select(vec!["allow", "deny", "ask", "defer", "?"])).prop_map(|(go, word)| {
        format!(r#"{{"continue": {go}, "hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "{word}"}}}}"#)
    });
    prop_oneof![prop::collection::vec(word, 0..12).prop_map(|words| words.concat()), object, ".{0,40}"]
}

proptest! {
    /// Any output is parsed without a panic, in either dialect.
    #[test]
    fn parsing_any_output_never_panics(event in events(), code in -15..200_i32, out in stdouts(), err in ".{0,20}") {
        for dialect in [Dialect::Claude, Dialect::Agentao] {
            let status = if code < 0 { RunStatus::Signal(-code) } else { RunStatus::Exit(code) };
            let _ = AnswerReader::new(dialect, event).read(&status, &out, &err);
        }
    }

    /// Output on stdout cannot undo the block of exit code 2.
    #[test]
    fn exit_code_2_never_allows(out in stdouts(), err in ".{0,20}") {
        let answer = AnswerReader::new(Dialect::Claude, Event::PreToolUse).read(&RunStatus::Exit(2), &out, &err);
        prop_assert!(matches!(answer.decision, RuleDecision::Deny(_)), "{:?}", answer);
    }

    /// Unknown keys have no effect.
    #[test]
    fn unknown_keys_have_no_effect(event in events(), word in "[a-z]{9}", value in any::<i64>()) {
        let reading = AnswerReader::new(Dialect::Claude, event);
        let read = |object: &Value| reading.read(&RunStatus::Exit(0), &object.to_string(), "");
        let plain = serde_json::json!({"systemMessage": "m", "decision": "block", "reason": "r"});
        let mut more = plain.clone();
        more[format!("{word}_")] = value.into();
        prop_assert_eq!(read(&plain), read(&more));
    }

    /// A later denial wins, and an earlier one stays.
    #[test]
    fn denials_win_in_any_order(words in prop::collection::vec(0..5_usize, 1..6)) {
        let decision = |word: usize| match word {
            0 => RuleDecision::None,
            1 => RuleDecision::Allow(String::new()),
            2 => RuleDecision::Ask(String::new()),
            3 => RuleDecision::Defer(String::new()),
            _ => RuleDecision::Deny(String::new()),
        };
        let mut folded = Answer::default();
        for word in &words {
            let mut answer = Answer::default();
            answer.decision = decision(*word);
            folded.merge(answer);
        }
        prop_assert_eq!(folded.decision, decision(words.into_iter().max().unwrap_or_default()));
    }
}

/// Ending the turn takes precedence over continuing it, and the reason to continue is kept.
#[test]
fn a_flat_end_keeps_the_reason_to_continue() {
    let said = r#"{"continue": false, "stopReason": "enough", "decision": "block", "reason": "run the tests"}"#;
    let answer = AnswerReader::new(Dialect::Agentao, Event::Stop).read(&RunStatus::Exit(0), said, "");
    assert_eq!((answer.stop.as_deref(), &answer.decision), (Some("enough"), &RuleDecision::None));
    assert!(answer.remarks[0].ends_with("run the tests"), "{:?}", answer.remarks);
}

/// Output that was probably meant as an answer but is not valid causes a remark.
#[test]
fn output_that_is_almost_an_answer_has_a_remark() {
    let read = |text: &str| AnswerReader::new(Dialect::Claude, Event::PreToolUse).read(&RunStatus::Exit(0), text, "");
    for (text, words) in [
        ("{\"block\": true}", "`block` and nothing that has an effect here"),
        ("loading\n{\"decision\": \"block\"}", "print the answer alone"),
        ("{\"decision\": \"block\"}\ndone", "print the answer alone"),
    ] {
        let answer = read(text);
        assert!(answer.decision == RuleDecision::None && answer.remarks[0].contains(words), "{text}: {answer:?}");
    }
    for text in ["plain", "{\"hook_event_name\": \"PreToolUse\"}", "{}", "a {b} c", "loading {\"x\": 1}"] {
        assert!(read(text).remarks.is_empty(), "{text}");
    }
}
