//! Hooks that write down their runs, and worker processes.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use hook_sdk::data::{Message, Role};
use hook_sdk::detached::{BackgroundSink, Job};
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::prelude::*;
use hook_sdk::record::{Record, Status};
use hook_sdk::worker::Worker;
use hook_sdk::{CancellationToken, Registry};
use hooks_agent::store::{Append, MessageStore, RowJobs};
use hooks_nats::NatsJobs;
use hooks_store::Store;
use serde_json::json;

use crate::server::until;

/// How long the workers of the tests can be silent.
pub(crate) const SILENCE: Duration = Duration::from_secs(1);

/// Where a process writes down its runs, or the job that it queued.
const RUNS: &str = "HOOKS_NATS_RUNS";

/// The hooks `once` and, idempotent, `again`, whose runs are lines of a file. A run may fail, or abort a worker process at
/// its end.
pub(crate) fn registry(runs: &Path) -> Registry {
    let registry = Registry::empty();
    for id in ["once", "again"] {
        let runs = runs.to_owned();
        let hook = Hook::at::<AfterCreateMessage>(id).background(move |_, event, ()| {
            let text = event.message.text().to_string();
            let mut file = OpenOptions::new().create(true).append(true).open(&runs).unwrap();
            file.write_all(format!("{id} {text}\n").as_bytes()).unwrap();
            Box::pin(async move {
                // So that some are running whenever something is killed.
                let lasts = if text == "long" { 2_000 } else { text.parse::<u64>().unwrap_or_default() % 5 * 20 };
                tokio::time::sleep(Duration::from_millis(lasts)).await;
                if text == "aborts" && std::env::var_os(RUNS).is_some() {
                    std::process::abort();
                }
                if text == "fails" { Err("it fails") } else { Ok(()) }
            })
        });
        registry.register(if id == "again" { hook.idempotent().retries(2) } else { hook }).unwrap();
    }
    registry
}

/// Queues a job of a hook, or says why not.
pub(crate) async fn queue(sink: impl BackgroundSink, hook: &'static str, text: &str) -> Result<(), String> {
    let registry = registry(Path::new("/dev/null"));
    registry.set_background(sink);
    let (sender, runs) = mpsc::channel();
    registry.observe(move |record: &Record| drop(sender.send(record.runs[0].clone())));
    let set = registry.scope(&AgentDef::new("a").hooks([hook]), None).unwrap();
    let event = AfterCreateMessage::new(Message::new(Role::User, text));
    let _ = set.fire(&HookContext::new(), &event, ()).await.unwrap();
    let run = runs.recv().unwrap();
    if run.status == Status::Queued { Ok(()) } else { Err(run.cause.unwrap_or_default()) }
}

/// The number of runs by hook and text.
pub(crate) fn runs(file: &Path) -> BTreeMap<String, usize> {
    let mut runs = BTreeMap::new();
    for line in std::fs::read_to_string(file).unwrap_or_default().lines() {
        *runs.entry(line.to_owned()).or_default() += 1;
    }
    runs
}

pub(crate) async fn work(jobs: &NatsJobs, runs: &Path, parallelism: usize, stop: CancellationToken) {
    let source = jobs.source().silence(SILENCE).poll(Duration::from_millis(20)).deaths(1_000);
    Worker::new().parallelism(parallelism).run(&registry(runs), source, stop).await;
}

pub(crate) async fn work_until_empty(jobs: &NatsJobs, runs: &Path) {
    let source = jobs.source().silence(SILENCE).poll(Duration::from_millis(20)).deaths(1_000);
    Worker::new().parallelism(4).run_until_empty(&registry(runs), source).await;
}

/// A worker in a process of its own, or a program that queues a job.
pub(crate) struct Process {
    child: Child,
    url: String,
    runs: PathBuf,
}

impl Process {
    pub(crate) fn start(url: &str, runs: &Path) -> Self {
        Self { child: run(url, runs, ""), url: url.to_owned(), runs: runs.to_owned() }
    }

    /// Queues a job of a hook with the text "0", and writes to the file if it was accepted.
    pub(crate) fn queue(url: &str, accepted: &Path, hook: &str) -> Self {
        Self { child: run(url, accepted, hook), url: url.to_owned(), runs: accepted.to_owned() }
    }

    /// Stores rows with a job of each hook, forwards the jobs, and writes to the file which rows were stored.
    pub(crate) fn store(url: &str, stored: &Path) -> Self {
        Self { child: run(url, stored, "rows"), url: url.to_owned(), runs: stored.to_owned() }
    }

    /// Kills it, unless it is dead.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Waits until it dies by itself.
    pub(crate) fn dies(&mut self) {
        until("the process dies", || self.child.try_wait().unwrap().is_some());
    }

    /// Kills it, and starts another one.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.child = run(&self.url, &self.runs, "");
    }

    /// Stops or continues it, like `kill -STOP` and `kill -CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let done = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn run(url: &str, runs: &Path, queue: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "desk::works_as_a_process", "--ignored", "--nocapture"]);
    command.env("HOOKS_NATS_URL", url).env(RUNS, runs).env("HOOKS_NATS_QUEUE", queue);
    command.stdout(Stdio::null()).spawn().unwrap()
}

#[tokio::test]
#[ignore = "the other tests start it as a process"]
async fn works_as_a_process() {
    let (Ok(url), Ok(runs)) = (std::env::var("HOOKS_NATS_URL"), std::env::var(RUNS)) else { return };
    let jobs = loop {
        match NatsJobs::connect(&url, "desk").await {
            Ok(jobs) => break jobs,
            // The server may be restarting.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    let runs = PathBuf::from(runs);
    let hook = match &*std::env::var("HOOKS_NATS_QUEUE").unwrap() {
        "" => return work(&jobs, &runs, 4, CancellationToken::new()).await,
        "rows" => return store_rows(jobs, &runs).await,
        "once" => "once",
        _ => "again",
    };
    if queue(jobs, hook, "0").await.is_ok() {
        std::fs::write(runs, "accepted").unwrap();
    }
}

/// The store of rows whose names are written to `stored`.
pub(crate) async fn store(stored: &Path) -> Store {
    Store::open(stored.with_extension("db").to_str().unwrap()).await.unwrap()
}

async fn store_rows(jobs: NatsJobs, stored: &Path) {
    let store = store(stored).await;
    tokio::spawn({
        let store = store.clone();
        async move { store.forward_jobs(jobs, CancellationToken::new()).await }
    });
    for number in 0.. {
        let name = format!("{}-{number}", std::process::id());
        let row = Append::new([Message::new(Role::User, &*name)]);
        let row = row.jobs(RowJobs::new(|row| ["once", "again"].map(|hook| job(hook, &row.message)).into()));
        store.append("c", row).await.unwrap();
        let mut file = OpenOptions::new().create(true).append(true).open(stored).unwrap();
        file.write_all(format!("{name}\n").as_bytes()).unwrap();
    }
}

fn job(hook: &str, message: &Message) -> Job {
    let job = json!({
        "id": format!("{hook}-{}", message.text()), "hook": hook, "kind": "after_create_message",
        "event": AfterCreateMessage::new(message.clone()), "context": {}, "attempt": 1, "max_attempts": 1,
        "idempotent": hook == "again", "idempotency_key": "",
    });
    serde_json::from_value(job).unwrap()
}
