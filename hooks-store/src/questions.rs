//! Questions to people: one row each, which outlives the process that asked.

mod approver;

use std::fmt;
use std::future::Future;
use std::time::SystemTime;

use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, SuspendedTurn};
use hooks_agent::store::StoreError;
use hooks_agent::{Outcome, Reply, Turn, TurnError};
use serde::Serialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;

pub use approver::StoredApprover;
pub(crate) use approver::close_of;

use crate::clock::{as_millis, now, time};
use crate::database::{Tx, writable};
use crate::error::Failure;
use crate::store::Store;

/// A stored question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredQuestion {
    /// The id, for [`Store::answer`].
    pub id: String,
    /// The request: the call, its input, the agent, the question.
    pub request: ApprovalRequest,
    /// The answer, if there is one. No turn has acted on it yet.
    pub answer: Option<Approval>,
    /// When it was asked.
    #[serde(serialize_with = "as_millis")]
    pub asked_at: SystemTime,
    /// When it expires, which counts as a denial.
    #[serde(serialize_with = "as_millis")]
    pub expires_at: SystemTime,
}

/// The error of answering a question.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// No question has this id.
    #[error("there is no question `{0}`; `Store::questions` lists those that wait")]
    Unknown(String),
    /// The question has another answer already.
    #[error("the question `{0}` has another answer already")]
    Answered(String),
    /// No turn waits for the answer any more.
    #[error("the question `{0}` no longer waits: its turn has ended otherwise, or its answer was acted on")]
    Closed(String),
    /// The question has expired, which counts as a denial.
    #[error("the question `{0}` has expired, and counts as denied")]
    Expired(String),
    /// The answer is not possible: it must be yes, no, an edited input or a result.
    #[error("a question is answered with yes, no, an edited input or a result")]
    NoAnswer,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl fmt::Debug for AnswerError {
    /// Prints the message, because a `main` that returns the error and a test that unwraps it use `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The statuses of a question.
const OPEN: &str = "open";
const ANSWERED: &str = "answered";

/// The columns that [`read`] needs.
const QUESTION: &str = "SELECT id, request, answer, asked_at, expires_at FROM hooks_questions WHERE";

fn read(row: &AnyRow) -> Result<StoredQuestion, Failure> {
    let (id, request): (String, String) = (row.try_get("id")?, row.try_get("request")?);
    let unreadable = |error| StoreError::new(format!("the question `{id}` cannot be read: {error}"));
    let answer: Option<String> = row.try_get("answer")?;
    Ok(StoredQuestion {
        request: serde_json::from_str(&request).map_err(unreadable)?,
        answer: answer.map(|answer| serde_json::from_str(&answer)).transpose().map_err(unreadable)?,
        asked_at: time(row.try_get("asked_at")?),
        expires_at: time(row.try_get("expires_at")?),
        id,
    })
}

impl Store {
    /// The questions that wait for an answer, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn questions(&self) -> Result<Vec<StoredQuestion>, StoreError> {
        self.listed("status = 'open' AND expires_at > $1").await
    }

    /// The questions whose turns can continue, oldest first: they are answered, or have expired, which counts as a
    /// denial, and no turn has acted on that yet. [`resume_answered`](Self::resume_answered) continues their turns.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn answered_questions(&self) -> Result<Vec<StoredQuestion>, StoreError> {
        self.listed("(status = 'answered' OR status = 'open' AND expires_at <= $1)").await
    }

    /// Continues each suspended turn with an [answered question](Self::answered_questions), one after the other, and
    /// returns their replies. A turn that somebody else has continued meanwhile has none. Call it when a process starts,
    /// and after [`answer`](Self::answer): a process that ended
    /// between an answer and its turn loses neither. `resume` opens the session of a turn and resumes it; its errors
    /// are among the replies, and the next turn continues.
    ///
    /// ```no_run
    /// # use hooks_agent::{Harness, TurnError};
    /// # use hooks_store::Store;
    /// # use hook_sdk::prelude::*;
    /// # async fn start(harness: Harness, store: Store, agent: AgentDef) -> Result<(), Box<dyn std::error::Error>> {
    /// let resume = async |turn: hooks_agent::approve::SuspendedTurn| {
    ///     let session = harness.session(turn.conversation, agent.clone()).open().await?;
    ///     Ok::<_, TurnError>(session.resume(None))
    /// };
    /// for reply in store.resume_answered(resume).await? {
    ///     println!("{}", reply?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`StoreError`] if the questions cannot be read. No turn has continued then.
    pub async fn resume_answered<R, E>(
        &self,
        mut resume: impl FnMut(SuspendedTurn) -> R,
    ) -> Result<Vec<Result<Reply, E>>, StoreError>
    where
        R: Future<Output = Result<Turn, E>>,
    {
        let mut turns: Vec<SuspendedTurn> = Vec::new();
        for question in self.answered_questions().await? {
            let turn = question.request.suspended_turn();
            // The questions of parallel calls are answered one by one, and resumed together.
            if turns.iter().all(|known| known.conversation != turn.conversation) {
                turns.push(turn);
            }
        }
        let mut replies = Vec::new();
        for turn in turns {
            let reply = match resume(turn).await {
                Ok(turn) => Ok(turn.await),
                Err(error) => Err(error),
            };
            let is_taken = |reply: &Reply| matches!(reply.outcome, Outcome::Failed(TurnError::NothingToResume));
            if !reply.as_ref().is_ok_and(is_taken) {
                replies.push(reply);
            }
        }
        Ok(replies)
    }

    /// Why each question cannot be read that lists leave out.
    pub(crate) async fn unreadable_questions(&self) -> Result<Vec<String>, StoreError> {
        let rows = self.database.read(|tx| {
            Box::pin(async move {
                let all = format!("{QUESTION} status <> 'closed' ORDER BY id");
                Ok(sqlx::query(sqlx::AssertSqlSafe(all)).fetch_all(&mut **tx).await?)
            })
        });
        Ok(rows.await?.iter().filter_map(|row| read(row).err()).map(|error| error.to_string()).collect())
    }

    /// The readable questions for which `condition` holds now, which is `$1`.
    async fn listed(&self, condition: &'static str) -> Result<Vec<StoredQuestion>, StoreError> {
        let rows = self.database.read(move |tx| {
            Box::pin(async move {
                let listed = format!("{QUESTION} {condition} ORDER BY asked_at, id");
                Ok(sqlx::query(sqlx::AssertSqlSafe(listed)).bind(now()).fetch_all(&mut **tx).await?)
            })
        });
        let readable = |row: &AnyRow| match read(row) {
            Ok(question) => Some(question),
            Err(error) => {
                tracing::error!(target: "hooks_store", %error, "a question was left out");
                None
            }
        };
        Ok(rows.await?.iter().filter_map(readable).collect())
    }

    /// The question with this id, if it is open or its answer has not been acted on.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn question(&self, id: &str) -> Result<Option<StoredQuestion>, StoreError> {
        let id = id.to_owned();
        let question = self.database.read(move |tx| {
            Box::pin(async move {
                let question = format!("{QUESTION} status IN ('open', 'answered') AND id = $1");
                let row = sqlx::query(sqlx::AssertSqlSafe(question)).bind(id).fetch_optional(&mut **tx).await?;
                row.as_ref().map(read).transpose()
            })
        });
        Ok(question.await?)
    }

    /// Answers a question, from any process. A turn that waits for the answer continues. A turn that was suspended, or
    /// whose process ended, is continued with [`resume_answered`](Self::resume_answered) or
    /// [`Session::resume`](hooks_agent::Session::resume). Until then, the same answer can be given twice: a click may be
    /// repeated whose confirmation was lost.
    ///
    /// # Errors
    /// [`AnswerError`] if the question does not exist, has another answer, is closed, or has expired. Nothing is changed
    /// then.
    pub async fn answer(&self, id: &str, answer: &Approval) -> Result<StoredQuestion, AnswerError> {
        if *answer == Approval::Suspend {
            return Err(AnswerError::NoAnswer);
        }
        let (id, answer) = (id.to_owned(), answer.clone());
        self.database.write(move |tx| Box::pin(keep_answer(tx, id, answer))).await.map_err(StoreError::from)?
    }

    /// Closes a question, so that no turn acts on it any more. Returns `false` if it does not exist or is already
    /// closed.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn close_question(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        let closed = self.database.write(move |tx| {
            Box::pin(async move {
                // Without its answer, so that no turn reopens it.
                let close = "UPDATE hooks_questions SET status = 'closed', answer = NULL \
                             WHERE id = $1 AND status <> 'closed'";
                Ok(sqlx::query(close).bind(id).execute(&mut **tx).await?.rows_affected())
            })
        });
        Ok(closed.await? == 1)
    }
}

