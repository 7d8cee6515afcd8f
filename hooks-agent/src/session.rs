//! One conversation of one agent: its turns, one after the other.

mod update;

use std::fmt;
use std::future::{Future, IntoFuture};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use futures_util::FutureExt;
use hooks_core::data::{Message, Role};
use hooks_core::kinds::{SessionEnd, SessionEndReason, SessionSource, SessionStart};
use hooks_core::scope::{AgentDef, PromptDef};
use hooks_core::verdict::Contexts;
use hooks_core::{CancellationToken, HookContext, HookContextBuilder, HookSet};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::agents::SubAgent;
use crate::event::TurnEvent;
use crate::harness::Parts;
use crate::panics;
use crate::reply::{Outcome, Reply, TurnError};
use crate::store;
use crate::turn::{self, Start};

/// A session that is not open yet.
#[must_use = "call `open` to get the session"]
pub struct Opening {
    parts: Arc<Parts>,
    conversation: String,
    agent: Arc<AgentDef>,
    system_prompt: String,
    channel: String,
    cx: HookContextBuilder,
}

impl Opening {
    pub(crate) fn new(parts: Arc<Parts>, conversation: String, agent: AgentDef) -> Self {
        let cx = parts.cx.to_builder();
        let agent = parts.sets.shared(agent);
        Self { parts, conversation, agent, system_prompt: String::new(), channel: String::new(), cx }
    }

    /// What the model is told before the conversation.
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    /// Where the person is, such as `terminal`.
    pub fn channel(mut self, name: impl Into<String>) -> Self {
        self.channel = name.into();
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

    /// Opens the session: fires `session_start`.
    ///
    /// # Errors
    /// [`TurnError`] where the app's hooks do not fit together, one that is required failed, or the store cannot be read.
    pub async fn open(self) -> Result<Session, TurnError> {
        let rows = store::read(&*self.parts.store, &self.conversation).await?;
        let prompts = rows.iter().filter(|row| row.message.role == Role::User).count();
        let source = if rows.is_empty() { SessionSource::Startup } else { SessionSource::Resume };
        let cx = self.cx.agent(self.agent.name.as_str()).conversation(self.conversation.as_str()).build();
        let hooks = self.parts.scope(&self.agent, None)?;
        let event = SessionStart::new(self.conversation.as_str(), source).channel(self.channel.as_str());
        let fired = hooks.fire(&cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        let one_at_a_time = self.parts.queues.of(&self.conversation);
        Ok(Session {
            inner: Arc::new(Inner {
                parts: self.parts,
                agent: self.agent,
                conversation: self.conversation,
                system_prompt: self.system_prompt,
                channel: self.channel,
                contexts: fired.verdict,
                trigger: "user",
                cx,
                // A conversation that is gone on with does not begin to count anew.
                turns: AtomicU64::new(prompts as u64),
                tag: tag(),
                one_at_a_time,
            }),
        })
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
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) parts: Arc<Parts>,
    pub(crate) agent: Arc<AgentDef>,
    pub(crate) conversation: String,
    pub(crate) system_prompt: String,
    pub(crate) channel: String,
    /// What hooks at `session_start` gave, for every turn.
    pub(crate) contexts: Contexts,
    /// What starts a turn, in a word for hooks at `before_agent_start`.
    pub(crate) trigger: &'static str,
    pub(crate) cx: HookContext,
    turns: AtomicU64,
    /// What no other session has, of this conversation or another.
    tag: u64,
    /// That of the conversation, which other sessions may share.
    one_at_a_time: Arc<Mutex<()>>,
}

impl Inner {
    /// The id of the turn `number`. Turns are counted by the prompts that are stored, which grow fewer where a conversation
    /// is folded, and two programs may have the same conversation open: the tag tells those apart.
    pub(crate) fn request(&self, number: u64) -> String {
        format!("{}:{number}:{:016x}", self.conversation, self.tag)
    }

    /// Tells the app the end of a turn, and gives its `reply` back.
    pub(crate) fn told(&self, cx: &HookContext, reply: Reply) -> Reply {
        if let Some(listener) = &self.parts.on_reply
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| listener(cx, &reply)))
        {
            let panic = panics::told(panic);
            tracing::error!(target: "hooks_agent", panic, "the listener to replies panicked");
        }
        reply
    }
}

/// A number that no other session has: not in this process, nor in another, nor after a restart.
fn tag() -> u64 {
    // Its keys are the system's random numbers, others for each hasher.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hasher.write_u128(now.as_nanos());
    hasher.finish()
}

