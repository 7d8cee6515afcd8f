//! The check that every set of hooks passes before it runs.

use std::sync::Arc;

use hook_sdk::diagnostics::{Finding, FindingKind, HarnessFacts};
use hook_sdk::kinds::{BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, PermissionRequest, StreamDelta};
use hook_sdk::scope::{AgentDef, PromptDef};
use hook_sdk::{ConfigError, HookContext, HookKind, HookSet, Registry};

use super::HarnessState;
use crate::call_site::{COMPACTION, MAIN, SUB_AGENT};

/// The kinds at which the hooks of an agent run for the agents that it calls as well.
pub(crate) const SHARED: &[&str] = &[
    BeforeToolCall::NAME,
    PermissionRequest::NAME,
    StreamDelta::NAME,
    BeforeStoreToolResult::NAME,
    BeforeCreateMessage::NAME,
];

/// Nobody, so that only the hooks of the app are in force.
pub(crate) fn app_alone() -> AgentDef {
    AgentDef::new("").hooks::<String>([])
}

/// What the app says about its hooks.
#[derive(Default)]
pub(crate) struct Checked {
    /// With the accepted findings.
    pub(crate) facts: HarnessFacts,
    /// The agents of its sessions, each with a prompt of their turns or without. Empty if unknown.
    pub(crate) agents: Vec<(Arc<AgentDef>, Option<PromptDef>)>,
    /// Whether findings are logged only.
    pub(crate) only_logs: bool,
    /// The revision of the registry when the harness was built.
    pub(crate) revision: u64,
}

impl HarnessState {
    /// What hooks meet in this harness.
    pub(crate) fn facts(&self) -> HarnessFacts {
        let facts = self.checked.facts.clone();
        facts
            .tools(self.tools.names().map(str::to_owned).chain(self.agents.specs().map(|agent| agent.name)))
            .profiles(self.models.profiles())
            .call_sites([MAIN, SUB_AGENT, COMPACTION])
    }

    /// Checks what is known before the first session: the lists of the app, of its sub-agents, and of the agents that
    /// it declares.
    pub(crate) fn check_all(&self) -> Result<(), ConfigError> {
        if self.fixed.is_some() {
            return Ok(());
        }
        let sub_agents = self.agents.all().map(|agent| (&agent.agent, None));
        let agents = self.checked.agents.iter().map(|(agent, prompt)| (&**agent, prompt.as_ref()));
        let (mut sets, mut of_calls) = (Vec::new(), Vec::new());
        for (agent, prompt) in sub_agents.chain(agents) {
            let set = self.registry.scope(agent, prompt.map(|prompt| prompt as _))?;
            of_calls.extend(self.audit_calls(agent, &set)?);
            sets.push(set);
        }
        // Its list is a part of each set.
        if sets.is_empty() {
            sets.push(self.registry.scope(&app_alone(), None)?);
        }
        let facts = self.facts();
        let of_parts = of_calls.into_iter().chain(self.audit_store());
        let findings = self.registry.audit_with(&sets, &facts).into_iter().chain(of_parts).filter(|finding| {
            // A session may bring the state, and an agent that is not known yet may name the hook.
            let later = match finding.kind() {
                FindingKind::MissingState => true,
                FindingKind::UnnamedHook | FindingKind::PluginForNoAgent => self.checked.agents.is_empty(),
                _ => !is_about(finding, &sets),
            };
            !later && !self.is_intended(finding)
        });
        self.judge(&facts, findings)
    }

    /// Whether the questions of suspended turns outlive the turns.
    pub(crate) fn audit_store(&self) -> Option<Finding> {
        let text = "questions outlive the process, and conversations do not, so a suspended turn is lost with the \
                    process and its answer with it; set the `store` of the harness to one that lasts";
        let is_lost = self.approver.is_lasting() && !self.store.is_lasting();
        is_lost.then(|| Finding::new(FindingKind::VolatileStore, "", text))
    }

    /// Checks a set of hooks of an agent, before it runs.
    pub(crate) fn check(&self, agent: &AgentDef, set: &HookSet, cx: &HookContext) -> Result<(), ConfigError> {
        let facts = self.facts().context(cx);
        let of_other_sets = [FindingKind::UnnamedHook, FindingKind::PluginForNoAgent];
        let (sets, of_calls) = ([set.clone()], self.audit_calls(agent, set)?);
        let findings = self.registry.audit_with([set], &facts).into_iter().chain(of_calls).filter(|finding| {
            !of_other_sets.contains(&finding.kind()) && is_about(finding, &sets) && !self.is_intended(finding)
        });
        self.judge(&facts, findings)
    }

    /// The guards of `agent`, with its hooks `set`, that the agents which it can call do not have.
    fn audit_calls(&self, agent: &AgentDef, set: &HookSet) -> Result<Vec<Finding>, ConfigError> {
        let mut findings = Vec::new();
        // The app alone is no agent.
        if agent.name.is_empty() {
            return Ok(findings);
        }
        let of_agent = self.agents.get(&agent.name);
        for called in self.agents.all().filter(|called| called.agent.name != agent.name) {
            // By default, a sub-agent calls no other agent, and the agent of a session calls all.
            let calls =
                of_agent.is_none_or(|agent| agent.own.tools.iter().any(|names| names.contains(&called.agent.name)));
            if calls {
                let shared = if called.is_gated { SHARED } else { &[] };
                findings.extend(Registry::audit_call(set, &self.registry.scope(&called.agent, None)?, shared));
            }
        }
        Ok(findings)
    }
}

impl HarnessState {
    fn judge(&self, facts: &HarnessFacts, findings: impl Iterator<Item = Finding>) -> Result<(), ConfigError> {
        match facts.judge(findings) {
            Err(found) if self.checked.only_logs => {
                tracing::warn!(target: "hooks_agent", %found, "the harness runs with this");
                Ok(())
            }
            judged => judged,
        }
    }

    /// Whether somebody decided this, or something else reports it: [`Harness::start`](crate::Harness::start), or the
    /// comparison of agents.
    fn is_intended(&self, finding: &Finding) -> bool {
        let is = match finding.kind() {
            FindingKind::DisabledHook
            | FindingKind::EmptyScope
            | FindingKind::OutdatedSet
            | FindingKind::PluginFailed
            | FindingKind::PluginNotStarted => true,
            // Without hooks that a list could name, none is forgotten. Rules and plugins may be removed at run time.
            FindingKind::UndeclaredScope => {
                let is = |agent: &AgentDef| finding.about() == format!("agent `{}`", agent.name);
                self.registry.hooks().iter().all(|hook| hook.of_plugin().is_some())
                    || self.registry.revision() != self.checked.revision
                    || self.agents.all().any(|agent| is(&agent.agent))
            }
            _ => false,
        };
        if is {
            tracing::info!(target: "hooks_agent", %finding, "the harness runs with this");
        }
        is
    }
}

/// Whether the finding is about these sets: a hook that none of them names does not run in them.
fn is_about(finding: &Finding, sets: &[HookSet]) -> bool {
    let of_hook = [FindingKind::NeverFired, FindingKind::NeverFilled, FindingKind::MatchesNothing];
    // `mask_pii at stream_delta`
    let hook = finding.about().split(' ').next().unwrap_or_default();
    !of_hook.contains(&finding.kind()) || sets.iter().any(|set| set.names(hook))
}
