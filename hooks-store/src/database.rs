//! Connections.

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{Any, AnyPool, ConnectOptions, Connection, Executor, Transaction};
use std::time::Duration;

use crate::dialect::{Address, Dialect};
use crate::options::OpenOptions;

/// How long a writer waits for another one.
const BUSY: Duration = Duration::from_secs(10);

/// A database, with connections that write and others that read.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) dialect: Dialect,
    /// In SQLite a single one: there is one writer at a time.
    writers: AnyPool,
    pub(crate) readers: AnyPool,
}

impl Database {
    pub(crate) async fn connect(address: &Address, options: &OpenOptions) -> Result<Self, sqlx::Error> {
        install_default_drivers();
        let pool = || AnyPoolOptions::new().acquire_timeout(BUSY);
        let connect = |pool: AnyPoolOptions| pool.connect_with(address.options.clone());
        match address.dialect {
            Dialect::Postgres => {
                // A pool tries again until its time is up, and then says only that: the first connection says why.
                address.options.connect().await?.close().await?;
                let pool = connect(pool().max_connections(options.connections)).await?;
                Ok(Self { dialect: address.dialect, writers: pool.clone(), readers: pool })
            }
            Dialect::Sqlite => {
                let pragmas = format!(
                    "PRAGMA busy_timeout = {}; {}PRAGMA synchronous = {}; PRAGMA foreign_keys = ON;",
                    BUSY.as_millis(),
                    // A store is in WAL mode; what is none stays as it is.
                    if options.existing { "" } else { "PRAGMA journal_mode = WAL; " },
                    options.synchronous.pragma(),
                );
                // As above; it also makes the file, and puts it into WAL mode.
                let mut first = address.options.connect().await?;
                first.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas.clone()))).await?;
                first.close().await?;
                let writers = set(pool().max_connections(1), pragmas);
                let readers = set(
                    pool().max_connections(options.connections),
                    format!("PRAGMA busy_timeout = {}; PRAGMA query_only = ON;", BUSY.as_millis()),
                );
                let writers = connect(writers).await?;
                Ok(Self { dialect: address.dialect, writers, readers: connect(readers).await? })
            }
        }
    }

    /// A transaction that writes. What it reads nobody changes until it ends.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.dialect {
            Dialect::Sqlite => self.writers.begin_with("BEGIN IMMEDIATE").await,
            Dialect::Postgres => self.writers.begin().await,
        }
    }

    /// A transaction that reads: all of it as of one moment.
    pub(crate) async fn read(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.dialect {
            Dialect::Sqlite => self.readers.begin().await,
            Dialect::Postgres => self.readers.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await,
        }
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writers.close().await;
    }
}

/// Runs `statements` on each new connection of the pool.
fn set(pool: AnyPoolOptions, statements: String) -> AnyPoolOptions {
    pool.after_connect(move |connection, _| {
        let statements = statements.clone();
        Box::pin(async move {
            // Only numbers and words of ours.
            connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(statements))).await?;
            Ok(())
        })
    })
}
