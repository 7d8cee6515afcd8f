//! Reads the lines of files, whatever program wrote them, and counts the progress.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::line::RecordingLine;
use crate::lines::{LineError, read_line, without_mark};
use crate::reader::Entries;
use crate::traffic::{SourceLine, is_recording, traffic};

/// The progress of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of bytes read so far.
    pub read: u64,
    /// The size of all files. What is not a regular file counts as 0.
    pub total: u64,
}

/// The error of a replay as a whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    #[non_exhaustive]
    File {
        /// The file.
        path: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The lists of hooks are invalid.
    #[error(transparent)]
    Config(#[from] hook_sdk::ConfigError),
}

/// Several files in order.
pub(crate) struct Source {
    total: u64,
    read: Arc<AtomicU64>,
}

/// The lines of one file.
type SourceLines = Box<dyn Iterator<Item = (usize, SourceLine)> + Send>;

/// The size of a read.
const CHUNK: usize = 64 << 10;

impl Source {
    pub(crate) fn of<P: AsRef<Path>>(paths: &[P]) -> Self {
        let length = |path: &P| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
        Self { total: paths.iter().filter_map(length).sum(), read: Arc::default() }
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress { read: self.read.load(Ordering::Relaxed), total: self.total }
    }

    /// The lines of the file at `path`: a recording, or a transcript of another program, which is detected by its first
    /// lines. One of them may be damaged.
    pub(crate) fn lines(&self, path: &Path) -> Result<SourceLines, ReplayError> {
        let unreadable = |error| ReplayError::File { path: path.display().to_string(), error };
        if path.is_dir() {
            let help = "this is a folder; name the files in it, or use `hooks replay`, which looks for them";
            return Err(unreadable(io::Error::new(io::ErrorKind::IsADirectory, help)));
        }
        let file = File::open(path).map_err(unreadable)?;
        let mut input = BufReader::with_capacity(CHUNK, CountingReader { file, read: Arc::clone(&self.read) });
        let begin = match FileHead::read(&mut input) {
            Ok(begin) => begin,
            Err(error) => {
                let error = LineError::Io { line: 1, error };
                return Ok(Box::new(std::iter::once((1, SourceLine::Unreadable(error)))));
            }
        };
        if begin.is_no_json() || (begin.is_broken() && is_one_value(path)) {
            let error = if begin.is_array() { LineError::Array } else { LineError::NotLines };
            return Ok(Box::new(std::iter::once((1, SourceLine::Unreadable(error)))));
        }
        let is_recording = begin.first.as_ref().is_some_and(is_recording);
        let input = Cursor::new(begin.text).chain(input);
        Ok(if is_recording { Box::new(Entries::new(input).map(of_recording)) } else { Box::new(traffic(input)) })
    }
}

/// Yields to the runtime, so that the replay can be cancelled: hooks may never have to wait during a whole gigabyte.
pub(crate) async fn yield_sometimes(line: usize) {
    let mut waits = line.is_multiple_of(64);
    std::future::poll_fn(|cx| {
        if std::mem::take(&mut waits) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
}

/// Counts how much of a file was read.
struct CountingReader {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The lines up to the first JSON object, at most [`LOOK_AHEAD`] of them.
#[derive(Default)]
struct FileHead {
    text: Vec<u8>,
    first: Option<Value>,
    /// The number of lines before it that are neither empty nor JSON.
    broken: usize,
}

const LOOK_AHEAD: usize = 8;

impl FileHead {
    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut begin = Self::default();
        while begin.first.is_none() && begin.broken < LOOK_AHEAD {
            let start = begin.text.len();
            if read_line(input, &mut begin.text)? == 0 {
                break;
            }
            let line = &begin.text[start..];
            let line = if start == 0 { without_mark(line) } else { line };
            begin.first = serde_json::from_slice(line).ok().filter(Value::is_object);
            begin.broken += usize::from(begin.first.is_none() && !line.iter().all(u8::is_ascii_whitespace));
        }
        Ok(begin)
    }

    fn is_broken(&self) -> bool {
        self.broken > 0
    }

    /// Whether it begins like an array of messages.
    fn is_array(&self) -> bool {
        let items = without_mark(&self.text).trim_ascii_start().strip_prefix(b"[");
        items.is_some_and(|items| matches!(items.trim_ascii_start().first(), None | Some(b'{' | b']')))
    }

    /// Whether none of several lines is JSON. A single one may be a torn line.
    fn is_no_json(&self) -> bool {
        self.first.is_none() && self.broken > 1
    }
}

/// Whether the file is one JSON value on several lines, such as a rule file.
fn is_one_value(path: &Path) -> bool {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= 16 << 20);
    is_small && std::fs::read(path).is_ok_and(|text| serde_json::from_slice::<IgnoredAny>(&text).is_ok())
}

fn of_recording((number, line): (usize, Result<RecordingLine, LineError>)) -> (usize, SourceLine) {
    (number, line.map_or_else(SourceLine::Unreadable, SourceLine::Line))
}
