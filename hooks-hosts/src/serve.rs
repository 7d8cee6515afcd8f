//! A server that has the hooks loaded, and a client that a host starts: the same answers, without building the hooks.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use hook_sdk::context::ConversationStates;
use serde::{Deserialize, Serialize};

use crate::answer::HostAnswer;
use crate::call::{BuildError, Judge, STACK, unloaded};
use crate::hosts;
use crate::respond::{Request, Responder};

/// How long the server waits for a client that has connected.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a client asks, in one line before the payload.
#[derive(Serialize, Deserialize)]
struct Asked {
    host: String,
    event: Option<String>,
    /// The variables of the client that tell hosts apart.
    env: Vec<String>,
    /// How long the client waits.
    millis: u64,
    /// The hooks that the client wants: its options, and the file of its program.
    options: Vec<String>,
    build: String,
}

/// The variables that a host may look at.
const ENV: &[&str] = &["COPILOT_CLI", "CURSOR_VERSION", "DROID_PROJECT_DIR", "GROK_WORKSPACE_ROOT"];

/// What a server answers with, and builds anew when what it was built from has changed.
pub(crate) struct Hooks {
    pub(crate) build: Box<dyn Fn() -> Result<Responder, BuildError> + Send + Sync>,
    /// What the hooks are built from.
    pub(crate) sources: Box<dyn Fn() -> Vec<u8> + Send + Sync>,
    pub(crate) options: Vec<String>,
}

impl Hooks {
    fn responder(&self, kept: &Mutex<Kept>) -> Result<Responder, BuildError> {
        // Read before the hooks are built: a change in between is seen by the next call.
        let sources = (self.sources)();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, responder)) = kept.built.as_ref().filter(|(from, _)| *from == sources) {
            return Ok(responder.clone());
        }
        kept.built = None;
        let responder = (self.build)().map_err(unloaded)?.remembering().going_on(&kept.states);
        kept.built = Some((sources, responder.clone()));
        Ok(responder)
    }
}

/// What a server keeps between calls.
#[derive(Default)]
struct Kept {
    /// The hooks, and what they were built from.
    built: Option<(Vec<u8>, Responder)>,
    /// What all of them have kept for conversations.
    states: Arc<ConversationStates>,
}

/// The file of the program, which is another one after a new build.
pub(crate) fn build_of_program() -> String {
    let meta = std::env::current_exe().and_then(fs::metadata);
    meta.map(|meta| format!("{} {:?}", meta.len(), meta.modified().ok())).unwrap_or_default()
}

