//! A store, and how it is opened.

use std::fmt;
use std::time::Duration;

use hooks_agent::store::StoreError;
use sqlx::Row as _;

use crate::database::Database;
use crate::dialect::{Address, Dialect, MIN_SQLITE};
use crate::error::OpenError;
use crate::options::OpenOptions;
use crate::runtime::StoreRuntime;
use crate::schema;

/// Up to this size a file is checked for damage when it is opened: a moment.
const CHECKED: i64 = 64 << 20;

/// Conversations, background jobs and questions in a database. Clones share its connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) database: Database,
    pub(crate) runtime: StoreRuntime,
    pub(crate) address: Address,
    pub(crate) silence: Duration,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.address.shown).finish()
    }
}

impl OpenOptions {
    /// Opens a store: see [`Store::open`].
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(self, url: &str) -> Result<Store, OpenError> {
        let address = Address::parse(url)?;
        let shown = address.shown.clone();
        let no_thread = |error: std::io::Error| OpenError::Database { url: shown.clone(), source: error.into() };
        let runtime = StoreRuntime::start().map_err(no_thread)?;
        let database = {
            let address = address.clone();
            runtime.run(async move { self.connect(&address).await.map_err(Opening::Open) }).await
        };
        match database {
            Ok((database, silence)) => Ok(Store { database, runtime, address, silence }),
            Err(Opening::Open(error)) => Err(error),
            Err(Opening::Ended(error)) => {
                Err(OpenError::Database { url: shown, source: sqlx::Error::Io(std::io::Error::other(error)) })
            }
        }
    }

    /// The database, with all tables as they are to be.
    async fn connect(self, address: &Address) -> Result<(Database, Duration), OpenError> {
        let failed = |source| OpenError::Database { url: address.shown.clone(), source };
        let database = Database::connect(address, &self).await.map_err(|error| refused(address, error))?;
        if address.dialect == Dialect::Sqlite {
            sound(&database, address).await?;
        }
        // Where all is as it is to be, nothing is written: whoever opens it may be allowed to read only.
        let newer = match schema::found(&database.readers, address.dialect).await.map_err(failed)? {
            Some(found) if found > schema::VERSION => Some(found),
            Some(schema::VERSION) => None,
            None if self.existing => return Err(OpenError::NoStore { url: address.shown.clone() }),
            _ => {
                let mut tx = database.write().await.map_err(failed)?;
                let newer = schema::migrate(&mut tx, address.dialect).await.map_err(failed)?;
                if newer.is_none() {
                    tx.commit().await.map_err(failed)?;
                }
                newer
            }
        };
        match newer {
            Some(found) => Err(OpenError::NewerSchema { url: address.shown.clone(), found, known: schema::VERSION }),
            None => Ok((database, self.silence)),
        }
    }
}

/// Why a store was not opened on its thread.
enum Opening {
    Open(OpenError),
    Ended(StoreError),
}

impl From<StoreError> for Opening {
    fn from(error: StoreError) -> Self {
        Self::Ended(error)
    }
}

impl Store {
    /// Opens a store, and makes it where there is none: the path of an SQLite file, a `sqlite:` URL, or a `postgres:` URL
    /// with the feature `postgres`.
    ///
    /// An older version's tables are brought up to date. Any number of processes may open one store.
    ///
    /// # Errors
    /// [`OpenError`]: it cannot be opened, is damaged, is no database, or was written by a newer version. Then nothing was
    /// changed.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        OpenOptions::new().open(url).await
    }

    /// Waits for what is under way, and closes the connections. The last one that closes an SQLite file leaves all of it in
    /// that file, and no `-wal` beside it.
    pub async fn close(&self) {
        let database = self.database.clone();
        let closed = async move {
            database.close().await;
            Ok::<_, StoreError>(())
        };
        let _ = self.runtime.run(closed).await;
    }
}

/// Why the first connection did not come about.
fn refused(address: &Address, error: sqlx::Error) -> OpenError {
    let url = address.shown.clone();
    let text = error.to_string();
    if text.contains("file is not a database") || text.contains("malformed") {
        return OpenError::Damaged { url, reason: text };
    }
    OpenError::Database { url, source: error }
}

/// Whether SQLite can be trusted with the file, and the file with what is stored.
async fn sound(database: &Database, address: &Address) -> Result<(), OpenError> {
    let url = || address.shown.clone();
    let failed = |error| refused(address, error);
    let found: String =
        sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&database.readers).await.map_err(failed)?;
    let parts: Vec<u32> = found.split('.').map(|part| part.parse().unwrap_or_default()).collect();
    if *parts < MIN_SQLITE[..] {
        return Err(OpenError::OldSqlite { found, needed: MIN_SQLITE.map(|part| part.to_string()).join(".") });
    }
    let size = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
    let size: i64 = sqlx::query_scalar(size).fetch_one(&database.readers).await.map_err(failed)?;
    if size > CHECKED {
        return Ok(());
    }
    let found = sqlx::query("PRAGMA quick_check(3)").fetch_all(&database.readers).await.map_err(failed)?;
    let found: Vec<String> = found.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(failed)?;
    if found == ["ok"] { Ok(()) } else { Err(OpenError::Damaged { url: url(), reason: found.join("; ") }) }
}
