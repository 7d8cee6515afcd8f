//! What was read last, and the rules that are active because of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use hook_sdk::scope::HookUse;

use super::plugins::{PluginEntry, PluginStates, PluginStatus};
use super::policy::Policy;
use super::source::Source;
use crate::clients::Clients;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::rule::{Action, Rule, RuleId};
use crate::rule_file::RuleFile;
use crate::runner::{ActiveRule, SkipReason};
use crate::syntax::Defect;

/// A file and its parsed content. `None` if it does not exist.
#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) source: Source,
    pub(super) file: Option<RuleFile>,
}

/// A rule, and what keeps it from running whatever happens, apart from [`State::is_disabled`]. Only rules without such
/// a reason are active.
#[derive(Debug)]
pub(super) struct ListedRule {
    pub(super) rule: Arc<ActiveRule>,
    pub(super) off: Option<SkipReason>,
}

/// The result of the last reading.
#[derive(Debug, Default)]
pub(super) struct State {
    files: Vec<SourceFile>,
    pub(super) active: Vec<Arc<ActiveRule>>,
    /// All rules, in the order of the files.
    pub(super) rules: Vec<ListedRule>,
    defects: Vec<Defect>,
    /// The names and patterns of tools in the parameters of compiled hooks that rules name.
    pub(super) tools: BTreeMap<RuleId, Vec<String>>,
    /// Defects that only the registry shows.
    pub(super) registry_defects: Vec<Defect>,
    /// Defects of plugins without any effect.
    pub(super) dead_plugins: Vec<Defect>,
    disabled: BTreeSet<String>,
    pub(super) installed: BTreeSet<Event>,
    /// The registered hooks between events.
    pub(super) between: BTreeSet<String>,
    /// The plugins of folders, in loading order.
    pub(super) plugins: Vec<PluginEntry>,
    pub(super) disabled_plugins: BTreeSet<String>,
    /// The states of plugins that were last reported to the listeners.
    pub(super) reported: PluginStates,
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
pub struct RuleInfo {
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
    /// The names and patterns (`*`, `?`) of tools in the parameters of the compiled hook, which are known once the rules are
    /// [installed](super::Rules::install).
    #[serde(skip)]
    pub tools: Vec<String>,
    /// The message to show while it runs.
    pub status_message: Option<String>,
    /// Whether its failure denies the call, or withholds its result.
    #[serde(skip)]
    pub fails_closed: bool,
    /// Whether it can run.
    pub enabled: bool,
    /// What keeps it from running, whatever happens. `None` if it can run.
    pub why_not: Option<SkipReason>,
    /// Why it denies instead of running: something that it needs is missing or forbidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denies: Option<String>,
}

impl State {
    pub(super) fn new(disabled: impl IntoIterator<Item = String>) -> Self {
        Self { disabled: disabled.into_iter().collect(), ..Self::default() }
    }

    /// Takes over what was read. A file that could not be parsed keeps the rules that it had.
    pub(super) fn update(
        &mut self,
        read: Vec<SourceFile>,
        plugins: Vec<PluginEntry>,
        mut defects: Vec<Defect>,
        clients: &Clients,
    ) {
        let mut before = std::mem::take(&mut self.files);
        self.files = read
            .into_iter()
            .map(|now| {
                let before = before.iter_mut().find(|before| before.source.is_same(&now.source));
                SourceFile { file: kept(now.file, before.and_then(|before| before.file.take())), source: now.source }
            })
            .collect();
        defects.extend(plugins.iter().flat_map(|found| found.defects.iter().cloned()));
        let files = self.files.iter().filter_map(|loaded| loaded.file.as_ref());
        defects.extend(files.flat_map(|file| file.defects.iter().cloned()));
        (self.defects, self.plugins) = (defects, plugins);
        self.arm(clients);
        let fingerprint = self.current_fingerprint();
        self.changed |= fingerprint != self.fingerprint;
        self.fingerprint = fingerprint;
    }

    /// Enables or disables a rule. Returns whether it exists.
    pub(super) fn set_enabled(&mut self, id: &str, enabled: bool) -> bool {
        if enabled {
            self.disabled.remove(id);
        } else {
            self.disabled.insert(id.to_owned());
        }
        self.rules.iter().any(|listed| listed.rule.rule.id.as_str() == id)
    }

    pub(super) fn defects(&self) -> Vec<Defect> {
        self.defects.iter().chain(&self.dead_plugins).chain(&self.registry_defects).cloned().collect()
    }

