//! The harness: the parts that all sessions of an app share.

use std::fmt;
use std::iter;
use std::sync::Arc;

use hook_sdk::diagnostics::{Finding, FindingKind};
use hook_sdk::hook::BoxFuture;
use hook_sdk::scope::{AgentDef, PromptDef};
use hook_sdk::{ConfigError, HookContext, HookSet, Registry};

use crate::agents::{SubAgent, SubAgents};
use crate::approve::{Approver, Nobody};
use crate::inputs::TurnInputs;
use crate::limits::Limits;
use crate::model::{Model, Models};
use crate::preflight::Preflight;
use crate::queues::Queues;
use crate::reply::Reply;
use crate::running::Running;
use crate::session::Opening;
use crate::state::{Checked, HarnessState, OpenSessions};
use crate::store::{Guarded, MemoryStore, MessageStore};
use crate::tool::{Tool, Tools};
use crate::window::Window;

/// The parts that all sessions of an app share: models, tools, the store and the hooks.
///
/// ```
/// use hooks_agent::model::{Line, Scripted};
/// use hooks_agent::Harness;
/// use hook_sdk::prelude::*;
///
/// #[hook(id = "shout", kind = before_create_message, on_failure = required)]
/// fn shout(row: &mut Message) {
///     row.rewrite_text(|text| Some(text.to_uppercase()));
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let harness = Harness::builder(Registry::discover()?)
///     .model("main", Scripted::new([Line::text("hello")]))
///     .build()?;
/// let agent = AgentDef::new("support").hooks(hooks![shout]);
/// let session = harness.session("c-1", agent).open().await?;
/// let reply = session.turn(None, "hi").await;
/// assert_eq!(reply.to_string(), "HELLO");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Harness {
    pub(crate) state: Arc<HarnessState>,
}

impl Harness {
    /// Returns a builder for a harness with the hooks of `registry`.
    pub fn builder(registry: Registry) -> HarnessBuilder {
        HarnessBuilder {
            state: HarnessState {
                registry,
                fixed: None,
                sets: Arc::default(),
                queues: Queues::default(),
                running: Running::default(),
                sessions: OpenSessions::default(),
                models: Models::default(),
                tools: Tools::default(),
                agents: SubAgents::default(),
                preflight: None,
                on_reply: None,
                on_inputs: None,
                around: None,
                store: Arc::new(MemoryStore::new()),
                approver: Arc::new(Nobody),
                window: None,
                limits: Limits::default(),
                cx: HookContext::default(),
                checked: Checked::default(),
            },
            audited: false,
        }
    }

    /// A session of `agent` in the conversation `conversation`. If the store has this conversation, the session
    /// continues it.
    ///
    /// A conversation can have several sessions, for example one per request. Their turns run one after the other.
    pub fn session(&self, conversation: impl Into<String>, agent: AgentDef) -> Opening {
        Opening::new(Arc::clone(&self.state), conversation.into(), agent)
    }

    /// Reports legal but suspicious configuration in these hook sets, like
    /// [`Registry::audit_with`](hook_sdk::Registry::audit_with), with what this harness has: tools, agents, profiles
    /// and call sites.
    pub fn audit<'a>(&self, sets: impl IntoIterator<Item = &'a HookSet>) -> Vec<Finding> {
        let of_hooks = self.state.registry.audit_with(sets, &self.state.facts());
        of_hooks.into_iter().chain(self.state.audit_store()).collect()
    }

    /// The registry of hooks.
    pub fn registry(&self) -> &Registry {
        &self.state.registry
    }
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness")
            .field("profiles", &self.state.models.profiles())
            .field("limits", &self.state.limits)
            .finish_non_exhaustive()
    }
}

/// Builds a [`Harness`].
#[must_use = "call `build` to get the harness"]
pub struct HarnessBuilder {
    state: HarnessState,
    /// Whether another harness with the same registry has already been audited.
    audited: bool,
}

