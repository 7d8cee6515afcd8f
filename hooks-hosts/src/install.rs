//! The entries of this program in the files of a host.

pub(crate) mod entry;
mod file;

use std::fmt;
use std::path::{Path, PathBuf};

pub use file::InstallError;

use self::entry::{EntryDetails, FileEntry, differences, event_of, rejected, without};
use self::file::{change, is_runnable, read};
use crate::edit;
use crate::host::Host;
use crate::place::{EntryForm, EntryPlace, INSTALLED, quoted, words};
use crate::table::{HookPoint, HostEventSpec};

/// Where the entries of a program are written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Installation {
    /// The folder of the project, or the home folder of the person.
    pub root: PathBuf,
    /// Whether it is the home folder.
    pub user: bool,
    /// Whether variables such as `CODEX_HOME` say where the files of the person are.
    pub moved: bool,
    /// The program with its path.
    pub program: PathBuf,
    /// The arguments before `host NAME`.
    pub arguments: Vec<String>,
    /// The arguments behind the event.
    pub options: Vec<String>,
}

/// What was done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileChange {
    /// It has new entries.
    Added(PathBuf, Vec<&'static str>),
    /// It had them already.
    Unchanged(PathBuf),
    /// Entries of this program are gone.
    Removed(PathBuf),
    /// The file is gone; it held nothing else.
    Deleted(PathBuf),
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(file, events) => write!(f, "{} at {}", file.display(), events.join(", ")),
            Self::Unchanged(file) => write!(f, "{}, nothing to change", file.display()),
            Self::Removed(file) => write!(f, "{}, without its entries", file.display()),
            Self::Deleted(file) => write!(f, "{}, deleted: it held nothing else", file.display()),
        }
    }
}

impl Installation {
    /// An installation in a project.
    pub fn project(folder: impl Into<PathBuf>, program: impl Into<PathBuf>) -> Self {
        Self {
            root: folder.into(),
            user: false,
            moved: false,
            program: program.into(),
            arguments: Vec::new(),
            options: Vec::new(),
        }
    }

    /// An installation for every project of a person.
    pub fn user(home: impl Into<PathBuf>, program: impl Into<PathBuf>) -> Self {
        Self { user: true, ..Self::project(home, program) }
    }

