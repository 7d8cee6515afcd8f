use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::data::MessageUpdate;

use super::{Append, Conversations, Export, Fold, Lease, MessageStore, Page, Row, StoreError, StoreFuture, Written};
use crate::panics::contained;

/// Wraps the app's store so that it can neither hang nor panic. A turn has to reach its end.
pub(crate) struct Guarded {
    pub(crate) store: Arc<dyn MessageStore>,
    pub(crate) limit: Duration,
}

impl Guarded {
    fn within<'a, T: Send + 'a>(
        &'a self,
        call: impl Future<Output = Result<T, StoreError>> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            match tokio::time::timeout(self.limit, contained(call)).await {
                Ok(Ok(done)) => done,
                Ok(Err(_panic)) => Err(StoreError::new("it panicked")),
                Err(_) => Err(StoreError::new(format!("it timed out after {:?}", self.limit))),
            }
        })
    }
}

// The call itself may panic before it returns a future, hence the async blocks.
impl MessageStore for Guarded {
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        self.within(async move { self.store.append(conversation, append).await })
    }

    /// Without a limit, because it waits for turns of other processes.
    fn lease<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Lease> {
        Box::pin(async move {
            let lease = contained(async move { self.store.lease(conversation).await });
            lease.await.unwrap_or_else(|_panic| Err(StoreError::new("it panicked")))
        })
    }

    fn is_lasting(&self) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.store.is_lasting())).unwrap_or(true)
    }

    fn keeps_jobs(&self) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.store.keeps_jobs())).unwrap_or(false)
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        lease: Option<u64>,
    ) -> StoreFuture<'a, Row> {
        self.within(async move { self.store.update(conversation, id, update, lease).await })
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        self.within(async move { self.store.fold(conversation, fold).await })
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        self.within(async move { self.store.page(conversation, from, limit).await })
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        self.within(async move { self.store.history(conversation, from, limit).await })
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        self.within(async move { self.store.conversations(from, limit).await })
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        self.within(async move { self.store.delete(conversation).await })
    }

    fn export<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Export> {
        self.within(async move { self.store.export(conversation).await })
    }
}
