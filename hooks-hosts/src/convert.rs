//! Rule files from one host to another: what each entry becomes, and what is lost.

use serde_json::{Map, Value};

use crate::event::HookPoint;
use crate::host::Host;
use crate::install::{self, EntryDetails};
use crate::place::EntryForm;
use crate::table::HostEventSpec;

/// Keys by which a failure of the command closes.
const CLOSES: &[&str] = &["onFailure", "failClosed", "on_failure"];

/// What a file became.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conversion {
    /// The file of the other host.
    pub file: Value,
    /// What could not be kept.
    pub lost: Vec<String>,
}

/// One command of a file.
struct Rule {
    event: String,
    matcher: Option<String>,
    entry: Map<String, Value>,
    seconds: Option<f64>,
}

/// Writes the commands of a file of the host `from` as a file of the host `to`. A script must still read the payloads and write
/// the answers of the other host.
///
/// # Errors
/// The file is not JSON, or has no entries where the host expects them; or a host has no such file.
pub fn convert(from: &Host, to: &Host, text: &str) -> Result<Conversion, String> {
    let scripts = |host: &Host| host.place.form == EntryForm::Scripts;
    if scripts(from) || scripts(to) {
        return Err("Cline has one executable file per event, and no file of rules".to_owned());
    }
    let parsed: Value = serde_json::from_str(text).map_err(|error| format!("the file is not JSON: {error}"))?;
    let mut lost = Vec::new();
    let place = &to.place;
    let mut converted = install::seed(place);
    for rule in rules(from, &parsed, &mut lost)? {
        let Some(event) = event(from, to, &rule, &mut lost) else { continue };
        let matcher = matcher(from, to, &rule, event.name, &mut lost);
        let details = EntryDetails {
            matcher: matcher.as_deref().or(place.matcher),
            seconds: rule.seconds.unwrap_or(20.0),
            closes: rule.entry.keys().any(|key| CLOSES.contains(&key.as_str())),
        };
        let shown = format!("`{}`", event.name);
        if details.closes && (place.at_gates.is_empty() || event.kind != HookPoint::BeforeToolCall) {
            lost.push(format!("{shown}: a failure of the command opens at {}", to.title));
        }
        let is_kept = |key: &&String| *key == "command" || CLOSES.contains(&key.as_str());
        lost.extend(rule.entry.keys().filter(|key| !is_kept(key)).map(|key| format!("{shown}: the key `{key}`")));
        let command = rule.entry.get("command").and_then(Value::as_str).unwrap_or_default();
        let entry = install::entry(place, &event, "converted", command, &details);
        converted = install::appended(&converted, &install::path(place, event.name, "converted"), &entry)?;
    }
    let file = serde_json::from_str(&converted).map_err(|_| format!("nothing is left of it: {}", lost.join("; ")))?;
    Ok(Conversion { file, lost })
}

fn rules(host: &Host, file: &Value, lost: &mut Vec<String>) -> Result<Vec<Rule>, String> {
    let place = host.place;
    let root = place.root.map_or(Some(file), |root| file.get(root));
    let root = root.ok_or_else(|| format!("the file has no `{}`", place.root.unwrap_or_default()))?;
    let mut rules = Vec::new();
    match (place.form, root) {
        (EntryForm::List, Value::Array(entries)) => {
            for entry in entries {
                let event = entry["trigger"].as_str().unwrap_or_default();
                rule(host, event, None, entry, &mut rules, lost);
            }
        }
        (EntryForm::Named, Value::Object(names)) => {
            names.values().for_each(|events| of_events(host, events, &mut rules, lost));
        }
        (_, Value::Object(_)) => of_events(host, root, &mut rules, lost),
        _ => return Err(format!("the entries are not what {} expects", host.title)),
    }
    Ok(rules)
}

fn of_events(host: &Host, events: &Value, rules: &mut Vec<Rule>, lost: &mut Vec<String>) {
    for (event, entries) in events.as_object().into_iter().flatten() {
        for entry in entries.as_array().into_iter().flatten() {
            match entry.get("hooks").and_then(Value::as_array) {
                Some(group) => {
                    let matcher = entry.get("matcher").and_then(Value::as_str);
                    for entry in group {
                        rule(host, event, matcher, entry, rules, lost);
                    }
                }
                None => rule(host, event, None, entry, rules, lost),
            }
        }
    }
}

fn rule(host: &Host, event: &str, above: Option<&str>, entry: &Value, rules: &mut Vec<Rule>, lost: &mut Vec<String>) {
    let Value::Object(entry) = entry else { return };
    let mut entry = entry.clone();
    let matcher = entry.remove("matcher").and_then(|matcher| matcher.as_str().map(str::to_owned));
    if let Some(Value::Object(action)) = entry.remove("action") {
        entry.extend(action);
    }
    for key in ["name", "trigger", "enabled"] {
        entry.remove(key);
    }
    let kind = entry.remove("type");
    if kind.as_ref().is_some_and(|kind| kind != "command") {
        lost.push(format!("`{event}`: an entry of the type {}", kind.unwrap_or_default()));
        return;
    }
    if let Some(bash) = entry.remove("bash") {
        entry.insert("command".to_owned(), bash);
    }
    let timeout = ["timeout", "timeoutSec", "timeout_ms"].iter().find_map(|key| entry.remove(*key)?.as_f64());
    let in_millis = host.place.millis;
    let seconds = timeout.map(|time| if in_millis { time / 1000.0 } else { time });
    let matcher = matcher.or_else(|| above.map(str::to_owned));
    rules.push(Rule { event: event.to_owned(), matcher, entry, seconds });
}

/// The event of the other host that stands for the same.
fn event(from: &Host, to: &Host, rule: &Rule, lost: &mut Vec<String>) -> Option<HostEventSpec> {
    let kind = from.event(&rule.event).map(|event| event.kind).filter(|kind| *kind != HookPoint::Notice);
    let events = to.events().filter(|event| Some(event.kind) == kind);
    let same = events.clone().find(|event| to.place.names(event.name)).or_else(|| events.clone().next());
    if same.is_none() {
        lost.push(format!("`{}`: {} has no event for it", rule.event, to.title));
    }
    same
}

/// The matcher with the names that the other host has for the tools. A guard that would match less runs always.
fn matcher(from: &Host, to: &Host, rule: &Rule, event: &str, lost: &mut Vec<String>) -> Option<String> {
    let matcher = rule.matcher.as_deref().filter(|matcher| !["", "*", ".*"].contains(matcher))?;
    let names = |word: &str| -> Option<Vec<&'static str>> {
        let canonical = from.tools().find(|tool| tool.name == word)?.canonical;
        let of_tool = to.tools().filter(|tool| tool.canonical == canonical).map(|tool| tool.name);
        Some(of_tool.collect::<Vec<_>>()).filter(|names| !names.is_empty())
    };
    let words: Option<Vec<Vec<&str>>> = matcher.split('|').map(names).collect();
    let kept = words.filter(|_| to.place.matcher.is_some()).map(|words| {
        let mut words = words.concat();
        words.dedup();
        words.join("|")
    });
    if kept.is_none() {
        lost.push(format!("`{event}`: the matcher `{matcher}`; the command runs at every call"));
    }
    kept
}
