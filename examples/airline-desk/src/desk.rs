//! The desk: its agent, prompts and hooks, and the context of the hooks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_sdk::diagnostics::{Finding, FindingKind};
use hook_sdk::plugin::Plugin;
use hook_sdk::scope::{AgentDef, AppDef, DefinitionError, PromptDef};
use hook_sdk::{ConfigError, Hook, HookContext, HookSet, Registry, hooks};
use hooks_agent::{Harness, HarnessBuilder};

use crate::hooks::watch::{self, Metrics};
use crate::mask::Masks;
use crate::tally::Tally;
use crate::trace::{Trace, Tracing, every_kind};

/// The error of opening the desk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeskError {
    /// The agent's or a prompt's file is not valid.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// The lists of hooks are invalid.
    #[error(transparent)]
    Hooks(#[from] ConfigError),
    /// The rule files have defects.
    #[cfg(feature = "rules")]
    #[error("{0}")]
    Rules(String),
    /// A pattern of the masks is invalid.
    #[error(transparent)]
    Masks(#[from] regex::Error),
}

/// The program's answer to the questions of gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Answer {
    /// Yes, because the recorded calls had been approved.
    #[default]
    Yes,
    /// No: calls that need approval do not run.
    No,
}

/// An open desk.
#[derive(Clone, Debug)]
pub struct Desk {
    pub(crate) agent: AgentDef,
    pub(crate) prompt: Option<PromptDef>,
    pub(crate) answer: Answer,
    pub(crate) trace: Option<Trace>,
    pub(crate) cx: HookContext,
    #[cfg(feature = "replay")]
    pub(crate) recorder: Option<hooks_replay::Recorder>,
    #[cfg(feature = "rules")]
    rules: Option<crate::rules::FileRules>,
    app: AppDef,
    pub(crate) hooks: HookSet,
    pub(crate) registry: Registry,
    metrics: Arc<Metrics>,
    tally: Arc<Tally>,
}

impl Desk {
    /// The folder that ships with the app: `agent.json`, `prompts/` and `sample.jsonl`.
    pub fn folder() -> PathBuf {
        let built = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/desk"));
        // Relative paths make shorter messages.
        let here = std::env::current_dir().ok();
        here.and_then(|here| built.strip_prefix(here).ok()).unwrap_or(built).to_owned()
    }

    /// Opens the desk with the agent in the file `agent`, the prompt in the file `prompt`, if any, and all hooks of the
    /// program.
    ///
    /// # Errors
    /// [`DeskError`] with the file, line and column of every problem.
    pub fn open(agent: &Path, prompt: Option<&Path>) -> Result<Self, DeskError> {
        let agent = AgentDef::from_file(agent)?;
        let prompt = prompt.map(PromptDef::from_file).transpose()?;
        Self::with(Registry::discover()?, &agent, prompt.as_ref())
    }

    /// Opens a desk with the hooks of `registry`.
    ///
    /// # Errors
    /// [`DeskError`] with all problems.
    pub fn with(registry: Registry, agent: &AgentDef, prompt: Option<&PromptDef>) -> Result<Self, DeskError> {
        // Compile the patterns now instead of at the first message.
        Masks::get()?;
        let app = app();
        registry.set_app(app.clone());
        let (tally, metrics) = (Arc::new(Tally::default()), Arc::new(Metrics::default()));
        let listener = Arc::clone(&tally);
        registry.observe(move |record: &_| listener.add(record));
        let hooks = registry.scope(agent, prompt.map(|prompt| prompt as _))?;
        let cx =
            HookContext::builder().app("airline-desk").human_present(true).shared_state(Arc::clone(&metrics)).build();
        Ok(Self {
            agent: agent.clone(),
            prompt: prompt.cloned(),
            answer: Answer::Yes,
            trace: None,
            cx,
            #[cfg(feature = "replay")]
            recorder: None,
            #[cfg(feature = "rules")]
            rules: None,
            app,
            hooks,
            registry,
            metrics,
            tally,
        })
    }

    /// Adds the rules in `files` and the `plugins` of a folder for all agents and prompts. Their commands run.
    ///
    /// # Errors
    /// [`DeskError`] with all their defects.
    #[cfg(feature = "rules")]
    pub fn ruled(mut self, files: &[PathBuf], plugins: Option<&Path>) -> Result<Self, DeskError> {
        let rules = crate::rules::FileRules::read(files, plugins)?;
        let app = self.app.clone().hooks(rules.install(&self.registry)?);
        self.rules = Some(rules);
        self.list(app)
    }

