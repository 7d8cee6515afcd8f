//! An approver that waits for the answer to a row.

use std::time::{Duration, Instant, SystemTime};

use hooks_agent::approve::{ApprovalAnswer, ApprovalRequest, Approver};
use hooks_agent::store::StoreError;
use hooks_core::hook::BoxFuture;
use sqlx::Row as _;

use super::{ANSWERED, CLOSED, OPEN};
use crate::clock::{millis, now, time};
use crate::database::Database;
use crate::error::failed;
use crate::store::Store;

/// How often it looks for an answer.
const LOOK: Duration = Duration::from_millis(100);

/// Asks by a row of a store: [`Store::answer`] answers it from any process, at any time until it expires.
///
/// A turn waits as long as [`patience`](Self::patience) says, and is suspended then.
/// [`Session::resume`](hooks_agent::Session::resume) goes on, also after its process was killed: the call runs once.
#[derive(Clone, Debug)]
#[must_use = "give it to `HarnessBuilder::approver`"]
pub struct StoredApprover {
    store: Store,
    patience: Duration,
    expires: Duration,
}

impl StoredApprover {
    /// A turn waits for half a minute, and a question for seven days.
    pub fn new(store: Store) -> Self {
        Self { store, patience: Duration::from_secs(30), expires: Duration::from_hours(7 * 24) }
    }

    /// How long a turn waits before it is suspended. Its limit for an approval, if that is shorter, denies before.
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    /// How long a question can be answered. Later it counts as denied.
    pub fn expires(mut self, after: Duration) -> Self {
        self.expires = after;
        self
    }

    async fn ask(&self, request: &ApprovalRequest) -> Result<ApprovalAnswer, StoreError> {
        let id = self.open(request).await?;
        let closing = CloseOnDrop { store: self.store.clone(), id: Some(id.clone()) };
        let start = Instant::now();
        loop {
            match self.take(&id).await {
                Ok(Some(answer)) => {
                    closing.disarm();
                    return Ok(answer);
                }
                Ok(None) => {}
                // The question is stored, so an answer is not lost: it is looked for again, and by the next turn.
                Err(error) => {
                    tracing::warn!(target: "hooks_store", question = id, %error, "an answer cannot be looked for now");
                }
            }
            if start.elapsed() >= self.patience {
                closing.disarm();
                return Ok(ApprovalAnswer::Suspend);
            }
            tokio::time::sleep(LOOK.min(self.patience)).await;
        }
    }

    /// The row of the question: the one that waits from before, where it asks the same, or a new one. An answer to another
    /// question is an answer to that one only.
    async fn open(&self, request: &ApprovalRequest) -> Result<String, StoreError> {
        let unwritten = |error| StoreError::new(format!("the question cannot be written: {error}"));
        let text = serde_json::to_string(request).map_err(unwritten)?;
        let (store, request, expires) = (self.store.clone(), request.clone(), self.expires);
        let runtime = store.runtime.clone();
        let opened = async move {
            let mut tx = store.database.write().await?;
            let before = "SELECT id, request FROM hooks_questions WHERE conversation = $1 AND call_id = $2 AND status IN ('open', 'answered')";
            let before =
                sqlx::query(before).bind(&request.conversation).bind(&request.call.id).fetch_all(&mut *tx).await?;
            for row in before {
                let (id, asked): (String, String) = (row.try_get(0)?, row.try_get(1)?);
                if serde_json::from_str::<ApprovalRequest>(&asked).is_ok_and(|asked| asks_the_same(&asked, &request)) {
                    return Ok(id);
                }
                let close = sqlx::query("UPDATE hooks_questions SET status = $2 WHERE id = $1").bind(id).bind(CLOSED);
                close.execute(&mut *tx).await?;
            }
            // A gate may ask in one turn again what it asked before the input was edited.
            let open = "INSERT INTO hooks_questions (id, conversation, call_id, request, status, asked_at, expires_at) \
                        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO UPDATE SET \
                        request = $4, status = $5, answer = NULL, asked_at = $6, expires_at = $7, answered_at = NULL";
            let open = sqlx::query(open)
                .bind(&request.id)
                .bind(&request.conversation)
                .bind(&request.call.id)
                .bind(text)
                .bind(OPEN)
                .bind(now())
                .bind(now().saturating_add(millis(expires)));
            open.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(request.id)
        };
        runtime.run(async move { opened.await.map_err(|error: sqlx::Error| failed(&error)) }).await
    }

