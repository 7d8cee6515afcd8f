//! Promise 11: each way in which a hook can be dead, and the message that reports it. `messages.md` shows these messages,
//! `docs/diagnosis.md` who reports each way: `UPDATE_DIAGNOSIS=1 cargo test -p hook-sdk --all-features --test diagnosis` writes both.
//!
//! A binary of its own, because `fires!` applies to a whole binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod audited;
mod compiled;
mod recorded;
mod started;

use std::path::Path;

use hook_sdk::data::Role;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::scope::HookUse;

hook_sdk::fires![BeforeToolCall, AfterCreateMessage];

/// A way in which a hook can be dead, and the message that reports it.
struct Way {
    /// "The hook does not run because …"
    because: &'static str,
    /// Who reports it.
    by: &'static str,
    reported: String,
}

impl Way {
    #[allow(clippy::needless_pass_by_value, reason = "texts and errors alike, most of them made on the spot")]
    fn new(because: &'static str, by: &'static str, reported: impl std::fmt::Display) -> Self {
        Self { because, by, reported: shown(&reported.to_string()) }
    }
}

/// A text without the positions in these files, as the page shows it.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("hooks-core/tests/diagnosis/") {
        let place = after.find(|c: char| !c.is_ascii_alphanumeric() && !"_.:/".contains(c)).unwrap_or(after.len());
        shown.push_str(before);
        shown.push_str("src/hooks.rs:…");
        rest = &after[place..];
    }
    shown + rest
}

/// A gate that a list may name.
fn gate(id: &str) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::NoOpinion)
}

/// A hook that counts what was stored.
fn counts(id: &str) -> Hook {
    Hook::at::<AfterCreateMessage>(id).reader(|_, _, ()| ())
}

/// A hook at a kind that this program does not fire.
fn masks(id: &str) -> Hook {
    Hook::at::<BeforeCreateMessage>(id).writer(|_, _, _| ())
}

fn registry(hooks: impl IntoIterator<Item = Hook>) -> Registry {
    let registry = Registry::empty();
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    registry
}

fn support(ids: &[&str]) -> AgentDef {
    AgentDef::new("support").hooks(ids.iter().copied().map(HookUse::id))
}

/// The only item. Panics if there are several.
#[track_caller]
fn only<T: std::fmt::Debug>(all: impl IntoIterator<Item = T>) -> T {
    let mut all: Vec<T> = all.into_iter().collect();
    assert_eq!(all.len(), 1, "exactly one thing is reported: {all:?}");
    all.remove(0)
}

/// All ways, grouped by the moment at which they are reported.
async fn ways() -> Vec<(&'static str, Vec<Way>)> {
    vec![
        ("At compile time", compiled::ways()),
        ("At start, and when a hook set is built", started::ways().await),
        ("By the audit, when the hook sets are built", audited::ways().await),
        ("At run time", recorded::ways().await),
    ]
}

/// The message of each way.
fn messages(parts: &[(&str, Vec<Way>)]) -> String {
    let row = |way: &Way| {
        assert!(!way.reported.trim().is_empty() && !way.reported.contains('\n'), "{}: {:?}", way.because, way.reported);
        format!("| {} | {} | {} |\n", way.because, way.by, way.reported.replace('|', "\\|"))
    };
    let part = |(title, ways): &(&str, Vec<Way>)| {
        let rows: String = ways.iter().map(row).collect();
        format!(
            "## {title}\n\n| The hook does not run, or has no effect, because | Reported by | Message |\n|---|---|---|\n{rows}\n"
        )
    };
    parts.iter().map(part).collect()
}

/// Who reports each way, in the order of the parts.
fn reporters(parts: &[(&str, Vec<Way>)]) -> String {
    let mut by: Vec<(&str, Vec<&str>)> = Vec::new();
    // The first part, at compile time, is on the page of compile errors.
    for way in parts.iter().skip(1).flat_map(|(_, ways)| ways) {
        match by.iter_mut().find(|(by, _)| *by == way.by) {
            Some((_, ways)) => ways.push(way.because),
            None => by.push((way.by, vec![way.because])),
        }
    }
    let row = |(by, ways): &(&str, Vec<&str>)| format!("| {by} | {} |\n", ways.join("; "));
    let rows: String = by.iter().map(row).collect();
    format!("| Reported by | The hook does not run, or has no effect, because |\n|---|---|\n{rows}\n")
}

/// Compares a part of a page with `text`, or writes it there.
fn assert_written(page: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let found = std::fs::read_to_string(&file).unwrap();
    let (open, close) = ("<!-- written: ways -->\n", "<!-- to here -->");
    let (before, rest) = found.split_once(open).unwrap();
    let (there, after) = rest.split_once(close).unwrap();
    let wanted = format!("\n{text}");
    if std::env::var_os("UPDATE_DIAGNOSIS").is_some_and(|value| value == "1") {
        std::fs::write(&file, format!("{before}{open}{wanted}{close}{after}")).unwrap();
        return;
    }
    let drift = there.lines().zip(wanted.lines()).find(|(there, wanted)| there != wanted);
    assert!(there == wanted, "{page} differs from the messages: {drift:?}; UPDATE_DIAGNOSIS=1 writes it");
}

#[tokio::test(start_paused = true)]
async fn the_pages_show_the_message_of_each_way() {
    let parts = ways().await;
    let reported = parts.iter().map(|(_, ways)| ways.len()).sum::<usize>();
    assert!(reported >= 35, "{reported} ways");
    assert_written("tests/diagnosis/messages.md", &messages(&parts));
    assert_written("../docs/diagnosis.md", &reporters(&parts));
}
