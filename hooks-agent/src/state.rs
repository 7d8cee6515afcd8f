//! What turns share: of their harness, and of their session.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use hooks_core::data::Role;
use hooks_core::diagnostics::HarnessFacts;
use hooks_core::kinds::{BeforeToolCall, SessionEnd, SessionEndReason};
use hooks_core::scope::{AgentDef, PromptDef};
use hooks_core::verdict::Contexts;
use hooks_core::{ConfigError, HookContext, HookSet, Registry};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::agents::{SubAgent, SubAgents};
use crate::approve::Approver;
use crate::budget::Budget;
use crate::call_site::{COMPACTION, MAIN, SUB_AGENT};
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

/// What the sessions of a harness share.
pub(crate) struct HarnessState {
    pub(crate) registry: Registry,
    /// What is in force, whatever agents and prompts say.
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
    pub(crate) store: Arc<dyn MessageStore>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) window: Option<Window>,
    pub(crate) limits: Limits,
    pub(crate) cx: HookContext,
}

impl HarnessState {
    /// The hooks in force for `agent` at `prompt`.
    pub(crate) fn scope(&self, agent: &Arc<AgentDef>, prompt: Option<&PromptDef>) -> Result<HookSet, ConfigError> {
        match &self.fixed {
            Some(hooks) => Ok(hooks.clone()),
            None => self.sets.of(&self.registry, agent, prompt),
        }
    }

    /// The hooks of the agent's list or the prompt's alone; none where a set is fixed, which holds everywhere.
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

    /// The hooks of the app's list, which alone is read outside a turn.
    pub(crate) fn app_hooks(&self) -> Result<HookSet, ConfigError> {
        self.scope(&Arc::new(AgentDef::new("").hooks::<String>([])), None)
    }

    /// What a hook can filter by.
    pub(crate) fn facts(&self) -> HarnessFacts {
        HarnessFacts::new()
            .tools(self.tools.names().map(str::to_owned).chain(self.agents.specs().map(|agent| agent.name)))
            .profiles(self.models.profiles())
            .call_sites([MAIN, SUB_AGENT, COMPACTION])
    }

    /// The tools and agents of these names.
    pub(crate) fn named(&self, names: &[String]) -> Vec<ToolSpec> {
        let spec_of = |name: &String| match self.agents.get(name) {
            Some(agent) => Some(agent.spec()),
            None => self.tools.get(name).map(|tool| tool.spec()),
        };
        names.iter().filter_map(spec_of).collect()
    }

    /// The tools and agents that a model is offered.
    pub(crate) fn offered(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        let tools = self.tools.specs().filter(|tool| self.agents.get(&tool.name).is_none());
        tools.cloned().chain(self.agents.specs())
    }
}

/// The sessions that were opened and not dropped.
#[derive(Default)]
pub(crate) struct OpenSessions(std::sync::Mutex<Vec<Weak<SessionState>>>);

