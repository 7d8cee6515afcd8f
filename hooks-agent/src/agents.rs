//! Sub-agents: agents that other agents call like tools.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::scope::AgentDef;
use serde_json::json;

use crate::limits::Limits;
use crate::tool::ToolSpec;

/// The maximum nesting depth of agents. An agent at this depth cannot call another one.
pub(crate) const DEPTH: usize = 4;

/// An agent that other agents can call like a tool. The app's hooks and its own hooks run in its turns. By default, the
/// tool gates of the calling agent, and its hooks at streams and before a row is stored, apply to it too.
///
/// ```
/// use std::time::Duration;
///
/// use hooks_agent::SubAgent;
/// use hook_sdk::scope::AgentDef;
///
/// let research = SubAgent::new(AgentDef::new("research"), "Looks things up and reports.")
///     .system_prompt("Cite sources.")
///     .tools(["search", "read_page"])
///     .profile("fast")
///     .deadline(Duration::from_secs(120));
/// ```
///
/// The sub-agent also spends the budget of its caller: its model calls, tokens and time count for both. One model call
/// is always reserved for the caller, so that the caller can still answer.
#[derive(Clone, Debug)]
pub struct SubAgent {
    pub(crate) agent: AgentDef,
    pub(crate) system_prompt: String,
    pub(crate) own: OwnParts,
    /// Whether the caller's gates apply to it.
    pub(crate) is_gated: bool,
    /// Whether a halt in its turn also ends the caller's turn.
    pub(crate) halts_asker: bool,
    description: String,
}

/// Settings of an agent that override those of its harness.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnParts {
    /// The names of the tools and agents that are offered to its model.
    pub(crate) tools: Option<Arc<[String]>>,
    /// The profile of its model calls.
    pub(crate) profile: Option<String>,
    pub(crate) limits: Option<Limits>,
    pub(crate) deadline: Option<Duration>,
}

impl SubAgent {
    /// Creates a sub-agent that runs `agent`. Other agents call it by the agent's name; `description` tells their
    /// models what it is for.
    pub fn new(agent: AgentDef, description: impl Into<String>) -> Self {
        let description = description.into();
        let own = OwnParts::default();
        Self { agent, system_prompt: String::new(), own, is_gated: true, halts_asker: true, description }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    /// Sets the names of the tools and agents that are offered to its model. Default: the tools that are offered to its
    /// caller, and no agents.
    #[must_use]
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.own.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the profile of its model calls. Default: the first profile of the harness.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.own.profile = Some(profile.into());
        self
    }

    /// Sets the limits of its turns. Default: the limits of the harness.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.own.limits = Some(limits);
        self
    }

    /// Sets how long a call of it may take in total. Default: [`Limits::agent`].
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.own.deadline = Some(deadline);
        self
    }

    /// Removes the caller's gates, and its hooks at streams and before a row is stored: only its own hooks and those of the
    /// app apply.
    #[must_use]
    pub fn own_gates(mut self) -> Self {
        self.is_gated = false;
        self
    }

    /// Makes a [`Halt`](hook_sdk::verdict::Halt) in its turn a failed call for the caller. By default, the halt also
    /// ends the caller's turn.
    #[must_use]
    pub fn halts_alone(mut self) -> Self {
        self.halts_asker = false;
        self
    }

    pub(crate) fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.agent.name.as_str()).description(self.description.as_str()).schema(json!({
            "type": "object",
            "properties": { "prompt": { "type": "string", "description": "the task, with all the information the agent needs" } },
            "required": ["prompt"],
        })).parallel()
    }
}

/// The sub-agents of a harness.
#[derive(Clone, Default)]
pub(crate) struct SubAgents(Vec<Arc<SubAgent>>);

impl SubAgents {
    pub(crate) fn add(&mut self, agent: SubAgent) {
        self.0.retain(|known| known.agent.name != agent.agent.name);
        self.0.push(Arc::new(agent));
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<SubAgent>> {
        self.0.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<SubAgent>> {
        self.0.iter().find(|known| known.agent.name == name)
    }

    /// The agents that name an unknown tool, each with the name of that tool.
    pub(crate) fn unknown(&self, known: impl Fn(&str) -> bool) -> Vec<(&str, &str)> {
        let named = self.0.iter().filter_map(|agent| Some((agent, agent.own.tools.as_ref()?)));
        let all = named.flat_map(|(agent, names)| names.iter().map(|name| (agent.agent.name.as_str(), name.as_str())));
        all.filter(|(_, name)| !known(name)).collect()
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.0.iter().map(|agent| agent.spec())
    }
}

/// The name of the conversation of the agent that the call with this id calls. If a conversation with this name exists
/// already, the agent gets a [numbered](numbered) one. The separators of names are escaped in the id, so that
/// [`caller_of`] finds it.
pub(crate) fn conversation_of(conversation: &str, call: &str) -> String {
    let call = call.replace('%', "%25").replace('/', "%2F");
    match call.rsplit_once('-').filter(|(_, end)| is_number(end)) {
        Some((start, end)) => format!("{conversation}/{start}%2D{end}"),
        None => format!("{conversation}/{call}"),
    }
}

/// The n-th conversation with this name, starting at 1.
pub(crate) fn numbered(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}-{number}") }
}

/// Which call started the sub-agent that has this conversation: the conversation and the id of the call. An id of the app
/// may look like that of a sub-agent, so check that there is such a call.
pub fn caller_of(conversation: &str) -> Option<(&str, String)> {
    let (caller, name) = conversation.rsplit_once('/')?;
    let call = name.rsplit_once('-').filter(|(_, end)| is_number(end)).map_or(name, |(call, _)| call);
    Some((caller, call.replace("%2D", "-").replace("%2F", "/").replace("%25", "%")))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
