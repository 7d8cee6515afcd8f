//! The memory of open sessions with their conversations.

use hook_sdk::data::{Message, Role};
use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use tokio::runtime::Runtime;

use crate::hooks;

const SESSIONS: usize = 10_000;
const MESSAGES: usize = 50;
/// Characters of a message.
const CHARS: usize = 200;

/// The memory of this process in bytes, if the system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1_024)
}

pub(crate) fn report(runtime: &Runtime) {
    let Some(before) = resident() else {
        println!("| {SESSIONS} open sessions | not measured here | | | |");
        return;
    };
    let store = std::sync::Arc::new(MemoryStore::new());
    let rows = || (0..MESSAGES).map(|i| Message::new([Role::User, Role::Assistant][i % 2], "x".repeat(CHARS)));
    runtime.block_on(async {
        for id in 0..SESSIONS {
            store.append(&id.to_string(), Append::new(rows())).await.unwrap();
        }
    });
    let stored = resident().unwrap_or(before);
    let harness = Harness::builder(hooks::registry(20))
        .model("main", Scripted::new([Line::text("hi")]))
        .shared_store(store.clone() as std::sync::Arc<dyn MessageStore>)
        .build()
        .unwrap();
    let agent = hooks::agent(20);
    let sessions: Vec<_> = runtime.block_on(async {
        let mut sessions = Vec::with_capacity(SESSIONS);
        for id in 0..SESSIONS {
            sessions.push(harness.session(id.to_string(), agent.clone()).open().await.unwrap());
        }
        sessions
    });
    let open = resident().unwrap_or(stored);
    let each = |bytes: u64| bytes / SESSIONS as u64;
    println!(
        "| {} open sessions with {MESSAGES} messages of {CHARS} characters each, a session | {} bytes | {} bytes for its messages, {} of them text | | |",
        sessions.len(),
        each(open.saturating_sub(stored)),
        each(stored.saturating_sub(before)),
        MESSAGES * CHARS
    );
}
