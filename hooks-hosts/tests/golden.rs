//! Payloads of every host, what is to be read from each, and the exact answers.

use hooks_hosts::{Carried, HostDecision, HostVerdict, Stdout, find, written};
use serde_json::{Value, json};

use crate::cases::{cases, wrong};

fn verdict(of: &Value) -> HostVerdict {
    let text = |key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let mut verdict = match of["kind"].as_str().unwrap() {
        "none" => HostVerdict::default(),
        "deny" => HostVerdict::deny(text("reason")),
        "ask" => HostVerdict::of(HostDecision::Ask(text("reason"))),
        "keep_going" => HostVerdict::of(HostDecision::KeepGoing(text("reason"))),
        "context" => HostVerdict::default().with_context(text("text")),
        "rewrite" => HostVerdict::default().with_input(of["input"].clone(), Some(text("reason"))),
        "replace_result" => HostVerdict::default().with_result(of["text"].clone(), Some(text("reason"))),
        other => panic!("an unknown verdict `{other}`"),
    };
    if of["approved"] == true {
        verdict.decision = HostDecision::Allow;
    }
    verdict
}

#[test]
fn every_payload_is_read() {
    let mut problems = Vec::new();
    for case in cases() {
        let expected = case.read.clone();
        let mut read = match case.with(&case.stdin, |request| request.read().map(|(_, event)| event)) {
            Ok(event) => serde_json::to_value(&event).unwrap(),
            Err(error) => json!(format!("{error:?}")),
        };
        if expected["kind"] == "foreign_host" {
            read = json!({ "kind": read["kind"], "host": read["host"] });
        }
        if read != expected {
            problems.push(format!("{}/{}\n  read     {read}\n  expected {expected}", case.host, case.name));
        }
    }
    assert!(problems.is_empty(), "{}\n{} payloads", problems.join("\n"), problems.len());
}

#[test]
fn every_answer_is_exact() {
    let (mut problems, mut passed) = (Vec::new(), 0);
    for case in cases() {
        let (host, event) = case.with(&case.stdin, |request| (request.host.name, request.read().unwrap().1));
        for (name, expected) in &case.answers {
            let answer = written(find(host).unwrap(), &event, verdict(&expected["verdict"]));
            let says_less = matches!(expected["carried"].as_str().unwrap(), "degraded" | "dropped" | "impossible");
            let problem = wrong(&answer, expected)
                .or_else(|| (says_less && answer.warnings.is_empty()).then(|| "no warning".to_owned()))
                .or_else(|| (!says_less && !answer.warnings.is_empty()).then(|| format!("{:?}", answer.warnings)));
            match problem {
                None => passed += 1,
                Some(problem) => problems.push(format!("{}/{}.{name}: {problem}\n  {expected}", case.host, case.name)),
            }
        }
    }
    assert!(problems.is_empty(), "{}\n{} of {}", problems.join("\n"), passed, passed + problems.len());
    assert_eq!(passed, 269);
}

/// A longer text would be shown in part, an empty one not at all.
#[test]
fn no_text_is_too_long_or_empty() {
    for case in cases() {
        let host = find(case.host).unwrap();
        let event = case.with(&case.stdin, |request| request.read().unwrap().1);
        let long = "\u{1f600}".repeat(9_000);
        // A reason that the host carries as one is not cut.
        let becomes_a_text = host.carries(&event).deny == Carried::Degraded;
        let mut verdicts = vec![HostVerdict::deny(""), HostVerdict::default().with_context(&long)];
        verdicts.extend(becomes_a_text.then(|| HostVerdict::deny(&long)));
        for verdict in verdicts {
            let is_long = !matches!(&verdict.decision, HostDecision::Deny(reason) if reason.is_empty());
            let answer = written(host, &event, verdict);
            let texts = match &answer.stdout {
                Stdout::Json(said) => texts(said),
                Stdout::Text(text) => vec![text.clone()],
                _ => answer.stderr.clone().into_iter().collect(),
            };
            let named = format!("{}/{}", case.host, case.name);
            for text in texts {
                let size = if case.host == "copilot" { text.len() } else { text.encode_utf16().count() };
                assert!((1..=10_000).contains(&size), "{named}: {size}");
                assert!(!is_long || text.len() < 100 || text.ends_with("[the rest was left out]"), "{named}");
            }
        }
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
