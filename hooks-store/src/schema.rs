//! The tables, from the first version on.
//!
//! Not sqlx's own migrations: those take no lock in SQLite, and use a table that the app may have for its own.

use sqlx::{Any, AnyPool, Transaction};

use crate::dialect::Dialect;

/// What each version adds, for SQLite and for Postgres.
const MIGRATIONS: &[(&str, &str)] =
    &[(include_str!("../migrations/1.sqlite.sql"), include_str!("../migrations/1.postgres.sql"))];

/// The newest version.
#[allow(clippy::cast_possible_wrap, reason = "a few")]
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The version of the tables; none where there are none.
pub(crate) async fn found(pool: &AnyPool, dialect: Dialect) -> Result<Option<i64>, sqlx::Error> {
    let table = match dialect {
        Dialect::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'hooks_schema'",
        Dialect::Postgres => "SELECT CASE WHEN to_regclass('hooks_schema') IS NULL THEN 0 ELSE 1 END::bigint",
    };
    let tables: i64 = sqlx::query_scalar(table).fetch_one(pool).await?;
    if tables == 0 {
        return Ok(None);
    }
    sqlx::query_scalar("SELECT version FROM hooks_schema").fetch_optional(pool).await
}

/// Brings the tables to the newest version. Two that do so at once come one after the other. Gives the version back where it is
/// a newer one, and has changed nothing then.
pub(crate) async fn migrate(tx: &mut Transaction<'_, Any>, dialect: Dialect) -> Result<Option<i64>, sqlx::Error> {
    if dialect == Dialect::Postgres {
        // Any number that is ours; held until the transaction ends.
        sqlx::query("SELECT pg_advisory_xact_lock(7224093)").execute(&mut **tx).await?;
    }
    sqlx::query("CREATE TABLE IF NOT EXISTS hooks_schema (version BIGINT NOT NULL)").execute(&mut **tx).await?;
    let found: Option<i64> = sqlx::query_scalar("SELECT version FROM hooks_schema").fetch_optional(&mut **tx).await?;
    let version = found.unwrap_or_default();
    if version > VERSION {
        return Ok(Some(version));
    }
    if version == VERSION {
        return Ok(None);
    }
    for (sqlite, postgres) in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or_default()) {
        let statements = if dialect == Dialect::Sqlite { *sqlite } else { *postgres };
        sqlx::raw_sql(statements).execute(&mut **tx).await?;
    }
    let write = match found {
        Some(_) => "UPDATE hooks_schema SET version = $1",
        None => "INSERT INTO hooks_schema (version) VALUES ($1)",
    };
    sqlx::query(write).bind(VERSION).execute(&mut **tx).await?;
    Ok(None)
}
