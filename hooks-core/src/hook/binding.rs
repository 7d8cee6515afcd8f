//! A hook at one kind, with the kind's type erased until a set is made.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::{Handler, Hook, OnFailure};
use crate::dispatch::with_fallback;
use crate::kind::{HookKind, Semantics, Slot};
use crate::plan::Plan;
use crate::with::Bound;

/// What is known of a kind without its type.
#[derive(Clone, Copy)]
pub struct KindInfo {
    pub(crate) name: &'static str,
    pub(crate) semantics: Semantics,
    pub(crate) removable: bool,
    pub(crate) outside_turn: bool,
    pub(crate) on_failure: OnFailure,
    /// The names of the fields that a hook may filter by.
    pub(crate) fields: fn() -> Vec<&'static str>,
    pub(crate) event: fn() -> TypeId,
    /// The path of the event's type, for messages that say what to write.
    pub(crate) path: fn() -> &'static str,
    pub(crate) slot: fn() -> &'static Slot,
    pub(crate) form: fn(&dyn Any) -> Option<Form>,
    /// Makes the typed plan from its parts in their order.
    pub(crate) build: fn(&[StepParts<'_>]) -> Arc<dyn Any + Send + Sync>,
}

impl KindInfo {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<K: HookKind>() -> Self {
        Self {
            name: K::NAME,
            semantics: K::SEMANTICS,
            removable: <K::Removal as crate::kind::Removal<K::Subject>>::ALLOWED,
            outside_turn: K::OUTSIDE_TURN,
            on_failure: K::ON_FAILURE,
            fields: || K::FIELDS.iter().map(|field| field.name).collect(),
            event: TypeId::of::<K>,
            path: std::any::type_name::<K>,
            slot: K::slot,
            form: |handler| handler.downcast_ref::<Handler<K>>().map(Form::of),
            build: |parts| Arc::new(Plan::<K>::build(parts)),
        }
    }
}

impl std::fmt::Debug for KindInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// One step of a plan before it has its kind's type.
pub(crate) struct StepParts<'a> {
    pub(crate) hook: &'a Hook,
    pub(crate) binding: &'a Binding,
    pub(crate) stage: usize,
    /// The parameters that a list gives it.
    pub(crate) with: Option<Bound>,
}

/// How a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) writes: bool,
    pub(crate) is_async: bool,
}

impl Form {
    fn of<K: HookKind>(handler: &Handler<K>) -> Self {
        let (writes, is_async) = match handler {
            Handler::Read(_) => (false, false),
            Handler::Lend(_) | Handler::Own(_) => (true, false),
            Handler::ReadAsync(_) => (false, true),
            Handler::OwnAsync(_) => (true, true),
        };
        Self { writes, is_async }
    }
}

/// Patterns over matchable fields, by the field's index in `HookKind::FIELDS`.
pub type Filters = &'static [(usize, &'static str)];

/// A hook runs only where these patterns match.
#[derive(Clone, Debug)]
pub(crate) struct Only {
    /// The index in `HookKind::FIELDS`, or a name that the kind has no field of, which the registry refuses.
    pub(crate) field: Result<usize, String>,
    pub(crate) patterns: Cow<'static, str>,
}

/// What answers where a hook failed, and how the two become one. The code for that is as large as a plan's, so it is compiled
/// only at the kinds at which a hook has a fallback.
#[derive(Clone, Copy, Debug)]
pub struct Fallback {
    handler: &'static (dyn Any + Send + Sync),
    join: &'static (dyn Any + Send + Sync),
}

impl Fallback {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<K: HookKind>(handler: &'static Handler<K>) -> Self {
        Self { handler, join: &Joins::<K>::JOIN }
    }
}

type Join<K> = fn(Handler<K>, Handler<K>, Option<Duration>) -> Handler<K>;

struct Joins<K>(PhantomData<K>);

impl<K: HookKind> Joins<K> {
    const JOIN: Join<K> = with_fallback::<K>;
}

/// A hook at one kind.
#[derive(Clone)]
pub(crate) struct Binding {
    pub(crate) kind: KindInfo,
    handler: ErasedHandler,
    /// What answers where the hook failed.
    fallback: Option<Fallback>,
    pub(crate) form: Form,
    /// Whether the signature can say more than nothing.
    pub(crate) decides: bool,
    pub(crate) filters: Vec<Only>,
}

#[derive(Clone)]
enum ErasedHandler {
    Static(&'static (dyn Any + Send + Sync)),
    Shared(Arc<dyn Any + Send + Sync>),
}

impl Binding {
    pub(crate) fn fixed(
        kind: KindInfo,
        handler: &'static (dyn Any + Send + Sync),
        fallback: Option<Fallback>,
        decides: bool,
        filters: Filters,
    ) -> Option<Self> {
        let form = (kind.form)(handler)?;
        let only = |&(field, patterns): &(usize, &'static str)| Only { field: Ok(field), patterns: patterns.into() };
        let filters = filters.iter().map(only).collect();
        Some(Self { kind, handler: ErasedHandler::Static(handler), fallback, form, decides, filters })
    }

    pub(crate) fn shared<K: HookKind>(handler: Handler<K>, decides: bool) -> Self {
        let form = Form::of(&handler);
        let handler = ErasedHandler::Shared(Arc::new(handler));
        Self { kind: *K::info(), handler, fallback: None, form, decides, filters: Vec::new() }
    }

    /// Runs only where the field matches one of these patterns.
    pub(crate) fn only(&mut self, field: &str, patterns: &str) {
        let index = (self.kind.fields)().iter().position(|known| *known == field);
        self.filters.push(Only { field: index.ok_or_else(|| field.to_owned()), patterns: patterns.to_owned().into() });
    }

    /// Whether something answers where the hook failed.
    pub(crate) fn has_fallback(&self) -> bool {
        self.fallback.is_some()
    }

    /// What answers where the hook failed, and what makes one of the two.
    pub(crate) fn fallback<K: HookKind>(&self) -> Option<(&'static Handler<K>, Join<K>)> {
        let Fallback { handler, join } = self.fallback?;
        Some((handler.downcast_ref()?, *join.downcast_ref()?))
    }

    /// The handler, if the binding is one of `K`.
    pub(crate) fn handler<K: HookKind>(&self) -> Option<&Handler<K>> {
        match &self.handler {
            ErasedHandler::Static(handler) => handler.downcast_ref(),
            ErasedHandler::Shared(handler) => handler.downcast_ref(),
        }
    }
}
