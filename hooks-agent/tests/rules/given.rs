//! The input of scripts: exactly the fields of the contract at each event, because additional keys of another host
//! change the behaviour of scripts.

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::SessionEndReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::SubAgent;
use hooks_agent::model::Line;
use hooks_agent::store::MessageStore as _;
use hooks_agent::window::Window;
use serde_json::{Value, json};

use super::desk::{Desk, bash};

/// The fields of each event in addition to `session_id`, `transcript_path`, `cwd` and `hook_event_name`. Events in a
/// turn have the prompt's id, and events in a sub-agent its ids.
const FIELDS: &[(&str, &[&str])] = &[
    ("SessionStart", &["source"]),
    ("UserPromptSubmit", &["permission_mode", "prompt_id", "prompt"]),
    ("PreToolUse", &["permission_mode", "prompt_id", "tool_name", "tool_input", "tool_use_id"]),
    ("PermissionRequest", &["permission_mode", "prompt_id", "tool_name", "tool_input"]),
    (
        "PostToolUse",
        &["permission_mode", "prompt_id", "tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms"],
    ),
    (
        "PostToolUseFailure",
        &[
            "permission_mode",
            "prompt_id",
            "tool_name",
            "tool_input",
            "tool_use_id",
            "error",
            "is_interrupt",
            "duration_ms",
        ],
    ),
    ("SubagentStart", &["agent_id", "agent_type"]),
    (
        "SubagentStop",
        &[
            "permission_mode",
            "agent_id",
            "agent_type",
            "agent_transcript_path",
            "stop_hook_active",
            "last_assistant_message",
        ],
    ),
    ("PreCompact", &["prompt_id", "trigger", "custom_instructions"]),
    ("PostCompact", &["prompt_id", "trigger", "compact_summary"]),
    ("Stop", &["permission_mode", "prompt_id", "stop_hook_active", "last_assistant_message"]),
    ("SessionEnd", &["reason"]),
];

/// A session in which every event occurs.
async fn every_event(desk: &Desk) {
    let old = |i: u32| {
        Message::new(
            if i.is_multiple_of(2) { Role::User } else { Role::Assistant },
            "word ".repeat(if i == 0 { 800 } else { 1 }),
        )
    };
    desk.store.append("c-1", (0..8).map(old).collect()).await.unwrap();
    let harness = desk.harness().window(Window::new(1_000).compact_at(700));
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.");
    let session = desk.open(harness.agent(research)).await;
    session.turn(None, "hi").await;
    session.close(SessionEndReason::Shutdown).await.unwrap();
}

fn lines() -> [Line; 6] {
    [
        Line::text("they talked"),
        bash("ls"),
        Line::call("call_2", "breaks", json!({})),
        Line::call("call_3", "research", json!({"prompt": "what is it?"})),
        Line::text("a bird"),
        Line::text("done"),
    ]
}

#[tokio::test]
async fn a_nested_rule_gets_the_fields_of_the_contract_at_each_event() {
    let scripts: Vec<_> = FIELDS.iter().map(|(event, _)| (*event, "", format!("cat > {event}.json"))).collect();
    let scripts: Vec<_> = scripts.iter().map(|(event, matcher, script)| (*event, *matcher, script.as_str())).collect();
    let desk = Desk::new(&scripts, lines());
    // It asks, so that there is a permission request.
    let desk = desk.compiled(Hook::at::<BeforeToolCall>("asks").reader(|_, event: &BeforeToolCall, _| {
        if event.call.name == "run_shell_command" { Permission::ask("may it?") } else { Permission::NoOpinion }
    }));
    every_event(&desk).await;
    assert_eq!(desk.failures(), [""; 0]);
    for (event, fields) in FIELDS {
        let given = desk.kept(&format!("{event}.json"));
        let mut expected = vec!["session_id", "transcript_path", "cwd", "hook_event_name"];
        expected.extend(*fields);
        expected.sort_unstable();
        let mut keys: Vec<&str> = given.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, expected, "{event}");
        assert_eq!((&given["session_id"], &given["hook_event_name"]), (&json!("c-1"), &json!(event)));
        assert!(std::path::Path::new(given["transcript_path"].as_str().unwrap()).is_file(), "{event}");
    }
    let given = |event: &str, field: &str| desk.kept(&format!("{event}.json"))[field].clone();
    assert_eq!(given("UserPromptSubmit", "prompt"), "hi");
    assert_eq!(given("PreToolUse", "tool_name"), "research", "the last call");
    assert_eq!(given("PostToolUseFailure", "error"), "it broke");
    assert_eq!(given("Stop", "prompt_id"), given("UserPromptSubmit", "prompt_id"));
}

