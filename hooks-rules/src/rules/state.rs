use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::Trust;
use super::builder::RulesBuilder;
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
    sources: Vec<Source>,
    trust: Option<std::path::PathBuf>,
    trust_all: bool,
    priority: i32,
    shared: Arc<Shared>,
    state: Mutex<State>,
}

/// What the last reading came to.
#[derive(Debug, Default)]
pub(super) struct State {
    /// By source; `None` where there is no file.
    files: Vec<Option<RuleFile>>,
    pub(super) active: Vec<Arc<ActiveRule>>,
    defects: Vec<Defect>,
    /// What only a registry shows.
    pub(super) registry_defects: Vec<Defect>,
    disabled: BTreeSet<String>,
    pub(super) installed: BTreeSet<Event>,
    /// The hooks between events that were registered.
    pub(super) between: BTreeSet<String>,
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
                trust: builder.trust,
                trust_all: builder.trust_all,
                priority: builder.priority,
                shared: Arc::new(shared),
                state: Mutex::new(state),
            }),
        };
        rules.reload();
        rules
    }

    /// Reads the files again. A file that cannot be read, or is not JSON any more, keeps the rules of its last reading, so
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
        let read: Vec<_> = {
            let project = (!self.inner.trust_all).then_some(&*self.inner.shared.environment.project);
            self.inner.sources.iter().map(|source| source.read(trust.as_ref(), project)).collect()
        };
        let mut state = self.state();
        let before = std::mem::take(&mut state.files);
        let mut before = before.into_iter().chain(std::iter::repeat_with(|| None));
        state.files = read.into_iter().map(|file| kept(file, before.next().flatten())).collect();
        defects.extend(state.files.iter().flatten().flat_map(|file| file.defects.iter().cloned()));
        state.defects = defects;
        self.arm(&mut state);
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
        state.defects.iter().chain(&state.registry_defects).cloned().collect()
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
            self.inner.sources.iter().zip(&state.files).filter_map(|(s, f)| Some((s, f.as_ref()?))).collect();
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
                active.push(Arc::new(ActiveRule::new(rule, source.owner.clone(), spent)));
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
