//! Finds the recordings to read.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hooks_replay::{LineError, Reader, RecordingLine};

use crate::exit::Exit;
use crate::output::Output;
use crate::paths::is_a_pipe;
use crate::style::{BAD, line, styled};

/// The recordings that a command line names.
pub(crate) struct Recordings {
    pub(crate) files: Vec<PathBuf>,
    /// What cannot be read in the folders, and why.
    pub(crate) left_out: Vec<String>,
}

/// The given files, and the files in the given folders.
///
/// # Errors
/// If something that is named cannot be read, or there is nothing to read.
pub(crate) fn recordings(paths: &[PathBuf]) -> Result<Recordings, Output> {
    let mut found = Recordings { files: Vec::new(), left_out: Vec::new() };
    for path in paths {
        if path.is_dir() {
            collect(path, &mut HashSet::new(), &mut found).map_err(|error| unreadable(path, &error))?;
        } else {
            refuse_pipe(path)?;
            File::open(path).map_err(|error| unreadable(path, &error))?;
            found.files.push(path.clone());
        }
    }
    if found.files.is_empty() {
        let text = format!("{}: these folders have no file that ends with `.jsonl`", styled(BAD, "error"));
        return Err(Output::trouble(format!("{text}\n{}", found.told()), Exit::UNDECIDED));
    }
    Ok(found)
}

impl Recordings {
    /// A line for everything that was left out.
    pub(crate) fn told(&self) -> String {
        let lines: Vec<String> = self.left_out.iter().map(|problem| format!("left out: {problem}\n")).collect();
        lines.concat()
    }
}

/// Nobody may ever write to a pipe, and nobody waits for that.
fn refuse_pipe(file: &Path) -> Result<(), Output> {
    let problem = || io::Error::other("this is a pipe, not a file; write its content to a file");
    if is_a_pipe(file) { Err(unreadable(file, &problem())) } else { Ok(()) }
}

/// The number of lines that are read for the names of hooks, and of names.
const LINES: usize = 1000;
const NAMES: usize = 3;

/// The first hooks in these recordings, for a message. Those that run rules are no app's, and other programs name none.
pub(super) fn hooks_in(files: &[PathBuf]) -> Vec<String> {
    let lines = files.iter().filter_map(|file| Reader::open(file).ok()).flatten().take(LINES);
    let runs = lines.filter_map(|(_, line)| match line {
        Ok(RecordingLine::Dispatch(dispatch)) => dispatch.runs,
        _ => None,
    });
    let mut found = Vec::new();
    for run in runs.flatten().filter(|run| !run.hook.starts_with("rules_")) {
        let name = format!("`{}`", line(&run.hook));
        if !found.contains(&name) {
            found.push(if found.len() < NAMES { name } else { "…".to_owned() });
        }
        if found.len() > NAMES {
            break;
        }
    }
    found
}

/// Why a file is no recording, if it is none: its first line is of another kind, as those of transcripts are.
fn not_a_recording(file: &Path) -> Result<Option<LineError>, Output> {
    match Reader::open(file).map_err(|error| unreadable(file, &error))?.next() {
        // A folder can be opened.
        Some((_, Err(LineError::Io { error, .. }))) => Err(unreadable(file, &error)),
        Some((_, Err(problem @ (LineError::Form { .. } | LineError::NotLines)))) => Ok(Some(problem)),
        _ => Ok(None),
    }
}

/// The recordings among these files.
pub(crate) fn only_recordings(files: Vec<PathBuf>) -> Result<Vec<PathBuf>, Output> {
    let mut found = Vec::new();
    for file in files {
        if not_a_recording(&file)?.is_none() {
            found.push(file);
        }
    }
    Ok(found)
}

/// Refuses files of which none is a recording, such as a transcript: a page about them would be empty.
pub(crate) fn refuse_others(files: &[PathBuf]) -> Result<(), Output> {
    let mut problems = Vec::new();
    for file in files {
        refuse_pipe(file)?;
        let Some(problem) = not_a_recording(file)? else { return Ok(()) };
        problems.push(format!("{}: {}: {problem}", styled(BAD, "error"), line(&file.to_string_lossy())));
    }
    if problems.is_empty() { Ok(()) } else { Err(Output::trouble(problems.join("\n"), Exit::USAGE)) }
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Output {
    let text = format!("{}: {}: {error}", styled(BAD, "error"), line(&path.to_string_lossy()));
    Output::trouble(text, Exit::USAGE)
}

/// All regular `.jsonl` files in the folder, sorted by name. Rotated files of a recorder (`traffic.jsonl.2`, `traffic.jsonl.1`)
/// come before the newer ones. A link is what it leads to, which is read once however many links lead there, or back.
fn collect(folder: &Path, seen: &mut HashSet<PathBuf>, found: &mut Recordings) -> io::Result<()> {
    if !seen.insert(folder.canonicalize()?) {
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, io::Error>>()?;
    entries.sort_by_cached_key(|entry| match moved_aside(entry) {
        Some((file, number)) => (file, Reverse(number)),
        None => (entry.clone(), Reverse(0)),
    });
    for entry in entries {
        if let Err(error) = add(&entry, seen, found) {
            found.left_out.push(line(&format!("{}: {error}", entry.display())));
        }
    }
    Ok(())
}

/// Adds what a folder has, if it is a recording or a folder.
fn add(entry: &Path, seen: &mut HashSet<PathBuf>, found: &mut Recordings) -> io::Result<()> {
    let what = match std::fs::metadata(entry) {
        // It leads nowhere.
        Err(_) if entry.is_symlink() => return Ok(()),
        what => what?,
    };
    let name = moved_aside(entry).map_or_else(|| entry.to_owned(), |(file, _)| file);
    let is_named = || name.extension().is_some_and(|extension| extension == "jsonl");
    if what.is_dir() {
        collect(entry, seen, found)?;
        // Reading a special file might never end.
    } else if what.is_file() && is_named() && seen.insert(entry.canonicalize()?) {
        File::open(entry)?;
        found.files.push(entry.to_owned());
    }
    Ok(())
}

/// The original name of a rotated file, and its number.
fn moved_aside(path: &Path) -> Option<(PathBuf, u32)> {
    let number = path.extension()?.to_str()?.parse().ok()?;
    Some((path.with_extension(""), number))
}
