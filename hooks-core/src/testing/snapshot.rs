use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::manifest::Manifest;

/// Asserts that `manifest` equals the one in `file`, except for source positions, which change with every edit.
///
/// Scopes, rules and readers of records depend on the declarations of hooks and kinds, so a change should be visible in
/// a review. Run the test with `UPDATE_MANIFEST=1` to write the file.
///
/// # Panics
/// Panics if the two differ, with every difference, or if the file cannot be read or written.
#[track_caller]
#[allow(clippy::panic, reason = "an expectation of a test")]
pub fn assert_manifest(file: impl AsRef<Path>, manifest: &Manifest) {
    let file = file.as_ref();
    let found = shown(manifest);
    if std::env::var_os("UPDATE_MANIFEST").is_some_and(|value| value == "1") {
        if let Err(error) = fs::write(file, found) {
            panic!("{}: {error}", file.display());
        }
        return;
    }
    let expected = match fs::read_to_string(file) {
        Ok(text) => text.replace("\r\n", "\n"),
        Err(error) => panic!("{}: {error}; run the test with UPDATE_MANIFEST=1 to write it", file.display()),
    };
    if expected == found {
        return;
    }
    let changes = changes(&expected, &found);
    panic!(
        "{}: the manifest has changed:\n  {}\nif this is intended, run the test with UPDATE_MANIFEST=1",
        file.display(),
        changes.join("\n  ")
    );
}

/// Every difference between two manifests, a line each.
fn changes(expected: &str, found: &str) -> Vec<String> {
    let (Ok(expected), Ok(found)) = (serde_json::from_str(expected), serde_json::from_str(found)) else {
        return vec!["the file is not valid JSON".to_owned()];
    };
    let (expected, found) = (entries(&expected), entries(&found));
    let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        match (expected.get(name), found.get(name)) {
            (None, _) => changes.push(format!("{name} is new")),
            (_, None) => changes.push(format!("{name} is gone")),
            (Some(then), Some(now)) => {
                let fields: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
                changes.extend(fields.into_iter().filter(|field| then.get(*field) != now.get(*field)).map(|field| {
                    let shown = |entry: &Map<String, Value>| {
                        entry.get(field).map_or_else(|| "nothing".to_owned(), ToString::to_string)
                    };
                    format!("{name}: `{field}` was {}, and is {}", shown(then), shown(now))
                }));
            }
        }
    }
    if changes.is_empty() {
        changes.push("only its formatting differs".to_owned());
    }
    changes
}

/// The hooks and kinds of a manifest by name, a hook also at each of its kinds, and its other values as one entry.
fn entries(manifest: &Value) -> BTreeMap<String, Map<String, Value>> {
    let mut rest = manifest.as_object().cloned().unwrap_or_default();
    let mut entries = BTreeMap::new();
    let hooks = take(&mut rest, "hooks", "id", "hook ");
    for (hook, mut fields) in hooks {
        entries.extend(take(&mut fields, "at", "kind", &format!("{hook} at ")));
        entries.insert(hook, fields);
    }
    entries.extend(take(&mut rest, "kinds", "name", "kind "));
    entries.insert("the manifest".to_owned(), rest);
    entries
}

/// Takes a list out of `fields`: its objects, each with `what` it is and its name.
fn take(fields: &mut Map<String, Value>, list: &str, key: &str, what: &str) -> Vec<(String, Map<String, Value>)> {
    let Some(Value::Array(list)) = fields.remove(list) else { return Vec::new() };
    let objects =
        list.into_iter().filter_map(|entry| if let Value::Object(entry) = entry { Some(entry) } else { None });
    objects
        .map(|entry| (format!("{what}`{}`", entry.get(key).and_then(Value::as_str).unwrap_or_default()), entry))
        .collect()
}

fn shown(manifest: &Manifest) -> String {
    let mut value = serde_json::to_value(manifest).unwrap_or_default();
    for list in ["hooks", "kinds"] {
        let entries = value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        for entry in entries.filter_map(Value::as_object_mut) {
            entry.remove("origin");
            entry.remove("fired_at");
        }
    }
    // Sorted, because the order of fields depends on features of other crates in the build.
    value.sort_all_objects();
    format!("{value:#}\n")
}
