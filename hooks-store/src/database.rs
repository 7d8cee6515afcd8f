//! The database: its connections, and the thread on which all its work runs.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hook_sdk::hook::BoxFuture;
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{Any, AnyConnection, AnyPool, ConnectOptions, Connection, Executor, Transaction};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::dialect::{Address, Dialect};
use crate::error::Failure;
use crate::options::OpenOptions;

/// How long a writer waits for another one.
const BUSY: Duration = Duration::from_secs(10);

/// How often to try where SQLite does not wait by itself.
const LOCKED: Duration = Duration::from_millis(10);

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
    runtime: Arc<StoreRuntime>,
}

/// A transaction.
pub(crate) struct Tx {
    transaction: Transaction<'static, Any>,
    pub(crate) dialect: Dialect,
}

impl Database {
    pub(crate) async fn connect(address: &Address, options: &OpenOptions) -> Result<Self, Failure> {
        let runtime = Arc::new(StoreRuntime::start()?);
        let dialect = address.dialect;
        let connecting = runtime.handle.spawn(connect(address.clone(), options.clone()));
        let (writers, readers) = connecting.await.map_err(|_| sqlx::Error::WorkerCrashed)??;
        Ok(Self { dialect, writers, readers, runtime })
    }

    /// Runs `work` in a transaction that may write, and commits it unless `work` fails. Until the transaction ends, no
    /// other one changes what it has read. It runs to its end even if the caller stops waiting.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let begin = match self.dialect {
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            Dialect::Postgres => "BEGIN",
        };
        self.transact(self.writers.clone(), begin, work).await
    }

    /// Runs `work` in a transaction with a consistent snapshot.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let begin = match self.dialect {
            Dialect::Sqlite => "BEGIN",
            Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        self.transact(self.readers.clone(), begin, work).await
    }

    async fn transact<T: Send + 'static>(
        &self,
        pool: AnyPool,
        begin: &'static str,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let dialect = self.dialect;
        let running = self.spawn(async move {
            let mut tx = Tx { transaction: pool.begin_with(begin).await?, dialect };
            let done = work(&mut tx).await?;
            tx.transaction.commit().await?;
            Ok(done)
        });
        running.await.map_err(|_| sqlx::Error::WorkerCrashed)?
    }

    /// Starts `work` on the thread of the store. It runs to its end even if the caller stops waiting.
    pub(crate) fn spawn<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        self.runtime.handle.spawn(work)
    }

    pub(crate) async fn close(&self) {
        let (writers, readers) = (self.writers.clone(), self.readers.clone());
        let closing = self.spawn(async move {
            readers.close().await;
            writers.close().await;
        });
        // It fails only if closing panics, and then there is nothing left to close.
        let _ = closing.await;
    }
}

/// Opens the connections for writing and for reading.
async fn connect(address: Address, options: OpenOptions) -> Result<(AnyPool, AnyPool), sqlx::Error> {
    install_default_drivers();
    let pool = || AnyPoolOptions::new().acquire_timeout(BUSY);
    let connect = |pool: AnyPoolOptions| pool.connect_with(address.options.clone());
    match address.dialect {
        Dialect::Postgres => {
            // A pool retries until its timeout and reports only that. The first connection reports the actual error.
            address.options.connect().await?.close().await?;
            let pool = connect(pool().max_connections(options.connections)).await?;
            Ok((pool.clone(), pool))
        }
        Dialect::Sqlite => {
            let pragmas = format!(
                "PRAGMA busy_timeout = {}; {}PRAGMA synchronous = {}; PRAGMA foreign_keys = ON;",
                BUSY.as_millis(),
                // A store is already in WAL mode. Another database must not be changed.
                if options.existing { "" } else { "PRAGMA journal_mode = WAL; " },
                options.synchronous.pragma(),
            );
            // As above. This also creates the file and switches it to WAL mode.
            let mut first = address.options.connect().await?;
            let start = Instant::now();
            // A process that switches to WAL mode while another one does fails without a wait, whatever the timeout is.
            while let Err(error) = first.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas.clone()))).await {
                if !error.to_string().contains("database is locked") || start.elapsed() > BUSY {
                    return Err(error);
                }
                sleep(LOCKED).await;
            }
            first.close().await?;
            let writers = on_connect(pool().max_connections(1), pragmas);
            let readers = on_connect(
                pool().max_connections(options.connections),
                format!("PRAGMA busy_timeout = {}; PRAGMA query_only = ON;", BUSY.as_millis()),
            );
            Ok((connect(writers).await?, connect(readers).await?))
        }
    }
}

/// Runs `statements` on each new connection of the pool.
fn on_connect(pool: AnyPoolOptions, statements: String) -> AnyPoolOptions {
    pool.after_connect(move |connection, _| {
        let statements = statements.clone();
        Box::pin(async move {
            // They consist of literals and numbers in this file.
            connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(statements))).await?;
            Ok(())
        })
    })
}

impl Deref for Tx {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.transaction
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }
}

/// The thread of a store.
struct StoreRuntime {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl StoreRuntime {
    fn start() -> Result<Self, Failure> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("hooks-store").enable_all().build();
        let runtime = runtime.map_err(sqlx::Error::Io)?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }
}

impl Drop for StoreRuntime {
    fn drop(&mut self) {
        // Dropping a runtime inside another one panics.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for StoreRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreRuntime")
    }
}
