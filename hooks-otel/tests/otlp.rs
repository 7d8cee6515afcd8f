//! A recording as OTLP/JSON, field by field.

use std::collections::{BTreeMap, BTreeSet};

use hooks_agent::Outcome;
use hooks_otel::{OtlpExport, write_otlp};
use hooks_replay::{Reader, RecordLimits, Recorder, RecordingLine};
use serde_json::{Value, json};

use crate::collector::Collector;
use crate::turns::{builder, turns_of};

/// Turns with a tool, a sub-agent, a question and a failure: the recording, and it as OTLP.
async fn exported() -> (Vec<RecordingLine>, OtlpExport, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.jsonl");
    let recorder = Recorder::create(&file, "desk", RecordLimits::default()).unwrap();
    let (registry, harness) = builder(&Collector::new());
    registry.observe(recorder.clone());
    let harness = harness.on_inputs(recorder.turns()).build().unwrap();
    let outcomes = turns_of(&harness, &["search", "fails", "helper", "pay", "resume", "down"]).await;
    assert!(matches!(outcomes[4], Outcome::Answered(_)), "{outcomes:?}");
    recorder.flush();
    let lines: Vec<_> = Reader::open(&file).unwrap().map(|(_, line)| line.unwrap()).collect();
    let mut written = Vec::new();
    let export = write_otlp(lines.clone(), &mut written).unwrap();
    let text = String::from_utf8(written).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "a collector reads one export per line");
    (lines, export, serde_json::from_str(&text).unwrap())
}

fn spans(all: &Value) -> &Vec<Value> {
    all["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap()
}

fn named<'a>(all: &'a Value, name: &str) -> &'a Value {
    spans(all).iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no span `{name}`: {all:#}"))
}

/// The attributes of a span, each with its typed value.
fn attributes(span: &Value) -> BTreeMap<&str, &Value> {
    let pairs = span["attributes"].as_array().unwrap().iter();
    pairs.map(|pair| (pair["key"].as_str().unwrap(), &pair["value"])).collect()
}

