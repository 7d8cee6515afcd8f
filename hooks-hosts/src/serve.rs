//! A server that has the hooks loaded, and a client that a host starts: the same answers, without building the hooks.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::{HostAnswer, Stdout};
use crate::call::{BuildError, Judge};
use crate::hosts;
use crate::respond::{Request, Responder};

/// How long the server waits for a client that has connected.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
struct Asked {
    host: String,
    #[serde(default)]
    event: Option<String>,
    /// The variables of the client that tell hosts apart.
    env: Vec<String>,
    stdin: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Answered {
    exit: u8,
    json: Option<Value>,
    text: Option<String>,
    stderr: Option<String>,
    warnings: Vec<String>,
    failure: Option<String>,
}

/// The variables that a host may look at.
const ENV: &[&str] = &["COPILOT_CLI", "CURSOR_VERSION", "DROID_PROJECT_DIR", "GROK_WORKSPACE_ROOT"];

/// Answers clients with these hooks, until the process ends.
///
/// # Errors
/// The socket cannot be bound. One that a dead server has left is replaced.
pub(crate) fn serve(socket: &Path, responder: Responder, listens: impl FnOnce()) -> io::Result<()> {
    let listener = bind(socket)?;
    listens();
    let responder = Arc::new(responder);
    for stream in listener.incoming() {
        let responder = Arc::clone(&responder);
        let stream = stream?;
        // A call that panics ends its thread; its client hears nothing, and refuses.
        thread::spawn(move || drop(attend(&responder, stream)));
    }
    Ok(())
}

/// Only the person may connect.
fn bind(socket: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = socket.parent() {
        fs::create_dir_all(folder)?;
    }
    let is_dead = fs::symlink_metadata(socket).is_ok_and(|meta| meta.file_type().is_socket())
        && UnixStream::connect(socket).is_err();
    if is_dead {
        fs::remove_file(socket)?;
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn attend(responder: &Responder, mut stream: UnixStream) -> Result<(), BuildError> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let asked: Asked = serde_json::from_slice(&bytes)?;
    let host = hosts::find(&asked.host).ok_or("no such host")?;
    let env = |name: &str| asked.env.iter().any(|known| known == name);
    let mut request = Request::new(host, &asked.stdin).env(&env);
    request.event = asked.event.as_deref();
    let answer = responder.respond_blocking(&request)?;
    let (json, text) = match answer.stdout {
        Stdout::Nothing => (None, None),
        Stdout::Json(value) => (Some(value), None),
        Stdout::Text(text) => (None, Some(text)),
    };
    let HostAnswer { exit, stderr, warnings, failure, .. } = answer;
    stream.write_all(&serde_json::to_vec(&Answered { exit, json, text, stderr, warnings, failure })?)?;
    Ok(())
}

/// The hooks of a server.
pub(crate) struct Remote(pub(crate) PathBuf);

impl Judge for Remote {
    fn answer(self, request: &Request<'_>, until: Instant, say: &dyn Fn(HostAnswer)) -> Result<(), BuildError> {
        let server = |error: io::Error| format!("the server at {} does not answer: {error}", self.0.display());
        let asked = Asked {
            host: request.host.table().name.to_owned(),
            event: request.event.map(str::to_owned),
            env: ENV.iter().filter(|name| (request.env)(name)).map(|name| (*name).to_owned()).collect(),
            stdin: request.stdin.to_owned(),
        };
        let mut stream = UnixStream::connect(&self.0).map_err(server)?;
        let rest = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(rest)).map_err(server)?;
        stream.write_all(&serde_json::to_vec(&asked)?).map_err(server)?;
        stream.shutdown(Shutdown::Write).map_err(server)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(server)?;
        let answered: Answered =
            serde_json::from_slice(&bytes).map_err(|_| format!("the server at {} broke off", self.0.display()))?;
        let Answered { exit, json, text, stderr, warnings, failure } = answered;
        let stdout = json.map(Stdout::Json).or(text.map(Stdout::Text)).unwrap_or_default();
        say(HostAnswer { exit, stdout, stderr, warnings, failure });
        Ok(())
    }
}

/// The socket of a program, unless another is named: in the runtime folder of the person.
pub(crate) fn default_socket(program: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).or_else(crate::journal::folder)?;
    Some(folder.join(format!("hooks-{program}.sock")))
}
