//! Tools of an MCP server in a child process.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::data::{Block, ToolCall, ToolResult};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::Tool;
use hooks_agent::tool::mcp::{McpError, McpServer, McpTool};
use hooks_agent::{Harness, Limits, Outcome, Session, TurnEvent};
use serde_json::{Value, json};

fn fixture(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks-agent-mcp-fixture"));
    command.args(arguments);
    command
}

async fn server() -> McpServer {
    McpServer::connect(fixture(&[])).await.unwrap()
}

fn tool(server: &McpServer, name: &str) -> McpTool {
    server.tools().into_iter().find(|tool| tool.spec().name == name).unwrap()
}

async fn run(server: &McpServer, name: &str, input: Value) -> Result<ToolResult, String> {
    let call = ToolCall::new("1", name, input);
    let result = tool(server, name).run(&HookContext::default(), &call, call.input.clone()).await;
    result.map_err(|error| error.to_string())
}

/// Whether the process exists, including zombies.
fn lives(pid: &str) -> bool {
    std::path::Path::new("/proc").join(pid).exists()
}

async fn pid(server: &McpServer) -> String {
    run(server, "pid", json!({})).await.unwrap().text().into_owned()
}

/// Fails if `done` does not become true in time.
async fn eventually(done: impl Fn() -> bool) {
    let wait = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap();
}

#[tokio::test]
async fn all_pages_of_tools_are_listed_with_their_schemas() {
    let server = server().await;
    let names: Vec<_> = server.tools_named("fx_").iter().map(|tool| tool.spec().name).collect();
    assert_eq!(
        names,
        [
            "fx_find",
            "fx_fails",
            "fx_refuses",
            "fx_paints",
            "fx_counts",
            "fx_repeats",
            "fx_hangs",
            "fx_garbles",
            "fx_dies",
            "fx_pid"
        ]
    );
    let spec = tool(&server, "find").spec();
    assert_eq!(spec.description, "Finds it.");
    assert_eq!(spec.schema["properties"]["id"]["type"], "string");
}

#[tokio::test]
async fn a_result_has_the_content_from_the_server() {
    let server = server().await;
    assert_eq!(run(&server, "find", json!({ "id": "a" })).await, Ok(ToolResult::new("found {\"id\":\"a\"}")));
    assert_eq!(run(&server, "find", Value::Null).await, Ok(ToolResult::new("found null")));
    assert_eq!(run(&server, "fails", json!({})).await, Ok(ToolResult::error("it broke")));
    for tool in ["counts", "repeats"] {
        assert_eq!(run(&server, tool, json!({})).await, Ok(ToolResult::new("{\"count\":3}")), "{tool}");
    }
    let painted = run(&server, "paints", json!({})).await.unwrap();
    let image = json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" });
    assert_eq!(painted.content, [Block::from("done"), Block::Other(image)]);
}

#[tokio::test]
async fn errors_have_readable_messages() {
    let server = server().await;
    assert_eq!(run(&server, "refuses", json!({})).await.unwrap_err(), "no such id");
    let wrong = run(&server, "find", json!([1])).await.unwrap_err();
    assert_eq!(wrong, "the arguments are not an object; write one that fits the tool's schema");
    for tool in ["dies", "find"] {
        let gone = run(&server, tool, json!({})).await.unwrap_err();
        assert_eq!(gone, format!("the server of the tool `{tool}` has exited; continue without it"));
    }
}

