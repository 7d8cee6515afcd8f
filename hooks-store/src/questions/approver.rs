//! An approver that stores its questions.

use std::time::{Duration, Instant, SystemTime};

use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::store::{StoreError, StoreFuture};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{ANSWERED, OPEN};
use crate::clock::{millis, now, time};
use crate::database::{Tx, writable};
use crate::error::Failure;
use crate::store::Store;
use crate::{ids, leases};

/// How often to check for an answer.
const LOOK: Duration = Duration::from_millis(100);

/// Stores each question as a row, which can be answered with [`Store::answer`] from any process until it expires.
///
/// A turn waits as long as [`patience`](Self::patience) allows, and is then suspended.
/// [`Session::resume`](hooks_agent::Session::resume) continues it, even after its process was killed. The call runs
/// once.
#[derive(Clone, Debug)]
#[must_use = "give it to `HarnessBuilder::approver`"]
pub struct StoredApprover {
    store: Store,
    patience: Duration,
    expires: Duration,
}

impl StoredApprover {
    /// Creates an approver. A turn waits for 30 seconds, and a question expires after seven days.
    pub fn new(store: Store) -> Self {
        Self { store, patience: Duration::from_secs(30), expires: Duration::from_hours(7 * 24) }
    }

    /// Sets how long a turn waits before it is suspended. If the turn's limit for approvals is shorter, the call is
    /// denied first.
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    /// Sets how long a question can be answered. After that, it counts as denied.
    pub fn expires(mut self, after: Duration) -> Self {
        self.expires = after;
        self
    }

    async fn ask(&self, request: &ApprovalRequest) -> Result<Approval, StoreError> {
        let id = self.open(request).await?;
        let start = Instant::now();
        loop {
            let answer = self.answer(&id).await;
            if start.elapsed() >= self.patience {
                return answer.map(|answer| answer.unwrap_or(Approval::Suspend));
            }
            match answer {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                // The answer is not lost, because it is stored. This turn tries again, or the next one does.
                Err(error) => {
                    tracing::warn!(target: "hooks_store", question = id, %error, "the answer to a question cannot be read now");
                }
            }
            tokio::time::sleep(LOOK.min(self.patience)).await;
        }
    }

    /// Stores the question and returns its id. If an earlier turn has asked the same question, its row is reused. A
    /// different question about the same call is closed, because its answer would not be an answer to this question.
    async fn open(&self, request: &ApprovalRequest) -> Result<String, StoreError> {
        let request = self.stored(request);
        Ok(self.store.database.write(move |tx| Box::pin(open(tx, request))).await?)
    }

    /// The request as it is stored. Whoever reads it sees one time: the limit of the turn loop is over when the turn is
    /// suspended.
    fn stored(&self, request: &ApprovalRequest) -> ApprovalRequest {
        let mut request = request.clone();
        request.expires = self.expires;
        request
    }

    /// The answer, if there is one. It stays until the turn closes the question, before it acts on the answer. So does a
    /// question that has expired, which is a denial.
    async fn answer(&self, id: &str) -> Result<Option<Approval>, StoreError> {
        let database = &self.store.database;
        let of = id.to_owned();
        let found = database.read(move |tx| {
            Box::pin(async move {
                let found = "SELECT status, answer, expires_at FROM hooks_questions WHERE id = $1";
                let row = sqlx::query(found).bind(of).fetch_optional(&mut **tx).await?;
                let read = |row: AnyRow| -> Result<(String, Option<String>, i64), sqlx::Error> {
                    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
                };
                Ok(row.map(read).transpose()?)
            })
        });
        let no = |reason: &str| Ok(Some(Approval::No(reason.to_owned())));
        let Some((status, answer, expires)) = found.await? else { return no("the question was deleted") };
        match status.as_str() {
            OPEN if time(expires) > SystemTime::now() => Ok(None),
            OPEN => no("nobody answered before the question expired"),
            ANSWERED => {
                let answer = serde_json::from_str(&answer.unwrap_or_default());
                let unreadable = |error| StoreError::new(format!("the answer to `{id}` cannot be read: {error}"));
                answer.map(Some).map_err(unreadable)
            }
            _ => no("the question was closed"),
        }
    }
}

async fn open(tx: &mut Tx, request: ApprovalRequest) -> Result<String, Failure> {
    ids::check("conversation", &request.conversation)?;
    ids::check("call", &request.call.id)?;
    leases::check_any(tx, &request.conversation, request.lease).await?;
    let text = writable("the question", &request)?;
    let before = "SELECT id, request FROM hooks_questions WHERE conversation = $1 AND call_id = $2 \
                  AND status IN ('open', 'answered')";
    let before = sqlx::query(before).bind(&request.conversation).bind(&request.call.id).fetch_all(&mut **tx).await?;
    for row in before {
        let (id, asked): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        if serde_json::from_str::<ApprovalRequest>(&asked).is_ok_and(|asked| asks_the_same(&asked, &request)) {
            return Ok(id);
        }
        sqlx::query("UPDATE hooks_questions SET status = 'closed' WHERE id = $1").bind(id).execute(&mut **tx).await?;
    }
    // Never in the place of another one, whose answer may still be under way.
    let open = "INSERT INTO hooks_questions (id, conversation, call_id, request, status, asked_at, expires_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let open = sqlx::query(open)
        .bind(&request.id)
        .bind(&request.conversation)
        .bind(&request.call.id)
        .bind(text)
        .bind(OPEN)
        .bind(now())
        .bind(now().saturating_add(millis(request.expires)));
    open.execute(&mut **tx).await?;
    Ok(request.id)
}