#[tokio::test]
async fn every_field_has_the_form_that_otlp_gives_it() {
    let (_, export, all) = exported().await;
    assert_eq!(export.spans, spans(&all).len());
    assert_eq!(export.undated, 0);
    let resource = &all["resourceSpans"][0]["resource"]["attributes"][0];
    assert_eq!(*resource, json!({ "key": "service.name", "value": { "stringValue": "desk" } }));
    let scope = &all["resourceSpans"][0]["scopeSpans"][0]["scope"];
    assert_eq!((&scope["name"], &scope["version"]), (&json!("hooks-otel"), &json!("0.1.0")));
    let is_hex = |value: &Value, digits: usize| {
        let text = value.as_str().unwrap();
        text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let known = [
        "traceId",
        "spanId",
        "parentSpanId",
        "name",
        "kind",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "attributes",
        "status",
        "links",
    ];
    let mut ids = BTreeSet::new();
    for span in spans(&all) {
        assert!(is_hex(&span["traceId"], 32) && is_hex(&span["spanId"], 16), "{span}");
        assert!(ids.insert(span["spanId"].as_str().unwrap()), "an id twice: {span}");
        assert!(span.as_object().unwrap().keys().all(|key| known.contains(&&**key)), "{span}");
        let nanos = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
        assert!(
            nanos("startTimeUnixNano") <= nanos("endTimeUnixNano")
                && nanos("startTimeUnixNano") > 1_700_000_000_000_000_000
        );
        for (name, value) in attributes(span) {
            let (kind, inner) = value.as_object().unwrap().iter().next().unwrap();
            let is_typed = match &**kind {
                "stringValue" => inner.is_string(),
                "boolValue" => inner.is_boolean(),
                "intValue" => inner.as_str().is_some_and(|text| text.parse::<i64>().is_ok()),
                "arrayValue" => inner["values"].is_array(),
                _ => false,
            };
            assert!(is_typed, "{name}: {value}");
        }
    }
    for span in spans(&all) {
        if let Some(parent) = span["parentSpanId"].as_str() {
            let parent = spans(&all)
                .iter()
                .find(|other| other["spanId"] == parent)
                .unwrap_or_else(|| panic!("no parent: {span}"));
            assert_eq!(parent["traceId"], span["traceId"], "{span}");
        }
    }
}

#[tokio::test]
async fn spans_have_the_names_and_attributes_of_the_conventions() {
    let (_, _, all) = exported().await;
    let text = |text: &str| json!({ "stringValue": text });
    let int = |number: &str| json!({ "intValue": number });
    let cases = [
        (
            "invoke_agent clerk",
            1,
            vec![
                ("gen_ai.operation.name", text("invoke_agent")),
                ("gen_ai.agent.name", text("clerk")),
                ("gen_ai.conversation.id", text("c-1")),
                ("gen_ai.usage.input_tokens", int("30")),
                ("gen_ai.usage.output_tokens", int("12")),
                ("hook.turn.exit", text("no_tool_calls")),
                ("openinference.span.kind", text("AGENT")),
            ],
        ),
        (
            "chat claude-sonnet-5-20260901",
            3,
            vec![
                ("gen_ai.operation.name", text("chat")),
                ("gen_ai.response.model", text("claude-sonnet-5-20260901")),
                (
                    "gen_ai.response.finish_reasons",
                    json!({ "arrayValue": { "values": [{ "stringValue": "tool_use" }] } }),
                ),
                ("gen_ai.usage.input_tokens", int("10")),
            ],
        ),
        (
            "execute_tool search",
            1,
            vec![
                ("gen_ai.operation.name", text("execute_tool")),
                ("gen_ai.tool.name", text("search")),
                ("gen_ai.tool.call.id", text("call-1")),
                ("gen_ai.tool.type", text("function")),
            ],
        ),
        ("execute_tool fails", 1, vec![("error.type", text("tool_error"))]),
        ("hook before_tool_call", 1, vec![("hook.kind", text("before_tool_call")), ("hook.runs", int("1"))]),
        (
            "run_guardrail asks",
            1,
            vec![
                ("gen_ai.operation.name", text("run_guardrail")),
                ("gen_ai.guardrail.component.name", text("asks")),
                ("gen_ai.guardrail.target.type", text("input")),
                ("gen_ai.guardrail.target.subtype", text("tool_call")),
                ("gen_ai.guardrail.verdict.type", text("escalate")),
                ("gen_ai.guardrail.action.type", text("escalate")),
                ("hook.changed", json!({ "boolValue": false })),
            ],
        ),
    ];
    for (name, kind, expected) in cases {
        // A slow run of a silent hook has a span too.
        let mut spans = spans(&all).iter().filter(|span| span["name"] == name);
        let is = |span: &&Value| expected.iter().all(|(key, value)| attributes(span).get(key) == Some(&value));
        let span = spans.find(is).unwrap_or_else(|| panic!("no span `{name}` with {expected:?}: {all:#}"));
        assert_eq!(span["kind"], kind, "{name}");
    }
    assert_eq!(named(&all, "execute_tool fails")["status"], json!({ "code": 2, "message": "tool_error" }));
    assert_eq!(named(&all, "execute_tool search")["status"], Value::Null);
    let failed = named(&all, "chat");
    assert_eq!(failed["status"]["message"], "rejected", "the variant, because the text is one of the provider");
    let told = all.to_string();
    for payload in ["secret", "found", "sk-1", "no disk", "it costs money"] {
        assert!(!told.contains(payload), "`{payload}` is a payload");
    }
}

#[tokio::test]
async fn agents_are_within_their_callers_and_a_resumed_turn_links_to_the_one_that_asked() {
    let (lines, _, all) = exported().await;
    let turns: Vec<_> = spans(&all).iter().filter(|span| span["name"] == "invoke_agent clerk").collect();
    let helper = named(&all, "invoke_agent helper");
    assert!(spans(&all).iter().all(|span| span["name"] != "execute_tool helper"), "its turn says the same");
    let caller = turns.iter().find(|turn| turn["spanId"] == helper["parentSpanId"]).expect("it is within a turn");
    assert_eq!(caller["traceId"], helper["traceId"]);
    assert!(!spans(&all).iter().any(|span| span["name"] == "execute_tool helper"), "its turn is its span");
    let linked: Vec<_> = turns.iter().filter(|turn| !turn["links"].is_null()).collect();
    let [resumed] = linked[..] else { panic!("{linked:#?}") };
    let asked = turns.iter().find(|turn| turn["spanId"] == resumed["links"][0]["spanId"]).expect("it is here");
    assert_eq!(asked["traceId"], resumed["links"][0]["traceId"]);
    assert_ne!(asked["traceId"], resumed["traceId"]);

    let mut again = Vec::new();
    write_otlp(lines, &mut again).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&again).unwrap(), all, "a second export has the same ids");
}

