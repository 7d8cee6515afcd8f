//! The databases on which every test runs.

use std::sync::Once;

use hooks_store::Store;
use sqlx::{AnyConnection, Connection, Executor};
use tempfile::TempDir;
use uuid::Uuid;

/// A database that is deleted with the test.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    pub(crate) url: String,
    pub(crate) store: Store,
    _folder: Option<TempDir>,
}

/// A new SQLite file, and a new Postgres database if there is a server.
pub(crate) async fn all() -> Vec<Database> {
    let mut all = vec![sqlite().await];
    all.extend(postgres().await);
    all
}

/// A new SQLite file.
pub(crate) async fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let url = folder.path().join("store.db").to_str().unwrap().to_owned();
    let store = Store::open(&url).await.unwrap();
    Database { name: "sqlite", url, store, _folder: Some(folder) }
}

/// A new database, if `HOOKS_POSTGRES` has the URL of a server, as set by `scripts/with-postgres`.
pub(crate) async fn postgres() -> Option<Database> {
    static SKIPPED: Once = Once::new();
    let server = if cfg!(feature = "postgres") { std::env::var("HOOKS_POSTGRES").ok() } else { None };
    let Some(server) = server else {
        SKIPPED.call_once(|| {
            eprintln!("skipped: the tests of Postgres need `scripts/with-postgres` and `--all-features`");
        });
        return None;
    };
    let name = format!("t{}", Uuid::new_v4().simple());
    let mut connection = connect(&server).await;
    connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))).await.unwrap();
    connection.close().await.unwrap();
    let url = server.replacen("/hooks?", &format!("/{name}?"), 1);
    let store = Store::open(&url).await.unwrap();
    Some(Database { name: "postgres", url, store, _folder: None })
}

/// A direct connection that bypasses the store.
pub(crate) async fn connect(url: &str) -> AnyConnection {
    sqlx::any::install_default_drivers();
    let url = if url.contains("://") { url.to_owned() } else { format!("sqlite:{url}") };
    AnyConnection::connect(&url).await.unwrap()
}

impl Database {
    /// Empties the database.
    pub(crate) async fn empty(&self) {
        let mut connection = connect(&self.url).await;
        for table in ["hooks_conversations", "hooks_jobs", "hooks_leases", "hooks_questions"] {
            connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(format!("DELETE FROM {table}")))).await.unwrap();
        }
    }
}
