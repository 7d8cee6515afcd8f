//! Rule files from one host to another: what each entry becomes, and what is lost.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::event::HostEvent;
use crate::host::Host;
use crate::install::entry::{self, EntryDetails};
use crate::place::{EntryForm, EntryPlace, TimeUnit, quoted};
use crate::table::{Carried, HookPoint, HostEventSpec, MCP};

/// Keys that say whether a failure of the command closes: by `"block"` or `true`.
const CLOSES: &[&str] = &["onFailure", "failClosed", "on_failure"];

/// The keys of times, and the unit of those whose name says it.
const TIMES: &[(&str, Option<TimeUnit>)] =
    &[("timeout", None), ("timeoutSec", Some(TimeUnit::Seconds)), ("timeout_ms", Some(TimeUnit::Millis))];

/// What stands in place of no limit, and of one that nobody knows.
const LONGEST: f64 = 600.0;

/// More seconds are no limit: timers of some hosts overflow.
const ENDLESS: f64 = 1e6;

/// An entry of Kiro's older engine, whose files have a list for each event.
const KIRO_V2: &str = r#"{"command": $COMMAND, "timeout_ms": $TIME}"#;

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
    command: String,
    seconds: f64,
    closes: bool,
}

/// Tools in the terms of hooks: for each word of a matcher, what calls of its tools are judged as. `None`: every call.
type Selected = Option<Vec<Vec<&'static str>>>;

/// Writes the commands of a file of the host `from` as a file of the host `to`. A script must still read the payloads and write
/// the answers of the other host. A command is never run at fewer calls than before.
///
/// # Errors
/// The file is not JSON, has no entries where the host expects them, or switches them off; or a host has no such file.
pub fn convert(from: &Host, to: &Host, text: &str) -> Result<Conversion, String> {
    let scripts = |host: &Host| host.place.form == EntryForm::Scripts;
    if scripts(from) || scripts(to) {
        return Err("Cline has one executable file per event, and no file of rules".to_owned());
    }
    let parsed: Value = serde_json::from_str(text).map_err(|error| format!("the file is not JSON: {error}"))?;
    if let Some((pointer, word)) = from.place.off.filter(|(at, word)| parsed.pointer(at) == Some(&Value::from(*word))) {
        return Err(format!("`{}: {word}` switches all of its hooks off", pointer[1..].replace('/', ".")));
    }
    let disabled = from.place.off.and_then(|(at, _)| parsed.pointer(&at.replace("/enabled", "/disabled"))?.as_array());
    let disabled = disabled.into_iter().flatten().collect();
    let mut reader = RuleReader { from, keys: Value::Null, disabled, rules: Vec::new(), lost: Vec::new() };
    reader.file(&parsed)?;
    let RuleReader { rules, mut lost, .. } = reader;
    let place = &to.place;
    let mut converted = entry::seed(place);
    for rule in rules {
        let targets = targets(from, to, &rule, &mut lost);
        if targets.is_empty() {
            continue;
        }
        for (event, matcher) in targets {
            let is_gate = event.kind == HookPoint::BeforeToolCall;
            if rule.closes && !(is_gate && (place.closes || !place.at_gates.is_empty())) {
                lost.push(format!("`{}`: a failure of the command opens at {}", event.name, to.title));
            }
            let details = EntryDetails {
                matcher: matcher.as_deref().or(place.matcher),
                seconds: rule.seconds,
                closes: rule.closes,
            };
            let command = readdressed(&rule.command, from, to, event.name);
            let command = command.as_ref().unwrap_or(&rule.command);
            converted = entry::added(&converted, place, &event, "converted", command, &details)?;
        }
        if !place.handler.contains("$TIME") {
            lost.push(format!("`{}`: the timeout of {} s", rule.event, rule.seconds));
        }
        let named = rule.command.split(|c: char| !is_of_name(c));
        let unset: BTreeSet<&str> = named.filter(|name| from.place.sets(name) && !to.place.sets(name)).collect();
        for name in unset {
            lost.push(format!("`{}`: the command uses `${name}`, which {} does not set", rule.event, to.title));
        }
    }
    match serde_json::from_str(&converted) {
        Ok(file) => {
            lost.extend(entry::rejected(to, &converted)?);
            Ok(Conversion { file, lost })
        }
        Err(_) if lost.is_empty() => Err("the file has no commands".to_owned()),
        Err(_) => Err(format!("nothing is left of it: {}", lost.join("; "))),
    }
}

/// A command of this crate, which answers the other host now. `None`: it is none.
fn readdressed(command: &str, from: &Host, to: &Host, event: &str) -> Option<String> {
    let (program, rest) = command.split_once(&format!(" host {}", from.name))?;
    let mut words: Vec<&str> = rest.split(' ').collect();
    if let Some(at) = words.iter().position(|word| *word == "--event") {
        words.drain(at..words.len().min(at + 2));
    }
    let is_longer = rest.starts_with(|c: char| is_of_name(c) || c == '-');
    (!is_longer).then(|| format!("{program} host {} --event {event}{}", to.name, words.join(" ")))
}

