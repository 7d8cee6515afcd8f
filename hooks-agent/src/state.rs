//! State that turns share: that of their harness and that of their session.

mod check;

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use hook_sdk::data::Role;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::{SessionEnd, SessionEndReason};
use hook_sdk::scope::{AgentDef, PromptDef};
use hook_sdk::verdict::Contexts;
use hook_sdk::{ConfigError, HookContext, HookSet, Registry};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::agents::{SubAgent, SubAgents};
use crate::approve::{AgentCall, Approver, RootTurn};
use crate::budget::Budget;
use crate::call_site::SUB_AGENT;
use crate::hook_sets::HookSets;
use crate::inputs::{AskerInput, TurnInputs};
use crate::limits::Limits;
use crate::model::Models;
use crate::panics;
use crate::preflight::JsonPreflight;
use crate::queues::Queues;
use crate::reply::{Reply, TurnError};
use crate::running::Running;
use crate::store::{self, MessageStore, Row};
use crate::tool::{ToolSpec, Tools};
use crate::window::{Measured, Window};

pub(crate) use check::Checked;
use check::{SHARED, app_alone};

/// State that the sessions of a harness share.
pub(crate) struct HarnessState {
    pub(crate) registry: Registry,
    /// A fixed set of hooks, regardless of the lists of agents and prompts.
    pub(crate) fixed: Option<HookSet>,
    pub(crate) sets: Arc<HookSets>,
    pub(crate) queues: Queues,
    pub(crate) running: Running,
    pub(crate) sessions: OpenSessions,
    pub(crate) models: Models,
    pub(crate) tools: Tools,
    pub(crate) agents: SubAgents,
    pub(crate) preflight: Option<Arc<dyn JsonPreflight>>,
    pub(crate) on_reply: Option<Arc<OnReply>>,
    pub(crate) on_inputs: Option<Arc<OnInputs>>,
    pub(crate) around: Option<Arc<Around>>,
    pub(crate) store: Arc<dyn MessageStore>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) window: Option<Window>,
    pub(crate) limits: Limits,
    pub(crate) cx: HookContext,
    pub(crate) checked: Checked,
}

impl HarnessState {
    /// The hooks in force for `agent` and `prompt`, which passed the check. Its hooks take states from
    /// `cx`.
    pub(crate) fn scope(
        &self,
        agent: &Arc<AgentDef>,
        prompt: Option<&PromptDef>,
        cx: &HookContext,
    ) -> Result<HookSet, ConfigError> {
        match &self.fixed {
            Some(hooks) => Ok(hooks.clone()),
            None => self.sets.of(&self.registry, agent, prompt, |set| self.check(agent, set, cx)),
        }
    }

    /// Only the hooks in the agent's list, or in the prompt's. None with a fixed set, which applies everywhere.
    pub(crate) fn own_hooks(
        &self,
        agent: &AgentDef,
        prompt: Option<&PromptDef>,
    ) -> Result<Option<HookSet>, ConfigError> {
        match &self.fixed {
            Some(_) => Ok(None),
            None => self.registry.scope_alone(agent, prompt).map(Some),
        }
    }

    /// The hooks in the app's list, which are the only ones outside of turns.
    pub(crate) fn app_hooks(&self) -> Result<HookSet, ConfigError> {
        self.scope(&Arc::new(app_alone()), None, &self.cx)
    }

    /// The tools and agents with these names, except for tools that only a hook offers.
    pub(crate) fn named(&self, names: &[String]) -> Vec<ToolSpec> {
        let offered: Vec<ToolSpec> = self.offered().collect();
        names.iter().filter_map(|name| offered.iter().find(|spec| spec.name == *name).cloned()).collect()
    }

    /// The tools and agents that are offered to a model.
    pub(crate) fn offered(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        let tools = self.tools.specs().filter(|tool| self.agents.get(&tool.name).is_none());
        tools.cloned().chain(self.agents.specs())
    }
}

/// The open sessions that have not been dropped.
#[derive(Default)]
pub(crate) struct OpenSessions(std::sync::Mutex<Vec<Weak<SessionState>>>);

impl OpenSessions {
    pub(crate) fn add(&self, session: &Arc<SessionState>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Sweep only before it would grow, so the cost is amortised over the insertions.
        if open.len() == open.capacity() {
            open.retain(|session| session.strong_count() > 0);
        }
        open.push(Arc::downgrade(session));
    }

    pub(crate) fn take(&self) -> Vec<Arc<SessionState>> {
        let open = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        open.iter().filter_map(Weak::upgrade).collect()
    }
}

