//! The syntax of a file: values with their positions, handlers, and defects.

mod defect;
mod fields;
mod handler;
mod json;
mod keys;
mod support;

use std::ops::Range;

use serde_json::{Map, Value};

pub use defect::{Defect, Severity};
pub(crate) use defect::{Flaw, Flaws, Lines};
#[cfg(feature = "runner")]
pub(crate) use handler::unsupported;
pub(crate) use handler::{HandlerSpec, read as handler};
pub(crate) use json::{Entry, Json, Node, parse};
pub(crate) use keys::{OF_FILE, OF_GROUP, warn as warn_of_keys};
pub(crate) use support::HandlerSupport;

use crate::event::Event;
use crate::matcher::Matcher;

/// A rule without an id and a line number.
pub(crate) struct Draft {
    pub(crate) event: Event,
    pub(crate) matcher: Matcher,
    pub(crate) written_matcher: Option<Value>,
    pub(crate) handler: Map<String, Value>,
    pub(crate) span: Range<usize>,
    pub(crate) parts: HandlerSpec,
}

/// The maximum number of rules in a file. Each can have a large matcher, and a malicious file must not exhaust the
/// memory.
pub(crate) const MOST: usize = 10_000;

#[derive(Default)]
pub(crate) struct Drafts {
    pub(crate) kept: Vec<Draft>,
    /// The span of the first handler that exceeds the limit.
    pub(crate) over: Option<Range<usize>>,
}

impl Drafts {
    /// Whether the limit is reached. The handler is then not parsed at all.
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