/// The envelope of the flat dialect. `Stop` and `PreCompact` have a single object.
#[tokio::test]
async fn a_flat_rule_gets_its_envelope_at_each_event() {
    let data = ["cwd", "sessionId"].as_slice();
    let tool = ["sessionId", "toolInput", "toolName"].as_slice();
    let table: [(&str, Vec<&str>); 8] = [
        ("SessionStart", data.to_vec()),
        ("UserPromptSubmit", [data, &["userMessage"]].concat()),
        ("PreToolUse", tool.to_vec()),
        ("PostToolUse", [tool, &["toolOutput"]].concat()),
        ("PostToolUseFailure", [&["error"], tool].concat()),
        ("SessionEnd", data.to_vec()),
        (
            "Stop",
            vec![
                "at_max_iter",
                "cwd",
                "hook_event_name",
                "last_assistant_message",
                "permission_mode",
                "session_id",
                "stop_hook_active",
                "transcript_path",
                "turn_end_reason",
            ],
        ),
        (
            "PreCompact",
            vec![
                "compaction_type",
                "custom_instructions",
                "cwd",
                "hook_event_name",
                "permission_mode",
                "reason",
                "session_id",
                "transcript_path",
                "trigger",
            ],
        ),
    ];
    let rule = |event: &str| json!([{"type": "command", "command": format!("cat > {event}.json")}]);
    let events: serde_json::Map<_, _> = table.iter().map(|(event, _)| ((*event).to_owned(), rule(event))).collect();
    let desk = Desk::of_file(tempfile::tempdir().unwrap(), &json!({"hooks": events}), lines(), |rules| rules);
    every_event(&desk).await;
    for (event, fields) in table {
        let mut given = desk.kept(&format!("{event}.json"));
        if !matches!(event, "Stop" | "PreCompact") {
            assert_eq!(given["event"], event);
            given = given["data"].take();
        }
        let mut keys: Vec<&str> = given.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, fields, "{event}");
    }
    assert_eq!(desk.kept("PostToolUse.json")["data"]["toolName"], "research");
}

/// Scripts compare the beginning of a path with a folder.
#[tokio::test]
async fn paths_of_file_tools_are_absolute() {
    let harness = |desk: &Desk| {
        let tool = |name: &str| {
            hooks_agent::tool::FnTool::new(hooks_agent::tool::ToolSpec::new(name), |_, input| Ok(input.to_string()))
        };
        desk.harness().tool(tool("read_file")).tool(tool("lookup"))
    };
    let call = |tool: &str| Line::call("call_1", tool, json!({"file_path": "notes/../secret.txt"}));
    for (tool, expected) in [("read_file", None), ("lookup", Some("notes/../secret.txt"))] {
        let desk = Desk::new(&[("PreToolUse", "", "cat > given.json")], [call(tool), Line::text("ok")]);
        desk.open(harness(&desk)).await.turn(None, "hi").await;
        let full = desk.folder.path().join("secret.txt");
        let expected: Value = expected.map_or_else(|| json!(full), Value::from);
        assert_eq!(desk.kept("given.json")["tool_input"]["file_path"], expected, "{tool}");
        // The tool gets the same path that the rule has judged.
        assert_eq!(*desk.sent().last().unwrap(), format!("tool: <- {}", json!({ "file_path": expected })));
    }
}
