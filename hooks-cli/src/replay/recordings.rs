//! Finds the recordings to read.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use hooks_replay::{LineError, Reader};

use crate::exit::Exit;
use crate::output::Output;
use crate::paths::is_a_pipe;
use crate::style::{BAD, line, styled};

/// The given files, and the files in the given folders.
pub(crate) fn recordings(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Output> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files).map_err(|error| unreadable(path, &error))?;
    }
    files.iter().try_for_each(|file| refuse_pipe(file))?;
    if files.is_empty() {
        let text = format!("{}: these folders have no file that ends with `.jsonl`", styled(BAD, "error"));
        return Err(Output::trouble(text, Exit::UNDECIDED));
    }
    Ok(files)
}

/// Nobody may ever write to a pipe, and nobody waits for that.
fn refuse_pipe(file: &Path) -> Result<(), Output> {
    let problem = || std::io::Error::other("this is a pipe, not a file; write its content to a file");
    if is_a_pipe(file) { Err(unreadable(file, &problem())) } else { Ok(()) }
}

/// Refuses files of which none is a recording, such as a transcript: a page about them would be empty.
pub(crate) fn refuse_others(files: &[PathBuf]) -> Result<(), Output> {
    let mut problems = Vec::new();
    for file in files {
        refuse_pipe(file)?;
        let first = match Reader::open(file).map_err(|error| unreadable(file, &error))?.next() {
            // A folder can be opened.
            Some((_, Err(LineError::Io { error, .. }))) => return Err(unreadable(file, &error)),
            first => first,
        };
        let Some((_, Err(problem @ (LineError::Form { .. } | LineError::NotLines)))) = first else { return Ok(()) };
        problems.push(format!("{}: {}: {problem}", styled(BAD, "error"), line(&file.to_string_lossy())));
    }
    if problems.is_empty() { Ok(()) } else { Err(Output::trouble(problems.join("\n"), Exit::USAGE)) }
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Output {
    let text = format!("{}: {}: {error}", styled(BAD, "error"), line(&path.to_string_lossy()));
    Output::trouble(text, Exit::USAGE)
}

/// The file, or all regular `.jsonl` files in the folder, sorted by name. Rotated files of a recorder
/// (`traffic.jsonl.2`, `traffic.jsonl.1`) come before the newer ones.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !std::fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    entries.sort_by_cached_key(|entry| match moved_aside(entry) {
        Some((file, number)) => (file, Reverse(number)),
        None => (entry.clone(), Reverse(0)),
    });
    for entry in entries {
        // A symbolic link could be cyclic or broken, and reading a special file might never end.
        let what = std::fs::symlink_metadata(&entry)?;
        let name = moved_aside(&entry).map_or_else(|| entry.clone(), |(file, _)| file);
        let is_recording = what.is_file() && name.extension().is_some_and(|extension| extension == "jsonl");
        if what.is_dir() || is_recording {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

/// The original name of a rotated file, and its number.
fn moved_aside(path: &Path) -> Option<(PathBuf, u32)> {
    let number = path.extension()?.to_str()?.parse().ok()?;
    Some((path.with_extension(""), number))
}
