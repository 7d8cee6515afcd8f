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
use super::plugins::{Found, PluginChange, PluginFolders, PluginListener, PluginStatus, ToldPlugins};
use super::source::Source;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::file::RuleFile;
use crate::firing::{ActiveRule, Firing, Owner, Shared};
use crate::rule::{Action, Rule, RuleId};
use crate::stdin::Occurrence;
use crate::written::Defect;

/// The rules of an app. Cloning gives another handle to the same rules.
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
    /// What the app names one by one.
    sources: Vec<Source>,
    plugins: PluginFolders,
    plugin_listeners: Vec<PluginListener>,
    trust: Option<std::path::PathBuf>,
    trust_all: bool,
    priority: i32,
    shared: Arc<Shared>,
    state: Mutex<State>,
    /// Held while files are read and put into a registry.
    refreshing: tokio::sync::Mutex<()>,
}

/// A file, and what was read of it; `None` where there is none.
#[derive(Debug)]
struct Loaded {
    source: Source,
    file: Option<RuleFile>,
}

/// What the last reading came to.
#[derive(Debug, Default)]
pub(super) struct State {
    files: Vec<Loaded>,
    pub(super) active: Vec<Arc<ActiveRule>>,
    defects: Vec<Defect>,
    /// What only a registry shows.
    pub(super) registry_defects: Vec<Defect>,
    /// Of plugins that nothing comes of.
    pub(super) dead_plugins: Vec<Defect>,
    disabled: BTreeSet<String>,
    pub(super) installed: BTreeSet<Event>,
    /// The hooks between events that were registered.
    pub(super) between: BTreeSet<String>,
    /// The plugins of folders, in their order.
    pub(super) plugins: Vec<Found>,
    pub(super) disabled_plugins: BTreeSet<String>,
    /// What the listeners know of them.
    pub(super) told: ToldPlugins,
    /// The compiled ones that were installed, with what they were given.
    pub(super) compiled: BTreeMap<String, u64>,
    /// What stands in the app's list because of the rules.
    pub(super) uses: Vec<HookUse>,
    /// Whether something was read that is not in force yet.
    pub(super) changed: bool,
    /// What is the same as long as all files are.
    print: u64,
}

/// A rule, as an app lists it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// Its id.
    pub id: RuleId,
    /// When it runs.
    pub event: Event,
    /// The form of its file.
    pub dialect: Dialect,
    /// Its file.
    pub file: Arc<Path>,
    /// Its line.
    pub line: usize,
    /// The matcher as the file has it.
    pub matcher: Option<String>,
    /// Its `if`.
    pub filter: Option<String>,
    /// What it does, in a few words.
    pub summary: String,
    /// What it does, whole.
    pub text: String,
    /// The plugin whose rule it is.
    pub plugin: Option<String>,
    /// The compiled hook that it names, where it names one.
    pub hook: Option<String>,
    /// What to show while it runs.
    pub status_message: Option<String>,
    /// Whether it runs: it is not disabled, and something fires its event.
    pub enabled: bool,
}

