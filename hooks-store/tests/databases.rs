//! The databases on which every test runs.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
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

/// The URL of the server, if `scripts/with-postgres` has set it.
fn server() -> Option<String> {
    static SKIPPED: Once = Once::new();
    let server = if cfg!(feature = "postgres") { std::env::var("HOOKS_POSTGRES").ok() } else { None };
    if server.is_none() {
        SKIPPED.call_once(|| {
            eprintln!("skipped: the tests of Postgres need `scripts/with-postgres` and `--all-features`");
        });
    }
    server
}

/// A new database, if there is a server.
pub(crate) async fn postgres() -> Option<Database> {
    let server = server()?;
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

/// A Postgres server of one test, which can crash it without any effect on other tests.
pub(crate) struct Server {
    process: Child,
    restart: String,
    pub(crate) database: Database,
}

impl Server {
    /// Starts a server, if the tests of Postgres run.
    pub(crate) async fn start() -> Option<Self> {
        server()?;
        // The server runs until its standard input is closed, and therefore never longer than the test.
        let mut process = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/with-postgres"))
            .args(["bash", "-c", r#"echo "$HOOKS_POSTGRES"; echo "$HOOKS_POSTGRES_RESTART"; cat"#])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (url, restart) = (lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap());
        let store = Store::open(&url).await.unwrap();
        Some(Self { process, restart, database: Database { name: "postgres", url, store, _folder: None } })
    }

    /// Ends the server without a shutdown, as in a crash, and starts it again.
    pub(crate) fn crash(&self) {
        let restart = Command::new("bash").args(["-c", &self.restart]).current_dir("/").stdout(Stdio::null()).status();
        assert!(restart.unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