    /// Puts the rules of all files into one list, each with a unique id.
    fn arm(&mut self, clients: &Clients) {
        let files: Vec<_> =
            self.files.iter().filter_map(|loaded| Some((&loaded.source, loaded.file.as_ref()?))).collect();
        let policy = Policy::of(&files);
        let mut ids: HashMap<String, usize> = HashMap::new();
        let spent: HashSet<RuleId> =
            self.active.iter().filter(|active| active.is_spent()).map(|active| active.rule.id.clone()).collect();
        let mut lacking = Vec::new();
        let mut listed = Vec::new();
        for (source, file) in files {
            let off = policy.off(source, file);
            listed.extend(file.rules.iter().map(|rule| (source, file, rule.clone(), off.clone())));
        }
        // Rules that are off take no id away from one that runs.
        for is_off in [false, true] {
            for (.., rule, _) in listed.iter_mut().filter(|(.., off)| off.is_some() == is_off) {
                let count = ids.entry(rule.id.as_str().to_owned()).or_default();
                *count += 1;
                if *count > 1 {
                    rule.id = RuleId::new(format!("{}_f{count}", rule.id));
                }
            }
        }
        let rules = listed.into_iter().map(|(source, file, mut rule, off)| {
            lacking.extend(lacks(clients, file, &rule).filter(|_| off.is_none()));
            let spent = spent.contains(&rule.id);
            let forbidden = policy.restrict(file, &mut rule);
            let mut rule = ActiveRule::new(rule, source.owner.clone(), spent);
            // Of what cannot run, only the guards remain, and they deny.
            let broken =
                source.owner.plugin_failure().or_else(|| policy.failure(source)).map(|why| (why, rule.guards()));
            let failed = broken.or_else(|| forbidden.map(|why| (why, rule.fails_closed())));
            let stays = failed.as_ref().is_none_or(|(_, denies)| *denies);
            rule.failure = failed.map(|(why, _)| why);
            let reason = rule.failure.clone().filter(|_| !stays);
            let off = off.or_else(|| Some(SkipReason::CannotRun { reason: reason? }));
            ListedRule { rule: Arc::new(rule), off }
        });
        let rules: Vec<ListedRule> = rules.collect();
        self.active = rules.iter().filter(|one| one.off.is_none()).map(|one| Arc::clone(&one.rule)).collect();
        self.rules = rules;
        self.defects.extend(lacking);
    }

    /// The state of a plugin that is reported: the fingerprint of its files, and its status.
    pub(super) fn plugin_now(&self, found: &PluginEntry) -> (u64, PluginStatus) {
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

    pub(super) fn listed(&self, active: &ActiveRule, off: Option<&SkipReason>) -> RuleInfo {
        let rule = &active.rule;
        let why_not = off.cloned().or_else(|| self.is_disabled(active).then_some(SkipReason::Disabled));
        let why_not = why_not.or_else(|| rule.event.spec().kind.is_none().then_some(SkipReason::NeverFired));
        RuleInfo {
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
            tools: self.tools_in(rule).to_vec(),
            status_message: rule.status_message.clone(),
            fails_closed: active.fails_closed(),
            enabled: why_not.is_none(),
            denies: active.failure.clone().filter(|_| why_not.is_none()),
            why_not,
        }
    }

    /// The tools in the parameters of the compiled hook that a rule names.
    pub(super) fn tools_in(&self, rule: &Rule) -> &[String] {
        self.tools.get(&rule.id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn runs(&self, active: &ActiveRule) -> bool {
        !self.is_disabled(active) && active.rule.event.spec().kind.is_some()
    }

    pub(super) fn is_disabled(&self, active: &ActiveRule) -> bool {
        self.disabled.contains(active.rule.id.as_str())
    }
}

/// The client that the app does not provide, although this rule needs it.
fn lacks(clients: &Clients, file: &RuleFile, rule: &Rule) -> Option<Defect> {
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

/// The content in use: the new one, or the previous one if the new text cannot be parsed.
fn kept(now: Option<RuleFile>, before: Option<RuleFile>) -> Option<RuleFile> {
    match (now, before) {
        (Some(mut now), Some(before)) if !now.readable => {
            now.rules = before.rules;
            now.dialect = before.dialect;
            now.disabled = before.disabled;
            now.locks = before.locks;
            Some(now)
        }
        (now, _) => now,
    }
}
