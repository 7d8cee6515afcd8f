//! A chat server: the answer streams to the browser as server-sent events, and a hook masks card numbers on the way.
//!
//! `cargo run -p cookbook --bin chat_sse`, then `curl -N -d 'Which card?' localhost:3000/chat/ada`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: hooks
use std::convert::Infallible;
use std::error::Error;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::post;
use futures_util::stream::{self, Stream};
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::{Harness, TurnEvent};
use regex::Regex;

/// 13 digits or more, in groups or not, and further digits behind a number that is masked already.
static CARD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d(?:[ -]?\d){12,}|\[card\](?:[ -]?\d)*").ok());

/// Masks card numbers. `hold` keeps the last 40 characters back, so that a number that arrives in pieces is seen whole.
/// The hook sees its own rewrite again with the next piece, so `CARD` matches `[card]` and digits behind it, too. If it
/// fails, the stream stops.
#[hook(id = "mask_cards", kind = stream_delta, hold = 40, on_failure = deny)]
fn mask_cards(window: &mut String) -> Result<(), &'static str> {
    let card = CARD.as_ref().ok_or("the pattern is broken")?;
    *window = card.replace_all(window, "[card]").into_owned();
    Ok(())
}

/// Streams a turn. When the client disconnects, axum drops the stream, and a dropped turn is cancelled.
async fn chat(
    State(harness): State<Arc<Harness>>,
    Path(customer): Path<String>,
    text: String,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, StatusCode> {
    let agent = AgentDef::new("support").hooks(hooks![mask_cards]);
    let session = harness.session(customer, agent).open().await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let turn = session.turn(None, text);
    let events = stream::unfold(Some(turn), |turn| async {
        let mut turn = turn?;
        // Only what a browser shows: the text, and its replacement if a hook rewrote it.
        while let Some(event) = turn.next().await {
            let name = match event {
                TurnEvent::Text(_) => "text",
                TurnEvent::Retracted { .. } => "retracted",
                _ => continue,
            };
            let data = serde_json::to_string(&event).unwrap_or_default();
            return Some((Ok(Event::default().event(name).data(data)), Some(turn)));
        }
        // The reply is the final text, which is also stored.
        let reply = serde_json::Value::from(turn.await.to_string());
        Some((Ok(Event::default().event("reply").data(reply.to_string())), None))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
// ANCHOR_END: hooks

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let answer =
        "You paid with card 4242 4242 4242 4242 on Monday. The receipt went to the address that we have on file.";
    let model = Scripted::new([Line::text(answer).streamed()]);
    let harness = Harness::builder(Registry::discover()?).model("main", model).build()?;
    let app = Router::new().route("/chat/{customer}", post(chat)).with_state(Arc::new(harness));

    let port = std::env::args().nth(1).unwrap_or_else(|| "3000".to_owned());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
