//! Jobs whose workers, server and connections are killed at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hook_sdk::CancellationToken;
use hook_sdk::detached::Job;
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::worker::Burial;
use hooks_agent::store::MessageStore;
use hooks_nats::NatsJobs;
use hooks_store::{JobFilter, JobStatus};
use tokio::runtime::Runtime;

use crate::desk::{Process, queue, runs, store, work_until_empty};
use crate::server::{Server, Wire, until};

/// The number of repetitions: a few, or the value of the variable.
fn times(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|times| times.parse().ok()).unwrap_or(otherwise)
}

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What is done to the parts of a system, until the jobs are queued.
fn hold(what: &str, mut harm: impl FnMut(&mut Server, &Wire, &mut [Process], &mut Random) + Send) {
    let (count, harms) = (times("HOOKS_NATS_JOBS", 60), times("HOOKS_NATS_KILLS", 8));
    let Some(mut server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let wire = Wire::to(&server);
    let runtime = Runtime::new().unwrap();
    let jobs = runtime.block_on(NatsJobs::connect(&wire.url, "desk")).unwrap();
    let mut workers = [Process::start(&wire.url, &file), Process::start(&server.url(), &file)];
    let (start, next) = (Instant::now(), AtomicUsize::new(0));
    let accepted = std::thread::scope(|scope| {
        let harming = scope.spawn(|| {
            let mut random = Random(7);
            for _ in 0..harms {
                // Any moment is suitable, so this does not wait for a particular one.
                std::thread::sleep(Duration::from_millis(50 + random.below(400)));
                harm(&mut server, &wire, &mut workers, &mut random);
            }
        });
        // As many as it takes to queue many jobs in some seconds.
        let publishers: Vec<_> =
            (0..=count / 500).map(|_| scope.spawn(|| publish(&runtime, &jobs, &next, count))).collect();
        let accepted = publishers.into_iter().flat_map(|publisher| publisher.join().unwrap()).collect::<BTreeSet<_>>();
        harming.join().unwrap();
        accepted
    });
    drop(workers);
    let jobs = runtime.block_on(server.jobs());
    runtime.block_on(async {
        let (mut rest, mut before) = (pin!(work_until_empty(&jobs, &file)), None);
        while tokio::time::timeout(Duration::from_secs(60), &mut rest).await.is_err() {
            let (queued, consumers) = server.waiting().await;
            assert!(before != Some(queued), "{what}: {queued} jobs are stuck: {consumers:#?}");
            before = Some(queued);
        }
    });

    let runs = runs(&file);
    let interrupted = runtime.block_on(jobs.buried("once", usize::MAX)).unwrap();
    let others: Vec<_> = interrupted.iter().filter(|job| job.why != Burial::Interrupted).collect();
    assert!(others.is_empty(), "{what}: {others:?}");
    let buried = runtime.block_on(jobs.buried("again", 10)).unwrap();
    assert_eq!(buried, [], "{what}: idempotent jobs are buried");
    let twice: Vec<_> = runs.iter().filter(|(job, times)| job.starts_with("once ") && **times > 1).collect();
    assert!(twice.is_empty(), "{what}: ran more than once: {twice:?}");
    let kept: BTreeSet<String> = interrupted.iter().map(|job| text(&job.job)).collect();
    let lost: Vec<_> = accepted.iter().filter(|job| !runs.contains_key(*job) && !kept.contains(*job)).collect();
    assert!(lost.is_empty(), "{what}: lost: {lost:?}");
    let again = runs.iter().filter(|(job, times)| job.starts_with("again ") && **times > 1).count();
    println!(
        "{what}: {harms} times, {} jobs queued, {} accepted; 0 lost; 0 stuck; of {} once: 0 ran twice, {} interrupted; \
         {again} ran again; {:?}",
        2 * count,
        accepted.len(),
        count,
        interrupted.len(),
        start.elapsed(),
    );
}

/// Queues jobs until there are `count` of each hook, and returns the accepted ones.
fn publish(runtime: &Runtime, jobs: &NatsJobs, next: &AtomicUsize, count: usize) -> Vec<String> {
    let mut accepted = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return accepted;
        }
        for hook in ["once", "again"] {
            if runtime.block_on(queue(jobs.clone(), hook, &number.to_string())).is_ok() {
                accepted.push(format!("{hook} {number}"));
            }
        }
        // So that it takes as long as some kills.
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// As in the file of runs.
fn text(job: &[u8]) -> String {
    let job: Job = serde_json::from_slice(job).unwrap();
    let event: AfterCreateMessage = serde_json::from_value(job.event).unwrap();
    format!("{} {}", job.hook, event.message.text())
}

fn kill(workers: &mut [Process], random: &mut Random) {
    let at = usize::try_from(random.below(2)).unwrap();
    workers[at].restart();
}

fn crash(server: &mut Server, random: &mut Random) {
    server.kill();
    // Sometimes for longer than a worker may be silent.
    std::thread::sleep(Duration::from_millis(random.below(1_500)));
    server.restart();
}

fn pause(workers: &[Process], random: &mut Random) {
    for worker in workers {
        worker.signal("STOP");
    }
    std::thread::sleep(Duration::from_millis(random.below(1_500)));
    for worker in workers {
        worker.signal("CONT");
    }
}

#[test]
fn no_job_is_lost_or_stuck_if_workers_are_killed() {
    hold("workers killed", |_, _, workers, random| kill(workers, random));
}

#[test]
fn no_job_is_lost_or_stuck_if_workers_are_paused() {
    hold("workers paused", |_, _, workers, random| pause(workers, random));
}

#[test]
fn no_job_is_lost_or_stuck_if_the_server_is_killed() {
    hold("server killed", |server, _, _, random| crash(server, random));
}

#[test]
fn no_job_is_lost_or_stuck_if_connections_are_cut() {
    hold("connections cut", |_, wire, _, _| wire.cut());
}

#[test]
fn no_job_is_lost_or_stuck_if_all_of_that_happens() {
    hold("all of that", |server, wire, workers, random| match random.below(4) {
        0 => kill(workers, random),
        1 => pause(workers, random),
        2 => crash(server, random),
        _ => wire.cut(),
    });
}

/// The store is the outbox: a job is committed with its row, and forwarded.
#[test]
fn the_jobs_of_each_stored_row_run_if_the_program_is_killed_between_row_and_broker() {
    let kills = times("HOOKS_NATS_KILLS", 8);
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (returned, file) = (folder.path().join("rows"), folder.path().join("runs"));
    let mut random = Random(11);
    let start = Instant::now();
    for _ in 0..kills {
        let before = std::fs::metadata(&returned).map_or(0, |file| file.len());
        let mut program = Process::store(&server.url(), &returned);
        until("a row is stored", || std::fs::metadata(&returned).is_ok_and(|file| file.len() > before));
        // Any moment is suitable, so this does not wait for a particular one.
        std::thread::sleep(Duration::from_millis(random.below(60)));
        program.kill();
    }
    let runtime = Runtime::new().unwrap();
    let (rows, left) = runtime.block_on(async {
        let (jobs, store) = (server.jobs().await, store(&returned).await);
        let queued = async || store.jobs(&JobFilter::new().status(JobStatus::Queued), u32::MAX).await.unwrap().len();
        let (left, stop) = (queued().await, CancellationToken::new());
        let forwards = tokio::spawn({
            let (store, jobs, stop) = (store.clone(), jobs.clone(), stop.clone());
            async move { store.forward_jobs(jobs, stop).await }
        });
        while queued().await > 0 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        forwards.await.unwrap();
        work_until_empty(&jobs, &file).await;
        let rows: Vec<_> =
            store.export("c").await.unwrap().rows.iter().map(|row| row.message.text().into_owned()).collect();
        (rows, left)
    });
    let expected: BTreeMap<String, usize> =
        rows.iter().flat_map(|row| ["once", "again"].map(|hook| (format!("{hook} {row}"), 1))).collect();
    assert_eq!(runs(&file), expected, "a job of each hook for each row");
    let returned = std::fs::read_to_string(&returned).unwrap();
    assert!(returned.lines().all(|row| rows.iter().any(|stored| stored == row)), "a row is lost");
    println!(
        "{kills} kills, {} rows, {left} jobs were left to forward: each ran once; {:?}",
        rows.len(),
        start.elapsed()
    );
}
