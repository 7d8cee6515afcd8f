//! When the cause of a failure ends, everything goes on without a restart.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hook_sdk::data::{Message, Role};
use hooks_agent::store::{Append, MessageStore};
use hooks_store::{OpenError, OpenOptions};
use sqlx::Executor;

use crate::crashed::{finish, processes, wait_for_work};
use crate::databases;
use crate::support::{Process, lines, wait_until};

fn said(text: &str) -> Append {
    Append::new([Message::new(Role::User, text)])
}

/// Limits the size of the files that the process writes, or ends the limit.
fn limit_files(process: &Process, bytes: Option<u64>) {
    let limit = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let pid = process.0.id().to_string();
    let done = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={limit}:unlimited")]).status().unwrap();
    assert!(done.success());
}

fn failed_turns(folder: &Path) -> usize {
    lines(&folder.join("replies")).iter().filter(|reply| reply.contains("Failed(Store(")).count()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn turns_and_workers_go_on_after_the_disk_was_full() {
    let database = databases::sqlite().await;
    let folder = tempfile::tempdir().unwrap();
    let processes = processes(&database.url, folder.path());
    for _ in 0..3 {
        wait_for_work(folder.path());
        let before = failed_turns(folder.path());
        for process in &processes {
            // More than what the processes note beside the store, and less than the log of the database soon has.
            limit_files(process, Some(256 * 1_024));
        }
        wait_until("turns fail", || failed_turns(folder.path()) >= before + 3);
        for process in &processes {
            limit_files(process, None);
        }
    }
    wait_for_work(folder.path());
    finish(processes, &database, folder.path(), "3 times a full disk").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_a_store_and_using_it_ends_in_time_if_the_server_does_not_answer() {
    let Some(database) = databases::postgres().await else { return };
    let limits = || {
        let limit = Duration::from_secs(2);
        OpenOptions::new().connect_timeout(limit).transaction_timeout(limit).silence(Duration::from_secs(2))
    };
    let start = Instant::now();
    // A server that accepts connections and never says anything.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let opened = limits().open(&format!("postgres://hooks@127.0.0.1:{port}/hooks?sslmode=disable")).await;
    let error = opened.unwrap_err();
    assert!(matches!(&error, OpenError::Database { .. }) && error.to_string().contains("did not answer"), "{error}");

    let store = limits().open(&database.url).await.unwrap();
    store.append("c", said("before")).await.unwrap();
    let mut other = databases::connect(&database.url).await;
    other.execute("BEGIN; LOCK TABLE hooks_conversations, hooks_schema").await.unwrap();
    let late = |error: String| {
        assert!(error.contains("did not answer within 2s") || error.contains("no connection was free"), "{error}");
    };
    late(limits().open(&database.url).await.unwrap_err().to_string());
    // More than there are connections.
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.append("c", said("during")).await.map(drop) })
        })
        .collect();
    for call in calls {
        late(call.await.unwrap().unwrap_err().to_string());
    }
    other.execute("COMMIT").await.unwrap();
    store.append("c", said("after")).await.unwrap();
    let rows = store.page("c", None, 10).await.unwrap().rows;
    let texts: Vec<_> = rows.iter().map(|row| row.message.text().into_owned()).collect();
    assert_eq!(texts, ["before", "after"], "what failed was not stored");
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

/// The server ends connections at any moment of a statement.
#[tokio::test(flavor = "multi_thread")]
async fn turns_and_workers_go_on_after_their_connections_were_cut() {
    let Some(database) = databases::postgres().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let processes = processes(&database.url, folder.path());
    let mut other = databases::connect(&database.url).await;
    for _ in 0..20 {
        let cut = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
                   WHERE pid <> pg_backend_pid() AND datname = current_database()";
        other.execute(cut).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    wait_for_work(folder.path());
    finish(processes, &database, folder.path(), "20 times all connections cut").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_another_process_locks_is_said_to_be_locked() {
    let database = databases::sqlite().await;
    let options = OpenOptions::new().connect_timeout(Duration::from_secs(1));
    let store = options.open(&database.url).await.unwrap();
    let mut other = databases::connect(&database.url).await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let (one, two) = tokio::join!(store.append("c", said("one")), store.append("c", said("two")));
    let errors = [one.unwrap_err().to_string(), two.unwrap_err().to_string()];
    assert!(errors.iter().any(|error| error.contains("the file is locked")), "{errors:?}");
    other.execute("COMMIT").await.unwrap();
    store.append("c", said("three")).await.unwrap();
}
