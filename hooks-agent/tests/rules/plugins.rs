//! A folder of plugins that is edited, broken, repaired and removed while turns run.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::data::{Block, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::prelude::*;
use hooks_agent::Harness;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_rules::{PluginStep, Rules};
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

/// Calls the tool, and then repeats what it read: the contexts of hooks, and the tool's result.
struct Reads;

impl Model for Reads {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let said = |role| call.messages.iter().filter(move |message| message.role == role);
            let result = said(Role::Tool).flat_map(|message| &message.content).find_map(|block| match block {
                Block::ToolResult(result) => Some(result.content.iter().filter_map(Block::as_text).collect::<String>()),
                _ => None,
            });
            let Some(result) = result else {
                return Ok(ModelAnswer::new(vec![Block::ToolUse(ToolCall::new("", "lookup", json!({})))]));
            };
            let contexts = said(Role::User).map(|message| message.text().into_owned());
            let context = contexts.filter(|text| text.starts_with('<')).collect::<String>();
            let context = context.lines().nth(1).unwrap_or_default().to_owned();
            Ok(ModelAnswer::text(format!("{context}|{result}")))
        })
    }
}

/// A version of the plugin: it adds its number to the prompt, and denies the call with it.
fn version(number: usize) -> String {
    let at = |command: String| json!([{"hooks": [{"type": "command", "command": command, "timeout": 60}]}]);
    json!({"hooks": {
        "UserPromptSubmit": at(format!("echo v{number}")),
        "PreToolUse": at(format!("echo v{number} >&2; exit 2")),
    }})
    .to_string()
}

/// Writes like an editor: replaces the file atomically.
fn put(file: &Path, text: &str) {
    let new = file.with_extension("new");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, file).unwrap();
}

async fn next(steps: &mut UnboundedReceiver<PluginStep>) -> PluginStep {
    timeout(Duration::from_secs(60), steps.recv()).await.unwrap().unwrap()
}

/// The progress of the removal.
const THERE: u8 = 0;
const GOING: u8 = 1;
const GONE: u8 = 2;

/// `HOOKS_AGENT_TURNS` sets the number of turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_turn_sees_two_versions_of_a_plugin_and_no_gate_is_open_while_it_changes() {
    let turns: usize = std::env::var("HOOKS_AGENT_TURNS").map_or(1_000, |turns| turns.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("guards/hooks/hooks.json");
    put(&file, &version(0));
    let (say, mut steps) = tokio::sync::mpsc::unbounded_channel();
    let rules = Rules::builder()
        .plugins(folder.path())
        .project_dir("/project")
        .on_plugin(move |change| say.send(change.step.clone()).unwrap())
        .build();
    let registry = Registry::empty();
    rules.apply(&registry).unwrap();
    let lookup = FnTool::new(ToolSpec::new("lookup"), |_cx, _input| Ok("found".to_owned()));
    let harness = Harness::builder(registry.clone()).model("main", Reads).tool(lookup).build().unwrap();
    let watch = rules.watch(harness.registry(), &HookContext::new()).unwrap();

    let (begun, state) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicU8::new(THERE)));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let (harness, begun, state) = (harness.clone(), Arc::clone(&begun), Arc::clone(&state));
            tokio::spawn(async move {
                let mut seen = Vec::new();
                loop {
                    let number = begun.fetch_add(1, Ordering::SeqCst);
                    if number >= turns {
                        return seen;
                    }
                    let before = state.load(Ordering::SeqCst);
                    let session = harness.session(format!("c{number}"), AgentDef::new("a")).open().await.unwrap();
                    let reply = session.turn(None, "what is it?").await.to_string();
                    seen.push((before, reply, state.load(Ordering::SeqCst)));
                }
            })
        })
        .collect();

    // Edited, broken and repaired repeatedly. Each change is reported.
    let mut number = 0;
    while begun.load(Ordering::SeqCst) < turns * 9 / 10 {
        number += 1;
        put(&file, &version(number));
        assert_eq!(next(&mut steps).await, PluginStep::Reloaded);
        put(&file, &version(number)[..40]);
        assert!(matches!(next(&mut steps).await, PluginStep::Failed(_)));
        number += 1;
        put(&file, &version(number));
        assert_eq!(next(&mut steps).await, PluginStep::Reloaded);
    }
    state.store(GOING, Ordering::SeqCst);
    std::fs::remove_dir_all(folder.path().join("guards")).unwrap();
    // A folder is removed file by file, which may be observed.
    while next(&mut steps).await != PluginStep::Removed {}
    state.store(GONE, Ordering::SeqCst);

    let (mut ran, mut versions, mut open) = (0, std::collections::BTreeSet::new(), 0);
    for worker in workers {
        for (before, reply, after) in worker.await.unwrap() {
            ran += 1;
            let (context, result) = reply.split_once('|').unwrap();
            if result == "found" && context.is_empty() {
                assert!(after != THERE, "turn {ran}: a gate was open: {reply}");
                open += 1;
                continue;
            }
            assert_eq!(result, format!("Denied: {context}"), "a turn saw two versions");
            assert!(before != GONE, "it ran when it was gone: {reply}");
            versions.insert(context.to_owned());
        }
    }
    watch.stop().await;
    assert_eq!(ran, turns);
    println!("{ran} turns saw {} of {} versions, {open} ran after it was removed", versions.len(), number + 1);
    assert!(turns < 1_000 || (versions.len() > 4 && open > 0), "{versions:?}, {open}");
}