/// Whether an answer to one request is also an answer to the other: the same agent asks about the same call with the
/// same input, for the same reason.
fn asks_the_same(one: &ApprovalRequest, other: &ApprovalRequest) -> bool {
    (&one.agent, &one.agent_path, &one.call, &one.input) == (&other.agent, &other.agent_path, &other.call, &other.input)
        && (&one.question, one.deferred) == (&other.question, other.deferred)
}

impl Approver for StoredApprover {
    fn is_lasting(&self) -> bool {
        true
    }

    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(self.ask(request))
    }

    /// A question that is not JSON any more is none that a turn could continue with.
    fn held<'a>(&'a self, conversation: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        let (of, id) = (conversation.to_owned(), call.to_owned());
        let held = self.store.database.read(move |tx| {
            Box::pin(async move {
                let held = "SELECT request FROM hooks_questions WHERE conversation = $1 AND call_id = $2 \
                            AND status IN ('open', 'answered')";
                let row = sqlx::query(held).bind(of).bind(id).fetch_optional(&mut **tx).await?;
                Ok(row.map(|row| row.try_get::<String, _>(0)).transpose()?)
            })
        });
        Box::pin(async move {
            let Some(text) = held.await? else { return Ok(None) };
            let unreadable = |error| {
                tracing::error!(target: "hooks_store", conversation, call, %error, "a question cannot be read");
            };
            Ok(serde_json::from_str(&text).map_err(unreadable).ok())
        })
    }

    fn close<'a>(
        &'a self,
        conversation: &'a str,
        calls: &'a [&'a str],
        lease: Option<u64>,
    ) -> StoreFuture<'a, Vec<String>> {
        let (of, calls) = (conversation.to_owned(), calls.iter().map(|call| (*call).to_owned()).collect());
        let closed = self.store.database.write(move |tx| Box::pin(close_all(tx, of, calls, lease)));
        Box::pin(async move { Ok(closed.await?) })
    }

    fn update<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        let request = self.stored(request);
        let updated = self.store.database.write(move |tx| Box::pin(update(tx, request)));
        Box::pin(async move { Ok(updated.await?) })
    }

    fn reopen<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        let (id, of, lease) = (request.id.clone(), request.conversation.clone(), request.lease);
        let reopened = self.store.database.write(move |tx| Box::pin(reopen(tx, id, of, lease)));
        Box::pin(async move { Ok(reopened.await?) })
    }
}

async fn update(tx: &mut Tx, request: ApprovalRequest) -> Result<(), Failure> {
    let text = writable("the question", &request)?;
    let update = "UPDATE hooks_questions SET request = $2 WHERE id = $1 AND status <> 'closed'";
    sqlx::query(update).bind(&request.id).bind(text).execute(&mut **tx).await?;
    Ok(())
}

/// Reopens a question with its answer, which a person who closes it removes.
async fn reopen(tx: &mut Tx, id: String, conversation: String, lease: Option<u64>) -> Result<(), Failure> {
    // Also waits for a transaction that closes it, and whose end nobody knows yet.
    leases::check_any(tx, &conversation, lease).await?;
    let reopen = "UPDATE hooks_questions SET status = $2 WHERE id = $1 AND status = 'closed' AND answer IS NOT NULL";
    sqlx::query(reopen).bind(id).bind(ANSWERED).execute(&mut **tx).await?;
    Ok(())
}

/// Closes the questions about these calls in one transaction. Returns the calls that have only closed ones.
async fn close_all(
    tx: &mut Tx,
    conversation: String,
    calls: Vec<String>,
    lease: Option<u64>,
) -> Result<Vec<String>, Failure> {
    leases::check_any(tx, &conversation, lease).await?;
    let mut taken = Vec::new();
    for call in calls {
        if close_of(tx, &conversation, &call).await? {
            continue;
        }
        let known = "SELECT COUNT(*) FROM hooks_questions WHERE conversation = $1 AND call_id = $2";
        let known: i64 = sqlx::query_scalar(known).bind(&conversation).bind(&call).fetch_one(&mut **tx).await?;
        if known > 0 {
            taken.push(call);
        }
    }
    Ok(taken)
}

/// Closes the question about a call. Returns whether it was not closed before.
pub(crate) async fn close_of(tx: &mut Tx, conversation: &str, call: &str) -> Result<bool, Failure> {
    let close = "UPDATE hooks_questions SET status = 'closed' \
                 WHERE conversation = $1 AND call_id = $2 AND status <> 'closed'";
    let closed = sqlx::query(close).bind(conversation).bind(call).execute(&mut **tx).await?;
    Ok(closed.rows_affected() > 0)
}
