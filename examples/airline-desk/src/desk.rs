//! The desk: its agent, its prompts, its hooks, and the context they run in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_agent::{Harness, HarnessBuilder};
use hooks_core::diagnostics::Finding;
use hooks_core::plugin::Plugin;
use hooks_core::scope::{AgentDef, AppDef, DefinitionError, PromptDef};
use hooks_core::{ConfigError, Hook, HookContext, HookSet, Registry, hooks};
use hooks_replay::Recorder;

use crate::hooks::watch::{self, Metrics};
use crate::mask::Masks;
use crate::rules::FileRules;
use crate::tally::Tally;
use crate::trace::{Trace, Tracing, every_kind};

/// Why the desk cannot open.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeskError {
    /// The agent's or a prompt's file is not valid.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// The hooks do not fit together.
    #[error(transparent)]
    Hooks(#[from] ConfigError),
    /// Files of rules are not as they should be.
    #[error("{0}")]
    Rules(String),
    /// What the masks look for is not a pattern.
    #[error(transparent)]
    Masks(#[from] regex::Error),
}

/// What is said where a gate asks and nobody but the program can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Answer {
    /// As recorded: whatever was done then had been agreed to.
    #[default]
    Yes,
    /// Nothing that needs a yes is done.
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
    pub(crate) recorder: Option<Recorder>,
    rules: Option<FileRules>,
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
        // Where the program runs in the workspace, messages are shorter for it.
        let here = std::env::current_dir().ok();
        here.and_then(|here| built.strip_prefix(here).ok()).unwrap_or(built).to_owned()
    }

    /// The desk of the agent in `agent`, at the prompt in `prompt` if one is named, with all hooks of the program.
    ///
    /// # Errors
    /// [`DeskError`] with the file, line and column of everything that is wrong.
    pub fn open(agent: &Path, prompt: Option<&Path>) -> Result<Self, DeskError> {
        let agent = AgentDef::from_file(agent)?;
        let prompt = prompt.map(PromptDef::from_file).transpose()?;
        Self::with(Registry::discover()?, &agent, prompt.as_ref())
    }

    /// A desk with the hooks of `registry`.
    ///
    /// # Errors
    /// [`DeskError`] with everything that is wrong.
    pub fn with(registry: Registry, agent: &AgentDef, prompt: Option<&PromptDef>) -> Result<Self, DeskError> {
        // Made now, so that the first message does not wait for it.
        Masks::get()?;
        let app = app();
        registry.set_app(app.clone());
        let (tally, metrics) = (Arc::new(Tally::default()), Arc::new(Metrics::default()));
        let listener = Arc::clone(&tally);
        registry.observe(move |record: &_| listener.add(record));
        let hooks = registry.scope(agent, prompt.map(|prompt| prompt as _))?;
        let cx =
            HookContext::builder().app("airline-desk").human_present(true).shared_state(Arc::clone(&metrics)).build();
        let (agent, prompt, answer) = (agent.clone(), prompt.cloned(), Answer::Yes);
        let (trace, recorder, rules) = (None, None, None);
        Ok(Self { agent, prompt, answer, trace, cx, recorder, rules, app, hooks, registry, metrics, tally })
    }

    /// Has the rules in `files` and the `plugins` of a folder in force too, whatever agents and prompts say. Their commands run.
    ///
    /// # Errors
    /// [`DeskError`] with everything that is wrong in them.
    pub fn ruled(mut self, files: &[PathBuf], plugins: Option<&Path>) -> Result<Self, DeskError> {
        let rules = FileRules::read(files, plugins)?;
        let app = self.app.clone().hooks(rules.install(&self.registry)?);
        self.rules = Some(rules);
        self.list(app)
    }

    /// Puts another app's list in force.
    fn list(mut self, app: AppDef) -> Result<Self, DeskError> {
        self.registry.set_app(app.clone());
        self.hooks = self.registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))?;
        Ok(Self { app, ..self })
    }

    /// Installs `plugins`, which are in force whatever the lists say.
    ///
    /// # Errors
    /// [`DeskError`] where one cannot be installed.
    pub(crate) fn with_plugins(self, plugins: Vec<Plugin>) -> Result<Self, DeskError> {
        for plugin in plugins {
            self.registry.install(plugin)?;
        }
        Ok(self)
    }

    /// Puts `hooks` into the agent's list, beside those of its file.
    ///
    /// # Errors
    /// [`DeskError`] where one has an id that another has.
    pub(crate) fn also(mut self, hooks: Vec<Hook>) -> Result<Self, DeskError> {
        for hook in hooks {
            self.agent = self.agent.hooks([hook.id().as_str()]);
            self.registry.register(hook)?;
        }
        self.hooks = self.registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))?;
        Ok(self)
    }

    /// Has the jobs of background hooks go to `background`.
    #[cfg(feature = "store")]
    pub(crate) fn background(self, background: impl hooks_core::detached::BackgroundSink) -> Self {
        self.registry.set_background(background);
        self
    }

    /// All hooks that there are.
    #[cfg(feature = "store")]
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Has every turn traced.
    ///
    /// # Errors
    /// [`DeskError`] where an id of the desk's hooks is one that the trace takes for its own.
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

    /// A harness with the desk's hooks, and without a model or a tool.
    pub fn harness(&self) -> HarnessBuilder {
        let harness = Harness::builder(self.registry.clone()).context(self.cx.clone());
        match &self.recorder {
            Some(recorder) => harness.on_inputs(recorder.turns()),
            None => harness,
        }
    }

    /// What is said where a gate asks.
    #[must_use]
    pub fn answer(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }

    /// Whether somebody is at the desk.
    #[must_use]
    pub fn attended(self, attended: bool) -> Self {
        Self { cx: self.cx.to_builder().human_present(attended).build(), ..self }
    }

    /// After the last conversation: waits a moment for commands of rules that nobody waited for.
    pub async fn close(&self) {
        if let Some(rules) = &self.rules {
            rules.close().await;
        }
    }

    /// The hooks in force.
    pub fn hooks(&self) -> &HookSet {
        &self.hooks
    }

    /// What the hooks did so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What the hooks counted so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// What is likely not meant, in the lists in force and in those of the prompts in `folder`.
    ///
    /// # Errors
    /// [`DeskError`] where a prompt there is not valid.
    pub fn audit(&self, folder: &Path) -> Result<Vec<Finding>, DeskError> {
        let mut sets = vec![self.hooks.clone()];
        for file in prompts(folder) {
            sets.push(self.registry.scope(&self.agent, Some(&PromptDef::from_file(&file)?))?);
        }
        Ok(self.registry.audit(&sets))
    }
}

/// What is counted is the app's business, so no agent or prompt can leave it out.
fn app() -> AppDef {
    AppDef::new("airline-desk").hooks(hooks![watch::count_messages, watch::time_tools])
}

/// The prompt files in `folder`, by name; none where there is no such folder.
fn prompts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}