/// Answers clients with these hooks, until the process ends.
///
/// # Errors
/// The hooks cannot be built, or the socket cannot be bound. One that a dead server has left is replaced.
pub(crate) fn serve(socket: &Path, hooks: Hooks, listens: impl FnOnce()) -> Result<(), BuildError> {
    let build = build_of_program();
    let kept = Mutex::default();
    hooks.responder(&kept)?;
    let listener = bind(socket)?;
    listens();
    let server = Arc::new((hooks, kept, build));
    for stream in listener.incoming() {
        // Without descriptors for a while, it serves those that it has.
        let Ok(stream) = stream else {
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        let server = Arc::clone(&server);
        // A call that panics ends its thread; its client hears nothing, and refuses.
        let attended = thread::Builder::new().stack_size(STACK).spawn(move || {
            let (hooks, kept, build) = &*server;
            drop(attend(hooks, kept, build, stream));
        });
        drop(attended);
    }
    Ok(())
}

/// Answers the one client at standard input, and ends when the hooks that nobody waits for have ended.
pub(crate) fn serve_once(hooks: &Hooks) -> Result<(), BuildError> {
    let stream = io::stdin().as_fd().try_clone_to_owned()?.into();
    attend(hooks, &Mutex::default(), &build_of_program(), stream)
}

/// Only the person may connect.
fn bind(socket: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = socket.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::symlink_metadata(socket).is_ok_and(|meta| meta.file_type().is_socket()) {
        if UnixStream::connect(socket).is_ok() {
            return Err(io::Error::other(
                "another `serve` listens there; give it the options of both, such as `--rules`, or use another `--socket`",
            ));
        }
        fs::remove_file(socket)?;
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn attend(hooks: &Hooks, kept: &Mutex<Kept>, build: &str, mut stream: UnixStream) -> Result<(), BuildError> {
    let started = Instant::now();
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let line = bytes.iter().position(|byte| *byte == b'\n').ok_or("the client broke off")?;
    let asked: Asked = serde_json::from_slice(&bytes[..line])?;
    let host = hosts::find(&asked.host).ok_or("no such host")?;
    let env = |name: &str| asked.env.iter().any(|known| known == name);
    let mut request = Request::new(host, &bytes[line + 1..]).env(&env);
    request.event = asked.event.as_deref();
    let responder = if asked.build != build {
        Err("the program was built anew; start its server again".into())
    } else if let Some(option) = asked.options.iter().find(|option| !hooks.options.contains(option)) {
        Err(format!("the server was started without `{option}`").into())
    } else {
        hooks.responder(kept)
    };
    let until = started + Duration::from_millis(asked.millis);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = match &responder {
        Ok(responder) => {
            runtime.block_on(async { tokio::time::timeout_at(until.into(), responder.respond(&request)).await })?
        }
        Err(problem) => request.refused(&problem.to_string()),
    };
    stream.write_all(&serde_json::to_vec(&answer)?)?;
    // Another descriptor of it may be open.
    stream.shutdown(Shutdown::Both)?;
    if let Ok(responder) = responder {
        // The host has its answer and does not wait for these.
        runtime.block_on(responder.drain());
    }
    Ok(())
}

/// The hooks of another process.
pub(crate) struct Remote {
    pub(crate) server: Server,
    pub(crate) options: Vec<String>,
}

/// Who has them loaded.
pub(crate) enum Server {
    /// The server at a socket.
    At(PathBuf),
    /// This program with these arguments, started for one call. The host waits for the client alone.
    Once(Vec<String>),
}

impl Server {
    fn connect(&self) -> io::Result<(UnixStream, Option<Child>)> {
        let args = match self {
            Self::At(socket) => return Ok((UnixStream::connect(socket)?, None)),
            Self::Once(args) => args,
        };
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(std::env::current_exe()?);
        // A host that ends the group of its hooks does not end what they have left behind.
        command.args(args).process_group(0).stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok((ours, Some(command.spawn()?)))
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(socket) => write!(f, "the server at {}", socket.display()),
            Self::Once(_) => f.write_str("the process of the hooks"),
        }
    }
}

impl Judge for Remote {
    fn answer(self, request: &Request<'_>, until: Instant, say: &dyn Fn(HostAnswer)) -> Result<(), BuildError> {
        let rest = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let asked = Asked {
            host: request.host.name.to_owned(),
            event: request.event.map(str::to_owned),
            env: ENV.iter().filter(|name| (request.env)(name)).map(|name| (*name).to_owned()).collect(),
            millis: u64::try_from(rest.as_millis()).unwrap_or(u64::MAX),
            options: self.options,
            build: build_of_program(),
        };
        let (mut stream, child) =
            self.server.connect().map_err(|error| format!("{} does not answer: {error}", self.server))?;
        let mut exchange = || -> io::Result<Vec<u8>> {
            stream.set_read_timeout(Some(rest))?;
            let mut line = serde_json::to_vec(&asked)?;
            line.push(b'\n');
            stream.write_all(&line)?;
            stream.write_all(request.stdin)?;
            stream.shutdown(Shutdown::Write)?;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = exchange().map_err(|error| {
            let _ = child.map(|mut child| child.kill());
            format!("{} does not answer: {error}", self.server)
        })?;
        say(serde_json::from_slice(&bytes).map_err(|_| format!("{} broke off", self.server))?);
        Ok(())
    }
}

/// The runtime folder of the person, or else that of the log.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).or_else(crate::journal::folder)
}
