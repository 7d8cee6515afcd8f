//! Many dispatches over rules that misbehave: nothing of them stays. In a binary of its own, so that nobody else starts
//! processes or opens descriptors meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]
#![cfg(all(target_os = "linux", feature = "runner"))]

#[path = "support/processes.rs"]
mod processes;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hooks_core::prelude::*;
use hooks_rules::Rules;
use processes::{descriptors, gone, zombies};
use serde_json::{Value, json};

/// Commands that misbehave and leave.
const LEAVING: &[&str] = &[
    "/is/not/there",
    "exit 2",
    "exit 1",
    "kill -9 $$",
    "kill -SEGV $$",
    "exec <&-",
    "exec >&-; exec 2>&-",
    "echo '{broken}'",
    "head -c 3000000 /dev/zero",
    "head -c 3000000 /dev/zero >&2",
    r"printf '\377\376'",
    "sleep 1000 & sleep 1000 & exit 0",
    "echo '{\"async\": true}'; sleep 1000",
];

/// Commands that never end by themselves.
const ENDLESS: &[&str] = &[
    "sleep 1000",
    "trap '' TERM INT HUP; while :; do sleep 1; done",
    "sleep 1000 & wait",
    "setsid sleep 1000",
    "(sleep 1000 &) ; sleep 1000",
    "while :; do :; done",
    "yes",
];

fn text(mark: &str) -> String {
    let handler = |line: &&str, seconds: f64| {
        let line = format!("MARK={mark}; export MARK; {line}");
        json!({"type": "command", "command": line, "timeout": seconds})
    };
    let leaving = LEAVING.iter().map(|line| handler(line, 600.0));
    let handlers: Vec<Value> = leaving.chain(ENDLESS.iter().map(|line| handler(line, 0.1))).collect();
    json!({"hooks": {"UserPromptSubmit": [{"hooks": handlers}]}}).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_stays_of_commands_that_misbehave() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let count = move |_: &hooks_rules::RuleRun| {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    let rules = Rules::builder().text("hooks.json", text(&mark)).observe(count).build();
    assert!(rules.defects().is_empty(), "{:?}", rules.defects());
    let registry = Registry::empty();
    registry.set_app(AppDef::new("desk").hooks(rules.install(&registry).unwrap()));
    let set = registry.scope(&AgentDef::new("clerk"), None).unwrap();
    let cx = HookContext::new();
    // An input that most never read.
    let event = UserPromptSubmit::new("x".repeat(300_000), Messages::default());

    let mut before = None;
    for round in 0..8 {
        let fire = set.fire(&cx, &event, Messages::default());
        // Every other dispatch is dropped while its commands run.
        if round % 2 == 1 {
            let dropped = tokio::time::timeout(Duration::from_millis(20 * round), fire).await;
            drop(dropped);
        } else {
            let fired = fire.await.unwrap();
            assert!(matches!(fired.verdict.decision, PromptDecision::Block(_)), "exit 2 is among them");
        }
        // The runtime opens some descriptors of its own with the first commands.
        before.get_or_insert_with(descriptors);
    }
    rules.shutdown(Duration::from_millis(50)).await;
    assert!(runs.load(Ordering::Relaxed) >= 4 * (LEAVING.len() + ENDLESS.len()));
    gone(&mark).await;
    let settled = async {
        while !zombies().is_empty() || descriptors() > before.unwrap_or_default() {
            tokio::task::yield_now().await;
        }
    };
    let settled = tokio::time::timeout(Duration::from_secs(20), settled).await;
    assert!(settled.is_ok(), "zombies {:?}, descriptors {:?} -> {}", zombies(), before, descriptors());
}
