//! `testdata`: a file for each host, with payloads by name, what is to be read from each, and the exact answers.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::fs;
use std::path::Path;

use hooks_hosts::{HostAnswer, Request, Stdout, all, find};
use serde_json::{Map, Value};

/// A payload of a host.
pub(crate) struct Case {
    pub(crate) host: &'static str,
    pub(crate) name: String,
    /// The name of the event, where the payload does not show it.
    pub(crate) event: Option<String>,
    /// The variables that are set.
    pub(crate) env: Vec<String>,
    pub(crate) stdin: Vec<u8>,
    /// What is to be read.
    pub(crate) read: Value,
    /// The answer to each verdict.
    pub(crate) answers: Map<String, Value>,
}

impl Case {
    fn of(host: &'static str, name: &str, case: &Value) -> Self {
        Self {
            host,
            name: name.to_owned(),
            event: case.pointer("/args/1").and_then(Value::as_str).map(str::to_owned),
            env: case["env"].as_object().map(|env| env.keys().cloned().collect()).unwrap_or_default(),
            stdin: serde_json::to_vec_pretty(&case["payload"]).unwrap(),
            read: case["event"].clone(),
            answers: case["answers"].as_object().unwrap().clone(),
        }
    }

    /// The arguments of a program that answers it.
    pub(crate) fn args(&self) -> Vec<&str> {
        let event = self.event.as_deref().into_iter().flat_map(|event| ["--event", event]);
        ["host", self.host].into_iter().chain(event).collect()
    }

    pub(crate) fn with<T>(&self, stdin: &[u8], then: impl FnOnce(&Request<'_>) -> T) -> T {
        let env = |name: &str| self.env.iter().any(|known| known == name);
        let mut request = Request::new(find(self.host).unwrap(), stdin).env(&env);
        request.event = self.event.as_deref();
        then(&request)
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hooks-hosts/testdata");
    let of_host = |host: &'static str| {
        let file = folder.join(host).with_extension("json");
        let text = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let cases: Map<String, Value> = serde_json::from_slice(&text).unwrap();
        cases.into_iter().map(move |(name, case)| Case::of(host, &name, &case))
    };
    all().iter().flat_map(|host| of_host(host.name)).collect()
}

pub(crate) fn case(host: &str, name: &str) -> Case {
    cases().into_iter().find(|case| case.host == host && case.name == name).unwrap()
}

/// What is wrong with an answer.
pub(crate) fn wrong(answer: &HostAnswer, expected: &Value) -> Option<String> {
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
    (!fits).then(|| format!("stdout {:?}", answer.stdout))
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
