//! Two properties over all hosts: no answer allows more than the hooks did, and no payload opens by being odd.

use hook_sdk::data::ToolInput;
use hook_sdk::kinds::{BeforeCompaction, BeforeToolCall, PermissionRequest, UserPromptSubmit};
use hook_sdk::verdict::{Permission, PromptVerdict};
use hook_sdk::{Hook, Registry};
use hooks_hosts::{
    Carried, HookPoint, HostAnswer, HostDecision, HostEvent, HostVerdict, Responder, Stdout, find, written,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use crate::cases::{Case, cases};
use crate::contract::{Taken, malformed, taken};

/// `HOOKS_HOSTS_CASES=1000000` for more.
fn cases_of_a_run() -> ProptestConfig {
    let cases = std::env::var("HOOKS_HOSTS_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

struct Gate {
    case: Case,
    event: HostEvent,
}

fn gates() -> Vec<Gate> {
    let read = |case: Case| {
        let event = case.with(&case.stdin, |request| request.read().unwrap().1);
        matches!(event.kind, HookPoint::BeforeToolCall | HookPoint::PermissionRequest).then_some(Gate { case, event })
    };
    cases().into_iter().filter_map(read).collect()
}

fn decisions() -> impl Strategy<Value = HostDecision> {
    prop_oneof![
        Just(HostDecision::NoOpinion),
        Just(HostDecision::Allow),
        "[a-z ]{1,20}".prop_map(HostDecision::Ask),
        "[a-z ]{1,20}".prop_map(HostDecision::Deny),
    ]
}

/// How hooks change arguments: one to another text, one gone, one new.
fn changed(input: &Value, at: Index, how: u8) -> Value {
    let mut map = input.as_object().cloned().unwrap_or_default();
    let keys: Vec<String> = map.keys().cloned().collect();
    match (how % 4, keys.is_empty()) {
        (0, false) => drop(map.insert(at.get(&keys).clone(), "changed".into())),
        (1, false) => drop(map.remove(at.get(&keys))),
        (2, _) => drop(map.insert("added".to_owned(), json!([1]))),
        _ => map = Map::from_iter([("command".to_owned(), "true".into())]),
    }
    map.into()
}

/// The arguments of the call under the host's own names.
fn sent(event: &HostEvent) -> Value {
    let keys = hooks_hosts::find(event.host).unwrap().keys.input;
    let found = keys.iter().find_map(|pointer| event.payload.pointer(pointer)).cloned().unwrap_or_default();
    match &found {
        Value::String(text) => serde_json::from_str(text).unwrap_or(found),
        _ => found,
    }
}

proptest! {
    #![proptest_config(cases_of_a_run())]

    #[test]
    fn no_answer_allows_more_than_was_said(
        at in any::<Index>(),
        decision in decisions(),
        change in proptest::option::of((any::<Index>(), any::<u8>())),
        context in proptest::option::of("[a-z]{1,8}"),
    ) {
        thread_local!(static GATES: Vec<Gate> = gates());
        GATES.with(|gates| {
            let Gate { case, event } = at.get(gates);
            let mut verdict = HostVerdict::from(decision.clone());
            verdict.contexts.extend(context);
            let input = event.input.as_ref().unwrap();
            verdict.input = change.map(|(at, how)| changed(input, at, how)).filter(|new| new != input);
            let rewritten = verdict.input.clone();
            let answer = written(find(case.host).unwrap(), event, verdict);
            let sent = sent(event);
            let (taken, used) = taken(case.host, &event.host_event, &sent, &answer);
            let shown = format!("{}/{}: {decision:?} {rewritten:?} became {answer:?}", case.host, case.name);
            prop_assert!(malformed(case.host, &event.host_event, &answer).is_none(), "{}", shown);
            if taken == Taken::Denied {
                return Ok(());
            }
            prop_assert!(!matches!(decision, HostDecision::Deny(_)), "{}", shown);
            if matches!(decision, HostDecision::Ask(_)) {
                let asks_anyway = event.kind == HookPoint::PermissionRequest && taken == Taken::Unheard;
                prop_assert!(taken == Taken::Asked || asks_anyway, "{}", shown);
            }
            // Codex and Qwen take changed arguments with an allow only.
            let forced = rewritten.is_some() && (case.host == "codex" || case.host == "qwen");
            prop_assert!(taken != Taken::Allowed || decision == HostDecision::Allow || forced, "{}", shown);
            match (&rewritten, &used) {
                (Some(new), Some(used)) => {
                    // As many arguments as the hook left, with its values, beside those that only describe the call.
                    let (mut new, used) = (new.as_object().unwrap().clone(), used.as_object().unwrap());
                    for name in ["explanation", "isBackground", "startLine", "endLine", "Cwd"] {
                        let kept = sent.get(name).filter(|_| ["vscode", "antigravity"].contains(&case.host));
                        kept.map(|kept| new.entry(name).or_insert(kept.clone()));
                    }
                    prop_assert_eq!(new.len(), used.len(), "{}", shown);
                    let texts = |map: &Map<String, Value>| {
                        let mut texts: Vec<String> = map.values().map(Value::to_string).collect();
                        texts.sort();
                        texts
                    };
                    if !new.values().any(Value::is_array) {
                        prop_assert_eq!(texts(&new), texts(used), "{}", shown);
                    }
                }
                (Some(_), None) => prop_assert!(false, "{}", shown),
                (None, used) => prop_assert!(used.is_none(), "{}", shown),
            }
            Ok(())
        })?;
    }

    #[test]
    fn no_mutation_of_a_payload_opens(
        at in any::<Index>(),
        edits in proptest::collection::vec((any::<u8>(), any::<Index>(), any::<Index>(), any::<u8>()), 1..4),
    ) {
        thread_local!(static SHELLS: (Responder, Vec<Gate>, tokio::runtime::Runtime) = (guard(), shells(), runtime()));
        SHELLS.with(|(guard, gates, runtime)| {
            let Gate { case, .. } = at.get(gates);
            let mut stdin = case.stdin.clone();
            for (how, first, second, byte) in edits {
                mutate(&mut stdin, how, first, second, byte);
            }
            let answer = case.with(&stdin, |request| runtime.block_on(guard.respond(request)));
            let shown = || format!("{}/{}: {} became {answer:?}", case.host, case.name, String::from_utf8_lossy(&stdin));
            if must_deny(case, &stdin) {
                prop_assert!(refuses(case, &stdin, &answer), "{}", shown());
            }
            Ok(())
        })?;
    }

    #[test]
    fn no_mutation_opens_a_gate_of_any_event_and_tool(
        at in any::<Index>(),
        edits in proptest::collection::vec((any::<u8>(), any::<Index>(), any::<Index>(), any::<u8>()), 0..4),
    ) {
        thread_local!(static MARKED: (Responder, Vec<Gate>, tokio::runtime::Runtime) =
            (marked_is_denied(), marked(), runtime()));
        MARKED.with(|(guard, gates, runtime)| {
            let gate = at.get(gates);
            let Gate { case, event } = gate;
            let mut stdin = case.stdin.clone();
            for (how, first, second, byte) in edits {
                mutate(&mut stdin, how, first, second, byte);
            }
            let answer = case.with(&stdin, |request| runtime.block_on(guard.respond(request)));
            let is_call = matches!(event.kind, HookPoint::BeforeToolCall | HookPoint::PermissionRequest);
            if still_marked(gate, &stdin) {
                let refused = if is_call { refuses(case, &stdin, &answer) } else { refuses_otherwise(&answer) };
                let shown = String::from_utf8_lossy(&stdin);
                prop_assert!(refused, "{}/{}: {shown} became {answer:?}", case.host, case.name);
            }
            Ok(())
        })?;
    }
}

const MARK: &str = "EVIL";

/// Denies every call and every prompt in which it sees the mark, whatever the tool.
fn marked_is_denied() -> Responder {
    let registry = Registry::empty();
    let seen = |input: &ToolInput| {
        let marked = input.to_string().contains(MARK);
        if marked { Permission::deny("marked") } else { Permission::NoOpinion }
    };
    let call = Hook::at::<BeforeToolCall>("calls").reader(move |_, _, input: &ToolInput| seen(input));
    let asked = Hook::at::<PermissionRequest>("requests").reader(move |_, _, input: &ToolInput| seen(input));
    let prompt = Hook::at::<UserPromptSubmit>("prompts").reader(|_, event: &UserPromptSubmit, _| {
        if event.prompt.contains(MARK) { PromptVerdict::block("marked") } else { PromptVerdict::default() }
    });
    let compaction = Hook::at::<BeforeCompaction>("compactions").reader(|_, _, ()| Permission::deny("marked"));
    for hook in [call, asked, prompt, compaction] {
        registry.register(hook).unwrap();
    }
    Responder::new(registry).unwrap()
}

/// Where the contract has what a gate judges; of several lists, the first that the payload has counts.
fn judged(case: &Case, event: &HostEvent) -> &'static [&'static [&'static str]] {
    match (event.kind, case.host, &*event.host_event) {
        (HookPoint::UserPromptSubmit, "windsurf", _) => &[&["/tool_info/user_prompt"]],
        (HookPoint::UserPromptSubmit, ..) => &[&["/submitted_prompt"], &["/userPromptSubmit/prompt"], &["/prompt"]],
        (_, "copilot", _) => &[&["/toolArgs"], &["/tool_input"]],
        (_, "antigravity", _) => &[&["/toolCall/args"]],
        (_, "windsurf", "pre_mcp_tool_use") => &[&["/tool_info/mcp_tool_arguments"]],
        (_, "windsurf", _) => &[&["/tool_info"]],
        (_, "cursor", "beforeShellExecution") => &[&["/command"]],
        (_, "cursor", "beforeReadFile") => &[&["/file_path", "/content"]],
        (_, "cline", _) => &[&["/tool_call/input"], &["/preToolUse/parameters"]],
        _ => &[&["/tool_input"]],
    }
}

fn of_first<'a>(value: &'a Value, places: &[&[&str]]) -> Vec<&'a Value> {
    let of = |list: &&[&str]| -> Vec<&'a Value> { list.iter().filter_map(|at| value.pointer(at)).collect() };
    places.iter().map(of).find(|found| found.iter().any(|value| !value.is_null())).unwrap_or_default()
}

/// Every text with the mark, also in a text that is JSON.
fn mark(value: &mut Value) {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(mut inner @ (Value::Array(_) | Value::Object(_))) => {
                mark(&mut inner);
                *text = inner.to_string();
            }
            _ => *text = format!("{text} {MARK}"),
        },
        Value::Array(list) => list.iter_mut().for_each(mark),
        Value::Object(map) => map.values_mut().for_each(mark),
        _ => {}
    }
}

