//! The context of a hook: where its dispatch happens, and the app's state.

pub(crate) mod depth;
mod ids;
pub(crate) mod state;
pub(crate) mod with;

use std::any::TypeId;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use depth::within_this;
pub use ids::Ids;
pub use state::{ConversationStates, MissingState, State};
use state::{NO_CONVERSATION, NO_STORE, NO_TURN, OF_APP, States, TypeSpec};
pub(crate) use with::{Bound, WithSpec};
pub use with::{Parameters, With};

use crate::id::HookId;
use crate::tables::{debug_of, setters};

/// Where a dispatch happens: the agent, the conversation, the turn, and the app's state.
///
/// Cloning it is cheap: make one per turn and derive others from it with [`to_builder`](Self::to_builder).
///
/// ```
/// use hook_sdk::HookContext;
///
/// struct Limits { refund: u32 }
///
/// let cx = HookContext::builder().agent("support").conversation("c-17").turn(3).state(Limits { refund: 200 }).build();
/// assert_eq!(cx.agent(), Some("support"));
/// assert_eq!(cx.state::<Limits>()?.refund, 200);
/// assert!(cx.state::<String>().is_err());
/// # Ok::<(), hook_sdk::MissingState>(())
/// ```
#[derive(Clone, Default)]
pub struct HookContext {
    inner: Arc<ContextData>,
    /// Data for one hook only: present if the hook belongs to a plugin or has parameters.
    per_hook: Option<Arc<PerHook>>,
}

/// The data of one hook in addition to the dispatch's context.
#[derive(Default)]
pub(crate) struct PerHook {
    /// The parameters that a list gives to the hook.
    pub(crate) with: Option<Bound>,
    /// The plugin that the hook belongs to.
    pub(crate) plugin: Option<HookId>,
}

#[derive(Clone, Default)]
struct ContextData {
    ids: Arc<Ids>,
    keep_records: bool,
    replay: bool,
    queued_jobs: bool,
    cancellation: Option<CancellationToken>,
    state: Arc<States>,
    conversations: Option<Arc<ConversationStates>>,
}

impl HookContext {
    /// An empty context, for tests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts building a context.
    pub fn builder() -> HookContextBuilder {
        HookContextBuilder(ContextData::default())
    }

    /// Starts building a context from this one, for another turn or call site. State is shared, not copied.
    pub fn to_builder(&self) -> HookContextBuilder {
        HookContextBuilder((*self.inner).clone())
    }

    /// All ids of the context, without the app's state. Records and jobs keep a copy of them.
    pub fn ids(&self) -> &Arc<Ids> {
        &self.inner.ids
    }

    /// The id of the person's session. It is the id of the conversation, except in a sub-agent, which has its own
    /// conversation within the session of its caller.
    pub fn session(&self) -> Option<&str> {
        self.inner.ids.session()
    }

    /// Whether the dispatch is a replay of a recorded one. A hook should then skip external effects, such as sending a
    /// message.
    pub fn is_replay(&self) -> bool {
        self.inner.replay
    }

    /// Whether the jobs of its background hooks have already been queued.
    pub(crate) fn has_queued_jobs(&self) -> bool {
        self.inner.queued_jobs
    }

    /// The token that cancels the turn, if the harness provides one.
    pub fn cancellation(&self) -> Option<&CancellationToken> {
        self.inner.cancellation.as_ref()
    }

