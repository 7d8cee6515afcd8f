//! Opens and closes a store.

use std::fmt;
use std::time::Duration;

use hooks_agent::store::StoreError;
use sqlx::Row as _;

use crate::address::Address;
use crate::database::{Database, SLOW, Tx};
use crate::dialect::{Dialect, MIN_SQLITE};
use crate::error::{Failure, OpenError};
use crate::options::OpenOptions;
use crate::schema;

/// Files up to this size in bytes are checked for damage when they are opened, which is fast. [`Store::check`] is for
/// larger ones.
const CHECKED: i64 = 64 << 20;

/// Conversations, background jobs and questions in a database. Clones share its connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) database: Database,
    pub(crate) silence: Duration,
    /// The address without its password.
    shown: String,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.shown).finish()
    }
}

/// The schema of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaVersion {
    /// That of the database. `None` if it contains no store.
    pub found: Option<i64>,
    /// That of this version of hooks-store, to which opening migrates an older one.
    pub known: i64,
}

impl OpenOptions {
    /// Reads the schema of a database, and changes nothing.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn schema(mut self, url: &str) -> Result<SchemaVersion, OpenError> {
        (self.existing, self.read_only) = (true, true);
        let address = Address::parse(url, &self)?;
        let failed = |error| refused(&address, error);
        let database = Database::connect(&address, &self).await.map_err(failed)?;
        let dialect = address.dialect;
        let found = database.read(move |tx| Box::pin(schema::version(tx, dialect))).await.map_err(failed)?;
        Ok(SchemaVersion { found, known: schema::VERSION })
    }

    /// Opens a store. See [`Store::open`].
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(self, url: &str) -> Result<Store, OpenError> {
        // Unless the app has installed its own.
        hook_sdk::record::set_redactor(hooks_secrets::redact);
        let address = Address::parse(url, &self)?;
        let mut database = Database::connect(&address, &self).await.map_err(|error| refused(&address, error))?;
        let dialect = address.dialect;
        if dialect == Dialect::Sqlite {
            check_sqlite(&database, &address).await?;
        }
        let failed = |source: Failure| OpenError::Database { url: address.shown.clone(), source: source.into() };
        let found = database.read(move |tx| Box::pin(schema::version(tx, dialect))).await.map_err(failed)?;
        if dialect == Dialect::Sqlite && !self.existing && found.is_none_or(|found| found <= schema::VERSION) {
            database.switch_to_wal().await.map_err(failed)?;
        }
        // An up-to-date store is not written to, because the user may have read access only.
        let newer = match found {
            Some(found) if found > schema::VERSION => Some(found),
            Some(schema::VERSION) => None,
            None if self.existing => return Err(OpenError::NoStore { url: address.shown }),
            Some(found) if self.read_only => {
                return Err(OpenError::OlderSchema { url: address.shown, found, known: schema::VERSION });
            }
            _ => database.write(move |tx| Box::pin(schema::migrate(tx, dialect))).await.map_err(failed)?,
        };
        match newer {
            Some(found) => Err(OpenError::NewerSchema { url: address.shown, found, known: schema::VERSION }),
            None => {
                database.is_open = true;
                Ok(Store { database, silence: self.silence, shown: address.shown })
            }
        }
    }
}

impl Store {
    /// Opens a store, and creates it if it does not exist. `url` is the path of an SQLite file, a `sqlite:` URL, or,
    /// with the feature `postgres`, a `postgres:` URL.
    ///
    /// Tables of an older version are migrated. Several processes can open the same store.
    ///
    /// # Errors
    /// [`OpenError`] if the database cannot be opened, is damaged, is not a database, or was written by a newer
    /// version. Nothing is changed then.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        OpenOptions::new().open(url).await
    }

    /// Reads every page and index of an SQLite file and returns the damage that SQLite finds, and the rows and questions
    /// that cannot be read. Others can use the store meanwhile. Opening a store reads the pages of files up to 64 MiB.
    /// Postgres checks its own files.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut found = match self.database.dialect {
            Dialect::Postgres => Vec::new(),
            Dialect::Sqlite => self.database.read_within(SLOW, |tx| Box::pin(damage(tx, "integrity_check"))).await?,
        };
        // What SQLite cannot read, nothing can.
        if found.is_empty() {
            found = self.unreadable_rows().await?;
            found.extend(self.unreadable_questions().await?);
        }
        Ok(found)
    }

    /// Waits for running transactions and closes the connections. When the last process closes an SQLite file,
    /// everything is in that file, without a `-wal` file.
    ///
    /// # Errors
    /// [`StoreError`] if a connection is still in use after the limit of a transaction, such as by an export that is
    /// not read to its end. What is stored stays stored.
    pub async fn close(&self) -> Result<(), StoreError> {
        Ok(self.database.close().await?)
    }
}

/// Why the database could not be read.
fn refused(address: &Address, error: Failure) -> OpenError {
    let url = address.shown.clone();
    let text = error.to_string();
    if text.contains("file is not a database") {
        return OpenError::NotADatabase { url };
    }
    if text.contains("malformed") {
        return OpenError::Damaged { url, reason: text };
    }
    OpenError::Database { url, source: error.into() }
}

/// Rejects a version of SQLite that corrupts files, and corrupt files.
async fn check_sqlite(database: &Database, address: &Address) -> Result<(), OpenError> {
    let (version, damage) =
        database.read(|tx| Box::pin(version_and_damage(tx))).await.map_err(|error| refused(address, error))?;
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap_or_default()).collect();
    if *parts < MIN_SQLITE[..] {
        let needed = MIN_SQLITE.map(|part| part.to_string()).join(".");
        return Err(OpenError::OldSqlite { found: version, needed });
    }
    match damage {
        None => Ok(()),
        Some(reason) => Err(OpenError::Damaged { url: address.shown.clone(), reason }),
    }
}

async fn version_and_damage(tx: &mut Tx) -> Result<(String, Option<String>), Failure> {
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut **tx).await?;
    let size = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
    let size: i64 = sqlx::query_scalar(size).fetch_one(&mut **tx).await?;
    let found = if size > CHECKED { Vec::new() } else { damage(tx, "quick_check").await? };
    Ok((version, (!found.is_empty()).then(|| found.join("; "))))
}

/// What SQLite finds in the pages of the file, at most three problems.
async fn damage(tx: &mut Tx, check: &'static str) -> Result<Vec<String>, Failure> {
    let found = sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA {check}(3)"))).fetch_all(&mut **tx).await?;
    let found: Vec<String> = found.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    Ok(if found == ["ok"] { Vec::new() } else { found })
}
