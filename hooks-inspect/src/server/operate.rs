//! Questions and background runs of a store.

#![cfg_attr(not(feature = "store"), allow(clippy::unused_async, unused_variables, reason = "there is no store"))]

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer};
#[cfg(feature = "store")]
use serde_json::Value;

use super::inspector::{Inspector, Shared};

/// The answer to a question: yes, if wanted with another input; or no.
#[derive(Deserialize)]
#[cfg_attr(not(feature = "store"), expect(dead_code, reason = "there is no store"))]
pub(super) struct Answer {
    id: String,
    yes: bool,
    /// The input as text, because a browser would round the numbers of a value.
    #[serde(default, deserialize_with = "given")]
    input: Option<String>,
    #[serde(default)]
    reason: String,
}

/// A text that is there. Null would be taken for an input that nobody edited.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = Option::deserialize(from)?;
    let why = "`input` is the edited input as a text of JSON; leave it out for the input as it is";
    text.map(Some).ok_or_else(|| serde::de::Error::custom(why))
}

#[derive(Deserialize)]
#[cfg_attr(not(feature = "store"), expect(dead_code, reason = "there is no store"))]
pub(super) struct Job {
    id: String,
}

type Done = Result<String, (StatusCode, String)>;

#[allow(clippy::needless_pass_by_value, reason = "what `map_err` gives")]
fn refused(why: impl ToString) -> (StatusCode, String) {
    (StatusCode::CONFLICT, why.to_string())
}

pub(super) async fn answer(State(inspector): Shared, Json(answer): Json<Answer>) -> Done {
    #[cfg(feature = "store")]
    if let Some(store) = &inspector.store {
        use hook_sdk::protocol::Approval;
        let approval = match (answer.yes, answer.input) {
            (false, _) if answer.reason.trim().is_empty() => Approval::No("a person said no".to_owned()),
            (false, _) => Approval::No(answer.reason),
            (true, None) => Approval::Yes,
            (true, Some(text)) => Approval::Edited(edited(&text)?.into()),
        };
        store.answer(&answer.id, &approval).await.map_err(refused)?;
        return Ok("answered; a turn that waits acts on it at once, any other when its session is resumed".to_owned());
    }
    Err(refused("there is no store"))
}

/// The input that somebody wrote.
#[cfg(feature = "store")]
fn edited(text: &str) -> Result<Value, (StatusCode, String)> {
    let wrong = |why: String| (StatusCode::UNPROCESSABLE_ENTITY, why);
    match serde_json::from_str(text) {
        Ok(Value::Null) => Err(wrong("null is no input of a tool; write `{}` for an empty one".to_owned())),
        Ok(input) => Ok(input),
        Err(error) => Err(wrong(format!("the input is not JSON: {error}"))),
    }
}

pub(super) async fn retry(State(inspector): Shared, Json(job): Json<Job>) -> Done {
    #[cfg(feature = "store")]
    if let Some(store) = &inspector.store {
        let is_queued = store.retry(&job.id).await.map_err(refused)?;
        let why = "it is not a run that ended without success";
        return if is_queued { Ok("queued again".to_owned()) } else { Err(refused(why)) };
    }
    Err(refused("there is no store"))
}

pub(super) async fn cancel(State(inspector): Shared, Json(job): Json<Job>) -> Done {
    #[cfg(feature = "store")]
    if let Some(store) = &inspector.store {
        let is_cancelled = store.cancel(&job.id).await.map_err(refused)?;
        return if is_cancelled { Ok("cancelled".to_owned()) } else { Err(refused("it does not wait any more")) };
    }
    Err(refused("there is no store"))
}

/// What the page shows of the store, as JSON. `None` without one, or if it cannot be read now.
pub(super) async fn state(inspector: &Inspector) -> Option<String> {
    #[cfg(feature = "store")]
    if let Some(store) = &inspector.store {
        return crate::page::stored::state(store).await.ok().map(|state| state.to_string());
    }
    None
}