impl Session {
    /// Begins a turn that answers `input`, at `prompt` where one is named: its list of hooks replaces the agent's.
    ///
    /// The turn runs on the runtime, whoever waits for it: [`await`](Turn#impl-IntoFuture-for-Turn) it for the reply,
    /// [`next`](Turn::next) tells what happens meanwhile. Dropping it cancels it; then too, the conversation is left well
    /// formed and `turn_end` fires. What hooks contributed in it is then told to
    /// [`on_reply`](crate::HarnessBuilder::on_reply) alone.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn turn(&self, prompt: Option<&PromptDef>, input: impl Into<String>) -> Turn {
        self.turn_with(prompt, Message::new(Role::User, input))
    }

    /// As [`turn`](Self::turn), where the person's message is more than text: images, fields of a provider.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn turn_with(&self, prompt: Option<&PromptDef>, message: Message) -> Turn {
        self.begin(prompt.cloned(), message, CancellationToken::new())
    }

    pub(crate) fn begin(&self, prompt: Option<PromptDef>, message: Message, cancellation: CancellationToken) -> Turn {
        let (events, told) = mpsc::unbounded_channel();
        let (answer, reply) = oneshot::channel();
        let start = Start {
            session: Arc::clone(&self.inner),
            prompt,
            message,
            number: self.inner.turns.fetch_add(1, Ordering::Relaxed) + 1,
            events,
            cancellation: cancellation.clone(),
        };
        let queue = Arc::clone(&self.inner.one_at_a_time);
        // A turn may begin others, of agents that it asks: the box ends the type.
        let run: Pin<Box<dyn Future<Output = Reply> + Send>> = Box::pin(turn::run(start));
        // Queued here and not in the task: turns run in the order in which they are begun, whenever a task is first polled.
        let mut place = Box::pin(tokio::task::unconstrained(queue.lock_owned()));
        let at_once = place.as_mut().now_or_never();
        tokio::spawn(async move {
            let _turn = match at_once {
                Some(turn) => turn,
                None => place.await,
            };
            // Nobody may wait for the reply any more.
            let _ = answer.send(run.await);
        });
        Turn { told, reply, _cancel: CancelOnDrop(cancellation.clone()), cancellation }
    }

    /// The session of an agent that another one asks. It is no session of a person, so nothing fires when it begins.
    pub(crate) fn within(asking: &Inner, agent: &SubAgent, conversation: String, cx: HookContext) -> Self {
        Self {
            inner: Arc::new(Inner {
                parts: Arc::clone(&asking.parts),
                agent: asking.parts.sets.shared(agent.agent.clone()),
                conversation,
                system_prompt: agent.system_prompt.clone(),
                channel: asking.channel.clone(),
                contexts: asking.contexts.clone(),
                trigger: "agent",
                cx,
                turns: AtomicU64::new(0),
                tag: tag(),
                one_at_a_time: Arc::default(),
            }),
        }
    }

    /// The conversation's id.
    pub fn conversation(&self) -> &str {
        &self.inner.conversation
    }

    /// Ends the session: fires `session_end`, after the turns that were begun. It is fired also where the store cannot be read,
    /// with no messages counted: hooks close there what they opened.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed or the store cannot be read.
    pub async fn close(self, reason: SessionEndReason) -> Result<(), TurnError> {
        let _turn = self.inner.one_at_a_time.lock().await;
        let parts = &self.inner.parts;
        let rows = store::read(&*parts.store, &self.inner.conversation).await;
        let event = SessionEnd::new(self.inner.conversation.as_str(), reason)
            .channel(self.inner.channel.as_str())
            .message_count(rows.as_ref().map_or(0, |rows| rows.len() as u64));
        let hooks = parts.scope(&self.inner.agent, None)?;
        let _fired = hooks.fire(&self.inner.cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        rows?;
        Ok(())
    }

    /// The hooks that are in force outside a turn.
    pub(crate) fn app_hooks(&self) -> Result<HookSet, TurnError> {
        Ok(self.inner.parts.app_hooks()?)
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

/// A turn under way. Dropping it cancels it.
#[derive(Debug)]
#[must_use = "dropping a turn cancels it"]
pub struct Turn {
    told: mpsc::UnboundedReceiver<TurnEvent>,
    reply: oneshot::Receiver<Reply>,
    cancellation: CancellationToken,
    _cancel: CancelOnDrop,
}

#[derive(Debug)]
struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Turn {
    /// What happens next; `None` where the turn is over.
    pub async fn next(&mut self) -> Option<TurnEvent> {
        self.told.recv().await
    }

    /// Cancels the turn. Its reply says what was done until then.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// A token that cancels the turn, for another task to keep.
    pub fn cancellation(&self) -> CancellationToken {
        self.cancellation.clone()
    }
}

/// The reply, at the end of the turn.
impl IntoFuture for Turn {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { told, reply, _cancel: cancel, .. } = self;
        // Nobody listens any more, so that nothing is kept for them.
        drop(told);
        Box::pin(async move {
            let _cancel = cancel;
            // Only a runtime that shuts down drops a turn before its end.
            reply.await.unwrap_or_else(|_| Reply::of(Outcome::Cancelled))
        })
    }
}
