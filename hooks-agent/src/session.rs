//! One conversation of one agent: its turns, one after the other.

mod update;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

use hooks_core::data::Messages;
use hooks_core::kinds::{SessionEndReason, SessionSource, SessionStart};
use hooks_core::scope::{AgentDef, PromptDef};
use hooks_core::{HookContext, HookContextBuilder, HookSet};
use tokio::time::Instant;

use crate::agents::OwnParts;
use crate::call_site::{MAIN, SUB_AGENT};
use crate::limits::Limits;
use crate::reply::TurnError;
use crate::request::TurnRequest;
use crate::state::{Asker, HarnessState, SessionState, tag};
use crate::store;
use crate::turn::{self, Turn};

/// A session that is not open yet.
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

/// Who asked the agent of a session.
struct AskedBy {
    path: Vec<String>,
    /// Whose gates hold for it.
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

    /// The system prompt.
    ///
    /// The definition of its agent, with the fields that this crate does not know in `extra`, is state for hooks and tools:
    /// `cx.state::<AgentDef>()`.
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    /// Where the person is, such as `terminal`.
    pub fn channel(mut self, name: impl Into<String>) -> Self {
        self.channel = name.into();
        self
    }

    /// The tools and agents that its model is offered, by their names; all of the harness where this is not said.
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.own.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The profile that its calls of models go to; the harness's first where this is not said.
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.own.profile = Some(profile.into());
        self
    }

    /// How far its turns may go, where it is not as the harness says.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.own.limits = Some(limits);
        self
    }

    /// What it began from; `resume` where the conversation has messages, and `startup` otherwise, where nothing is said.
    pub fn source(mut self, source: impl Into<SessionSource>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The session that is gone on with, where it is not one of the same conversation.
    pub fn resumed_from(mut self, session: impl Into<String>) -> Self {
        self.resumed_from = Some(session.into());
        self
    }

    /// What starts its turns, in a word for hooks at `before_agent_start`, such as `cron`; `user` where nothing is said.
    pub fn trigger(mut self, word: impl Into<String>) -> Self {
        self.trigger = word.into();
        self
    }

    /// Whether a person is there to be asked, where it is not as the harness's context says.
    pub fn human_present(mut self, present: bool) -> Self {
        self.cx = self.cx.human_present(present);
        self
    }

    /// Whether the person's side can show what a tool draws.
    pub fn dynamic_ui(mut self, can: bool) -> Self {
        self.dynamic_ui = can;
        self
    }

    /// State of this session alone for hooks and tools, found by its type, before that of the harness.
    pub fn state<T: Send + Sync + 'static>(mut self, state: T) -> Self {
        self.cx = self.cx.state(state);
        self
    }

    /// The folder that this session works in, where it is not the harness's.
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cx = self.cx.workspace(folder);
        self
    }

    /// Its agent is one that another agent asked, as in a recorded turn that is [run again](TurnRequest::again): the agents of
    /// `path` asked each other, the first one first, and the gates of `gated_by` hold for it too.
    pub fn asked_by(mut self, path: Vec<String>, gated_by: Vec<(AgentDef, Option<PromptDef>)>) -> Self {
        self.asked_by = Some(AskedBy { path, gated_by });
        self
    }

    /// Opens the session: fires `session_start`.
    ///
    /// # Errors
    /// [`TurnError`] where the app's hooks do not fit together, one that is required failed, or the store cannot be read.
    pub async fn open(self) -> Result<Session, TurnError> {
        // What is in it is read by its turns.
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
        let hooks = self.harness.scope(&self.agent, None)?;
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

/// One conversation of one agent. Cloning it gives another handle to the same session. Turns of a conversation run one
/// after the other, whichever session of the harness begins them.
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionState>,
}

impl Session {
    /// Begins a turn that answers `input`, at `prompt` where one is named: its list of hooks replaces the agent's.
    ///
    /// The turn runs on the runtime, whoever waits for it: [`await`](Turn#impl-IntoFuture-for-Turn) it for the reply,
    /// [`next`](Turn::next) tells what happens meanwhile. Dropping it cancels it; then too, the conversation is left well
    /// formed and `turn_end` fires. What hooks contributed in it then reaches
    /// [`on_reply`](crate::HarnessBuilder::on_reply) alone.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn turn(&self, prompt: Option<&PromptDef>, input: impl Into<String>) -> Turn {
        self.begin(TurnRequest::new(input).prompt(prompt.cloned()))
    }

    /// As [`turn`](Self::turn), for a turn of which more is to be said: a message that is more than text, what started it,
    /// whether a person is there.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn begin(&self, request: impl Into<TurnRequest>) -> Turn {
        turn::begin(&self.inner, request.into(), self.inner.harness.running.cancellation())
    }

    /// Goes on with the calls that wait for somebody's word, as a turn of its own: after a turn that ended as
    /// [suspended](crate::Outcome::Suspended), or whose process ended while it waited. Any process may do so that shares store and
    /// approver.
    ///
    /// The gates judge the calls anew; where they ask again, the approver has the answer by now, or the turn is suspended once
    /// more. Where no call waits that is known never to have run, the turn [fails](TurnError::NothingToResume) and changes
    /// nothing.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn resume(&self, prompt: Option<&PromptDef>) -> Turn {
        self.begin(TurnRequest::resuming().prompt(prompt.cloned()))
    }

    /// Compacts the conversation because a person wants it, after the turns that were begun: fires `before_compaction` and
    /// `post_compact`, and has a model sum up what is old. Hooks at `before_compaction` may refuse. `instructions` say what is to
    /// be kept in mind; they are empty where nothing is. Returns whether the conversation is shorter now.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed, the conversation could not be read or stored, or a hook ended it.
    pub async fn compact(&self, instructions: impl Into<String>) -> Result<bool, TurnError> {
        turn::compact(&self.inner, instructions.into()).await
    }

    /// The conversation as it is stored, oldest first: what the person wrote, the answers, calls and their results. A turn
    /// that runs may be stored in part.
    ///
    /// # Errors
    /// [`TurnError`] where the store cannot be read.
    pub async fn messages(&self) -> Result<Messages, TurnError> {
        let rows = store::read(&*self.inner.harness.store, &self.inner.conversation).await?;
        Ok(rows.rows.into_iter().map(|row| row.message).collect::<Vec<_>>().into())
    }

    /// The conversation's id.
    pub fn conversation(&self) -> &str {
        &self.inner.conversation
    }

    /// Ends the session: fires `session_end`, after the turns that were begun; once, whichever handle ends it. It is fired also where the store cannot be read,
    /// with no messages counted: hooks close there what they opened.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed or the store cannot be read.
    pub async fn close(self, reason: SessionEndReason) -> Result<(), TurnError> {
        self.inner.end(reason, None).await
    }

    /// As [`close`](Self::close), where the session `next` takes its place.
    ///
    /// # Errors
    /// As those of `close`.
    pub async fn close_for(self, reason: SessionEndReason, next: impl Into<String>) -> Result<(), TurnError> {
        self.inner.end(reason, Some(next.into())).await
    }

    /// The hooks that are in force outside a turn.
    pub(crate) fn app_hooks(&self) -> Result<HookSet, TurnError> {
        Ok(self.inner.harness.app_hooks()?)
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
