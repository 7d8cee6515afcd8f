//! State that hooks share: of the app, of a conversation, of a turn.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use crate::panics::lock;
use crate::tables::debug_of;

/// Type-erased values by their types.
pub(super) type States = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// State of the app. A hook takes it as `&State<T>`, and the app puts it into the context.
///
/// [`HookSet::context`](crate::HookSet::context) and [`Registry::check`](crate::Registry::check) report the states that
/// hooks take and nobody set. A hook that is called without one fails.
///
/// ```standalone_crate
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// struct Limits {
///     refund: u64,
/// }
///
/// #[hook(kind = before_tool_call, tool = "refund")]
/// fn refund_limit(input: &ToolInput, limits: &State<Limits>) -> Permission {
///     match input["cents"].as_u64() {
///         Some(cents) if cents <= limits.refund => Permission::Allow,
///         _ => Permission::deny("too much"),
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hooks = Registry::discover()?.scope(&AgentDef::new("support").hooks(hooks![refund_limit]), None)?;
/// let error = hooks.context(HookContext::builder()).unwrap_err();
/// assert!(error.to_string().contains(") takes `&State<"));
/// let cx = hooks.context(HookContext::builder().state(Limits { refund: 200 }))?;
/// # let _ = cx;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct State<T>(Arc<T>);

impl<T> State<T> {
    /// Wraps a value, for a test that calls the function directly.
    pub fn new(state: T) -> Self {
        Self(Arc::new(state))
    }
}

impl<T> From<Arc<T>> for State<T> {
    fn from(state: Arc<T>) -> Self {
        Self(state)
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The type of a state or of parameters that a hook takes.
#[derive(Clone, Copy, Debug)]
pub struct TypeSpec {
    pub(super) id: fn() -> TypeId,
    name: fn() -> &'static str,
}

impl TypeSpec {
    pub(crate) const fn of<T: Send + Sync + 'static>() -> Self {
        Self { id: TypeId::of::<T>, name: type_name::<T> }
    }
}

impl PartialEq for TypeSpec {
    fn eq(&self, other: &Self) -> bool {
        (self.id)() == (other.id)()
    }
}

impl fmt::Display for TypeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.name)())
    }
}

/// The context holds no state of the type that a hook asked for.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the context holds no state of type `{wanted}`; {remedy}")]
#[non_exhaustive]
pub struct MissingState {
    /// The type's name.
    pub wanted: &'static str,
    remedy: &'static str,
}

crate::tables::debug_as_display!(MissingState);

/// What to do about a state of the app.
pub(crate) const OF_APP: &str =
    "put it there with `HookContext::builder().state(…)`, or with `.shared_state(…)` if it is in an `Arc`";
pub(super) const NO_STORE: &str = "build the context with `hooks.context(…)`, or with `.conversation_states(registry.conversation_states())`, which keep it between turns";
pub(super) const NO_CONVERSATION: &str = "set the id of the conversation with `HookContext::builder().conversation(…)`";
pub(super) const NO_TURN: &str = "set the number of the turn with `HookContext::builder().turn(…)`";
const ENDED: &str = "its turn has ended; the number of a turn grows from turn to turn";

impl MissingState {
    pub(super) fn of<T>(remedy: &'static str) -> Self {
        Self { wanted: type_name::<T>(), remedy }
    }
}

/// The states that hooks keep for each conversation and turn. A registry [has one](crate::Registry::conversation_states).
///
/// The state of a turn ends with [`end_turn`](Self::end_turn), at the latest with the first state of the next turn; that
/// of a conversation ends with [`end`](Self::end). `hooks-agent` calls both. At most 10,000 conversations are
/// remembered; the one that was used least recently is forgotten first.
#[derive(Default)]
pub struct ConversationStates(Mutex<Known>);

#[derive(Default)]
struct Known {
    conversations: HashMap<Arc<str>, Kept>,
    /// Grows with each use.
    clock: u64,
}

#[derive(Default)]
struct Kept {
    used: u64,
    states: States,
    /// The latest turn with a state.
    turn: u64,
    has_ended: bool,
    of_turn: States,
}

const MOST: usize = 10_000;

impl ConversationStates {
    /// The state of a conversation, or of one of its turns.
    pub(super) fn get<T: Default + Send + Sync + 'static>(
        &self,
        conversation: &Arc<str>,
        turn: Option<u64>,
    ) -> Result<Arc<T>, MissingState> {
        // What it replaces is app code when dropped, as is its default: both outside of the lock.
        let (mut fresh, mut dropped) = (None::<Arc<T>>, (None, States::new()));
        loop {
            let mut known = lock(&self.0);
            known.clock += 1;
            let now = known.clock;
            if known.conversations.len() >= MOST && !known.conversations.contains_key(conversation) {
                let oldest = known.conversations.iter().min_by_key(|(_, kept)| kept.used).map(|(id, _)| id.clone());
                dropped.0 = oldest.and_then(|id| known.conversations.remove(&id));
            }
            let kept = known.conversations.entry(Arc::clone(conversation)).or_default();
            kept.used = now;
            let states = match turn {
                None => &mut kept.states,
                Some(turn) if turn < kept.turn || (turn == kept.turn && kept.has_ended) => {
                    return Err(MissingState::of::<T>(ENDED));
                }
                Some(turn) => {
                    if turn > kept.turn {
                        (kept.turn, kept.has_ended) = (turn, false);
                        dropped.1 = std::mem::take(&mut kept.of_turn);
                    }
                    &mut kept.of_turn
                }
            };
            let state = states.get(&TypeId::of::<T>()).map(Arc::clone);
            if let (None, Some(fresh)) = (&state, &fresh) {
                states.insert(TypeId::of::<T>(), Arc::clone(fresh) as _);
                return Ok(Arc::clone(fresh));
            }
            drop(known);
            match state {
                Some(state) => return state.downcast().map_err(|_| MissingState::of::<T>(OF_APP)),
                None => fresh = Some(Arc::default()),
            }
        }
    }

    /// Ends a conversation: its states are dropped.
    pub fn end(&self, conversation: &str) {
        let ended = lock(&self.0).conversations.remove(conversation);
        drop(ended);
    }

    /// Ends a turn: its states are dropped, and a hook that is still running gets none.
    pub fn end_turn(&self, conversation: &str, turn: u64) {
        let mut known = lock(&self.0);
        let kept = known.conversations.get_mut(conversation).filter(|kept| kept.turn <= turn);
        let ended = kept.map(|kept| {
            (kept.turn, kept.has_ended) = (turn, true);
            std::mem::take(&mut kept.of_turn)
        });
        drop(known);
        drop(ended);
    }
}

debug_of!(ConversationStates, self => {});
