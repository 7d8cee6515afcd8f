//! Canonical tools and arguments, and back again.

mod looks;

use serde_json::{Map, Value, json};

use crate::event::HostEvent;
use crate::host::Host;
use crate::patch;
use crate::table::HostToolSpec;

/// Lists of which every element is judged on its own, and the argument that an element without a name of its own is.
const LISTS: &[(&str, &str)] = &[
    ("commands", "command"),
    ("edits", "edit"),
    ("files", "file_path"),
    ("queries", "pattern"),
    ("requests", "url"),
    ("urls", "url"),
];

/// The row of the tool `name`, called with these arguments. Case does not count: a host that finds a tool by another
/// spelling runs it all the same.
pub(crate) fn spec(host: &Host, name: &str, input: &Value) -> Option<HostToolSpec> {
    let has = |argument: &&str| match argument.split_once('=') {
        Some((key, word)) => input.get(key).and_then(Value::as_str) == Some(word),
        None => input.get(argument).is_some(),
    };
    let holds = |tool: &HostToolSpec| {
        tool.name.eq_ignore_ascii_case(name.trim()) && (tool.only_with.is_empty() || tool.only_with.iter().any(has))
    };
    host.tools().find(holds)
}

/// Gives the arguments of the event their canonical names, and says what cannot be judged.
pub(crate) fn canonical(event: &mut HostEvent, spec: &HostToolSpec) {
    event.spec = Some(*spec);
    let Some(input) = event.input.take() else { return };
    event.input = match rename(&input, spec, &mut event.renamed) {
        Ok(renamed) => Some(renamed),
        Err(problem) => {
            event.unseen = Some(problem);
            event.input = Some(input);
            return;
        }
    };
    let input = event.input.as_ref().unwrap_or(&Value::Null);
    let needs = spec.needs();
    // Codex runs a patch within a shell line as one.
    let line = input.get("command").and_then(Value::as_str).filter(|_| spec.canonical == "Bash");
    if let Some(Ok(files)) = line.filter(|line| line.contains("*** Begin Patch")).map(patch::files) {
        event.files = files;
    }
    if !spec.patch.is_empty() {
        let text = spec.patch.iter().find_map(|argument| input.get(argument)?.as_str());
        match text.ok_or("the call has no patch".to_owned()).and_then(patch::files) {
            Ok(files) => event.files = files,
            Err(problem) => event.unseen = Some(problem),
        }
    } else if !needs.is_empty() && !needs.iter().any(|key| input.get(key).is_some_and(|value| is_readable(key, value)))
    {
        event.unseen = Some(format!("the call shows no `{}` that a hook could judge", needs.join("` or `")));
    } else if let Some(key) = needs.iter().find(|key| input.get(**key).is_some_and(|value| !is_readable(key, value))) {
        event.unseen = Some(format!("`{key}` of the call is not what it has to be"));
    }
}

/// A text without NUL, or where a list belongs a list of such texts and of objects.
fn is_readable(key: &str, value: &Value) -> bool {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.contains('\0'));
    match value {
        Value::Array(list) => match LISTS.iter().find(|(list, _)| *list == key) {
            Some((_, single)) => {
                let is_part = |value: &Value| value.get(single).map_or(*single == "edit", is_text);
                !list.is_empty()
                    && list.iter().all(|value| if value.is_object() { is_part(value) } else { is_text(value) })
            }
            None => false,
        },
        value => is_text(value),
    }
}

/// Arguments that name a file.
const FILES: &[&str] = &["file_path", "notebook_path", "path"];

type Names = Vec<(&'static str, &'static str)>;

