//! The input is a byte for the dialect and the failure mode, one for the event, two for the status, then stdout, a zero
//! byte, and stderr.

use hooks_rules::event::Exit2;
use hooks_rules::{Answer, AnswerReader, Dialect, FailureMode, RuleDecision, RunStatus, TEXT_LIMIT};

pub(crate) fn check(input: &[u8]) {
    let &[form, event, how, number, ref rest @ ..] = input else { return };
    let zero = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let stdout = String::from_utf8_lossy(&rest[..zero]);
    let stderr = String::from_utf8_lossy(rest.get(zero + 1..).unwrap_or_default());
    let status = match how % 6 {
        0 => RunStatus::Exit(number.into()),
        1 => RunStatus::Exit(2),
        2 => RunStatus::Signal(number.into()),
        3 => RunStatus::Http(u16::from(number) * 3),
        4 => RunStatus::TimedOut,
        _ => RunStatus::NotStarted(stderr.clone().into_owned()),
    };
    let mut reading = AnswerReader::new(super::dialect(form), super::event(event));
    let answer = reading.read(&status, &stdout, &stderr);
    assert_eq!(reading.read(&status, &stdout, &stderr), answer);
    bounded(&answer);
    consistent(&answer);
    if status == RunStatus::Exit(2) && reading.dialect == Dialect::Claude {
        blocks(reading, &answer);
    }
    if answer.failure.is_some() && !matches!(status, RunStatus::TimedOut) {
        assert_eq!(answer.decision, RuleDecision::None, "a failure decides nothing unless somebody says so");
    }
    reading.on_failure = FailureMode::Block;
    let strict = reading.read(&status, &stdout, &stderr);
    bounded(&strict);
    let text = stdout.trim_start_matches('\u{feff}').trim();
    let is_half = text.starts_with('{') && !text.ends_with('}');
    let came_to_its_end = matches!(status, RunStatus::Exit(0 | 2)) && !answer.goes_on_alone && !is_half;
    if answer.failure.is_some() {
        assert_eq!(strict.failure, answer.failure);
    } else if came_to_its_end {
        let refuses = matches!(answer.decision, RuleDecision::Deny(_)) || answer.stop.is_some();
        assert!(strict.failure.is_none() || !refuses, "a refusal is no failure: {answer:?}, {strict:?}");
    } else if denies(reading) {
        assert!(
            !matches!(strict.decision, RuleDecision::None | RuleDecision::Allow(_))
                || strict.stop.is_some()
                || ran_elsewhere(&status),
            "{strict:?}"
        );
    }
    if answer.failure.is_some() && denies(reading) {
        assert!(matches!(strict.decision, RuleDecision::Deny(_)), "{strict:?}");
    }
    for goes_on in [false, true] {
        bounded(&reading.read_judgement(&stdout, goes_on));
    }
    folded(answer, strict);
}

/// Whether a failure of a guard at the event refuses.
fn denies(reading: AnswerReader) -> bool {
    reading.event.spec().exit2 == Exit2::Deny && reading.event != hooks_rules::Event::TaskCompleted
}

/// A server has no exit code, and its answer is whole.
fn ran_elsewhere(status: &RunStatus) -> bool {
    matches!(status, RunStatus::Http(_))
}

/// Texts that reach the model or the person are cut, and say so.
fn bounded(answer: &Answer) {
    const NOTE: usize = 60;
    let texts = answer.contexts.iter().chain(&answer.messages).chain(&answer.for_the_model).chain(&answer.stop);
    let members = answer.members.values().filter_map(serde_json::Value::as_str);
    for text in texts.map(String::as_str).chain(members).chain([reason(&answer.decision)]) {
        assert!(text.chars().count() <= TEXT_LIMIT + NOTE, "{}", text.len());
    }
    let notes = answer.failure.iter().chain(&answer.remarks);
    assert!(notes.clone().all(|text| text.chars().count() <= 512 + NOTE), "{:?}", notes.collect::<Vec<_>>());
}

fn consistent(answer: &Answer) {
    if answer.failure.is_some() {
        // A failure has no answer.
        assert_eq!((&answer.updated_input, &answer.updated_output), (&None, &None));
        assert!(answer.contexts.is_empty() && !matches!(answer.decision, RuleDecision::Allow(_)), "{answer:?}");
    }
    let kinds: Vec<_> = answer.attachments().iter().map(|attachment| attachment.kind).collect();
    assert!(!kinds.contains(&"hook_success") || kinds.len() == 1, "{kinds:?}");
    assert_eq!(kinds.contains(&"hook_blocking_error"), matches!(answer.decision, RuleDecision::Deny(_)));
}

/// Exit code 2 has the effect of its event, whatever the output is.
fn blocks(reading: AnswerReader, answer: &Answer) {
    let effect = reading.event.spec().exit2;
    let there = match effect {
        Exit2::Deny => matches!(answer.decision, RuleDecision::Deny(_)),
        Exit2::Feedback => matches!(answer.decision, RuleDecision::Feedback(_)),
        Exit2::Continue => matches!(answer.decision, RuleDecision::Continue(_)),
        Exit2::Stop => answer.stop.is_some(),
        Exit2::Notice => !answer.messages.is_empty(),
        _ => answer.decision == RuleDecision::None,
    };
    assert!(there && answer.failure.is_none(), "{effect:?}: {answer:?}");
    let empty = reason(&answer.decision).trim().is_empty() && answer.decision != RuleDecision::None;
    assert!(!empty, "a refusal without a reason: {answer:?}");
}

/// A denial among several answers is the denial of all of them, in any order.
fn folded(first: Answer, second: Answer) {
    let denies = |answer: &Answer| matches!(answer.decision, RuleDecision::Deny(_));
    let ends = first.stop.is_some() || second.stop.is_some();
    let refused = denies(&first) || denies(&second);
    for (mut one, other) in [(first.clone(), second.clone()), (second, first)] {
        one.merge(other);
        assert_eq!((denies(&one), one.stop.is_some()), (refused, ends));
    }
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
