use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hooks_core::scope::HookUse;
use serde_json::Value;

use super::Trust;
use super::builder::RulesBuilder;
use super::plugins::{FoundPlugin, PluginChange, PluginFolders, PluginListener, PluginStatus, ReportedPlugins};
use super::source::Source;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::file::RuleFile;
use crate::firing::{ActiveRule, Firing, Owner, Shared};
use crate::rule::{Action, Rule, RuleId};
use crate::stdin::Occurrence;
use crate::written::Defect;

/// The rules of an app. Clones are handles to the same rules.
///
/// ```
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
/// use hooks_core::data::ToolCall;
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

struct Inner {
    /// The files that the app added individually.
    sources: Vec<Source>,
    plugins: PluginFolders,
    plugin_listeners: Vec<PluginListener>,
    trust: Option<std::path::PathBuf>,
    trust_all: bool,
    priority: i32,
    shared: Arc<Shared>,
    state: Mutex<State>,
    /// Locked while files are read and installed in a registry.
    refreshing: tokio::sync::Mutex<()>,
}

/// A file and its parsed content. `None` if it does not exist.
#[derive(Debug)]
struct Loaded {
    source: Source,
    file: Option<RuleFile>,
}

/// The result of the last reading.
#[derive(Debug, Default)]
pub(super) struct State {
    files: Vec<Loaded>,
    pub(super) active: Vec<Arc<ActiveRule>>,
    defects: Vec<Defect>,
    /// Defects that only the registry shows.
    pub(super) registry_defects: Vec<Defect>,
    /// Defects of plugins without any effect.
    pub(super) dead_plugins: Vec<Defect>,
    disabled: BTreeSet<String>,
    pub(super) installed: BTreeSet<Event>,
    /// The registered hooks between events.
    pub(super) between: BTreeSet<String>,
    /// The plugins of folders, in loading order.
    pub(super) plugins: Vec<FoundPlugin>,
    pub(super) disabled_plugins: BTreeSet<String>,
    /// The states of plugins that were last reported to the listeners.
    pub(super) reported: ReportedPlugins,
    /// The installed compiled plugins, with fingerprints of what they were given.
    pub(super) compiled: BTreeMap<String, u64>,
    /// The entries in the app's list that come from the rules.
    pub(super) uses: Vec<HookUse>,
    /// Whether something was read that has not been installed yet.
    pub(super) changed: bool,
    /// A fingerprint of all files.
    fingerprint: u64,
}

/// A rule for listings.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// The id.
    pub id: RuleId,
    /// The event at which it runs.
    pub event: Event,
    /// The dialect of its file.
    pub dialect: Dialect,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line.
    pub line: usize,
    /// The matcher as it is written in the file.
    pub matcher: Option<String>,
    /// The field `if`.
    pub filter: Option<String>,
    /// A short description.
    pub summary: String,
    /// A complete description.
    pub text: String,
    /// The plugin to which the rule belongs.
    pub plugin: Option<String>,
    /// The compiled hook, if it names one.
    pub hook: Option<String>,
    /// The message to show while it runs.
    pub status_message: Option<String>,
    /// Whether it can run: it is not disabled, and something fires its event.
    pub enabled: bool,
}

impl Rules {
    /// Returns a builder without any files.
    pub fn builder() -> RulesBuilder {
        RulesBuilder::default()
    }

    pub(super) fn new(builder: RulesBuilder, shared: Shared) -> Self {
        let state = State { disabled: builder.disabled.into_iter().collect(), ..State::default() };
        let rules = Self {
            inner: Arc::new(Inner {
                sources: builder.sources,
                plugins: builder.plugins,
                plugin_listeners: builder.plugin_listeners,
                trust: builder.trust,
                trust_all: builder.trust_all,
                priority: builder.priority,
                shared: Arc::new(shared),
                state: Mutex::new(state),
                refreshing: tokio::sync::Mutex::default(),
            }),
        };
        rules.reload();
        {
            let mut state = rules.state();
            let reported =
                state.plugins.iter().map(|found| (found.name().to_owned(), state.plugin_now(found))).collect();
            state.reported = reported;
        }
        rules
    }