/// Whether it may stand in the name of a variable.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The keys of an entry that a host reads, where they stand in it.
fn keys_of(handler: &str, place: &EntryPlace) -> Value {
    let handler = handler.replace("$GATE", place.at_gates).replace("$TIME", "0").replace("$COMMAND", "0");
    let mut keys: Value = serde_json::from_str(&handler).unwrap_or_default();
    place.reads.split_whitespace().for_each(|key| keys[key] = Value::Null);
    keys
}

/// Sorts the keys of an entry into those that the host reads there, and the names of the others.
fn sort(entry: &Map<String, Value>, known: &Value, keys: &mut Map<String, Value>, others: &mut Vec<String>) {
    for (key, value) in entry {
        match (known.get(key), value) {
            (Some(known @ Value::Object(_)), Value::Object(inner)) => sort(inner, known, keys, others),
            (Some(_), value) => drop(keys.insert(key.clone(), value.clone())),
            (None, _) => others.push(key.clone()),
        }
    }
}

/// Reads the rules of a file.
struct RuleReader<'a> {
    from: &'a Host,
    keys: Value,
    disabled: Vec<&'a Value>,
    rules: Vec<Rule>,
    lost: Vec<String>,
}

impl RuleReader<'_> {
    fn file(&mut self, file: &Value) -> Result<(), String> {
        let place = self.from.place;
        // A file beside the settings may have the events alone.
        let bare = (!place.bare.is_empty()).then_some(file);
        let root = place.root.map_or(Some(file), |root| file.get(root).or(bare));
        let root = root.ok_or_else(|| format!("the file has no `{}`", place.root.unwrap_or_default()))?;
        let is_older = place.form == EntryForm::List && root.is_object();
        self.keys = keys_of(if is_older { KIRO_V2 } else { place.handler }, &place);
        match (place.form, root) {
            (EntryForm::List, Value::Array(entries)) => {
                for one in entries {
                    self.entry(one["trigger"].as_str().unwrap_or_default(), None, one);
                }
            }
            (EntryForm::Named, Value::Object(names)) => names.values().for_each(|events| self.events(events)),
            (_, Value::Object(_)) => self.events(root),
            _ => return Err(format!("the entries are not what {} expects", self.from.title)),
        }
        Ok(())
    }

    fn lose(&mut self, event: &str, what: &str) {
        self.lost.push(format!("`{event}`: {what}"));
    }

    fn events(&mut self, events: &Value) {
        // Elsewhere it is an event that nobody knows.
        let switch = (self.from.place.form == EntryForm::Named).then_some("enabled");
        let is_off = switch.is_some_and(|switch| events.get(switch) == Some(&Value::Bool(false)));
        for (event, entries) in events.as_object().into_iter().flatten().filter(|(name, _)| Some(&***name) != switch) {
            let Some(entries) = entries.as_array().filter(|_| !is_off) else {
                self.lose(event, if is_off { "entries that are switched off" } else { "it is not a list of entries" });
                continue;
            };
            for entry in entries {
                match (entry.as_object(), entry.get("hooks").and_then(Value::as_array)) {
                    (Some(group), Some(entries)) => entries.iter().for_each(|one| self.entry(event, Some(group), one)),
                    _ => self.entry(event, None, entry),
                }
            }
        }
    }

    /// One entry, and the group that it is in.
    fn entry(&mut self, event: &str, group: Option<&Map<String, Value>>, entry: &Value) {
        let Value::Object(entry) = entry else { return self.lose(event, "an entry that is not an object") };
        let (mut keys, mut others) = (Map::new(), Vec::new());
        sort(entry, &self.keys, &mut keys, &mut others);
        match group {
            Some(group) => others.extend(group.keys().filter(|key| *key != "matcher" && *key != "hooks").cloned()),
            None => others.retain(|key| key != "matcher"),
        }
        let (name, _trigger) = (keys.remove("name"), keys.remove("trigger"));
        let kind = keys.remove("type");
        if let Some(kind) = kind.filter(|kind| kind != "command") {
            return self.lose(event, &format!("an entry of the type {kind}"));
        }
        let enabled = keys.remove("enabled");
        let Some(command) = self.command(&mut keys) else { return self.lose(event, "an entry without `command`") };
        let named = |off: &&&Value| off.as_str() == Some(command.as_str()) || Some(**off) == name.as_ref();
        if enabled == Some(Value::Bool(false)) || self.disabled.iter().any(|off| named(&off)) {
            return self.lose(event, &format!("`{command}`, which is switched off"));
        }
        let matcher = match group.unwrap_or(entry).get("matcher") {
            None | Some(Value::Null) => None,
            Some(Value::String(matcher)) => Some(matcher.clone()),
            Some(other) => {
                self.lose(event, &format!("the matcher `{other}`; the command runs at every call"));
                None
            }
        };
        let seconds = self.seconds(event, &mut keys);
        let said: Vec<Value> = CLOSES.iter().filter_map(|key| keys.remove(*key)).collect();
        let said = said.first().map(|word| word == "block" || *word == Value::Bool(true));
        let is_gate = self.from.event(event).is_some_and(|event| event.kind == HookPoint::BeforeToolCall);
        let closes = said.unwrap_or(self.from.place.closes && is_gate);
        keys.keys().chain(&others).for_each(|key| self.lost.push(format!("`{event}`: the key `{key}`")));
        self.rules.push(Rule { event: event.to_owned(), matcher, command, seconds, closes });
    }

    /// How long the host waits for the command.
    fn seconds(&mut self, event: &str, keys: &mut Map<String, Value>) -> f64 {
        let place = self.from.place;
        let sent = TIMES.iter().find_map(|(key, unit)| Some((keys.remove(*key)?, unit.unwrap_or(place.unit))));
        let (seconds, what) = match sent {
            Some((value, unit)) => {
                let seconds = value.as_f64().map(|number| unit.seconds(number));
                let limit = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= ENDLESS);
                (limit, format!("a timeout of {value}, which is"))
            }
            None => {
                let what = format!("the time that {} waits, which nobody knows; it is", self.from.title);
                (place.wait(event), what)
            }
        };
        seconds.unwrap_or_else(|| {
            self.lose(event, &format!("{what} {LONGEST} s"));
            LONGEST
        })
    }

    /// The command line of an entry. A program with a list of arguments is run without a shell.
    fn command(&self, keys: &mut Map<String, Value>) -> Option<String> {
        let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let find = |key: &'static str| Some((key, keys.get(key).and_then(text)?));
        let (name, program) = ["bash", "command", "exec"].into_iter().find_map(find)?;
        keys.remove(name);
        // Where there is `exec`, only that has arguments.
        let list =
            keys.get("args").and_then(Value::as_array).filter(|_| self.keys.get("exec").is_none() || name == "exec");
        let word = |text: &str| word(text, &self.from.place);
        let args: Option<Vec<&str>> = list.and_then(|args| args.iter().map(Value::as_str).collect());
        match args {
            Some(args) => {
                let words: Vec<String> = std::iter::once(&*program).chain(args).map(word).collect();
                keys.remove("args");
                Some(words.join(" "))
            }
            None if name == "exec" => Some(word(&program)),
            None => Some(program),
        }
    }
}

