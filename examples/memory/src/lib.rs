//! Six hooks over six phases that make an agent remember.
//!
//! Start with [`hooks`], what a developer writes: one function per phase, each of which goes by what the phases before it
//! contributed. [`store`] keeps the notes, [`worker`] does after the reply what a hook put off, and [`app`] puts all of
//! it behind the turn loop.

hooks_core::setup!();

pub mod app;
pub mod args;
pub mod extract;
pub mod fact;
pub mod hooks;
pub mod model;
pub mod policy;
pub mod run;
pub mod show;
pub mod store;
pub mod tools;
pub mod topics;
pub mod worker;
