//! The entries of this program in the files of a host.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::edit::{self, Member, Node, NodeKind};
use crate::event::HookPoint;
use crate::host::Host;
use crate::place::{EntryForm, EntryPlace, quoted, words};
use crate::table::HostEventSpec;

/// Where the entries of a program are written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Installation {
    /// The folder of the project, or the home folder of the person.
    pub root: PathBuf,
    /// Whether it is the home folder.
    pub user: bool,
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

impl Installation {
    /// An installation in a project.
    pub fn project(folder: impl Into<PathBuf>, program: impl Into<PathBuf>) -> Self {
        Self { root: folder.into(), user: false, program: program.into(), arguments: Vec::new(), options: Vec::new() }
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
        self.root.join(below.replace("$NAME", &self.name()).replace("$EVENT", event))
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
            match rejected(host, &after)?.or_else(|| self.hidden(&place, &events)) {
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
        self.added(host, seed(&host.place), commands)
    }

    fn added(&self, host: &Host, text: String, commands: &[Command]) -> Result<String, String> {
        let (place, name) = (&host.place, self.name());
        let details = EntryDetails { matcher: place.matcher, seconds: 20.0, closes: true };
        commands.iter().try_fold(text, |text, (event, command)| {
            appended(&text, &path(place, event.name, &name), &entry(place, event, &name, command, &details))
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
            let Some(wanted) = self.made(host, [entry].into_iter())? else {
                wrong.push(format!("`{}`: {} calls no `{event}`; run `install` again", entry.command, host.title));
                continue;
            };
            let (minds, tells) = differences(host, entry, &self.ours(host, &wanted)?[0]);
            wrong.extend((!minds.is_empty()).then(|| format!("`{event}`: {}; {again}", minds.join(", "))));
            other.extend((!tells.is_empty()).then(|| format!("`{event}`: {}", tells.join(", "))));
        }
        let events: Vec<&str> = there.iter().map(|entry| event_of(&entry.command)).collect();
        wrong.extend(rejected(host, &text)?.or_else(|| self.hidden(&host.place, &events)));
        Ok((wrong, other))
    }

    /// What an install into nothing writes for the commands of these entries, if all are at events of the host.
    fn made<'a>(&self, host: &Host, entries: impl Iterator<Item = &'a FileEntry>) -> Result<Option<String>, String> {
        let of_event = |name: &str| host.events().find(|event| event.name == name && host.place.names(name));
        let command = |entry: &FileEntry| Some((of_event(event_of(&entry.command))?, entry.command.clone()));
        let commands: Option<Vec<Command>> = entries.map(command).collect();
        commands.map(|commands| self.document(host, &commands)).transpose()
    }

    /// The event that a file beside the host's own has too.
    fn hidden(&self, place: &EntryPlace, events: &[&str]) -> Option<String> {
        let beside = self.file(place, "").with_file_name(place.bare);
        let text = read(&beside).ok().flatten().filter(|_| !place.bare.is_empty())?;
        let other = match edit::parse(&text) {
            Ok(other) => other,
            Err(problem) => return Some(format!("{}: {problem}", beside.display())),
        };
        let hidden = events.iter().find(|event| other.get(event).is_some())?;
        Some(format!("`{hidden}` in {} hides the same event here; move its entries to this file", beside.display()))
    }

    /// Removes the entries of this program, and nothing else.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not JSON.
    pub fn uninstall(&self, host: &Host) -> Result<Vec<FileChange>, InstallError> {
        let place = host.place;
        if place.form == EntryForm::Scripts {
            let gone =
                |there: Option<&str>| Ok(there.filter(|text| self.of_script(host, text).is_none()).map(str::to_owned));
            let ours = self.scripts(host, &place).map(|(file, _)| file);
            return ours.map(|file| change(&file, false, gone).map(|_| FileChange::Deleted(file))).collect();
        }
        let file = self.file(&place, "");
        if read(&file)?.is_none() {
            return Ok(Vec::new());
        }
        let next = |before: Option<&str>| {
            let Some(before) = before else { return Ok(None) };
            let ours = self.ours(host, before)?;
            // A link leads to a file that a person has made.
            let is_made =
                || Ok::<_, String>(self.made(host, ours.iter())?.as_deref() == Some(before) && !file.is_symlink());
            Ok(if !ours.is_empty() && is_made()? { None } else { Some(without(before, &ours)?) })
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
        let (root, mut found) = (edit::parse(text)?, Vec::new());
        walk(&root, text, &FileEntry::default(), &|command| self.is_ours(host.name, command), &mut found);
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
            let command = self.of_script(host, &read(&file).ok()??)?.to_owned();
            Some((file, command))
        };
        host.events().filter_map(of_event).collect::<Vec<_>>().into_iter()
    }

    /// The command of a script, if it is one of this program.
    fn of_script<'a>(&self, host: &Host, text: &'a str) -> Option<&'a str> {
        let command = text.strip_prefix("#!/bin/sh\nexec ")?.strip_suffix('\n')?;
        self.is_ours(host.name, command).then_some(command)
    }
}

