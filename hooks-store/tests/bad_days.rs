//! Each write of a store on a bad day: what the caller is told, what is stored, what the next call does.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::detached::BackgroundSink;
use hooks_agent::store::{Append, MessageStore};
use hooks_store::{OpenOptions, StoredApprover};
use sqlx::{AnyConnection, Executor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

use crate::databases::{self, Database, Server};
use crate::questions;
use crate::writes::{self, WRITES, Write};

/// What the writes change.
async fn set_up(database: &Database) {
    let store = &database.store;
    let approver = StoredApprover::new(store.clone()).patience(Duration::ZERO);
    let (session, _) = questions::session(database, approver, questions::asks()).await;
    let _suspended = session.turn(None, "pay").await;
    store.append("old", Append::new([writes::message("old")])).await.unwrap();
    let queue = store.job_queue();
    for id in ["failed", "waiting", "done"] {
        tokio::task::block_in_place(|| queue.enqueue(writes::job(id))).unwrap();
    }
    let mut connection = databases::connect(&database.url).await;
    for prepare in [
        "UPDATE hooks_questions SET id = 'q'",
        "UPDATE hooks_jobs SET status = id, ended_at = 1 WHERE id IN ('failed', 'done')",
    ] {
        connection.execute(prepare).await.unwrap();
    }
}

async fn stored(connection: &mut AnyConnection, write: &Write) -> i64 {
    sqlx::query_scalar(write.stored).fetch_one(connection).await.unwrap()
}

/// The rows of the table, and those that are not true.
#[derive(Default)]
struct Table {
    rows: Vec<String>,
    untrue: Vec<String>,
}

impl Table {
    /// `said` is `None` if the caller was killed.
    fn add(
        &mut self,
        fault: &str,
        write: &Write,
        said: Option<&Result<(), String>>,
        stored: i64,
        next: &Result<(), String>,
        then: i64,
    ) {
        let told = match said {
            None => "killed",
            Some(Ok(())) => "stored",
            Some(Err(error)) if error.contains("nobody knows") => "nobody knows",
            Some(Err(_)) => "not stored",
        };
        let row =
            format!("{:<16} {fault:<28} told: {told:<12} stored: {stored}  next: {next:?}, stored: {then}", write.name);
        let is_true = match told {
            "stored" => stored == 1,
            "not stored" => stored == 0,
            _ => (0..=1).contains(&stored),
        };
        // What is stored already may be refused the second time.
        let goes_on = (next.is_ok() || stored == 1) && then >= 1;
        if !is_true || !goes_on {
            self.untrue.push(format!("{row} {said:?}"));
        }
        self.rows.push(row);
    }

    fn check(self) {
        println!("{}", self.rows.join("\n"));
        assert!(self.untrue.is_empty(), "{:#?}", self.untrue);
    }
}

/// A process that writes when it is told to.
struct Writer {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Writer {
    fn start(file: &Path, write: &Write, ignores_limit: bool) -> Self {
        let trap = if ignores_limit { "trap '' XFSZ; " } else { "" };
        let mut process = Command::new("bash")
            .args(["-c", &format!("ulimit -c 0; {trap}exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_hooks-store-fixture")])
            .args(["write", file.to_str().unwrap(), "/", write.name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut writer = Self { process, answers };
        assert_eq!(writer.line().as_deref(), Some("ready"));
        writer
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.strip_suffix('\n').map(str::to_owned)
    }

    /// Limits the size of files, in bytes.
    fn limit(&self, bytes: &str) {
        let pid = self.process.id().to_string();
        let done = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}:unlimited")]).status();
        assert!(done.unwrap().success());
    }

    /// `None` if it was killed.
    fn write(&mut self) -> Option<Result<(), String>> {
        writeln!(self.process.stdin.as_mut().unwrap()).ok()?;
        let line = self.line()?;
        Some(if line == "ok" { Ok(()) } else { Err(line) })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The file may grow by no page, one, two and so on, until the write succeeds.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn no_write_to_a_file_says_what_is_not_true() {
    let database = databases::sqlite().await;
    set_up(&database).await;
    database.store.close().await.unwrap();
    let mut table = Table::default();
    for write in &WRITES {
        for (fault, survives) in [("disk full", true), ("killed", false)] {
            for pages in 0.. {
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("store.db");
                std::fs::copy(&database.url, &file).unwrap();
                let mut writer = Writer::start(&file, write, survives);
                let size = std::fs::metadata(folder.path().join("store.db-wal")).map_or(0, |wal| wal.len());
                writer.limit(&(size + 32 + pages * (4_096 + 24)).to_string());
                let said = writer.write();
                let mut connection = databases::connect(file.to_str().unwrap()).await;
                let now = stored(&mut connection, write).await;
                let next = if survives {
                    writer.limit("unlimited");
                    writer.write().unwrap()
                } else {
                    drop(writer);
                    Writer::start(&file, write, true).write().unwrap()
                };
                let then = stored(&mut connection, write).await;
                table.add(&format!("{fault}, after {pages} pages"), write, said.as_ref(), now, &next, then);
                if said == Some(Ok(())) {
                    break;
                }
            }
        }
    }
    table.check();
}

/// What happens to the next commit.
const NOTHING: usize = 0;
const CUT_BEFORE: usize = 1;
const CUT_AFTER: usize = 2;
const FROZEN: usize = 3;

/// A server between the store and Postgres, and the fault of the next commits.
async fn proxy(url: &str) -> (String, Arc<AtomicUsize>) {
    let (address, folder) = url.split_once("?host=").unwrap();
    let socket = format!("{folder}/.s.PGSQL.5432");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let fault = Arc::new(AtomicUsize::new(NOTHING));
    let of_all = Arc::clone(&fault);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (socket, fault) = (socket.clone(), Arc::clone(&of_all));
            tokio::spawn(async move {
                let mut server = UnixStream::connect(socket).await?;
                let (mut asked, mut said) = (vec![0; 64 << 10], vec![0; 64 << 10]);
                let mut is_write = false;
                loop {
                    tokio::select! {
                        size = client.read(&mut asked) => {
                            let request = &asked[..size?];
                            let has = |word: &[u8]| request.windows(word.len()).any(|part| part == word);
                            if has(b"BEGIN") {
                                is_write = !has(b"READ ONLY");
                            }
                            if is_write && has(b"COMMIT") {
                                match fault.load(Ordering::SeqCst) {
                                    CUT_BEFORE => break,
                                    CUT_AFTER => {
                                        server.write_all(request).await?;
                                        // It has answered.
                                        let _ = server.read(&mut said).await?;
                                        break;
                                    }
                                    // The request arrives when nobody waits for it any more.
                                    FROZEN => while fault.load(Ordering::SeqCst) == FROZEN {
                                        tokio::time::sleep(Duration::from_millis(5)).await;
                                    },
                                    _ => {}
                                }
                            }
                            if request.is_empty() {
                                break;
                            }
                            server.write_all(request).await?;
                        }
                        size = server.read(&mut said) => {
                            let answer = &said[..size?];
                            if answer.is_empty() {
                                break;
                            }
                            client.write_all(answer).await?;
                        }
                    }
                }
                Ok::<_, std::io::Error>(())
            });
        }
    });
    let name = address.rsplit_once('/').unwrap().1;
    (format!("postgres://hooks@127.0.0.1:{port}/{name}?sslmode=disable"), fault)
}

fn impatient() -> OpenOptions {
    let limit = Duration::from_secs(1);
    OpenOptions::new().connect_timeout(limit).transaction_timeout(limit).silence(Duration::from_millis(400))
}

/// Waits until no other connection has a transaction.
async fn settled(connection: &mut AnyConnection) {
    let busy = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
                AND state <> 'idle'";
    while sqlx::query_scalar::<_, i64>(busy).fetch_one(&mut *connection).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_over_a_bad_connection_says_what_is_not_true() {
    let mut table = Table::default();
    for writes in WRITES.chunks(3) {
        for fault in [
            ("cut before the commit", CUT_BEFORE),
            ("cut after the commit", CUT_AFTER),
            ("frozen at the commit", FROZEN),
        ] {
            let mut running = Vec::new();
            for write in writes {
                let Some(database) = databases::postgres().await else { return };
                running.push((write, tokio::spawn(over_a_bad_connection(database, write, fault.1))));
            }
            for (write, running) in running {
                let (said, now, next, then) = running.await.unwrap();
                table.add(fault.0, write, Some(&said), now, &next, then);
            }
        }
    }
    table.check();
}

/// What the caller was told, how much was stored, and the same of the next call.
async fn over_a_bad_connection(
    database: Database,
    write: &'static Write,
    fault: usize,
) -> (Result<(), String>, i64, Result<(), String>, i64) {
    set_up(&database).await;
    let (url, faults) = proxy(&database.url).await;
    let store = impatient().open(&url).await.unwrap();
    faults.store(fault, Ordering::SeqCst);
    let on = store.clone();
    let run = write.run;
    let writing = tokio::spawn(async move { run(&on).await });
    // A write that tries again succeeds when the cause has ended.
    tokio::time::sleep(Duration::from_millis(if fault == FROZEN { 2_500 } else { 300 })).await;
    faults.store(NOTHING, Ordering::SeqCst);
    let said = writing.await.unwrap();
    let mut connection = databases::connect(&database.url).await;
    settled(&mut connection).await;
    let now = stored(&mut connection, write).await;
    let next = (write.run)(&store).await;
    let then = stored(&mut connection, write).await;
    (said, now, next, then)
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn no_write_to_a_server_that_is_stopped_says_what_is_not_true() {
    let Some(server) = Server::start().await else { return };
    let database = &server.database;
    let signal = |name: &str, pids: &[i32]| {
        let pids = pids.iter().map(ToString::to_string);
        assert!(Command::new("kill").arg(format!("-{name}")).args(pids).status().unwrap().success());
    };
    let mut table = Table::default();
    for write in &WRITES {
        database.empty().await;
        set_up(database).await;
        let store = impatient().open(&database.url).await.unwrap();
        store.page("c", None, 1).await.unwrap();
        let mut connection = databases::connect(&database.url).await;
        let pids = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'";
        let pids: Vec<i32> = sqlx::query_scalar(pids).fetch_all(&mut connection).await.unwrap();
        signal("STOP", &pids);
        let said = (write.run)(&store).await;
        signal("CONT", &pids);
        settled(&mut connection).await;
        let now = stored(&mut connection, write).await;
        let next = (write.run)(&store).await;
        let then = stored(&mut connection, write).await;
        table.add("server stopped", write, Some(&said), now, &next, then);
    }
    table.check();
}
