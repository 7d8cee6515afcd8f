//! Six hooks in six phases that give an agent a memory.
//!
//! Start with [`hooks`], which is what a developer writes: one function per phase, which uses the contributions of
//! earlier phases. [`store`] contains the notes, [`worker`] runs jobs after the reply, and [`app`] connects everything
//! with the turn loop.

hook_sdk::setup!();

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