impl HarnessBuilder {
    /// Uses exactly these hooks, regardless of the lists of agents and prompts, and does not check them. For tests of a
    /// harness.
    pub fn hooks(mut self, hooks: HookSet) -> Self {
        self.state.fixed = Some(hooks);
        self
    }

    /// Adds the model of a profile. The first profile is the default. A second model with the same profile replaces the
    /// first.
    pub fn model(mut self, profile: impl Into<String>, model: impl Model) -> Self {
        self.state.models.add(profile.into(), Arc::new(model));
        self
    }

    /// Like [`model`](Self::model), for a model to which the app keeps a handle.
    pub fn shared_model(mut self, profile: impl Into<String>, model: Arc<dyn Model>) -> Self {
        self.state.models.add(profile.into(), model);
        self
    }

    /// Adds a tool. A second tool with the same name replaces the first.
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.state.tools.add(Arc::new(tool), true);
        self
    }

    /// Adds several tools, for example those of a recording or of an MCP server.
    pub fn tools(mut self, tools: impl IntoIterator<Item = impl Tool>) -> Self {
        for tool in tools {
            self.state.tools.add(Arc::new(tool), true);
        }
        self
    }

    /// Adds a tool that is offered to the model only in turns in which a hook contributes it
    /// ([`Contribution::tool_bundle`](hook_sdk::verdict::Contribution::tool_bundle)).
    pub fn bundled_tool(mut self, tool: impl Tool) -> Self {
        self.state.tools.add(Arc::new(tool), false);
        self
    }

    /// Sets the app's preflight, which looks at each prompt first. Default: none.
    pub fn preflight(mut self, preflight: impl Preflight) -> Self {
        self.state.preflight = Some(Arc::new(preflight));
        self
    }

    /// Sets a listener that is called after every turn, also if nobody waits for its reply: it is the only receiver of
    /// the replies of dropped [`Turn`](crate::Turn)s and of sub-agents. Use it for the jobs and audit notes that hooks
    /// contribute ([`Reply::contributions`]). The context says whose turn it was.
    ///
    /// It runs at the end of the turn, before the next turn of the session begins. A panic is logged.
    pub fn on_reply(mut self, listener: impl Fn(&HookContext, &Reply) + Send + Sync + 'static) -> Self {
        self.state.on_reply = Some(Arc::new(listener));
        self
    }

    /// Sets a listener that is called at the end of every turn that ran, with all inputs of the turn that do not come
    /// from hooks: the conversation, the answers of models and tools, the approvals. `hooks-replay` uses it to record
    /// turns. Without a listener, nothing is collected.
    ///
    /// The inputs contain what people and tools said. A panic of the listener is logged.
    pub fn on_inputs(mut self, listener: impl Fn(&HookContext, TurnInputs, &Reply) + Send + Sync + 'static) -> Self {
        self.state.on_inputs = Some(Arc::new(listener));
        self
    }

    /// Wraps every turn, those of sub-agents included, for example in a span of a tracing system. `wrap` gets the context of the
    /// session and the turn as a future. It is called by the task that starts the turn; the future runs on a task of its own.
    ///
    /// ```
    /// # use hooks_agent::Harness;
    /// # use hook_sdk::Registry;
    /// let harness = Harness::builder(Registry::empty()).around_turns(|cx, turn| {
    ///     let agent = cx.agent().unwrap_or_default().to_owned();
    ///     Box::pin(async move {
    ///         let reply = turn.await;
    ///         println!("{agent}: {:?}", reply.exit);
    ///         reply
    ///     })
    /// });
    /// ```
    pub fn around_turns(
        mut self,
        wrap: impl Fn(&HookContext, BoxFuture<'static, Reply>) -> BoxFuture<'static, Reply> + Send + Sync + 'static,
    ) -> Self {
        self.state.around = Some(Arc::new(wrap));
        self
    }

    /// Shares the cache of hook sets of another harness with the same registry, and its check. For apps that build a
    /// harness for each turn.
    pub fn sets_of(mut self, other: &Harness) -> Self {
        self.state.sets = Arc::clone(&other.state.sets);
        self.audited = true;
        self
    }

    /// Adds an agent that other agents can call by its name, like a tool. It replaces an earlier agent, or a tool, with
    /// the same name.
    pub fn agent(mut self, agent: SubAgent) -> Self {
        self.state.agents.add(agent);
        self
    }

    /// Sets the message store. Default: in memory.
    pub fn store(mut self, store: impl MessageStore) -> Self {
        self.state.store = Arc::new(store);
        self
    }

    /// Like [`store`](Self::store), for a store to which the app keeps a handle.
    pub fn shared_store(mut self, store: Arc<dyn MessageStore>) -> Self {
        self.state.store = store;
        self
    }

    /// Sets the approver, which answers when a gate asks. Default: [`Nobody`](crate::approve::Nobody), which denies the
    /// call.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.state.approver = Arc::new(approver);
        self
    }

    /// Sets the context window of the models. Without it, a conversation is compacted only when a provider rejects it
    /// as too long.
    pub fn window(mut self, window: Window) -> Self {
        self.state.window = Some(window);
        self
    }

    /// Sets the limits of each turn.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.state.limits = limits;
        self
    }

    /// Sets the base context of hooks and tools: the app's name, state and workspace. The loop adds what it knows.
    pub fn context(mut self, cx: HookContext) -> Self {
        self.state.cx = cx;
        self
    }

    /// Declares an agent of the sessions, and the prompts of its turns, whose lists replace that of the agent. Their hooks
    /// are then checked by [`build`](Self::build), and not only when the first session is opened, and a hook that no list
    /// names is found.
    pub fn serves<'a>(mut self, agent: &AgentDef, prompts: impl IntoIterator<Item = &'a PromptDef>) -> Self {
        let agent = Arc::new(agent.clone());
        let with = prompts.into_iter().map(|prompt| (Arc::clone(&agent), Some(prompt.clone())));
        self.state.checked.agents.extend(iter::once((Arc::clone(&agent), None)).chain(with));
        self
    }

    /// Accepts what the check finds about a hook, a plugin or a list. `because` is for the reader of the code.
    pub fn accept(mut self, kind: FindingKind, about: impl Into<String>, because: &str) -> Self {
        self.state.checked.facts = self.state.checked.facts.accept(kind, about, because);
        self
    }

    /// Logs what the check finds, and does not fail. For a program that runs the hooks of another one, such as a replay.
    /// `because` is for the reader of the code.
    pub fn unchecked(mut self, because: &str) -> Self {
        tracing::warn!(target: "hooks_agent", because, "the harness does not fail because of its hooks");
        self.state.checked.only_logs = true;
        self
    }

    /// Builds the harness, and checks what keeps hooks from guarding: see [`FindingKind`]. What an agent or a prompt that
    /// is not [declared](Self::serves) does wrong is found when its first session or turn begins, and this fails then.
    ///
    /// A hook that an operator disabled, an empty list and a plugin that did not start are logged only.
    ///
    /// # Errors
    /// Everything that is wrong and not [accepted](Self::accept).
    pub fn build(mut self) -> Result<Harness, ConfigError> {
        self.state.store = Arc::new(Guarded { store: self.state.store, limit: self.state.limits.store });
        self.state.cx =
            self.state.cx.to_builder().conversation_states(self.state.registry.conversation_states()).build();
        self.state.checked.revision = self.state.registry.revision();
        let harness = Harness { state: Arc::new(self.state) };
        for (agent, name) in harness.state.agents.unknown(|name| !harness.state.named(&[name.to_owned()]).is_empty()) {
            tracing::warn!(target: "hooks_agent", agent, tool = name, "an agent names an unknown tool");
        }
        if !self.audited {
            harness.state.check_all()?;
        }
        Ok(harness)
    }
}

impl fmt::Debug for HarnessBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HarnessBuilder").field("profiles", &self.state.models.profiles()).finish_non_exhaustive()
    }
}