/// Wraps the future of every turn.
pub(crate) type Around = dyn Fn(&HookContext, BoxFuture<'static, Reply>) -> BoxFuture<'static, Reply> + Send + Sync;

/// Listener for the end of every turn.
pub(crate) type OnReply = dyn Fn(&HookContext, &Reply) + Send + Sync;

/// Listener for the inputs of every turn.
pub(crate) type OnInputs = dyn Fn(&HookContext, TurnInputs, &Reply) + Send + Sync;

/// What a sub-agent gets from its caller.
#[derive(Clone, Default)]
pub(crate) struct Asker {
    pub(crate) budget: Option<Arc<Budget>>,
    /// The hook sets whose tool gates also apply, and their hooks at streams and before a row is stored, outermost first.
    pub(crate) gates: Vec<HookSet>,
    /// The agents to which these gates belong.
    pub(crate) gated_by: Vec<AskerInput>,
    /// The tools that are offered to the caller.
    pub(crate) tools: Vec<ToolSpec>,
    /// The tools that hooks allow the caller; `None` for all.
    pub(crate) allowed: Option<BTreeSet<String>>,
    /// The prompt of the turn that a person began.
    pub(crate) prompt: Option<String>,
    /// The turn that a person began.
    pub(crate) root: Option<RootTurn>,
    /// The calls of agents that led to it, outermost first.
    pub(crate) callers: Vec<AgentCall>,
}

impl Asker {
    /// Adds the gates of a caller, and its hooks at streams and before a row is stored.
    pub(crate) fn gated(
        &mut self,
        harness: &HarnessState,
        agent: &AgentDef,
        prompt: Option<&PromptDef>,
    ) -> Result<(), ConfigError> {
        let applies = |hooks: &HookSet| hooks.kinds().any(|kind| SHARED.contains(&kind));
        self.gates.extend(harness.own_hooks(agent, prompt)?.filter(applies));
        let (agent, prompt) = (agent.name.clone(), prompt.map(|prompt| prompt.name.clone()));
        self.gated_by.push(AskerInput { agent, prompt });
        Ok(())
    }
}

/// State that the turns of a session share.
pub(crate) struct SessionState {
    pub(crate) harness: Arc<HarnessState>,
    pub(crate) agent: Arc<AgentDef>,
    pub(crate) conversation: String,
    pub(crate) system_prompt: String,
    pub(crate) channel: String,
    /// The contexts from hooks at `session_start`, for every turn.
    pub(crate) contexts: Contexts,
    /// The limits of its turns.
    pub(crate) limits: Limits,
    /// How long a turn may take in total.
    pub(crate) deadline: Option<Duration>,
    /// The profile of its model calls.
    pub(crate) profile: Option<String>,
    /// The tools that are offered to its model. `None` for those of the harness.
    pub(crate) tools: Option<Vec<ToolSpec>>,
    /// What it gets from its caller.
    pub(crate) asker: Asker,
    /// What starts a turn, as a word for hooks at `before_agent_start`.
    pub(crate) trigger: String,
    pub(crate) cx: HookContext,
    /// The number of the last turn that began.
    pub(crate) turns: AtomicU64,
    /// A number that is unique among all sessions of all conversations.
    pub(crate) tag: u64,
    /// The call site of its turns.
    pub(crate) call_site: &'static str,
    /// Whether the client can display dynamic user interfaces of tools.
    pub(crate) dynamic_ui: bool,
    /// When it was opened.
    pub(crate) opened: Instant,
    /// The last token count of a provider.
    pub(crate) measured: std::sync::Mutex<Option<Measured>>,
    /// Whether `session_end` was fired.
    pub(crate) ended: AtomicBool,
    /// Held by the running turn. The lock belongs to the conversation, which other sessions may share.
    pub(crate) one_at_a_time: Arc<Mutex<()>>,
}

impl SessionState {
    /// The number of a turn that starts with these rows. A continued conversation keeps counting.
    pub(crate) fn number(&self, stored: &[Row]) -> u64 {
        let prompts = stored.iter().filter(|row| row.message.role == Role::User).count() as u64;
        // Turns run one at a time, so no other turn counts between the load and the store.
        let number = self.turns.load(Ordering::Relaxed).max(prompts) + 1;
        self.turns.store(number, Ordering::Relaxed);
        number
    }

    /// The id of the turn `number`. The number alone is not unique: it is derived from the stored prompts, whose number
    /// shrinks at a compaction, and two programs can have the same conversation open.
    pub(crate) fn request(&self, number: u64) -> String {
        format!("{}:{number}:{:016x}", self.conversation, self.tag)
    }

    /// The last token count of a provider for the conversation.
    pub(crate) fn measured(&self) -> Option<Measured> {
        *self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn measure(&self, measured: Measured) {
        *self.measured.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
    }

    /// The turn that a person began: one of this session, or of the agent that called it first.
    pub(crate) fn root(&self) -> RootTurn {
        let own = || RootTurn { conversation: self.conversation.clone(), agent: self.agent.name.clone() };
        self.asker.root.clone().unwrap_or_else(own)
    }

    /// The tools and agents that are offered to its model, before hooks change them.
    pub(crate) fn offered(&self) -> Vec<ToolSpec> {
        self.tools.clone().unwrap_or_else(|| self.harness.offered().collect())
    }

    /// Creates the session of a sub-agent. No person opens it, so `session_start` is not fired.
    pub(crate) fn within(&self, agent: &SubAgent, conversation: String, cx: &HookContext, asker: Asker) -> Self {
        let harness = &self.harness;
        let definition = harness.sets.shared(agent.agent.clone());
        let cx = cx.to_builder().shared_state(Arc::clone(&definition)).build();
        let limits = agent.own.limits.clone().unwrap_or_else(|| harness.limits.clone());
        let longest = agent.own.deadline.unwrap_or(limits.agent);
        let tools = match &agent.own.tools {
            Some(names) => harness.named(names),
            None => asker.tools.iter().filter(|tool| harness.agents.get(&tool.name).is_none()).cloned().collect(),
        };
        Self {
            harness: Arc::clone(harness),
            agent: definition,
            conversation,
            system_prompt: agent.system_prompt.clone(),
            channel: self.channel.clone(),
            contexts: self.contexts.clone(),
            deadline: Some(limits.turn.map_or(longest, |turn| turn.min(longest))),
            limits,
            profile: agent.own.profile.clone(),
            tools: Some(tools),
            asker,
            trigger: "agent".into(),
            call_site: SUB_AGENT,
            dynamic_ui: self.dynamic_ui,
            opened: Instant::now(),
            measured: std::sync::Mutex::default(),
            cx,
            turns: AtomicU64::new(0),
            // `session_end` must not fire either.
            ended: AtomicBool::new(true),
            tag: tag(),
            one_at_a_time: Arc::default(),
        }
    }

    /// Fires `session_end` after all turns that have begun. It fires at most once.
    pub(crate) async fn end(&self, reason: SessionEndReason, next: Option<String>) -> Result<(), TurnError> {
        let _turn = self.one_at_a_time.lock().await;
        if self.ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let rows = store::read(&*self.harness.store, &self.conversation).await;
        // Set only after the read: if the future of `close` is dropped while it waits, a later `close` must still fire.
        self.ended.store(true, Ordering::Relaxed);
        let mut event = SessionEnd::new(self.conversation.as_str(), reason)
            .channel(self.channel.as_str())
            .duration(self.opened.elapsed())
            .message_count(rows.as_ref().map_or(0, |stored| stored.rows.len() as u64));
        event.next_session = next;
        let hooks = self.harness.scope(&self.agent, None, &self.cx)?;
        let fired = hooks.fire(&self.cx, &event, ()).await;
        self.harness.registry.conversation_states().end(&self.conversation);
        let _fired = fired.map_err(TurnError::Dispatch)?;
        rows?;
        Ok(())
    }

    /// Passes the reply of a turn to the app's listener, and returns it.
    pub(crate) fn report(&self, cx: &HookContext, reply: Reply) -> Reply {
        if let Some(listener) = &self.harness.on_reply
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| listener(cx, &reply)))
        {
            let panic = panics::message(panic);
            tracing::error!(target: "hooks_agent", panic, "the listener to replies panicked");
        }
        reply
    }
}

impl SessionState {
    /// Passes the inputs of a turn to the app's listener.
    pub(crate) fn report_inputs(&self, cx: &HookContext, inputs: TurnInputs, reply: &Reply) {
        let Some(listener) = &self.harness.on_inputs else { return };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| listener(cx, inputs, reply))) {
            let panic = panics::message(panic);
            tracing::error!(target: "hooks_agent", panic, "the listener to inputs panicked");
        }
    }
}

/// A number that no other session has, in this process or another, before or after a restart.
pub(crate) fn tag() -> u64 {
    // `RandomState` has random keys that differ for each instance.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hasher.write_u128(now.as_nanos());
    hasher.finish()
}
