//! Kills at exact points: each message by which a worker writes what became of a job, and the one that queues it.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hook_sdk::CancellationToken;
use hook_sdk::worker::Burial;
use hooks_nats::NatsJobs;

use crate::desk::{Process, SILENCE, queue, runs, work, work_until_empty};
use crate::jobs::broker;
use crate::server::{Server, Wire, until};

/// The beginning of the subject of a message, and a part of its payload.
type Sent = (&'static str, &'static str);
/// How often a job ran, and why it is kept for people.
type Fate = (usize, Option<Burial>);
/// The hook and the text of a job, a message about it, and its fate if its worker is killed before the server gets the
/// message, and after.
type Row = (&'static str, &'static str, Sent, Fate, Fate);

const STARTED: Sent = ("desk.states.", "Running");
const DONE: Sent = ("desk.states.", "Done");
const WAITS: Sent = ("desk.states.", "Waiting");
const BURIED: Sent = ("desk.states.", "Buried");
const KEPT: Sent = ("desk.buried.", "");
const OVER: Sent = ("desk.over.", "");
const REMOVED: Sent = ("$JS.ACK.", "");
const PUT_OFF: Sent = ("$JS.ACK.", "-NAK");
const FORGOTTEN: Sent = ("$JS.API.STREAM.PURGE.", "");

const FAILED: Option<Burial> = Some(Burial::Failed);
const INTERRUPTED: Option<Burial> = Some(Burial::Interrupted);

const ROWS: [Row; 17] = [
    ("once", "0", STARTED, (1, None), (0, INTERRUPTED)),
    ("once", "0", DONE, (1, INTERRUPTED), (1, None)),
    ("once", "0", OVER, (1, None), (1, None)),
    ("once", "0", REMOVED, (1, None), (1, None)),
    ("once", "0", FORGOTTEN, (1, None), (1, None)),
    ("again", "0", STARTED, (1, None), (1, None)),
    ("again", "0", DONE, (2, None), (1, None)),
    ("again", "0", OVER, (1, None), (1, None)),
    ("again", "0", REMOVED, (1, None), (1, None)),
    ("again", "0", FORGOTTEN, (1, None), (1, None)),
    ("once", "fails", BURIED, (1, INTERRUPTED), (1, FAILED)),
    ("once", "fails", KEPT, (1, FAILED), (1, FAILED)),
    ("once", "fails", OVER, (1, FAILED), (1, FAILED)),
    ("once", "fails", REMOVED, (1, FAILED), (1, FAILED)),
    ("once", "fails", FORGOTTEN, (1, FAILED), (1, FAILED)),
    // It has three attempts.
    ("again", "fails", WAITS, (4, FAILED), (3, FAILED)),
    ("again", "fails", PUT_OFF, (3, FAILED), (3, FAILED)),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    /// The program that sends the message is killed.
    Killed,
    /// Its connection is cut, and it makes another one.
    Cut,
    /// The server is killed, and started again.
    Crash,
}

const HARMS: [Harm; 3] = [Harm::Killed, Harm::Cut, Harm::Crash];

/// Does something for each case, some of them at the same time, since they mostly wait. It fails with all breaches.
fn each<C: Send>(cases: Vec<C>, check: impl Fn(C) -> Result<(), String> + Sync) {
    let (cases, breaches) = (Mutex::new(cases), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                loop {
                    let Some(case) = cases.lock().unwrap().pop() else { break };
                    // Before the lock, so that the others go on.
                    let breach = check(case).err();
                    breaches.lock().unwrap().extend(breach);
                }
            });
        }
    });
    let breaches = breaches.into_inner().unwrap();
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
}

/// Lets a program come to a message, and does harm to it, before or after the server gets the message.
fn harm(
    server: &mut Server,
    wire: &Wire,
    (sent, passes, harm): (Sent, bool, Harm),
    start: impl FnOnce() -> Process,
) -> Result<Process, String> {
    let sprung = wire.trap(sent, passes);
    let mut process = start();
    sprung.recv_timeout(Duration::from_secs(60)).map_err(|_| format!("it never sent {sent:?}"))?;
    match harm {
        Harm::Killed => process.kill(),
        Harm::Cut => wire.cut(),
        Harm::Crash => server.restart(),
    }
    Ok(process)
}

