//! The audit of a program: what is valid but suspicious in its sets, and the check that fails with it.

use std::collections::HashSet;
use std::sync::Arc;

use wildmatch::WildMatch;

use super::Registry;
use super::findings::guards_at;
use crate::diagnostics::{ConfigError, Finding, FindingKind, HarnessFacts};
use crate::failure::OnFailure;
use crate::fires::{Fires, never_filled, never_fired};
use crate::hook::{Binding, Hook, Only};
use crate::id::HookId;
use crate::kind::HookKind;
use crate::kinds::BeforeToolCall;
use crate::plan::{self, HookSet};
use crate::plugin::{LibraryEntry, is_lifecycle};
use crate::text::nearest_names;

impl Registry {
    /// Returns what is valid but suspicious in these sets: see [`Finding`]. Pass the sets of all agents and prompts,
    /// and the audit also reports hooks that none of them names. If the program declares with [`fires!`](crate::fires)
    /// what it fires, it also reports hooks at every other kind.
    #[must_use = "nothing else tells of the findings"]
    pub fn audit<'a>(&self, sets: impl IntoIterator<Item = &'a HookSet>) -> Vec<Finding> {
        let sets: Vec<&HookSet> = sets.into_iter().collect();
        self.audit_of(&sets, &self.candidates(&sets))
    }

    /// The hooks that a list names or should name, sorted by id, each with whether one does. Hooks of a library that no
    /// list names are not missing.
    fn candidates(&self, sets: &[&HookSet]) -> Vec<(bool, Arc<Hook>)> {
        let app = self.app();
        // The app's list may be newer than the sets, which is reported elsewhere.
        let of_app: HashSet<HookId> = app.hooks.iter().flatten().filter_map(|entry| self.id_of(entry)).collect();
        let is_named = |id: &HookId| of_app.contains(id) || sets.iter().any(|set| set.names(id.as_str()));
        let hooks = self.hooks().into_iter().map(|hook| (is_named(&hook.id), hook));
        hooks.filter(|(named, hook)| *named || !LibraryEntry::has(hook.origin)).collect()
    }

    fn audit_of(&self, sets: &[&HookSet], candidates: &[(bool, Arc<Hook>)]) -> Vec<Finding> {
        let snapshot = self.snapshot();
        let mut findings = Vec::new();
        let mut agents: Vec<&str> = Vec::new();
        for set in sets {
            findings.extend(set.audit().iter().cloned());
            let parts = set.parts();
            agents.push(&parts.agent);
            if !Arc::ptr_eq(&parts.conversations, &snapshot.conversations) {
                let text = format!("the hook set of {} is of another registry, so nothing is known of it", parts.owner);
                findings.push(Finding::new(FindingKind::OutdatedSet, &parts.owner, text));
            } else if parts.revision < snapshot.revision {
                let text = format!(
                    "the hook set of {} was built before the registry changed, so it lacks later hooks, plugins, overrides, observers and changes to the app's list; call `registry.scope(…)` again",
                    parts.owner
                );
                findings.push(Finding::new(FindingKind::OutdatedSet, &parts.owner, text));
            }
        }
        // Hooks of a plugin that is not installed are reported with the plugin.
        let out =
            |hook: &Hook| hook.plugin.as_ref().is_some_and(|plugin| snapshot.installed(plugin.as_str()).is_none());
        let unnamed = candidates.iter().filter(|(named, hook)| !named && !out(hook));
        findings.extend(unnamed.map(|(_, hook)| {
            Finding::new(FindingKind::UnnamedHook, &hook.id, format!("no list names {hook}, so it never runs"))
        }));
        findings.extend(snapshot.plugin_findings(&agents));
        // The registry fires `init` and `shutdown` of plugins itself, whatever the harness fires.
        findings.extend(never_fired(candidates.iter().map(|(_, hook)| &**hook), is_lifecycle));
        findings.extend(never_filled(candidates.iter().map(|(_, hook)| &**hook)));
        findings
    }

    /// Like [`audit`](Self::audit), and also reports filters that match none of the harness's values, rewriting hooks
    /// that do not say what happens if they fail, `panic = "abort"`, and a missing declaration of what the program fires.
    ///
    /// ```
    /// use hook_sdk::diagnostics::HarnessFacts;
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::deny("never")).only("tool", "refnd");
    /// registry.register(guard)?;
    /// let set = registry.scope(&AgentDef::new("support").hooks(["guard"]), None)?;
    /// let findings = registry.audit_with([&set], &HarnessFacts::new().tools(["refund", "lookup"]));
    /// assert!(findings[0].to_string().ends_with("which it never is in this harness; did you mean `refund`?"));
    /// # Ok::<(), ConfigError>(())
    /// ```
    #[must_use = "nothing else tells of the findings"]
    pub fn audit_with<'a>(&self, sets: impl IntoIterator<Item = &'a HookSet>, facts: &HarnessFacts) -> Vec<Finding> {
        let sets: Vec<&HookSet> = sets.into_iter().collect();
        let candidates = self.candidates(&sets);
        let hooks: Vec<&Hook> = candidates.iter().map(|(_, hook)| &**hook).collect();
        let mut findings = self.audit_of(&sets, &candidates);
        findings.extend(hooks.iter().flat_map(|hook| matching_nothing(hook, facts)));
        findings.extend(hooks.into_iter().find_map(|hook| unknown_tools(hook, facts)));
        // Two sets may contain the same hook.
        let mut seen = HashSet::new();
        let of_sets = naming_no_tool(&sets, facts).into_iter().chain(missing_states(&sets, facts));
        let of_sets = of_sets.chain(sets.iter().flat_map(|set| set.in_force()).filter_map(rewriting_without_policy));
        findings.extend(of_sets.filter(|finding| seen.insert(finding.to_string())));
        // Then no panic can be isolated.
        if cfg!(panic = "abort") {
            let text = "this program is built with `panic = \"abort\"`, so a hook that panics ends it; remove this line from the profile in `Cargo.toml`";
            findings.push(Finding::new(FindingKind::PanicAborts, "", text));
        }
        if Fires::declared().is_empty() {
            let text = "hooks at kinds that are never fired cannot be detected, because the program does not declare what it fires; write `hook_sdk::fires![…]` next to the code that fires";
            findings.push(Finding::new(FindingKind::FiresNotDeclared, "", text));
        }
        findings
    }

    /// Finds the guards of an agent that its sub-agent does not have. `shared` are the kinds at which the hooks
    /// of the parent run for the sub-agent as well.
    #[must_use = "nothing else tells of the findings"]
    pub fn audit_call(parent: &HookSet, child: &HookSet, shared: &[&str]) -> Vec<Finding> {
        let has = |id: &HookId| child.names(id.as_str());
        let (parent, child) = (parent.parts(), &child.parts().owner);
        let missing = parent.selections.all.iter().filter(|selection| selection.disabled.is_none());
        let missing = missing.filter(|selection| !has(&selection.id) && !has(&selection.hook.id));
        let missing = missing.filter_map(|selection| {
            let hook = &selection.hook;
            let (kind, what) = guards_at(hook, |binding| !shared.contains(&binding.kind.name))?;
            let owner = &parent.owner;
            let text = format!(
                "{child}, which {owner} calls, runs without its {what}; add it to the list of {child} or to the app's"
            );
            Some(Finding::new(kind, format!("{} in {child}", hook.id), text))
        });
        missing.collect()
    }

    /// Fails if [`audit_with`](Self::audit_with) finds anything that `facts` does not
    /// [accept](HarnessFacts::accept). Call it once, with the sets of all agents and prompts, before the first turn.
    ///
    /// ```standalone_crate
    /// use hook_sdk::diagnostics::{FindingKind, HarnessFacts};
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// hook_sdk::fires![store];
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, row: &mut Message| {
    ///     row.rewrite_text(|text| Some(text.trim().to_owned()));
    /// }))?;
    /// let set = registry.scope(&AgentDef::new("support").hooks(["trim"]), None)?;
    /// let error = registry.check([&set], &HarnessFacts::new()).unwrap_err().to_string();
    /// assert!(error.contains("write `on_failure = required`, or `on_failure = continue` if that is right"), "{error}");
    /// assert!(error.ends_with("[or `accept(FindingKind::RewriteWithoutPolicy, \"trim\", \"why\")`]"), "{error}");
    /// let facts = HarnessFacts::new();
    /// let facts = facts.accept(FindingKind::RewriteWithoutPolicy, "trim", "an untrimmed message is fine");
    /// registry.check([&set], &facts)?;
    /// # Ok::<(), ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// All findings that are not accepted, and all acceptances that accept nothing.
    pub fn check<'a>(
        &self,
        sets: impl IntoIterator<Item = &'a HookSet>,
        facts: &HarnessFacts,
    ) -> Result<(), ConfigError> {
        let findings = self.audit_with(sets, facts);
        let idle = facts.accepting_nothing(&findings);
        facts.judge(findings.into_iter().chain(idle))
    }
}

