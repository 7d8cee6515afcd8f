//! What a file has written: its values with their places, its handlers, and what is wrong with them.

mod defect;
mod fields;
mod handler;
mod json;
mod keys;

use std::ops::Range;

use serde_json::{Map, Value};

pub use defect::{Defect, Severity};
pub(crate) use defect::{Flaw, Flaws, Lines};
pub(crate) use handler::{Parts, Terms, read as handler};
pub(crate) use json::{Entry, Json, Node, parse};
pub(crate) use keys::{OF_FILE, OF_GROUP, warn as warn_of_keys};

use crate::event::Event;
use crate::matcher::Matcher;

/// A rule before it has an id and a line.
pub(crate) struct Draft {
    pub(crate) event: Event,
    pub(crate) matcher: Matcher,
    pub(crate) written_matcher: Option<Value>,
    pub(crate) handler: Map<String, Value>,
    pub(crate) span: Range<usize>,
    pub(crate) parts: Parts,
}

/// How many rules a file may have. Each may hold a large matcher: a hostile file must not fill the memory.
pub(crate) const MOST: usize = 10_000;

#[derive(Default)]
pub(crate) struct Drafts {
    pub(crate) kept: Vec<Draft>,
    /// The first for which there is no room.
    pub(crate) over: Option<Range<usize>>,
}

impl Drafts {
    /// Whether there is no room for this handler; then it is not read at all.
    pub(crate) fn are_full(&mut self, handler: &Node) -> bool {
        let full = self.kept.len() >= MOST;
        if full {
            self.over.get_or_insert_with(|| handler.span.clone());
        }
        full
    }
}

/// The entries of an event: a list, or a single object.
pub(crate) fn items(node: &Node) -> &[Node] {
    match &node.json {
        Json::Array(items) => items,
        Json::Object(_) => std::slice::from_ref(node),
        Json::Plain(_) => &[],
    }
}
