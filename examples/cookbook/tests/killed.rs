//! The approval in a web page on Postgres, killed at each message to the database.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};

use crate::{Course, approvals_in};

/// When the process between which and Postgres this stands is killed.
#[derive(Default)]
struct Kill {
    process: AtomicU32,
    /// How many messages pass before.
    left: AtomicI64,
    /// Whether Postgres still gets the message, and only its answer is lost.
    answered: bool,
    done: AtomicBool,
}

impl Kill {
    fn now(&self) {
        let process = self.process.load(Ordering::SeqCst).to_string();
        assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
        self.done.store(true, Ordering::SeqCst);
    }
}

/// Passes bytes on until `look` says no, or somebody closes.
fn pass(mut from: UnixStream, mut to: UnixStream, look: impl Fn() -> bool) {
    let mut bytes = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if !look() || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// Listens in `folder` as Postgres does, in front of the one in `postgres`.
fn stand_between(folder: &Path, postgres: &Path, kill: &Arc<Kill>) {
    const SOCKET: &str = ".s.PGSQL.5432";
    let (listener, postgres, kill) =
        (UnixListener::bind(folder.join(SOCKET)).unwrap(), postgres.join(SOCKET), Arc::clone(kill));
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = UnixStream::connect(&postgres).unwrap();
            let (to_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            let is_lost = Arc::new(AtomicBool::new(false));
            let (asks, lost) = (Arc::clone(&kill), Arc::clone(&is_lost));
            std::thread::spawn(move || {
                pass(client, to_server, || {
                    if asks.left.fetch_sub(1, Ordering::SeqCst) != 1 {
                        return true;
                    }
                    lost.store(true, Ordering::SeqCst);
                    if !asks.answered {
                        asks.now();
                    }
                    asks.answered
                });
            });
            let answers = Arc::clone(&kill);
            std::thread::spawn(move || {
                pass(server, to_client, || {
                    let is_lost = is_lost.load(Ordering::SeqCst);
                    if is_lost {
                        answers.now();
                    }
                    !is_lost
                });
            });
        }
    });
}

/// `HOOKS_COOKBOOK_KILLS=1` tries each message instead of one in this many.
fn stride() -> usize {
    std::env::var("HOOKS_COOKBOOK_KILLS").ok().and_then(|stride| stride.parse().ok()).unwrap_or(17)
}

#[test]
fn nothing_is_lost_or_doubled_on_postgres_either() {
    let Ok(url) = std::env::var("HOOKS_POSTGRES") else {
        println!("skipped: HOOKS_POSTGRES names no server (`scripts/with-postgres`)");
        return;
    };
    let (name, socket) = url.split_once("?host=").expect("the server of the script has a socket");
    let mut unknown = 0;
    for answered in [false, true] {
        for messages in (1..).step_by(stride()) {
            let folder = tempfile::tempdir().unwrap();
            let kill = Arc::new(Kill { answered, ..Kill::default() });
            stand_between(folder.path(), Path::new(socket), &kill);
            let server = approvals_in(&format!("{name}?host={}", folder.path().display()));
            kill.process.store(server.process.id(), Ordering::SeqCst);
            kill.left.store(messages, Ordering::SeqCst);
            let course = Course::of(&format!("ada_{answered}_{messages}"), server, || approvals_in(&url));
            unknown += u32::from(!course.is_paid);
            if !kill.done.load(Ordering::SeqCst) {
                println!("{messages} messages, {unknown} times it is unknown whether the refund was paid");
                assert!(messages > 20, "{messages}");
                break;
            }
        }
    }
}
