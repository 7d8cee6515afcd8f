use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hook_sdk::Hook;
use serde_json::Value;

use super::plugins::{PluginEntry, PluginFolders, PluginListener};
use super::source::Source;
use super::state::{RuleInfo, SourceFile, State};
use super::trust::Trust;
use crate::occurrence::Occurrence;
use crate::runner::{ActiveRule, EventRules, Shared};
use crate::syntax::Defect;

/// The rules of an app. Clones are handles to the same rules.
///
/// ```
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hook_sdk::data::ToolCall;
/// use hooks_rules::Rules;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
///     {"type": "command", "onFailure": "block",
///      "command": "grep -q '\"tool_input\":{\"command\":\"ls\"}' && exit 0; echo 'not here' >&2; exit 2"}
/// ]}]}}"#;
/// let rules = Rules::builder().text("hooks.json", text).build();
/// assert!(rules.defects().is_empty());
///
/// let registry = Registry::empty();
/// registry.set_app(AppDef::new("desk").hooks(rules.install(&registry)?));
/// let hooks = registry.scope(&AgentDef::new("clerk"), None)?;
///
/// let call = ToolCall::new("call_1", "run_shell_command", serde_json::json!({"command": "rm -rf /"}));
/// let input = call.input.clone();
/// let fired = hooks.fire(&HookContext::new(), &BeforeToolCall::new(call), input).await?;
/// # #[cfg(unix)]
/// assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "not here");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Rules {
    inner: Arc<Inner>,
}

/// What an app configured.
#[derive(Default)]
pub(super) struct Setup {
    /// The files that the app added individually.
    pub(super) sources: Vec<Source>,
    pub(super) plugins: PluginFolders,
    pub(super) plugin_listeners: Vec<PluginListener>,
    pub(super) trust: Option<PathBuf>,
    pub(super) trust_all: bool,
    pub(super) priority: i32,
    pub(super) disabled: Vec<String>,
    /// Hooks that are registered once a rule names them.
    pub(super) library: Vec<Arc<Hook>>,
    /// Calls of the builder that have no file to belong to.
    pub(super) misuses: Vec<Defect>,
}

struct Inner {
    setup: Setup,
    shared: Arc<Shared>,
    state: Mutex<State>,
    /// Locked while files are read and installed in a registry.
    refreshing: tokio::sync::Mutex<()>,
}

impl Rules {
    pub(super) fn new(setup: Setup, shared: Shared) -> Self {
        let state = Mutex::new(State::new(setup.disabled.iter().cloned()));
        let inner = Inner { setup, shared: Arc::new(shared), state, refreshing: tokio::sync::Mutex::default() };
        let rules = Self { inner: Arc::new(inner) };
        rules.reload();
        let mut state = rules.state();
        state.reported = state.plugins.iter().map(|found| (found.name().to_owned(), state.plugin_now(found))).collect();
        drop(state);
        rules
    }

    /// Reads the files and the folders of plugins again. If a file cannot be read or is not valid JSON, the rules of
    /// its last valid version stay, so that a guard does not disappear while its file is being edited. Takes effect at
    /// the next [`install`](Self::install). Existing hook sets do not change.
    pub fn reload(&self) {
        let trust = self.inner.setup.trust.as_ref().map(Trust::open);
        let mut defects = self.inner.setup.misuses.clone();
        let trust = match trust {
            Some(Err(error)) => {
                let file: Arc<Path> = self.inner.setup.trust.as_deref().unwrap_or(Path::new("")).into();
                defects.push(Defect::of_file(&file, error.to_string(), "until then no project is trusted"));
                None
            }
            Some(Ok(trust)) => Some(trust),
            None => None,
        };
        let project = (!self.inner.setup.trust_all).then_some(&*self.inner.shared.environment.project);
        let (disabled, before) = {
            let state = self.state();
            (state.disabled_plugins.clone(), state.plugins.clone())
        };
        let plugins = self.inner.setup.plugins.read(trust.as_ref(), project, &disabled, &before);
        let sources = self.inner.setup.sources.iter().cloned().chain(plugins.iter().flat_map(PluginEntry::sources));
        let read: Vec<SourceFile> = sources
            .map(|source| {
                let file = source.read(trust.as_ref(), project);
                SourceFile { source, file }
            })
            .collect();
        self.state().update(read, plugins, defects, &self.inner.shared.clients);
    }

    /// Disables a rule. Takes effect at the next [`install`](Self::install). Returns whether the rule exists.
    pub fn disable(&self, id: &str) -> bool {
        self.state().set_enabled(id, false)
    }

    /// Enables a rule again. Takes effect at the next [`install`](Self::install). Returns whether the rule exists.
    pub fn enable(&self, id: &str) -> bool {
        self.state().set_enabled(id, true)
    }

    /// The defects of the files, in their order. Defects that depend on a registry are added by
    /// [`install`](Self::install).
    pub fn defects(&self) -> Vec<Defect> {
        self.state().defects()
    }

    /// All rules, in the order of the files, with what keeps them from running.
    pub fn list(&self) -> Vec<RuleInfo> {
        let state = self.state();
        state.rules.iter().map(|one| state.listed(&one.rule, one.off.as_ref())).collect()
    }

    /// The rules that would run for this occurrence, in the order of the files. For a tool call, `tool_name` can be the
    /// app's name or the name in rule files. Runs no rules.
    pub fn select(&self, occurrence: &Occurrence) -> Vec<RuleInfo> {
        let state = self.state();
        let event = occurrence.event;
        let of_event = |active: &&Arc<ActiveRule>| active.rule.event == event && state.runs(active);
        let rules = state.active.iter().filter(of_event).cloned().collect();
        let of_event = EventRules { shared: Arc::clone(self.shared()), event, rules };
        let tool = occurrence.get("tool_name").and_then(Value::as_str);
        of_event.select(occurrence, tool).into_iter().map(|active| state.listed(active, None)).collect()
    }

    /// Waits for background runs, and kills those that have not ended after `limit`. No new ones are started. Returns
    /// how many were killed.
    pub async fn shutdown(&self, limit: Duration) -> usize {
        self.inner.shared.background.drain(limit).await
    }

    /// Locked while files are read and installed in a registry.
    pub(super) fn refreshing(&self) -> &tokio::sync::Mutex<()> {
        &self.inner.refreshing
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.inner.setup
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Commands, headers and variables can contain secrets, and this output is logged. Use [`list`](Rules::list) to show
/// the rules.
impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.inner.setup.sources.iter().map(|source| &source.path).collect();
        let count = self.state().active.len();
        f.debug_struct("Rules").field("files", &files).field("rules", &count).finish_non_exhaustive()
    }
}
