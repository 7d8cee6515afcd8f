//! What a store has: its log of dispatches, its questions, its background runs.

use std::io;

use hooks_store::{DispatchFilter, JobFilter, Store, StoredQuestion};
use serde_json::{Value, json};

use super::HooksPage;

/// The number of background runs that the page shows, latest first.
const JOBS: u32 = 500;

/// The number of dispatches that a file shows, latest first.
const DISPATCHES: u32 = 20_000;

impl HooksPage {
    /// Adds what a store has: the latest dispatches of its log, which have no payloads, its questions and its background runs.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn store(mut self, store: &Store) -> io::Result<Self> {
        let logged = store.dispatches(&DispatchFilter::new(), DISPATCHES + 1).await.map_err(failed)?;
        let (logged, older) = latest(logged, DISPATCHES);
        self.older = older;
        // The ends of runs that no dispatch waited for are rows of their own, and no dispatches.
        let dispatches = logged.iter().rev().filter(|row| row.source == "dispatch" && row.record.is_object());
        self.logged = dispatches.map(|row| line(&row.record, millis(row.recorded_at)).to_string()).collect();
        self.state = Some(state(store).await?);
        self.store = true;
        Ok(self)
    }
}

/// The questions and the background runs.
pub(crate) async fn state(store: &Store) -> io::Result<Value> {
    let waiting = store.questions().await.map_err(failed)?;
    // Those that no turn has acted on: they have an answer, or have expired.
    let others = store.answered_questions().await.map_err(failed)?;
    let others = others.iter().map(|stored| question(stored, stored.answer.is_none()));
    let questions: Vec<Value> = waiting.iter().map(|stored| question(stored, false)).chain(others).collect();
    let jobs = store.jobs(&JobFilter::new(), JOBS + 1).await.map_err(failed)?;
    let (jobs, more_jobs) = latest(jobs, JOBS);
    Ok(json!({ "questions": questions, "jobs": jobs, "more_jobs": more_jobs }))
}

/// At most `limit` rows, and whether there are more.
fn latest<T>(mut rows: Vec<T>, limit: u32) -> (Vec<T>, bool) {
    let limit = limit as usize;
    let more = rows.len() > limit;
    rows.truncate(limit);
    (rows, more)
}

/// A question with its input as text, which the page shows, and sends back if somebody edits it: a browser would round the
/// numbers of a value.
fn question(stored: &StoredQuestion, expired: bool) -> Value {
    let request = &stored.request;
    let input = request.edited.as_ref().unwrap_or(&request.input);
    let mut question = json!(stored);
    question["input"] = serde_json::to_string_pretty(input).unwrap_or_default().into();
    question["expired"] = expired.into();
    question
}

fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

fn millis(time: std::time::SystemTime) -> u64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A record as the line of a recording, without payload.
fn line(record: &Value, ended: u64) -> Value {
    let micros = |time: &Value| {
        let part = |name: &str| time[name].as_u64().unwrap_or_default();
        part("secs") * 1_000_000 + part("nanos") / 1_000
    };
    let run = |run: &Value| {
        let took = run["duration"].is_object().then(|| micros(&run["duration"]));
        json!({
            "hook": run["hook"], "status": status(&run["status"]), "word": run["verdict"], "note": run["note"],
            "attribution": run["attribution"], "shadow": run["note"] == "shadow", "cause": run["cause"], "micros": took,
        })
    };
    let took = micros(&record["duration"]);
    json!({
        "line": "dispatch", "stored": true, "kind": record["kind"], "ids": record, "word": record["verdict"], "removed": record["removed"],
        "runs": record["runs"].as_array().into_iter().flatten().map(run).collect::<Vec<_>>(),
        "at": (ended * 1_000).saturating_sub(took), "micros": took,
    })
}

/// A status in the words of a recording.
fn status(status: &Value) -> String {
    match status["skipped"].as_str() {
        None => status.as_str().unwrap_or_default().replace('_', " "),
        Some("filter") => "skipped: its filter did not match".to_owned(),
        Some("decided") => "skipped: an earlier verdict is final".to_owned(),
        Some("removed") => "skipped: the subject was removed".to_owned(),
        Some("aborted") => "skipped: the dispatch ended with an error".to_owned(),
        Some(why) => format!("skipped: {why}"),
    }
}
