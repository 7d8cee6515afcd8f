//! The tables that the tests read.

#![allow(dead_code, reason = "each test binary uses a part")]

use hooks_rules::Dialect;

pub(crate) type Line = Vec<toml::Value>;

fn file(name: &str) -> toml::Table {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap().parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A list of lists.
pub(crate) fn data(name: &str, list: &str) -> Vec<Line> {
    let lines = file(name).remove(list).unwrap_or_else(|| panic!("{name} has no `{list}`"));
    lines.as_array().unwrap().iter().map(|line| line.as_array().unwrap().clone()).collect()
}

/// A list of tables.
pub(crate) fn tables(name: &str, list: &str) -> Vec<toml::Table> {
    let lines = file(name).remove(list).unwrap_or_else(|| panic!("{name} has no `{list}`"));
    lines.as_array().unwrap().iter().map(|line| line.as_table().unwrap().clone()).collect()
}

/// A value of a table in JSON; `None` for `<none>`.
pub(crate) fn json(value: &toml::Value) -> Option<serde_json::Value> {
    (value.as_str() != Some("<none>")).then(|| serde_json::to_value(value).unwrap())
}

pub(crate) fn dialect(word: &str) -> Dialect {
    match word {
        "claude" => Dialect::Claude,
        "agentao" => Dialect::Agentao,
        other => panic!("no dialect `{other}`"),
    }
}
