//! The app: the turn loop with the hooks, the tools and the preflight, the notes, and the worker.

use std::path::Path;
use std::sync::Arc;

use hooks_agent::model::Model;
use hooks_agent::{Harness, Reply, Session, TurnError, TurnEvent};
use hooks_core::verdict::Contributions;
use hooks_core::{ConfigError, HookContext, Registry};

use crate::hooks;
use crate::model::Concierge;
use crate::store::{Store, StoreError};
use crate::tools::{Forget, Remember};
use crate::topics;
use crate::worker::{JobError, Pending, Worker};

/// What the model is told before anything else.
pub const SYSTEM_PROMPT: &str = "You are a concierge. Be brief.";

/// An agent that remembers.
#[derive(Debug)]
pub struct App {
    harness: Harness,
    store: Store,
    worker: Worker,
}

/// Why the app cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The hooks do not fit together.
    #[error(transparent)]
    Hooks(#[from] ConfigError),
    /// The notes cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A session cannot begin.
    #[error(transparent)]
    Turn(#[from] TurnError),
}

/// What came of a turn.
#[derive(Debug)]
#[non_exhaustive]
pub struct Said {
    /// The reply.
    pub reply: Reply,
    /// What hooks contributed, by phase, in their order.
    pub phases: Vec<(&'static str, Contributions)>,
    /// The jobs that were handed to the worker, or why one was not.
    pub jobs: Vec<Result<Pending, JobError>>,
}

impl App {
    /// The app with the notes in `file`, the hooks of the program and a model of rules.
    ///
    /// # Errors
    /// [`AppError`].
    pub fn open(file: &Path) -> Result<Self, AppError> {
        Ok(Self::with(Registry::discover()?, Store::open(file)?, Arc::new(Concierge)))
    }

    /// The app with hooks, notes and a model of one's own.
    pub fn with(registry: Registry, store: Store, model: Arc<dyn Model>) -> Self {
        let harness = Harness::builder(registry)
            .shared_model("main", model)
            .preflight(topics::look)
            .bundled_tool(Remember)
            .bundled_tool(Forget)
            .context(HookContext::builder().app("memory").state(store.clone()).build())
            .build();
        Self { harness, worker: Worker::start(store.clone()), store }
    }

    /// The notes.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// A new conversation.
    ///
    /// # Errors
    /// [`AppError`].
    pub async fn session(&self) -> Result<Session, AppError> {
        let conversation = self.store.next_conversation()?;
        let opening = self.harness.session(conversation, hooks::agent()).system_prompt(SYSTEM_PROMPT);
        Ok(opening.open().await?)
    }

    /// Says `prompt` in `session`, and hands over what the hooks put off. It returns with the reply; the jobs may take
    /// longer.
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

    /// Does what still waits, and closes the notes.
    pub async fn close(self) {
        self.worker.close().await;
    }
}
