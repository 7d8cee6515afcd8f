//! Compares the expected outcome of a case with the actual one.

use serde_json::{Map, Value, json};

use super::case::Case;
use super::run::{Seen, seen};

/// What a case may expect. The flag says whether a case that does not mention it expects that there is none of it.
///
/// | Name | What |
/// |---|---|
/// | `subject` | as the hooks left it, null where one removed it; what the error gives back where there is one |
/// | `verdict` | the fields of the folded answer that are named |
/// | `failures`, `error`, `problems`, `audit`, `diagnostics` | parts of the texts, in order |
/// | `halt`, `removed_by` | the reason; the hook |
/// | `runs`, `changed`, `notes` | of the record: each hook's status; whose change was kept; what was set aside |
/// | `finished` | the hooks that came to an end of their own, in the order of their ends |
/// | `took` | milliseconds |
/// | `policies`, `contexts`, `sections`, `tools`, `codes` | the merged views of contributions |
const NAMES: &[(&str, bool)] = &[
    ("subject", false),
    ("verdict", false),
    ("failures", true),
    ("error", true),
    ("problems", true),
    ("halt", true),
    ("removed_by", true),
    ("audit", false),
    ("runs", false),
    ("changed", false),
    ("notes", true),
    ("finished", false),
    ("took", false),
    ("policies", false),
    ("contexts", false),
    ("sections", false),
    ("tools", false),
    ("codes", true),
    ("diagnostics", false),
];

/// Names whose expected texts only have to be contained in the actual ones.
const PARTS: &[&str] = &["failures", "error", "problems", "audit", "diagnostics"];

/// Runs a case. Each difference is one line with the file, the case and what differs.
pub(crate) fn report(file: &str, case: &Case) -> Vec<String> {
    let label = format!("{file}: {}: {}", case.number, case.says);
    match seen(case) {
        Ok(seen) => differences(&case.expect, &seen).into_iter().map(|line| format!("{label}\n    {line}")).collect(),
        Err(wrong) => vec![format!("{label}\n    the case itself is wrong: {wrong}")],
    }
}

/// The names whose actual value differs from the expected one.
pub(crate) fn differences(expected: &Map<String, Value>, seen: &Seen) -> Vec<String> {
    let mut lines = Vec::new();
    if expected.is_empty() {
        lines.push("it expects nothing, so it cannot fail".to_owned());
    }
    for name in expected.keys().filter(|name| NAMES.iter().all(|(known, _)| known != name)) {
        let names: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
        lines.push(format!("`{name}` cannot be expected; write one of {}", names.join(", ")));
    }
    for (name, always) in NAMES {
        let found = seen.get(*name).unwrap_or(&Value::Null);
        match expected.get(*name) {
            Some(wanted) if !fits(name, wanted, found) => {
                lines.push(format!("`{name}`: expected {wanted}, saw {found}"));
            }
            None if *always && !is_nothing(found) => lines.push(format!("`{name}`: expected nothing, saw {found}")),
            _ => {}
        }
    }
    lines
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || *value == json!([])
}

fn fits(name: &str, wanted: &Value, found: &Value) -> bool {
    match name {
        "verdict" => within(wanted, found),
        _ if PARTS.contains(&name) => part(wanted, found),
        _ => wanted == found,
    }
}

/// Keeps of an object only the fields that the case names. Other values stay whole.
fn within(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(key, value)| found.get(key).is_some_and(|found| within(value, found)))
        }
        _ => wanted == found,
    }
}

fn part(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| part(wanted, found))
        }
        (Value::String(wanted), Value::String(found)) => !wanted.is_empty() && found.contains(wanted.as_str()),
        _ => wanted == found,
    }
}
