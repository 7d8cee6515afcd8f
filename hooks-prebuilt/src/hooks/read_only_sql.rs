//! `read_only_sql`: one statement that only reads. Use an account of the database that may only read, too: a function of
//! the database can do anything, and its name does not say so.

mod check;

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use serde_json::Value;
use sqlparser::dialect::{self, Dialect};
use wildmatch::WildMatch;

use crate::fields::FieldsOf;
use crate::parameters::{Fields, from_fields, rows, unknown};

/// The parameters of `read_only_sql`.
#[derive(Clone, Debug)]
pub struct ReadOnlySql {
    fields: FieldsOf,
    /// Of the dialect.
    name: &'static str,
    dialect: &'static (dyn Dialect + Send + Sync),
    /// The tables that may be read; `None` permits all.
    tables: Option<Vec<WildMatch>>,
    functions_denied: Vec<WildMatch>,
}

/// The dialects by their names.
const DIALECTS: &[(&[&str], &(dyn Dialect + Send + Sync))] = &[
    (&["ansi"], &dialect::AnsiDialect {}),
    (&["bigquery"], &dialect::BigQueryDialect {}),
    (&["clickhouse"], &dialect::ClickHouseDialect {}),
    (&["databricks"], &dialect::DatabricksDialect {}),
    (&["duckdb"], &dialect::DuckDbDialect {}),
    (&["mssql", "sqlserver"], &dialect::MsSqlDialect {}),
    (&["mysql", "mariadb"], &dialect::MySqlDialect {}),
    (&["oracle"], &dialect::OracleDialect {}),
    (&["postgres", "postgresql"], &dialect::PostgreSqlDialect {}),
    (&["redshift"], &dialect::RedshiftSqlDialect {}),
    (&["snowflake"], &dialect::SnowflakeDialect {}),
    (&["sqlite", "sqlite3"], &dialect::SQLiteDialect {}),
];

from_fields!(ReadOnlySql, |fields: &mut Fields| {
    let given: String =
        fields.required("dialect", "the database reads a text in its own way; write one such as `postgres`");
    let known = DIALECTS.iter().find(|(names, _)| names.iter().any(|name| given.eq_ignore_ascii_case(name)));
    if known.is_none() && !given.is_empty() {
        fields.problem(unknown("dialect", &given, DIALECTS.iter().flat_map(|(names, _)| *names).copied()));
    }
    let (names, dialect) = known.unwrap_or(&DIALECTS[0]);
    let name = names[0];
    let tables: Option<Vec<String>> = fields.optional("tables");
    let is_limited = tables.is_some();
    let more: Vec<String> = fields.or("functions_denied", Vec::new());
    let usual = rows(include_str!("../../data/sql_functions.txt")).filter_map(|row| match row.split_once(": ") {
        Some(("tables", function)) => is_limited.then_some(function),
        Some((of, function)) => (of == name || name == "ansi").then_some(function),
        None => Some(row),
    });
    let pattern = |pattern: &str| WildMatch::new_case_insensitive(pattern);
    ReadOnlySql {
        fields: FieldsOf::required(fields, r#"{"query": ["sql"]}"#),
        name,
        dialect: *dialect,
        tables: tables.map(|tables| tables.iter().map(|table| pattern(table)).collect()),
        functions_denied: usual.map(pattern).chain(more.iter().map(|name| pattern(name))).collect(),
    }
});

impl ReadOnlySql {
    /// Judges a call by the SQL in its arguments.
    ///
    /// # Errors
    /// What is not a single statement that only reads.
    pub fn judge(&self, tool: &str, input: &Value) -> Result<(), String> {
        for value in self.fields.values(tool, input)? {
            let sql = value.as_str().ok_or("expected a statement of SQL, as one text")?;
            self.check(sql).map_err(|because| format!("expected one statement that only reads: {because}"))?;
        }
        Ok(())
    }
}

/// Denies SQL that is not a single statement that only reads.
#[hook(kind = before_tool_call)]
pub fn read_only_sql(sql: &With<ReadOnlySql>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    sql.judge(&event.call.name, input).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
