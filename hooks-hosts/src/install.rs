//! The entries of this program in the files of a host.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

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

    /// The events that the program is installed at.
    fn events(place: &EntryPlace, host: &Host, wanted: &dyn Fn(HookPoint) -> bool) -> Vec<HostEventSpec> {
        let named = |event: &HostEventSpec| place.names(event.name);
        host.events().filter(|event| event.kinds().any(wanted)).filter(named).collect()
    }

    /// Names the program in the host's files, at the events where `wanted` says that it has hooks.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not what the host expects. Then none is changed.
    pub fn install(&self, host: &Host, wanted: &dyn Fn(HookPoint) -> bool) -> Result<Vec<FileChange>, InstallError> {
        let place = host.place;
        let events = Self::events(&place, host, wanted);
        if place.form == EntryForm::Scripts {
            return events.iter().map(|event| self.script(host, &place, event.name)).collect();
        }
        let file = self.file(&place, "");
        let before = read(&file)?;
        let name = self.name();
        let failed = |problem| InstallError::of(&file, problem);
        let wanted: Vec<(HostEventSpec, String)> = events
            .into_iter()
            .map(|event| {
                let command = self.command(host.name, event.name);
                let details = EntryDetails { matcher: place.matcher, seconds: 20.0, closes: true };
                let entry = entry(&place, &event, &name, &command, &details);
                (event, entry)
            })
            .collect();
        if wanted.is_empty() {
            let done = self.uninstall(host)?;
            return Ok(if done.is_empty() { vec![FileChange::Unchanged(file)] } else { done });
        }
        let mut text = before.clone().unwrap_or_else(|| seed(&place));
        if let Some(before) = &before {
            let parsed = edit::parse(before).map_err(failed)?;
            let events: Vec<&str> = wanted.iter().map(|(event, _)| event.name).collect();
            if self.is_as_wanted(host, before, &parsed, &wanted) && self.unread(host, &events).is_none() {
                return Ok(vec![FileChange::Unchanged(file)]);
            }
            // One that is there may be of other rules, or have another matcher.
            text = self.without_ours(host, before).map_err(failed)?;
            if text == emptied(&place) {
                text = seed(&place);
            }
        }
        for (event, entry) in &wanted {
            text = appended(&text, &path(&place, event.name, &name), entry).map_err(failed)?;
        }
        let events: Vec<&str> = wanted.iter().map(|(event, _)| event.name).collect();
        let why = rejected(host, &edit::parse(&text).map_err(failed)?).or_else(|| self.hidden(&place, &events));
        if let Some(why) = why {
            return Err(InstallError::of(&file, why));
        }
        write(&file, &text, false)?;
        Ok(vec![FileChange::Added(file, wanted.iter().map(|(event, _)| event.name).collect())])
    }

    /// Why the host does not read the entries of this program at these events, although they are in its file.
    pub(crate) fn unread(&self, host: &Host, events: &[&str]) -> Option<String> {
        let text = read(&self.file(&host.place, "")).ok()??;
        rejected(host, &edit::parse(&text).ok()?).or_else(|| self.hidden(&host.place, events))
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

    /// Whether a file has these entries of this program, and no others.
    fn is_as_wanted(&self, host: &Host, text: &str, parsed: &Node, wanted: &[(HostEventSpec, String)]) -> bool {
        let value = |entry: &str| serde_json::from_str::<Value>(entry).ok();
        let there: Vec<_> =
            self.ours(host.name, parsed).iter().map(|(path, _)| value(&text[at(parsed, path)])).collect();
        there.len() == wanted.len() && wanted.iter().all(|(_, entry)| there.contains(&value(entry)))
    }

    /// The text of a file without the entries of this program.
    fn without_ours(&self, host: &Host, text: &str) -> Result<String, String> {
        let mut text = text.to_owned();
        while let Some((path, _)) = self.ours(host.name, &edit::parse(&text)?).pop() {
            text = edit::remove(&text, &path)?;
        }
        Ok(text)
    }

    /// Removes the entries of this program, and nothing else.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not JSON.
    pub fn uninstall(&self, host: &Host) -> Result<Vec<FileChange>, InstallError> {
        let place = host.place;
        if place.form == EntryForm::Scripts {
            let ours = self.scripts(host, &place).map(|(file, _)| file);
            return ours.map(|file| delete(&file).map(|()| FileChange::Deleted(file))).collect();
        }
        let file = self.file(&place, "");
        let Some(before) = read(&file)? else { return Ok(Vec::new()) };
        let text = self.without_ours(host, &before).map_err(|problem| InstallError::of(&file, problem))?;
        if text == before {
            return Ok(vec![FileChange::Unchanged(file)]);
        }
        let inside = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if text == emptied(&place) || inside.is_some_and(edit::is_ours) {
            delete(&file)?;
            return Ok(vec![FileChange::Deleted(file)]);
        }
        write(&file, &text, false)?;
        Ok(vec![FileChange::Removed(file)])
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
        let parsed = edit::parse(&text).map_err(|problem| InstallError::of(&file, problem))?;
        Ok(self.ours(host.name, &parsed).into_iter().map(|(_, command)| command).collect())
    }

    /// The entries of this program: the path of each, and its command. A group that holds nothing else is one.
    pub(crate) fn ours(&self, host: &str, root: &Node) -> Vec<(Vec<usize>, String)> {
        fn walk(
            node: &Node,
            path: &mut Vec<usize>,
            ours: &dyn Fn(&str) -> bool,
            found: &mut Vec<(Vec<usize>, String)>,
        ) {
            for (at, part) in node.parts().enumerate() {
                path.push(at);
                let in_list = matches!(node.kind, NodeKind::Array(_));
                match command_of(part).filter(|command| in_list && ours(command)) {
                    Some(command) => found.push((path.clone(), command.to_owned())),
                    None => walk(part, path, ours, found),
                }
                path.pop();
            }
        }
        let mut found = Vec::new();
        walk(root, &mut Vec::new(), &|command| self.is_ours(host, command), &mut found);
        found
    }

    fn script(&self, host: &Host, place: &EntryPlace, event: &'static str) -> Result<FileChange, InstallError> {
        let file = self.file(place, event);
        let text = format!("#!/bin/sh\nexec {}\n", self.command(host.name, event));
        match read(&file)? {
            Some(there) if there == text => return Ok(FileChange::Unchanged(file)),
            Some(there) if self.of_script(host, &there).is_none() => {
                return Err(InstallError::of(&file, "there is a hook already, and Cline runs one file per event"));
            }
            _ => {}
        }
        write(&file, &text, true)?;
        Ok(FileChange::Added(file, vec![event]))
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

/// Why the host reads nothing of its file.
fn rejected(host: &Host, root: &Node) -> Option<String> {
    fn is_cut(node: &Node) -> bool {
        let in_key = |member: &Member| member.key.contains("//");
        let members = if let NodeKind::Object(members) = &node.kind { &members[..] } else { &[] };
        node.text().is_some_and(|text| text.contains("//")) || members.iter().any(in_key) || node.parts().any(is_cut)
    }
    let place = host.place;
    let (title, head) = (host.title, place.head);
    let key = head.split('"').nth(1).filter(|_| place.strict)?;
    if root.get(key).is_none() {
        return Some(format!("{title} rejects the file, because `{key}` is missing; add `{head}`"));
    }
    if is_cut(root) {
        return Some(format!("{title} rejects the file, because it takes `//` in a text for a comment"));
    }
    let events = root.get(place.root?).map(|events| &events.kind);
    let Some(NodeKind::Object(events)) = events else { return None };
    let unknown = events.iter().find(|event| host.event(&event.key).is_none())?;
    Some(format!("{title} rejects the file, because it has no event `{}`", unknown.key))
}

/// The event for which a command of this crate is installed.
pub(crate) fn event_of(command: &str) -> &str {
    let event = command.rsplit_once(" --event ").map_or("", |(_, rest)| rest);
    event.split(' ').next().unwrap_or_default()
}

/// Where the part of a value stands to which a path leads.
fn at(root: &Node, path: &[usize]) -> Range<usize> {
    let part = |node: &Node, index: &usize| match &node.kind {
        NodeKind::Object(members) => members.get(*index).map(|member| member.value.clone()),
        NodeKind::Array(list) => list.get(*index).cloned(),
        _ => None,
    };
    path.iter().try_fold(root.clone(), |node, index| part(&node, index)).map_or(0..0, |node| node.span)
}

/// The command of an entry, or of a group with one entry.
fn command_of(node: &Node) -> Option<&str> {
    let direct = ["command", "bash"].iter().find_map(|key| node.get(key)?.text());
    let action = || node.get("action")?.get("command")?.text();
    let group = || match &node.get("hooks")?.kind {
        NodeKind::Array(list) if list.len() == 1 => command_of(&list[0]),
        _ => None,
    };
    direct.or_else(action).or_else(group)
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

/// A new file, in which the first entry takes the place of the mark.
const MARK: &str = "\u{1}";

pub(crate) fn seed(place: &EntryPlace) -> String {
    match place.head {
        "" => format!("{{\n  {MARK}\n}}\n"),
        head => format!("{{\n  {head},\n  {MARK}\n}}\n"),
    }
}

/// What is left of a new file without its entries.
fn emptied(place: &EntryPlace) -> String {
    if place.head.is_empty() { String::new() } else { format!("{{\n  {}\n}}\n", place.head) }
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

/// Writes beside the file, and then puts that in its place. A link stays, and what it leads to is replaced.
fn write(file: &Path, text: &str, executable: bool) -> Result<(), InstallError> {
    let put = || -> io::Result<()> {
        let target = if file.exists() { fs::canonicalize(file)? } else { file.to_owned() };
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let permissions = fs::metadata(&target).ok().map(|meta| meta.permissions());
        if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let beside = folder.join(format!(".hooks-{}.tmp", std::process::id()));
        let written = (|| {
            let mut new = OpenOptions::new().write(true).create(true).truncate(true).open(&beside)?;
            new.write_all(text.as_bytes())?;
            if let Some(permissions) = permissions {
                fs::set_permissions(&beside, permissions)?;
            } else if executable {
                make_executable(&beside)?;
            }
            new.sync_all()?;
            fs::rename(&beside, &target)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    };
    put().map_err(|error| InstallError::of(file, error.to_string()))
}

#[cfg(unix)]
fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_file: &Path) -> io::Result<()> {
    Ok(())
}

fn delete(file: &Path) -> Result<(), InstallError> {
    fs::remove_file(file).map_err(|error| InstallError::of(file, error.to_string()))
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
