//! Kinds of an app, and helpers for the tests of the promises.

use std::time::Duration;

pub(crate) use hook_sdk::data::Role;
use hook_sdk::hook::BoxFuture;
pub(crate) use hook_sdk::kinds::*;
pub(crate) use hook_sdk::prelude::*;
use hook_sdk::record::{Record, Status};
use hook_sdk::scope::HookUse;

/// The names of the writers, in the order in which they wrote to the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trail(pub(crate) Vec<&'static str>);

/// A transform whose subject may be removed.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "step", subject = Trail, removable, match(topic))]
pub(crate) struct Step {
    pub(crate) topic: String,
}

/// A gate of the app.
#[derive(Debug, HookKind)]
#[hook_kind(name = "spend", subject = Trail, verdict = Permission, match(topic))]
pub(crate) struct Spend {
    pub(crate) topic: String,
}

/// An event of a turn.
#[derive(Debug, HookKind)]
#[hook_kind(name = "seen")]
pub(crate) struct Seen {
    pub(crate) number: u32,
}

/// An event outside a turn.
#[derive(Debug, HookKind)]
#[hook_kind(name = "boot", outside_turn)]
pub(crate) struct Boot {}

pub(crate) fn step() -> Step {
    Step { topic: "any".to_owned() }
}

pub(crate) fn spend() -> Spend {
    Spend { topic: "any".to_owned() }
}

/// A registry with these hooks.
pub(crate) fn registry(hooks: impl IntoIterator<Item = Hook>) -> Registry {
    let registry = Registry::empty();
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    registry
}

/// The set of an agent that names these hooks, in this order.
pub(crate) fn set(hooks: impl IntoIterator<Item = Hook>) -> HookSet {
    let hooks: Vec<Hook> = hooks.into_iter().collect();
    let agent = AgentDef::new("a").hooks(hooks.iter().map(|hook| HookUse::id(hook.id().as_str())));
    registry(hooks).scope(&agent, None).unwrap()
}

/// A context that keeps records.
pub(crate) fn cx() -> HookContext {
    HookContext::builder().keep_records(true).build()
}

/// A sync writer that leaves its name.
pub(crate) fn writes(name: &'static str) -> Hook {
    Hook::at::<Step>(name).writer(move |_, _, trail| trail.0.push(name))
}

/// An async reader that waits.
pub(crate) fn waits(name: &'static str, millis: u64) -> Hook {
    Hook::at::<Step>(name).async_reader(move |_, _, _| later(millis, ()))
}

/// A reader of the gate that answers at once.
pub(crate) fn says(name: &'static str, answer: Permission) -> Hook {
    Hook::at::<Spend>(name).reader(move |_, _, _| answer.clone())
}

/// A reader of the gate that answers after a while.
pub(crate) fn says_later(name: &'static str, millis: u64, answer: Permission) -> Hook {
    Hook::at::<Spend>(name).async_reader(move |_, _, _| later(millis, answer.clone()))
}

/// A value that is ready after a while.
pub(crate) fn later<'a, T: Send + 'a>(millis: u64, value: T) -> BoxFuture<'a, T> {
    Box::pin(async move {
        if millis > 0 {
            tokio::time::sleep(Duration::from_millis(millis)).await;
        }
        value
    })
}

/// The ids of the runs in a record, with their statuses.
pub(crate) fn statuses(record: &Record) -> Vec<(String, Status)> {
    record.runs.iter().map(|run| (run.hook.to_string(), run.status)).collect()
}

/// The order of the hooks of `step`, with each stage in brackets, as in `[a b] c`.
pub(crate) fn stages(set: &HookSet) -> String {
    let shown = set.to_string();
    let lines = shown.lines().filter(|line| line.starts_with("   ") && !line.trim_start().starts_with('-'));
    let words = lines.map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let first = words.next().unwrap_or_default();
        match first {
            "┌" => format!("[{}", words.next().unwrap_or_default()),
            "│" => words.next().unwrap_or_default().to_owned(),
            "└" => format!("{}]", words.next().unwrap_or_default()),
            only => only.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
