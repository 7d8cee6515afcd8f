//! Installs the rules in a registry: one hook per event, and the compiled hooks that rules name.

use std::collections::BTreeMap;
use std::sync::Arc;

use hook_sdk::diagnostics::ProblemKind;
use hook_sdk::scope::{AgentDef, HookUse};
use hook_sdk::{ConfigError, Hook, Registry};
use serde_json::Value;

use super::rules::Rules;
use super::source::Source;
use crate::aliases::Aliases;
use crate::event::Event;
use crate::hooks;
use crate::matcher::names_no_tool;
use crate::rule::{Action, RuleId};
use crate::rule_file::RuleFile;
use crate::runner::{ActiveRule, EventRules};
use crate::syntax::Defect;

impl Rules {
    /// Registers a hook for every event that has rules (`rules_pre_tool_use` and so on), replacing those of an earlier
    /// call, and returns the entries for the app's list. Existing hook sets keep their rules. If rules need them, two
    /// more hooks are registered: `rules_conversation` follows the stored messages, and `rules_tool_result` delivers
    /// contexts of calls that did not run.
    ///
    /// A rule that names a compiled hook adds that hook to the list, and to the registry if it is one of the
    /// [library](crate::RulesBuilder::library). If neither has the hook, or the hook does not run at the rule's event or does not take
    /// these parameters, that is a defect; a misspelt tool in the parameters is a warning. A crate that is a plugin with a folder is installed
    /// with its configuration.
    ///
    /// # Errors
    /// [`ConfigError`] if another hook has one of these ids.
    pub fn install(&self, registry: &Registry) -> Result<Vec<HookUse>, ConfigError> {
        let compiled = self.install_compiled(registry)?;
        self.state().compiled = compiled;
        self.install_rules(registry)
    }

    pub(super) fn install_rules(&self, registry: &Registry) -> Result<Vec<HookUse>, ConfigError> {
        let mut state = self.state();
        let mut by_event: BTreeMap<Event, Vec<Arc<ActiveRule>>> = BTreeMap::new();
        let mut compiled = Vec::new();
        for active in state.active.iter().filter(|active| state.runs(active)) {
            match &active.rule.action {
                Action::Compiled { .. } => compiled.push(Arc::clone(active)),
                _ => by_event.entry(active.rule.event).or_default().push(Arc::clone(active)),
            }
        }
        if by_event.contains_key(&Event::PreToolUse) {
            // Contexts from rules before a call are delivered with its result.
            by_event.entry(Event::PostToolUse).or_default();
            by_event.entry(Event::PostToolUseFailure).or_default();
        }
        if by_event.contains_key(&Event::SessionStart) {
            // A session that has to stop does so at its first prompt.
            by_event.entry(Event::UserPromptSubmit).or_default();
        }
        if by_event.values().flatten().any(|active| active.rule.wakes) {
            for event in [Event::PostToolUse, Event::PostToolUseFailure, Event::UserPromptSubmit, Event::Stop] {
                by_event.entry(event).or_default();
            }
        }
        let between = self.between(&by_event);
        let mut uses: Vec<HookUse> = by_event.keys().map(|event| HookUse::id(&event.hook_id())).collect();
        // Hooks of an earlier call that have no rules any more become empty, because a list may still name them.
        for event in state.installed.clone() {
            by_event.entry(event).or_default();
        }
        for (event, rules) in by_event {
            let Some(hook) = self.hook(event, rules) else { continue };
            put(registry, hook, !state.installed.insert(event))?;
        }
        for hook in between {
            uses.push(HookUse::id(hook.id().as_str()));
            let ours_is_there = !state.between.insert(hook.id().as_str().to_owned());
            put(registry, hook, ours_is_there)?;
        }
        let named = compiled_uses(registry, &self.setup().library, &self.shared().aliases, &compiled)?;
        uses.extend(named.uses);
        (state.tools, state.registry_defects) = (named.tools, named.defects);
        Ok(uses)
    }

    /// The hooks that rules of these events need between their events.
    fn between(&self, by_event: &BTreeMap<Event, Vec<Arc<ActiveRule>>>) -> Vec<Hook> {
        let has = |event| by_event.contains_key(&event);
        let follows = self.shared().files.is_some() || has(Event::Stop) || has(Event::SubagentStop);
        let follow = (follows && !by_event.is_empty()).then(|| hooks::follow(Arc::clone(self.shared())));
        let leftover = has(Event::PreToolUse).then(|| hooks::leftover(Arc::clone(self.shared())));
        follow.into_iter().chain(leftover).collect()
    }

    fn hook(&self, event: Event, rules: Vec<Arc<ActiveRule>>) -> Option<Hook> {
        let described = rules.iter().map(|active| {
            let rule = &active.rule;
            format!("{} ({}:{})", rule.id, rule.file.display(), rule.line)
        });
        let described = described.collect::<Vec<_>>().join("; ");
        // Their ids are hashes of what they say.
        let version = rules.iter().map(|active| {
            let fails = if active.failure.is_some() { " fails" } else { "" };
            format!("{}{fails}", active.rule.id)
        });
        let version = version.collect::<Vec<_>>().join(" ");
        let count = rules.len();
        let of_event = Arc::new(EventRules { shared: Arc::clone(self.shared()), event, rules });
        let hook = hooks::of(event, of_event)?;
        let text = format!("Runs {count} rule{} of {event}. {described}", if count == 1 { "" } else { "s" });
        Some(hook.description(text.trim_end()).version(version).priority(self.setup().priority))
    }
}