#[tokio::test]
async fn a_program_that_is_not_a_server_is_an_error_with_its_name() {
    let error = McpServer::connect(Command::new("/nowhere/at-all")).await.unwrap_err();
    assert!(matches!(error, McpError::Start { .. }), "{error}");
    assert!(error.to_string().starts_with("the MCP server `/nowhere/at-all` could not be started: "), "{error}");
    // Whether the exit of a program is noticed when writing or when reading is random.
    let short = Duration::from_millis(200);
    for (behaviour, limit, why) in [("leaves", LONG, ""), ("mute", short, "it was not ready within 200ms")] {
        let error = McpServer::connect_within(fixture(&[behaviour]), limit).await.unwrap_err();
        assert!(matches!(error, McpError::Connect { .. }), "{behaviour}: {error}");
        assert!(error.to_string().contains("hooks-agent-mcp-fixture` was started, but: "), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn the_error_contains_the_last_output_of_the_program() {
    let error = McpServer::connect(fixture(&["complains"])).await.unwrap_err().to_string();
    assert!(
        error.ends_with("; its last output: line 6\nline 7\nline 8\nline 9\nno configuration at /etc/fixture"),
        "{error}"
    );
    // If there was no output, the message does not mention any.
    let error = McpServer::connect(fixture(&["leaves"])).await.unwrap_err().to_string();
    assert!(!error.contains("it said"), "{error}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_lives_as_long_as_a_handle_to_it() {
    let server = server().await;
    let pid = pid(&server).await;
    let tool = tool(&server, "find");
    drop(server);
    let call = ToolCall::new("1", "find", json!({}));
    let _ = tool.run(&HookContext::default(), &call, call.input.clone()).await.unwrap();
    assert!(lives(&pid));
    drop(tool);
    eventually(|| !lives(&pid)).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_does_not_exit_is_killed() {
    let server = McpServer::connect(fixture(&["stays"])).await.unwrap();
    let pid = pid(&server).await;
    // With paused time, the grace period passes immediately.
    tokio::time::pause();
    drop(server);
    let start = std::time::Instant::now();
    while lives(&pid) {
        assert!(start.elapsed() < Duration::from_secs(30));
        tokio::task::yield_now().await;
        tokio::time::advance(Duration::from_millis(10)).await;
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_ends_with_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (server, pid) = runtime.block_on(async {
        // A server that does not exit by itself.
        let server = McpServer::connect(fixture(&["stays"])).await.unwrap();
        let pid = pid(&server).await;
        (server, pid)
    });
    drop(runtime);
    drop(server);
    // Nobody reaps it, so it may remain as a zombie until this program exits.
    let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let ended = || state().is_empty() || state().contains(") Z ");
    let start = std::time::Instant::now();
    while !ended() {
        assert!(start.elapsed() < Duration::from_secs(30), "{}", state());
        std::thread::yield_now();
    }
}

/// Longer than a test may take.
const LONG: Duration = Duration::from_secs(3_600);

type Log = Arc<Mutex<Vec<String>>>;

/// A session whose model calls `tool` and then answers, with hooks at calls.
async fn session(server: &McpServer, tool: &str, log: &Log, limit: Duration) -> Session {
    let registry = Registry::empty();
    let note = |log: &Log, what: String| log.lock().unwrap().push(what);
    let gate = Arc::clone(log);
    let gate = Hook::at::<BeforeToolCall>("gate").writer(move |_, event: &BeforeToolCall, input: &mut ToolInput| {
        note(&gate, format!("gate {}", event.call.name));
        input["id"] = "rewritten".into();
    });
    let good = Arc::clone(log);
    let good = Hook::at::<AfterToolCallSuccess>("good").writer(move |_, _, result: &mut ToolResult| {
        note(&good, "success".to_owned());
        result.rewrite_text(|text| Some(text.to_uppercase()));
    });
    let bad = Arc::clone(log);
    let bad = Hook::at::<AfterToolCallFailure>("bad").reader(move |_, event: &AfterToolCallFailure, _| {
        note(&bad, format!("failure {}", event.error));
    });
    for hook in [gate.only("tool", "fx_*"), good.on_failure(OnFailure::Continue), bad] {
        registry.register(hook).unwrap();
    }
    registry.set_app(AppDef::new("app").hooks(["gate", "good", "bad"]));
    let mut limits = Limits::default();
    limits.tool = limit;
    let model = Scripted::new([Line::call("1", tool, json!({})), Line::text("done"), Line::text("done again")]);
    let harness = Harness::builder(registry)
        .model("main", model)
        .tools(server.tools_named("fx_"))
        .limits(limits)
        .build()
        .unwrap();
    harness.session("c", AgentDef::new("a")).open().await.unwrap()
}

#[tokio::test]
async fn hooks_fire_for_tools_of_a_server_and_a_failure_is_a_result() {
    let gone = "failure the server of the tool `fx_dies` has exited; continue without it";
    let late = "failure the tool `fx_hangs` timed out after 200ms";
    // A line that is not text is not a response.
    let garbled = "failure the tool `fx_garbles` timed out after 200ms";
    for (tool, heard, reported) in [
        ("fx_find", "success", "FOUND {\"ID\":\"REWRITTEN\"}"),
        ("fx_fails", "failure it broke", "it broke"),
        ("fx_refuses", "failure no such id", "no such id"),
        ("fx_dies", gone, gone.trim_start_matches("failure ")),
        ("fx_hangs", late, late.trim_start_matches("failure ")),
        ("fx_garbles", garbled, garbled.trim_start_matches("failure ")),
    ] {
        let log = Log::default();
        let server = server().await;
        let limit = if ["fx_hangs", "fx_garbles"].contains(&tool) { Duration::from_millis(200) } else { LONG };
        let session = session(&server, tool, &log, limit).await;
        let mut turn = session.turn(None, "hi");
        let mut results = Vec::new();
        while let Some(event) = turn.next().await {
            if let TurnEvent::ToolFinished { result, .. } = event {
                results.push(result.text().into_owned());
            }
        }
        assert_eq!(results, [reported], "{tool}");
        assert_eq!(*log.lock().unwrap(), [format!("gate {tool}").as_str(), heard], "{tool}");
        assert_eq!(turn.await.to_string(), "done", "{tool}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_is_killed_during_a_call_fails_the_call_and_not_the_turn() {
    let (log, server) = (Log::default(), server().await);
    let pid = pid(&server).await;
    let session = session(&server, "fx_hangs", &log, LONG).await;
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if let TurnEvent::ToolStarted(_) = event {
            assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        }
    }
    assert_eq!(turn.await.to_string(), "done");
    assert_eq!(log.lock().unwrap()[1], "failure the server of the tool `fx_hangs` has exited; continue without it");
}

#[tokio::test]
async fn a_cancelled_turn_does_not_wait_for_the_server_which_continues() {
    let (log, server) = (Log::default(), server().await);
    let session = session(&server, "fx_hangs", &log, LONG).await;
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if let TurnEvent::ToolStarted(_) = event {
            turn.cancel();
        }
    }
    assert!(matches!(turn.await.outcome, Outcome::Cancelled));
    assert!(run(&server, "find", json!({})).await.is_ok());
}