/// An event, and the command there.
type Command = (HostEventSpec, String);

/// An entry of this program, and what the host reads of it.
#[derive(Clone, Default)]
struct FileEntry {
    /// Leads to what goes with it: the entry, or its group if that is of this program too.
    path: Vec<usize>,
    /// The keys that lead to it.
    at: String,
    /// What it says, and the group around it.
    settings: Map<String, Value>,
    command: String,
}

fn walk(node: &Node, text: &str, above: &FileEntry, ours: &dyn Fn(&str) -> bool, found: &mut Vec<FileEntry>) {
    let members = if let NodeKind::Object(members) = &node.kind { &members[..] } else { &[] };
    let in_list = matches!(node.kind, NodeKind::Array(_));
    for (index, part) in node.parts().enumerate() {
        let mut entry = above.clone();
        entry.path.push(index);
        entry.at += &members.get(index).map_or("[]".to_owned(), |member| format!(".{}", member.key));
        let Value::Object(said) = part.value(text) else {
            walk(part, text, &entry, ours, found);
            continue;
        };
        let nested = said.get("action").and_then(Value::as_object).cloned().unwrap_or_default();
        // Of what is no entry and no group, this alone counts.
        let counts = |key: &str, said: &Value| {
            if in_list { key != "hooks" && key != "action" } else { key == "enabled" && *said == Value::Bool(false) }
        };
        entry.settings.extend(said.into_iter().chain(nested).filter(|(key, said)| counts(key, said)));
        match ["command", "bash"].iter().find_map(|key| entry.settings.get(*key)?.as_str()).map(str::to_owned) {
            Some(command) if in_list && ours(&command) => {
                let is_alone =
                    node.parts().count() == 1 && above.settings.keys().all(|key| key == "matcher" || key == "enabled");
                if is_alone && above.at.ends_with("[].hooks") {
                    entry.path.truncate(entry.path.len() - 2);
                }
                found.push(FileEntry { command, ..entry });
            }
            _ => walk(part, text, &entry, ours, found),
        }
    }
}

/// The text of a file without these entries.
fn without(text: &str, ours: &[FileEntry]) -> Result<String, String> {
    ours.iter().rev().try_fold(text.to_owned(), |text, entry| edit::remove(&text, &entry.path))
}

/// What a person may add or change without consequences.
const TELLING: &[&str] = &["name", "description", "statusMessage", "show_output"];

/// In what an entry is other than `install` would write it: what keeps the host from asking or from hearing the answer, and
/// what does not.
fn differences(host: &Host, entry: &FileEntry, wanted: &FileEntry) -> (Vec<String>, Vec<String>) {
    let (mut minds, mut tells) = (Vec::new(), Vec::new());
    if entry.at != wanted.at {
        minds.push(format!("it stands at `{}` instead of `{}`", &entry.at[1..], &wanted.at[1..]));
    }
    let absent = wanted.settings.keys().filter(|key| !entry.settings.contains_key(*key));
    for key in entry.settings.keys().chain(absent) {
        let (has, wants) = (entry.settings.get(key), wanted.settings.get(key));
        let said = match (has, wants) {
            (Some(has), Some(wants)) if has == wants => continue,
            (Some(has), Some(wants)) => format!("`{key}: {has}` instead of `{key}: {wants}`"),
            (Some(has), None) => format!("`{key}: {has}`, which `install` does not write"),
            (None, wants) => format!("no `{key}: {}`", wants.unwrap_or(&Value::Null)),
        };
        let seconds =
            |value: &Value| value.as_f64().filter(|_| value.is_u64()).map(|time| host.place.unit.seconds(time));
        let is_longer = has.and_then(seconds).zip(wants.and_then(seconds)).is_some_and(|(has, wants)| has > wants);
        if is_longer || TELLING.contains(&key.as_str()) { &mut tells } else { &mut minds }.push(said);
    }
    (minds, tells)
}

