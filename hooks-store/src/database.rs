//! The database and its transactions.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::hook::BoxFuture;
use hooks_agent::store::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, Executor};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::address::Address;
use crate::connect::{connect, switch_to_wal};
use crate::dialect::Dialect;
use crate::error::Failure;
use crate::options::OpenOptions;
use crate::runtime::StoreRuntime;
use crate::schema;

/// The limit for work that waits for somebody who reads rows, or that reads a whole file.
pub(crate) const SLOW: Duration = Duration::from_hours(24);

/// A database, with separate connections for writing and reading. Clones share them.
///
/// Every transaction runs on a thread of the store. Code of the app that blocks its own thread therefore never holds
/// the lock of a transaction, and a caller that stops waiting does not abort one half-way.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) dialect: Dialect,
    /// For SQLite a single connection, because SQLite has one writer at a time.
    writers: AnyPool,
    readers: AnyPool,
    /// The limit for a transaction.
    limit: Duration,
    read_only: bool,
    /// Whether each transaction checks the version of the schema. Not before the store is open.
    pub(crate) is_open: bool,
    runtime: Arc<StoreRuntime>,
}

/// The JSON of `value`, from which it can be read again. Not every value has one: parsers accept fewer levels than a
/// program can write.
///
/// # Errors
/// [`StoreError`], before anything is stored.
pub(crate) fn writable<T: Serialize + DeserializeOwned>(what: &str, value: &T) -> Result<String, StoreError> {
    let text = serde_json::to_string(value);
    let text = text.and_then(|text| serde_json::from_str::<T>(&text).map(|_| text));
    text.map_err(|error| StoreError::new(format!("{what} cannot be stored as JSON that can be read again: {error}")))
}

/// A transaction.
///
/// Its connection goes back to the pool only after a commit or a rollback that the database has confirmed. After
/// anything else, such as a full disk, which makes SQLite roll back by itself, nobody knows the state of the
/// connection, so it is closed. The next transaction gets a new one.
pub(crate) struct Tx {
    connection: PoolConnection<Any>,
    has_ended: bool,
    pub(crate) dialect: Dialect,
}

impl Database {
    pub(crate) async fn connect(address: &Address, options: &OpenOptions) -> Result<Self, Failure> {
        let runtime = Arc::new(StoreRuntime::start()?);
        let (dialect, limit) = (address.dialect, options.transaction_timeout);
        let connecting = runtime.handle.spawn(connect(address.clone(), options.clone()));
        let (writers, readers) = connecting.await.map_err(|error| Failure::of_work(&error))??;
        Ok(Self { dialect, writers, readers, limit, read_only: options.read_only, is_open: false, runtime })
    }

    /// Prepares an SQLite file for one writer beside its readers.
    pub(crate) async fn switch_to_wal(&self) -> Result<(), Failure> {
        let switch = self.runtime.handle.spawn(switch_to_wal(self.writers.clone()));
        switch.await.map_err(|error| Failure::of_work(&error))?
    }

