//! Not public API. Used by generated code; changes in any version.

pub use std::any::TypeId;
pub use std::borrow::Cow;
pub use std::boxed::Box;
pub use std::convert::From;
pub use std::default::Default;
pub use std::option::Option;
pub use std::primitive::{bool, str};
pub use std::result::Result;
pub use std::time::Duration;

pub use hooks_macros::{__fires as fires, __list as list, __nothing as nothing, __plugin as plugin};
pub use inventory;

pub use crate::fires::Fires;
pub use crate::fold::{
    AnyOf, Attributed, Compares, Complete, Completes, Intersects, Joins, Keeps, Names, Refusal, denial, semantics_of,
};
pub use crate::hook as form;
pub use crate::hook::{
    Answer, Answered, BoxFuture, Call, Effect, Fallback, Filters, HookId, Ids, KindInfo, OnFailure, Options, Origin,
    RunMode, Timeout, Visibility,
};
pub use crate::itself::{FieldText, Json, JsonType, KindType, NoJson, OwnedEvent, SubjectType, VerdictType};
pub use crate::kind::{Allowed, Field, HookKind, KindEntry, Never, Removable, Semantics, Slot, Wire};
pub use crate::param::{
    Beside, ByAnything, BySilence, Fails, FallbackOf, InTurn, Lent, Must, Of, Read, ReturnsApart, ReturnsSubject,
    ReturnsVerdict, Rewrite, Says, SaysSomething, Takes, TakesNothing, Unnamed, must_judge,
};
pub use crate::plugin::PluginEntry;
pub use crate::record::FailureKind;
pub use crate::scope::HookRef;
pub use crate::verdict::{Capability, Verdict};
pub use crate::with::{Asks, AsksNothing, WithSpec, any, first};
pub use crate::{HookContext, Violation, compile_time as check, kinds};

/// A hook as the attribute submits it.
#[derive(Debug)]
pub struct HookSpec {
    pub id: &'static str,
    pub description: &'static str,
    pub origin: Origin,
    /// The type of the function, by which `hooks![…]` knows it.
    pub function: fn() -> TypeId,
    pub options: Options,
    /// How the parameters that a list gives are read.
    pub with: Option<WithSpec>,
    /// The plugin that the attribute names.
    pub plugin: Option<&'static str>,
    pub locked: bool,
    /// Whether one of its parameters is the context.
    pub asks_context: bool,
    pub bindings: &'static [BindingSpec],
}

/// A hook at one kind as the attribute submits it.
pub struct BindingSpec {
    pub kind: fn() -> &'static KindInfo,
    pub handler: &'static (dyn std::any::Any + Send + Sync),
    /// The fallback in the same form.
    pub fallback: Option<Fallback>,
    pub decides: bool,
    pub filters: Filters,
    /// An [`Own`] of the kind, for a hook that needs an event of its own.
    pub own: Option<&'static (dyn std::any::Any + Send + Sync)>,
    /// Whether a hook that runs apart takes the subject.
    pub takes_subject: bool,
}

/// Gives a hook an event of its own.
pub type Own<K> = fn(&K) -> std::sync::Arc<K>;

impl std::fmt::Debug for BindingSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BindingSpec").field("kind", (self.kind)()).finish_non_exhaustive()
    }
}

inventory::collect!(HookSpec);
inventory::collect!(HookRef);
inventory::collect!(Fires);

/// The way to what is known of the kind without its type.
pub const fn kind<K: HookKind>() -> fn() -> &'static KindInfo {
    K::info
}

/// The type of a function, whatever its lifetimes.
pub fn type_of<F: 'static>(_: &F) -> TypeId {
    TypeId::of::<F>()
}

/// Two subjects side by side, compared with `PartialEq` where the type has it: method resolution tries [`ByEq`] first.
pub struct Same<'a, S>(pub &'a S, pub &'a S);

impl<S> std::fmt::Debug for Same<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Same")
    }
}

pub trait ByEq {
    fn same(&self) -> bool;
}

impl<S: PartialEq> ByEq for Same<'_, S> {
    #[inline]
    fn same(&self) -> bool {
        self.0 == self.1
    }
}

pub trait ByNothing {
    fn same(&self) -> bool;
}

impl<S> ByNothing for &Same<'_, S> {
    #[inline]
    fn same(&self) -> bool {
        false
    }
}

/// The semantics of a kind from its verdict and whether it has a subject.
pub const fn semantics<V: crate::verdict::Verdict>(has_subject: bool) -> crate::kind::Semantics {
    match V::SEMANTICS {
        Some(semantics) => semantics,
        None if has_subject => crate::kind::Semantics::Transform,
        None => crate::kind::Semantics::Event,
    }
}

/// The options of a hook as a constant.
pub const fn options(
    priority: i32,
    after: Ids,
    before: Ids,
    requires: Ids,
    timeout: Timeout,
    on_failure: Option<OnFailure>,
) -> Options {
    Options { priority, after, before, requires, timeout, on_failure, ..Options::DEFAULT }
}

/// What an async hook with `&mut` comes to: the subject it was lent, and its answer.
///
/// # Errors
/// Its failure, or a halt in the place of an error.
pub fn effect_of<S: Send + 'static, V>(subject: S, answer: Answer<V>) -> Answer<Effect<S, V>> {
    use crate::hook::{Fault, FaultKind};

    match answer {
        Ok(verdict) => Ok(Effect { subject: Some(subject), verdict }),
        Err(fault) => match *fault.0 {
            FaultKind::HaltAndKeep(halt) => Err(Fault::halt_and_replace(halt, subject)),
            other => Err(Fault(Box::new(other))),
        },
    }
}