    /// The answer, which nobody else gets any more; `None` where there is none yet.
    async fn take(&self, id: &str) -> Result<Option<ApprovalAnswer>, StoreError> {
        // Looked for without a lock that writes.
        let found = "SELECT status, answer, expires_at FROM hooks_questions WHERE id = $1";
        let found = sqlx::query(found).bind(id).fetch_optional(&self.store.database.readers).await;
        let Some(found) = found.map_err(|error| failed(&error))? else {
            return Ok(Some(ApprovalAnswer::No("the question was deleted".to_owned())));
        };
        let column = |error: sqlx::Error| failed(&error);
        let status: String = found.try_get(0).map_err(column)?;
        let expires: i64 = found.try_get(2).map_err(column)?;
        match status.as_str() {
            OPEN if time(expires) > SystemTime::now() => return Ok(None),
            OPEN => {
                close(&self.store.database, id, OPEN).await.map_err(column)?;
                return Ok(Some(ApprovalAnswer::No("nobody answered before the question expired".to_owned())));
            }
            ANSWERED => {}
            _ => return Ok(Some(ApprovalAnswer::No("the question was closed".to_owned()))),
        }
        // Closed before it is acted on: what is killed in between never runs twice.
        if !close(&self.store.database, id, ANSWERED).await.map_err(column)? {
            return Ok(Some(ApprovalAnswer::No("another turn acts on the answer".to_owned())));
        }
        let answer: Option<String> = found.try_get(1).map_err(column)?;
        let answer = serde_json::from_str(&answer.unwrap_or_default());
        answer.map(Some).map_err(|error| StoreError::new(format!("the answer to `{id}` cannot be read: {error}")))
    }
}

/// Whether an answer to the one is an answer to the other: the same call of the same agent with the same input, for the same
/// reason.
fn asks_the_same(one: &ApprovalRequest, other: &ApprovalRequest) -> bool {
    (&one.agent, &one.agent_path, &one.call, &one.input) == (&other.agent, &other.agent_path, &other.call, &other.input)
        && (&one.question, one.deferred) == (&other.question, other.deferred)
}

/// Closes a question that is in this state still.
pub(super) async fn close(database: &Database, id: &str, status: &str) -> Result<bool, sqlx::Error> {
    let mut tx = database.write().await?;
    let close =
        sqlx::query("UPDATE hooks_questions SET status = $3 WHERE id = $1 AND status = $2").bind(id).bind(status);
    let closed = close.bind(CLOSED).execute(&mut *tx).await?.rows_affected() == 1;
    tx.commit().await?;
    Ok(closed)
}

/// Closes a question whose turn was cancelled, or waited for as long as it may: it has ended without the call.
struct CloseOnDrop {
    store: Store,
    id: Option<String>,
}

impl CloseOnDrop {
    fn disarm(mut self) {
        self.id = None;
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let database = self.store.database.clone();
        let closing = self.store.runtime.spawn(async move {
            if let Err(error) = close(&database, &id, OPEN).await {
                tracing::error!(target: "hooks_store", question = id, %error, "a question that nobody waits for stays open");
            }
        });
        drop(closing);
    }
}

impl Approver for StoredApprover {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer> {
        Box::pin(async move {
            // What cannot be asked is denied.
            self.ask(request).await.unwrap_or_else(|error| {
                tracing::error!(target: "hooks_store", question = request.id, %error, "a question could not be asked");
                ApprovalAnswer::No("the question could not be stored".to_owned())
            })
        })
    }

    fn holds<'a>(&'a self, conversation: &'a str, call: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let held = "SELECT id FROM hooks_questions WHERE conversation = $1 AND call_id = $2 AND status IN ('open', 'answered')";
            let held =
                sqlx::query(held).bind(conversation).bind(call).fetch_optional(&self.store.database.readers).await;
            match held {
                Ok(held) => held.is_some(),
                Err(error) => {
                    tracing::error!(target: "hooks_store", conversation, call, %error, "questions cannot be read");
                    false
                }
            }
        })
    }

    fn forget<'a>(&'a self, conversation: &'a str, call: &'a str) -> BoxFuture<'a, ()> {
        let (store, conversation, call) = (self.store.clone(), conversation.to_owned(), call.to_owned());
        Box::pin(async move {
            let runtime = store.runtime.clone();
            let forgotten = async move {
                let mut tx = store.database.write().await?;
                let forget = "UPDATE hooks_questions SET status = 'closed' WHERE conversation = $1 AND call_id = $2 AND status <> 'closed'";
                sqlx::query(forget).bind(conversation).bind(call).execute(&mut *tx).await?;
                tx.commit().await
            };
            let forgotten = runtime.run(async move { forgotten.await.map_err(|error: sqlx::Error| failed(&error)) });
            if let Err(error) = forgotten.await {
                tracing::error!(target: "hooks_store", %error, "a question that nobody acts on stays open");
            }
        })
    }
}