impl OpenSessions {
    pub(crate) fn add(&self, session: &Arc<SessionState>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Before it would grow: the sweeps cost no more than what was added since.
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

/// Called at the end of every turn.
pub(crate) type OnReply = dyn Fn(&HookContext, &Reply) + Send + Sync;

/// Given what a turn took from outside of its hooks.
pub(crate) type OnInputs = dyn Fn(&HookContext, TurnInputs, &Reply) + Send + Sync;

/// What an agent has of the one that asks it.
#[derive(Clone, Default)]
pub(crate) struct Asker {
    pub(crate) budget: Option<Arc<Budget>>,
    /// Sets of which the gates of tools hold for it too, from the first that asked on.
    pub(crate) gates: Vec<HookSet>,
    /// Whose they are.
    pub(crate) gated_by: Vec<AskerInput>,
    /// The tools that it is offered.
    pub(crate) tools: Vec<ToolSpec>,
}

impl Asker {
    /// The gates of an agent that asks hold too.
    pub(crate) fn gated(
        &mut self,
        harness: &HarnessState,
        agent: &AgentDef,
        prompt: Option<&PromptDef>,
    ) -> Result<(), ConfigError> {
        self.gates.extend(harness.own_hooks(agent, prompt)?.filter(HookSet::has::<BeforeToolCall>));
        let (agent, prompt) = (agent.name.clone(), prompt.map(|prompt| prompt.name.clone()));
        self.gated_by.push(AskerInput { agent, prompt });
        Ok(())
    }
}

/// What the turns of a session share.
pub(crate) struct SessionState {
    pub(crate) harness: Arc<HarnessState>,
    pub(crate) agent: Arc<AgentDef>,
    pub(crate) conversation: String,
    pub(crate) system_prompt: String,
    pub(crate) channel: String,
    /// What hooks at `session_start` gave, for every turn.
    pub(crate) contexts: Contexts,
    /// What its turns may do.
    pub(crate) limits: Limits,
    /// How long one may take in all.
    pub(crate) deadline: Option<Duration>,
    /// The profile that its calls of models go to.
    pub(crate) profile: Option<String>,
    /// The tools that its model is offered; those of the harness where nothing is said.
    pub(crate) tools: Option<Vec<ToolSpec>>,
    /// What it has of who asks it.
    pub(crate) asker: Asker,
    /// What starts a turn, in a word for hooks at `before_agent_start`.
    pub(crate) trigger: String,
    pub(crate) cx: HookContext,
    /// The number of the last turn that was begun.
    pub(crate) turns: AtomicU64,
    /// What no other session has, of this conversation or another.
    pub(crate) tag: u64,
    /// From where its turns call a model.
    pub(crate) call_site: &'static str,
    /// Whether the person's side can show what a tool draws.
    pub(crate) dynamic_ui: bool,
    /// When it was opened.
    pub(crate) opened: Instant,
    /// What a provider counted of the conversation last.
    pub(crate) measured: std::sync::Mutex<Option<Measured>>,
    /// Whether `session_end` was fired.
    pub(crate) ended: AtomicBool,
    /// Held by the turn that runs. It is that of the conversation, which other sessions may share.
    pub(crate) one_at_a_time: Arc<Mutex<()>>,
}

impl SessionState {
    /// The number of a turn that begins with these rows: a conversation that is gone on with does not count anew.
    pub(crate) fn number(&self, stored: &[Row]) -> u64 {
        let prompts = stored.iter().filter(|row| row.message.role == Role::User).count() as u64;
        // One at a time, so that nobody counts between the two.
        let number = self.turns.load(Ordering::Relaxed).max(prompts) + 1;
        self.turns.store(number, Ordering::Relaxed);
        number
    }

    /// The id of the turn `number`. Turns are counted by the prompts that are stored, which grow fewer where a conversation
    /// is folded, and two programs may have the same conversation open: the tag differs then.
    pub(crate) fn request(&self, number: u64) -> String {
        format!("{}:{number}:{:016x}", self.conversation, self.tag)
    }

    /// What a provider counted of the conversation last.
    pub(crate) fn measured(&self) -> Option<Measured> {
        *self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn measure(&self, measured: Measured) {
        *self.measured.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
    }

    /// The tools and agents that its model is offered, before hooks.
    pub(crate) fn offered(&self) -> Vec<ToolSpec> {
        self.tools.clone().unwrap_or_else(|| self.harness.offered().collect())
    }

    /// The session of an agent that another one asks. It is no session of a person, so nothing fires when it begins.
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
            // No person opened it.
            ended: AtomicBool::new(true),
            tag: tag(),
            one_at_a_time: Arc::default(),
        }
    }

    /// Fires `session_end`, after the turns that were begun; once, whoever ends it.
    pub(crate) async fn end(&self, reason: SessionEndReason, next: Option<String>) -> Result<(), TurnError> {
        let _turn = self.one_at_a_time.lock().await;
        if self.ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let rows = store::read(&*self.harness.store, &self.conversation).await;
        // Not before: who closed it may have waited no longer.
        self.ended.store(true, Ordering::Relaxed);
        let mut event = SessionEnd::new(self.conversation.as_str(), reason)
            .channel(self.channel.as_str())
            .duration(self.opened.elapsed())
            .message_count(rows.as_ref().map_or(0, |stored| stored.rows.len() as u64));
        event.next_session = next;
        let hooks = self.harness.scope(&self.agent, None)?;
        let _fired = hooks.fire(&self.cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        rows?;
        Ok(())
    }

    /// Reports the end of a turn to the app, and gives its `reply` back.
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
    /// Gives who listens what a turn took from outside of its hooks.
    pub(crate) fn report_inputs(&self, cx: &HookContext, inputs: TurnInputs, reply: &Reply) {
        let Some(listener) = &self.harness.on_inputs else { return };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| listener(cx, inputs, reply))) {
            let panic = panics::message(panic);
            tracing::error!(target: "hooks_agent", panic, "the listener to inputs panicked");
        }
    }
}

/// A number that no other session has: not in this process, nor in another, nor after a restart.
pub(crate) fn tag() -> u64 {
    // Its keys are the system's random numbers, others for each hasher.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hasher.write_u128(now.as_nanos());
    hasher.finish()
}