impl Rules {
    /// Starts without any files.
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
            let told = state.plugins.iter().map(|found| (found.name().to_owned(), state.plugin_now(found))).collect();
            state.told = told;
        }
        rules
    }

    /// Reads the files and the folders of plugins again. A file that cannot be read, or is not JSON any more, keeps the rules of its last reading, so
    /// that a guard does not vanish while somebody edits it. Takes effect with the next
    /// [`install`](Self::install), and sets made before go on as they are.
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
        let sources = self.inner.sources.iter().cloned().chain(plugins.iter().flat_map(Found::sources));
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
        let print = state.print_now();
        state.changed |= print != state.print;
        state.print = print;
    }

    /// Leaves a rule out, from the next [`install`](Self::install) on. Returns whether there is one of this id.
    pub fn disable(&self, id: &str) -> bool {
        let mut state = self.state();
        state.disabled.insert(id.to_owned());
        state.active.iter().any(|active| active.rule.id.as_str() == id)
    }

    /// Takes a rule back in, from the next [`install`](Self::install) on. Returns whether there is one of this id.
    pub fn enable(&self, id: &str) -> bool {
        let mut state = self.state();
        state.disabled.remove(id);
        state.active.iter().any(|active| active.rule.id.as_str() == id)
    }

    /// What is wrong with the files, in their order; what only a registry shows comes with
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

    /// The rules that would run for this occurrence, in the order of the files. Where a tool is called, `tool_name` of the
    /// occurrence may be its name here or on the wire. Runs nothing.
    pub fn select(&self, occurrence: &Occurrence) -> Vec<Listed> {
        let state = self.state();
        let event = occurrence.event;
        let of_event = |active: &&Arc<ActiveRule>| active.rule.event == event && state.runs(active);
        let rules = state.active.iter().filter(of_event).cloned().collect();
        let firing = Firing { shared: Arc::clone(self.shared()), event, rules };
        let tool = occurrence.get("tool_name").and_then(Value::as_str);
        firing.select(occurrence, tool).into_iter().map(|active| state.listed(active)).collect()
    }

    /// Waits for the runs that nobody waits for, and ends those that are not done in time. No more are started. Returns how
    /// many were ended.
    pub async fn shutdown(&self, limit: Duration) -> usize {
        self.inner.shared.background.drain(limit).await
    }

    /// Held while files are read and put into a registry.
    pub(super) fn refreshing(&self) -> &tokio::sync::Mutex<()> {
        &self.inner.refreshing
    }

    pub(super) fn tell(&self, change: &PluginChange) {
        self.inner.plugin_listeners.iter().for_each(|listener| listener(change));
    }

    /// What is to be watched.
    #[cfg(feature = "watch")]
    pub(super) fn watched(&self) -> super::plugins::Watched {
        let folders = &self.inner.plugins;
        let beside = folders.parents.iter().map(|parent| parent.join("data"));
        let named = self.inner.sources.iter().filter(|source| source.text.is_none()).map(|source| &source.path);
        super::plugins::Watched {
            parents: folders.parents.clone(),
            data: folders.data.clone().map_or_else(|| beside.collect(), |data| vec![data]),
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

    /// Puts the rules of all files into one list, each with an id of its own.
    fn arm(&self, state: &mut State) {
        let files: Vec<_> =
            state.files.iter().filter_map(|loaded| Some((&loaded.source, loaded.file.as_ref()?))).collect();
        // The person's switch is for all, a project's or plugin's for its own.
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
                // Of a plugin that cannot run only what guards is left, and refuses.
                if source.owner.closed().is_none() || rule.guards() {
                    active.push(Arc::new(rule));
                }
            }
        }
        state.defects.extend(lacking);
        state.active = active;
    }

    /// What the app has to give for this rule to run.
    fn lacks(&self, file: &RuleFile, rule: &Rule) -> Option<Defect> {
        let clients = &self.inner.shared.clients;
        let (problem, help) = match rule.action {
            Action::Judge(_) if clients.judge.is_none() => {
                ("the question of this rule has no model to go to", "give one with `Rules::builder().judge(…)`")
            }
            Action::Http(_) if clients.post.is_none() => {
                ("the request of this rule has no client to go by", "give one with `Rules::builder().post(…)`")
            }
            _ => return None,
        };
        Some(Source::defect(file, rule.line, rule.column, problem.to_owned(), help))
    }
}

/// Commands, headers and variables may hold secrets, and this ends up in logs: [`list`](Rules::list) tells of the rules.
impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.inner.sources.iter().map(|source| &source.path).collect();
        let count = self.state().active.len();
        f.debug_struct("Rules").field("files", &files).field("rules", &count).finish_non_exhaustive()
    }
}

impl State {
    /// What there is to tell of a plugin: the fingerprint of its files, and whether it runs.
    pub(super) fn plugin_now(&self, found: &Found) -> (u64, PluginStatus) {
        let mut hasher = DefaultHasher::new();
        found.print().hash(&mut hasher);
        let mut status = found.status().clone();
        for file in
            self.files.iter().filter(|loaded| loaded.source.is_of(found.name())).filter_map(|it| it.file.as_ref())
        {
            (file.print, file.waits).hash(&mut hasher);
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

    /// What is the same as long as all files are, and what is switched off.
    fn print_now(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for loaded in &self.files {
            let file = loaded.file.as_ref();
            (&loaded.source.path, file.map(|file| (file.print, file.waits, file.readable))).hash(&mut hasher);
        }
        for found in &self.plugins {
            (found.name(), found.print(), format!("{:?}", found.status())).hash(&mut hasher);
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

/// What counts now: what was read, or the rules of before where that is no text of rules.
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
