//! The input of a rule in the envelope of its dialect, and the value that matchers are tested against.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hooks_rules::{Dialect, Event, Occurrence};
use serde_json::{Value, json};

fn occurrence(event: Event) -> Occurrence {
    let mut occurrence = Occurrence::new(event);
    "s-1".clone_into(&mut occurrence.session);
    "/t.jsonl".clone_into(&mut occurrence.transcript);
    "/repo".clone_into(&mut occurrence.cwd);
    occurrence
        .set("tool_name", "Bash")
        .set("tool_input", json!({"command": "ls"}))
        .set("tool_response", "out")
        .set("error", "boom")
        .set("prompt", "hello");
    occurrence
}

/// Section 3: the field of each event that its matchers are tested against.
#[test]
fn matchers_are_compared_with_the_field_of_their_event() {
    let table = [
        ("PreToolUse", "tool_name"),
        ("PostToolUse", "tool_name"),
        ("PostToolUseFailure", "tool_name"),
        ("PermissionRequest", "tool_name"),
        ("PermissionDenied", "tool_name"),
        ("SessionStart", "source"),
        ("SessionEnd", "reason"),
        ("Setup", "trigger"),
        ("PreCompact", "trigger"),
        ("PostCompact", "trigger"),
        ("Notification", "notification_type"),
        ("ConfigChange", "source"),
        ("DirectoryAdded", "source"),
        ("StopFailure", "error"),
        ("InstructionsLoaded", "load_reason"),
        ("UserPromptExpansion", "command_name"),
        ("Elicitation", "mcp_server_name"),
        ("ElicitationResult", "mcp_server_name"),
        ("PreModelSwitch", "to_model"),
        ("PostModelSwitch", "to_model"),
        ("FileChanged", "file_path"),
    ];
    for event in Event::all() {
        let mut occurrence = Occurrence::new(event);
        occurrence.agent = Some(("id".to_owned(), "Explore".to_owned()));
        let field = table.iter().find(|(name, _)| *name == event.as_str()).map(|(_, field)| *field);
        if let Some(field) = field {
            occurrence.set(field, "/some/value");
        }
        let expected = match event {
            Event::SubagentStart | Event::SubagentStop => Some("Explore"),
            // Of a file, its name.
            Event::FileChanged => Some("value"),
            _ => field.map(|_| "/some/value"),
        };
        assert_eq!(occurrence.matched(), expected, "{event}");
    }
}

/// Section 4.1: the common fields, and the events without a permission mode.
#[test]
fn a_nested_rule_gets_one_flat_object() {
    for event in Event::all() {
        let given = Occurrence::new(event).stdin(Dialect::Claude);
        let mut keys: Vec<&str> = given.as_object().unwrap().keys().map(String::as_str).collect();
        keys.retain(|key| *key != "permission_mode");
        keys.sort_unstable();
        assert_eq!(keys, ["cwd", "hook_event_name", "session_id", "transcript_path"], "{event}");
    }
    let with_mode: Vec<&str> = Event::all()
        .filter(|event| Occurrence::new(*event).stdin(Dialect::Claude).get("permission_mode").is_some())
        .map(Event::as_str)
        .collect();
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "PermissionRequest"] {
        assert!(with_mode.contains(&event), "{event}");
    }
    for event in ["SessionStart", "SessionEnd", "PreCompact", "PostCompact", "SubagentStart", "Notification"] {
        assert!(!with_mode.contains(&event), "{event}");
    }
    let mut sub = occurrence(Event::PreToolUse);
    sub.agent = Some(("a/b".to_owned(), "Explore".to_owned()));
    let given = sub.stdin(Dialect::Claude);
    assert_eq!((&given["agent_id"], &given["agent_type"]), (&json!("a/b"), &json!("Explore")));
}

#[test]
fn a_flat_rule_gets_an_envelope() {
    let tool = json!({"toolName": "Bash", "toolInput": {"command": "ls"}, "sessionId": "s-1"});
    let with = |name: &str, value: &str| {
        let mut data = tool.clone();
        data[name] = value.into();
        data
    };
    let table: [(Event, Value); 6] = [
        (Event::UserPromptSubmit, json!({"userMessage": "hello", "sessionId": "s-1", "cwd": "/repo"})),
        (Event::SessionStart, json!({"sessionId": "s-1", "cwd": "/repo"})),
        (Event::SessionEnd, json!({"sessionId": "s-1", "cwd": "/repo"})),
        (Event::PreToolUse, tool.clone()),
        (Event::PostToolUse, with("toolOutput", "out")),
        (Event::PostToolUseFailure, with("error", "boom")),
    ];
    for (event, data) in table {
        let expected = json!({"event": event.as_str(), "data": data});
        assert_eq!(occurrence(event).stdin(Dialect::Agentao), expected);
    }
}

#[test]
fn a_flat_rule_at_stop_or_before_a_compaction_gets_a_flat_object() {
    let mut stop = Occurrence::new(Event::Stop);
    stop.set("stop_hook_active", false).set_detail("turn_end_reason", "final_response");
    let expected = json!({
        "hook_event_name": "Stop", "session_id": "", "transcript_path": null, "cwd": "",
        "permission_mode": "workspace-write", "stop_hook_active": false, "turn_end_reason": "final_response",
    });
    assert_eq!(stop.stdin(Dialect::Agentao), expected);
    assert!(stop.stdin(Dialect::Claude).get("turn_end_reason").is_none());

    let mut compact = Occurrence::new(Event::PreCompact);
    compact.set("trigger", "auto").set("custom_instructions", Value::Null).set_detail("compaction_type", "full");
    let given = compact.stdin(Dialect::Agentao);
    assert_eq!((&given["custom_instructions"], &given["compaction_type"]), (&json!(""), &json!("full")));
    assert_eq!(compact.stdin(Dialect::Claude)["custom_instructions"], Value::Null);
}