/// Stores the answer to an open question.
async fn keep_answer(
    tx: &mut Tx,
    id: String,
    answer: Approval,
) -> Result<Result<StoredQuestion, AnswerError>, Failure> {
    let text = writable("the answer", &answer)?;
    let found = format!(
        "SELECT id, request, answer, asked_at, expires_at, status FROM hooks_questions WHERE id = $1{}",
        tx.dialect.for_update()
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(found)).bind(&id).fetch_optional(&mut **tx).await?;
    let Some(found) = found else { return Ok(Err(AnswerError::Unknown(id))) };
    let mut question = read(&found)?;
    match found.try_get::<String, _>("status")?.as_str() {
        OPEN if question.expires_at <= SystemTime::now() => return Ok(Err(AnswerError::Expired(id))),
        OPEN => {}
        ANSWERED if question.answer.as_ref() == Some(&answer) => return Ok(Ok(question)),
        ANSWERED => return Ok(Err(AnswerError::Answered(id))),
        _ => return Ok(Err(AnswerError::Closed(id))),
    }
    let keep = "UPDATE hooks_questions SET status = $2, answer = $3, answered_at = $4 WHERE id = $1";
    sqlx::query(keep).bind(id).bind(ANSWERED).bind(text).bind(now()).execute(&mut **tx).await?;
    question.answer = Some(answer);
    Ok(Ok(question))
}