/// The payloads of every gate that hears a denial, with the mark in everything that it judges.
fn marked() -> Vec<Gate> {
    let of = |mut case: Case| {
        let event = case.with(&case.stdin, |request| request.read().unwrap().1);
        let hears = find(case.host).unwrap().carries(&event).deny == Carried::Yes;
        if !event.kind.is_gate() || event.kind == HookPoint::PreModelCall || !hears {
            return None;
        }
        let mut value: Value = serde_json::from_slice(&case.stdin).unwrap();
        for place in judged(&case, &event).iter().copied().flatten() {
            value.pointer_mut(place).into_iter().for_each(mark);
        }
        case.stdin = value.to_string().into_bytes();
        Some(Gate { case, event })
    };
    cases().into_iter().filter_map(of).collect()
}

fn still_marked(Gate { case, event }: &Gate, stdin: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(stdin) else { return true };
    let original: Value = serde_json::from_slice(&case.stdin).unwrap();
    let names = find(case.host).unwrap().keys.event;
    let same_event = case.event.is_some() || names.iter().all(|at| value.pointer(at) == original.pointer(at));
    let is_marked = |value: &&Value| value_has(value, MARK);
    let compacts = event.kind == HookPoint::BeforeCompaction;
    same_event && value.is_object() && (compacts || of_first(&value, judged(case, event)).iter().any(is_marked))
}

