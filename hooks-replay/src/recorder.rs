//! Writing a recording: an observer hands each dispatch to a thread that removes secrets, cuts, and writes.

mod sharing;
mod turns;
mod writer;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use hooks_core::record::{Observer, Record, Trace};
use serde_json::Value;

pub(crate) use sharing::Sharing;
use writer::Writer;

use crate::line::{self, TurnLine};
use crate::secrets::OwnRule;

/// How large a recording may become. A limit that is met is noted in the line, or in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordLimits {
    /// Bytes of one text. A longer one is cut.
    pub field: usize,
    /// Bytes of a turn. Of one that has more, the rest is left out.
    pub turn: u64,
    /// Bytes of a file, after which the next one begins.
    pub file: u64,
    /// Files that are kept beside the one that is written; older ones are removed.
    pub files: usize,
    /// Dispatches that may wait to be written. What comes while that many wait is dropped, and counted in the file.
    pub queue: usize,
}

impl Default for RecordLimits {
    /// 16 KiB a field, 4 MiB a turn, 64 MiB a file, four files beside it, 1,024 dispatches that wait.
    fn default() -> Self {
        Self { field: line::field(), turn: 4 << 20, file: 64 << 20, files: 4, queue: 1024 }
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
    Write(Box<Trace>),
    #[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "only the loop knows turns"))]
    Turn(Box<TurnLine>, Inputs),
    Flush(SyncSender<()>),
}

/// Writes what a turn took from outside of its hooks, on the recorder's thread.
type Inputs = Box<dyn FnOnce() -> Value + Send>;

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

impl Recorder {
    /// A listener that writes each turn of a harness, so that it can be replayed:
    /// `harness.on_inputs(recorder.turns())`.
    #[cfg(feature = "agent")]
    pub fn turns(
        &self,
    ) -> impl Fn(&hooks_core::HookContext, hooks_agent::inputs::TurnInputs, &hooks_agent::Reply)
    + Send
    + Sync
    + 'static
    + use<> {
        let recorder = self.clone();
        move |cx, inputs, reply| {
            if cx.is_replay() {
                return;
            }
            let ids = (**cx.ids()).clone();
            let (exit, reply) = (reply.exit.to_string(), reply.to_string());
            let line = TurnLine { ids, exit, reply, ..TurnLine::default() };
            // It is a struct of data: nothing of it is code of the app that could fail.
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
        // A program that records may replay its own recording.
        if trace.replay {
            return;
        }
        self.send(Task::Write(Box::new(trace.clone())));
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
