//! The errors of this crate.

use std::error::Error;
use std::time::Duration;

use hooks_agent::store::StoreError;

use crate::dialect::Dialect;

/// The error of opening a store. Nothing was changed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The address is not that of a database.
    #[error("`{url}` is not a database that a store can open: {reason}")]
    Address {
        /// The given address, without its password.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The linked version of SQLite can corrupt files.
    #[error("SQLite {found} is linked, which can corrupt a file that two connections write to; link {needed} or newer")]
    OldSqlite {
        /// Its version.
        found: String,
        /// The first version without that bug.
        needed: String,
    },
    /// A newer version of this crate has written the database.
    #[error(
        "`{url}` has the schema {found}, and this version of hooks-store knows {known} at most; update hooks-store"
    )]
    NewerSchema {
        /// The database.
        url: String,
        /// Its schema.
        found: i64,
        /// The newest schema that this version knows.
        known: i64,
    },
    /// An older version of this crate has written the database, and it was to be opened for reading only.
    #[error("`{url}` has the schema {found}; open it once without `read_only`, which migrates it to {known}")]
    OlderSchema {
        /// The database.
        url: String,
        /// Its schema.
        found: i64,
        /// The schema that this version needs.
        known: i64,
    },
    /// The database exists but does not contain a store.
    #[error("`{url}` is not a store: no app has stored anything in it")]
    NoStore {
        /// The database.
        url: String,
    },
    /// The file is not an SQLite database.
    #[error(
        "`{url}` is not an SQLite database, or its first page is damaged; give the path of a store, or restore it from a copy"
    )]
    NotADatabase {
        /// The file.
        url: String,
    },
    /// The file is damaged.
    #[error("`{url}` is damaged: {reason}; restore it from a copy, or read what is left with `sqlite3 FILE .recover`")]
    Damaged {
        /// The database.
        url: String,
        /// What SQLite found.
        reason: String,
    },
    /// The database rejected the connection or cannot be reached.
    #[error("`{url}` cannot be opened: {source}{}", advice(&.source.to_string()))]
    Database {
        /// The database.
        url: String,
        /// The error of the database.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}

/// As `Display`, because a `main` that returns it prints this.
impl std::fmt::Debug for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The error of a transaction.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}", .0.busy())]
    Busy(Dialect),
    #[error("the database did not answer within {0:?}")]
    Late(Duration),
    #[error("the work of a transaction panicked")]
    Panicked,
    #[error("nobody knows whether the change was stored, because its commit was not confirmed: {0}; read it again")]
    InDoubt(Box<Failure>),
    #[error("a connection is still in use after {0:?}; other processes can use the store")]
    NotClosed(Duration),
    #[error(
        "a newer version of hooks-store has migrated the store to schema {found}, and this process knows {known} at most; \
         nothing was stored, update and restart it"
    )]
    Outdated { found: i64, known: i64 },
}

impl Failure {
    /// Why work on the thread of the store has no result.
    pub(crate) fn of_work(error: &tokio::task::JoinError) -> Self {
        if error.is_cancelled() { Self::Database(sqlx::Error::PoolClosed) } else { Self::Panicked }
    }

    /// The failure of a pool to give a connection.
    pub(crate) fn of_pool(error: sqlx::Error, dialect: Dialect) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => Self::Busy(dialect),
            error => Self::Database(error),
        }
    }

    /// Whether the database answered a commit by saying that nothing is stored. After any other failure, such as a lost
    /// connection or a disk that fails, the change may be stored.
    pub(crate) fn is_rejection(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else { return false };
        let code = error.code().unwrap_or_default();
        match code.parse::<u32>() {
            // Of SQLite: everything except `SQLITE_IOERR`, which has many forms.
            Ok(number) if code.len() < 5 => number & 0xff != 10,
            // Of Postgres: what is wrong with the data or the transaction, except `statement_completion_unknown`.
            _ => ["22", "23", "25", "40"].iter().any(|class| code.starts_with(class)) && code != "40003",
        }
    }

    /// Whether every retry fails too: the store was closed, or this process is too old for it.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::PoolClosed) | Self::Outdated { .. })
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        let error = match failure {
            Failure::Store(error) => return error,
            Failure::Database(error) => error,
            other => return Self::new(other.to_string()),
        };
        let text = error.to_string();
        let advice = if matches!(error, sqlx::Error::PoolClosed) { "; the store is closed" } else { advice(&text) };
        Self::new(format!("{text}{advice}"))
    }
}

/// What to do about an error of the database.
fn advice(text: &str) -> &'static str {
    match text {
        _ if text.contains("disk is full") => "; nothing was stored, free some space",
        _ if text.contains("readonly database") || text.contains("read-only transaction") => {
            "; nothing was stored, the store, its file or its folder is read-only: to look at it only, use `OpenOptions::read_only`"
        }
        _ if text.contains("database is locked") => "; nothing was stored, another process holds the file's lock",
        _ if text.contains("unable to open database file") => {
            "; check that the folder exists and that this user may write to it"
        }
        _ => "",
    }
}
