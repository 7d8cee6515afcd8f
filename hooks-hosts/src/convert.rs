//! Rule files from one host to another: what each entry becomes, and what is lost.

use serde_json::{Map, Value, json};

use crate::event::HookPoint;
use crate::host::Host;
use crate::place::EntryForm;

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
pub fn convert(from: &dyn Host, to: &dyn Host, text: &str) -> Result<Conversion, String> {
    let scripts = |host: &dyn Host| host.place().form == EntryForm::Scripts;
    if scripts(from) || scripts(to) {
        return Err("Cline has one executable file per event, and no file of rules".to_owned());
    }
    let parsed: Value = serde_json::from_str(text).map_err(|error| format!("the file is not JSON: {error}"))?;
    let mut lost = Vec::new();
    let rules = rules(from, &parsed, &mut lost)?;
    let mut file = Map::new();
    if let Ok(Value::Object(head)) = serde_json::from_str(&format!("{{{}}}", to.place().head)) {
        file.extend(head);
    }
    let mut file = Value::Object(file);
    for rule in rules {
        let Some(event) = event(from, to, &rule, &mut lost) else { continue };
        let (shown, matcher) = matcher(from, to, &rule, event, &mut lost);
        put(to, &mut file, event, matcher, handler(to, &rule, &shown, &mut lost));
    }
    Ok(Conversion { file, lost })
}

fn rules(host: &dyn Host, file: &Value, lost: &mut Vec<String>) -> Result<Vec<Rule>, String> {
    let place = host.place();
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
        _ => return Err(format!("the entries are not what {} expects", host.table().title)),
    }
    Ok(rules)
}

fn of_events(host: &dyn Host, events: &Value, rules: &mut Vec<Rule>, lost: &mut Vec<String>) {
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

fn rule(
    host: &dyn Host,
    event: &str,
    above: Option<&str>,
    entry: &Value,
    rules: &mut Vec<Rule>,
    lost: &mut Vec<String>,
) {
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
    let in_millis = host.place().handler.contains("20000");
    let seconds = timeout.map(|time| if in_millis { time / 1000.0 } else { time });
    let matcher = matcher.or_else(|| above.map(str::to_owned));
    rules.push(Rule { event: event.to_owned(), matcher, entry, seconds });
}

/// The event of the other host that stands for the same.
fn event(from: &dyn Host, to: &dyn Host, rule: &Rule, lost: &mut Vec<String>) -> Option<&'static str> {
    let kind = from.table().event(&rule.event).map(|event| event.kind).filter(|kind| *kind != HookPoint::Notice);
    let named = to.place().events;
    let fits = |name: &&str| named.is_empty() || named.contains(name);
    let same = kind.and_then(|kind| {
        let events = to.table().events.iter().filter(|event| event.kind == kind).map(|event| event.name);
        events.clone().find(fits).or_else(|| events.clone().next())
    });
    if same.is_none() {
        lost.push(format!("`{}`: {} has no event for it", rule.event, to.table().title));
    }
    same
}

/// The matcher with the names that the other host has for the tools. A guard that would match less gets none, and runs always.
fn matcher(
    from: &dyn Host,
    to: &dyn Host,
    rule: &Rule,
    event: &str,
    lost: &mut Vec<String>,
) -> (String, Option<String>) {
    let shown = format!("`{event}`");
    let Some(matcher) = rule.matcher.as_deref().filter(|matcher| !["", "*", ".*"].contains(matcher)) else {
        return (shown, None);
    };
    let Some(all) = to.place().matcher else {
        lost.push(format!("{shown}: the matcher `{matcher}`; the command runs at every call"));
        return (shown, None);
    };
    let names = |word: &str| -> Option<Vec<&'static str>> {
        let canonical = from.table().tools.iter().find(|tool| tool.name == word)?.canonical;
        let of_tool = to.table().tools.iter().filter(|tool| tool.canonical == canonical).map(|tool| tool.name);
        Some(of_tool.collect::<Vec<_>>()).filter(|names| !names.is_empty())
    };
    let words: Option<Vec<Vec<&str>>> = matcher.split('|').map(names).collect();
    match words {
        Some(words) => {
            let mut words = words.concat();
            words.dedup();
            (shown, Some(words.join("|")))
        }
        None => {
            lost.push(format!("{shown}: the matcher `{matcher}`; the command runs at every call"));
            (shown, Some(all.to_owned()))
        }
    }
}

fn handler(to: &dyn Host, rule: &Rule, shown: &str, lost: &mut Vec<String>) -> Map<String, Value> {
    let place = to.place();
    let template = place.handler.replace("$COMMAND", "\"$COMMAND\"").replace("$GATE", place.at_gates);
    let Ok(Value::Object(mut handler)) = serde_json::from_str(&template) else { return Map::new() };
    let command = rule.entry.get("command").cloned().unwrap_or_default();
    let mut known = vec!["command"];
    for (key, value) in &mut handler {
        match (key.as_str(), &mut *value) {
            (_, Value::String(text)) if text == "$COMMAND" => *value = command.clone(),
            ("action", action) => action["command"] = command.clone(),
            ("trigger" | "name", Value::String(text)) => {
                *text = text.replace("$NAME", "converted").replace("$EVENT", shown.trim_matches('`'));
            }
            ("timeout" | "timeoutSec", time) => {
                let seconds = rule.seconds.unwrap_or(20.0);
                let in_millis = time.as_f64() == Some(20_000.0);
                *time = json!(if in_millis { seconds * 1000.0 } else { seconds });
                if let Some(whole) = time.as_f64().filter(|time| time.fract() == 0.0) {
                    // A number of the file, which was one of a host.
                    #[allow(clippy::cast_possible_truncation)]
                    let whole = whole as i64;
                    *time = whole.into();
                }
            }
            _ => {}
        }
    }
    // How a failure counts is kept only if the file has said it.
    for key in ["onFailure", "failClosed", "on_failure"] {
        if handler.contains_key(key)
            && !rule.entry.keys().any(|said| ["onFailure", "failClosed", "on_failure"].contains(&said.as_str()))
        {
            handler.remove(key);
        }
    }
    known.extend(["onFailure", "failClosed", "on_failure"]);
    let closes = rule.entry.keys().any(|key| known[1..].contains(&key.as_str()));
    if closes && !handler.keys().any(|key| known[1..].contains(&key.as_str())) {
        lost.push(format!("{shown}: a failure of the command opens at {}", to.table().title));
    }
    for key in rule.entry.keys().filter(|key| !known.contains(&key.as_str())) {
        lost.push(format!("{shown}: the key `{key}`"));
    }
    handler
}

fn put(to: &dyn Host, file: &mut Value, event: &str, matcher: Option<String>, mut handler: Map<String, Value>) {
    let place = to.place();
    let grouped = |handler: Map<String, Value>| match &matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    };
    let (list, entry) = match place.form {
        EntryForm::List => {
            handler.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher.into())));
            (&mut file[place.root.unwrap_or_default()], handler.into())
        }
        EntryForm::Groups => (&mut file[place.root.unwrap_or_default()][event], grouped(handler)),
        EntryForm::Named => {
            let entry = if event.ends_with("ToolUse") { grouped(handler) } else { handler.into() };
            (&mut file["converted"][event], entry)
        }
        _ => (&mut file[place.root.unwrap_or_default()][event], handler.into()),
    };
    match list {
        Value::Array(list) => list.push(entry),
        other => *other = json!([entry]),
    }
}
