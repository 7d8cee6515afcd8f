//! The thread that redacts, truncates and writes.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, Write};
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
    file: Waiting,
    written: u64,
    turns: Turns,
    /// The lines that the file lacks. [`RecordingLine::Dropped`] says so as soon as it can.
    dropped: Arc<AtomicU64>,
    /// The first failure of a write. It is reported once.
    failure: Arc<OnceLock<String>>,
}

impl Writer {
    pub(super) fn new(
        path: PathBuf,
        program: String,
        limits: RecordLimits,
        rules: Vec<OwnRule>,
        dropped: Arc<AtomicU64>,
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
            dropped,
            failure,
        };
        writer.header();
        Ok(writer)
    }

    pub(super) fn run(&mut self, tasks: &Receiver<Task>) {
        loop {
            let task = tasks.try_recv().or_else(|_| {
                // The queue is empty, so flush before the thread sleeps.
                self.flush();
                tasks.recv()
            });
            self.say_dropped();
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

    fn say_dropped(&mut self) {
        let count = self.dropped.swap(0, Ordering::Relaxed);
        if count > 0 {
            self.make_room();
            if let Some(bytes) = self.bytes(&mut RecordingLine::Dropped { count }, &HashMap::new()) {
                self.put(&bytes, count);
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
            None | Some(Room::Left) => self.put(&bytes, 1),
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
            return self.put(&bytes, 1);
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
            self.put(&bytes, 1);
        }
    }

    /// The bytes of a line, with what it shares.
    fn bytes(&mut self, line: &mut RecordingLine, messages: &HashMap<SharedId, Message>) -> Option<Vec<u8>> {
        let cleaner = &mut self.cleaner;
        let mut message = |id| messages.get(&id).map(|message| messages::written(message, cleaner).0);
        let bytes = self.sharing.bytes(line, &mut message).map_err(io::Error::from);
        bytes.map_err(|error| self.report(Err(error))).ok()
    }

    /// Writes the last bytes. If that is impossible, the recording lacks `lines`.
    fn put(&mut self, bytes: &[u8], lines: u64) {
        let put = self.file.put(bytes);
        if put.is_ok() {
            self.sharing.written();
            self.written += bytes.len() as u64;
        } else {
            self.dropped.fetch_add(lines, Ordering::Relaxed);
        }
        self.report(put);
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

/// Lines on their way to the file. What a failed write leaves of them stays here, so that the file gets each of them whole.
struct Waiting {
    file: Box<dyn Write + Send>,
    bytes: Vec<u8>,
}

impl Waiting {
    /// The number of bytes after which they are written, and no line is taken while they cannot be.
    const MOST: usize = 8 << 10;

    /// Takes lines.
    ///
    /// # Errors
    /// If there are too many already that cannot be written. None of these is taken then.
    fn put(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.bytes.len() >= Self::MOST {
            self.flush()?;
        }
        self.bytes.extend_from_slice(lines);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.bytes.is_empty() {
            match self.file.write(&self.bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => drop(self.bytes.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Keeps a message if the file may not contain it yet.
fn note(fresh: &mut HashMap<SharedId, Message>, sharing: &SharedValues, id: SharedId, message: &Message) {
    if !sharing.has_message(id) {
        fresh.entry(id).or_insert_with(|| message.clone());
    }
}

/// Opens the file for appending, and returns its size. Terminates an incomplete last line.
fn open(path: &Path) -> io::Result<(Waiting, u64)> {
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
    Ok((Waiting { file: Box::new(file), bytes: Vec::new() }, written))
}

/// Renames `path` to `path.1`, that to `path.2`, and so on. The last one is deleted. Does nothing if that was done before, and
/// only the next file could not be created.
fn rotate(path: &Path, keep: usize) -> io::Result<()> {
    if !path.exists() {
        return Ok(());
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;

    use super::*;
    use crate::Reader;

    /// A disk that is full for a while: it takes this many more bytes.
    #[derive(Clone, Default)]
    struct Disk(Arc<Mutex<(usize, Vec<u8>)>>);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (room, file) = &mut *self.0.lock().unwrap();
            let count = bytes.len().min(*room);
            *room -= count;
            file.extend_from_slice(&bytes[..count]);
            if count == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(count) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn after_a_full_disk_only_the_lines_are_missing_that_it_had_no_room_for_and_the_file_counts_them() {
        // Cut at a line, within a line, and within what a line shares.
        for room in (0..8).map(|part| part * 1_100) {
            let folder = tempfile::tempdir().unwrap();
            let (path, limits) = (folder.path().join("r.jsonl"), RecordLimits::default());
            let mut writer =
                Writer::new(path, "desk".to_owned(), limits, Vec::new(), Arc::default(), Arc::default()).unwrap();
            let disk = Disk::default();
            writer.file.file = Box::new(disk.clone());
            writer.header();
            let mut record = |numbers: std::ops::Range<usize>, room: usize| {
                disk.0.lock().unwrap().0 = room;
                let (queue, tasks) = std::sync::mpsc::channel();
                for number in numbers {
                    // Three turns have the same tools, also the last one before there is room and the first one after.
                    let tools = json!(vec![format!("tool {}", number / 3); 60]);
                    let line = TurnLine { reply: format!("turn {number}"), ..TurnLine::default() };
                    queue.send(Task::Turn(Box::new(line), Box::new(move || json!({ "tools": tools })))).unwrap();
                    queue.send(Task::Flush(std::sync::mpsc::sync_channel(1).0)).unwrap();
                }
                drop(queue);
                writer.run(&tasks);
            };
            record(0..61, room);
            record(61..81, usize::MAX);
            let file = std::mem::take(&mut disk.0.lock().unwrap().1);
            let lines: Vec<_> = Reader::new(&*file)
                .map(|(number, line)| line.unwrap_or_else(|why| panic!("{room}, {number}: {why}")))
                .collect();
            let turn = |line: &RecordingLine| match line {
                RecordingLine::Turn(turn) => Some((turn.reply.clone(), turn.inputs["tools"][59].clone())),
                _ => None,
            };
            let turns: Vec<_> = lines.iter().filter_map(turn).collect();
            let expected = |number: usize| (format!("turn {number}"), json!(format!("tool {}", number / 3)));
            assert!(turns.ends_with(&(61..81).map(expected).collect::<Vec<_>>()), "{room}: {turns:?}");
            assert!(turns.starts_with(&(0..room / 3_000).map(expected).collect::<Vec<_>>()), "{room}: {turns:?}");
            let mut gaps = crate::Gaps::default();
            for line in lines {
                gaps.note(&Ok(line));
            }
            assert!(gaps.dropped > 0, "{room}: the disk has room for all");
            assert_eq!(turns.len() as u64 + gaps.dropped, 81, "{room}");
        }
    }

    #[test]
    fn a_file_is_renamed_once_even_if_the_next_one_cannot_be_created() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        std::fs::write(&path, "lines").unwrap();
        rotate(&path, 3).unwrap();
        rotate(&path, 3).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("r.jsonl.1")).unwrap(), "lines");
    }
}
