//! A crate root that imports everything with globs, and some names twice. The generated code uses only one name from the
//! crate root, so it must compile here.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert
#![allow(clippy::wildcard_imports, unused_imports, dead_code, ambiguous_glob_reexports)] // tested here
#![allow(clippy::unnecessary_wraps)] // the form is valid for a hook

pub use hook_sdk::data::*;
pub use hook_sdk::kinds::*;
pub use hook_sdk::prelude::*;
pub use hook_sdk::verdict::*;
pub use hook_sdk::*;
pub use one::*;
pub use other::*;
pub use std::borrow::*;
pub use std::collections::*;
pub use std::fmt::*;

::hook_sdk::setup!();

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
#[derive(::core::fmt::Debug, ::hook_sdk::HookKind)]
#[hook_kind(name = "parcel_leaves", subject = ::std::string::String, verdict = ::hook_sdk::verdict::Permission, match(town))]
pub struct ParcelLeaves {
    /// Where to.
    pub town: ::std::string::String,
}

::hook_sdk::fires![ParcelLeaves];

#[::hook_sdk::hook(id = "stamp", kind = ParcelLeaves, town = "*", priority = -1, before = ["weigh"], fallback = unstamped)]
fn stamp(
    cx: &::hook_sdk::HookContext,
    text: &mut ::std::string::String,
) -> ::core::result::Result<(), ::std::string::String> {
    let _ = cx;
    text.push('!');
    ::core::result::Result::Ok(())
}

fn unstamped(
    _cx: &::hook_sdk::HookContext,
    _text: &mut ::std::string::String,
) -> ::core::result::Result<(), ::std::string::String> {
    ::core::result::Result::Ok(())
}

#[::hook_sdk::hook(id = "weigh", kind = [ParcelLeaves, turn_end], timeout = "1s", on_failure = continue)]
async fn weigh() {}

#[test]
fn generated_code_ignores_the_names_in_the_crate_root() {
    let listed = ::hook_sdk::hooks![stamp, weigh];
    let registry = ::hook_sdk::Registry::empty().with(listed).unwrap();
    let agent = ::hook_sdk::scope::AgentDef::new("a").hooks(::hook_sdk::hooks![stamp]);
    let set = registry.scope(&agent, ::core::option::Option::None).unwrap();
    let event = ParcelLeaves { town: "Ulm".into() };
    let fired = set.fire_blocking(&::hook_sdk::HookContext::new(), &event, "parcel".into()).unwrap();
    assert_eq!(fired.subject, "parcel!");
}