fn value_has(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => text.contains(mark),
        Value::Array(list) => list.iter().any(|value| value_has(value, mark)),
        Value::Object(map) => map.values().any(|value| value_has(value, mark)),
        _ => false,
    }
}

/// Whether any host takes the answer as a refusal of what is no call.
pub(crate) fn refuses_otherwise(answer: &HostAnswer) -> bool {
    let Stdout::Json(said) = &answer.stdout else { return answer.exit == 2 };
    said["decision"] == "block"
        || said["decision"] == "deny"
        || said["continue"] == false
        || said["cancel"] == true
        || answer.exit == 2
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// A guard that is written as carelessly as guards are: what has no line to look at passes.
fn guard() -> Responder {
    let registry = Registry::empty();
    let careless = Hook::at::<BeforeToolCall>("no_rm").reader(|_, _, input: &ToolInput| {
        let removes = input["command"].as_str().is_some_and(|line| line.contains("rm -"));
        if removes { Permission::deny("nothing is removed here") } else { Permission::NoOpinion }
    });
    let careless = careless.only("tool", "Bash");
    registry.register(careless).unwrap();
    Responder::new(registry).unwrap()
}

fn shells() -> Vec<Gate> {
    let is_shell = |gate: &Gate| {
        gate.event.kind == HookPoint::BeforeToolCall
            && gate.event.tool.as_ref().is_some_and(|tool| tool.canonical == "Bash")
    };
    gates().into_iter().filter(is_shell).collect()
}

fn mutate(stdin: &mut Vec<u8>, how: u8, first: Index, second: Index, byte: u8) {
    if stdin.is_empty() {
        return;
    }
    let at = first.index(stdin.len());
    match how % 10 {
        0 => stdin[at] = byte,
        1 => stdin[at] ^= 1 << (byte % 8),
        2 => stdin.truncate(at),
        3 => drop(stdin.drain(at..(at + second.index(9)).min(stdin.len()))),
        4 => stdin.insert(at, b"{}[]\",:\\\0 "[usize::from(byte % 10)]),
        5 => {
            let piece: Vec<u8> = stdin[at..(at + second.index(60)).min(stdin.len())].to_vec();
            let place = second.index(stdin.len());
            stdin.splice(place..place, piece);
        }
        _ => {
            if let Ok(mut value) = serde_json::from_slice::<Value>(stdin) {
                mutate_json(&mut value, how, first, second);
                *stdin = value.to_string().into_bytes();
            }
        }
    }
}

fn mutate_json(value: &mut Value, how: u8, first: Index, second: Index) {
    let mut pointers = vec![String::new()];
    walk(value, "", &mut pointers);
    let pointer = first.get(&pointers).clone();
    let Some(place) = value.pointer_mut(&pointer) else { return };
    let old = place.take();
    let odd = [
        Value::Null,
        json!([old]),
        json!({ "command": old }),
        json!(7),
        json!(""),
        json!("Bash"),
        json!({}),
        json!(true),
    ];
    *place = match (how % 4, old) {
        (0, _) => second.get(&odd).clone(),
        (1, Value::Object(mut map)) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            if !keys.is_empty() {
                let key = second.get(&keys);
                let value = map.remove(key).unwrap();
                map.insert(if how > 127 { key.to_uppercase() } else { format!("{key} ") }, value);
            }
            map.into()
        }
        (2, Value::Object(mut map)) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            if !keys.is_empty() {
                map.remove(second.get(&keys));
            }
            map.into()
        }
        (_, Value::String(text)) if how > 127 => text.to_uppercase().into(),
        (_, old) => old,
    };
}