/// Finds each pattern that matches no known value, if no other pattern of its filter matches either or if it is a near
/// miss. A hook for several harnesses may name more values than one of them has.
fn matching_nothing(hook: &Hook, facts: &HarnessFacts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let filters = hook.bindings.iter().flat_map(|binding| binding.filters().map(move |filter| (binding, filter)));
    for (binding, (field, only)) in filters {
        let Some(values) = facts.values(binding.kind, field) else { continue };
        // All filters of a field must match.
        let same = |other: &&Only| other.field == only.field && !std::ptr::eq(*other, only);
        let others: Vec<_> = binding.filters.iter().filter(same).map(|other| plan::patterns(&other.patterns)).collect();
        let fits = |value: &&str| others.iter().all(|patterns| patterns.iter().any(|pattern| pattern.matches(value)));
        let values: Vec<&str> = values.iter().map(String::as_str).filter(fits).collect();
        let patterns: Vec<&str> = only.patterns.split('|').map(str::trim).collect();
        findings.extend(dead(&patterns, &values).into_iter().map(|(pattern, meant)| {
            let at = binding.kind.name;
            let text = format!(
                "{hook} runs at `{at}` only if `{field}` is `{pattern}`, which it never is in this harness{meant}"
            );
            Finding::new(FindingKind::MatchesNothing, &hook.id, text)
        }));
    }
    findings
}

