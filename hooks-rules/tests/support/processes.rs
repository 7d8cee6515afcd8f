//! Processes and descriptors according to the system. Only on Linux; elsewhere nothing is found.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::time::Duration;

/// The processes that have `MARK=<mark>` in their environment or among their arguments.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("MARK={mark}");
    let is_marked = |id: &i32| {
        let read = |what: &str| std::fs::read(format!("/proc/{id}/{what}")).unwrap_or_default();
        [read("environ"), read("cmdline")].iter().any(|text| String::from_utf8_lossy(text).contains(&wanted))
    };
    processes().filter(is_marked).collect()
}

/// The processes that rules of this process started, by the environment variable of each.
pub(crate) fn started() -> Vec<i32> {
    let wanted = format!("HOOKS_RULES_RUN={}.", std::process::id());
    let environment = |id: &i32| std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    processes().filter(|id| String::from_utf8_lossy(&environment(id)).contains(&wanted)).collect()
}

/// Waits until no process has this mark.
pub(crate) async fn gone(mark: &str) {
    none(|| marked(mark)).await;
}

/// Waits until there are no such processes.
pub(crate) async fn none(there: impl Fn() -> Vec<i32>) {
    let gone = async {
        while !there().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), gone).await.is_ok(), "still there: {:?}", there());
}

/// The zombies among the children of this process.
pub(crate) fn zombies() -> Vec<i32> {
    let own = std::process::id().to_string();
    let is_zombie = |id: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let Some((_, rest)) = stat.rsplit_once(')') else { return false };
        let mut words = rest.split_whitespace();
        words.next() == Some("Z") && words.next() == Some(own.as_str())
    };
    processes().filter(is_zombie).collect()
}

/// The open descriptors of this process.
pub(crate) fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