    /// Runs `work` in a transaction that may write, and commits it unless `work` fails. Until the transaction ends, no
    /// other one changes what it has read. It runs to its end even if the caller stops waiting.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        match self.write_in_doubt(work).await? {
            (done, None) => Ok(done),
            (_, Some(doubt)) => Err(Failure::InDoubt(doubt.into())),
        }
    }

    /// The same, with the result also if the commit was not confirmed, and why: nobody knows whether it is stored.
    pub(crate) async fn write_in_doubt<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<(T, Option<Failure>), Failure> {
        let begin = self.dialect.begin(self.read_only);
        self.transact(self.writers.clone(), begin, self.limit, work).await
    }

    /// Runs `work` in a transaction with a consistent snapshot.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        self.read_within(self.limit, work).await
    }

    /// The same, with a limit of its own, for work that waits for a reader.
    pub(crate) async fn read_within<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let (read, failed) = self.transact(self.readers.clone(), self.dialect.begin_snapshot(), limit, work).await?;
        failed.map_or(Ok(read), Err)
    }

    async fn transact<T: Send + 'static>(
        &self,
        pool: AnyPool,
        begin: &'static str,
        limit: Duration,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<(T, Option<Failure>), Failure> {
        let (dialect, is_open) = (self.dialect, self.is_open);
        let running = self.spawn(async move {
            let connection = pool.acquire().await.map_err(|error| Failure::of_pool(error, dialect))?;
            let mut tx = Tx { connection, has_ended: false, dialect };
            // A server that is frozen, or behind a network that lost the connection, never answers.
            let deadline = Instant::now() + limit;
            let done = async {
                if is_open {
                    schema::begin(&mut tx.connection, begin).await?;
                } else {
                    tx.connection.execute(sqlx::raw_sql(begin)).await?;
                }
                work(&mut tx).await
            };
            match timeout_at(deadline, done).await.unwrap_or(Err(Failure::Late(limit))) {
                Ok(done) => match timeout_at(deadline, tx.end("COMMIT")).await.unwrap_or(Err(Failure::Late(limit))) {
                    Ok(()) => Ok((done, None)),
                    Err(failure) if failure.is_rejection() => Err(failure),
                    Err(failure) => Ok((done, Some(failure))),
                },
                Err(failure) => {
                    // If it fails, the connection is closed, which rolls back too.
                    let _ = timeout_at(deadline, tx.end("ROLLBACK")).await;
                    Err(failure)
                }
            }
        });
        running.await.map_err(|error| Failure::of_work(&error))?
    }

    /// Runs statements that no transaction may contain.
    pub(crate) async fn run_alone(&self, statements: &'static [&'static str], limit: Duration) -> Result<(), Failure> {
        let (pool, dialect) = (self.writers.clone(), self.dialect);
        let running = self.spawn(async move {
            let connection = pool.acquire().await.map_err(|error| Failure::of_pool(error, dialect))?;
            let mut tx = Tx { connection, has_ended: false, dialect };
            for statement in statements {
                let done = tx.connection.execute(sqlx::raw_sql(*statement));
                timeout(limit, done).await.map_err(|_| Failure::Late(limit))??;
            }
            tx.has_ended = true;
            Ok(())
        });
        running.await.map_err(|error| Failure::of_work(&error))?
    }

    /// Starts `work` on the thread of the store. It runs to its end even if the caller stops waiting.
    pub(crate) fn spawn<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        self.runtime.handle.spawn(work)
    }

    /// Closes the connections. A transaction that takes longer than its limit is not waited for.
    pub(crate) async fn close(&self) -> Result<(), Failure> {
        let (writers, readers) = (self.writers.clone(), self.readers.clone());
        let closing = self.spawn(async move {
            readers.close().await;
            writers.close().await;
        });
        let closed = timeout(self.limit, closing).await.map_err(|_| Failure::NotClosed(self.limit))?;
        closed.map_err(|error| Failure::of_work(&error))
    }
}

impl Tx {
    /// Commits or rolls back.
    async fn end(&mut self, how: &'static str) -> Result<(), Failure> {
        self.connection.execute(sqlx::raw_sql(how)).await?;
        self.has_ended = true;
        Ok(())
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if !self.has_ended {
            self.connection.close_on_drop();
        }
    }
}

impl Deref for Tx {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.connection
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.connection
    }
}

#[cfg(feature = "sqlite")]
#[cfg(test)]
mod tests {
    use hook_sdk::data::{Message, MessageUpdate, Role};
    use hook_sdk::detached::{BackgroundSink, Job};
    use hooks_agent::store::{Append, Fold, FoldEntry, MessageStore, StoreError};
    use serde_json::json;

    use super::*;
    use crate::store::Store;

    fn big() -> Message {
        Message::new(Role::User, "x".repeat(20_000))
    }

    fn job(id: &str) -> Job {
        let job = json!({
            "id": id, "hook": "h", "kind": "after_create_message", "event": "x".repeat(20_000), "context": {},
            "attempt": 1, "max_attempts": 1, "idempotency_key": "",
        });
        serde_json::from_value(job).unwrap()
    }

    type Write = for<'a> fn(&'a Store, &'a str) -> BoxFuture<'a, Result<(), String>>;