/// A word of a command that is run without a shell. Where the host puts its own variables, a shell does.
fn word(text: &str, place: &EntryPlace) -> String {
    let own = |(at, _)| {
        let (name, after) = text[at + 2..].split_once('}')?;
        (name.chars().all(is_of_name) && place.sets(name)).then_some((&text[..at], name, after))
    };
    let Some((before, name, after)) = text.match_indices("${").find_map(own) else { return quoted(text) };
    let part = |text: &str| if text.is_empty() { String::new() } else { word(text, place) };
    format!("{}\"${{{name}}}\"{}", part(before), part(after))
}

/// The events of the other host that tell what the rule is run at, and the matcher at each.
fn targets(from: &Host, to: &Host, rule: &Rule, lost: &mut Vec<String>) -> Vec<(HostEventSpec, Option<String>)> {
    let known = from.event(&rule.event);
    let failed = HookPoint::AfterToolCallFailure;
    let tells = |event: &HostEventSpec| {
        let Some(known) = known else { return false };
        // Where no event is of failed calls alone, that of results may tell them too.
        let may_fail = known.kind == HookPoint::AfterToolCallSuccess && from.events().all(|event| event.kind != failed);
        known.kinds().chain(may_fail.then_some(failed)).any(|kind| event.fires(kind))
    };
    // What both hosts only tell has no kind, but the same name.
    let notice = known.filter(|known| known.kind == HookPoint::Notice).and_then(|known| {
        let name = to.notices.split_whitespace().find(|name| name.eq_ignore_ascii_case(known.name))?;
        to.event(name)
    });
    let mut events: Vec<_> =
        to.events().filter(|event| to.place.names(event.name)).filter(tells).chain(notice).collect();
    let (Some(known), false) = (known, events.is_empty()) else {
        lost.push(format!("`{}`: {} has no event for it", rule.event, to.title));
        return Vec::new();
    };
    for event in &events {
        for does in ignores(&known, to, event) {
            lost.push(format!("`{}`: {} {does} there, whatever the command says", event.name, to.title));
        }
    }
    let selected = selected(from, rule, &known, lost);
    let mut wider = |what: &str| {
        let shown = rule.matcher.as_ref().map_or_else(|| known.tools.join("|"), Clone::clone);
        lost.push(format!("`{what}`: the matcher `{shown}`; the command runs at every call"));
    };
    // Where one event tells the calls of all tools, the others tell some of them again.
    if events.iter().any(|event| event.tools.is_empty()) {
        events.retain(|event| event.tools.is_empty());
        let matcher = selected.as_ref().and_then(|words| matcher(to, words));
        if selected.is_some() && matcher.is_none() {
            wider(events[0].name);
        }
        return events.into_iter().map(|event| (event, matcher.clone())).collect();
    }
    if let Some(words) = &selected {
        let of = |event: &HostEventSpec| judged(to, event.tools);
        let has = |event: &HostEventSpec, word: &Vec<&str>| of(event).iter().any(|tool| word.contains(tool));
        if words.iter().all(|word| events.iter().any(|event| has(event, word))) {
            events.retain(|event| words.iter().any(|word| has(event, word)));
        } else {
            wider(events[0].name);
        }
    }
    events.into_iter().map(|event| (event, None)).collect()
}