fn rename(value: &Value, spec: &HostToolSpec, renamed: &mut Names) -> Result<Value, String> {
    let Value::Object(map) = value else { return Ok(value.clone()) };
    let mut result = Map::new();
    for (key, value) in map {
        let name = spec.argument(key);
        renamed.extend(name.filter(|pair| !renamed.contains(pair)));
        let name = name.map_or(key.as_str(), |(_, canonical)| canonical);
        let value = match value {
            Value::String(text) if FILES.contains(&name) => patch::plain(text).into(),
            Value::Array(list) if LISTS.iter().any(|(list, _)| *list == name) => {
                Value::Array(list.iter().map(|value| rename(value, spec, renamed)).collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        };
        if result.insert(name.to_owned(), value).is_some() {
            return Err(format!("the call has several arguments that mean `{name}`"));
        }
    }
    Ok(Value::Object(result))
}

/// Arguments with canonical names, as the host expects them.
pub(crate) fn as_host(event: &HostEvent, input: &Value) -> Value {
    let Value::Object(map) = input else { return input.clone() };
    let back = |(key, value): (&String, &Value)| {
        let name = event.renamed.iter().find(|(_, canonical)| canonical == key);
        let value = match value {
            Value::Array(list) if LISTS.iter().any(|(list, _)| list == key) => {
                list.iter().map(|value| as_host(event, value)).collect()
            }
            other => other.clone(),
        };
        (name.map_or(key.as_str(), |(host, _)| host).to_owned(), value)
    };
    map.iter().map(back).collect()
}

/// Arguments as a hook has rewritten them, with those that stay.
pub(crate) fn completed(event: &HostEvent, mut input: Value) -> Value {
    let kept = event.spec.map_or(&[][..], |spec| spec.kept);
    let stay = kept.iter().filter_map(|name| Some((*name, event.input.as_ref()?.get(*name)?)));
    if let Some(map) = input.as_object_mut() {
        for (name, value) in stay {
            map.entry(name).or_insert_with(|| value.clone());
        }
    }
    input
}

/// One thing that a call does, as a hook judges it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// The name of the tool.
    pub(crate) tool: String,
    /// The arguments.
    pub(crate) input: Value,
    /// The list of the call that this is an element of, and its place there.
    place: Option<(&'static str, usize)>,
    /// Whether it was only made from the text of a patch, so that it cannot be written back.
    pub(crate) derived: bool,
}

impl Part {
    pub(crate) fn derived(tool: &str, input: Value) -> Self {
        Self { tool: tool.to_owned(), input, place: None, derived: true }
    }
}

/// The parts of a call. A call that runs three commands is judged three times, and so is a patch for each change.
pub(crate) fn parts(event: &HostEvent) -> Vec<Part> {
    let tool = event.tool.as_ref().map(|tool| tool.canonical.clone()).unwrap_or_default();
    let input = event.input.clone().unwrap_or_else(|| json!({}));
    let judged = event.spec.iter().flat_map(|spec| LISTS.iter().filter(|(list, _)| spec.judges(list)));
    let elements: Vec<Part> = judged.flat_map(|(list, _)| elements(&tool, &input, list)).collect();
    let mut parts = if elements.is_empty() {
        vec![Part { tool, input: input.clone(), place: None, derived: false }]
    } else {
        elements
    };
    // What it reads are patterns, by which a filter for `Read` finds files too.
    if event.tool.as_ref().is_some_and(|tool| tool.host.eq_ignore_ascii_case("read_many_files")) {
        for part in &mut parts {
            part.input["pattern"] = part.input["file_path"].clone();
        }
    }
    parts.extend(parts.iter().filter_map(|part| also(part, event.spec?.also?)).collect::<Vec<_>>());
    // Arguments that are not in their place may be somewhere else. Around a call of a server, its own command may stand.
    let place = if input.as_object().is_some_and(Map::is_empty) { &event.payload } else { &input };
    if !event.is_mcp() && (event.spec.is_none() || *place != input) {
        parts.extend(looks::like(place));
    }
    if let [Part { tool, input, .. }] = &*parts
        && tool == "WebFetch"
        && input.get("url").is_none()
        && let Some(text) = input.get("prompt").and_then(Value::as_str)
    {
        let found = looks::addresses(text, input);
        parts = if found.is_empty() { parts } else { found };
    }
    for file in &event.files {
        let name = if file.op == "add" { "Write" } else { "Edit" };
        let mut add = |input: Value| parts.push(Part::derived(name, input));
        let content = file.hunks.iter().map(|(_, new)| new.as_str()).collect::<String>();
        match file.op {
            "add" => add(json!({ "file_path": file.path, "content": content })),
            _ if file.hunks.is_empty() => add(json!({ "file_path": file.path, "old_string": "", "new_string": "" })),
            _ => file.hunks.iter().for_each(|(old, new)| {
                add(json!({ "file_path": file.path, "old_string": old, "new_string": new }));
            }),
        }
        if let Some(to) = &file.to {
            parts.push(Part::derived("Write", json!({ "file_path": to, "content": content })));
        }
    }
    parts
}

/// The part as a call of another tool, with the arguments that a guard of that one looks at.
fn also(part: &Part, tool: &str) -> Option<Part> {
    let mut input = part.input.as_object()?.clone();
    let (from, to) = if tool == "Write" { ("new_string", "content") } else { ("content", "new_string") };
    if let Some(text) = input.get(from).cloned() {
        input.entry(to).or_insert(text);
    }
    if part.tool == "Delete" {
        input.extend(["old_string", "new_string"].map(|name| (name.to_owned(), "".into())));
    }
    Some(Part::derived(tool, input.into()))
}

/// The elements of a list of the call, each as a call of its own. What stands beside the list is judged too if an element
/// would hide it.
fn elements(tool: &str, input: &Value, list: &'static str) -> Vec<Part> {
    let single = LISTS.iter().find(|(name, _)| *name == list).map_or(list, |(_, single)| single);
    let (Some(map), Some(Value::Array(elements))) = (input.as_object(), input.get(list)) else { return Vec::new() };
    let mut beside = map.clone();
    beside.remove(list);
    let mut hidden = beside.contains_key(single) && single != "edit";
    let mut parts = Vec::new();
    for (at, element) in elements.iter().enumerate() {
        let mut input = beside.clone();
        match element {
            Value::Object(element) => {
                hidden |= element.iter().any(|(key, value)| beside.get(key).is_some_and(|other| other != value));
                input.extend(element.clone());
            }
            other => drop(input.insert(single.to_owned(), other.clone())),
        }
        parts.push(Part { tool: tool.to_owned(), input: input.into(), place: Some((list, at)), derived: false });
    }
    if hidden && !parts.is_empty() {
        parts.push(Part::derived(tool, beside.into()));
    }
    parts
}

/// Puts a rewritten part back into the arguments of the call; `None` if it has no place there.
pub(crate) fn put_back(whole: &Value, part: &Part, rewritten: &Value) -> Option<Value> {
    let Some((key, at)) = part.place else { return (!part.derived).then(|| rewritten.clone()) };
    let mut whole = whole.clone();
    let element = whole.get_mut(key)?.get_mut(at)?;
    let (before, after) = (part.input.as_object()?, rewritten.as_object()?);
    let changed: Vec<&String> =
        before.keys().chain(after.keys()).filter(|name| before.get(*name) != after.get(*name)).collect();
    match element {
        Value::Object(fields) if changed.iter().all(|name| fields.contains_key(*name) && after.contains_key(*name)) => {
            for name in changed {
                fields.insert(name.clone(), after.get(name)?.clone());
            }
        }
        Value::Object(_) => return None,
        single => {
            let (_, name) = LISTS.iter().find(|(list, _)| *list == key)?;
            if changed.iter().any(|changed| changed != name) {
                return None;
            }
            *single = after.get(*name)?.clone();
        }
    }
    Some(whole)
}
