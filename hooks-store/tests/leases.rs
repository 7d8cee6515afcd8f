//! Promise 17: one turn at a time per conversation, across processes.

use std::path::Path;
use std::time::Duration;

use hook_sdk::data::{Block, Message, MessageUpdate, Role, ToolCall};
use hook_sdk::kinds::BeforeUpdateMessage;
use hook_sdk::prelude::*;
use hooks_agent::model::Scripted;
use hooks_agent::store::{Append, MessageStore, StoreError};
use hooks_agent::{Harness, TurnError};
use hooks_store::OpenOptions;
use serde_json::json;
use sqlx::Executor;
use tokio::runtime::Handle;

use crate::databases::{self, Database};
use crate::support::{Process, lines, times, wait_until};

/// The conversation as the turn numbers of its rows: a prompt begins a turn, and its rows follow.
async fn turns(database: &Database) -> Vec<(String, usize)> {
    let export = database.store.export("c").await.unwrap();
    let mut turns: Vec<(String, usize)> = Vec::new();
    for row in export.rows {
        match row.message.text().strip_prefix("turn ") {
            Some(name) if row.message.role == Role::User => turns.push((name.to_owned(), 1)),
            _ => turns.last_mut().unwrap().1 += 1,
        }
    }
    turns
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_of_two_processes_do_not_overlap() {
    let count = times("HOOKS_STORE_TURNS", 12);
    for database in databases::all().await {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths = folders.each_ref().map(|folder| folder.path().to_str().unwrap());
        let mut processes =
            paths.map(|path| Process::start(&["converse", &database.url, path, "c", &count.to_string()]));
        for process in &mut processes {
            assert!(process.0.wait().unwrap().success());
        }
        let turns = turns(&database).await;
        assert_eq!(turns.len(), 2 * count, "{}", database.name);
        let replies: Vec<_> = paths.iter().flat_map(|path| lines(&Path::new(path).join("replies"))).collect();
        assert!(replies.iter().all(|reply| reply.contains(" Answered(")), "{replies:?}");
        for path in paths {
            assert_eq!(lines(&Path::new(path).join("broken")), Vec::<String>::new(), "{}", database.name);
        }
        // The prompt, the calls, three results, the answer; plus summaries, before an answer.
        let odd: Vec<_> = turns.iter().filter(|(_, rows)| *rows < 6).collect();
        assert!(odd.is_empty(), "{}: turns came between others: {odd:?}", database.name);
        let changes = turns.windows(2).filter(|pair| pid(&pair[0].0) != pid(&pair[1].0)).count();
        println!(
            "{}: {} turns of two processes, which followed each other {changes} times",
            database.name,
            turns.len()
        );
        assert!(changes > 0, "{}: they never took turns", database.name);
    }
}

fn pid(turn: &str) -> &str {
    turn.split('-').next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_stopped_for_too_long_can_no_longer_write() {
    for database in databases::all().await {
        let options = || OpenOptions::new().silence(Duration::from_millis(100));
        let stopped = options().open(&database.url).await.unwrap();
        let lease = stopped.lease("c").await.unwrap();
        let append = |token| {
            let mut append = Append::new([Message::new(Role::User, "hello")]);
            append.lease = token;
            append
        };
        stopped.append("c", append(lease.token())).await.unwrap();

        // The other process of the test, whose turn is running while the process is stopped.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        drop(lease);
        // Stopped while its tools run, so that it is not in a transaction, which would block all writers in SQLite.
        let process =
            Process::with(&["converse", &database.url, path, "c", "1000000"], &[("FIXTURE_TOOL_MILLIS", "1000")]);
        wait_until("two calls began", || lines(&folder.path().join("ran")).len() >= 2);
        process.signal("STOP");
        let token = stopped.lease("c").await.unwrap();
        let before = stopped.append("c", append(token.token())).await.unwrap().version;
        process.signal("CONT");
        let replies = || lines(&folder.path().join("replies"));
        let is_lost = |reply: &String| reply.contains("LeaseLost");
        wait_until("the turn loses its lease", || replies().iter().any(is_lost));
        let failed = replies().into_iter().find(is_lost).unwrap();
        assert!(failed.contains("Failed("), "{failed}");
        assert_eq!(
            stopped.page("c", None, 1).await.unwrap().version,
            before,
            "{}: it wrote all the same",
            database.name
        );
        drop(token);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_lease_ends_an_earlier_one() {
    for database in databases::all().await {
        let append = |token| {
            let mut append = Append::new([Message::new(Role::User, "hello")]);
            append.lease = token;
            append
        };
        let first = database.store.lease("c").await.unwrap();
        let old = first.token();
        drop(first);
        let second = database.store.lease("c").await.unwrap();
        assert!(second.token() > old);
        assert_eq!(database.store.append("c", append(old)).await, Err(StoreError::LeaseLost), "{}", database.name);
        database.store.append("c", append(second.token())).await.unwrap();
        database.store.delete("c").await.unwrap();
        drop(second);
        let third = database.store.lease("c").await.unwrap();
        assert!(third.token() > old, "a conversation that begins anew has no lease that it had");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_whose_process_was_paused_for_too_long_is_refused() {
    for database in databases::all().await {
        let row = database.store.append("c", Append::new([Message::new(Role::User, "hello")])).await.unwrap().rows;
        let url = database.url.clone();
        let pauses = Hook::at::<BeforeUpdateMessage>("pauses").reader(move |_, _, _: &MessageUpdate| {
            // Meanwhile, another process takes the conversation over.
            let take =
                async { databases::connect(&url).await.execute("UPDATE hooks_leases SET token = token + 1").await };
            tokio::task::block_in_place(|| Handle::current().block_on(take)).map(drop)
        });
        let registry = Registry::empty();
        registry.register(pauses).unwrap();
        let harness = Harness::builder(registry).model("main", Scripted::new([])).store(database.store.clone());
        let session = harness.build().unwrap().session("c", AgentDef::new("a").hooks(["pauses"])).open().await.unwrap();
        let late = session.update(&row[0].id, MessageUpdate::from_iter([("content", json!("late"))])).await;
        assert!(matches!(late, Err(TurnError::Store(StoreError::LeaseLost))), "{}: {late:?}", database.name);
        assert_eq!(database.store.page("c", None, 1).await.unwrap().rows, row, "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_whose_process_was_killed_is_listed_until_somebody_answers() {
    for database in databases::all().await {
        let store = OpenOptions::new().silence(Duration::from_millis(100)).open(&database.url).await.unwrap();
        let say = async |conversation: &str, role| {
            store.append(conversation, Append::new([Message::new(role, "hello")])).await.unwrap();
        };
        for conversation in ["c", "c/call%2D1", "c/own", "d", "never begun"] {
            std::mem::forget(store.lease(conversation).await.unwrap());
            if conversation != "never begun" {
                say(conversation, Role::User).await;
            }
        }
        let call = Block::ToolUse(ToolCall::new("call-1", "ask", json!({})));
        store.append("c", Append::new([Message::of(Role::Assistant, vec![call])])).await.unwrap();
        assert_eq!(store.cut_off().await.unwrap(), Vec::<String>::new(), "{}: they are running", database.name);
        let mut connection = databases::connect(&database.url).await;
        let pid = std::process::id();
        for holder in [format!("replace(holder, ' {pid} ', ' 999999999 ')"), "'another machine 1 1'".to_owned()] {
            // Without the heartbeats of this process.
            let dead = format!("UPDATE hooks_leases SET token = token + 1, holder = {holder}");
            connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(dead))).await.unwrap();
            assert_eq!(store.cut_off().await.unwrap(), ["c", "c/own", "d"], "{}: {holder}", database.name);
        }
        say("c", Role::Assistant).await;
        say("c/own", Role::Assistant).await;
        assert_eq!(store.cut_off().await.unwrap(), ["d"], "{}", database.name);
        drop(store.lease("d").await.unwrap());
        assert_eq!(store.cut_off().await.unwrap(), Vec::<String>::new(), "{}", database.name);
    }
}
