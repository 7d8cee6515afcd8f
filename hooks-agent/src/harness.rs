//! A harness: what all sessions of an app share.

use std::fmt;
use std::sync::Arc;

use hooks_core::diagnostics::{Finding, FindingKind};
use hooks_core::scope::AgentDef;
use hooks_core::{HookContext, HookSet, Registry};

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
use crate::state::{HarnessState, OpenSessions};
use crate::store::{Guarded, MemoryStore, MessageStore};
use crate::tool::{Tool, Tools};
use crate::window::Window;

/// What all sessions of an app share: models, tools, the store, the hooks.
///
/// ```
/// use hooks_agent::model::{Line, Scripted};
/// use hooks_agent::Harness;
/// use hooks_core::prelude::*;
///
/// #[hook(id = "shout", kind = before_create_message)]
/// fn shout(row: &mut Message) {
///     row.rewrite_text(|text| Some(text.to_uppercase()));
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let harness = Harness::builder(Registry::discover()?)
///     .model("main", Scripted::new([Line::text("hello")]))
///     .build();
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
    /// Starts a harness with the hooks of `registry`.
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
                store: Arc::new(MemoryStore::new()),
                approver: Arc::new(Nobody),
                window: None,
                limits: Limits::default(),
                cx: HookContext::default(),
            },
            audited: false,
        }
    }

    /// A session of `agent` in the conversation `conversation`, which is gone on with where the store has it.
    ///
    /// A conversation may have several sessions, one for each request, say: their turns run one after the other.
    pub fn session(&self, conversation: impl Into<String>, agent: AgentDef) -> Opening {
        Opening::new(Arc::clone(&self.state), conversation.into(), agent)
    }

    /// What is legal but suspicious in these sets, as [`Registry::audit_with`](hooks_core::Registry::audit_with) finds it
    /// with what this harness has: tools and agents, profiles, and the places from which it calls a model.
    ///
    /// Filters that match nothing of it are also logged when the harness is made.
    pub fn audit<'a>(&self, sets: impl IntoIterator<Item = &'a HookSet>) -> Vec<Finding> {
        self.state.registry.audit_with(sets, &self.state.facts())
    }

    /// The hooks.
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

/// Makes a [`Harness`].
#[must_use = "call `build` to get the harness"]
pub struct HarnessBuilder {
    state: HarnessState,
    /// Whether another harness of the same registry was audited.
    audited: bool,
}

impl HarnessBuilder {
    /// Has these hooks in force, whatever agents and prompts say: for tests of a harness.
    pub fn hooks(mut self, hooks: HookSet) -> Self {
        self.state.fixed = Some(hooks);
        self
    }

    /// A model, by its profile. The first one is the default. A second model of a profile replaces the first.
    pub fn model(mut self, profile: impl Into<String>, model: impl Model) -> Self {
        self.state.models.add(profile.into(), Arc::new(model));
        self
    }

    /// A model that the app keeps a handle to.
    pub fn shared_model(mut self, profile: impl Into<String>, model: Arc<dyn Model>) -> Self {
        self.state.models.add(profile.into(), model);
        self
    }

    /// A tool. A second tool of a name replaces the first.
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.state.tools.add(Arc::new(tool), true);
        self
    }

    /// Tools, as a recording or a server has them.
    pub fn tools(mut self, tools: impl IntoIterator<Item = impl Tool>) -> Self {
        for tool in tools {
            self.state.tools.add(Arc::new(tool), true);
        }
        self
    }

    /// A tool that the model is offered only in turns in which a hook contributes it
    /// ([`Contribution::tool_bundle`](hooks_core::verdict::Contribution::tool_bundle)).
    pub fn bundled_tool(mut self, tool: impl Tool) -> Self {
        self.state.tools.add(Arc::new(tool), false);
        self
    }

    /// The app's first look at each prompt; none where this is not said.
    pub fn preflight(mut self, preflight: impl Preflight) -> Self {
        self.state.preflight = Some(Arc::new(preflight));
        self
    }

    /// Called after every turn, whoever waits for its reply: the one of a [`Turn`](crate::Turn) that was dropped, and of
    /// an agent that another one asked, has no other reader. So it is the place for the jobs and audit notes that hooks
    /// contribute ([`Reply::contributions`]). The context says whose turn it was.
    ///
    /// It is called at the end of the turn, before the next one of the session begins. A panic of it goes to the log.
    pub fn on_reply(mut self, listener: impl Fn(&HookContext, &Reply) + Send + Sync + 'static) -> Self {
        self.state.on_reply = Some(Arc::new(listener));
        self
    }

    /// Called at the end of every turn that ran with all that it took from outside of its hooks: the conversation, what models
    /// and tools answered, what was approved. So a recording of turns is made; `hooks-replay` has one. Where this is not said,
    /// nothing is kept for it.
    ///
    /// It holds what people and tools said. A panic of the listener goes to the log.
    pub fn on_inputs(mut self, listener: impl Fn(&HookContext, TurnInputs, &Reply) + Send + Sync + 'static) -> Self {
        self.state.on_inputs = Some(Arc::new(listener));
        self
    }

    /// Goes on with the sets of hooks that another harness of the same registry made, and looked through: for who builds one
    /// for each turn.
    pub fn sets_of(mut self, other: &Harness) -> Self {
        self.state.sets = Arc::clone(&other.state.sets);
        self.audited = true;
        self
    }

    /// An agent that other agents can ask, by its name, as if it were a tool. A second agent of a name replaces the first,
    /// and an agent takes the place of a tool of its name.
    pub fn agent(mut self, agent: SubAgent) -> Self {
        self.state.agents.add(agent);
        self
    }

    /// Where conversations are kept; in memory where this is not said.
    pub fn store(mut self, store: impl MessageStore) -> Self {
        self.state.store = Arc::new(store);
        self
    }

    /// A store that the app keeps a handle to.
    pub fn shared_store(mut self, store: Arc<dyn MessageStore>) -> Self {
        self.state.store = store;
        self
    }

    /// Who is asked where a gate asks; nobody where this is not said, and then the call is denied.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.state.approver = Arc::new(approver);
        self
    }

    /// How much the models can read. Where this is not said, the conversation is compacted only when a provider says that
    /// it is too long.
    pub fn window(mut self, window: Window) -> Self {
        self.state.window = Some(window);
        self
    }

    /// How far a turn may go.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.state.limits = limits;
        self
    }

    /// What hooks and tools get in addition to what the loop knows: the app's name, its state, the workspace.
    pub fn context(mut self, cx: HookContext) -> Self {
        self.state.cx = cx;
        self
    }

    /// The harness.
    pub fn build(mut self) -> Harness {
        self.state.store = Arc::new(Guarded { store: self.state.store, limit: self.state.limits.store });
        let harness = Harness { state: Arc::new(self.state) };
        for (agent, name) in harness.state.agents.unknown(|name| !harness.state.named(&[name.to_owned()]).is_empty()) {
            tracing::warn!(target: "hooks_agent", agent, tool = name, "an agent names a tool that nobody has");
        }
        if self.audited {
            return harness;
        }
        for finding in harness.audit([]).iter().filter(|finding| finding.kind() == FindingKind::MatchesNothing) {
            tracing::warn!(target: "hooks_agent", %finding, "a hook never runs");
        }
        harness
    }
}

impl fmt::Debug for HarnessBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HarnessBuilder").field("profiles", &self.state.models.profiles()).finish_non_exhaustive()
    }
}
