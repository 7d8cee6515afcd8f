//! Writes a recording: an observer sends each dispatch to a thread that redacts, truncates and writes it.

mod sharing;
mod turns;
mod writer;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use hook_sdk::record::{Observer, Record, Trace};
use serde_json::Value;

pub(crate) use sharing::SharedValues;
use writer::Writer;

use crate::line::{self, TurnLine};
use crate::secrets::OwnRule;

/// Limits of the size of a recording. When a limit is reached, that is noted in the line or in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordLimits {
    /// The maximum number of bytes of a text. A longer one is truncated.
    pub field: usize,
    /// The maximum number of bytes of a turn. Further dispatches are not recorded.
    pub turn: u64,
    /// The number of bytes of a file after which the next one begins.
    pub file: u64,
    /// The number of previous files that are kept. Older ones are deleted.
    pub files: usize,
    /// The number of dispatches that can wait to be written. Further ones are dropped and counted in the file.
    pub queue: usize,
}

impl Default for RecordLimits {
    /// 16 KiB per text, 4 MiB per turn, 64 MiB per file, four previous files, and a queue of 1,024 dispatches.
    fn default() -> Self {
        Self { field: line::field(), turn: 4 << 20, file: 64 << 20, files: 4, queue: 1024 }
    }
}

/// An observer that writes each dispatch to a file, as a line of JSON.
///
/// Register it with [`Registry::observe`](hook_sdk::Registry::observe) before hook sets are created. Dispatches of
/// kinds that cannot be serialised are not recorded. Secrets are removed with `hooks-secrets` before
/// anything is written. This happens on a separate thread. [`flush`](Self::flush) waits for it, and so does dropping
/// the last clone.
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    /// Taken when the recorder is dropped, which ends the thread.
    queue: Option<SyncSender<Task>>,
    dropped: Arc<AtomicU64>,
    failure: Arc<OnceLock<String>>,
    thread: Option<JoinHandle<()>>,
}

enum Task {
    /// A dispatch, and when it ended.
    Write(Box<Trace>, u64),
    #[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "only the loop knows turns"))]
    Turn(Box<TurnLine>, Inputs),
    Flush(SyncSender<()>),
}

/// Serialises the inputs of a turn on the recorder's thread.
type Inputs = Box<dyn FnOnce() -> Value + Send>;

impl Recorder {
    /// Creates a recorder that appends to the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: impl Into<PathBuf>, program: &str, limits: RecordLimits) -> io::Result<Self> {
        Self::with_rules(path, program, limits, Vec::new())
    }

    /// Like [`create`](Self::create), with additional redaction rules. Each returns the redacted text, or `None` if
    /// there is nothing to redact.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn with_rules(
        path: impl Into<PathBuf>,
        program: &str,
        limits: RecordLimits,
        rules: Vec<OwnRule>,
    ) -> io::Result<Self> {
        // Unless the app has installed its own.
        hook_sdk::record::set_redactor(hooks_secrets::redact);
        let failure = Arc::new(OnceLock::new());
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let mut writer = Writer::new(path.into(), program.to_owned(), limits, rules, counted, Arc::clone(&failure))?;
        let (queue, tasks) = sync_channel(limits.queue.max(1));
        let thread = std::thread::Builder::new().name("hooks-recorder".to_owned()).spawn(move || writer.run(&tasks))?;
        Ok(Self(Arc::new(Inner { queue: Some(queue), dropped, failure, thread: Some(thread) })))
    }

    /// Blocks until all dispatches so far have been written.
    pub fn flush(&self) {
        let (done, wait) = sync_channel(1);
        if self.0.queue.as_ref().is_some_and(|queue| queue.send(Task::Flush(done)).is_ok()) {
            // The writer has ended only if the program is ending.
            let _ = wait.recv();
        }
    }

    /// Why the recording is incomplete: the first write that failed so far, as on a full disk.
    pub fn failure(&self) -> Option<&str> {
        self.0.failure.get().map(String::as_str)
    }
}

impl Recorder {
    /// Returns a listener that records each turn of a harness, so that it can be replayed:
    /// `harness.on_inputs(recorder.turns())`.
    #[cfg(feature = "agent")]
    pub fn turns(
        &self,
    ) -> impl Fn(&hook_sdk::HookContext, hooks_agent::inputs::TurnInputs, &hooks_agent::Reply) + Send + Sync + 'static + use<>
    {
        let recorder = self.clone();
        move |cx, inputs, of| {
            if cx.is_replay() {
                return;
            }
            let ids = (**cx.ids()).clone();
            let (exit, reply) = (of.exit.to_string(), of.to_string());
            let (time, usage) = (inputs.time, Some(of.usage));
            let line = TurnLine { ids, exit, reply, at: time.at, micros: time.micros, usage, ..TurnLine::default() };
            // The inputs are plain data, so serialising them cannot fail.
            let inputs = Box::new(move || serde_json::to_value(inputs).unwrap_or_default());
            recorder.send(Task::Turn(Box::new(line), inputs));
        }
    }

    fn send(&self, task: Task) {
        let Some(queue) = &self.0.queue else { return };
        if queue.try_send(task).is_err() {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Observer for Recorder {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        // A program that records may also replay its recording.
        if trace.replay {
            return;
        }
        self.send(Task::Write(Box::new(trace.clone()), line::now()));
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
