//! Dispatches with their payload, for recordings.

use std::sync::Arc;

use serde_json::Value;

use super::Record;
use crate::data::MessagePool;

/// A dispatch with the payload that its record omits: the event, the subject, and each hook's change and verdict, as
/// JSON.
///
/// Passed to [`Observer::traced`](super::Observer::traced). It contains texts of people and tools, so remove secrets
/// before you store it, as `hooks-replay` does. Cloning it does not copy the payload, so it can be sent to another
/// thread for writing.
///
/// Messages are references to [`pool`](Self::pool) in the JSON, because most dispatches of a turn contain the
/// conversation. [`MessagePool::whole`] resolves them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// The record of the dispatch. Its first entries correspond to [`runs`](Self::runs).
    pub record: Arc<Record>,
    /// Whether the dispatch is a replay.
    pub replay: bool,
    /// The nesting depth: 0 if no hook fired the dispatch.
    pub depth: usize,
    /// The messages that the JSON refers to.
    pub pool: Arc<MessagePool>,
    /// The event as JSON.
    pub event: Arc<Value>,
    /// The subject before the first hook; null if the kind has none.
    pub before: Arc<Value>,
    /// The change and verdict of each hook, in plan order.
    pub runs: Vec<RunTrace>,
    /// The merged verdict; null if the kind has none or the dispatch failed.
    pub verdict: Arc<Value>,
    /// The error, if the dispatch has no outcome.
    pub error: Option<String>,
}

/// The payload of one hook's part in a dispatch.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunTrace {
    /// The subject after the hook's change; `None` if the hook did not change it.
    pub after: Option<Arc<Value>>,
    /// The hook's verdict; null if it decided nothing.
    pub verdict: Arc<Value>,
    /// A number that changes with the hook's options, filters, parameters and [version](crate::Hook::version), and is
    /// otherwise the same in every run of the program.
    pub revision: u64,
    /// The number of the hook's stage. Hooks of one stage may run concurrently.
    pub stage: usize,
}
