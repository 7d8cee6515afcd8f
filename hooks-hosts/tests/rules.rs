//! What `hooks-rules` writes for a script of Claude Code is read here, and what is answered here is read there.

use hooks_hosts::{HookPoint, HostDecision, HostVerdict, Request, Stdout, find, written};
use hooks_rules::{Answer, AnswerReader, Dialect, Event, Occurrence, RuleDecision, RunStatus};
use serde_json::{Value, json};

fn occurrences() -> Vec<(Occurrence, HookPoint)> {
    let events = [
        (Event::PreToolUse, HookPoint::BeforeToolCall),
        (Event::PostToolUse, HookPoint::AfterToolCallSuccess),
        (Event::PostToolUseFailure, HookPoint::AfterToolCallFailure),
        (Event::UserPromptSubmit, HookPoint::UserPromptSubmit),
        (Event::Stop, HookPoint::Stop),
        (Event::SessionStart, HookPoint::SessionStart),
        (Event::PreCompact, HookPoint::BeforeCompaction),
        (Event::PermissionRequest, HookPoint::PermissionRequest),
    ];
    let occurrence = |(event, kind): (Event, HookPoint)| {
        let mut call = Occurrence::new(event);
        call.session = "s-1".into();
        call.cwd = "/shop".into();
        call.set("tool_name", "Bash").set("tool_input", json!({ "command": "ls" })).set("tool_use_id", "call_1");
        call.set("tool_response", json!({ "stdout": "a", "stderr": "", "interrupted": false, "isImage": false }));
        call.set("prompt", "go").set("source", "startup").set("trigger", "auto");
        if event == Event::PostToolUseFailure {
            call.set("error", "exit 1");
        }
        call.set("stop_hook_active", true).set("last_assistant_message", "done");
        (call, kind)
    };
    events.into_iter().map(occurrence).collect()
}

#[test]
fn a_script_and_a_typed_hook_are_told_the_same() {
    let claude = find("claude").unwrap();
    for (occurrence, kind) in occurrences() {
        let stdin = occurrence.stdin(Dialect::Claude).to_string();
        let (_, event) = Request::new(claude, stdin.as_bytes()).read().unwrap();
        assert_eq!((event.kind, &*event.host_event), (kind, occurrence.event.as_str()));
        assert_eq!((event.session.as_deref(), event.cwd.as_deref()), (Some("s-1"), Some("/shop")));
        if let Some(tool) = &event.tool {
            assert_eq!((&*tool.canonical, event.input.as_ref()), ("Bash", occurrence.get("tool_input")));
        }
    }
}

/// The answer as a rule's, read by the rules.
fn read_back(event: Event, host_event: &str, verdict: HostVerdict) -> Answer {
    let claude = find("claude").unwrap();
    let (occurrence, _) = occurrences().into_iter().find(|(occurrence, _)| occurrence.event == event).unwrap();
    let stdin = occurrence.stdin(Dialect::Claude).to_string();
    let (_, read) = Request::new(claude, stdin.as_bytes()).event(host_event).read().unwrap();
    let answer = written(claude, &read, verdict);
    let Stdout::Json(said) = &answer.stdout else { panic!("{answer:?}") };
    AnswerReader::new(Dialect::Claude, event).read(&RunStatus::Exit(answer.exit.into()), &said.to_string(), "")
}

#[test]
fn an_answer_is_read_back_as_the_verdict_that_it_was() {
    let before = |decision: HostDecision| read_back(Event::PreToolUse, "PreToolUse", decision.into());
    assert!(matches!(before(HostDecision::Deny("no".into())).decision, RuleDecision::Deny(reason) if reason == "no"));
    assert!(
        matches!(before(HostDecision::Ask("sure?".into())).decision, RuleDecision::Ask(reason) if reason == "sure?")
    );
    assert!(matches!(before(HostDecision::Allow).decision, RuleDecision::Allow(_)));
    assert!(matches!(before(HostDecision::NoOpinion).decision, RuleDecision::None));
    let input = json!({ "command": "true" });
    let rewritten = HostVerdict::default().with_input(input.clone(), None).with_context("note");
    let answer = read_back(Event::PreToolUse, "PreToolUse", rewritten);
    assert_eq!((answer.updated_input, answer.contexts), (Some(input), vec!["note".to_owned()]));
    let result: Value = json!({ "stdout": "b", "stderr": "", "interrupted": false, "isImage": false });
    let answer = read_back(Event::PostToolUse, "PostToolUse", HostVerdict::default().with_result("b".into(), None));
    assert_eq!(answer.updated_output, Some(result));
    let stop = read_back(Event::Stop, "Stop", HostDecision::KeepGoing("tests first".into()).into());
    assert!(matches!(stop.decision, RuleDecision::Continue(text) if text == "tests first"));
    let prompt = read_back(Event::UserPromptSubmit, "UserPromptSubmit", HostVerdict::deny("no"));
    assert!(matches!(prompt.decision, RuleDecision::Deny(reason) if reason == "no"), "the prompt");
}
