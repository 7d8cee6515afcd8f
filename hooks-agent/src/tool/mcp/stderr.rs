//! Reads the standard error of a server.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;

/// The number of lines that are kept.
const LINES: usize = 5;
/// The number of characters of each line that are shown.
const CHARS: usize = 300;

type Lines = Arc<Mutex<VecDeque<String>>>;

/// The last lines that a server wrote. Reading continues after this is dropped, because a full pipe blocks the server.
pub(super) struct StderrTail {
    lines: Lines,
    reading: JoinHandle<()>,
}

impl StderrTail {
    /// Reads `from` to its end and logs it.
    pub(super) fn read(from: ChildStderr, server: String) -> Self {
        let lines = Lines::default();
        let reading = tokio::spawn(log(from, server, Arc::clone(&lines)));
        Self { lines, reading }
    }

    /// The last lines of a server that has exited, as a suffix of an error message. Empty if it wrote nothing.
    pub(super) async fn last_words(self) -> String {
        // Children of the server can keep the pipe open.
        let _ = tokio::time::timeout(Duration::from_millis(500), self.reading).await;
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        if lines.is_empty() { String::new() } else { format!("; its last output: {}", lines.join("\n")) }
    }
}

async fn log(from: ChildStderr, server: String, lines: Lines) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        tracing::debug!(server, "{text}");
        if !text.is_empty() {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push_back(text.chars().take(CHARS).collect());
            let over = lines.len().saturating_sub(LINES);
            lines.drain(..over);
        }
        line.clear();
    }
}