    /// Reads the files and the folders of plugins again. If a file cannot be read or is not valid JSON, the rules of
    /// its last valid version stay, so that a guard does not disappear while its file is being edited. Takes effect at
    /// the next [`install`](Self::install). Existing hook sets do not change.
    pub fn reload(&self) {
        let trust = self.inner.trust.as_ref().map(Trust::open);
        let mut defects = Vec::new();
        let trust = match trust {
            Some(Err(error)) => {
                let file: Arc<Path> = self.inner.trust.as_deref().unwrap_or(Path::new("")).into();
                defects.push(Defect::of_file(&file, error.to_string(), "until then no project is trusted"));
                None
            }
            Some(Ok(trust)) => Some(trust),
            None => None,
        };
        let project = (!self.inner.trust_all).then_some(&*self.inner.shared.environment.project);
        let (disabled, before) = {
            let state = self.state();
            (state.disabled_plugins.clone(), state.plugins.clone())
        };
        let plugins = self.inner.plugins.read(trust.as_ref(), project, &disabled, &before);
        let sources = self.inner.sources.iter().cloned().chain(plugins.iter().flat_map(FoundPlugin::sources));
        let read: Vec<Loaded> = sources
            .map(|source| {
                let file = source.read(trust.as_ref(), project);
                Loaded { source, file }
            })
            .collect();
        let mut state = self.state();
        let mut before = std::mem::take(&mut state.files);
        state.files = read
            .into_iter()
            .map(|now| {
                let before = before.iter_mut().find(|before| before.source.is_same(&now.source));
                Loaded { file: kept(now.file, before.and_then(|before| before.file.take())), source: now.source }
            })
            .collect();
        let read = state.files.iter().filter_map(|loaded| loaded.file.as_ref());
        defects.extend(plugins.iter().flat_map(|found| found.defects.iter().cloned()));
        defects.extend(read.flat_map(|file| file.defects.iter().cloned()));
        (state.defects, state.plugins) = (defects, plugins);
        self.arm(&mut state);
        let fingerprint = state.current_fingerprint();
        state.changed |= fingerprint != state.fingerprint;
        state.fingerprint = fingerprint;
    }

    /// Disables a rule. Takes effect at the next [`install`](Self::install). Returns whether the rule exists.
    pub fn disable(&self, id: &str) -> bool {
        let mut state = self.state();
        state.disabled.insert(id.to_owned());
        state.active.iter().any(|active| active.rule.id.as_str() == id)
    }

    /// Enables a rule again. Takes effect at the next [`install`](Self::install). Returns whether the rule exists.
    pub fn enable(&self, id: &str) -> bool {
        let mut state = self.state();
        state.disabled.remove(id);
        state.active.iter().any(|active| active.rule.id.as_str() == id)
    }

    /// The defects of the files, in their order. Defects that depend on a registry are added by
    /// [`install`](Self::install).
    pub fn defects(&self) -> Vec<Defect> {
        let state = self.state();
        state.defects.iter().chain(&state.dead_plugins).chain(&state.registry_defects).cloned().collect()
    }

    /// All rules, in the order of the files.
    pub fn list(&self) -> Vec<Listed> {
        let state = self.state();
        state.active.iter().map(|active| state.listed(active)).collect()
    }