/// The patterns that match none of the values, with the value that may be meant.
fn dead<'a>(patterns: &[&'a str], values: &[&str]) -> Vec<(&'a str, String)> {
    let matches = |pattern: &str| {
        let pattern = WildMatch::new(pattern);
        values.iter().any(|value| pattern.matches(value))
    };
    let is_alive = patterns.iter().any(|pattern| matches(pattern));
    let dead = patterns.iter().filter(|pattern| !matches(pattern));
    let dead = dead.map(|pattern| (*pattern, nearest_names(pattern, values.iter().copied())));
    dead.filter(|(_, meant)| !is_alive || !meant.is_empty()).collect()
}

/// Finds each pattern for tools in the parameters of a list that matches no tool of the harness.
fn naming_no_tool(sets: &[&HookSet], facts: &HarnessFacts) -> Vec<Finding> {
    let Some(tools) = facts.values(BeforeToolCall::DESCRIPTOR, "tool") else { return Vec::new() };
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let mut findings = Vec::new();
    let selections = sets.iter().flat_map(|set| &set.parts().selections.all);
    for (selection, given) in selections.filter_map(|selection| Some((selection, selection.given.as_ref()?))) {
        let hook = &selection.hook;
        for (pattern, meant) in dead(&LibraryEntry::tools(&selection.id, hook.origin, given), &tools) {
            let text =
                format!("the parameters of {hook} name the tool `{pattern}`, which this harness does not have{meant}");
            findings.push(Finding::new(FindingKind::MatchesNothing, &hook.id, text));
        }
    }
    findings
}

/// Finds out that filters cannot be checked, because nobody said which tools there are.
fn unknown_tools(hook: &Hook, facts: &HarnessFacts) -> Option<Finding> {
    let is_unknown = |binding: &Binding| {
        binding.filters().any(|(field, _)| field == "tool") && facts.values(binding.kind, "tool").is_none()
    };
    hook.bindings.iter().find(|binding| is_unknown(binding))?;
    let text = format!(
        "{hook} filters by `tool`, and the check does not know the tools, so it cannot tell a filter that never matches; pass them with `HarnessFacts::tools`"
    );
    Some(Finding::new(FindingKind::ToolsNotKnown, &hook.id, text))
}

/// Finds the states of the app that hooks of these sets take and the harness does not have.
fn missing_states(sets: &[&HookSet], facts: &HarnessFacts) -> Vec<Finding> {
    let hint = match &facts.context {
        Some(_) => "",
        None => ", and pass it to the check with `HarnessFacts::context(&cx)`",
    };
    let cx = facts.context.clone().unwrap_or_default();
    let missing = sets.iter().flat_map(|set| set.missing_states(&cx));
    missing.map(|(hook, text)| Finding::new(FindingKind::MissingState, &hook.id, text + hint)).collect()
}

/// Finds out that a hook rewrites and does not say what happens if it fails: what it should mask passes.
fn rewriting_without_policy(hook: &Hook) -> Option<Finding> {
    let passes = |binding: &&Binding| {
        binding.form.writes && binding.options.on_failure.is_none() && binding.policy() == OnFailure::Continue
    };
    let binding = hook.bindings.iter().find(passes)?;
    let text = format!(
        "{hook} rewrites at `{}`, and if it fails, what it should rewrite passes unchanged; write `on_failure = required`{}, or `on_failure = continue` if that is right",
        binding.kind.name,
        if binding.kind.removable { " or `remove`" } else { "" }
    );
    Some(Finding::new(FindingKind::RewriteWithoutPolicy, &hook.id, text))
}
