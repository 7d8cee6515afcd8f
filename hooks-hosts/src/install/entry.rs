//! What an entry says in a host's file, and the entries that are there.

use serde_json::{Map, Value};

use crate::edit;
use crate::host::Host;
use crate::place::{EntryForm, EntryPlace, INSTALLED};
use crate::table::{HookPoint, HostEventSpec};

/// An entry of this program, and what the host reads of it.
#[derive(Clone, Default)]
pub(super) struct FileEntry {
    /// Leads to what goes with it: the entry, or its group if that is of this program too.
    pub(super) path: Vec<String>,
    /// The keys that lead to it.
    pub(super) at: String,
    /// What it says, and the group around it.
    pub(super) settings: Map<String, Value>,
    pub(super) command: String,
}

/// The entries with commands of ours below a value.
pub(super) fn walk(value: &Value, above: &FileEntry, ours: &dyn Fn(&str) -> bool, found: &mut Vec<FileEntry>) {
    let in_list = value.is_array();
    let parts: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, part)| (key.clone(), part)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(at, part)| (at.to_string(), part)).collect(),
        _ => return,
    };
    let is_alone = parts.len() == 1
        && above.at.ends_with("[].hooks")
        && above.settings.keys().all(|key| key == "matcher" || key == "enabled");
    for (name, part) in parts {
        let mut entry = above.clone();
        entry.at.extend(if in_list { ["[]", ""] } else { [".", name.as_str()] });
        entry.path.push(name);
        // Of what is no entry and no group, this alone counts.
        let counts = |(key, said): &(&String, &Value)| {
            if in_list {
                *key != "hooks" && *key != "action"
            } else {
                *key == "enabled" && **said == Value::Bool(false)
            }
        };
        let said = part.as_object().into_iter().chain(part.get("action").and_then(Value::as_object)).flatten();
        entry.settings.extend(said.filter(counts).map(|(key, said)| (key.clone(), said.clone())));
        let command = ["command", "bash"].iter().find_map(|key| entry.settings.get(*key)?.as_str());
        match command.filter(|command| in_list && part.is_object() && ours(command)).map(str::to_owned) {
            Some(command) => {
                if is_alone {
                    entry.path.truncate(entry.path.len() - 2);
                }
                found.push(FileEntry { command, ..entry });
            }
            None => walk(part, &entry, ours, found),
        }
    }
}

/// The text of a file without these entries.
pub(super) fn without(text: &str, ours: &[FileEntry]) -> Result<String, String> {
    ours.iter().rev().try_fold(text.to_owned(), |text, entry| edit::remove(&text, &entry.path))
}

/// What a person may add or change without consequences.
const TELLING: &[&str] = &["name", "description", "statusMessage", "show_output"];