    /// The rules that would run for this occurrence, in the order of the files. For a tool call, `tool_name` can be the
    /// app's name or the name in rule files. Runs no rules.
    pub fn select(&self, occurrence: &Occurrence) -> Vec<Listed> {
        let state = self.state();
        let event = occurrence.event;
        let of_event = |active: &&Arc<ActiveRule>| active.rule.event == event && state.runs(active);
        let rules = state.active.iter().filter(of_event).cloned().collect();
        let firing = Firing { shared: Arc::clone(self.shared()), event, rules };
        let tool = occurrence.get("tool_name").and_then(Value::as_str);
        firing.select(occurrence, tool).into_iter().map(|active| state.listed(active)).collect()
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

    pub(super) fn notify(&self, change: &PluginChange) {
        self.inner.plugin_listeners.iter().for_each(|listener| listener(change));
    }

    /// The paths to watch.
    #[cfg(feature = "watch")]
    pub(super) fn watched(&self) -> super::plugins::WatchedPaths {
        let folders = &self.inner.plugins;
        let next_to_plugins = folders.parents.iter().map(|parent| parent.join("data"));
        let named = self.inner.sources.iter().filter(|source| source.text.is_none()).map(|source| &source.path);
        super::plugins::WatchedPaths {
            parents: folders.parents.clone(),
            data: folders.data.clone().map_or_else(|| next_to_plugins.collect(), |data| vec![data]),
            files: named.chain(&self.inner.trust).cloned().map(crate::files::absolute).collect(),
        }
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    pub(super) fn priority(&self) -> i32 {
        self.inner.priority
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the rules of all files into one list, each with a unique id.
    fn arm(&self, state: &mut State) {
        let files: Vec<_> =
            state.files.iter().filter_map(|loaded| Some((&loaded.source, loaded.file.as_ref()?))).collect();
        // `disableAllHooks` of the user applies to all rules, that of a project or a plugin to its own.
        let all_off = files.iter().any(|(source, file)| file.disabled && matches!(source.owner, Owner::User));
        let mut ids: HashMap<String, usize> = HashMap::new();
        let spent: HashSet<RuleId> =
            state.active.iter().filter(|active| active.is_spent()).map(|active| active.rule.id.clone()).collect();
        let mut lacking = Vec::new();
        let mut active = Vec::new();
        for (source, file) in files {
            if all_off || file.disabled {
                continue;
            }
            for rule in &file.rules {
                let mut rule = rule.clone();
                let count = ids.entry(rule.id.as_str().to_owned()).or_default();
                *count += 1;
                if *count > 1 {
                    rule.id = RuleId::new(format!("{}_f{count}", rule.id));
                }
                lacking.extend(self.lacks(file, &rule));
                let spent = spent.contains(&rule.id);
                let rule = ActiveRule::new(rule, source.owner.clone(), spent);
                // Of a failed plugin, only the guards remain, and they deny.
                if source.owner.plugin_failure().is_none() || rule.guards() {
                    active.push(Arc::new(rule));
                }
            }
        }
        state.defects.extend(lacking);
        state.active = active;
    }

    /// The client that the app does not provide, although this rule needs it.
    fn lacks(&self, file: &RuleFile, rule: &Rule) -> Option<Defect> {
        let clients = &self.inner.shared.clients;
        let (problem, help) = match rule.action {
            Action::Judge(_) if clients.judge.is_none() => {
                ("there is no model for the question of this rule", "give one with `Rules::builder().judge(…)`")
            }
            Action::Http(_) if clients.post.is_none() => {
                ("there is no client for the request of this rule", "give one with `Rules::builder().post(…)`")
            }
            _ => return None,
        };
        Some(Source::defect(file, rule.line, rule.column, problem.to_owned(), help))
    }
}

/// Commands, headers and variables can contain secrets, and this output is logged. Use [`list`](Rules::list) to show
/// the rules.
impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.inner.sources.iter().map(|source| &source.path).collect();
        let count = self.state().active.len();
        f.debug_struct("Rules").field("files", &files).field("rules", &count).finish_non_exhaustive()
    }
}

impl State {
    /// The state of a plugin that is reported: the fingerprint of its files, and its status.
    pub(super) fn plugin_now(&self, found: &FoundPlugin) -> (u64, PluginStatus) {
        let mut hasher = DefaultHasher::new();
        found.fingerprint().hash(&mut hasher);
        let mut status = found.status().clone();
        for file in
            self.files.iter().filter(|loaded| loaded.source.is_of(found.name())).filter_map(|it| it.file.as_ref())
        {
            (file.fingerprint, file.waits).hash(&mut hasher);
            if status != PluginStatus::On {
                continue;
            }
            if file.waits {
                status = PluginStatus::Waiting;
            } else if !file.readable {
                let name = file.file.file_name().unwrap_or_default().to_string_lossy();
                let problem = file.defects.first().map(|defect| defect.problem.as_str()).unwrap_or_default();
                status = PluginStatus::Failed(format!("{name}: {problem}"));
            }
        }
        (hasher.finish(), status)
    }

    /// A fingerprint of all files and of what is disabled.
    fn current_fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for loaded in &self.files {
            let file = loaded.file.as_ref();
            (&loaded.source.path, file.map(|file| (file.fingerprint, file.waits, file.readable))).hash(&mut hasher);
        }
        for found in &self.plugins {
            (found.name(), found.fingerprint(), format!("{:?}", found.status())).hash(&mut hasher);
        }
        self.disabled.hash(&mut hasher);
        hasher.finish()
    }

    pub(super) fn listed(&self, active: &ActiveRule) -> Listed {
        let rule = &active.rule;
        Listed {
            id: rule.id.clone(),
            event: rule.event,
            dialect: rule.dialect,
            file: Arc::clone(&rule.file),
            line: rule.line,
            matcher: rule
                .written_matcher
                .as_ref()
                .map(|matcher| matcher.as_str().map_or_else(|| matcher.to_string(), str::to_owned)),
            filter: rule.filter.as_ref().map(ToString::to_string),
            summary: rule.summary(),
            text: rule.text(),
            plugin: active.owner.plugin().map(str::to_owned),
            hook: match &rule.action {
                Action::Compiled { id, .. } => Some(id.clone()),
                _ => None,
            },
            status_message: rule.status_message.clone(),
            enabled: self.runs(active),
        }
    }

    pub(super) fn runs(&self, active: &ActiveRule) -> bool {
        !self.is_disabled(active) && active.rule.event.spec().kind.is_some()
    }

    pub(super) fn is_disabled(&self, active: &ActiveRule) -> bool {
        self.disabled.contains(active.rule.id.as_str())
    }
}

/// The content in use: the new one, or the previous one if the new text cannot be parsed.
fn kept(now: Option<RuleFile>, before: Option<RuleFile>) -> Option<RuleFile> {
    match (now, before) {
        (Some(mut now), Some(before)) if !now.readable => {
            now.rules = before.rules;
            now.dialect = before.dialect;
            now.disabled = before.disabled;
            Some(now)
        }
        (now, _) => now,
    }
}
