//! What a store is asked to change.

use std::fmt;
use std::sync::Arc;

use hooks_core::data::Message;
use hooks_core::detached::Job;
use hooks_core::{HookContext, HookSet};

use super::{MessageStore, Row, Version};

/// Messages that are to be appended to a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Append {
    /// What the conversation stood at when it was read; `None` appends wherever it stands.
    pub seen: Option<Version>,
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The token of the [lease](super::MessageStore::lease) under which it is appended.
    pub lease: Option<u64>,
    /// The background jobs that each row is due, for a store that [keeps jobs](super::MessageStore::keeps_jobs).
    pub jobs: Option<RowJobs>,
}

/// Makes the background jobs that a row is due, of the row as it is stored. It only computes, so a store may call it within a
/// transaction, and again where it has to try again.
#[derive(Clone)]
pub struct RowJobs(Arc<MakeJobs>);

type MakeJobs = dyn Fn(&Row) -> Vec<Job> + Send + Sync;

impl RowJobs {
    /// The jobs that `make` makes.
    pub fn new(make: impl Fn(&Row) -> Vec<Job> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// What `hooks` at `after_create_message` are due for a row, where the store keeps jobs.
    pub(crate) fn due(store: &dyn MessageStore, hooks: &HookSet, cx: &HookContext) -> Option<Self> {
        let (hooks, cx) = (hooks.clone(), cx.clone());
        store.keeps_jobs().then(|| Self::new(move |row| hooks.jobs(&cx, &row.created())))
    }

    /// The jobs of a row.
    pub fn of(&self, row: &Row) -> Vec<Job> {
        (self.0)(row)
    }
}

impl PartialEq for RowJobs {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for RowJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowJobs")
    }
}

impl Append {
    /// Appends these, wherever the conversation stands.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { seen: None, messages: messages.into_iter().collect(), lease: None, jobs: None }
    }

    /// With the background jobs that each row is due.
    #[must_use]
    pub fn jobs(mut self, jobs: RowJobs) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Only where the conversation stands at `version` still.
    #[must_use]
    pub fn seen(mut self, version: Version) -> Self {
        self.seen = Some(version);
        self
    }
}

impl FromIterator<Message> for Append {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self::new(messages)
    }
}

/// What a conversation is to read as.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Fold {
    /// What the conversation stood at when it was read.
    pub seen: Version,
    /// What is read from now on, in its order.
    pub entries: Vec<FoldEntry>,
    /// The token of the [lease](super::MessageStore::lease) under which it is folded.
    pub lease: Option<u64>,
}

/// One message of what a conversation is to read as.
#[derive(Clone, Debug, PartialEq)]
pub enum FoldEntry {
    /// The row of this id, as it is.
    Row(String),
    /// A message that takes the place of others: a summary, say. It becomes a row of its own.
    New(Message),
}

impl Fold {
    /// A conversation that stood at `seen` reads as these entries.
    pub fn new(seen: Version, entries: impl IntoIterator<Item = FoldEntry>) -> Self {
        Self { seen, entries: entries.into_iter().collect(), lease: None }
    }
}
