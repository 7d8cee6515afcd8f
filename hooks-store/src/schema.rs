//! The tables and their migrations.
//!
//! The migrations of sqlx do not lock SQLite, and use a table that the app may need for its own migrations.

use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::dialect::Dialect;
use crate::error::Failure;

/// The statements of each version, for SQLite and for Postgres.
const MIGRATIONS: &[(&str, &str)] = &[
    (include_str!("../migrations/1.sqlite.sql"), include_str!("../migrations/1.postgres.sql")),
    (include_str!("../migrations/2.sqlite.sql"), include_str!("../migrations/2.postgres.sql")),
    (include_str!("../migrations/3.sql"), include_str!("../migrations/3.sql")),
];

/// The latest version.
#[allow(clippy::cast_possible_wrap, reason = "a few")]
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The version of the tables. `None` if there are none.
pub(crate) async fn version(tx: &mut AnyConnection, dialect: Dialect) -> Result<Option<i64>, Failure> {
    let tables: i64 = sqlx::query_scalar(dialect.has_schema()).fetch_one(&mut *tx).await?;
    if tables == 0 {
        return Ok(None);
    }
    Ok(sqlx::query_scalar("SELECT version FROM hooks_schema").fetch_optional(tx).await?)
}

/// Begins a transaction and refuses it if a newer process has migrated the tables, even while this one runs: its
/// statements may not fit them. A migration waits for the transactions that have passed this check.
pub(crate) async fn begin(tx: &mut AnyConnection, begin: &str) -> Result<(), Failure> {
    // In one message, as every transaction waits for the answer.
    let begin = AssertSqlSafe(format!("{begin}; SELECT version FROM hooks_schema"));
    let rows = sqlx::raw_sql(begin).fetch_all(tx).await?;
    let found: i64 = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
    if found > VERSION { Err(Failure::Outdated { found, known: VERSION }) } else { Ok(()) }
}

/// Migrates the tables to [`VERSION`]. If they are newer, changes nothing and returns their version.
pub(crate) async fn migrate(tx: &mut AnyConnection, dialect: Dialect) -> Result<Option<i64>, Failure> {
    if let Some(lock) = dialect.lock_migrations() {
        sqlx::query(lock).execute(&mut *tx).await?;
    }
    let found = version(tx, dialect).await?;
    let from = match found {
        Some(newer) if newer > VERSION => return Ok(Some(newer)),
        Some(version) => usize::try_from(version).unwrap_or_default(),
        None => {
            sqlx::query("CREATE TABLE hooks_schema (version BIGINT NOT NULL)").execute(&mut *tx).await?;
            sqlx::query("INSERT INTO hooks_schema (version) VALUES (0)").execute(&mut *tx).await?;
            0
        }
    };
    if let Some(lock) = dialect.lock_schema() {
        sqlx::query(lock).execute(&mut *tx).await?;
    }
    for (sqlite, postgres) in MIGRATIONS.iter().skip(from) {
        let statements = if dialect == Dialect::Sqlite { *sqlite } else { *postgres };
        sqlx::raw_sql(statements).execute(&mut *tx).await?;
    }
    sqlx::query("UPDATE hooks_schema SET version = $1").bind(VERSION).execute(tx).await?;
    Ok(None)
}