    pub(crate) fn name(&self) -> String {
        self.program.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(crate) fn file(&self, place: &EntryPlace, event: &str) -> PathBuf {
        let below = if self.user { place.user } else { place.project };
        self.below(place, &below.replace("$NAME", &self.name()).replace("$EVENT", event))
    }

    /// A file of the host in the folder of this installation.
    pub(crate) fn below(&self, place: &EntryPlace, file: &str) -> PathBuf {
        if self.user && self.moved { place.of_person(&self.root, file) } else { self.root.join(file) }
    }

    /// The command that the host runs.
    fn command(&self, host: &str, event: &str) -> String {
        let mut words = vec![quoted(&self.program.to_string_lossy())];
        words.extend(self.arguments.iter().map(|word| quoted(word)));
        words.extend(["host", host, "--event", event].map(str::to_owned));
        words.extend(self.options.iter().map(|word| quoted(word)));
        words.join(" ")
    }

    /// Whether a command of a host's file is one of this program, wherever the program was when it was installed. One in
    /// which a shell does anything else is somebody else's.
    fn is_ours(&self, host: &str, command: &str) -> bool {
        let Some(words) = words(command) else { return false };
        let Some((program, rest)) = words.split_first() else { return false };
        let called = ["host", host, "--event"].map(str::to_owned);
        let called: Vec<&String> = self.arguments.iter().chain(&called).collect();
        let (Some(begin), Some(_event)) = (rest.get(..called.len()), rest.get(called.len())) else { return false };
        let has_options_only = rest.get(called.len() + 1).is_none_or(|option| option.starts_with("--"));
        begin.iter().eq(called) && has_options_only && Path::new(program).file_name() == self.program.file_name()
    }

    /// Names the program in the host's files, at the events where `wanted` says that it has hooks.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not what the host expects. Then none is changed.
    pub fn install(&self, host: &Host, wanted: &dyn Fn(HookPoint) -> bool) -> Result<Vec<FileChange>, InstallError> {
        let place = host.place;
        let events = host.events().filter(|event| event.kinds().any(wanted) && place.names(event.name));
        let commands: Vec<Command> = events.map(|event| (event, self.command(host.name, event.name))).collect();
        if commands.is_empty() && place.form != EntryForm::Scripts {
            let done = self.uninstall(host)?;
            return Ok(if done.is_empty() { vec![FileChange::Unchanged(self.file(&place, ""))] } else { done });
        }
        let of_file = if place.form == EntryForm::Scripts { 1 } else { commands.len() };
        let put = |commands: &[Command]| {
            let events: Vec<&'static str> = commands.iter().map(|(event, _)| event.name).collect();
            let file = self.file(&place, events.first().unwrap_or(&""));
            let next = |before: Option<&str>| {
                let after = match before {
                    Some(before) => self.with(host, before, commands)?,
                    None => self.document(host, commands)?,
                };
                match rejected(host, &after)?.or_else(|| hidden(&self.beside(&place), &events)) {
                    Some(why) => Err(why),
                    None => Ok(Some(after)),
                }
            };
            let changed = change(&file, place.form == EntryForm::Scripts, next)?;
            Ok(if changed.is_some() { FileChange::Added(file, events) } else { FileChange::Unchanged(file) })
        };
        commands.chunks(of_file.max(1)).map(put).collect()
    }

    /// The text of a file with these commands in place of the others of this program.
    fn with(&self, host: &Host, before: &str, commands: &[Command]) -> Result<String, String> {
        let there = self.ours(host, before)?;
        if host.place.form == EntryForm::Scripts {
            let is_ours = !there.is_empty() && self.made(host, &there)? == before;
            let theirs = || format!("there is a hook already, and {} runs one file per event", host.title);
            return if is_ours { self.document(host, commands) } else { Err(theirs()) };
        }
        let wanted = self.ours(host, &self.document(host, commands)?)?;
        let has = |wanted: &FileEntry| there.iter().any(|entry| differences(host, entry, wanted).0.is_empty());
        if there.len() == wanted.len() && wanted.iter().all(has) {
            return Ok(before.to_owned());
        }
        // The old ones go last: what is around them stays.
        without(&self.added(host, before.to_owned(), commands)?, &there)
    }

    /// What an install into nothing writes.
    fn document(&self, host: &Host, commands: &[Command]) -> Result<String, String> {
        if host.place.form == EntryForm::Scripts {
            return Ok(commands.iter().flat_map(|(_, command)| ["#!/bin/sh\nexec ", command, "\n"]).collect());
        }
        self.added(host, entry::seed(&host.place), commands)
    }

    fn added(&self, host: &Host, text: String, commands: &[Command]) -> Result<String, String> {
        let (place, name) = (&host.place, self.name());
        let details = EntryDetails { matcher: place.matcher, seconds: INSTALLED, closes: true };
        commands
            .iter()
            .try_fold(text, |text, (event, command)| entry::added(&text, place, event, &name, command, &details))
    }

    /// What keeps the host from calling the commands of this program as they stand in its files, and in what else they are
    /// other than `install` writes them.
    pub(crate) fn standing(&self, host: &Host) -> Result<(Vec<String>, Vec<String>), String> {
        let (mut wrong, mut other) = (Vec::new(), Vec::new());
        for (file, text, there) in self.files(host).unwrap_or_default().iter().filter(|(.., there)| !there.is_empty()) {
            for entry in there {
                let event = event_of(&entry.command);
                let made = self.made(host, std::slice::from_ref(entry))?;
                let Some(wanted) = self.ours(host, &made).unwrap_or_default().pop() else {
                    wrong.push(format!("`{}`: {} calls no `{event}`; run `install` again", entry.command, host.title));
                    continue;
                };
                let (minds, tells) = differences(host, entry, &wanted);
                let again = "change it back, or run `install` again";
                wrong.extend((!minds.is_empty()).then(|| format!("`{event}`: {}; {again}", minds.join(", "))));
                other.extend((!tells.is_empty()).then(|| format!("`{event}`: {}", tells.join(", "))));
                if *file != self.file(&host.place, event) {
                    wrong.push(format!("{} calls `{}`; run `install` again", file.display(), entry.command));
                }
            }
            if host.place.form == EntryForm::Scripts {
                let is_other = self.made(host, there)? != *text;
                let changed = "has been changed; install again once you have moved it away";
                wrong.extend(is_other.then(|| format!("{} {changed}", file.display())));
                let idle = "is not executable; run `install` again";
                wrong.extend((!is_runnable(file)).then(|| format!("{} {idle}", file.display())));
            }
            let events: Vec<&str> = there.iter().map(|entry| event_of(&entry.command)).collect();
            let of_person = std::env::home_dir().map(|home| host.place.of_person(&home, host.place.user));
            let beside = [Some(self.beside(&host.place)), of_person.map(|file| file.with_file_name(host.place.bare))];
            let hidden = || beside.iter().flatten().find_map(|file| hidden(file, &events));
            wrong.extend(rejected(host, text)?.or_else(hidden));
        }
        Ok((wrong, other))
    }

    /// What an install into nothing writes for the commands of these entries.
    fn made(&self, host: &Host, entries: &[FileEntry]) -> Result<String, String> {
        let commands = host.events().filter(|event| host.place.names(event.name)).flat_map(|event| {
            let here = entries.iter().filter(move |entry| event_of(&entry.command) == event.name);
            here.map(move |entry| (event, entry.command.clone()))
        });
        self.document(host, &commands.collect::<Vec<Command>>())
    }

    /// The file whose events hide the same ones of the host's own.
    fn beside(&self, place: &EntryPlace) -> PathBuf {
        self.file(place, "").with_file_name(place.bare)
    }

    /// Removes the entries of this program, and nothing else.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not JSON.
    pub fn uninstall(&self, host: &Host) -> Result<Vec<FileChange>, InstallError> {
        let remove = |(file, ..): (PathBuf, String, Vec<FileEntry>)| {
            let next = |before: Option<&str>| {
                let Some(before) = before else { return Ok(None) };
                let ours = self.ours(host, before)?;
                // A link leads to a file that a person has made.
                if !ours.is_empty() && !file.is_symlink() && self.made(host, &ours)? == before {
                    return Ok(None);
                }
                if host.place.form == EntryForm::Scripts {
                    let what = "it has been changed since it was installed: remove the line that calls this program";
                    return Err(what.to_owned());
                }
                without(before, &ours).map(Some)
            };
            Ok(match change(&file, false, next)? {
                None => FileChange::Unchanged(file),
                Some(true) => FileChange::Removed(file),
                Some(false) => FileChange::Deleted(file),
            })
        };
        self.files(host)?.into_iter().map(remove).collect()
    }

    /// The commands of this program in the host's files.
    ///
    /// # Errors
    /// A file cannot be read, or is not JSON.
    pub fn installed(&self, host: &Host) -> Result<Vec<String>, InstallError> {
        let entries = self.files(host)?.into_iter().flat_map(|(.., entries)| entries);
        Ok(entries.map(|entry| entry.command).collect())
    }

    /// The files in which the host looks for entries, their texts, and the entries of this program. Of scripts, only those are of
    /// interest that call this program.
    fn files(&self, host: &Host) -> Result<Vec<(PathBuf, String, Vec<FileEntry>)>, InstallError> {
        let is_script = host.place.form == EntryForm::Scripts;
        let names: Vec<&str> = if is_script { host.events().map(|event| event.name).collect() } else { vec![""] };
        let mut files = Vec::new();
        for name in names {
            let file = self.file(&host.place, name);
            let text = read(&file).or_else(|error| if is_script { Ok(None) } else { Err(error) })?;
            let Some(text) = text else { continue };
            let ours = self.ours(host, &text).map_err(|problem| InstallError::of(&file, problem))?;
            if !is_script || !ours.is_empty() {
                files.push((file, text, ours));
            }
        }
        Ok(files)
    }

    /// The entries of this program, wherever they stand.
    fn ours(&self, host: &Host, text: &str) -> Result<Vec<FileEntry>, String> {
        let is_ours = |command: &str| self.is_ours(host.name, command);
        if host.place.form == EntryForm::Scripts {
            let commands = text.lines().map(|line| line.trim_start().strip_prefix("exec ").unwrap_or(line).trim());
            let entry = |command: &str| FileEntry { command: command.to_owned(), ..FileEntry::default() };
            return Ok(commands.filter(|command| is_ours(command)).map(entry).collect());
        }
        let mut found = Vec::new();
        entry::walk(&edit::parse(text)?, &FileEntry::default(), &is_ours, &mut found);
        Ok(found)
    }
}

/// The event that a file beside the host's own has too.
fn hidden(beside: &Path, events: &[&str]) -> Option<String> {
    let text = read(beside).ok().flatten()?;
    let other = match edit::parse(&text) {
        Ok(other) => other,
        Err(problem) => return Some(format!("{}: {problem}", beside.display())),
    };
    let hidden = events.iter().find(|event| other.get(event).is_some())?;
    Some(format!("`{hidden}` in {} hides the same event here; move its entries to this file", beside.display()))
}

/// An event, and the command there.
type Command = (HostEventSpec, String);
