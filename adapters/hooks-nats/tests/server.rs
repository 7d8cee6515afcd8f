//! A server of one test, which can be killed without any effect on other tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use futures_util::StreamExt;
use hooks_nats::NatsJobs;
use tempfile::TempDir;

pub(crate) struct Server {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl Server {
    /// `None` where there is no server to start, which `.ci/run` does not accept.
    pub(crate) fn start() -> Option<Self> {
        static SKIPPED: Once = Once::new();
        let folder = tempfile::tempdir().unwrap();
        let port = port();
        let Ok(process) = run(port, &folder) else {
            SKIPPED.call_once(|| {
                // Not captured, so that a gate can see it.
                let what =
                    "skipped: the tests of NATS need the program nats-server (Debian: apt-get install nats-server)";
                let mut stderr = std::io::stderr();
                writeln!(stderr, "{what}").unwrap();
            });
            return None;
        };
        let mut server = Self { process, port, folder };
        server.wait();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) async fn jobs(&self) -> NatsJobs {
        NatsJobs::connect(&self.url(), "desk").await.unwrap()
    }

    /// How many jobs the server has, and what it says about their consumers.
    pub(crate) async fn waiting(&self) -> (u64, Vec<jetstream::consumer::Info>) {
        let broker = jetstream::new(async_nats::connect(self.url()).await.unwrap());
        let stream = broker.get_stream("desk_jobs").await.unwrap();
        let consumers = stream.consumers().map(Result::unwrap).collect().await;
        (stream.cached_info().state.messages, consumers)
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }

    /// Starts it again, with the files of the one before.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.process = run(self.port, &self.folder).unwrap();
        self.wait();
    }

    /// Kills it, and starts it again without what it knew about the deliveries of a hook: it stores that a while later.
    pub(crate) fn forget(&mut self, hook: &str) {
        self.kill();
        let consumer = format!("jetstream/$G/streams/desk_jobs/obs/{hook}/o.dat");
        std::fs::remove_file(self.folder.path().join(consumer)).unwrap();
        self.restart();
    }

    /// Until this server, and nobody else, greets whoever connects.
    fn wait(&mut self) {
        let greets = |mut stream: TcpStream| stream.read_exact(&mut [0; 4]).is_ok();
        until("the server listens", || {
            assert!(self.process.try_wait().unwrap().is_none(), "the server at port {} has ended", self.port);
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok_and(greets)
        });
    }
}

/// A port that stays free while a server restarts: below those that the system gives to whoever asks for any, such as a
/// `Wire`.
fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = u16::try_from(std::process::id() % 10_000).unwrap();
    let mut ports = std::iter::repeat_with(|| 20_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000);
    ports.find(|&port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()).unwrap()
}

fn run(port: u16, folder: &TempDir) -> std::io::Result<Child> {
    // Debian installs it where only root looks.
    let path = format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default());
    let port = port.to_string();
    let program = std::env::split_paths(&path).map(|folder| folder.join("nats-server")).find(|file| file.exists());
    Command::new(program.ok_or(std::io::ErrorKind::NotFound)?)
        .args(["--addr", "127.0.0.1", "--port", &port, "--jetstream", "--store_dir"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .spawn()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A way to a server whose connections can be cut, or go dead at a certain message of a client.
pub(crate) struct Wire {
    pub(crate) url: String,
    open: Arc<Mutex<Vec<TcpStream>>>,
    trap: Arc<Mutex<Option<Trap>>>,
}

/// The message of a client at which its connection goes dead: it stays open, and nothing gets through any more.
struct Trap {
    /// The beginning of its subject, and a part of its payload.
    message: (&'static str, &'static str),
    /// Whether the server still gets this message.
    passes: bool,
    sprung: mpsc::Sender<()>,
}

/// Set when a connection goes dead, and told when the server has got what it gets.
type Dead = Arc<OnceLock<mpsc::Sender<()>>>;

impl Wire {
    pub(crate) fn to(server: &Server) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
        let wire = Self { url, open: Arc::default(), trap: Arc::default() };
        let (open, trap) = (Arc::clone(&wire.open), Arc::clone(&wire.trap));
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(to) else { continue };
                let ends = || (near.try_clone().unwrap(), far.try_clone().unwrap());
                let (dead, trap) = (Dead::default(), Arc::clone(&trap));
                let ((client, mut server), answered) = (ends(), Arc::clone(&dead));
                thread::spawn(move || {
                    let _ = messages(client, &server, &dead, &trap);
                    let _ = server.flush().and_then(|()| server.shutdown(Shutdown::Both));
                });
                let (mut client, server) = ends();
                thread::spawn(move || {
                    let _ = answers(server, &client, &answered);
                    let _ = client.flush().and_then(|()| client.shutdown(Shutdown::Both));
                });
                open.lock().unwrap().push(near);
            }
        });
        wire
    }

    pub(crate) fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets the next connection go dead at a message, before or after the server gets it. The result is told when.
    pub(crate) fn trap(&self, message: (&'static str, &'static str), passes: bool) -> mpsc::Receiver<()> {
        let (sprung, told) = mpsc::channel();
        *self.trap.lock().unwrap() = Some(Trap { message, passes, sprung });
        told
    }
}

/// Passes on what a client sends.
fn messages(client: TcpStream, mut server: &TcpStream, dead: &Dead, trap: &Mutex<Option<Trap>>) -> std::io::Result<()> {
    let mut client = BufReader::new(client);
    let mut sent = Vec::new();
    while client.read_until(b'\n', &mut sent)? > 0 {
        let line = String::from_utf8_lossy(&sent).into_owned();
        let mut passes = dead.get().is_none();
        if let ["PUB" | "HPUB", subject, .., size] = line.split_whitespace().collect::<Vec<_>>()[..] {
            sent.resize(sent.len() + size.parse::<usize>().unwrap() + 2, 0);
            client.read_exact(&mut sent[line.len()..])?;
            let payload = String::from_utf8_lossy(&sent[line.len()..]);
            let is_it = |trap: &mut Trap| subject.starts_with(trap.message.0) && payload.contains(trap.message.1);
            if let Some(trap) = trap.lock().unwrap().take_if(is_it).filter(|_| passes) {
                dead.set(trap.sprung).unwrap();
                if !trap.passes {
                    sent.clear();
                }
                // Answered when the server has got what was sent before.
                sent.extend_from_slice(b"PING\r\n");
                passes = true;
            }
        }
        if passes {
            server.write_all(&sent)?;
        }
        sent.clear();
    }
    Ok(())
}

/// Passes on what a server sends.
fn answers(mut server: TcpStream, mut client: &TcpStream, dead: &Dead) -> std::io::Result<()> {
    let mut sent = [0; 1 << 13];
    loop {
        let sent = match server.read(&mut sent)? {
            0 => return Ok(()),
            size => &sent[..size],
        };
        match dead.get() {
            None => client.write_all(sent)?,
            Some(sprung) if sent.windows(4).any(|word| word == b"PONG") => drop(sprung.send(())),
            Some(_) => {}
        }
    }
}

/// Waits for a condition that processes bring about.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "it never happened: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
