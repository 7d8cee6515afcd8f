use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::manifest::Manifest;

/// Asserts that `manifest` equals the one in `file`, except for source positions, which change with every edit.
///
/// Scopes, rules and readers of records depend on the declarations of hooks and kinds, so a change should be visible in
/// a review. Run the test with `UPDATE_MANIFEST=1` to write the file.
///
/// # Panics
/// Panics if the two differ, with the first line that does, or if the file cannot be read or written.
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
    let (mut expected, mut found) = (expected.lines(), found.lines());
    let mut line = 1;
    loop {
        let (then, now) = (expected.next(), found.next());
        if then != now {
            let (then, now) = (then.unwrap_or("the end").trim(), now.unwrap_or("the end").trim());
            panic!(
                "{}:{line}: the manifest has changed: it was {then}, it is {now}; if this is intended, run the test with UPDATE_MANIFEST=1",
                file.display()
            );
        }
        if then.is_none() {
            return;
        }
        line += 1;
    }
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
