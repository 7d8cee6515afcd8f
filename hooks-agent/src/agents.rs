//! Agents that other agents can ask, as if they were tools.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::scope::AgentDef;
use serde_json::json;

use crate::limits::Limits;
use crate::tool::ToolSpec;

/// Agents within agents within agents: one of more than this many levels may ask nobody.
pub(crate) const DEPTH: usize = 4;

/// An agent that other agents can ask. It has its own list of hooks, and the app's; of who asks it, the gates of tools hold for it
/// too.
///
/// ```
/// use std::time::Duration;
///
/// use hooks_agent::SubAgent;
/// use hooks_core::scope::AgentDef;
///
/// let research = SubAgent::new(AgentDef::new("research"), "Looks things up and reports.")
///     .system_prompt("Cite sources.")
///     .tools(["search", "read_page"])
///     .profile("fast")
///     .deadline(Duration::from_secs(120));
/// ```
///
/// The budget of who asks is its budget too: a call of a model, a token, and the time that it takes, count for both. One call
/// is left for who asks, to answer with.
#[derive(Clone, Debug)]
pub struct SubAgent {
    pub(crate) agent: AgentDef,
    pub(crate) system_prompt: String,
    pub(crate) own: OwnParts,
    /// Whether the gates of who asks hold for it.
    pub(crate) is_gated: bool,
    /// Whether a halt within it ends the turn of who asks.
    pub(crate) halts_asker: bool,
    description: String,
}

/// What an agent has in the place of what its harness has.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnParts {
    /// The names of the tools and agents that its model is offered.
    pub(crate) tools: Option<Arc<[String]>>,
    /// The profile that its calls go to.
    pub(crate) profile: Option<String>,
    pub(crate) limits: Option<Limits>,
    pub(crate) deadline: Option<Duration>,
}

impl SubAgent {
    /// `agent`, which others ask for what `description` says. They ask by its name.
    pub fn new(agent: AgentDef, description: impl Into<String>) -> Self {
        let description = description.into();
        let own = OwnParts::default();
        Self { agent, system_prompt: String::new(), own, is_gated: true, halts_asker: true, description }
    }

    /// The system prompt of its model.
    #[must_use]
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    /// The tools and agents that its model is offered, by their names. Where this is not said: the tools that who asks is
    /// offered, and no agents.
    #[must_use]
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.own.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The profile that its calls of models go to; the harness's first where this is not said.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.own.profile = Some(profile.into());
        self
    }

    /// How far its turns may go; as the harness says where this is not said.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.own.limits = Some(limits);
        self
    }

    /// How long it may take in all; [`Limits::agent`] where this is not said.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.own.deadline = Some(deadline);
        self
    }

    /// The gates of who asks do not hold for it: it has its own, and the app's.
    #[must_use]
    pub fn own_gates(mut self) -> Self {
        self.is_gated = false;
        self
    }

    /// A [`Halt`](hooks_core::verdict::Halt) in its turn is a call that failed for who asks, and does not end that turn too.
    #[must_use]
    pub fn halts_alone(mut self) -> Self {
        self.halts_asker = false;
        self
    }

    pub(crate) fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.agent.name.as_str()).description(self.description.as_str()).schema(json!({
            "type": "object",
            "properties": { "prompt": { "type": "string", "description": "what it is asked, with all it has to know" } },
            "required": ["prompt"],
        })).parallel()
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

    /// The names of tools that agents name and that are not there.
    pub(crate) fn unknown(&self, known: impl Fn(&str) -> bool) -> Vec<(&str, &str)> {
        let named = self.0.iter().filter_map(|agent| Some((agent, agent.own.tools.as_ref()?)));
        let all = named.flat_map(|(agent, names)| names.iter().map(|name| (agent.agent.name.as_str(), name.as_str())));
        all.filter(|(_, name)| !known(name)).collect()
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.0.iter().map(|agent| agent.spec())
    }
}
