//! A client over the standard streams of a process.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// A program that `cargo test` has built with this one.
pub(crate) fn example(name: &str) -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.parent().unwrap().join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

/// The server of the tests.
pub(crate) fn everything() -> Command {
    Command::new(example("everything"))
}

/// The same behind a guard with compiled hooks.
pub(crate) fn guarded(server: &Command) -> Command {
    let mut command = Command::new(example("guards"));
    command.args(["--name", "desk", "--"]).arg(server.get_program()).args(server.get_args());
    command
}

pub(crate) struct Peer {
    process: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
}

impl Peer {
    pub(crate) fn start(mut command: Command) -> Self {
        Self::start_with(&mut command, Stdio::piped())
    }

    pub(crate) fn start_with(command: &mut Command, stderr: Stdio) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).unwrap() > 0 {
                let _ = sender.send(std::mem::take(&mut line));
            }
        });
        // What nobody reads would stop a server.
        if let Some(mut stderr) = process.stderr.take() {
            thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        }
        Self { stdin: process.stdin.take(), process, lines }
    }

    /// Starts and greets.
    pub(crate) fn greeted(mut command: Command) -> Self {
        Self::greeted_with(&mut command, Stdio::piped())
    }

    pub(crate) fn greeted_with(command: &mut Command, stderr: Stdio) -> Self {
        let mut peer = Self::start_with(command, stderr);
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        peer.request(&json!("hello"), "initialize", &hello);
        peer.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        peer
    }

    pub(crate) fn send(&mut self, line: &[u8]) {
        self.write(&[line, b"\n"].concat());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        // Whoever has ended does not read.
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    pub(crate) fn line(&self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(Duration::from_secs(30)) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line within 30 seconds"),
        }
    }

    pub(crate) fn next(&self) -> Value {
        serde_json::from_slice(&self.line().expect("a line before the end")).unwrap()
    }

    pub(crate) fn request(&mut self, id: &Value, method: &str, params: &Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes());
        let answer = self.next();
        assert_eq!(answer["id"], *id, "{answer}");
        answer
    }

    /// The result of a call.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request(&json!(7), "tools/call", &json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// What is left, and how the program ended, while the client has not closed its side.
    pub(crate) fn end_without_closing(mut self) -> (Vec<Vec<u8>>, ExitStatus) {
        let rest = std::iter::from_fn(|| self.line()).collect();
        (rest, self.process.wait().unwrap())
    }

    /// What is left when the client has closed its side, and how the program ended.
    pub(crate) fn end(mut self) -> (Vec<Vec<u8>>, ExitStatus) {
        drop(self.stdin.take());
        let rest = std::iter::from_fn(|| self.line()).collect();
        (rest, self.process.wait().unwrap())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}
