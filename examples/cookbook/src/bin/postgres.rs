//! Conversations and background jobs in Postgres: any process may take the next turn, and a worker does what is due.
//!
//! `cargo run -p cookbook --features postgres --bin postgres -- postgres://… chat "hello"`, then the same with `work`.
//! The path of a file in place of the URL keeps everything in SQLite.

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: hooks
use std::error::Error;

use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::prelude::*;
use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_store::{JobWorker, Store};

/// Adds each message to a search index. The job is stored in the transaction of the message, and a worker runs it.
#[hook(id = "index_messages", kind = after_create_message, run = background, idempotent, retries = 3)]
async fn index_messages(event: &AfterCreateMessage) {
    println!("indexed: {}", event.message.text());
}

/// One turn. A turn of another process in the same conversation waits until this one is over.
async fn chat(store: Store, text: &str) -> Result<(), Box<dyn Error>> {
    let registry = Registry::discover()?;
    registry.set_background(store.job_queue());
    let model = Scripted::new([Line::text(format!("You said: {text}"))]);
    let harness = Harness::builder(registry).model("main", model).store(store).build()?;
    let session = harness.session("c-1", AgentDef::new("support").hooks(hooks![index_messages])).open().await?;
    println!("{}", session.turn(None, text).await);
    println!("{} messages in the conversation", session.messages().await?.len());
    Ok(())
}

/// A worker runs the same hooks, so it is linked with them.
async fn work(store: Store) -> Result<(), Box<dyn Error>> {
    JobWorker::new(store, Registry::discover()?).parallelism(1).run_until_empty().await;
    Ok(())
}
// ANCHOR_END: hooks

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words {
        [url, "chat", text] => chat(Store::open(url).await?, text).await,
        [url, "work"] => work(Store::open(url).await?).await,
        _ => Err("write: postgres <URL or file> chat <text>, or: postgres <URL or file> work".into()),
    }
}
