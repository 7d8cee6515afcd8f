//! Not public API. Generated code uses this module. The module's name contains the version of the crate, and
//! `hooks-macros` emits the name with its own version. A crate that uses the module by hand therefore stops compiling
//! with the next version.

pub use std::borrow::Cow;
pub use std::boxed::Box;
pub use std::clone::Clone;
pub use std::convert::From;
pub use std::default::Default;
pub use std::option::Option;
pub use std::primitive::{bool, str};
pub use std::result::Result;
pub use std::sync::Arc;
pub use std::time::Duration;

pub use hooks_macros::__expand as expand;
pub use inventory;

pub use crate::context::HookContext;
pub use crate::data::Violation;
pub use crate::failure::OnFailure;
pub use crate::fires::Fires;
pub use crate::handler as form;
pub use crate::handler::{AnswerFuture, Call, effect_of};
pub use crate::hook::Hook;
pub use crate::hook::binding::{Binding, CloneEvent};
pub use crate::hook::registration::LinkedHook;
pub use crate::id::HookId;
pub use crate::kind::{
    Allowed, Field, FieldText, HookKind, InTurn, JsonType, KindDescriptor, KindType, LinkedKind, Never, NoEq, NoJson,
    OwnedEvent, Slot, SubjectType, VerdictType, Wire, kind_name, semantics,
};
pub use crate::kinds;
pub use crate::options::{Hold, HookMode, OnReplay, Options, RunMode, Timeout, Visibility};
pub use crate::plugin::{LibraryEntry, PluginEntry};
pub use crate::scope::HookRef;
pub use crate::signature::decision::{
    CanDecide, Decides, DecidesNothing, FailsByHalt, FailsPlainly, Lent, RequireDecision, Unnamed, requires_decision,
};
pub use crate::signature::parameters::{AnyParameter, Need};
pub use crate::signature::{
    ContextParameter, DetachedError, ErrorAt, Fails, FallbackFunction, FallbackFuture, FallbackOf, FallbackParameters,
    FallbackTakes, GroupEntry, HookGroup, Of, ReadParameter, ReturnsDetached, ReturnsSubject, ReturnsVerdict,
    SubjectParameter,
};
pub use crate::source::{Origin, type_of};
pub use crate::verdict::rule::{
    AnyOf, Attributed, Compares, Complete, Completes, Intersects, Joins, Keeps, Refusal, semantics_of,
};
pub use crate::verdict::{Attribution, Capabilities, Capability, Denial, Semantics, Verdict};
pub use crate::words::known::{NoWords, Probe};

/// The checks that constants make.
pub mod check {
    pub use crate::signature::checks::*;
}