    /// Replaces the app's list.
    fn list(mut self, app: AppDef) -> Result<Self, DeskError> {
        self.registry.set_app(app.clone());
        self.hooks = self.registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))?;
        Ok(Self { app, ..self })
    }

    /// Installs `plugins`, which are in force regardless of the lists.
    ///
    /// # Errors
    /// [`DeskError`] if one cannot be installed.
    pub(crate) fn with_plugins(self, plugins: Vec<Plugin>) -> Result<Self, DeskError> {
        for plugin in plugins {
            self.registry.install(plugin)?;
        }
        Ok(self)
    }

    /// Adds `hooks` to the agent's list.
    ///
    /// # Errors
    /// [`DeskError`] if the id of one is already in use.
    pub(crate) fn also(mut self, hooks: Vec<Hook>) -> Result<Self, DeskError> {
        for hook in hooks {
            self.agent = self.agent.hooks([hook.id().as_str()]);
            self.registry.register(hook)?;
        }
        self.hooks = self.registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))?;
        Ok(self)
    }

    /// Sets the background sink for the jobs of background hooks.
    #[cfg(feature = "store")]
    pub(crate) fn background(self, background: impl hook_sdk::detached::BackgroundSink) -> Self {
        self.registry.set_background(background);
        self
    }

    /// The registry with all hooks.
    #[cfg(feature = "store")]
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Traces every turn.
    ///
    /// # Errors
    /// [`DeskError`] if a hook of the desk has an id that the trace needs.
    pub fn traced(mut self, tracing: Tracing) -> Result<Self, DeskError> {
        if tracing == Tracing::All {
            let mut app = self.app.clone();
            for hook in every_kind() {
                app = app.hooks([hook.id().as_str()]);
                self.registry.register(hook)?;
            }
            self = self.list(app)?;
        }
        let trace = Trace::default();
        let listener = trace.clone();
        self.registry.observe(move |record: &_| listener.record(record));
        Ok(Self { trace: Some(trace), ..self })
    }

    /// Returns a harness builder with the desk's hooks, but without models and tools.
    pub fn harness(&self) -> HarnessBuilder {
        let harness = Harness::builder(self.registry.clone())
            .context(self.cx.clone())
            .accept(FindingKind::RewriteWithoutPolicy, "fragile_tier", "it shows what a failure does")
            .accept(FindingKind::RewriteWithoutPolicy, "forget_thoughts", "thoughts that stay cost tokens, no more")
            .accept(FindingKind::MatchesNothing, "guard_cancellation", "the chat books, and cancels nothing");
        #[cfg(feature = "replay")]
        if let Some(recorder) = &self.recorder {
            return harness.on_inputs(recorder.turns());
        }
        harness
    }

    /// Sets the answer to the questions of gates.
    #[must_use]
    pub fn answer(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }

    /// Sets whether a person is at the desk.
    #[must_use]
    pub fn attended(self, attended: bool) -> Self {
        Self { cx: self.cx.to_builder().human_present(attended).build(), ..self }
    }

    /// Waits a moment for background commands of rules. Call it after the last conversation.
    #[cfg_attr(not(feature = "rules"), expect(clippy::unused_async, reason = "there are no commands to wait for"))]
    pub async fn close(&self) {
        #[cfg(feature = "rules")]
        if let Some(rules) = &self.rules {
            rules.close().await;
        }
    }

    /// The hooks in force.
    pub fn hooks(&self) -> &HookSet {
        &self.hooks
    }

    /// The counts per hook so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The metrics that the hooks have collected so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Audits the lists in force and those of the prompts in `folder`.
    ///
    /// # Errors
    /// [`DeskError`] if a prompt is invalid.
    pub fn audit(&self, folder: &Path) -> Result<Vec<Finding>, DeskError> {
        let mut sets = vec![self.hooks.clone()];
        for file in prompts(folder) {
            sets.push(self.registry.scope(&self.agent, Some(&PromptDef::from_file(&file)?))?);
        }
        Ok(self.registry.audit(&sets))
    }
}

/// The hooks that collect metrics are in the app's list, so that no agent or prompt can leave them out.
fn app() -> AppDef {
    AppDef::new("airline-desk").hooks(hooks![watch::count_messages, watch::time_tools])
}

/// The prompt files in `folder`, sorted by name. Empty if the folder does not exist.
fn prompts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}
