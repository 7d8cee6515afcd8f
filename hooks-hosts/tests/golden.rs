//! Payloads of every host, what is to be read from each, and the exact answers.

use std::fs;
use std::path::{Path, PathBuf};

use hooks_hosts::{HostAnswer, HostDecision, HostEvent, HostVerdict, Request, Stdout, find, written};
use serde_json::{Value, json};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

pub(crate) fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A payload of a host.
pub(crate) struct Case {
    pub(crate) host: String,
    pub(crate) name: String,
    pub(crate) event: Option<String>,
    pub(crate) env: Vec<String>,
    pub(crate) answers: Vec<String>,
    pub(crate) stdin: Vec<u8>,
}

impl Case {
    pub(crate) fn path(&self, part: &str) -> PathBuf {
        folder().join(&self.host).join(format!("{}{part}.json", self.name))
    }

    pub(crate) fn with<T>(&self, stdin: &[u8], then: impl FnOnce(&Request<'_>) -> T) -> T {
        let env = |name: &str| self.env.iter().any(|known| known == name);
        let mut request = Request::new(find(&self.host).unwrap(), stdin).env(&env);
        request.event = self.event.as_deref();
        then(&request)
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let manifest = fs::read_to_string(folder().join("manifest.jsonl")).unwrap();
    let case = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut case = Case {
            host: text(&row["host"]),
            name: text(&row["case"]),
            event: row.pointer("/args/1").map(text),
            env: row["env"].as_object().map(|env| env.keys().cloned().collect()).unwrap_or_default(),
            answers: row["answers"].as_array().unwrap().iter().map(text).collect(),
            stdin: Vec::new(),
        };
        case.stdin = fs::read(case.path("")).unwrap();
        case
    };
    manifest.lines().map(case).collect()
}

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

/// What is wrong with an answer.
fn wrong(answer: &HostAnswer, expected: &Value, event: &HostEvent) -> Option<String> {
    let stderr = answer.stderr.as_deref().unwrap_or_default().trim_end();
    let contains: Vec<&str> = expected["contains"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if expected["exit"] != answer.exit {
        return Some(format!("exit {}", answer.exit));
    }
    if let Some(text) = expected["stderr"].as_str() {
        let fits = if contains.contains(&"stderr") { stderr.contains(text) } else { stderr == text };
        if !fits {
            return Some(format!("stderr {stderr:?}"));
        }
    }
    let mut documents = vec![expected["stdout"].clone()];
    documents.extend(expected["or"].as_array().into_iter().flatten().cloned());
    let fits = match (&answer.stdout, expected["stdout_text"].as_str()) {
        (Stdout::Text(text), Some(expected)) => text.trim_end() == expected,
        (Stdout::Nothing, None) => documents.contains(&Value::Null),
        (Stdout::Json(said), None) => documents.iter().any(|document| agrees(said, document, &contains)),
        _ => false,
    };
    (!fits).then(|| format!("stdout {:?} at {}", answer.stdout, event.host_event))
}

fn agrees(said: &Value, expected: &Value, contains: &[&str]) -> bool {
    let mut said = said.clone();
    for pointer in contains {
        let (Some(place), Some(text)) = (said.pointer_mut(pointer), expected.pointer(pointer)) else { return false };
        if place.as_str().unwrap_or_default().contains(text.as_str().unwrap()) {
            *place = text.clone();
        }
    }
    said == *expected
}

#[test]
fn every_payload_is_read() {
    let mut problems = Vec::new();
    for case in cases() {
        let expected = json_of(&case.path(".event"));
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
        let (host, event) = case.with(&case.stdin, |request| (request.host.table().name, request.read().unwrap().1));
        for name in &case.answers {
            let expected = json_of(&case.path(&format!(".{name}")));
            let answer = written(find(host).unwrap(), &event, verdict(&expected["verdict"]));
            let says_less = matches!(expected["carried"].as_str().unwrap(), "degraded" | "dropped" | "impossible");
            let problem = wrong(&answer, &expected, &event)
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
