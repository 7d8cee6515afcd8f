use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hook_sdk::data::{Message, MessageUpdate};

use super::{
    Append, Conversations, Fold, FoldEntry, MessageStore, Page, Row, StoreError, StoreFuture, Version, Written,
};

/// Stores conversations in memory.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<KeptConversations>);

#[derive(Debug, Default)]
struct KeptConversations {
    /// Counts all changes, so that a conversation never has the same version twice, even after it was deleted and
    /// created again.
    changes: u64,
    conversations: BTreeMap<String, KeptConversation>,
}

#[derive(Debug, Default)]
struct KeptConversation {
    version: Version,
    /// The history, ordered by id.
    rows: Vec<Row>,
    /// The current view, as indexes into the history.
    reads: Vec<usize>,
}

impl KeptConversations {
    fn of(&self, conversation: &str) -> Option<&KeptConversation> {
        self.conversations.get(conversation)
    }

    /// Changes the conversation if it is at the version `seen`.
    fn change<T>(
        &mut self,
        conversation: &str,
        seen: Option<Version>,
        change: impl FnOnce(&mut KeptConversation) -> Result<T, StoreError>,
    ) -> Result<(T, Version), StoreError> {
        let version = self.of(conversation).map(|kept| kept.version).unwrap_or_default();
        if seen.is_some_and(|seen| seen != version) {
            return Err(StoreError::Conflict);
        }
        let kept = self.conversations.entry(conversation.to_owned()).or_default();
        let changed = change(kept);
        if kept.rows.is_empty() {
            self.conversations.remove(conversation);
            return Ok((changed?, Version::default()));
        }
        let changed = changed?;
        self.changes += 1;
        kept.version = Version::new(self.changes);
        Ok((changed, kept.version))
    }
}

impl KeptConversation {
    fn add(&mut self, message: Message) -> Row {
        let row = Row::new(Row::new_id(), message);
        self.reads.push(self.rows.len());
        self.rows.push(row.clone());
        row
    }

    fn place_of(&self, id: &str) -> Option<usize> {
        self.rows.binary_search_by(|row| row.id.as_str().cmp(id)).ok()
    }

    fn fold(&mut self, entries: Vec<FoldEntry>) -> Result<Vec<Row>, StoreError> {
        let mut named = HashSet::new();
        for id in entries.iter().filter_map(|entry| if let FoldEntry::Row(id) = entry { Some(id) } else { None }) {
            if self.place_of(id).is_none() || !named.insert(id) {
                return Err(StoreError::new(format!(
                    "the fold names the row `{id}`, which does not exist or is named twice"
                )));
            }
        }
        self.reads.clear();
        let mut made = Vec::new();
        for entry in entries {
            match entry {
                FoldEntry::Row(id) => self.reads.extend(self.place_of(&id)),
                FoldEntry::New(message) => made.push(self.add(message)),
            }
        }
        Ok(made)
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn kept(&self) -> MutexGuard<'_, KeptConversations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// At most `limit` of `rows`, starting at the row `from`.
fn page_of<'r>(
    rows: impl ExactSizeIterator<Item = &'r Row> + Clone,
    from: Option<&str>,
    limit: usize,
    version: Version,
) -> Result<Page, StoreError> {
    let first = match from {
        Some(from) => rows.clone().position(|row| row.id == from).ok_or(StoreError::Conflict)?,
        None => 0,
    };
    let mut rest = rows.skip(first);
    let page = rest.by_ref().take(limit).cloned().collect();
    Ok(Page::new(page, rest.next().map(|row| row.id.clone()), version))
}

impl MessageStore for MemoryStore {
    fn is_lasting(&self) -> bool {
        false
    }

    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        Box::pin(async move {
            let Append { seen, messages, .. } = append;
            let all = |kept: &mut KeptConversation| Ok(messages.into_iter().map(|message| kept.add(message)).collect());
            let (rows, version) = self.kept().change(conversation, seen, all)?;
            Ok(Written::new(rows, version))
        })
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        _: Option<u64>,
    ) -> StoreFuture<'a, Row> {
        Box::pin(async move {
            let (row, _) = self.kept().change(conversation, None, |kept| {
                let place = kept.place_of(id);
                let place = place.ok_or_else(|| StoreError::new(format!("`{conversation}` has no row `{id}`")))?;
                let row = &mut kept.rows[place];
                let changed = update.apply(&row.message);
                row.message = changed.map_err(|error| StoreError::new(format!("row `{id}`: {error}")))?;
                Ok(row.clone())
            })?;
            Ok(row)
        })
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        Box::pin(async move {
            let (rows, version) = self.kept().change(conversation, Some(fold.seen), |kept| kept.fold(fold.entries))?;
            Ok(Written::new(rows, version))
        })
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        Box::pin(async move {
            let kept = self.kept();
            let Some(kept) = kept.of(conversation) else { return Ok(Page::default()) };
            let page = page_of(kept.reads.iter().map(|place| &kept.rows[*place]), from, limit, kept.version)?;
            Ok(page.complete(kept.reads.len() == kept.rows.len()))
        })
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        Box::pin(async move {
            let kept = self.kept();
            let Some(kept) = kept.of(conversation) else { return Ok(Page::default()) };
            page_of(kept.rows.iter(), from, limit, kept.version)
        })
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        Box::pin(async move {
            let kept = self.kept();
            let from = from.map_or(Bound::Unbounded, Bound::Included);
            let mut ids = kept.conversations.range::<str, _>((from, Bound::Unbounded)).map(|(id, _)| id);
            let page = ids.by_ref().take(limit).cloned().collect();
            Ok(Conversations::new(page, ids.next().cloned()))
        })
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.kept().conversations.remove(conversation);
            Ok(())
        })
    }
}
