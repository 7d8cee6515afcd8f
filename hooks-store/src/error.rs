//! What can go wrong.

use hooks_agent::store::StoreError;

/// A store could not be opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is no address of a database.
    #[error("`{url}` is no database that a store can open: {reason}")]
    Address {
        /// What was given, without a password.
        url: String,
        /// Why.
        reason: String,
    },
    /// The SQLite that is linked can corrupt files.
    #[error("SQLite {found} is linked, which can corrupt a file that two connections write to; link {needed} or newer")]
    OldSqlite {
        /// Its version.
        found: String,
        /// The first version that does not.
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
        /// The newest that is known here.
        known: i64,
    },
    /// There is a database, and no store in it.
    #[error("`{url}` is no store: no app has kept anything in it")]
    NoStore {
        /// The database.
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
    /// The database refused, or is not there.
    #[error("`{url}` cannot be opened: {source}")]
    Database {
        /// The database.
        url: String,
        /// What it said.
        #[source]
        source: sqlx::Error,
    },
}

/// The database did not do what a store asked it for.
pub(crate) fn failed(error: &sqlx::Error) -> StoreError {
    let text = error.to_string();
    let advice = match error {
        sqlx::Error::PoolTimedOut => "; every connection is in use",
        _ if text.contains("disk is full") => "; nothing was stored, free some space",
        _ if text.contains("readonly database") => "; nothing was stored, the file or its folder is read-only",
        _ => "",
    };
    StoreError::new(format!("{text}{advice}"))
}
