//! `read_only_sql`: one statement that only reads. Use an account of the database that may only read, too: a function of
//! the database can do anything, and its name does not say so.

mod check;

use std::collections::BTreeMap;

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use sqlparser::dialect::{self, Dialect};
use wildmatch::WildMatch;

use crate::fields::FieldsOf;
use crate::parameters::{Fields, from_fields, unknown};

/// The parameters of `read_only_sql`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "serde_json::Map<String, serde_json::Value>")]
pub struct ReadOnlySql {
    fields: FieldsOf,
    dialect: String,
    /// The tables that may be read; `None` permits all.
    tables: Option<Vec<WildMatch>>,
    functions_denied: Vec<WildMatch>,
}

const DIALECTS: [&str; 11] = [
    "ansi",
    "bigquery",
    "clickhouse",
    "databricks",
    "duckdb",
    "mssql",
    "mysql",
    "oracle",
    "postgres",
    "redshift",
    "snowflake",
];

/// Functions that write, reach files or other servers, run text as SQL, or only wait.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    // Postgres and Redshift
    "pg_read_*", "pg_ls_*", "pg_stat_file", "pg_file_*", "lo_*", "loread", "lowrite", "dblink*", "pg_sleep*", "pg_terminate_*",
    "pg_cancel_*", "pg_reload_*", "pg_rotate_*", "*advisory_*lock*", "set_config", "nextval", "setval", "pg_logical_*", "pg_create_*",
    "pg_drop_*", "pg_replication_*", "pg_promote", "pg_switch_*", "pg_backup_*", "pg_start_backup", "pg_stop_backup", "pg_notify",
    "*_to_xml*", "*_to_xmlschema", "pg_import_*", "pg_export_*", "pg_stat_reset*", "pg_wal_*", "pg_current_logfile", "file_fdw*",
    // MySQL
    "load_file", "sleep", "benchmark", "get_lock", "release_*lock*", "sys_*", "lib_mysqludf*", "master_pos_wait", "*_wait_*gtid*",
    // SQLite and DuckDB
    "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "read_*", "parquet_*", "glob", "getenv", "sniff_csv", "query",
    "query_table", "*_scan", "*_attach", "*_query", "st_read*", "http_*", "which_secret",
    // SQL Server
    "xp_*", "sp_*", "openrowset", "openquery", "opendatasource", "openxml", "fn_*",
    // ClickHouse
    "url", "urlcluster", "file", "filecluster", "remote*", "s3*", "hdfs*", "azure*", "gcs", "mysql", "postgresql", "mongodb", "redis",
    "jdbc", "odbc", "executable*", "input", "sqlite", "iceberg*", "deltalake*", "hudi*", "cluster*", "sleepeachrow",
    // Oracle, Snowflake, BigQuery, Databricks
    "utl_*", "dbms_*", "httpuritype", "system$*", "external_query", "reflect*", "java_method", "ai_query", "ml_predict", "try_reflect",
];

from_fields!(ReadOnlySql, |fields: &mut Fields| {
    let expected = r#"the fields that hold SQL, such as {"query": ["sql"]}"#;
    let names: BTreeMap<String, Vec<String>> = fields.required("fields", expected);
    let of_tools = FieldsOf::read(names, fields);
    if of_tools.is_empty() {
        fields.problem(format_args!("`fields` is empty: write {expected}"));
    }
    let given: String =
        fields.required("dialect", "the database reads a text in its own way; write one such as `postgres`");
    let dialect = DIALECTS.into_iter().chain(["sqlite"]).find(|known| given.eq_ignore_ascii_case(known));
    if dialect.is_none() && !given.is_empty() {
        fields.problem(unknown("dialect", &given, DIALECTS.into_iter().chain(["sqlite"])));
    }
    let tables: Option<Vec<String>> = fields.optional("tables");
    let more: Vec<String> = fields.or("functions_denied", Vec::new());
    let pattern = |pattern: &str| WildMatch::new_case_insensitive(pattern);
    ReadOnlySql {
        fields: of_tools,
        dialect: dialect.unwrap_or("ansi").to_owned(),
        tables: tables.map(|tables| tables.iter().map(|table| pattern(table)).collect()),
        functions_denied: FUNCTIONS.iter().copied().chain(more.iter().map(String::as_str)).map(pattern).collect(),
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

    fn dialect(&self) -> Box<dyn Dialect> {
        match self.dialect.as_str() {
            "bigquery" => Box::new(dialect::BigQueryDialect {}),
            "clickhouse" => Box::new(dialect::ClickHouseDialect {}),
            "databricks" => Box::new(dialect::DatabricksDialect {}),
            "duckdb" => Box::new(dialect::DuckDbDialect {}),
            "mssql" => Box::new(dialect::MsSqlDialect {}),
            "mysql" => Box::new(dialect::MySqlDialect {}),
            "oracle" => Box::new(dialect::OracleDialect {}),
            "postgres" => Box::new(dialect::PostgreSqlDialect {}),
            "redshift" => Box::new(dialect::RedshiftSqlDialect {}),
            "snowflake" => Box::new(dialect::SnowflakeDialect {}),
            "sqlite" => Box::new(dialect::SQLiteDialect {}),
            _ => Box::new(dialect::AnsiDialect {}),
        }
    }
}

/// Denies SQL that is not a single statement that only reads.
#[hook(kind = before_tool_call)]
pub fn read_only_sql(sql: &With<ReadOnlySql>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    sql.judge(&event.call.name, input).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
