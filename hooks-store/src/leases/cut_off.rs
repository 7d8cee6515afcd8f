//! Turns whose process was killed.

use std::collections::HashSet;

use hook_sdk::data::{Message, Role};
use hooks_agent::caller_of;
use hooks_agent::store::StoreError;
use sqlx::Row as _;

use super::holder;
use crate::error::Failure;
use crate::store::Store;

/// A held lease: its conversation, token, holder and number of heartbeats.
type HeldLease = (String, i64, String, i64);

impl Store {
    /// The conversations whose last turn was killed with its process before it had stored an answer. Turns that wait for
    /// the answer to a question are not among them; [`resume_answered`](Self::resume_answered) continues those.
    ///
    /// Call it when a process starts, and tell the model in a [hidden](hooks_agent::TurnRequest::hidden) prompt that it
    /// was interrupted: it reads which calls may have finished, and answers. If a turn ran on another machine, this waits
    /// until that has been [silent](crate::OpenOptions::silence) for long enough.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn cut_off(&self) -> Result<Vec<String>, StoreError> {
        let (mut dead, unknown): (Vec<_>, Vec<_>) =
            held(self).await?.into_iter().partition(|(_, _, holder, _)| holder::has_ended(holder));
        let unknown: Vec<_> = unknown.into_iter().filter(|(_, _, holder, _)| !holder::is_here(holder)).collect();
        if !unknown.is_empty() {
            tokio::time::sleep(self.silence).await;
            let now: HashSet<_> = held(self).await?.into_iter().collect();
            dead.extend(unknown.into_iter().filter(|lease| now.contains(lease)));
        }
        let mut waiting = self.questions().await?;
        waiting.extend(self.answered_questions().await?);
        let waits: HashSet<_> = waiting.iter().map(|question| question.request.suspended_turn().conversation).collect();
        let dead: Vec<_> = dead.into_iter().map(|(conversation, ..)| conversation).collect();
        let mut cut_off = Vec::new();
        for id in dead.iter().filter(|id| !waits.contains(*id)) {
            // The turn of a sub-agent goes on with the one that called it.
            let is_called = match caller_of(id).filter(|(caller, _)| dead.iter().any(|id| id == caller)) {
                Some((caller, call)) => self.calls(caller).await?.contains(&call),
                None => false,
            };
            if !is_called && last_message(self, id).await?.is_some_and(|last| !is_answer(&last)) {
                cut_off.push(id.clone());
            }
        }
        Ok(cut_off)
    }
}

fn is_answer(message: &Message) -> bool {
    message.role == Role::Assistant && message.tool_calls().next().is_none()
}

async fn held(store: &Store) -> Result<Vec<HeldLease>, Failure> {
    let rows = store.database.read(|tx| {
        Box::pin(async move {
            let held = "SELECT conversation, token, holder, beat FROM hooks_leases WHERE holder IS NOT NULL \
                        ORDER BY conversation";
            Ok(sqlx::query(held).fetch_all(&mut **tx).await?)
        })
    });
    let read = |row: &sqlx::any::AnyRow| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?));
    rows.await?.iter().map(read).collect()
}

/// The last message that the model reads, if it can be read.
async fn last_message(store: &Store, conversation: &str) -> Result<Option<Message>, Failure> {
    let conversation = conversation.to_owned();
    let last = store.database.read(move |tx| {
        Box::pin(async move {
            let last = "SELECT message FROM hooks_messages WHERE place IS NOT NULL AND conversation = \
                        (SELECT number FROM hooks_conversations WHERE id = $1) ORDER BY place DESC LIMIT 1";
            Ok(sqlx::query_scalar::<_, String>(last).bind(conversation).fetch_optional(&mut **tx).await?)
        })
    });
    Ok(last.await?.and_then(|text| serde_json::from_str(&text).ok()))
}
