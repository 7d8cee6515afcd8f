//! A crate root that imports everything with globs, and some names twice. The generated code uses only one name from the
//! crate root, so it must compile here.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert
#![allow(clippy::wildcard_imports, unused_imports, dead_code, ambiguous_glob_reexports)] // tested here
#![allow(clippy::unnecessary_wraps)] // the form is valid for a hook

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

/// Names of an app that are also names in the SDK, in a module that the root imports.
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

/// The same names again, so each of them is ambiguous in the root.
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

/// A parcel is sent.
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
fn generated_code_ignores_the_names_in_the_crate_root() {
    let listed = ::hooks_core::hooks![stamp, weigh];
    let registry = ::hooks_core::Registry::empty().with(listed).unwrap();
    let agent = ::hooks_core::scope::AgentDef::new("a").hooks(::hooks_core::hooks![stamp]);
    let set = registry.scope(&agent, ::core::option::Option::None).unwrap();
    let event = ParcelLeaves { town: "Ulm".into() };
    let fired = set.fire_blocking(&::hooks_core::HookContext::new(), &event, "parcel".into()).unwrap();
    assert_eq!(fired.subject, "parcel!");
}
