//! A hook at one kind, with the kind's type erased until a set is made.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{Handler, Hook, OnFailure, Options};
use crate::HookContext;
use crate::background::{Job, Outside};
use crate::context::OfHook;
use crate::dispatch::{ApartRun, Unreadable, blocking, read_job, with_fallback};
use crate::kind::{HookKind, Semantics, Slot};
use crate::plan::Plan;
use crate::private::{BindingSpec, Own};
use crate::verdict::{Capabilities, Verdict};

/// What is known of a kind without its type.
#[derive(Clone, Copy)]
pub struct KindInfo {
    pub(crate) name: &'static str,
    pub(crate) semantics: Semantics,
    pub(crate) removable: bool,
    pub(crate) outside_turn: bool,
    pub(crate) on_failure: OnFailure,
    /// What its hooks may contribute.
    pub(crate) capabilities: Capabilities,
    /// The names of the fields that a hook may filter by.
    pub(crate) fields: fn() -> Vec<&'static str>,
    pub(crate) event: fn() -> TypeId,
    /// The path of the event's type, for messages that say what to write.
    pub(crate) path: fn() -> &'static str,
    pub(crate) slot: fn() -> &'static Slot,
    pub(crate) form: fn(&dyn Any) -> Option<Form>,
    pub(crate) wire: bool,
    /// Makes a run of a background job.
    pub(crate) read_job: fn(&Hook, &Binding, HookContext, &Job) -> Result<ApartRun, Unreadable>,
    /// The handler on the pool of threads for code that computes for long, with its own event.
    blocking: fn(&ErasedHandler, &ErasedHandler) -> Option<ErasedHandler>,
    /// Makes the typed plan from its parts in their order.
    pub(crate) build: fn(&[StepParts<'_>]) -> Box<dyn Any + Send + Sync>,
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
            capabilities: Capabilities::of(<K::Verdict as Verdict>::CAPABILITIES),
            fields: || K::FIELDS.iter().map(|field| field.name).collect(),
            event: TypeId::of::<K>,
            path: std::any::type_name::<K>,
            slot: K::slot,
            form: |handler| handler.downcast_ref::<Handler<K>>().map(Form::of),
            wire: K::WIRE.is_some(),
            read_job: read_job::<K>,
            blocking: |handler, own| {
                let handler = blocking(handler.get::<Handler<K>>()?.clone(), *own.get::<Own<K>>()?);
                Some(ErasedHandler::Shared(Arc::new(handler)))
            },
            build: |parts| Box::new(Plan::<K>::build(parts)),
        }
    }
}