fn walk(value: &Value, at: &str, pointers: &mut Vec<String>) {
    let mut child = |key: &str, value: &Value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        pointers.push(pointer.clone());
        walk(value, &pointer, pointers);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| child(key, value)),
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| child(&at.to_string(), value)),
        _ => {}
    }
}

/// Where the contract has the shell's tool and its line, for the payloads of `shells`.
fn places(host: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match host {
        "copilot" => (&["/toolName", "/tool_name"], &["/toolArgs/command", "/tool_input/command"]),
        "antigravity" => (&["/toolCall/name"], &["/toolCall/args/CommandLine"]),
        "windsurf" => (&[], &["/tool_info/command_line"]),
        "cursor" => (&["/tool_name"], &["/tool_input/command", "/command"]),
        "cline" => (
            &["/tool_call/name", "/preToolUse/toolName"],
            // What the SDK runs; the parameters beside it are for show.
            &["/tool_call/input", "/preToolUse/parameters/commands", "/preToolUse/parameters/command"],
        ),
        _ => (&["/tool_name"], &["/tool_input/command"]),
    }
}

/// Whether the call has to be denied, whatever reads the payload: it still removes, or nobody can tell what it does.
fn must_deny(case: &Case, stdin: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(stdin) else { return true };
    let (tools, lines) = places(case.host);
    let original: Value = serde_json::from_slice(&case.stdin).unwrap();
    // Only what the original had at this place says that it is the shell.
    let tool = tools.iter().find(|pointer| original.pointer(pointer).is_some());
    let is_shell = tool.is_none_or(|pointer| value.pointer(pointer) == original.pointer(pointer));
    let event = find(case.host).unwrap().keys.event;
    let same_event =
        case.event.is_some() || event.iter().all(|pointer| value.pointer(pointer) == original.pointer(pointer));
    let line = lines.iter().find_map(|pointer| value.pointer(pointer));
    same_event && is_shell && line.is_none_or(removes)
}

