//! A server of one test, which can be killed without any effect on other tests.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

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
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
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
        let server = Self { process, port, folder };
        server.wait();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) async fn jobs(&self) -> NatsJobs {
        NatsJobs::connect(&self.url(), "desk").await.unwrap()
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again, with the files of the one before.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.process = run(self.port, &self.folder).unwrap();
        self.wait();
    }

    fn wait(&self) {
        until("the server listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok());
    }
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

/// A way to a server whose connections can be cut.
pub(crate) struct Wire {
    pub(crate) url: String,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    pub(crate) fn to(server: &Server) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let (open, to) =
            (Arc::<Mutex<Vec<TcpStream>>>::default(), SocketAddr::from((Ipv4Addr::LOCALHOST, server.port)));
        let cuttable = Arc::clone(&open);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(to) else { continue };
                for (mut from, mut to) in
                    [(&near, &far), (&far, &near)].map(|(a, b)| (a.try_clone().unwrap(), b.try_clone().unwrap()))
                {
                    thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(std::net::Shutdown::Both);
                    });
                }
                cuttable.lock().unwrap().push(near);
            }
        });
        Self { url, open }
    }

    pub(crate) fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
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
