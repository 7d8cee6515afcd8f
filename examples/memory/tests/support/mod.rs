//! Shared by the tests of turns.
#![allow(dead_code, clippy::unwrap_used, reason = "each test binary uses a part; tests unwrap")]

use std::sync::{Arc, Mutex};

use hook_sdk::Registry;
use hook_sdk::hook::BoxFuture;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use memory::app::{App, Said};
use memory::fact::Fact;
use memory::model::Concierge;
use memory::store::Store;
use tempfile::TempDir;

/// A model that records its calls.
pub(crate) struct Noted {
    model: Arc<dyn Model>,
    heard: Mutex<Vec<ModelCall>>,
}

impl Noted {
    pub(crate) fn of(model: impl Model) -> Arc<Self> {
        Arc::new(Self { model: Arc::new(model), heard: Mutex::default() })
    }

    /// The last call.
    pub(crate) fn last(&self) -> ModelCall {
        self.heard.lock().unwrap().last().unwrap().clone()
    }

    /// The tools of the last call.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.last().tools.iter().map(|tool| tool.name.clone()).collect()
    }
}

impl Model for Noted {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.heard.lock().unwrap().push(call.clone());
        self.model.call(call, deltas)
    }
}

/// An app with its own notes.
pub(crate) struct Bench {
    pub(crate) app: App,
    pub(crate) model: Arc<Noted>,
    pub(crate) folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Registry::discover().unwrap(), Concierge)
    }

    pub(crate) fn with(registry: Registry, model: impl Model) -> Self {
        let (folder, store) = notes();
        let model = Noted::of(model);
        Self { app: App::with(registry, store, Arc::clone(&model) as Arc<dyn Model>).unwrap(), model, folder }
    }

    /// A turn in its own conversation.
    pub(crate) async fn say(&self, prompt: &str) -> Said {
        let session = self.app.session().await.unwrap();
        self.app.say(&session, prompt).await
    }

    /// A turn in its own conversation, with its jobs. Returns the keys that were learnt.
    pub(crate) async fn teach(&self, prompt: &str) -> Vec<String> {
        keys(self.say(prompt).await).await
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.app.store().get(key).unwrap().map(|fact| fact.text)
    }
}

/// The keys that the jobs of a turn learnt.
pub(crate) async fn keys(said: Said) -> Vec<String> {
    let mut keys = Vec::new();
    for job in said.jobs {
        keys.extend(job.unwrap().done().await.unwrap().into_iter().map(|fact| fact.key));
    }
    keys
}

/// Empty notes in a temporary folder.
pub(crate) fn notes() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("notes.redb")).unwrap();
    (folder, store)
}

pub(crate) fn keep(store: &Store, key: &str, text: &str) {
    let fact = Fact::new(key, text, "s0:1").unwrap();
    store.update(|notes| notes.keep(&fact)).unwrap();
}