/// Whether a text of the value removes. Its JSON is no measure: `"\rm -"` is a line break and an `m`.
fn removes(value: &Value) -> bool {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Array(_) | Value::Object(_))) => removes(&inner),
            _ => text.contains("rm -"),
        },
        Value::Array(list) => list.iter().any(removes),
        Value::Object(map) => map.values().any(removes),
        _ => false,
    }
}

fn refuses(case: &Case, stdin: &[u8], answer: &HostAnswer) -> bool {
    let event = case.with(stdin, |request| request.read().map(|(_, event)| event.host_event));
    let original = case.with(&case.stdin, |request| request.read().unwrap().1.host_event);
    let (taken, _) = taken(case.host, &event.unwrap_or(original), &Value::Null, answer);
    // A refusal without a known event says it by its status.
    taken == Taken::Denied || answer.exit == 2
}

#[test]
fn hooks_count_in_the_session_of_the_host() {
    use std::sync::atomic::{AtomicU32, Ordering};

    use hook_sdk::kinds::BeforeToolCall;
    use hook_sdk::prelude::*;
    use hooks_hosts::{Request, Responder, Stdout, find};

    let registry = Registry::empty();
    let counts = |cx: &HookContext, _: &BeforeToolCall, _: &ToolInput| match cx.conversation_state::<AtomicU32>() {
        Ok(count) if count.fetch_add(1, Ordering::Relaxed) == 0 => Permission::NoOpinion,
        Ok(_) => Permission::deny("once"),
        Err(error) => Permission::deny(error.to_string()),
    };
    registry.register(Hook::at::<BeforeToolCall>("once").reader(counts)).unwrap();
    let responder = Responder::new(registry).unwrap();
    let call = |session: &str| {
        let stdin = serde_json::json!({ "event": "PreToolUse", "session_id": session, "tool_name": "shell", "tool_input": { "command": "ls" } });
        let answer = responder.respond_blocking(&Request::new(find("goose").unwrap(), stdin.to_string().as_bytes()));
        match answer.unwrap().stdout {
            Stdout::Json(said) => said["reason"].as_str().unwrap_or_default().to_owned(),
            _ => String::new(),
        }
    };
    assert_eq!(["a", "a", "b"].map(call), ["", "once", ""]);
}