/// Registers a hook, or replaces the one of an earlier call.
fn put(registry: &Registry, hook: Hook, ours_is_there: bool) -> Result<(), ConfigError> {
    if ours_is_there {
        match registry.replace(hook.clone()) {
            Err(error) if matches!(error.problems(), [one] if one.kind() == ProblemKind::NoSuchHook) => {}
            done => return done,
        }
    }
    registry.register(hook)
}

/// The compiled hooks that rules name.
struct CompiledUses {
    /// Each once.
    uses: Vec<HookUse>,
    /// The tools that their parameters name.
    tools: BTreeMap<RuleId, Vec<String>>,
    /// Defects of rules that name an unknown hook, or tools that there are not.
    defects: Vec<Defect>,
}

/// Finds the compiled hooks that rules name, and registers those that only the library has.
fn compiled_uses(
    registry: &Registry,
    library: &[Arc<Hook>],
    aliases: &Aliases,
    rules: &[Arc<ActiveRule>],
) -> Result<CompiledUses, ConfigError> {
    let registered = registry.hooks();
    let has = |hook: &Hook| registered.iter().any(|other| other.id() == hook.id());
    let missing: Vec<_> = library.iter().filter(|hook| !has(hook)).cloned().collect();
    let known = [registered, missing.clone()].concat();
    let mut uses: BTreeMap<String, Option<Value>> = BTreeMap::new();
    let mut order = Vec::new();
    let (mut tools, mut defects, mut misspelt) = (BTreeMap::new(), Vec::new(), Vec::new());
    for active in rules {
        let rule = &active.rule;
        let Action::Compiled { id, with } = &rule.action else { continue };
        let mut wrong = |problem: String, help: &str| {
            let file = RuleFile::unreadable(&rule.file, "", "");
            defects.push(Source::defect(&file, rule.line, rule.column, problem, help));
        };
        let Some(hook) = known.iter().find(|hook| hook.id().as_str() == id) else {
            let near = known.iter().map(|hook| hook.id().as_str()).max_by(|a, b| near(a, id).total_cmp(&near(b, id)));
            let help = match near.filter(|name| self::near(name, id) > 0.8) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "name a hook of this program, or use the program of the app that has it".to_owned(),
            };
            wrong(format!("there is no compiled hook `{id}`"), &help);
            continue;
        };
        let kind = rule.event.spec().kind.unwrap_or_default();
        if !hook.kinds().any(|name| name == kind) {
            let kinds = hook.kinds().collect::<Vec<_>>().join("`, `");
            wrong(
                format!(
                    "the hook `{id}` does not run at `{kind}`, which is `{}` here; it runs at `{kinds}`",
                    rule.event
                ),
                "name it under the event of its kind",
            );
            continue;
        }
        if !rule.matcher.is_all() || rule.filter.is_some() {
            wrong(
                format!("the hook `{id}` says itself for which values it runs"),
                "remove `matcher` and `if` of this rule",
            );
            continue;
        }
        if let Some(problem) = bad_parameters(hook, with.as_ref()) {
            wrong(problem, "write the parameters that the hook takes");
        }
        let named = with.as_ref().map(|with| hook.tools_in(with)).unwrap_or_default();
        misspelt.extend(named.iter().filter_map(|tool| names_no_tool(tool, aliases)).map(|(problem, help)| {
            let problem = format!("the parameters of `{id}`: {problem}");
            Defect::of_rule(&rule.file, rule.line, rule.column, problem, &help).warning()
        }));
        tools.insert(rule.id.clone(), named.into_iter().map(str::to_owned).collect());
        match uses.get(id) {
            Some(first) if first != with => {
                wrong(format!("the hook `{id}` is named twice with different parameters"), "keep one");
            }
            Some(_) => {}
            None => {
                if let Some(hook) = missing.iter().find(|hook| hook.id().as_str() == id) {
                    registry.register(Hook::clone(hook))?;
                }
                uses.insert(id.clone(), with.clone());
                order.push(id.clone());
            }
        }
    }
    let named = order.into_iter().map(|id| match uses.remove(&id).flatten() {
        Some(with) => HookUse::id(&id).with(with),
        None => HookUse::id(&id),
    });
    defects.extend(misspelt);
    Ok(CompiledUses { uses: named.collect(), tools, defects })
}

/// What the hook says about its parameters.
fn bad_parameters(hook: &Hook, with: Option<&Value>) -> Option<String> {
    let (alone, named) = (Registry::empty(), HookUse::id(hook.id().as_str()));
    alone.register(hook.clone()).ok()?;
    let named = with.map_or(named.clone(), |with| named.with(with.clone()));
    let error = alone.scope(&AgentDef::new("rule").hooks([named]), None).err()?;
    let is_of_parameters = |kind| matches!(kind, ProblemKind::BadParameters | ProblemKind::NoParameters);
    let problem = error.problems().iter().find(|problem| is_of_parameters(problem.kind()))?;
    Some(problem.to_string().replacen("agent `rule`", "the rule", 1))
}

fn near(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b)
}
