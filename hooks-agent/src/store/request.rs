//! Changes of a stored conversation.

use std::fmt;
use std::sync::Arc;

use hook_sdk::data::Message;
use hook_sdk::detached::Job;
use hook_sdk::{HookContext, HookSet};

use super::{MessageStore, Row, Version};

/// Messages to append to a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Append {
    /// The version that the conversation must have. `None` accepts any version.
    pub seen: Option<Version>,
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The token of the [lease](super::MessageStore::lease) that covers this change.
    pub lease: Option<u64>,
    /// The background jobs of each row, for a store that [saves jobs](super::MessageStore::keeps_jobs).
    pub jobs: Option<RowJobs>,
}

/// Creates the background jobs of a stored row. It has no side effects, so a store can call it within a transaction and
/// again after a retry.
#[derive(Clone)]
pub struct RowJobs(Arc<MakeJobs>);

type MakeJobs = dyn Fn(&Row) -> Vec<Job> + Send + Sync;

impl RowJobs {
    /// Wraps the function that creates the jobs of a row.
    pub fn new(make: impl Fn(&Row) -> Vec<Job> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// The jobs of `hooks` at `after_create_message`. `None` if the store does not save jobs.
    pub(crate) fn due(store: &dyn MessageStore, hooks: &HookSet, cx: &HookContext) -> Option<Self> {
        let (hooks, cx) = (hooks.clone(), cx.clone());
        store.keeps_jobs().then(|| Self::new(move |row| hooks.jobs(&cx, &row.created())))
    }

    /// Creates the jobs of a row.
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
    /// Appends these messages at any version.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { seen: None, messages: messages.into_iter().collect(), lease: None, jobs: None }
    }

    /// Adds the background jobs of each row.
    #[must_use]
    pub fn jobs(mut self, jobs: RowJobs) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Requires the conversation to be at `version`.
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

/// A new view of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Fold {
    /// The version that the conversation must have.
    pub seen: Version,
    /// The entries of the new view, in order.
    pub entries: Vec<FoldEntry>,
    /// The token of the [lease](super::MessageStore::lease) that covers this change.
    pub lease: Option<u64>,
}

/// One message of a folded conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum FoldEntry {
    /// The row with this id, unchanged.
    Row(String),
    /// A message that replaces others, such as a summary. It becomes a new row.
    New(Message),
}

impl Fold {
    /// Folds a conversation at version `seen` into these entries.
    pub fn new(seen: Version, entries: impl IntoIterator<Item = FoldEntry>) -> Self {
        Self { seen, entries: entries.into_iter().collect(), lease: None }
    }
}
