use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use hooks_core::data::{Message, MessageUpdate};
use hooks_core::hook::BoxFuture;

use super::{MessageStore, Page, Row, StoreError};

/// A store of the app that neither hangs nor panics: a turn must come to its end.
pub(crate) struct Guarded {
    pub(crate) store: Arc<dyn MessageStore>,
    pub(crate) limit: Duration,
}

impl Guarded {
    async fn within<T>(&self, call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        match tokio::time::timeout(self.limit, AssertUnwindSafe(call).catch_unwind()).await {
            Ok(Ok(done)) => done,
            Ok(Err(_panic)) => Err(StoreError::new("it panicked")),
            Err(_) => Err(StoreError::new(format!("it was not done within {:?}", self.limit))),
        }
    }
}

// The call itself may panic, before there is a future: hence the blocks.
impl MessageStore for Guarded {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        messages: Vec<Message>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(self.within(async move { self.store.append(conversation, messages).await }))
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
    ) -> BoxFuture<'a, Result<Row, StoreError>> {
        Box::pin(self.within(async move { self.store.update(conversation, id, update).await }))
    }

    fn fold<'a>(&'a self, conversation: &'a str, messages: Vec<Message>) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.within(async move { self.store.fold(conversation, messages).await }))
    }

    fn page<'a>(
        &'a self,
        conversation: &'a str,
        from: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(self.within(async move { self.store.page(conversation, from, limit).await }))
    }
}