impl KindInfo {
    /// Whether a hook of the kind may have this policy.
    pub(crate) fn offers(&self, policy: OnFailure) -> bool {
        match policy {
            OnFailure::Deny => self.semantics == Semantics::Gate,
            OnFailure::Remove => self.removable,
            OnFailure::Continue | OnFailure::Required => true,
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
    /// What its context holds for it alone.
    pub(crate) own: Option<Arc<OfHook>>,
    /// What the operator's overrides changed of it.
    pub(crate) overridden: Option<&'a str>,
    /// The parameters that a list gives it, as the list has them.
    pub(crate) given: Option<&'a Value>,
    /// What the registry has for runs that nobody waits for.
    pub(crate) outside: &'a Outside,
}

/// How a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) writes: bool,
    pub(crate) is_async: bool,
    /// The constructor of a value in this form.
    name: &'static str,
    /// Whether nobody waits for it.
    pub(crate) apart: bool,
}

impl Form {
    fn of<K: HookKind>(handler: &Handler<K>) -> Self {
        let (writes, is_async, apart, name) = match handler {
            Handler::Read(_) => (false, false, false, "reader"),
            Handler::Lend(_) => (true, false, false, "writer"),
            Handler::Own(_) => (true, false, false, "replacer"),
            Handler::ReadAsync(_) => (false, true, false, "async_reader"),
            Handler::OwnAsync(_) => (true, true, false, "async_replacer"),
            Handler::Apart(_) => (false, false, true, "detached"),
        };
        Self { writes, is_async, name, apart }
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
    /// What answers where the hook failed, or what is wrong with it, which the registry tells.
    fallback: Option<Result<Joined, String>>,
    /// What makes one of a hook and its fallback, for one that is made as a value.
    join: Option<&'static (dyn Any + Send + Sync)>,
    pub(crate) form: Form,
    /// Whether the signature can say more than nothing.
    pub(crate) decides: bool,
    pub(crate) filters: Vec<Only>,
    /// Gives the hook an event of its own, where it needs one.
    own: Option<ErasedHandler>,
    /// Whether a hook that runs apart takes the subject.
    pub(crate) takes_subject: bool,
}

/// A fallback and what makes one of a hook and it.
#[derive(Clone)]
struct Joined {
    handler: ErasedHandler,
    join: &'static (dyn Any + Send + Sync),
}

impl From<Fallback> for Joined {
    fn from(Fallback { handler, join }: Fallback) -> Self {
        Self { handler: ErasedHandler::Static(handler), join }
    }
}

#[derive(Clone)]
enum ErasedHandler {
    Static(&'static (dyn Any + Send + Sync)),
    Shared(Arc<dyn Any + Send + Sync>),
}

impl ErasedHandler {
    fn get<T: 'static>(&self) -> Option<&T> {
        match self {
            Self::Static(handler) => handler.downcast_ref(),
            Self::Shared(handler) => handler.downcast_ref(),
        }
    }
}

impl Binding {
    pub(crate) fn fixed(spec: &BindingSpec, options: &Options) -> Option<Self> {
        let kind = *(spec.kind)();
        let only = |&(field, patterns): &(usize, &'static str)| Only { field: Ok(field), patterns: patterns.into() };
        let mut binding = Self {
            kind,
            handler: ErasedHandler::Static(spec.handler),
            fallback: spec.fallback.map(|fallback| Ok(fallback.into())),
            join: spec.fallback.map(|fallback| fallback.join),
            form: (kind.form)(spec.handler)?,
            decides: spec.decides,
            filters: spec.filters.iter().map(only).collect(),
            own: spec.own.map(ErasedHandler::Static),
            takes_subject: spec.takes_subject,
        };
        if let (true, false, Some(own)) = (options.blocking, binding.form.apart, &binding.own) {
            binding.handler = (kind.blocking)(&binding.handler, own)?;
            if let Some(Ok(fallback)) = &mut binding.fallback {
                fallback.handler = (kind.blocking)(&fallback.handler, own)?;
            }
            binding.form.is_async = true;
        }
        Some(binding)
    }

    pub(crate) fn shared<K: HookKind>(handler: Handler<K>, decides: bool) -> Self {
        let form = Form::of(&handler);
        let handler = ErasedHandler::Shared(Arc::new(handler));
        Self {
            kind: *K::info(),
            handler,
            fallback: None,
            join: Some(&Joins::<K>::JOIN),
            form,
            decides,
            filters: Vec::new(),
            own: None,
            takes_subject: form.apart,
        }
    }

    /// Gives the hook an event of its own.
    pub(crate) fn owning<K: HookKind>(mut self, own: Own<K>) -> Self {
        self.own = Some(ErasedHandler::Shared(Arc::new(own)));
        self
    }

    /// What gives the hook an event of its own.
    pub(crate) fn own<K: HookKind>(&self) -> Option<Own<K>> {
        self.own.as_ref()?.get().copied()
    }

    /// What is done when the hook fails. Nothing can be, where nobody waits for it.
    pub(crate) fn policy(&self, options: &Options) -> OnFailure {
        let policy = options.on_failure.unwrap_or(self.kind.on_failure);
        if self.form.apart { OnFailure::Continue } else { policy }
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

    /// Has another hook's function answer where this one failed.
    pub(crate) fn fall_back(&mut self, other: &Hook) {
        let fitting = other.bindings.iter().find(|other| (other.kind.event)() == (self.kind.event)());
        self.fallback = Some(match fitting {
            Some(other) if other.form == self.form => match self.join {
                Some(join) => Ok(Joined { handler: other.handler.clone(), join }),
                None => Err("is for hooks that are made as values; write `fallback = …` in the attribute".to_owned()),
            },
            Some(other) => {
                Err(format!("is a `{}`, and has to be a `{}` like the hook itself", other.form.name, self.form.name))
            }
            None => {
                Err(format!("runs at {}, and has to run at `{}` like the hook itself", kinds_of(other), self.kind.name))
            }
        });
    }

    /// What is wrong with the fallback.
    pub(crate) fn bad_fallback(&self) -> Option<&str> {
        self.fallback.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// What answers where the hook failed, and what makes one of the two.
    pub(crate) fn fallback<K: HookKind>(&self) -> Option<(&Handler<K>, Join<K>)> {
        let Joined { handler, join } = self.fallback.as_ref()?.as_ref().ok()?;
        Some((handler.get()?, *join.downcast_ref()?))
    }

    /// The handler, if the binding is one of `K`.
    pub(crate) fn handler<K: HookKind>(&self) -> Option<&Handler<K>> {
        self.handler.get()
    }
}

fn kinds_of(hook: &Hook) -> String {
    hook.kinds().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
}
