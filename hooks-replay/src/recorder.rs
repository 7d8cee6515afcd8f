//! Writing a recording: an observer hands each dispatch to a thread that removes secrets, cuts, and writes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use hooks_core::record::{Observer, Record, Trace};
use serde_json::Value;

use crate::line::{self, DispatchLine, Header, Line, Mark};
use crate::secrets::{OwnRule, scrub, scrub_text};

/// How large a recording may become. A limit that is met is noted in the line, or in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordLimits {
    /// Bytes of one text. A longer one is cut.
    pub field: usize,
    /// Bytes of a file, after which the next one begins.
    pub file: u64,
    /// Files that are kept beside the one that is written; older ones are removed.
    pub files: usize,
    /// Dispatches that may wait to be written. What comes while that many wait is dropped, and counted in the file.
    pub queue: usize,
}

impl Default for RecordLimits {
    /// 16 KiB a field, 64 MiB a file, four files beside it, 1,024 dispatches that wait.
    fn default() -> Self {
        Self { field: line::field(), file: 64 << 20, files: 4, queue: 1024 }
    }
}

/// An observer that writes each dispatch to a file, as a line of JSON.
///
/// Register it with [`Registry::observe`](hooks_core::Registry::observe) before the sets are made. Dispatches of kinds that
/// cannot be written as JSON are left out. Secrets are removed, by the rules that `secrets_scanner` brings, before anything
/// is written; that and the writing happen on a thread of its own. [`flush`](Self::flush) waits for it, and so does dropping
/// the last clone.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

struct Shared {
    /// Taken when the recorder is dropped, which ends the thread.
    queue: Option<SyncSender<Task>>,
    dropped: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

enum Task {
    Write(Box<DispatchLine>),
    Flush(SyncSender<()>),
}

impl Recorder {
    /// Begins a recording at `path`, behind what an earlier one left there.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: impl Into<PathBuf>, program: &str, limits: RecordLimits) -> io::Result<Self> {
        Self::with_rules(path, program, limits, Vec::new())
    }

    /// As [`create`](Self::create), with rules of the app's own for what must not be written: each gives a text without it,
    /// or `None` where there is none of it.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn with_rules(
        path: impl Into<PathBuf>,
        program: &str,
        limits: RecordLimits,
        rules: Vec<OwnRule>,
    ) -> io::Result<Self> {
        let mut writer = Writer::new(path.into(), program.to_owned(), limits, rules)?;
        let (queue, tasks) = sync_channel(limits.queue.max(1));
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let thread = std::thread::Builder::new()
            .name("hooks-recorder".to_owned())
            .spawn(move || writer.run(&tasks, &counted))?;
        Ok(Self(Arc::new(Shared { queue: Some(queue), dropped, thread: Some(thread) })))
    }

    /// Waits until everything that was dispatched so far is in the file. Blocks the thread.
    pub fn flush(&self) {
        let (done, wait) = sync_channel(1);
        if self.0.queue.as_ref().is_some_and(|queue| queue.send(Task::Flush(done)).is_ok()) {
            // The writer is gone only at the end of the program.
            let _ = wait.recv();
        }
    }
}

