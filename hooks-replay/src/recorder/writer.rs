//! The thread that removes secrets, cuts, and writes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use serde_json::Value;

use super::clean::{clean, clean_turn, marked};
use super::turns::{Room, Turns};
use super::{RecordLimits, Task};
use crate::line::{DispatchLine, Header, Line, TurnLine};
use crate::secrets::{OwnRule, Scrubber};

/// What the thread holds.
pub(super) struct Writer {
    path: PathBuf,
    program: String,
    limits: RecordLimits,
    scrubber: Scrubber,
    file: BufWriter<File>,
    written: u64,
    turns: Turns,
    /// Whether a write has failed, which is reported once.
    failed: bool,
}

impl Writer {
    pub(super) fn new(path: PathBuf, program: String, limits: RecordLimits, rules: Vec<OwnRule>) -> io::Result<Self> {
        if std::fs::metadata(&path).is_ok_and(|file| file.len() >= limits.file) {
            rotate(&path, limits.files)?;
        }
        let (file, written) = open(&path)?;
        let turns = Turns::default();
        let mut writer =
            Self { path, program, limits, scrubber: Scrubber::new(rules.into()), file, written, turns, failed: false };
        writer.header();
        Ok(writer)
    }

    pub(super) fn run(&mut self, tasks: &Receiver<Task>, dropped: &AtomicU64) {
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
                Ok(Task::Write(trace)) => self.dispatch(DispatchLine::of(*trace)),
                Ok(Task::Turn(line, inputs)) => self.turn(line, inputs()),
                Ok(Task::Flush(done)) => {
                    self.flush();
                    let _ = done.send(());
                }
                Err(_) => return self.flush(),
            }
        }
    }

    fn dispatch(&mut self, line: DispatchLine) {
        let mut line = Box::new(line);
        clean(&mut line, &mut self.scrubber, self.limits.field);
        let request = line.ids.request.clone();
        let Some(bytes) = self.bytes(&Line::Dispatch(line)) else { return };
        match request.as_ref().map(|request| self.turns.add(request, bytes.len() as u64, self.limits.turn)) {
            None | Some(Room::Left) => self.put(&bytes),
            Some(Room::JustFilled) => self.line(&Line::Full { request }),
            Some(Room::Full) => {}
        }
    }

    fn turn(&mut self, mut line: Box<TurnLine>, inputs: Value) {
        let tally = line.ids.request.as_ref().map(|request| self.turns.end(request)).unwrap_or_default();
        (line.inputs, line.dispatches) = (inputs, tally.dispatches);
        clean_turn(&mut line, &mut self.scrubber, self.limits.field);
        let Some(bytes) = self.bytes(&Line::Turn(line.clone())) else { return };
        if tally.bytes + bytes.len() as u64 <= self.limits.turn {
            return self.put(&bytes);
        }
        line.inputs = Value::Null;
        marked(&mut line.marks, true, false);
        self.line(&Line::Turn(line));
    }

    fn next_file(&mut self) {
        let next =
            self.file.flush().and_then(|()| rotate(&self.path, self.limits.files)).and_then(|()| open(&self.path));
        match next {
            Ok((file, written)) => {
                (self.file, self.written) = (file, written);
                self.header();
            }
            Err(error) => self.report(Err(error)),
        }
    }

    fn header(&mut self) {
        self.line(&Line::Header(Header::new(&self.program, self.limits.field)));
        self.flush();
    }

    fn line(&mut self, line: &Line) {
        if let Some(bytes) = self.bytes(line) {
            self.put(&bytes);
        }
    }

    /// The line as it is written.
    fn bytes(&mut self, line: &Line) -> Option<Vec<u8>> {
        let bytes = serde_json::to_vec(line).map_err(io::Error::from).map(|mut bytes| {
            bytes.push(b'\n');
            bytes
        });
        bytes.map_err(|error| self.report(Err(error))).ok()
    }

    /// Writes a line, into the next file where this one is full.
    fn put(&mut self, bytes: &[u8]) {
        if self.written > 0 && self.written >= self.limits.file {
            self.next_file();
        }
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
