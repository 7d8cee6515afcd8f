//! Agents that other agents can ask, as if they were tools.

use std::sync::Arc;

use hooks_core::scope::AgentDef;
use serde_json::json;

use crate::tool::ToolSpec;

/// Agents within agents within agents: one of more than this many levels may ask nobody.
pub(crate) const DEPTH: usize = 4;

/// An agent that other agents can ask. It has its own list of hooks, and the app's; nothing of who asks it.
///
/// ```
/// use hooks_agent::SubAgent;
/// use hooks_core::scope::AgentDef;
///
/// let research = SubAgent::new(AgentDef::new("research"), "Looks things up and reports.").system_prompt("Cite sources.");
/// ```
#[derive(Clone, Debug)]
pub struct SubAgent {
    pub(crate) agent: AgentDef,
    pub(crate) system_prompt: String,
    description: String,
}

impl SubAgent {
    /// `agent`, which others ask for what `description` says. They ask by its name.
    pub fn new(agent: AgentDef, description: impl Into<String>) -> Self {
        Self { agent, system_prompt: String::new(), description: description.into() }
    }

    /// The system prompt of its model.
    #[must_use]
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    pub(crate) fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.agent.name.as_str()).description(self.description.as_str()).schema(json!({
            "type": "object",
            "properties": { "prompt": { "type": "string", "description": "what it is asked, with all it has to know" } },
            "required": ["prompt"],
        }))
    }
}

/// The agents of a harness that others can ask.
#[derive(Clone, Default)]
pub(crate) struct SubAgents(Vec<Arc<SubAgent>>);

impl SubAgents {
    pub(crate) fn add(&mut self, agent: SubAgent) {
        self.0.retain(|known| known.agent.name != agent.agent.name);
        self.0.push(Arc::new(agent));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<SubAgent>> {
        self.0.iter().find(|known| known.agent.name == name)
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.0.iter().map(|agent| agent.spec())
    }
}