    /// The writes of the store, each of which needs space. They get the id of the only row.
    const WRITES: [(&str, Write); 5] = [
        ("append", |store, _| Box::pin(async { said(store.append("c", Append::new([big()])).await) })),
        ("create", |store, _| Box::pin(async { said(store.create("new", vec![(big(), true)]).await) })),
        ("update", |store, row| {
            let update = MessageUpdate::from_iter([("content".to_owned(), json!("x".repeat(20_000)))]);
            Box::pin(async { said(store.update("c", row, update, None).await) })
        }),
        ("fold", |store, _| {
            Box::pin(async {
                let seen = store.page("c", None, 1).await.map_err(|error| error.to_string())?.version;
                said(store.fold("c", Fold::new(seen, [FoldEntry::New(big())])).await)
            })
        }),
        ("enqueue", |store, _| {
            let queue = store.job_queue();
            Box::pin(async move { queue.enqueue(job("j")).map_err(|error| format!("{error:?}")) })
        }),
    ];

    fn said<T>(done: Result<T, StoreError>) -> Result<(), String> {
        done.map(drop).map_err(|error| error.to_string())
    }

    /// Lets the file grow by `pages`, on the only connection that writes. If the store replaces that connection, there
    /// is space again.
    async fn fill_up(store: &Store, pages: i64) {
        let filled = store.database.write(move |tx| {
            Box::pin(async move {
                let size: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut **tx).await?;
                let limit = format!("PRAGMA max_page_count = {}", size + pages);
                tx.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(limit))).await?;
                Ok(())
            })
        });
        filled.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn every_write_that_found_the_disk_full_works_the_next_time() {
        for (name, write) in WRITES {
            for pages in 0..3 {
                let folder = tempfile::tempdir().unwrap();
                let options = OpenOptions::new().synchronous(crate::Synchronous::Normal);
                let store = options.open(folder.path().join("store.db").to_str().unwrap()).await.unwrap();
                let said = Append::new([Message::new(Role::User, "hello")]);
                let row = store.append("c", said).await.unwrap().rows.remove(0).id;
                fill_up(&store, pages).await;
                let full = write(&store, &row).await.unwrap_err();
                assert!(full.contains("disk is full"), "{name}: {full}");
                assert_eq!(write(&store, &row).await, Ok(()), "{name} with {pages} more pages");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_transaction_that_ended_in_any_other_way_leaves_no_connection_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path().join("store.db").to_str().unwrap()).await.unwrap();
        let usual = std::mem::replace(&mut store.database.limit, Duration::from_millis(200));
        let failed = [
            store.database.write::<()>(|_| Box::pin(async { panic!("as an app's serialisation may") })).await,
            store.database.write::<()>(|_| Box::pin(std::future::pending())).await,
            // Rolls back, so that the commit has nothing to commit.
            store.database.write(|tx| Box::pin(async { tx.end("ROLLBACK").await })).await,
            store.database.write::<()>(|_| Box::pin(async { Err(StoreError::Conflict.into()) })).await,
        ];
        let failed: Vec<_> = failed.into_iter().map(|done| done.unwrap_err()).collect();
        assert!(
            matches!(failed[..], [Failure::Panicked, Failure::Late(_), Failure::Database(_), Failure::Store(_)]),
            "{failed:?}"
        );
        assert!(failed.iter().all(|failure| !failure.is_closed()), "{failed:?}");
        store.database.limit = usual;
        store.append("c", Append::new([big()])).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn closing_a_store_that_is_still_read_ends_in_time_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path().join("store.db").to_str().unwrap()).await.unwrap();
        let (reads, reading) = tokio::sync::oneshot::channel();
        let database = store.database.clone();
        let reader = tokio::spawn(async move {
            let read = database.read_within::<()>(SLOW, |_| {
                let _ = reads.send(());
                Box::pin(std::future::pending())
            });
            read.await
        });
        reading.await.unwrap();
        store.database.limit = Duration::from_millis(200);
        let error = store.close().await.unwrap_err().to_string();
        assert!(error.contains("still in use after 200ms"), "{error}");
        reader.abort();
    }
}
