//! The standard input of scripts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hook_sdk::HookContext;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelError};
use hooks_rules::{Dialect, Event, Occurrence, Rules};
use serde_json::{Value, json};

use super::looped::Looped;
use crate::support::hooks_with;

/// A script that saves its input, one file per run.
const KEEPS: &str = "i=0; while [ -e \"$OUT/EVENT.$i\" ]; do i=$((i+1)); done; cat > \"$OUT/EVENT.$i\"";

/// A file with that script at each of these events. `out` is the folder for the inputs.
fn file(dialect: Dialect, events: &[Event], out: &Path) -> Value {
    let mut by_event = serde_json::Map::new();
    for event in events {
        let line = KEEPS.replace("EVENT", event.as_str()).replace("$OUT", &out.to_string_lossy());
        let handler = json!({"type": "command", "command": line, "timeout": 60});
        let entry = if dialect == Dialect::Claude { json!({"hooks": [handler]}) } else { handler };
        by_event.insert(event.to_string(), json!([entry]));
    }
    json!({ "hooks": by_event })
}

/// The files in a folder, by name.
fn kept(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut kept: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect();
    kept.sort();
    kept
}

/// Passes each of these inputs to `hooks dispatch`, and compares what the script got.
fn dispatched_again(dialect: Dialect, folder: &Path, inputs: &[(String, Vec<u8>)]) {
    for (name, input) in inputs {
        let event = Event::named(name.split('.').next().unwrap()).unwrap();
        let out = folder.join("again").join(name);
        fs::create_dir_all(&out).unwrap();
        fs::write(folder.join("hooks.json"), file(dialect, &[event], &out).to_string()).unwrap();
        let form = format!("--dialect={dialect}");
        let said = hooks_with(folder, &["dispatch", "--event", event.as_str(), "--trust", &form, "hooks.json"], input);
        let again = kept(&out);
        assert_eq!(again.len(), 1, "{dialect} {name}: {}{}", said.out, said.err);
        let (first, second) = (String::from_utf8_lossy(input), String::from_utf8_lossy(&again[0].1));
        assert_eq!(first, second, "{dialect} {name}: the input from dispatch differs from the first input");
    }
}

/// Runs a session in which each event that a kind carries occurs, some of them twice.
async fn fire_every_carried_event(folder: &Path) {
    let call = |id: &str, tool: &str, input: Value| Line::call(id, tool, input);
    let lines = [
        Line::text("they talked"),
        call("call_1", "run_shell_command", json!({"command": "printf '\u{e9}\\n'", "description": "tries"})),
        call("call_2", "breaks", json!({"deep": {"list": [1, 2.5, null, true, "\u{1f600}"]}})),
        call("call_3", "research", json!({"prompt": "what is it?"})),
        call("call_4", "run_shell_command", json!({"command": "ls"})),
        Line::text("a bird"),
        Line::text("done\nwith it"),
    ];
    let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, event: &BeforeToolCall, _| {
        if event.call.id == "call_1" { Permission::ask("may it?") } else { Permission::NoOpinion }
    });
    let looped = Looped::new(folder, lines).with_hook(asks);
    looped.session("hi \"there\"\n").await;
    // A turn that ends with an error.
    let refused = Looped::new(folder, [Line::error(ModelError::Rejected("no such model".into()))]);
    refused.turn("hi", hooks_agent::window::Window::new(100_000)).await;
    assert!(looped.runs().iter().chain(&refused.runs()).all(|(run, ..)| run.failure.is_none()));
}

#[tokio::test]
async fn the_loop_and_dispatch_pass_the_same_bytes_to_a_script() {
    for dialect in Dialect::ALL {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("kept");
        fs::create_dir(&out).unwrap();
        let carried: Vec<Event> =
            Event::all().filter(|event| event.spec().kind.is_some() && dialect.knows(*event)).collect();
        fs::write(folder.path().join("hooks.json"), file(dialect, &carried, &out).to_string()).unwrap();
        fire_every_carried_event(folder.path()).await;
        let inputs = kept(&out);
        let seen: BTreeSet<&str> = inputs.iter().map(|(name, _)| name.split('.').next().unwrap()).collect();
        assert_eq!(seen, carried.iter().map(|event| event.as_str()).collect(), "{dialect}: each event occurs");
        dispatched_again(dialect, folder.path(), &inputs);
    }
}

