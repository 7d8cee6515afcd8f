//! The cost of a store as ratios within one run: to the same statements by hand, and to a short conversation.
//!
//! `cargo bench -p hooks-store`. The file is in the temporary folder, and commits do not wait for the disk, whose
//! latency would hide everything else. `ROWS=1000000` fills a store with this number of rows in 10,000 conversations.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark prints")]

use std::time::{Duration, Instant};

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::prelude::*;
use hooks_agent::store::{Append, MessageStore, RowJobs};
use hooks_store::{JobWorker, OpenOptions, Store, Synchronous};
use sqlx::{AnyConnection, Connection, Executor};

/// Messages of a turn: the prompt, two calls with their results, the answer.
const TURN: usize = 6;
const ROUNDS: usize = 7;

fn said(number: usize) -> Message {
    Message::new(Role::User, format!("message {number} {}", "word ".repeat(80)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let store = OpenOptions::new().synchronous(Synchronous::Normal).open(file.to_str().unwrap()).await.unwrap();
    turns(&store, &folder.path().join("hand.db")).await;
    long(&store).await;
    jobs(&store).await;
    if let Some(rows) = std::env::var("ROWS").ok().and_then(|rows| rows.parse::<usize>().ok()) {
        grown(&store, rows).await;
    }
}

/// Rows with a background job each.
fn jobs_of(store: &Store, registry: &Registry) -> RowJobs {
    let _ = store;
    let set = registry.scope(&AgentDef::new("a").hooks(["index"]), None).unwrap();
    let cx = HookContext::builder().conversation("c").build();
    RowJobs::new(move |row| set.jobs(&cx, &AfterCreateMessage::new(row.message.clone())))
}

fn registry(store: &Store) -> Registry {
    let registry = Registry::empty();
    let index = Hook::at::<AfterCreateMessage>("index").background(|_, _, ()| Box::pin(async {}));
    registry.register(index).unwrap();
    registry.set_background(store.job_queue());
    registry
}

/// The rows of a turn with their jobs, compared with the statements by hand on one connection.
async fn turns(store: &Store, by_hand: &std::path::Path) {
    let registry = registry(store);
    let jobs = jobs_of(store, &registry);
    sqlx::any::install_default_drivers();
    let mut hand = AnyConnection::connect(&format!("sqlite:{}?mode=rwc", by_hand.display())).await.unwrap();
    hand.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL").await.unwrap();
    for schema in [include_str!("../migrations/1.sqlite.sql"), include_str!("../migrations/3.sql")] {
        hand.execute(sqlx::raw_sql(schema)).await.unwrap();
    }
    hand.execute("INSERT INTO hooks_conversations (id, changes, next_place, last_row) VALUES ('c', 0, 0, '')")
        .await
        .unwrap();
    let (mut ours, mut hands, mut number) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..20 * TURN {
            store.append("c", Append::new([said(number)]).jobs(jobs.clone())).await.unwrap();
            number += 1;
        }
        ours.push(start.elapsed() / 20);
        let start = Instant::now();
        for _ in 0..20 * TURN {
            number += 1;
            one_by_hand(&mut hand, number, &jobs).await;
        }
        hands.push(start.elapsed() / 20);
    }
    let (ours, hands) = (median(ours), median(hands));
    println!(
        "a turn's {TURN} rows with a job each: {ours:?}; by hand {hands:?}; {:.2}x (1.3x)",
        ours.as_secs_f64() / hands.as_secs_f64()
    );
}

async fn one_by_hand(hand: &mut AnyConnection, number: usize, jobs: &RowJobs) {
    let message = said(number);
    let row = hooks_agent::store::Row::new(hooks_agent::store::Row::new_id(), message);
    let text = serde_json::to_string(&row.message).unwrap();
    hand.execute("BEGIN IMMEDIATE").await.unwrap();
    sqlx::query("SELECT number, changes, next_place, last_row FROM hooks_conversations WHERE id = $1")
        .bind("c")
        .fetch_one(&mut *hand)
        .await
        .unwrap();
    sqlx::query("INSERT INTO hooks_messages (conversation, id, place, message) VALUES (1, $1, $2, $3)")
        .bind(row.id.clone())
        .bind(i64::try_from(number).unwrap())
        .bind(text)
        .execute(&mut *hand)
        .await
        .unwrap();
    for job in jobs.of(&row) {
        let text = serde_json::to_string(&job).unwrap();
        sqlx::query(
            "INSERT INTO hooks_jobs (id, hook, kind, conversation, dedup, job, status, attempt, max_attempts, idempotent, deaths, \
             run_at, created_at, start, beat) VALUES ($1, 'index', 'k', 'c', $2, $3, 'queued', 1, 1, 0, 0, 0, 0, 0, 0) \
             ON CONFLICT (dedup) DO NOTHING",
        )
        .bind(job.id.clone())
        .bind(format!("{}:index", row.id))
        .bind(text)
        .execute(&mut *hand)
        .await
        .unwrap();
    }
    sqlx::query(
        "UPDATE hooks_conversations SET changes = changes + 1, next_place = $1, last_row = $2 WHERE number = 1",
    )
    .bind(i64::try_from(number).unwrap())
    .bind(row.id)
    .execute(&mut *hand)
    .await
    .unwrap();
    hand.execute("COMMIT").await.unwrap();
}

/// Reads the first page of a conversation and adds a row, for conversations of different length.
async fn long(store: &Store) {
    for (conversation, rows) in [("short", 100), ("long", 100_000)] {
        for at in (0..rows).step_by(1_000) {
            let some = (at..(at + 1_000).min(rows)).map(said);
            store.append(conversation, Append::new(some)).await.unwrap();
        }
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (times, conversation) in times.iter_mut().zip(["short", "long"]) {
            let start = Instant::now();
            for _ in 0..20 {
                store.page(conversation, None, 50).await.unwrap();
                store.append(conversation, Append::new([said(0)])).await.unwrap();
            }
            times.push(start.elapsed() / 20);
        }
    }
    let [short, long] = times.map(median);
    println!(
        "a page and a row more of 100,000 rows: {long:?}; of 100 rows {short:?}; {:.2}x (1.5x)",
        long.as_secs_f64() / short.as_secs_f64()
    );
}

async fn jobs(store: &Store) {
    let registry = registry(store);
    let worker = || JobWorker::new(store.clone(), registry.clone()).parallelism(4);
    worker().run_until_empty().await;
    let jobs = jobs_of(store, &registry);
    store.append("jobs", Append::new((0..1_000).map(said)).jobs(jobs)).await.unwrap();
    let start = Instant::now();
    worker().run_until_empty().await;
    println!("1,000 jobs through a worker: {:?}", start.elapsed());
}

async fn grown(store: &Store, rows: usize) {
    let start = Instant::now();
    for conversation in 0..10_000 {
        store.append(&format!("grown-{conversation}"), Append::new((0..rows / 10_000).map(said))).await.unwrap();
    }
    let filled = start.elapsed();
    let start = Instant::now();
    for conversation in (0..10_000).step_by(100) {
        store.page(&format!("grown-{conversation}"), None, 50).await.unwrap();
    }
    println!("{rows} rows in 10,000 conversations: filled in {filled:?}; a page of one {:?}", start.elapsed() / 100);
}
