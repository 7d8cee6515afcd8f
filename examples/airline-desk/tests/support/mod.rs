//! Shared by the tests: a replay within the process.
#![allow(dead_code)] // each test binary uses a part

use std::path::PathBuf;

use airline_desk::desk::Desk;
use airline_desk::glimpse::Glimpses;
use airline_desk::run::replay_lines;
use airline_desk::summary::Summary;
use serde_json::Value;

/// A file of the desk.
pub(crate) fn desk_file(name: &str) -> PathBuf {
    Desk::folder().join(name)
}

/// The transcripts of `lines` at `desk`, and the totals.
pub(crate) fn replay(desk: &Desk, lines: &[u8]) -> (Vec<Value>, Summary) {
    let mut out = Vec::new();
    let summary = replay_lines(desk, lines, Some(&mut out), &mut Glimpses::default(), |_| (), |_| ()).unwrap();
    (parse(&out), summary)
}

/// One value per line.
pub(crate) fn parse(lines: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(lines).unwrap().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}
