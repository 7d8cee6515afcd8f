//! Stores with faults, and the contract of every store.

use std::sync::Arc;

use hook_sdk::data::MessageUpdate;
use hook_sdk::hook::BoxFuture;
use hooks_agent::store::{
    Append, Conversations, Fold, MemoryStore, MessageStore, Page, Row, StoreError, StoreFuture, Written,
};
use hooks_agent::testing::hold_store;

/// What happens around the calls of a store, by method.
pub(crate) trait Disturb: Send + Sync + 'static {
    fn before(&self, call: &'static str) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The rows that a fold made.
    fn folded(&self, _written: &Written) {}

    /// An error that the store returns although the call took effect.
    fn after(&self, _call: &'static str) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A store with faults. Its content can be read directly.
pub(crate) struct Disturbed<D> {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) by: D,
}

impl<D: Disturb> Disturbed<D> {
    fn call<'a, T: Send + 'a>(&'a self, name: &'static str, call: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.by.before(name).await?;
            let done = call.await?;
            self.by.after(name)?;
            Ok(done)
        })
    }
}

impl<D: Disturb> MessageStore for Disturbed<D> {
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        self.call("append", self.store.append(conversation, append))
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        lease: Option<u64>,
    ) -> StoreFuture<'a, Row> {
        self.call("update", self.store.update(conversation, id, update, lease))
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        let folded =
            async move { self.store.fold(conversation, fold).await.inspect(|written| self.by.folded(written)) };
        self.call("fold", Box::pin(folded))
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        self.call("page", self.store.page(conversation, from, limit))
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        self.call("history", self.store.history(conversation, from, limit))
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        self.call("conversations", self.store.conversations(from, limit))
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        self.call("delete", self.store.delete(conversation))
    }
}

#[tokio::test]
async fn the_memory_store_keeps_the_contract_even_if_it_is_not_empty() {
    let store = MemoryStore::new();
    store
        .append("before", Append::new([hook_sdk::data::Message::new(hook_sdk::data::Role::User, "hi")]))
        .await
        .unwrap();
    hold_store(&store).await.unwrap();
    assert_eq!(store.conversations(None, 10).await.unwrap().ids, ["before"]);
}

/// A store that violates the contract in one way.
struct Broken(MemoryStore, &'static str);

impl MessageStore for Broken {
    fn append<'a>(&'a self, conversation: &'a str, mut append: Append) -> StoreFuture<'a, Written> {
        match self.1 {
            "ignores versions" => append.seen = None,
            "keeps half" => append.messages.truncate(append.messages.len().div_ceil(2)),
            _ => {}
        }
        self.0.append(conversation, append)
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        lease: Option<u64>,
    ) -> StoreFuture<'a, Row> {
        self.0.update(conversation, id, update, lease)
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        self.0.fold(conversation, fold)
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        if self.1 == "reads its history" {
            return self.0.history(conversation, from, limit);
        }
        let page = self.0.page(conversation, from, limit);
        if self.1 == "says that nothing is folded" {
            return Box::pin(async { Ok(page.await?.complete(true)) });
        }
        page
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        if self.1 == "forgets what it folds" {
            return self.0.page(conversation, from, limit);
        }
        self.0.history(conversation, from, limit)
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        let limit = if self.1 == "lists too many" { limit + 1 } else { limit };
        self.0.conversations(from, limit)
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        if self.1 == "deletes nothing" {
            return Box::pin(async { Ok(()) });
        }
        self.0.delete(conversation)
    }
}

#[tokio::test]
async fn violations_of_the_contract_by_a_store_are_reported() {
    for (broken, breach) in [
        ("ignores versions", "an append to a version that is past is a conflict"),
        ("keeps half", "an append gives a row for each message"),
        ("forgets what it folds", "a fold leaves the history as it is"),
        ("reads its history", "a conversation reads as its fold says"),
        ("says that nothing is folded", "a view without rows of the history is not complete"),
        ("lists too many", "a page has no more conversations than were asked for"),
        ("deletes nothing", "of a deleted conversation nothing is left"),
    ] {
        let breaches = hold_store(&Broken(MemoryStore::new(), broken)).await.unwrap_err();
        assert!(breaches.breaches().iter().any(|line| line.starts_with(breach)), "{broken}: {breaches}");
    }
}
