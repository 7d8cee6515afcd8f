//! What is new, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use serde::Deserialize;

use super::inspector::{Inspector, Place, Shared, read_after};
use super::operate;
use crate::page::text_of;

/// How often files and stores are asked.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Deserialize)]
pub(super) struct Begin {
    #[serde(default)]
    from: String,
}

struct Tail {
    inspector: Arc<Inspector>,
    next: Place,
    ready: VecDeque<Event>,
    /// What was last told of the store.
    state: String,
}

pub(super) async fn events(
    State(inspector): Shared,
    Query(begin): Query<Begin>,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // A browser whose connection broke says what it got last.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let next = Place::read(last.unwrap_or(&begin.from));
    let tail = Tail { inspector, next, ready: VecDeque::new(), state: String::new() };
    let events = futures_util::stream::unfold(tail, |mut tail| async move {
        loop {
            if let Some(event) = tail.ready.pop_front() {
                return Some((Ok(event), tail));
            }
            tail.look().await;
            if tail.ready.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

impl Tail {
    async fn look(&mut self) {
        if let Some(path) = &self.inspector.recording
            && let Ok(parts) = read_after(path, self.next).await
        {
            for part in parts {
                self.next = part.end();
                let event = |(at, line)| {
                    let event = Event::default().event("line").id(part.place(at).to_string());
                    text_of(line).map(|text| event.data(text))
                };
                self.ready.extend(part.lines().filter_map(event));
            }
        }
        if let Some(state) = operate::state(&self.inspector).await
            && state != self.state
        {
            self.ready.push_back(Event::default().event("state").data(&state));
            self.state = state;
        }
    }
}
