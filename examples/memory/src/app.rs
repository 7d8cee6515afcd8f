//! The app: the turn loop with the hooks, tools and preflight, the notes, and the worker.

use std::path::Path;
use std::sync::Arc;

use hook_sdk::verdict::Contributions;
use hook_sdk::{ConfigError, HookContext, Registry};
use hooks_agent::model::Model;
use hooks_agent::{Harness, Reply, Session, TurnError, TurnEvent};

use crate::hooks;
use crate::model::Concierge;
use crate::store::{Store, StoreError};
use crate::tools::{Forget, Remember};
use crate::topics;
use crate::worker::{JobError, Pending, Worker};

/// The system prompt.
pub const SYSTEM_PROMPT: &str = "You are a concierge. Be brief.";

/// An agent with a memory.
#[derive(Debug)]
pub struct App {
    harness: Harness,
    store: Store,
    worker: Worker,
}

/// The error of the app.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The lists of hooks are invalid.
    #[error(transparent)]
    Hooks(#[from] ConfigError),
    /// The notes cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A session cannot be opened.
    #[error(transparent)]
    Turn(#[from] TurnError),
}

/// The result of a turn.
#[derive(Debug)]
#[non_exhaustive]
pub struct Said {
    /// The reply.
    pub reply: Reply,
    /// The contributions of hooks by phase, in order.
    pub phases: Vec<(&'static str, Contributions)>,
    /// The jobs that were passed to the worker, or the error of passing one.
    pub jobs: Vec<Result<Pending, JobError>>,
}

impl App {
    /// Opens the app with the notes in `file`, the hooks of the program and a rule-based model.
    ///
    /// # Errors
    /// [`AppError`].
    pub fn open(file: &Path) -> Result<Self, AppError> {
        Self::with(Registry::discover()?, Store::open(file)?, Arc::new(Concierge))
    }

    /// Creates the app with other hooks, notes or another model.
    ///
    /// # Errors
    /// [`AppError`].
    pub fn with(registry: Registry, store: Store, model: Arc<dyn Model>) -> Result<Self, AppError> {
        let harness = Harness::builder(registry)
            .shared_model("main", model)
            .preflight(topics::look)
            .bundled_tool(Remember)
            .bundled_tool(Forget)
            .context(HookContext::builder().app("memory").state(store.clone()).build())
            .build()?;
        Ok(Self { harness, worker: Worker::start(store.clone()), store })
    }

    /// The notes.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Starts a new conversation.
    ///
    /// # Errors
    /// [`AppError`].
    pub async fn session(&self) -> Result<Session, AppError> {
        let conversation = self.store.next_conversation()?;
        let opening = self.harness.session(conversation, hooks::agent()).system_prompt(SYSTEM_PROMPT);
        Ok(opening.open().await?)
    }

    /// Sends `prompt` to `session`, and passes jobs that hooks contribute to the worker. Returns with the reply,
    /// possibly before the jobs are done.
    pub async fn say(&self, session: &Session, prompt: &str) -> Said {
        let mut turn = session.turn(None, prompt);
        let mut phases = Vec::new();
        while let Some(event) = turn.next().await {
            if let TurnEvent::Contributed { kind, contributions, .. } = event {
                phases.push((kind, contributions));
            }
        }
        let reply = turn.await;
        let jobs = reply.contributions.background_jobs().map(|(job, input)| self.worker.hand(job, input)).collect();
        Said { reply, phases, jobs }
    }

    /// Completes the remaining jobs and closes the notes.
    pub async fn close(self) {
        self.worker.close().await;
    }
}
