//! A crate root that brings in everything, its own names among them, some of them twice: the generated code looks into the
//! root for one name only, and takes nothing else from there.
#![allow(clippy::unwrap_used)] // helpers of tests say what they expect by unwrapping
#![allow(clippy::wildcard_imports, unused_imports, dead_code, ambiguous_glob_reexports)] // the point
#![allow(clippy::unnecessary_wraps)] // a form as any other

pub use hooks_core::data::*;
pub use hooks_core::kinds::*;
pub use hooks_core::prelude::*;
pub use hooks_core::verdict::*;
pub use hooks_core::*;
pub use one::*;
pub use other::*;
pub use std::borrow::*;
pub use std::collections::*;
pub use std::fmt::*;

::hooks_core::setup!();

/// What an app calls its things, in a module whose names the root takes over.
pub mod one {
    #![allow(missing_docs, non_camel_case_types, missing_debug_implementations)]

    pub struct K;
    pub struct H;
    pub struct Via;
    pub struct Of;
    pub struct Call;
    pub struct Read;
    pub struct Lend;
    pub struct Effect;
    pub struct Origin;
    pub struct Duration;
    pub struct Vec;
    pub struct u32;
    pub struct bool;
    pub struct str;
    pub struct i32;
    pub fn call() {}
    pub fn options() {}
    pub fn first() {}
    pub fn kind() {}
    pub fn drop() {}
}

/// The same names once more: whoever names one of them, meets an ambiguity.
pub mod other {
    #![allow(missing_docs, non_camel_case_types, missing_debug_implementations)]

    pub struct K;
    pub struct H;
    pub struct Option;
    pub struct Result;
    pub struct HookSpec;
    pub struct BindingSpec;
    pub mod core {}
    pub mod alloc {}
    pub mod private {}
    pub fn call() {}
    pub fn options() {}
}

/// A parcel leaves the house.
#[derive(::core::fmt::Debug, ::hooks_core::HookKind)]
#[hook_kind(name = "parcel_leaves", subject = ::std::string::String, verdict = ::hooks_core::verdict::Permission, match(town))]
pub struct ParcelLeaves {
    /// Where to.
    pub town: ::std::string::String,
}

::hooks_core::fires![ParcelLeaves];

#[::hooks_core::hook(id = "stamp", kind = ParcelLeaves, town = "*", priority = -1, before = ["weigh"], fallback = unstamped)]
fn stamp(
    cx: &::hooks_core::HookContext,
    text: &mut ::std::string::String,
) -> ::core::result::Result<(), ::std::string::String> {
    let _ = cx;
    text.push('!');
    ::core::result::Result::Ok(())
}

fn unstamped(
    _cx: &::hooks_core::HookContext,
    _text: &mut ::std::string::String,
) -> ::core::result::Result<(), ::std::string::String> {
    ::core::result::Result::Ok(())
}

#[::hooks_core::hook(id = "weigh", kind = [ParcelLeaves, turn_end], timeout = "1s", on_failure = continue)]
async fn weigh() {}

#[test]
fn what_the_root_brings_in_is_not_taken_for_ours() {
    let listed = ::hooks_core::hooks![stamp, weigh];
    let registry = ::hooks_core::Registry::empty().with(listed).unwrap();
    let agent = ::hooks_core::scope::AgentDef::new("a").hooks(::hooks_core::hooks![stamp]);
    let set = registry.scope(&agent, ::core::option::Option::None).unwrap();
    let event = ParcelLeaves { town: "Ulm".into() };
    let fired = set.fire_blocking(&::hooks_core::HookContext::new(), &event, "parcel".into()).unwrap();
    assert_eq!(fired.subject, "parcel!");
}
