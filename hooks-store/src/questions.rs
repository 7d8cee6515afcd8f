//! Questions to people: a row each, which outlives the process that asked.

mod approver;

use std::time::{Duration, SystemTime};

use hooks_agent::approve::{ApprovalAnswer, ApprovalRequest};
use hooks_agent::store::StoreError;
use serde::Serialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;

pub use approver::StoredApprover;

use crate::clock::{as_millis, millis, now, time};
use crate::error::failed;
use crate::store::Store;

/// A question that waits for somebody.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredQuestion {
    /// Its id, by which it is answered.
    pub id: String,
    /// What is asked: the call, its input, who asks, why, the choices.
    pub request: ApprovalRequest,
    /// The answer, which nobody has acted on yet; `None` where it waits for one.
    pub answer: Option<ApprovalAnswer>,
    /// When it was asked.
    #[serde(serialize_with = "as_millis")]
    pub asked_at: SystemTime,
    /// When it counts as denied.
    #[serde(serialize_with = "as_millis")]
    pub expires_at: SystemTime,
}

/// A question could not be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// There is none of this id.
    #[error("there is no question `{0}`; `Store::questions` lists those that wait")]
    Unknown(String),
    /// Somebody answered it before.
    #[error("the question `{0}` is answered already")]
    Answered(String),
    /// Nobody waits for an answer any more.
    #[error("the question `{0}` no longer waits: its turn has ended otherwise, or its answer was acted on")]
    Closed(String),
    /// It has expired, which counts as denied.
    #[error("the question `{0}` has expired, and counts as denied")]
    Expired(String),
    /// It is no answer: a question is answered with yes, no, an input or a result.
    #[error("a question is answered with yes, no, an edited input or a result")]
    NoAnswer,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What an answer is kept as.
const OPEN: &str = "open";
const ANSWERED: &str = "answered";
const CLOSED: &str = "closed";

const WAITING: &str =
    "SELECT id, request, answer, asked_at, expires_at FROM hooks_questions WHERE status IN ('open', 'answered')";

fn read(row: &AnyRow) -> Result<StoredQuestion, StoreError> {
    let text = |column| row.try_get::<String, _>(column).map_err(|error| failed(&error));
    let number = |column| row.try_get::<i64, _>(column).map_err(|error| failed(&error));
    let id = text("id")?;
    let unreadable = |error| StoreError::new(format!("the question `{id}` cannot be read: {error}"));
    let answer: Option<String> = row.try_get("answer").map_err(|error| failed(&error))?;
    Ok(StoredQuestion {
        request: serde_json::from_str(&text("request")?).map_err(unreadable)?,
        answer: answer.map(|answer| serde_json::from_str(&answer)).transpose().map_err(unreadable)?,
        asked_at: time(number("asked_at")?),
        expires_at: time(number("expires_at")?),
        id,
    })
}

impl Store {
    /// The questions that wait, the oldest first: for an answer, or for a turn that acts on the one they have.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn questions(&self) -> Result<Vec<StoredQuestion>, StoreError> {
        let waiting = format!("{WAITING} ORDER BY asked_at, id");
        let rows = sqlx::query(sqlx::AssertSqlSafe(waiting)).fetch_all(&self.database.readers).await;
        let rows = rows.map_err(|error| failed(&error))?;
        let readable = |row: &AnyRow| match read(row) {
            Ok(question) => Some(question),
            Err(error) => {
                tracing::error!(target: "hooks_store", %error, "a question was left out");
                None
            }
        };
        Ok(rows.iter().filter_map(readable).collect())
    }

    /// The question of this id, where it waits.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn question(&self, id: &str) -> Result<Option<StoredQuestion>, StoreError> {
        let question = format!("{WAITING} AND id = $1");
        let row = sqlx::query(sqlx::AssertSqlSafe(question)).bind(id).fetch_optional(&self.database.readers).await;
        row.map_err(|error| failed(&error))?.as_ref().map(read).transpose()
    }

    /// Answers a question, from whichever process. A turn that waits for it goes on; one that was suspended, or whose process
    /// ended, goes on with [`Session::resume`](hooks_agent::Session::resume).
    ///
    /// # Errors
    /// [`AnswerError`]: there is no such question, it was answered before, it does not wait any more, or it has expired. Then
    /// nothing was changed.
    pub async fn answer(&self, id: &str, answer: &ApprovalAnswer) -> Result<StoredQuestion, AnswerError> {
        if *answer == ApprovalAnswer::Suspend {
            return Err(AnswerError::NoAnswer);
        }
        let text = serde_json::to_string(answer)
            .map_err(|error| StoreError::new(format!("the answer cannot be written: {error}")))?;
        let stored = |error: sqlx::Error| AnswerError::Store(failed(&error));
        let mut tx = self.database.write().await.map_err(stored)?;
        let found = format!(
            "SELECT id, request, answer, asked_at, expires_at, status FROM hooks_questions WHERE id = $1{}",
            self.database.dialect.for_update()
        );
        let found = sqlx::query(sqlx::AssertSqlSafe(found)).bind(id).fetch_optional(&mut *tx).await.map_err(stored)?;
        let found = found.ok_or_else(|| AnswerError::Unknown(id.to_owned()))?;
        let mut question = read(&found)?;
        match found.try_get::<String, _>("status").map_err(stored)?.as_str() {
            OPEN if question.expires_at <= SystemTime::now() => return Err(AnswerError::Expired(id.to_owned())),
            OPEN => {}
            ANSWERED => return Err(AnswerError::Answered(id.to_owned())),
            _ => return Err(AnswerError::Closed(id.to_owned())),
        }
        let keep = "UPDATE hooks_questions SET status = $2, answer = $3, answered_at = $4 WHERE id = $1";
        let keep = sqlx::query(keep).bind(id).bind(ANSWERED).bind(text).bind(now()).execute(&mut *tx).await;
        keep.map_err(stored)?;
        tx.commit().await.map_err(stored)?;
        question.answer = Some(answer.clone());
        Ok(question)
    }

    /// Removes what is closed or has expired since longer than `age`. Returns how many there were.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn remove_closed_questions(&self, age: Duration) -> Result<u64, StoreError> {
        let remove = async {
            let mut tx = self.database.write().await?;
            let old = "DELETE FROM hooks_questions WHERE (status = 'closed' OR expires_at < $1) AND asked_at < $1";
            let removed =
                sqlx::query(old).bind(now().saturating_sub(millis(age))).execute(&mut *tx).await?.rows_affected();
            tx.commit().await?;
            Ok(removed)
        };
        remove.await.map_err(|error| failed(&error))
    }

    /// Closes a question that nobody is to act on any more. `false` where none of this id waits.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn close_question(&self, id: &str) -> Result<bool, StoreError> {
        for status in [OPEN, ANSWERED] {
            if approver::close(&self.database, id, status).await.map_err(|error| failed(&error))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
