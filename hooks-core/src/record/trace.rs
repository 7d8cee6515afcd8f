//! A dispatch with its payload, for recordings.

use std::sync::Arc;

use serde_json::Value;

use super::Record;
use crate::data::MessagePool;

/// A dispatch with what its record leaves out: the event, the subject, and what each hook made of it, as JSON.
///
/// Given to [`Observer::traced`](super::Observer::traced). It holds what people and tools said, so whoever writes it down
/// removes secrets first; `hooks-replay` does. Cloning it copies none of that, so that the writing may be done elsewhere.
///
/// Messages stand in the JSON as references to [`pool`](Self::pool): a conversation is part of most dispatches of a turn.
/// [`MessagePool::whole`] puts them in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// The record of the same dispatch. Its first runs are those of [`runs`](Self::runs).
    pub record: Arc<Record>,
    /// Whether it is the replay of a recorded one.
    pub replay: bool,
    /// How many dispatches it is within: 0 where no hook fired it.
    pub depth: usize,
    /// The messages that the JSON refers to.
    pub pool: Arc<MessagePool>,
    /// The event.
    pub event: Arc<Value>,
    /// The subject as it was fired; null where the kind has none.
    pub before: Arc<Value>,
    /// What each hook came to, in the order of the plan.
    pub runs: Vec<TracedRun>,
    /// The folded answer; null where the kind has none, or where the dispatch failed.
    pub verdict: Arc<Value>,
    /// Why the dispatch gave no outcome.
    pub error: Option<String>,
}

/// The payload of one hook's part in a dispatch.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TracedRun {
    /// The subject after its change; `None` where it kept it as it was.
    pub after: Option<Arc<Value>>,
    /// What it decided; null where it decided nothing.
    pub verdict: Arc<Value>,
    /// A number that changes with the hook's options, its filters and the parameters that a list gives it, and stays the same
    /// from one run of the program to the next.
    pub revision: u64,
}
