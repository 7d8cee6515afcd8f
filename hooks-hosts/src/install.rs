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
        let events: Vec<&'static str> = commands.iter().map(|(event, _)| event.name).collect();
        if place.form == EntryForm::Scripts {
            return events.iter().map(|event| self.script(host, &place, event)).collect();
        }
        let file = self.file(&place, "");
        if commands.is_empty() {
            let done = self.uninstall(host)?;
            return Ok(if done.is_empty() { vec![FileChange::Unchanged(file)] } else { done });
        }
        let next = |before: Option<&str>| {
            let after = match before {
                Some(before) => self.with(host, before, &commands)?,
                None => self.document(host, &commands)?,
            };
            match rejected(host, &after)?.or_else(|| hidden(&self.beside(&place), &events)) {
                Some(why) => Err(why),
                None => Ok(Some(after)),
            }
        };
        let changed = change(&file, false, next)?;
        Ok(vec![if changed.is_some() { FileChange::Added(file, events) } else { FileChange::Unchanged(file) }])
    }

    /// The text of a file with these commands in place of the others of this program.
    fn with(&self, host: &Host, before: &str, commands: &[Command]) -> Result<String, String> {
        let there = self.ours(host, before)?;
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
        self.added(host, entry::seed(&host.place), commands)
    }

    fn added(&self, host: &Host, text: String, commands: &[Command]) -> Result<String, String> {
        let (place, name) = (&host.place, self.name());
        let details = EntryDetails { matcher: place.matcher, seconds: INSTALLED, closes: true };
        commands.iter().try_fold(text, |text, (event, command)| {
            entry::appended(
                &text,
                &entry::path(place, event.name, &name),
                &entry::text(place, event, &name, command, &details),
            )
        })
    }

    /// What keeps the host from calling the commands of this program as they stand in its files, and in what else they are
    /// other than `install` writes them.
    pub(crate) fn standing(&self, host: &Host) -> Result<(Vec<String>, Vec<String>), String> {
        let (mut wrong, mut other) = (Vec::new(), Vec::new());
        let again = "change it back, or run `install` again";
        if host.place.form == EntryForm::Scripts {
            for (file, command) in self.scripts(host, &host.place) {
                if file != self.file(&host.place, event_of(&command)) {
                    wrong.push(format!("{} calls `{command}`; run `install` again", file.display()));
                }
                if read(&file).ok().flatten().is_some_and(|text| self.of_script(host, &text).is_none()) {
                    wrong.push(format!(
                        "{} has been changed; install again once you have moved it away",
                        file.display()
                    ));
                }
                if !is_runnable(&file) {
                    wrong.push(format!("{} is not executable; run `install` again", file.display()));
                }
            }
            return Ok((wrong, other));
        }
        let file = self.file(&host.place, "");
        let Some(text) = read(&file).ok().flatten() else { return Ok((wrong, other)) };
        let there = self.ours(host, &text)?;
        if there.is_empty() {
            return Ok((wrong, other));
        }
        for entry in &there {
            let event = event_of(&entry.command);
            let made = self.made(host, std::slice::from_ref(entry))?;
            let Some(wanted) = self.ours(host, &made).unwrap_or_default().pop() else {
                wrong.push(format!("`{}`: {} calls no `{event}`; run `install` again", entry.command, host.title));
                continue;
            };
            let (minds, tells) = differences(host, entry, &wanted);
            wrong.extend((!minds.is_empty()).then(|| format!("`{event}`: {}; {again}", minds.join(", "))));
            other.extend((!tells.is_empty()).then(|| format!("`{event}`: {}", tells.join(", "))));
        }
        let events: Vec<&str> = there.iter().map(|entry| event_of(&entry.command)).collect();
        let of_person = std::env::home_dir().map(|home| host.place.of_person(&home, host.place.user));
        let files = [Some(self.beside(&host.place)), of_person.map(|file| file.with_file_name(host.place.bare))];
        wrong.extend(rejected(host, &text)?.or_else(|| files.iter().flatten().find_map(|file| hidden(file, &events))));
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
        let place = host.place;
        if place.form == EntryForm::Scripts {
            let gone = |there: Option<&str>| match there.filter(|text| self.of_script(host, text).is_none()) {
                Some(_) => {
                    Err("it has been changed since it was installed: remove the line that calls this program".into())
                }
                None => Ok(None),
            };
            let ours: Vec<PathBuf> = self.scripts(host, &place).map(|(file, _)| file).collect();
            let done = ours.into_iter().map(|file| change(&file, false, gone).map(|_| FileChange::Deleted(file)));
            return done.collect::<Vec<_>>().into_iter().collect();
        }
        let file = self.file(&place, "");
        if read(&file)?.is_none() {
            return Ok(Vec::new());
        }
        let next = |before: Option<&str>| {
            let Some(before) = before else { return Ok(None) };
            let ours = self.ours(host, before)?;
            // A link leads to a file that a person has made.
            let is_made = !ours.is_empty() && !file.is_symlink() && self.made(host, &ours)? == before;
            Ok(if is_made { None } else { Some(without(before, &ours)?) })
        };
        Ok(vec![match change(&file, false, next)? {
            None => FileChange::Unchanged(file),
            Some(true) => FileChange::Removed(file),
            Some(false) => FileChange::Deleted(file),
        }])
    }

    /// The commands of this program in the host's files.
    ///
    /// # Errors
    /// A file cannot be read, or is not JSON.
    pub fn installed(&self, host: &Host) -> Result<Vec<String>, InstallError> {
        let place = host.place;
        if place.form == EntryForm::Scripts {
            return Ok(self.scripts(host, &place).map(|(_, command)| command).collect());
        }
        let file = self.file(&place, "");
        let Some(text) = read(&file)? else { return Ok(Vec::new()) };
        let ours = self.ours(host, &text).map_err(|problem| InstallError::of(&file, problem))?;
        Ok(ours.into_iter().map(|entry| entry.command).collect())
    }

    /// The entries of this program, wherever they stand.
    fn ours(&self, host: &Host, text: &str) -> Result<Vec<FileEntry>, String> {
        let mut found = Vec::new();
        entry::walk(
            &edit::parse(text)?,
            &FileEntry::default(),
            &|command| self.is_ours(host.name, command),
            &mut found,
        );
        Ok(found)
    }

    fn script(&self, host: &Host, place: &EntryPlace, event: &'static str) -> Result<FileChange, InstallError> {
        let file = self.file(place, event);
        let text = format!("#!/bin/sh\nexec {}\n", self.command(host.name, event));
        let next = |there: Option<&str>| match there.filter(|there| self.of_script(host, there).is_none()) {
            Some(_) => Err("there is a hook already, and Cline runs one file per event".to_owned()),
            None => Ok(Some(text.clone())),
        };
        let changed = change(&file, true, next)?;
        Ok(if changed.is_some() { FileChange::Added(file, vec![event]) } else { FileChange::Unchanged(file) })
    }

    /// The files of this program, one for each event, and their commands.
    fn scripts(&self, host: &Host, place: &EntryPlace) -> impl Iterator<Item = (PathBuf, String)> {
        let of_event = |event: HostEventSpec| {
            let file = self.file(place, event.name);
            let text = read(&file).ok()??;
            let command = text.lines().find_map(|line| self.of_line(host, line))?.to_owned();
            Some((file, command))
        };
        host.events().filter_map(of_event).collect::<Vec<_>>().into_iter()
    }

    /// The command of a script, if it is one of this program.
    fn of_script<'a>(&self, host: &Host, text: &'a str) -> Option<&'a str> {
        self.of_line(host, text.strip_prefix("#!/bin/sh\n")?.strip_suffix('\n')?)
    }

    fn of_line<'a>(&self, host: &Host, line: &'a str) -> Option<&'a str> {
        let command = line.trim_start().strip_prefix("exec ").unwrap_or(line).trim();
        self.is_ours(host.name, command).then_some(command)
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
