//! Reads the cases in `testdata/cases/*.toml`.
//!
//! A case names a kind, its hooks and what they do, the lists in force, the event and subject, and the expected
//! outcome.
//! `each` is a list of rows. The case then stands for one case per row, and each value `"$name"` is replaced from the
//! row.
//! TOML has no null, so cases write `{ null = true }`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::hooks::HookSpec;

/// One case. `each` and null are already resolved.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// The label of the case in `hooks-core/testdata/cases.md`.
    pub(crate) number: String,
    /// The case in one sentence.
    pub(crate) says: String,
    /// The kind that is fired. Hooks are at this kind unless they name another.
    #[serde(default = "app_point")]
    pub(crate) kind: String,
    #[serde(default = "nothing")]
    pub(crate) event: Value,
    #[serde(default)]
    pub(crate) subject: Value,
    #[serde(default)]
    pub(crate) hooks: Vec<HookSpec>,
    /// The lists. If the case has none, all hooks are in the agent's list, or in the app's if the kind is outside a
    /// turn.
    #[serde(default, deserialize_with = "given")]
    pub(crate) app: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) agent: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) prompt: Option<Value>,
    #[serde(default)]
    pub(crate) disabled: Vec<String>,
    /// The expected outcome, which `expect.rs` compares with the actual one.
    pub(crate) expect: Map<String, Value>,
}

fn app_point() -> String {
    "app_point".to_owned()
}

fn nothing() -> Value {
    Value::Object(Map::new())
}

/// Reads a field that is present, even if it is null.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// A file of cases.
#[derive(Debug)]
pub(crate) struct File {
    /// Its name, such as `gates.toml`.
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

/// The folder of the test data.
pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// All files of cases, sorted by name. An error names its file and case.
pub(crate) fn files() -> Vec<File> {
    let folder = testdata().join("cases");
    let mut paths: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let cases = parse(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        File { name, cases }
    };
    paths.into_iter().map(read).collect()
}

/// The cases of a text.
pub(crate) fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut file: Map<String, Value> = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(Value::Array(raw)) = file.remove("case") else { return Err("a file of cases has `[[case]]`".to_owned()) };
    if let Some(other) = file.keys().next() {
        return Err(format!("`{other}` is no part of a file of cases: write `[[case]]`"));
    }
    raw.into_iter().map(nulls).flat_map(rows).collect()
}

/// One case per row of `each`.
fn rows(mut case: Value) -> Vec<Result<Case, String>> {
    let each = case.as_object_mut().and_then(|fields| fields.remove("each"));
    let one = |case: Value| {
        let label = case["number"].as_str().unwrap_or("a case without number").to_owned();
        serde_json::from_value(case).map_err(|error| format!("{label}: {error}"))
    };
    let Some(Value::Array(rows)) = each else { return vec![one(case)] };
    let columns = rows.first().and_then(Value::as_object).into_iter().flat_map(Map::keys);
    if let Some(unused) = columns.into_iter().find(|column| !uses(&case, column)) {
        return vec![Err(format!("{}: nothing in the case is `\"${unused}\"`", case["number"]))];
    }
    let fill = |(i, row): (usize, &Value)| {
        let mut case = filled(&case, row);
        case["says"] = format!("{} (row {})", case["says"].as_str().unwrap_or_default(), i + 1).into();
        one(case)
    };
    rows.iter().enumerate().map(fill).collect()
}

fn uses(value: &Value, column: &str) -> bool {
    match value {
        Value::String(text) => text.strip_prefix('$') == Some(column),
        Value::Array(items) => items.iter().any(|item| uses(item, column)),
        Value::Object(fields) => fields.values().any(|value| uses(value, column)),
        _ => false,
    }
}

fn filled(value: &Value, row: &Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('$') {
            Some(name) => row.get(name).cloned().unwrap_or_else(|| value.clone()),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, row)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), filled(value, row))).collect(),
        other => other.clone(),
    }
}

fn nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) if fields.len() == 1 && fields.get("null") == Some(&Value::Bool(true)) => Value::Null,
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, nulls(value))).collect(),
        Value::Array(items) => items.into_iter().map(nulls).collect(),
        other => other,
    }
}
