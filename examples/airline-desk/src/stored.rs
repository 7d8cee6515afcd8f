//! The desk with a store: persistent conversations, questions that another process can answer, and workers.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::{CancellationToken, Hook, HookContext, MissingState};
use hooks_agent::model::Model;
use hooks_store::{JobWorker, Store};

use crate::chat;
use crate::desk::Desk;
use crate::run::{RunError, runtime};

/// The file with the search index: next to an SQLite store, or in the working directory for Postgres.
struct Index(PathBuf);

impl Index {
    fn next_to(store: &str) -> Self {
        let is_file = !store.contains("://");
        Self(if is_file { Path::new(store).with_extension("index") } else { PathBuf::from("desk.index") })
    }

    fn add(&self, line: &str) -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0)?;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

/// Indexes stored messages in a worker. It runs at least once, and indexing the same line twice is harmless.
fn indexes() -> Hook {
    let index = |cx: &HookContext, event: &AfterCreateMessage| -> Result<(), IndexError> {
        let (role, text) = (event.message.role.as_str(), event.message.text());
        let start: String = text.chars().take(60).collect();
        cx.state::<Index>()?.add(&format!(
            "{} {role}: {}",
            cx.conversation().unwrap_or_default(),
            start.escape_debug()
        ))?;
        Ok(())
    };
    Hook::at::<AfterCreateMessage>("index_messages")
        .background(move |cx, event, ()| {
            let indexed = index(cx, event);
            Box::pin(async { indexed })
        })
        .idempotent()
        .retries(2)
        .description("Indexes what is stored.")
}

/// The error of indexing a message.
#[derive(Debug, thiserror::Error)]
enum IndexError {
    #[error(transparent)]
    State(#[from] MissingState),
    #[error("the index cannot be written: {0}")]
    Written(#[from] std::io::Error),
}

async fn open(desk: Desk, url: &str) -> Result<(Desk, Store), RunError> {
    let failed = |error: hooks_store::OpenError| RunError::Store(error.to_string());
    let store = Store::open(url).await.map_err(failed)?;
    Ok((desk.background(store.job_queue()).also(vec![indexes()])?, store))
}

/// Runs a chat in a conversation of the store.
pub(crate) fn chat(desk: Desk, model: Arc<dyn Model>, url: &str, conversation: &str) -> Result<ExitCode, RunError> {
    runtime().map_err(RunError::Runtime)?.block_on(async {
        let (desk, store) = open(desk, url).await?;
        chat::stored::talk(&desk, model, &store, url, conversation).await?;
        store.close().await.map_err(|error| RunError::Store(error.to_string()))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs the background hooks of the store.
pub(crate) fn work(desk: Desk, url: &str, parallelism: usize, once: bool) -> Result<ExitCode, RunError> {
    runtime().map_err(RunError::Runtime)?.block_on(async {
        let (desk, store) = open(desk, url).await?;
        let cx = desk.cx.to_builder().state(Index::next_to(url)).build();
        let worker = JobWorker::new(store.clone(), desk.registry().clone()).context(cx).parallelism(parallelism);
        if once {
            worker.run_until_empty().await;
        } else {
            let stop = CancellationToken::new();
            let stopped = stop.clone();
            tokio::spawn(async move {
                asked_to_end().await;
                stopped.cancel();
            });
            worker.run(stop).await;
        }
        store.close().await.map_err(|error| RunError::Store(error.to_string()))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Waits for Ctrl-C or a termination signal.
async fn asked_to_end() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = terminate.recv() => return,
            _ = tokio::signal::ctrl_c() => return,
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