impl Observer for Recorder {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace<'_>) {
        // A program that records may replay its own recording.
        if trace.replay {
            return;
        }
        let Some(queue) = &self.0.queue else { return };
        if queue.try_send(Task::Write(Box::new(DispatchLine::of(trace)))).is_err() {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread holds.
struct Writer {
    path: PathBuf,
    program: String,
    limits: RecordLimits,
    rules: Vec<OwnRule>,
    file: BufWriter<File>,
    written: u64,
    /// Whether a write has failed, which is reported once.
    failed: bool,
}

impl Writer {
    fn new(path: PathBuf, program: String, limits: RecordLimits, rules: Vec<OwnRule>) -> io::Result<Self> {
        if std::fs::metadata(&path).is_ok_and(|file| file.len() >= limits.file) {
            rotate(&path, limits.files)?;
        }
        let (file, written) = open(&path)?;
        let mut writer = Self { path, program, limits, rules, file, written, failed: false };
        writer.header()?;
        Ok(writer)
    }

    fn run(&mut self, tasks: &Receiver<Task>, dropped: &AtomicU64) {
        loop {
            let task = tasks.try_recv().or_else(|_| {
                // Nothing waits: what is in the buffer goes to the file before the thread sleeps.
                self.flush();
                tasks.recv()
            });
            let count = dropped.swap(0, Ordering::Relaxed);
            if count > 0 {
                self.line(&Line::Dropped { count });
            }
            match task {
                Ok(Task::Write(line)) => self.dispatch(line),
                Ok(Task::Flush(done)) => {
                    self.flush();
                    let _ = done.send(());
                }
                Err(_) => return self.flush(),
            }
        }
    }

    fn dispatch(&mut self, mut line: Box<DispatchLine>) {
        clean(&mut line, &self.rules, self.limits.field);
        if self.written >= self.limits.file {
            self.next_file();
        }
        self.line(&Line::Dispatch(line));
    }

    fn next_file(&mut self) {
        let next =
            self.file.flush().and_then(|()| rotate(&self.path, self.limits.files)).and_then(|()| open(&self.path));
        match next {
            Ok((file, written)) => {
                (self.file, self.written) = (file, written);
                let header = self.header();
                self.report(header);
            }
            Err(error) => self.report(Err(error)),
        }
    }

    fn header(&mut self) -> io::Result<()> {
        let header = Line::Header(Header::new(&self.program, self.limits.field));
        self.write(&header)?;
        self.file.flush()
    }

    fn line(&mut self, line: &Line) {
        let written = self.write(line);
        self.report(written);
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.written += bytes.len() as u64;
        self.file.write_all(&bytes)
    }

    fn flush(&mut self) {
        let flushed = self.file.flush();
        self.report(flushed);
    }

    fn report(&mut self, outcome: io::Result<()>) {
        let Err(error) = outcome else { return };
        if !std::mem::replace(&mut self.failed, true) {
            tracing::error!(target: "hooks_replay", path = %self.path.display(), %error, "the recording cannot be written");
        }
    }
}

/// The file, at its end, and how long it is. A line that was torn by the end of a program is ended.
fn open(path: &Path) -> io::Result<(BufWriter<File>, u64)> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    {
        // What people and tools said is for the owner alone.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    let mut written = file.metadata()?.len();
    if written > 0 {
        let mut last = [0];
        file.seek(io::SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
            written += 1;
        }
    }
    Ok((BufWriter::new(file), written))
}

/// Moves `path` to `path.1`, that to `path.2`, and so on; the last one is removed.
fn rotate(path: &Path, keep: usize) -> io::Result<()> {
    let numbered = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    if keep == 0 {
        return std::fs::remove_file(path);
    }
    for number in (1..keep).rev() {
        if numbered(number).exists() {
            std::fs::rename(numbered(number), numbered(number + 1))?;
        }
    }
    std::fs::rename(path, numbered(1))
}

/// Removes secrets from a line and cuts what is too long. A replayed line is cleaned in the same way before it is compared.
pub(crate) fn clean(line: &mut DispatchLine, rules: &[OwnRule], field: usize) {
    let (mut redacted, mut cut) = (false, false);
    let mut value = |value: &mut Value| {
        redacted |= scrub(value, rules);
        cut |= shorten(value, field);
    };
    value(&mut line.event);
    value(&mut line.subject);
    value(&mut line.verdict);
    for run in line.runs.iter_mut().flatten() {
        value(&mut run.verdict);
        if let Some(change) = &mut run.change {
            let mut operations = serde_json::to_value(&*change).unwrap_or_default();
            value(&mut operations);
            *change = serde_json::from_value(operations).unwrap_or_default();
        }
    }
    for text in line.runs.iter_mut().flatten().filter_map(|run| run.cause.as_mut()).chain(&mut line.error) {
        redacted |= scrub_text("", text, rules);
    }
    for (mark, is_so) in [(Mark::Cut, cut), (Mark::Redacted, redacted)] {
        if is_so && !line.marks.contains(&mark) {
            line.marks.push(mark);
        }
    }
}

/// Cuts every text to `limit` bytes. Returns whether one was longer.
fn shorten(value: &mut Value, limit: usize) -> bool {
    match value {
        Value::String(text) if text.len() > limit => {
            let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |any, item| shorten(item, limit) | any),
        Value::Object(fields) => fields.values_mut().fold(false, |any, item| shorten(item, limit) | any),
        _ => false,
    }
}
