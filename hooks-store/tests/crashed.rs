//! A Postgres server that crashes, or whose acknowledgements are lost, while turns and workers use it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hooks_store::{JobFilter, JobStatus};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

use crate::databases::{self, Database, Server};
use crate::support::{Process, Random, lines, times, wait_until};
use crate::{killed, workers};

/// A conversation without end and two workers for its jobs.
pub(crate) fn processes(url: &str, folder: &Path) -> [Process; 3] {
    let path = folder.to_str().unwrap();
    let worker = |parallelism| Process::start(&["work", url, path, parallelism, "forever"]);
    [Process::start(&["converse", url, path, "c", "1000000"]), worker("1"), worker("4")]
}

/// Ends the processes, lets others finish what they left, and checks all rows and jobs.
pub(crate) async fn finish(processes: [Process; 3], database: &Database, folder: &Path, what: &str) {
    // Only the conversation is killed. The workers still write their ends, which nothing may interrupt.
    let [mut conversation, mut one, mut other] = processes;
    conversation.kill();
    let path = folder.to_str().unwrap();
    Process::start(&["converse", &database.url, path, "c", "3"]).end();
    Process::start(&["work", &database.url, path, "4"]).end();
    assert!([&mut one, &mut other].map(|worker| worker.0.try_wait().unwrap()).iter().all(Option::is_none));
    killed::check(database, folder, what).await;
    workers::check(database, folder, what).await;
}

/// Waits until a turn has been answered and a job has been run since now.
pub(crate) fn wait_for_work(folder: &Path) {
    let answered = || lines(&folder.join("replies")).iter().filter(|reply| reply.contains(" Answered(")).count();
    let ran = || lines(&folder.join("runs")).len();
    let before = (answered(), ran());
    wait_until("a turn and a job go on", || answered() > before.0 && ran() > before.1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_of_the_server_loses_and_duplicates_nothing() {
    let crashes = times("HOOKS_STORE_CRASHES", 3);
    let Some(server) = Server::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(11);
    let processes = processes(&server.database.url, folder.path());
    for _ in 0..crashes {
        wait_for_work(folder.path());
        std::thread::sleep(Duration::from_millis(random.below(100)));
        server.crash();
    }
    wait_for_work(folder.path());
    finish(processes, &server.database, folder.path(), &format!("{crashes} crashes of the server")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_acknowledgement_of_a_commit_loses_and_duplicates_nothing() {
    let cuts = times("HOOKS_STORE_CUTS", 20);
    let Some(database) = databases::postgres().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let (url, left) = proxy(&database.url, 2).await;
    let processes = processes(&url, folder.path());
    left.store(cuts, Ordering::SeqCst);
    wait_until("every connection was cut", || left.load(Ordering::SeqCst) == 0);
    wait_for_work(folder.path());
    finish(processes, &database, folder.path(), &format!("{cuts} commits without their acknowledgement")).await;
}

/// The worker does not know that it has claimed the job. Nothing has run, so that is not an interruption.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_claim_was_not_acknowledged_runs_once_as_if_nothing_had_happened() {
    let Some(database) = databases::postgres().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let (url, left) = proxy(&database.url, 1).await;
    workers::queue(&database, &["again"], ["held".to_owned()]).await;
    let mut worker = Process::start(&["work", &url, folder.path().to_str().unwrap(), "2"]);
    wait_until("the first job runs", || lines(&folder.path().join("runs")).len() == 1);
    // The next commits are claims, or a heartbeat of the first job.
    left.store(4, Ordering::SeqCst);
    workers::queue(&database, &["once"], (0..5).map(|number| format!("row {number}"))).await;
    wait_until("all others have run", || lines(&folder.path().join("runs")).len() >= 6);
    assert!(!folder.path().join("ended").exists(), "the first job still runs");
    std::fs::write(folder.path().join("go held"), "").unwrap();
    worker.end();
    let jobs = database.store.jobs(&JobFilter::new(), 10).await.unwrap();
    assert!(jobs.iter().all(|job| (job.status, job.deaths) == (JobStatus::Done, 0)), "{jobs:#?}");
    assert_eq!((left.load(Ordering::SeqCst), lines(&folder.path().join("runs")).len()), (0, 6));
    for job in jobs {
        let attempts = database.store.attempts(&job.id).await.unwrap();
        assert!(attempts.len() == 1 && attempts[0].status.as_deref() == Some("completed"), "{attempts:#?}");
    }
}

/// A server between the processes and Postgres. As long as the counter is above zero, it closes the connection instead
/// of forwarding that a transaction which may write was committed, once in `one_in` times.
async fn proxy(url: &str, one_in: usize) -> (String, Arc<AtomicUsize>) {
    let (address, folder) = url.split_once("?host=").unwrap();
    let socket = format!("{folder}/.s.PGSQL.5432");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let cuts = Arc::new(AtomicUsize::new(0));
    let left = Arc::clone(&cuts);
    tokio::spawn(async move {
        let seen = Arc::new(AtomicUsize::new(0));
        while let Ok((client, _)) = listener.accept().await {
            let (socket, cuts, seen) = (socket.clone(), Arc::clone(&cuts), Arc::clone(&seen));
            tokio::spawn(async move {
                let server = UnixStream::connect(socket).await?;
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let writes = AtomicBool::new(false);
                let requests = forward(from_client, to_server, |request| {
                    if contains(request, b"BEGIN") {
                        writes.store(!contains(request, b"READ ONLY"), Ordering::SeqCst);
                    }
                    true
                });
                let answers = forward(from_server, to_client, |answer| {
                    let is_write = contains(answer, b"COMMIT\0") && writes.load(Ordering::SeqCst);
                    let is_due = is_write
                        && cuts.load(Ordering::SeqCst) > 0
                        && (seen.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(one_in);
                    let cut = |left: usize| left.checked_sub(1);
                    !(is_due && cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, cut).is_ok())
                });
                tokio::select! {
                    done = requests => done,
                    done = answers => done,
                }
            });
        }
    });
    let name = address.rsplit_once('/').unwrap().1;
    (format!("postgres://hooks@127.0.0.1:{port}/{name}?sslmode=disable"), left)
}

/// Forwards bytes until the end, or until `keeps_on` returns `false`.
async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    keeps_on: impl Fn(&[u8]) -> bool,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 64 << 10];
    while let size @ 1.. = from.read(&mut bytes).await? {
        if !keeps_on(&bytes[..size]) {
            break;
        }
        to.write_all(&bytes[..size]).await?;
    }
    Ok(())
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|part| part == word)
}