/// What the other host does at its event because it does not hear what it hears at this one.
fn ignores(known: &HostEventSpec, to: &Host, event: &HostEventSpec) -> impl Iterator<Item = &'static str> + use<> {
    let unheard = |carried| matches!(carried, Carried::Impossible | Carried::Absent);
    let (here, there) = (known.carries, to.carries(&HostEvent::named(to.name, event.kind, event.name)));
    let answers = [
        ("goes on", here.deny, there.deny),
        ("goes on", here.keep_going, there.keep_going),
        ("keeps the result", here.replace, there.replace),
    ];
    answers.into_iter().filter(move |(_, here, there)| !unheard(*here) && unheard(*there)).map(|(does, ..)| does)
}

/// What calls of these tools of a host are judged as.
fn judged(host: &Host, names: &[&'static str]) -> Vec<&'static str> {
    let of_name = |name: &&'static str| {
        let name = *name;
        let tools = host.tools().filter(move |tool| tool.name == name).flat_map(|tool| tool.judged_as());
        tools.chain((name == MCP).then_some(MCP)).collect::<Vec<_>>()
    };
    names.iter().flat_map(of_name).collect()
}

/// The calls that a rule is run at.
fn selected(from: &Host, rule: &Rule, event: &HostEventSpec, lost: &mut Vec<String>) -> Selected {
    let matcher = rule.matcher.as_deref().filter(|matcher| !["", "*", ".*"].contains(matcher));
    let mut tell = |matcher: &str| {
        lost.push(format!("`{}`: the matcher `{matcher}`; the command runs at every call", rule.event));
    };
    if !event.tools.is_empty() {
        // A matcher at such an event is about something else, such as the line of a shell.
        matcher.into_iter().for_each(&mut tell);
        return Some(event.tools.iter().map(|tool| judged(from, &[tool])).collect());
    }
    let matcher = matcher?;
    // As a regular expression without anchors, a word selects all tools that contain it.
    let word = |word: &str| -> Option<Vec<&'static str>> {
        if from.place.mcp == Some(word) {
            return Some(vec![MCP]);
        }
        let (lower, contains) = (word.to_lowercase(), |tool: &str, word: &str| tool.to_lowercase().contains(word));
        let tools = from.tools().filter(|tool| contains(tool.name, &lower));
        let is_name = from.tools().any(|tool| tool.name.eq_ignore_ascii_case(word));
        is_name.then(|| tools.flat_map(|tool| tool.judged_as()).collect())
    };
    let words = from.place.matcher.and_then(|_| matcher.split('|').map(word).collect::<Option<Vec<_>>>());
    let Some(mut words) = words else {
        tell(matcher);
        return None;
    };
    if !from.place.exact && !words.contains(&vec![MCP]) {
        words.push(vec![MCP]);
        let what = "may select tools of servers; the command runs at all of them";
        lost.push(format!("`{}`: the matcher `{matcher}` {what}", rule.event));
    }
    Some(words)
}

/// The matcher that selects at least these calls. `None`: the host has no names for some of them, or no matchers.
fn matcher(to: &Host, words: &[Vec<&'static str>]) -> Option<String> {
    to.place.matcher?;
    let mut names: Vec<&str> = Vec::new();
    for word in words {
        let tools = to.tools().filter(|tool| tool.judged_as().any(|judged| word.contains(&judged)));
        let mcp = to.place.mcp.filter(|_| word.contains(&MCP));
        let mut of_word = tools.map(|tool| tool.name).chain(mcp).peekable();
        of_word.peek()?;
        for name in of_word {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Some(names.join("|"))
}
