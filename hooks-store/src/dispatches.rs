//! The log of dispatches, for later analysis.

mod log;

use std::time::SystemTime;

use hooks_agent::store::StoreError;
use serde::Serialize;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::any::AnyRow;

pub use log::DispatchLog;

use crate::clock::{as_millis, time};
use crate::error::Failure;
use crate::store::Store;

/// A recorded dispatch, or the end of a run that its dispatch did not wait for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredDispatch {
    /// The number. Later records have greater numbers.
    pub number: i64,
    /// `dispatch`, or `detached` or `background` for the end of such a run.
    pub source: String,
    /// The kind that was fired.
    pub kind: String,
    /// The conversation. Empty outside of conversations.
    pub conversation: String,
    /// When it was recorded.
    #[serde(serialize_with = "as_millis")]
    pub recorded_at: SystemTime,
    /// The verdict, as a word.
    pub verdict: Option<String>,
    /// Whether a hook failed.
    pub failed: bool,
    /// The [`Record`](hook_sdk::record::Record) or [`RunEnd`](hook_sdk::record::RunEnd), as JSON. The reason as text if it
    /// cannot be read.
    pub record: Value,
}

/// Selects recorded dispatches.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct DispatchFilter {
    conversation: Option<String>,
    kind: Option<String>,
    hook: Option<String>,
    failed: bool,
    before: Option<i64>,
}

impl DispatchFilter {
    /// Selects all dispatches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects only dispatches in which a hook failed.
    pub fn failed(mut self) -> Self {
        self.failed = true;
        self
    }

    /// Selects only dispatches of this conversation.
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.conversation = Some(id.into());
        self
    }

    /// Selects only dispatches of this kind.
    pub fn kind(mut self, name: impl Into<String>) -> Self {
        self.kind = Some(name.into());
        self
    }

    /// Selects only dispatches in which this hook ran.
    pub fn hook(mut self, id: impl Into<String>) -> Self {
        self.hook = Some(id.into());
        self
    }

    /// Selects only dispatches that were recorded before the one with this number, for the next page.
    pub fn before(mut self, number: i64) -> Self {
        self.before = Some(number);
        self
    }

    /// The condition of a query, and the values of its parameters from `$1` on.
    fn condition(&self) -> (String, Vec<String>) {
        let (mut parts, mut values) = (vec![if self.failed { "failed = 1" } else { "1 = 1" }.to_owned()], Vec::new());
        let hook = "number IN (SELECT dispatch FROM hooks_dispatch_runs WHERE hook = ";
        for (column, end, value) in
            [("conversation = ", "", &self.conversation), ("kind = ", "", &self.kind), (hook, ")", &self.hook)]
        {
            if let Some(value) = value {
                values.push(value.clone());
                parts.push(format!("{column}${}{end}", values.len()));
            }
        }
        parts.extend(self.before.map(|number| format!("number < {number}")));
        (parts.join(" AND "), values)
    }
}

fn read(row: &AnyRow) -> Result<StoredDispatch, Failure> {
    let number: i64 = row.try_get("number")?;
    let record: String = row.try_get("record")?;
    let record = serde_json::from_str(&record)
        .unwrap_or_else(|error| Value::String(format!("the record of dispatch {number} cannot be read: {error}")));
    Ok(StoredDispatch {
        number,
        source: row.try_get("source")?,
        kind: row.try_get("kind")?,
        conversation: row.try_get("conversation")?,
        recorded_at: time(row.try_get("recorded_at")?),
        verdict: row.try_get("verdict")?,
        failed: row.try_get::<i64, _>("failed")? != 0,
        record,
    })
}

impl Store {
    /// The recorded dispatches that `filter` selects, newest first, at most `limit`. They are recorded by a
    /// [`DispatchLog`].
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn dispatches(&self, filter: &DispatchFilter, limit: u32) -> Result<Vec<StoredDispatch>, StoreError> {
        let (condition, values) = filter.condition();
        let found = format!(
            "SELECT number, source, kind, conversation, recorded_at, verdict, failed, record FROM hooks_dispatches \
             WHERE {condition} ORDER BY number DESC LIMIT ${}",
            values.len() + 1
        );
        let rows = self.database.read(move |tx| {
            Box::pin(async move {
                let mut query = sqlx::query(sqlx::AssertSqlSafe(found));
                for value in values {
                    query = query.bind(value);
                }
                Ok(query.bind(i64::from(limit)).fetch_all(&mut **tx).await?)
            })
        });
        Ok(rows.await?.iter().map(read).collect::<Result<_, _>>()?)
    }
}