/// The fields of the contract for events that no kind carries, which an app fires itself.
fn of_an_app() -> Vec<(Event, Value)> {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    vec![
        (
            Event::PermissionDenied,
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "reason": "no"}),
        ),
        (Event::PostToolBatch, json!({"tool_calls": [call]})),
        (
            Event::UserPromptExpansion,
            json!({"expansion_type": "slash_command", "command_name": "fix", "command_args": "12", "prompt": "/fix 12"}),
        ),
        (Event::TeammateIdle, json!({"teammate_name": "ada", "team_name": "one"})),
        (Event::TaskCreated, json!({"task_id": "1", "task_subject": "s", "task_description": "d"})),
        (Event::TaskCompleted, json!({"task_id": "1", "task_subject": "s"})),
        (
            Event::PreModelSwitch,
            json!({"from_model": "a", "to_model": "b", "requested_model": null, "source": "picker", "context_tokens": 12}),
        ),
        (Event::PostModelSwitch, json!({"from_model": "a", "to_model": "b", "requested_model": "b", "source": "auto"})),
        (Event::Setup, json!({"trigger": "init"})),
        (Event::Notification, json!({"message": "m", "title": "t", "notification_type": "idle_prompt"})),
        (
            Event::InstructionsLoaded,
            json!({"file_path": "/a/CLAUDE.md", "memory_type": "project", "load_reason": "session_start"}),
        ),
        (Event::ConfigChange, json!({"source": "project_settings", "file_path": "/a/settings.json"})),
        (Event::CwdChanged, json!({"old_cwd": "/a", "new_cwd": "/b"})),
        (Event::FileChanged, json!({"file_path": "/a/b.txt", "event": "change"})),
        (Event::DirectoryAdded, json!({"directory": "/a", "source": "slash_command"})),
        (Event::WorktreeCreate, json!({"name": "n"})),
        (Event::WorktreeRemove, json!({"worktree_path": "/a"})),
        (
            Event::Elicitation,
            json!({"mcp_server_name": "m", "message": "which?", "mode": "form", "requested_schema": {"type": "object"}}),
        ),
        (Event::ElicitationResult, json!({"mcp_server_name": "m", "action": "accept", "content": {"a": 1}})),
        (Event::MessageDisplay, json!({"turn_id": "t", "message_id": "m", "index": 0, "final": true, "delta": "d"})),
    ]
}

#[tokio::test]
async fn an_app_and_dispatch_pass_the_same_bytes_to_a_script() {
    let events = of_an_app();
    let not_carried: BTreeSet<Event> = Event::all().filter(|event| event.spec().kind.is_none()).collect();
    assert_eq!(events.iter().map(|(event, _)| *event).collect::<BTreeSet<_>>(), not_carried);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("kept");
    fs::create_dir(&out).unwrap();
    let text = file(Dialect::Claude, &events.iter().map(|(event, _)| *event).collect::<Vec<_>>(), &out).to_string();
    let rules = Rules::builder().text("hooks.json", text).project_dir(folder.path()).build();
    for (event, fields) in &events {
        let mut occurrence = Occurrence::new(*event);
        for (name, value) in fields.as_object().unwrap() {
            occurrence.set(name, value.clone());
        }
        let cx = HookContext::builder().conversation("c-1").workspace(folder.path()).build();
        assert_eq!(rules.fire(&cx, occurrence).await.failure, None, "{event}");
    }
    let inputs = kept(&out);
    assert_eq!(inputs.len(), events.len());
    dispatched_again(Dialect::Claude, folder.path(), &inputs);
}