#[test]
fn what_has_no_time_is_counted_and_left_out() {
    let line = |text: Value| serde_json::from_value::<RecordingLine>(text).unwrap();
    let run = json!({ "hook": "guard", "status": "completed", "word": "deny", "micros": 9 });
    let dispatch = json!({ "line": "dispatch", "kind": "before_tool_call", "runs": [run, run], "micros": 18 });
    let mut written = Vec::new();
    let export = write_otlp([line(dispatch)], &mut written).unwrap();
    assert_eq!((export.spans, export.undated), (0, 3));
}

#[test]
fn a_hook_that_removes_is_told_and_the_text_of_an_error_is_not() {
    let runs = json!([
        { "hook": "reads", "status": "completed", "micros": 1 },
        { "hook": "fails", "status": "failed", "cause": "no order 4711", "micros": 1 },
        { "hook": "removes", "status": "completed", "micros": 1 },
        { "hook": "late", "status": "skipped: the subject was removed" },
    ]);
    // Here the failure removed the result.
    let failing = json!([
        { "hook": "reads", "status": "completed", "micros": 1 },
        { "hook": "required", "status": "timed out", "micros": 1 },
    ]);
    let dispatch = |runs: Value| json!({ "line": "dispatch", "kind": "after_tool_call_success", "runs": runs, "removed": true, "at": 9 });
    let lines = [runs, failing].map(|runs| serde_json::from_value::<RecordingLine>(dispatch(runs)).unwrap());
    let mut written = Vec::new();
    write_otlp(lines, &mut written).unwrap();
    let all: Value = serde_json::from_slice(&written).unwrap();
    let is = |name: &str| json!({ "boolValue": name == "hook removes" });
    for name in ["hook fails", "hook removes", "hook required"] {
        assert_eq!(attributes(named(&all, name))["hook.changed"], &is(name), "{name}");
    }
    assert_eq!(attributes(named(&all, "hook after_tool_call_success"))["hook.silent"], &json!({ "intValue": "1" }));
    assert_eq!(spans(&all).len(), 5);
    assert!(!all.to_string().contains("4711"), "an error may quote a payload");
}

/// A clock may be set to any time, and a recording may be anybody's.
#[test]
fn times_at_the_end_of_all_times_and_turns_without_a_request_are_exported() {
    let line = |text: Value| serde_json::from_value::<RecordingLine>(text).unwrap();
    let (guard, last) = (json!({ "hook": "guard", "status": "completed", "word": "deny", "micros": 9 }), u64::MAX);
    let turn = |turn: u64, at: u64| {
        let ids = json!({ "conversation": "c-1", "turn": turn });
        line(json!({ "line": "turn", "ids": ids, "exit": "no_tool_calls", "at": at, "micros": 90 }))
    };
    let lines = || {
        let dispatch =
            json!({ "line": "dispatch", "kind": "before_tool_call", "runs": [guard, guard], "at": last, "micros": 9 });
        let helper = json!({ "conversation": "c-1/call", "agent_path": ["clerk"], "request": "r-9" });
        let helper = json!({ "line": "turn", "ids": helper, "exit": "error", "at": last, "micros": 1 });
        [line(dispatch), turn(1, 7), turn(2, 7), turn(2, last), line(helper)]
    };
    let mut written = Vec::new();
    let export = write_otlp(lines(), &mut written).unwrap();
    let all: Value = serde_json::from_slice(&written).unwrap();
    let ids: BTreeSet<_> = spans(&all).iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!((export.spans, ids.len()), (7, 7), "{all:#}");
    let mut again = Vec::new();
    write_otlp(lines(), &mut again).unwrap();
    assert_eq!(written, again);
}
