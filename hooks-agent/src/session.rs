//! A session: a conversation with an agent, whose turns run one after the other.

mod update;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

use hook_sdk::data::Messages;
use hook_sdk::kinds::{SessionEndReason, SessionSource, SessionStart};
use hook_sdk::scope::{AgentDef, PromptDef};
use hook_sdk::{HookContext, HookContextBuilder, HookSet};
use tokio::time::Instant;

use crate::agents::OwnParts;
use crate::call_site::{MAIN, SUB_AGENT};
use crate::limits::Limits;
use crate::reply::TurnError;
use crate::request::TurnRequest;
use crate::state::{Asker, HarnessState, SessionState, tag};
use crate::store;
use crate::turn::{self, Turn};

/// Configures a session. [`open`](Self::open) returns it.
#[must_use = "call `open` to get the session"]
pub struct Opening {
    harness: Arc<HarnessState>,
    conversation: String,
    agent: Arc<AgentDef>,
    system_prompt: String,
    channel: String,
    own: OwnParts,
    source: Option<SessionSource>,
    resumed_from: Option<String>,
    trigger: String,
    dynamic_ui: bool,
    asked_by: Option<AskedBy>,
    cx: HookContextBuilder,
}

/// The callers of a sub-agent's session.
struct AskedBy {
    path: Vec<String>,
    /// The agents whose gates apply to it.
    gated_by: Vec<(AgentDef, Option<PromptDef>)>,
}

impl Opening {
    pub(crate) fn new(harness: Arc<HarnessState>, conversation: String, agent: AgentDef) -> Self {
        let cx = harness.cx.to_builder();
        let agent = harness.sets.shared(agent);
        Self {
            harness,
            conversation,
            agent,
            system_prompt: String::new(),
            channel: String::new(),
            own: OwnParts::default(),
            source: None,
            resumed_from: None,
            trigger: "user".to_owned(),
            dynamic_ui: false,
            asked_by: None,
            cx,
        }
    }

    /// Sets the system prompt.
    ///
    /// The agent's definition, with fields unknown to this crate in `extra`, is available to hooks and tools as state:
    /// `cx.state::<AgentDef>()`.
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    /// Sets the channel of the person, such as `terminal`.
    pub fn channel(mut self, name: impl Into<String>) -> Self {
        self.channel = name.into();
        self
    }

    /// Sets the names of the tools and agents that are offered to the model. Default: all of the harness.
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.own.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the profile of its model calls. Default: the first profile of the harness.
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.own.profile = Some(profile.into());
        self
    }

    /// Sets the limits of its turns. Default: those of the harness.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.own.limits = Some(limits);
        self
    }

    /// Sets how the session began. Default: `resume` if the conversation has messages, otherwise `startup`.
    pub fn source(mut self, source: impl Into<SessionSource>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the session that this one continues. By default, it is a session of the same conversation.
    pub fn resumed_from(mut self, session: impl Into<String>) -> Self {
        self.resumed_from = Some(session.into());
        self
    }

    /// Sets what starts its turns, as a word for hooks at `before_agent_start`, such as `cron`. Default: `user`.
    pub fn trigger(mut self, word: impl Into<String>) -> Self {
        self.trigger = word.into();
        self
    }

    /// Sets whether a person is present who can be asked. Default: that of the harness's context.
    pub fn human_present(mut self, present: bool) -> Self {
        self.cx = self.cx.human_present(present);
        self
    }

    /// Sets whether the client can display dynamic user interfaces of tools.
    pub fn dynamic_ui(mut self, can: bool) -> Self {
        self.dynamic_ui = can;
        self
    }

    /// Adds state for the hooks and tools of this session. It is looked up by type, before the state of the harness.
    pub fn state<T: Send + Sync + 'static>(mut self, state: T) -> Self {
        self.cx = self.cx.state(state);
        self
    }

    /// Sets the working directory of this session. Default: that of the harness.
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cx = self.cx.workspace(folder);
        self
    }

    /// Makes this the session of a sub-agent, as needed to [repeat](TurnRequest::again) a recorded turn of one. The
    /// agents of `path` called each other, outermost first, and the gates of `gated_by` apply too.
    pub fn asked_by(mut self, path: Vec<String>, gated_by: Vec<(AgentDef, Option<PromptDef>)>) -> Self {
        self.asked_by = Some(AskedBy { path, gated_by });
        self
    }

    /// Opens the session and fires `session_start`.
    ///
    /// # Errors
    /// [`TurnError`] if the app's list of hooks is invalid, a required hook fails, or the store cannot be read.
    pub async fn open(self) -> Result<Session, TurnError> {
        // Only checks whether there are rows. Turns read them.
        let begun = self.harness.store.page(&self.conversation, None, 1).await?;
        let known = if begun.rows.is_empty() { SessionSource::Startup } else { SessionSource::Resume };
        let source = self.source.unwrap_or(known);
        let (mut asker, mut call_site) = (Asker::default(), MAIN);
        let mut cx = self.cx.agent(self.agent.name.as_str()).conversation(self.conversation.as_str());
        if let Some(AskedBy { path, gated_by }) = self.asked_by {
            (cx, call_site) = (cx.agent_path(path), SUB_AGENT);
            for (agent, prompt) in &gated_by {
                asker.gated(&self.harness, agent, prompt.as_ref())?;
            }
        }
        let cx = cx.shared_state(Arc::clone(&self.agent)).build();
        let hooks = self.harness.scope(&self.agent, None, &cx)?;
        // Another session of the agent may have been checked, with other states.
        hooks.context(cx.to_builder())?;
        let is_resumed = source == SessionSource::Resume;
        let mut event = SessionStart::new(self.conversation.as_str(), source).channel(self.channel.as_str());
        event.resumed_from = self.resumed_from.or_else(|| is_resumed.then(|| self.conversation.clone()));
        let fired = hooks.fire(&cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        let one_at_a_time = self.harness.queues.of(&self.conversation);
        let limits = self.own.limits.unwrap_or_else(|| self.harness.limits.clone());
        let inner = Arc::new(SessionState {
            deadline: limits.turn,
            limits,
            profile: self.own.profile,
            tools: self.own.tools.map(|names| self.harness.named(&names)),
            asker,
            harness: self.harness,
            agent: self.agent,
            conversation: self.conversation,
            system_prompt: self.system_prompt,
            channel: self.channel,
            contexts: fired.verdict,
            trigger: self.trigger,
            call_site,
            dynamic_ui: self.dynamic_ui,
            opened: Instant::now(),
            measured: Mutex::default(),
            cx,
            turns: AtomicU64::new(0),
            tag: tag(),
            one_at_a_time,
            ended: AtomicBool::new(false),
        });
        inner.harness.sessions.add(&inner);
        Ok(Session { inner })
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("conversation", &self.conversation).finish_non_exhaustive()
    }
}