/// Why the host reads nothing of its file.
fn rejected(host: &Host, text: &str) -> Result<Option<String>, String> {
    let (place, root) = (host.place, edit::parse(text)?);
    let why = unread(host, &root).or_else(|| {
        let error = serde_json::from_str::<Value>(text).err().filter(|_| !place.comments)?;
        Some(format!("it takes no comment, no comma at an end and no byte order mark: {error}"))
    });
    Ok(why.map(|why| format!("{} rejects the file, because {why}", host.title)))
}

fn unread(host: &Host, root: &Node) -> Option<String> {
    fn is_cut(node: &Node) -> bool {
        let in_key = |member: &Member| member.key.contains("//");
        let members = if let NodeKind::Object(members) = &node.kind { &members[..] } else { &[] };
        node.text().is_some_and(|text| text.contains("//")) || members.iter().any(in_key) || node.parts().any(is_cut)
    }
    let place = host.place;
    if let Some(key) = place.head.split('"').nth(1).filter(|key| root.get(key).is_none()) {
        return Some(format!("`{key}` is missing; add `{}`", place.head));
    }
    if !place.strict {
        return None;
    }
    if is_cut(root) {
        return Some("it takes `//` in a text for a comment".to_owned());
    }
    let events = root.get(place.root?).map(|events| &events.kind);
    let Some(NodeKind::Object(events)) = events else { return None };
    let unknown = events.iter().find(|event| host.event(&event.key).is_none())?;
    Some(format!("it has no event `{}`", unknown.key))
}

/// The event for which a command of this crate is installed.
pub(crate) fn event_of(command: &str) -> &str {
    let event = command.rsplit_once(" --event ").map_or("", |(_, rest)| rest);
    event.split(' ').next().unwrap_or_default()
}

/// What entries of one place differ in.
pub(crate) struct EntryDetails<'a> {
    pub(crate) matcher: Option<&'a str>,
    pub(crate) seconds: f64,
    /// Whether a failure of the command is a denial, where the host can do that.
    pub(crate) closes: bool,
}

pub(crate) fn entry(
    place: &EntryPlace,
    event: &HostEventSpec,
    name: &str,
    command: &str,
    details: &EntryDetails<'_>,
) -> String {
    let of_tool =
        event.kind.is_after_tool() || matches!(event.kind, HookPoint::BeforeToolCall | HookPoint::PermissionRequest);
    let is_gate = event.kind == HookPoint::BeforeToolCall;
    let at_gate = if is_gate && details.closes { place.at_gates } else { "" };
    let matcher = details.matcher.filter(|_| of_tool).map(|matcher| format!("\"matcher\": {}, ", json_text(matcher)));
    let matcher = matcher.unwrap_or_default();
    let handler = place.handler.replace("$GATE", at_gate);
    let handler = handler.replace("$TIME", &place.unit.number(details.seconds).to_string());
    // Last, because a command may hold the names of the others.
    let handler = handler.replace("$NAME", name).replace("$EVENT", event.name).replace("$COMMAND", &json_text(command));
    match place.form {
        EntryForm::Groups => format!("{{{matcher}\"hooks\": [{handler}]}}"),
        EntryForm::Named if of_tool => format!("{{{matcher}\"hooks\": [{handler}]}}"),
        EntryForm::List => format!("{{{matcher}{}", &handler[1..]),
        _ => handler,
    }
}

/// The keys that lead to the list of an event's entries.
pub(crate) fn path<'a>(place: &EntryPlace, event: &'a str, name: &'a str) -> Vec<&'a str> {
    match place.form {
        EntryForm::Named => vec![name, event],
        EntryForm::List => place.root.into_iter().collect(),
        _ => place.root.into_iter().chain([event]).collect(),
    }
}

/// A new file, in which the first entry takes the place of the mark. Entries added to a file of others come last, so it is none
/// of these.
const MARK: &str = "\u{1}";

