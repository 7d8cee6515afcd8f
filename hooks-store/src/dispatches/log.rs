//! The observer that records dispatches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hook_sdk::record::{Observer, Record, Run, RunEnd, Skip, Status};
use hook_sdk::verdict::Contributions;
use serde::Serialize;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use crate::clock::now;
use crate::database::{Database, Tx};
use crate::error::Failure;
use crate::store::Store;

/// The maximum number of records in the queue. Further ones are dropped and counted.
const WAITING: usize = 8_192;

/// The maximum number of records per transaction.
const BATCH: usize = 256;

/// Records the outcomes of dispatches in a store: `registry.observe(store.dispatch_log())`.
///
/// Records are written after the dispatch, on the thread of the store, so that no dispatch waits, and no database error
/// affects its result. A record contains no payload, only the hooks with status, duration, verdict and cause, and
/// fingerprints of their contributions. When a process is killed, the records in its queue are lost.
///
/// Clones write to the same log. Keep one to [`flush`](Self::flush) it.
#[derive(Clone, Debug)]
pub struct DispatchLog {
    queue: Sender<Entry>,
    dropped: Arc<AtomicU64>,
    /// Keeps the thread that writes the records.
    _store: Store,
}

#[derive(Debug)]
enum Entry {
    Dispatched(i64, Record),
    Ended(i64, RunEnd),
    Flush(oneshot::Sender<()>),
}

impl Store {
    /// Returns an observer that records dispatches in this store. [`Store::dispatches`] reads them.
    pub fn dispatch_log(&self) -> DispatchLog {
        let (queue, entries) = channel(WAITING);
        let dropped = Arc::default();
        self.database.spawn(write_all(self.database.clone(), entries, Arc::clone(&dropped)));
        DispatchLog { queue, dropped, _store: self.clone() }
    }
}

impl DispatchLog {
    /// Waits until all records so far are written, or the database has rejected them.
    pub async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.queue.send(Entry::Flush(done)).await.is_ok() {
            let _ = flushed.await;
        }
    }

    /// The number of records that are not in the log, because the database was too slow or rejected them. If a commit was
    /// not confirmed, its records are counted although they may be stored.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn queue(&self, entry: Entry) {
        let Err(refused) = self.queue.try_send(entry) else { return };
        if self.dropped.fetch_add(1, Ordering::Relaxed) == 0 && matches!(refused, TrySendError::Full(_)) {
            tracing::warn!(target: "hooks_store", "the database is too slow for the log of dispatches: records are dropped");
        }
    }
}

impl Observer for DispatchLog {
    fn dispatched(&self, record: &Record) {
        // A dispatch without selected hooks has no information.
        if record.is_selected() {
            self.queue(Entry::Dispatched(now(), record.clone()));
        }
    }

    fn ended(&self, ended: &RunEnd, _: &Contributions) {
        self.queue(Entry::Ended(now(), ended.clone()));
    }
}

/// Writes records until the log is dropped.
async fn write_all(database: Database, mut entries: Receiver<Entry>, dropped: Arc<AtomicU64>) {
    let mut batch = Vec::with_capacity(BATCH);
    while entries.recv_many(&mut batch, BATCH).await > 0 {
        let (mut rows, mut flushed) = (Vec::with_capacity(batch.len()), Vec::new());
        for entry in batch.drain(..) {
            match entry {
                Entry::Dispatched(at, record) => rows.push(NewRow::dispatched(at, record)),
                Entry::Ended(at, ended) => rows.push(NewRow::ended(at, &ended)),
                Entry::Flush(done) => flushed.push(done),
            }
        }
        let count = rows.len();
        if count > 0
            && let Err(error) = database.write(move |tx| Box::pin(insert_all(tx, rows))).await
        {
            dropped.fetch_add(count as u64, Ordering::Relaxed);
            tracing::error!(target: "hooks_store", %error, records = count, "the database rejected records of dispatches");
        }
        for done in flushed {
            let _ = done.send(());
        }
    }
}

/// A record as a row.
struct NewRow {
    source: &'static str,
    kind: String,
    conversation: String,
    at: i64,
    verdict: Option<&'static str>,
    failed: bool,
    record: String,
    hooks: Vec<String>,
}

impl NewRow {
    fn dispatched(at: i64, mut record: Record) -> Self {
        // Most hooks of a set usually skip an event.
        record.runs.retain(|run| !matches!(run.status, Status::Skipped(Skip::Filter | Skip::Disabled)));
        let ran: Vec<&Run> = record.runs.iter().filter(|run| !matches!(run.status, Status::Skipped(_))).collect();
        Self {
            source: "dispatch",
            kind: record.kind.to_owned(),
            conversation: record.ids.conversation.as_deref().unwrap_or_default().to_owned(),
            at,
            verdict: record.verdict,
            failed: ran.iter().any(|run| has_failed(run)),
            record: json(&record),
            hooks: ran.iter().map(|run| run.hook.to_string()).collect(),
        }
    }

    fn ended(at: i64, ended: &RunEnd) -> Self {
        Self {
            source: ended.mode.as_str(),
            kind: ended.kind.clone().into_owned(),
            conversation: ended.ids.conversation.as_deref().unwrap_or_default().to_owned(),
            at,
            verdict: ended.run.verdict,
            failed: has_failed(&ended.run),
            record: json(ended),
            hooks: vec![ended.run.hook.to_string()],
        }
    }
}

fn has_failed(run: &Run) -> bool {
    matches!(run.status, Status::Failed | Status::TimedOut | Status::Panicked | Status::Dropped)
}

/// Without the secrets in causes. Records consist of names, numbers and texts, which are always valid JSON.
fn json(record: &impl Serialize) -> String {
    let mut record = serde_json::to_value(record).unwrap_or_default();
    hooks_secrets::redact_json("", &mut record);
    record.to_string()
}

async fn insert_all(tx: &mut Tx, rows: Vec<NewRow>) -> Result<(), Failure> {
    for row in rows {
        let insert = "INSERT INTO hooks_dispatches (source, kind, conversation, recorded_at, verdict, failed, record) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING number";
        let number: i64 = sqlx::query_scalar(insert)
            .bind(row.source)
            .bind(row.kind)
            .bind(row.conversation)
            .bind(row.at)
            .bind(row.verdict)
            .bind(i64::from(row.failed))
            .bind(row.record)
            .fetch_one(&mut **tx)
            .await?;
        for hook in row.hooks {
            let run = "INSERT INTO hooks_dispatch_runs (dispatch, hook) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            sqlx::query(run).bind(number).bind(hook).execute(&mut **tx).await?;
        }
    }
    Ok(())
}