/// A conversation with an agent. Clones are handles to the same session. The turns of a conversation run one after the
/// other, also across the sessions of a harness.
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionState>,
}

impl Session {
    /// Starts a turn that answers `input`, with `prompt` if there is one: its list of hooks replaces the agent's.
    ///
    /// The turn runs as a task of the runtime. [`await`](Turn#impl-IntoFuture-for-Turn) it for the reply, or call
    /// [`next`](Turn::next) for its events. Dropping it cancels the turn. The conversation then stays well formed, and
    /// `turn_end` fires, but only [`on_reply`](crate::HarnessBuilder::on_reply) gets the contributions of its hooks.
    ///
    /// # Panics
    /// If called outside a Tokio runtime.
    pub fn turn(&self, prompt: Option<&PromptDef>, input: impl Into<String>) -> Turn {
        self.begin(TurnRequest::new(input).prompt(prompt.cloned()))
    }

    /// Like [`turn`](Self::turn), with more options: a message that is more than text, what started the turn, whether a
    /// person is present.
    ///
    /// # Panics
    /// If called outside a Tokio runtime.
    pub fn begin(&self, request: impl Into<TurnRequest>) -> Turn {
        turn::begin(&self.inner, request.into(), self.inner.harness.running.cancellation())
    }

    /// Starts a turn that continues with the calls that wait for an approval, after a turn was
    /// [suspended](crate::Outcome::Suspended) or its process ended while it waited. Any process with the same store and
    /// approver can do this.
    ///
    /// The gates judge the calls again. If they ask again, the approver has the answer by now, or the turn is suspended
    /// once more. If no waiting call is known to have never run, the turn [fails](TurnError::NothingToResume) and
    /// changes nothing.
    ///
    /// # Panics
    /// If called outside a Tokio runtime.
    pub fn resume(&self, prompt: Option<&PromptDef>) -> Turn {
        self.begin(TurnRequest::resuming().prompt(prompt.cloned()))
    }

    /// Compacts the conversation at the request of a person, after all turns that have begun: fires `before_compaction`
    /// and `post_compact`, and lets a model summarise old messages. Hooks at `before_compaction` may refuse.
    /// `instructions` say what the summary should preserve; they can be empty. Returns whether the conversation is
    /// shorter now.
    ///
    /// # Errors
    /// [`TurnError`] if a required hook fails, a hook halts the compaction, or the store fails.
    pub async fn compact(&self, instructions: impl Into<String>) -> Result<bool, TurnError> {
        turn::compact(&self.inner, instructions.into()).await
    }

    /// The stored conversation, oldest message first: prompts, answers, tool calls and results. It may contain a part
    /// of a running turn.
    ///
    /// # Errors
    /// [`TurnError`] if the store cannot be read.
    pub async fn messages(&self) -> Result<Messages, TurnError> {
        let rows = store::read(&*self.inner.harness.store, &self.inner.conversation).await?;
        Ok(rows.rows.into_iter().map(|row| row.message).collect::<Vec<_>>().into())
    }

    /// The conversation's id.
    pub fn conversation(&self) -> &str {
        &self.inner.conversation
    }

    /// Ends the session after all turns that have begun, and fires `session_end`. It is fired once, even if several
    /// handles are closed. It is also fired if the store cannot be read, with a message count of 0, because hooks
    /// release resources there.
    ///
    /// # Errors
    /// [`TurnError`] if a required hook fails or the store cannot be read.
    pub async fn close(self, reason: SessionEndReason) -> Result<(), TurnError> {
        self.inner.end(reason, None).await
    }

    /// Like [`close`](Self::close), for a session that is succeeded by the session `next`.
    ///
    /// # Errors
    /// The same as those of [`close`](Self::close).
    pub async fn close_for(self, reason: SessionEndReason, next: impl Into<String>) -> Result<(), TurnError> {
        self.inner.end(reason, Some(next.into())).await
    }

    /// The hooks in force around the turns of this session: those of the app, and of plugins for its agent.
    pub(crate) fn hooks(&self) -> Result<HookSet, TurnError> {
        Ok(self.inner.harness.scope(&self.inner.agent, None, &self.inner.cx)?)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    pub(crate) fn cx(&self) -> &HookContext {
        &self.inner.cx
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("agent", &self.inner.agent.name)
            .field("conversation", &self.inner.conversation)
            .finish_non_exhaustive()
    }
}
