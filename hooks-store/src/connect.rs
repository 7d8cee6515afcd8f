//! Opens the connections of a store.

use std::time::{Duration, Instant};

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{AnyPool, ConnectOptions, Connection, Executor};
use tokio::time::{sleep, timeout};

use crate::address::Address;
use crate::dialect::Dialect;
use crate::error::Failure;
use crate::options::OpenOptions;

/// How long a writer waits for the lock of an SQLite file.
const BUSY: Duration = Duration::from_secs(10);

/// How often to try where SQLite does not wait by itself.
const LOCKED: Duration = Duration::from_millis(10);

/// Opens the connections for writing and for reading.
pub(crate) async fn connect(address: Address, options: OpenOptions) -> Result<(AnyPool, AnyPool), Failure> {
    install_default_drivers();
    let limit = options.connect_timeout;
    let pool = || {
        AnyPoolOptions::new()
            // A server may have closed a connection. A file does not.
            .test_before_acquire(address.dialect == Dialect::Postgres)
            .acquire_timeout(limit)
            .idle_timeout(options.idle_timeout)
            .max_lifetime(options.max_lifetime)
    };
    let connect = |pool: AnyPoolOptions| pool.connect_with(address.options.clone());
    match address.dialect {
        Dialect::Postgres => {
            // A pool retries until its timeout and reports only that. The first connection reports the actual error.
            let first = async { address.options.connect().await?.close().await };
            timeout(limit, first).await.map_err(|_| Failure::Late(limit))??;
            let pool = connect(pool().max_connections(options.connections)).await?;
            Ok((pool.clone(), pool))
        }
        Dialect::Sqlite => {
            let reads = format!("PRAGMA busy_timeout = {}; PRAGMA query_only = ON;", BUSY.as_millis());
            if options.read_only {
                address.options.connect().await?.close().await?;
                let readers = connect(on_connect(pool().max_connections(options.connections), reads)).await?;
                return Ok((readers.clone(), readers));
            }
            if !options.existing {
                create_private(&address);
            }
            let pragmas = format!(
                "PRAGMA busy_timeout = {}; PRAGMA synchronous = {}; PRAGMA foreign_keys = ON;",
                BUSY.as_millis(),
                options.synchronous.pragma(),
            );
            // As above. This also creates the file.
            let mut first = address.options.connect().await?;
            first.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas.clone()))).await?;
            first.close().await?;
            let writers = on_connect(pool().max_connections(1), pragmas);
            let readers = on_connect(pool().max_connections(options.connections), reads);
            Ok((connect(writers).await?, connect(readers).await?))
        }
    }
}

/// Switches an SQLite file to WAL mode, in which it stays. Only a store: another file must not be changed.
pub(crate) async fn switch_to_wal(writers: AnyPool) -> Result<(), Failure> {
    let start = Instant::now();
    // A process that switches while another one does fails without a wait, whatever the timeout is.
    while let Err(error) = writers.execute("PRAGMA journal_mode = WAL").await {
        if !error.to_string().contains("database is locked") || start.elapsed() > BUSY {
            return Err(error.into());
        }
        sleep(LOCKED).await;
    }
    Ok(())
}

/// Creates the file if it does not exist. Only its owner may read what people and tools said. SQLite gives its other
/// files the same permissions.
fn create_private(address: &Address) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // If it cannot be created, SQLite reports why.
    let _ = address.file.as_ref().map(|file| options.open(file));
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