pub(crate) fn seed(place: &EntryPlace) -> String {
    let comma = if place.head.is_empty() { "" } else { ",\n  " };
    format!("{{\n  {MARK}{comma}{}\n}}\n", place.head)
}

pub(crate) fn appended(text: &str, path: &[&str], entry: &str) -> Result<String, String> {
    if !text.contains(MARK) {
        return edit::append(text, path, entry);
    }
    // The first entry of a new file: the members that lead to it, as `append` writes them.
    let whole = edit::append("{\n  \"\": 0\n}\n", path, entry)?;
    let member = whole.strip_prefix("{\n  \"\": 0,\n  ").and_then(|rest| rest.strip_suffix("\n}\n"));
    Ok(text.replace(MARK, member.unwrap_or_default()))
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn read(file: &Path) -> Result<Option<String>, InstallError> {
    match fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| InstallError::of(file, error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(file).is_err() => Ok(None),
        Err(error) => Err(InstallError::of(file, error.to_string())),
    }
}

/// Puts what `next` makes of a file in its place; `None` is no file. `Some` says whether there is one, if it has changed.
fn change(
    file: &Path,
    runs: bool,
    next: impl Fn(Option<&str>) -> Result<Option<String>, String>,
) -> Result<Option<bool>, InstallError> {
    for _ in 0..100 {
        let before = read(file)?;
        let after = next(before.as_deref()).map_err(|problem| InstallError::of(file, problem))?;
        if before == after && (!runs || is_runnable(file)) {
            return Ok(None);
        }
        let put = put(file, before.as_deref(), after.as_deref(), runs);
        if put.map_err(|error| InstallError::of(file, error.to_string()))? {
            return Ok(Some(after.is_some()));
        }
    }
    Err(InstallError::of(file, "somebody else changes it all the time"))
}

/// Writes beside the file, and then puts that in its place, unless that is another one by now. A link stays, and what it leads
/// to is replaced.
fn put(file: &Path, before: Option<&str>, after: Option<&str>, runs: bool) -> io::Result<bool> {
    let target = if file.exists() { fs::canonicalize(file)? } else { file.to_owned() };
    fs::create_dir_all(target.parent().unwrap_or(Path::new(".")))?;
    let permissions = fs::metadata(&target).ok().map(|meta| meta.permissions());
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = target.with_file_name(format!(".{name}.hooks-new"));
    let mut new = claimed(&beside)?;
    let done = (|| {
        new.write_all(after.unwrap_or_default().as_bytes())?;
        let mut permissions = permissions.map_or_else(|| new.metadata().map(|meta| meta.permissions()), Ok)?;
        if runs {
            permissions = runnable(permissions);
        }
        fs::set_permissions(&beside, permissions)?;
        new.sync_all()?;
        if read(&target).map_err(|error| io::Error::other(error.problem))?.as_deref() != before {
            return Ok(false);
        }
        if after.is_some() { fs::rename(&beside, &target) } else { fs::remove_file(file) }.map(|()| true)
    })();
    if after.is_none() || !matches!(done, Ok(true)) {
        let _ = fs::remove_file(&beside);
    }
    done
}

/// The new file, as soon as nobody else writes one.
fn claimed(beside: &Path) -> io::Result<File> {
    let since = Instant::now();
    loop {
        match OpenOptions::new().write(true).create_new(true).open(beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened,
        }
        if since.elapsed() > Duration::from_secs(10) {
            let why = format!("another installation is at work; if there is none, delete {}", beside.display());
            return Err(io::Error::other(why));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn is_runnable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.permissions() == runnable(meta.permissions()))
}

/// The permissions of a file that its owner can run.
#[cfg(unix)]
fn runnable(mut permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    if permissions.mode() & 0o100 == 0 {
        permissions.set_mode(permissions.mode() | 0o111);
    }
    permissions
}

#[cfg(not(unix))]
fn runnable(permissions: Permissions) -> Permissions {
    permissions
}

/// A file of a host could not be changed. It is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstallError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub problem: String,
}

impl InstallError {
    fn of(file: &Path, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), problem: problem.into() }
    }
}

impl std::fmt::Display for InstallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}; the file is as it was", self.file.display(), self.problem)
    }
}

impl std::error::Error for InstallError {}
