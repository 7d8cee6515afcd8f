//! Not public API. Used by generated code; changes in any version.

pub use std::any::TypeId;
pub use std::borrow::Cow;
pub use std::boxed::Box;
pub use std::option::Option;
pub use std::primitive::{bool, str};
pub use std::result::Result;
pub use std::time::Duration;

pub use hooks_macros::{__fires as fires, __list as list, __nothing as nothing};
pub use inventory;

pub use crate::dispatch::fire_json;
pub use crate::fires::Fires;
pub use crate::hook as form;
pub use crate::hook::{
    Answer, BoxFuture, Call, Effect, Fallback, Filters, HookId, Ids, KindInfo, OnFailure, Options, Origin, Timeout,
};
pub use crate::itself::{FieldText, JsonType, KindType, SubjectType, VerdictType};
pub use crate::kind::{Allowed, Field, HookKind, KindEntry, Never, Removable, Slot};
pub use crate::param::{Beside, Fails, InTurn, Of, Read, ReturnsSubject, ReturnsVerdict, Rewrite};
pub use crate::scope::HookRef;
pub use crate::with::{Asks, AsksNothing, WithSpec, first};
pub use crate::{HookContext, Semantics, Violation, compile_time as check, kinds};

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
}

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
    Options { priority, after, before, requires, timeout, on_failure }
}

/// What an async hook with `&mut` comes to: the subject it was lent, and its answer.
///
/// # Errors
/// Its failure, or a halt in the place of an error.
pub fn effect_of<S, V: From<()>>(subject: S, answer: Answer<V>) -> Answer<Effect<S, V>> {
    use crate::hook::FaultKind;

    match answer {
        Ok(verdict) => Ok(Effect { subject: Some(subject), verdict, halt: None }),
        Err(fault) => match *fault.0 {
            FaultKind::HaltAndKeep(halt) => {
                Ok(Effect { subject: Some(subject), verdict: ().into(), halt: Some(Box::new(halt)) })
            }
            other => Err(crate::hook::Fault(Box::new(other))),
        },
    }
}
