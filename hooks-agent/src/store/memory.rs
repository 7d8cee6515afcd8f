use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hooks_core::data::{Message, MessageUpdate};
use hooks_core::hook::BoxFuture;

use super::{MessageStore, Page, Row, StoreError};

/// Keeps conversations as long as the program runs. Of one that was folded it keeps what it reads as.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<HashMap<String, Vec<Message>>>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn conversations(&self) -> MutexGuard<'_, HashMap<String, Vec<Message>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MessageStore for MemoryStore {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        messages: Vec<Message>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(async move {
            let mut conversations = self.conversations();
            let rows = conversations.entry(conversation.to_owned()).or_default();
            let first = rows.len();
            rows.extend(messages.iter().cloned());
            let numbered = messages.into_iter().enumerate();
            Ok(numbered.map(|(i, message)| Row::new((first + i).to_string(), message)).collect())
        })
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
    ) -> BoxFuture<'a, Result<Row, StoreError>> {
        Box::pin(async move {
            let mut conversations = self.conversations();
            let rows = conversations.get_mut(conversation);
            let row = rows.zip(id.parse::<usize>().ok()).and_then(|(rows, at)| rows.get_mut(at));
            let row = row.ok_or_else(|| StoreError::new(format!("`{conversation}` has no row `{id}`")))?;
            *row = update.apply(row).map_err(|error| StoreError::new(format!("row `{id}`: {error}")))?;
            Ok(Row::new(id, row.clone()))
        })
    }

    fn fold<'a>(&'a self, conversation: &'a str, messages: Vec<Message>) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.conversations().insert(conversation.to_owned(), messages);
            Ok(())
        })
    }

    fn page<'a>(
        &'a self,
        conversation: &'a str,
        from: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(async move {
            let first = match from {
                Some(from) => from.parse().map_err(|_| StoreError::new(format!("no page begins at `{from}`")))?,
                None => 0,
            };
            let conversations = self.conversations();
            let rows = conversations.get(conversation).map(Vec::as_slice).unwrap_or_default();
            let end = rows.len().min(first + limit);
            let numbered = rows.iter().enumerate().take(end).skip(first);
            let page = numbered.map(|(i, message)| Row::new(i.to_string(), message.clone())).collect();
            Ok(Page::new(page, (end < rows.len()).then(|| end.to_string())))
        })
    }
}
