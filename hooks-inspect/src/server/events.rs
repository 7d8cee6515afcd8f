//! What is new, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use serde::Deserialize;

use super::inspector::{Inspector, Shared, read_from};
use super::operate;

/// How often files and stores are asked.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Deserialize)]
pub(super) struct Begin {
    #[serde(default)]
    from: u64,
}

struct Tail {
    inspector: Arc<Inspector>,
    next: u64,
    ready: VecDeque<Event>,
    /// What was last told of the store.
    state: String,
}

pub(super) async fn events(
    State(inspector): Shared,
    Query(begin): Query<Begin>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let tail = Tail { inspector, next: begin.from, ready: VecDeque::new(), state: String::new() };
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
            && let Ok((next, text)) = read_from(path, self.next).await
        {
            self.next = next;
            let lines = text.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
            let event = |line: std::borrow::Cow<'_, str>| Event::default().event("line").data(line.trim_end());
            self.ready.extend(lines.filter(|line| !line.trim().is_empty()).map(event));
        }
        if let Some(state) = operate::state(&self.inspector).await
            && state != self.state
        {
            self.ready.push_back(Event::default().event("state").data(&state));
            self.state = state;
        }
    }
}
