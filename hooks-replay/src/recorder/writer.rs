//! The thread that redacts, truncates and writes.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

use hook_sdk::data::{Message, MessagePool};
use hook_sdk::record::Trace;
use serde_json::Value;

use super::sharing::SharedValues;
use super::turns::{Room, Turns};
use super::{Inputs, RecordLimits, Task};
use crate::clean::{Cleaner, Redaction};
use crate::line::{Header, RecordingLine, TurnLine};
use crate::messages::{self, MessageIds};
use crate::refs::SharedId;
use crate::secrets::OwnRule;

/// The state of the thread.
pub(super) struct Writer {
    path: PathBuf,
    program: String,
    limits: RecordLimits,
    cleaner: Cleaner,
    ids: MessageIds,
    sharing: SharedValues,
    file: BufWriter<File>,
    written: u64,
    turns: Turns,
    /// The first failure of a write. It is reported once.
    failure: Arc<OnceLock<String>>,
}

impl Writer {
    pub(super) fn new(
        path: PathBuf,
        program: String,
        limits: RecordLimits,
        rules: Vec<OwnRule>,
        failure: Arc<OnceLock<String>>,
    ) -> io::Result<Self> {
        if std::fs::metadata(&path).is_ok_and(|file| file.len() >= limits.file) {
            rotate(&path, limits.files)?;
        }
        let (file, written) = open(&path)?;
        let mut writer = Self {
            path,
            program,
            limits,
            cleaner: Cleaner::new(rules.into(), limits.field),
            ids: MessageIds::default(),
            sharing: SharedValues::new(),
            file,
            written,
            turns: Turns::default(),
            failure,
        };
        writer.header();
        Ok(writer)
    }

    pub(super) fn run(&mut self, tasks: &Receiver<Task>, dropped: &AtomicU64) {
        loop {
            let task = tasks.try_recv().or_else(|_| {
                // The queue is empty, so flush before the thread sleeps.
                self.flush();
                tasks.recv()
            });
            let count = dropped.swap(0, Ordering::Relaxed);
            if count > 0 {
                self.make_room();
                self.line(RecordingLine::Dropped { count });
            }
            match task {
                Ok(Task::Write(trace, ended)) => self.dispatch(*trace, ended),
                Ok(Task::Turn(line, inputs)) => self.turn(line, inputs),
                Ok(Task::Flush(done)) => {
                    self.flush();
                    let _ = done.send(());
                }
                Err(_) => return self.flush(),
            }
        }
    }

    fn dispatch(&mut self, trace: Trace, ended: u64) {
        self.make_room();
        let mut fresh = HashMap::new();
        let sharing = &self.sharing;
        let mut line =
            self.ids.line(trace, &mut self.cleaner, &mut |id, message| note(&mut fresh, sharing, id, message));
        line.at = ended.saturating_sub(line.micros);
        self.cleaner.line(&mut line);
        let request = line.ids.request.clone();
        let Some(bytes) = self.bytes(&mut RecordingLine::Dispatch(Box::new(line)), &fresh) else { return };
        match request.as_ref().map(|request| self.turns.add(request, bytes.len() as u64, self.limits.turn)) {
            None | Some(Room::Left) => self.put(&bytes),
            Some(Room::JustFilled) => self.line(RecordingLine::Full { request }),
            Some(Room::Full) => {}
        }
    }

    fn turn(&mut self, mut line: Box<TurnLine>, inputs: Inputs) {
        self.make_room();
        let size = line.ids.request.as_ref().map(|request| self.turns.end(request)).unwrap_or_default();
        line.dispatches = size.dispatches;
        let (mut fresh, mut pool) = (HashMap::new(), MessagePool::default());
        let inputs = pool.within(inputs);
        let sharing = &self.sharing;
        let seen = &mut |id, message: &Message| note(&mut fresh, sharing, id, message);
        let (inputs, left) = self.ids.value(inputs, &pool, &mut self.cleaner, seen);
        line.inputs = inputs;
        left.mark(&mut line.marks);
        self.cleaner.turn(&mut line);
        let mut whole = RecordingLine::Turn(line.clone());
        let Some(bytes) = self.bytes(&mut whole, &fresh) else { return };
        if size.bytes + bytes.len() as u64 <= self.limits.turn {
            return self.put(&bytes);
        }
        line.inputs = Value::Null;
        Redaction { cut: true, ..Redaction::default() }.mark(&mut line.marks);
        self.line(RecordingLine::Turn(line));
    }

    /// Starts the next file if this one is full.
    fn make_room(&mut self) {
        if self.written > 0 && self.written >= self.limits.file {
            self.next_file();
        }
    }

    fn next_file(&mut self) {
        let next =
            self.file.flush().and_then(|()| rotate(&self.path, self.limits.files)).and_then(|()| open(&self.path));
        match next {
            Ok((file, written)) => {
                (self.file, self.written) = (file, written);
                self.sharing.next_file();
                self.header();
            }
            Err(error) => self.report(Err(error)),
        }
    }

    fn header(&mut self) {
        self.line(RecordingLine::Header(Header::new(&self.program, self.limits.field)));
        self.flush();
    }

    fn line(&mut self, mut line: RecordingLine) {
        if let Some(bytes) = self.bytes(&mut line, &HashMap::new()) {
            self.put(&bytes);
        }
    }

    /// The bytes of a line, with what it shares.
    fn bytes(&mut self, line: &mut RecordingLine, messages: &HashMap<SharedId, Message>) -> Option<Vec<u8>> {
        let cleaner = &mut self.cleaner;
        let mut message = |id| messages.get(&id).map(|message| messages::written(message, cleaner).0);
        let bytes = self.sharing.bytes(line, &mut message).map_err(io::Error::from);
        bytes.map_err(|error| self.report(Err(error))).ok()
    }

    /// Writes the last bytes.
    fn put(&mut self, bytes: &[u8]) {
        self.sharing.written();
        self.written += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        self.report(written);
    }

    fn flush(&mut self) {
        let flushed = self.file.flush();
        self.report(flushed);
    }

    fn report(&mut self, outcome: io::Result<()>) {
        let Err(error) = outcome else { return };
        if self.failure.set(format!("{}: {error}", self.path.display())).is_ok() {
            tracing::error!(target: "hooks_replay", path = %self.path.display(), %error, "the recording cannot be written");
        }
    }
}

/// Keeps a message if the file may not contain it yet.
fn note(fresh: &mut HashMap<SharedId, Message>, sharing: &SharedValues, id: SharedId, message: &Message) {
    if !sharing.has_message(id) {
        fresh.entry(id).or_insert_with(|| message.clone());
    }
}

/// Opens the file for appending, and returns its size. Terminates an incomplete last line.
fn open(path: &Path) -> io::Result<(BufWriter<File>, u64)> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    {
        // Only the owner may read what people and tools said.
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

/// Renames `path` to `path.1`, that to `path.2`, and so on. The last one is deleted.
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
