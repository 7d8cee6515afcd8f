//! What hooks cost a turn: conversations through the whole loop with 0, 5 and 20 hooks, of which 5 write, as ratios of one
//! run. The model and the tools answer at once, so that nothing but the loop and the hooks takes time.
//!
//! `cargo bench -p hooks-agent`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints")]

use std::path::Path;
use std::time::{Duration, Instant};

use hooks_agent::Harness;
use hooks_agent::model::Recording;
use hooks_core::data::Messages;
use hooks_core::prelude::*;
use serde_json::{Value, json};

const ROUNDS: usize = 15;

fn main() {
    let (what, conversations) = conversations();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    if let Some(count) = std::env::var("HOOKS_ONCE").ok().and_then(|count| count.parse().ok()) {
        let (_, registry, agent) = hooks(count);
        return runtime.block_on(run(&registry, &agent, &conversations));
    }
    let sets: Vec<(usize, Registry, AgentDef)> = [0, 5, 20].into_iter().map(hooks).collect();
    let turns: usize = conversations.iter().map(|recording| recording.prompts().count()).sum();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); sets.len()];
    for round in 0..=ROUNDS {
        // Interleaved, so that whatever else the machine does hits all alike; the first round warms up.
        for (i, (_, registry, agent)) in sets.iter().enumerate() {
            let start = Instant::now();
            runtime.block_on(run(registry, agent, &conversations));
            if round > 0 {
                times[i].push(start.elapsed());
            }
        }
    }
    println!("{what}, {turns} turns, median of {ROUNDS} rounds\n");
    println!("| Hooks | turns a second | ratio to none |\n|---|---|---|");
    for (i, (count, ..)) in sets.iter().enumerate() {
        let mut ratios: Vec<f64> =
            times[i].iter().zip(&times[0]).map(|(time, none)| time.as_secs_f64() / none.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let mut each = times[i].clone();
        each.sort();
        #[allow(clippy::cast_precision_loss, reason = "a few thousand turns")]
        let rate = turns as f64 / each[ROUNDS / 2].as_secs_f64();
        println!("| {count} | {rate:.0} | {:.2}x |", ratios[ROUNDS / 2]);
    }
}

async fn run(registry: &Registry, agent: &AgentDef, conversations: &[Recording]) {
    for (number, recording) in conversations.iter().enumerate() {
        let harness =
            Harness::builder(registry.clone()).model("main", recording.model()).tools(recording.tools()).build();
        let session = harness.session(number.to_string(), agent.clone()).system_prompt(recording.system_prompt());
        let session = session.open().await.unwrap();
        for prompt in recording.prompts() {
            std::hint::black_box(session.turn(None, prompt).await);
        }
    }
}

/// `count` hooks over the kinds of a turn, of which at most five write a little.
fn hooks(count: usize) -> (usize, Registry, AgentDef) {
    let registry = Registry::empty();
    let mut all = vec![
        Hook::writer::<BeforeCreateMessage, _, _, _>("mark_row", |_, _, row: &mut Message| {
            row.extra.insert("seen".to_owned(), json!(true));
        }),
        Hook::writer::<AfterToolCallSuccess, _, _, _>("mark_result", |_, _, result: &mut ToolResult| {
            result.extra.insert("seen".to_owned(), json!(true));
        }),
        Hook::writer::<PreModelCall, _, _, _>("brief", |_, _, request: &mut ModelRequest| {
            request.system_prompt.push('.');
        }),
        Hook::writer::<BeforeToolCall, _, _, _>("mark_input", |_, _, input: &mut ToolInput| {
            input["seen"] = json!(true);
        }),
        Hook::writer::<BeforeStoreToolResult, _, _, _>("mark_stored", |_, _, row: &mut ResultRow| {
            row.extra.insert("stored".to_owned(), json!(true));
        }),
    ];
    macro_rules! readers {
        ($($kind:ident),*) => {
            $(all.push(Hook::reader::<$kind, _, _, _>(&format!("read_{}", all.len()), |_, event, _| { std::hint::black_box(event); }));)*
        };
    }
    readers!(
        FilterMessages,
        UserPromptSubmit,
        BeforeAgentStart,
        PrefilterLlmHistory,
        PreModelCall,
        PostModelCall,
        AfterCreateMessage
    );
    readers!(
        BeforeToolCall,
        AfterToolCallSuccess,
        AfterToolCall,
        Stop,
        TurnEnd,
        AfterCreateMessage,
        PrePolicy,
        PostTurn
    );
    all.truncate(count);
    let ids: Vec<String> = all.iter().map(|hook| hook.id().to_string()).collect();
    for hook in all {
        registry.register(hook).unwrap();
    }
    (count, registry, AgentDef::new("a").hooks(ids))
}

/// The recorded conversations where they are, otherwise some of our own.
fn conversations() -> (&'static str, Vec<Recording>) {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/airline-trajectories.jsonl"));
    if let Ok(text) = std::fs::read_to_string(file) {
        let read = |line: &str| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let messages = line["messages"].as_array_mut().map(std::mem::take).unwrap();
            Recording::of(&Messages::from_openai(messages).unwrap())
        };
        return ("recorded conversations", text.lines().map(read).collect());
    }
    let message = |role, text: &str| Message::new(role, text.repeat(20));
    let turn = |i: usize| {
        let call = ToolCall::new(format!("call_{i}"), "lookup", json!({ "id": i }));
        let result = ToolResult::text("what was found ".repeat(40)).into_block(&call);
        [
            message(Role::User, "what is it? "),
            Message::of(Role::Assistant, vec![hooks_core::data::Block::ToolUse(call)]),
            Message::of(Role::Tool, vec![result]),
            message(Role::Assistant, "it is this. "),
        ]
    };
    let made = |_| Recording::of(&(0..6).flat_map(turn).collect::<Vec<_>>().into());
    ("conversations of our own", (0..100).map(made).collect())
}
