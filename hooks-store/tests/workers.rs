//! Promise 19: invariants of jobs whose workers are killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::prelude::*;
use hooks_agent::store::{Append, MessageStore, RowJobs};
use hooks_store::{JobFilter, JobStatus, StoredJob};
use sqlx::{Connection, Executor};

use crate::databases::{self, Database};
use crate::support::{Process, Random, lines, times, wait_until};

/// Stores a row per text, each with a job for each of the hooks.
pub(crate) async fn queue(database: &Database, hooks: &[&'static str], texts: impl IntoIterator<Item = String>) {
    let registry = Registry::empty();
    for id in hooks {
        let hook = Hook::at::<AfterCreateMessage>(id).background(|_, _, ()| Box::pin(async {}));
        registry.register(if *id == "again" { hook.idempotent() } else { hook }).unwrap();
    }
    registry.set_background(database.store.job_queue());
    let set = registry.scope(&AgentDef::new("a").hooks(hooks.iter().copied()), None).unwrap();
    let cx = HookContext::builder().conversation("c").build();
    let jobs = RowJobs::new(move |row| set.jobs(&cx, &AfterCreateMessage::new(row.message.clone())));
    let messages = texts.into_iter().map(|text| Message::new(Role::User, text));
    database.store.append("c", Append::new(messages).jobs(jobs)).await.unwrap();
}

/// The number of runs by hook and text.
fn runs(folder: &Path) -> BTreeMap<String, usize> {
    let mut runs = BTreeMap::new();
    for line in lines(&folder.join("runs")) {
        *runs.entry(line).or_default() += 1;
    }
    runs
}

async fn jobs(database: &Database) -> Vec<StoredJob> {
    database.store.jobs(&JobFilter::new(), u32::MAX).await.unwrap()
}

/// Checks the jobs of a conversation whose process is the fixture: each has ended, and ran as often as it may.
pub(crate) async fn check(database: &Database, folder: &Path, what: &str) {
    let runs = runs(folder);
    let mut connection = databases::connect(&database.url).await;
    let jobs: Vec<(String, String)> =
        sqlx::query_as("SELECT dedup, status FROM hooks_jobs").fetch_all(&mut connection).await.unwrap();
    let mut ends: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (key, status) in &jobs {
        let (row, hook) = key.rsplit_once(':').unwrap();
        *ends.entry((hook, status)).or_default() += 1;
        let times = runs.get(&format!("{hook} {row}")).copied().unwrap_or_default();
        let is_kept = match (hook, status.as_str()) {
            ("once", "done") => times == 1,
            ("once", "interrupted") => times <= 1,
            ("again", "done") => times >= 1,
            _ => false,
        };
        assert!(is_kept, "{}: {hook} {row} is {status} and ran {times} times", database.name);
    }
    let twice = runs.values().filter(|times| **times > 1).count();
    println!("{}: {what}, {} jobs, {twice} of them ran twice: {ends:?}", database.name, jobs.len());
}

fn worker(database: &Database, folder: &Path, parallelism: &str) -> Process {
    Process::start(&["work", &database.url, folder.to_str().unwrap(), parallelism])
}

#[tokio::test(flavor = "multi_thread")]
async fn no_job_is_lost_or_stuck_if_workers_are_killed() {
    let (count, kills) = (times("HOOKS_STORE_JOBS", 60), times("HOOKS_STORE_KILLS", 8));
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        queue(&database, &["once", "again"], (0..count).map(|number| format!("row {number}"))).await;
        let mut random = Random(7);
        let mut workers = [worker(&database, folder.path(), "1"), worker(&database, folder.path(), "4")];
        for _ in 0..kills {
            std::thread::sleep(Duration::from_millis(5 + random.below(60)));
            let (at, parallelism) = if random.below(2) == 0 { (0, "1") } else { (1, "4") };
            workers[at].kill();
            workers[at] = worker(&database, folder.path(), parallelism);
        }
        for worker in &mut workers {
            assert!(worker.0.wait().unwrap().success());
        }
        let (jobs, runs) = (jobs(&database).await, runs(folder.path()));
        assert_eq!(jobs.len(), 2 * count, "{}: jobs are lost", database.name);
        let mut ends: BTreeMap<(String, JobStatus), usize> = BTreeMap::new();
        for job in &jobs {
            *ends.entry((job.hook.clone(), job.status)).or_default() += 1;
        }
        for number in 0..count {
            assert!(
                runs.get(&format!("again row {number}")).is_some_and(|times| *times >= 1),
                "{}: {number}",
                database.name
            );
            assert!(
                runs.get(&format!("once row {number}")).is_none_or(|times| *times == 1),
                "{}: {number}",
                database.name
            );
        }
        let good = |(hook, status): &(String, JobStatus)| match status {
            JobStatus::Done => true,
            JobStatus::Interrupted => hook == "once",
            _ => false,
        };
        assert!(ends.keys().all(good), "{}: {ends:?}", database.name);
        // A job that was never started is never interrupted.
        let interrupted = ends.get(&("once".to_owned(), JobStatus::Interrupted)).copied().unwrap_or_default();
        assert!(interrupted <= kills * 4, "{}: {interrupted} of {kills} kills", database.name);
        println!("{}: {kills} kills of two workers, {count} rows: {ends:?}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_kills_its_worker_is_quarantined_and_other_jobs_are_done() {
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["row 1", "row 2", "kill", "row 3", "row 4"];
        queue(&database, &["again"], texts.map(str::to_owned)).await;
        let mut workers = 0;
        while !worker(&database, folder.path(), "4").0.wait().unwrap().success() {
            workers += 1;
            assert!(workers < 10, "{}: the job is taken up for ever", database.name);
        }
        assert_eq!(workers, 5, "{}", database.name);
        let runs = runs(folder.path());
        for text in texts {
            let job = format!("again {text}");
            assert!(runs.contains_key(&job), "{}: {job} never ran", database.name);
        }
        let ends: BTreeMap<JobStatus, usize> = jobs(&database).await.iter().fold(BTreeMap::new(), |mut ends, job| {
            *ends.entry(job.status).or_default() += 1;
            ends
        });
        assert_eq!(ends, BTreeMap::from([(JobStatus::Done, 4), (JobStatus::Quarantined, 1)]), "{}", database.name);
        let quarantined = database.store.jobs(&JobFilter::needing_attention(), 10).await.unwrap();
        assert_eq!((quarantined[0].deaths, runs["again kill"]), (5, 5), "{}", database.name);
    }
}

/// The hook has had its effect, and the end of its job is not committed yet.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_before_the_acknowledgement_only_idempotent_jobs_run_again() {
    let kills = times("HOOKS_STORE_KILLS", 3);
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..kills {
            let text = format!("held {number}");
            queue(&database, &["once", "again"], [text.clone()]).await;
            let mut killed = worker(&database, folder.path(), "2");
            let count =
                |file: &str| lines(&folder.path().join(file)).iter().filter(|line| line.ends_with(&text)).count();
            wait_until("both hooks have begun", || count("runs") == 2);
            let mut lock = databases::connect(&database.url).await;
            lock.execute(match database.name {
                "sqlite" => "BEGIN IMMEDIATE",
                _ => "BEGIN; LOCK TABLE hooks_jobs IN EXCLUSIVE MODE",
            })
            .await
            .unwrap();
            std::fs::write(folder.path().join(format!("go {text}")), "").unwrap();
            wait_until("both hooks have had their effect", || count("ended") == 2);
            killed.kill();
            lock.close().await.unwrap();
            worker(&database, folder.path(), "2").end();
            let runs = runs(folder.path());
            let times = (runs[&format!("once {text}")], runs[&format!("again {text}")]);
            assert_eq!(times, (1, 2), "{}", database.name);
        }
        let mut ends: BTreeMap<(String, JobStatus), usize> = BTreeMap::new();
        for job in jobs(&database).await {
            *ends.entry((job.hook, job.status)).or_default() += 1;
        }
        let (once, again) = (("once".to_owned(), JobStatus::Interrupted), ("again".to_owned(), JobStatus::Done));
        assert_eq!(ends, BTreeMap::from([(once, kills), (again, kills)]), "{}", database.name);
        println!("{}: {kills} kills before the acknowledgement: {ends:?}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_cannot_end_jobs_that_another_worker_took() {
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        queue(&database, &["once", "again"], ["slow".to_owned()]).await;
        let mut stopped = worker(&database, folder.path(), "2");
        while lines(&folder.path().join("runs")).len() < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        stopped.signal("STOP");
        let mut other = worker(&database, folder.path(), "2");
        assert!(other.0.wait().unwrap().success());
        let ended = jobs(&database).await;
        stopped.signal("CONT");
        assert!(stopped.0.wait().unwrap().success());
        let of = |jobs: &[StoredJob], hook: &str| jobs.iter().find(|job| job.hook == hook).unwrap().clone();
        let now = jobs(&database).await;
        assert_eq!(of(&ended, "again").status, JobStatus::Done, "{}", database.name);
        assert_eq!(of(&ended, "once").status, JobStatus::Interrupted, "{}", database.name);
        assert_eq!(
            (of(&now, "once"), of(&now, "again")),
            (of(&ended, "once"), of(&ended, "again")),
            "{}",
            database.name
        );
        let runs = runs(folder.path());
        assert_eq!((runs["once slow"], runs["again slow"]), (1, 2), "{}", database.name);
        let attempts = database.store.attempts(&of(&now, "again").id).await.unwrap();
        assert_eq!(attempts.len(), 2, "{}: {attempts:?}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_were_stopped_together_do_not_take_each_other_for_dead() {
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        queue(&database, &["once"], ["slow 1".to_owned(), "slow 2".to_owned()]).await;
        let mut workers = [worker(&database, folder.path(), "1"), worker(&database, folder.path(), "1")];
        while lines(&folder.path().join("runs")).len() < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // Each has seen the other one's job.
        tokio::time::sleep(Duration::from_millis(300)).await;
        workers[1].signal("STOP");
        // The other one sees its last heartbeat, and is then stopped for longer than a worker may be silent.
        tokio::time::sleep(Duration::from_millis(200)).await;
        workers[0].signal("STOP");
        tokio::time::sleep(Duration::from_millis(700)).await;
        workers[0].signal("CONT");
        // It checks the other one's job before that one can send a heartbeat.
        tokio::time::sleep(Duration::from_millis(100)).await;
        workers[1].signal("CONT");
        for worker in &mut workers {
            assert!(worker.0.wait().unwrap().success());
        }
        let ends: Vec<_> = jobs(&database).await.into_iter().map(|job| job.status).collect();
        assert_eq!(ends, [JobStatus::Done, JobStatus::Done], "{}", database.name);
    }
}
