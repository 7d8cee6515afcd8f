//! Invariants for every input. The fuzz targets and the tests of the corpus share these checks.

#![allow(dead_code, reason = "each fuzz target uses one of them")]

#[path = "checks/answer.rs"]
pub(crate) mod answer;
#[path = "checks/file.rs"]
pub(crate) mod file;
#[path = "checks/matcher.rs"]
pub(crate) mod matcher;

#[path = "checks/shell.rs"]
pub(crate) mod shell;

use hooks_rules::{Dialect, Event};

/// The event for a byte.
fn event(byte: u8) -> Event {
    let events: Vec<Event> = Event::all().collect();
    events[usize::from(byte) % events.len()]
}

/// The dialect for a byte.
fn dialect(byte: u8) -> Dialect {
    if byte & 1 == 0 { Dialect::Claude } else { Dialect::Agentao }
}