/// The fate of the only job once nothing is left to do, and how many jobs the server still has.
async fn end(server: &Server, file: &Path, hook: &str) -> Result<(Fate, u64), String> {
    let jobs = server.jobs().await;
    let ended = tokio::time::timeout(Duration::from_secs(60), work_until_empty(&jobs, file)).await;
    ended.map_err(|_| "it is stuck".to_owned())?;
    let kept = jobs.buried(hook, 10).await.unwrap();
    if kept.len() > 1 {
        return Err(format!("it is kept more than once: {kept:?}"));
    }
    let left = broker(server).await.get_stream("desk_jobs").await.unwrap().cached_info().state.messages;
    Ok(((runs(file).values().sum(), kept.first().map(|job| job.why)), left))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn a_worker_that_is_killed_at_any_message_leaves_its_job_as_promised() {
    let cases = ROWS.iter().flat_map(|row| HARMS.map(|harm| [(row, harm, false), (row, harm, true)])).flatten();
    each(cases.collect(), |(&(hook, text, sent, before, after), what, passes)| {
        let Some(mut server) = Server::start() else { return Ok(()) };
        let (folder, runtime) = (tempfile::tempdir().unwrap(), runtime());
        let file = folder.path().join("runs");
        let wire = Wire::to(&server);
        runtime.block_on(async { queue(server.jobs().await, hook, text).await }).unwrap();
        let worker = harm(&mut server, &wire, (sent, passes, what), || Process::start(&wire.url, &file))?;
        let ended = runtime.block_on(end(&server, &file, hook));
        drop(worker);
        let is_right = ended.as_ref().is_ok_and(|(fate, left)| match what {
            Harm::Killed => (*fate, *left) == (if passes { after } else { before }, 0),
            // The worker may have been silent for too long, or not.
            _ => {
                let (ran, kept) = *fate;
                let runs = if hook == "once" { 0..=1 } else { 1..=6 };
                let may_be_kept = if hook == "once" { INTERRUPTED } else { None };
                let ends = if text == "fails" { FAILED } else { None };
                runs.contains(&ran) && (kept == ends || kept == may_be_kept) && (ran > 0 || kept.is_some())
            }
        });
        let side = if passes { "after" } else { "before" };
        if is_right { Ok(()) } else { Err(format!("{hook} {text}, {what:?} {side} {sent:?}: {ended:?}")) }
    });
}

#[test]
fn a_program_that_is_killed_while_it_queues_a_job_leaves_it_whole_or_not_at_all() {
    let hooks = ["once", "again"].into_iter();
    let cases = hooks.flat_map(|hook| HARMS.map(|harm| [(hook, harm, false), (hook, harm, true)])).flatten();
    each(cases.collect(), |(hook, what, passes)| {
        let Some(mut server) = Server::start() else { return Ok(()) };
        let (folder, runtime) = (tempfile::tempdir().unwrap(), runtime());
        let (file, accepted) = (folder.path().join("runs"), folder.path().join("accepted"));
        let wire = Wire::to(&server);
        let message = ("desk.jobs.", "");
        let start = || Process::queue(&wire.url, &accepted, hook);
        let _program = harm(&mut server, &wire, (message, passes, what), start)?;
        if what == Harm::Killed {
            assert!(!accepted.exists(), "nobody told it");
        } else {
            until("the job is accepted", || accepted.exists());
        }
        let ended = runtime.block_on(end(&server, &file, hook));
        let expected = (usize::from(what != Harm::Killed || passes), None);
        let side = if passes { "after" } else { "before" };
        match ended {
            Ok((fate, 0)) if fate == expected => Ok(()),
            _ => Err(format!("{hook}, {what:?} {side} it is queued: {ended:?}")),
        }
    });
}

#[test]
fn a_job_that_the_server_does_not_answer_for_is_in_doubt() {
    let Some(server) = Server::start() else { return };
    let (folder, runtime, wire) = (tempfile::tempdir().unwrap(), runtime(), Wire::to(&server));
    let _stored = wire.trap(("desk.jobs.", ""), true);
    let jobs = runtime.block_on(NatsJobs::connect(&wire.url, "desk")).unwrap();
    let refused = runtime.block_on(queue(jobs, "once", "0")).unwrap_err();
    assert!(refused.starts_with("nobody knows whether the background queue stored the job: "), "{refused}");
    let ended = runtime.block_on(end(&server, &folder.path().join("runs"), "once"));
    assert_eq!(ended, Ok(((1, None), 0)));
}

#[test]
fn a_worker_that_dies_when_its_run_has_ended_does_not_run_a_job_twice_that_must_not() {
    each(vec![("once", (1, INTERRUPTED)), ("again", (2, None))], |(hook, expected)| {
        let Some(server) = Server::start() else { return Ok(()) };
        let (folder, runtime) = (tempfile::tempdir().unwrap(), runtime());
        let file = folder.path().join("runs");
        runtime.block_on(async { queue(server.jobs().await, hook, "aborts").await }).unwrap();
        Process::start(&server.url(), &file).dies();
        let ended = runtime.block_on(end(&server, &file, hook));
        if ended == Ok((expected, 0)) { Ok(()) } else { Err(format!("{hook}: {ended:?}")) }
    });
}

#[test]
fn a_job_whose_deliveries_the_server_forgot_is_neither_delayed_nor_run_by_two() {
    let Some(mut server) = Server::start() else { return };
    let (folder, runtime) = (tempfile::tempdir().unwrap(), runtime());
    let file = folder.path().join("runs");
    runtime.block_on(async { queue(server.jobs().await, "again", "long").await }).unwrap();
    let mut worker = Process::start(&server.url(), &file);
    for times in 1..=6 {
        until("the job runs", || runs(&file).values().sum::<usize>() == times);
        if times < 6 { worker.restart() } else { worker.kill() }
    }
    server.forget("again");
    let forgot = Instant::now();
    assert_eq!(runtime.block_on(end(&server, &file, "again")), Ok(((7, None), 0)));
    // One silence until the server delivers it again, and the run itself.
    assert!(forgot.elapsed() < SILENCE * 5, "{:?}", forgot.elapsed());

    // The second worker of the next one lives.
    let file = folder.path().join("more");
    let jobs = runtime.block_on(server.jobs());
    runtime.block_on(queue(jobs.clone(), "again", "long")).unwrap();
    let mut worker = Process::start(&server.url(), &file);
    until("the job runs", || runs(&file).values().sum::<usize>() == 1);
    worker.kill();
    let stop = CancellationToken::new();
    let living = runtime.spawn({
        let (file, stop) = (file.clone(), stop.clone());
        async move { work(&jobs, &file, 1, stop).await }
    });
    until("the job runs again", || runs(&file).values().sum::<usize>() == 2);
    server.forget("again");
    assert_eq!(runtime.block_on(end(&server, &file, "again")), Ok(((2, None), 0)));
    stop.cancel();
    runtime.block_on(living).unwrap();
}