    /// The app's state of type `T`.
    ///
    /// # Errors
    /// [`MissingState`] if the context holds no state of this type.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<&T, MissingState> {
        self.app_state().map(|state: &State<T>| &**state)
    }

    pub(crate) fn app_state<T: Send + Sync + 'static>(&self) -> Result<&State<T>, MissingState> {
        let state = self.inner.state.get(&TypeId::of::<T>()).and_then(|state| state.downcast_ref());
        state.ok_or(MissingState::of::<T>(OF_APP))
    }

    pub(crate) fn holds(&self, state: TypeSpec) -> bool {
        self.inner.state.contains_key(&(state.id)())
    }

    /// The state of type `T` that hooks keep for this conversation. It begins as `T::default()`, and ends with the
    /// conversation. Hooks share it by its type.
    ///
    /// A guard that counts returns the error, so that it denies where it cannot count. It counts ids: a call is judged
    /// again after an edit, and when a turn resumes.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use std::sync::{Mutex, PoisonError};
    ///
    /// use hook_sdk::context::MissingState;
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// #[derive(Default)]
    /// struct Refunds(Mutex<BTreeSet<String>>);
    ///
    /// #[hook(kind = before_tool_call, tool = "refund")]
    /// fn three_refunds(cx: &HookContext, event: &BeforeToolCall) -> Result<Permission, MissingState> {
    ///     let refunds = cx.conversation_state::<Refunds>()?;
    ///     let mut calls = refunds.0.lock().unwrap_or_else(PoisonError::into_inner);
    ///     if calls.len() == 3 && !calls.contains(&event.call.id) {
    ///         return Ok(Permission::deny("three refunds in this conversation"));
    ///     }
    ///     calls.insert(event.call.id.clone());
    ///     Ok(Permission::Allow)
    /// }
    /// # let hooks = Registry::empty().scope(&AgentDef::new("support"), None)?;
    /// # let cx = hooks.context(HookContext::builder().conversation("c-17"))?;
    /// # let call = |id: &str| BeforeToolCall::new(ToolCall::new(id, "refund", serde_json::json!({})));
    /// # assert!(["a", "b", "c", "a"].iter().all(|id| three_refunds(&cx, &call(id)).unwrap() == Permission::Allow));
    /// # assert!(three_refunds(&cx, &call("d"))?.denial().is_some());
    /// # three_refunds(&HookContext::new(), &call("a")).unwrap_err();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MissingState`] if the harness set no conversation, or nothing that keeps its states.
    pub fn conversation_state<T: Default + Send + Sync + 'static>(&self) -> Result<Arc<T>, MissingState> {
        self.kept(None)
    }

    /// Like [`conversation_state`](Self::conversation_state), for this turn.
    ///
    /// # Errors
    /// [`MissingState`] also if the harness set no turn, or the turn has ended.
    pub fn turn_state<T: Default + Send + Sync + 'static>(&self) -> Result<Arc<T>, MissingState> {
        self.kept(Some(self.turn().ok_or(MissingState::of::<T>(NO_TURN))?))
    }

    fn kept<T: Default + Send + Sync + 'static>(&self, turn: Option<u64>) -> Result<Arc<T>, MissingState> {
        let conversation = self.ids().conversation.as_ref().ok_or(MissingState::of::<T>(NO_CONVERSATION))?;
        let conversations = self.inner.conversations.as_ref().ok_or(MissingState::of::<T>(NO_STORE))?;
        conversations.get(conversation, turn)
    }

    /// The parameters that a list gave to this hook, if they are a `T`. An annotated function takes them as
    /// [`&With<T>`](crate::With). This method is for hooks that are built as values and declare
    /// [`Hook::parameters`](crate::Hook::parameters).
    pub fn with<T: Send + Sync + 'static>(&self) -> Option<&With<T>> {
        self.per_hook.as_ref()?.with.as_ref()?.downcast_ref()
    }

    /// The plugin of the hook that received this context; `None` for a hook of the app.
    pub fn plugin(&self) -> Option<&str> {
        Some(self.per_hook.as_ref()?.plugin.as_ref()?.as_str())
    }

    /// The number of dispatches around the current one: 0 if the harness fired it, 1 if a hook fired it. It is counted
    /// per task, so a task that the hook spawned starts at 0 (see [`within_this`]).
    #[allow(clippy::unused_self, reason = "a hook asks its context, wherever the answer is kept")]
    pub fn depth(&self) -> usize {
        depth::depth().saturating_sub(1)
    }

    /// The context for one hook: this one plus the data of the hook.
    #[inline]
    pub(crate) fn bound(&self, per_hook: &Arc<PerHook>) -> Self {
        Self { inner: Arc::clone(&self.inner), per_hook: Some(Arc::clone(per_hook)) }
    }

    /// Whether the context holds data for one hook only.
    #[inline]
    pub(crate) fn is_of_hook(&self) -> bool {
        self.per_hook.is_some()
    }

    /// The context for a dispatch that a hook fires, without the data of that hook; `None` if there is no such data.
    #[inline]
    pub(crate) fn without_hook(&self) -> Option<Self> {
        self.per_hook.is_some().then(|| Self { inner: Arc::clone(&self.inner), per_hook: None })
    }

    /// The context of a run that outlives its turn: the end of the program cancels it, not the end of the turn.
    pub(crate) fn outliving(&self, shutdown: CancellationToken) -> Self {
        let mut cx = self.clone();
        Arc::make_mut(&mut cx.inner).cancellation = Some(shutdown);
        cx
    }

    /// Whether each dispatch returns its record.
    #[inline]
    pub(crate) fn keeps_records(&self) -> bool {
        self.inner.keep_records
    }
}

debug_of!(HookContext, self => { ids: self.ids() });

/// Builds a [`HookContext`].
#[derive(Clone, Default)]
#[must_use = "call `build` to get the context"]
pub struct HookContextBuilder(ContextData);

impl HookContextBuilder {
    fn ids(&mut self) -> &mut Ids {
        Arc::make_mut(&mut self.0.ids)
    }

    /// Sets all ids at once, for example those of another context.
    pub fn with_ids(mut self, ids: Ids) -> Self {
        self.0.ids = Arc::new(ids);
        self
    }

    /// Adds state for hooks, which take it as [`&State<T>`](State). A second value of the same type replaces the first.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.shared_state(Arc::new(state))
    }

    /// Adds state that the app also keeps a handle to.
    pub fn shared_state<T: Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        Arc::make_mut(&mut self.0.state).insert(TypeId::of::<T>(), Arc::new(State::from(state)));
        self
    }

    /// Keeps the states of conversations in `conversations`, unless the builder has some already.
    pub fn conversation_states(mut self, conversations: Arc<ConversationStates>) -> Self {
        self.0.conversations.get_or_insert(conversations);
        self
    }

    /// Finishes the context.
    pub fn build(self) -> HookContext {
        HookContext { inner: Arc::new(self.0), per_hook: None }
    }
}

setters!(HookContextBuilder, self => self.ids(), {
    /// The session's id, if it differs from the conversation's.
    session: impl Into<Arc<str>> => Some,
});

setters!(HookContextBuilder, self => self.0, {
    /// Makes each dispatch return its [`Record`](crate::record::Record) in `fired.report.record`.
    keep_records: bool,
    /// Marks its dispatches as replays. Detached and background hooks, and hooks with
    /// [`OnReplay::Skip`](crate::hook::OnReplay::Skip), are skipped, and the record shows this.
    replay: bool,
    /// Marks the jobs of background hooks, as returned by [`HookSet::jobs`](crate::HookSet::jobs), as already queued.
    /// Dispatches record them as queued and do not pass them to the registry's sink.
    queued_jobs: bool,
    /// The token that cancels the turn. When it is cancelled, a dispatch drops the hooks that are waiting. Plain
    /// functions, and futures that are ready at once, still run: kinds such as `turn_end` must run after a cancellation
    /// too.
    cancellation: CancellationToken => Some,
});

debug_of!(HookContextBuilder, self => { ids: self.0.ids });