/// In what an entry is other than `install` would write it: what keeps the host from asking or from hearing the answer, and
/// what does not.
pub(super) fn differences(host: &Host, entry: &FileEntry, wanted: &FileEntry) -> (Vec<String>, Vec<String>) {
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
pub(crate) fn rejected(host: &Host, text: &str) -> Result<Option<String>, String> {
    let place = host.place;
    if place.form == EntryForm::Scripts {
        return Ok(None);
    }
    let root = edit::parse(text)?;
    let why = unread(host, &root).or_else(|| {
        let error = serde_json::from_str::<Value>(text).err().filter(|_| !place.comments)?;
        Some(format!("it takes no comment, no comma at an end and no byte order mark: {error}"))
    });
    Ok(why.map(|why| format!("{} rejects the file, because {why}", host.title)))
}

fn unread(host: &Host, root: &Value) -> Option<String> {
    let place = host.place;
    if let Some(key) = place.head.split('"').nth(1).filter(|key| root.get(key).is_none()) {
        return Some(format!("`{key}` is missing; add `{}`", place.head));
    }
    if place.typed {
        return mistyped(host, root);
    }
    if !place.strict {
        return None;
    }
    // Only a text can hold it.
    if root.to_string().contains("//") {
        return Some("it takes `//` in a text for a comment".to_owned());
    }
    let events = root.get(place.root?)?.as_object()?;
    if let Some(unknown) = events.keys().find(|event| host.event(event).is_none()) {
        return Some(format!("it has no event `{unknown}`"));
    }
    let entries = events.values().filter_map(Value::as_array).flatten();
    entries.filter_map(|entry| entry.get("matcher")).find_map(|matcher| match matcher.as_str() {
        Some(text) => {
            let flaw = regress::Regex::new(text).err();
            flaw.map(|why| format!("the matcher `{text}` is no regular expression of JavaScript: {why}"))
        }
        None => Some("a `matcher` is no text".to_owned()),
    })
}

/// What of the groups at its events has another type than in what `install` writes.
fn mistyped(host: &Host, root: &Value) -> Option<String> {
    let details = EntryDetails { matcher: Some(""), seconds: INSTALLED, closes: true };
    let group = self::text(&host.place, &host.events().next()?, "", "", &details);
    let group = serde_json::from_str(&group).ok()?;
    let is_event = |(name, _): &(&String, &Value)| host.event(name).is_some();
    if let Some((event, _)) = root.as_object()?.iter().find(is_event) {
        return Some(format!("`{event}` does not stand in `hooks`"));
    }
    let Some(hooks) = root.get("hooks")?.as_object() else { return Some("`hooks` is no object".to_owned()) };
    hooks.iter().filter(is_event).find_map(|(event, groups)| {
        let Some(groups) = groups.as_array() else { return Some(format!("`{event}` is no list")) };
        groups.iter().find_map(|has| unfit(event, has, &group))
    })
}

fn unfit(key: &str, has: &Value, wanted: &Value) -> Option<String> {
    let fits = match (wanted, has) {
        (Value::Object(wanted), Value::Object(has)) => {
            return wanted
                .iter()
                .find_map(|(key, wanted)| unfit(key, has.get(key).filter(|has| !has.is_null())?, wanted));
        }
        (Value::Array(wanted), Value::Array(has)) => {
            return has.iter().find_map(|has| unfit(key, has, wanted.first()?));
        }
        (Value::String(word), _) if word == "block" => has == "block" || has == "allow",
        (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_)) => true,
        _ => false,
    };
    (!fits).then(|| format!("it cannot be `{key}: {has}`"))
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

fn text(place: &EntryPlace, event: &HostEventSpec, name: &str, command: &str, details: &EntryDetails<'_>) -> String {
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

/// A new file, in which the first entry takes the place of the mark. Entries added to a file of others come last, so it is none
/// of these.
const MARK: &str = "\u{1}";

pub(crate) fn seed(place: &EntryPlace) -> String {
    let comma = if place.head.is_empty() { "" } else { ",\n  " };
    format!("{{\n  {MARK}{comma}{}\n}}\n", place.head)
}

/// The text of a file with one more entry.
pub(crate) fn added(
    text: &str,
    place: &EntryPlace,
    event: &HostEventSpec,
    name: &str,
    command: &str,
    details: &EntryDetails<'_>,
) -> Result<String, String> {
    let path: Vec<&str> = match place.form {
        EntryForm::Named => vec![name, event.name],
        EntryForm::List => place.root.into_iter().collect(),
        _ => place.root.into_iter().chain([event.name]).collect(),
    };
    let entry = self::text(place, event, name, command, details);
    if !text.contains(MARK) {
        return edit::append(text, &path, &entry);
    }
    // The first entry of a new file: the members that lead to it, as `append` writes them.
    let whole = edit::append("{\n  \"\": 0\n}\n", &path, &entry)?;
    let member = whole.strip_prefix("{\n  \"\": 0,\n  ").and_then(|rest| rest.strip_suffix("\n}\n"));
    Ok(text.replace(MARK, member.unwrap_or_default()))
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
