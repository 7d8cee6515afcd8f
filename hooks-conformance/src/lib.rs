//! A test for loops that fire the hooks of [`hook_sdk`]: does the loop act on everything that hooks return?
//!
//! A harness declares with [`fires!`](hook_sdk::fires) which kinds it fires. [`check_turns`] runs turns of a loop in a
//! [`World`] that notes what the loop does. [`check`] makes a harness fire each kind through a driver, a type with
//! [`Drive`]: for kinds of an app, and for those outside of turns.
//!
//! [`check_jobs`] checks an engine that runs background jobs, such as an implementation of
//! [`JobSource`](hook_sdk::worker::JobSource).
//!
//! [`check_stream`] finds hooks that show a text in pieces otherwise than the whole.
//!
//! Use it as a dev-dependency, in a test binary of its own: a declaration applies to a whole binary.

mod drive;
mod probes;
mod check;
mod world;
mod expect;
mod cases;
mod turns;
mod jobs;
mod stream;

pub use check::{NotConforming, check};
pub use drive::Drive;
pub use jobs::{JobBreaches, JobEngine, check_jobs};
pub use stream::{StreamBreach, check_stream};
pub use turns::{AgentLoop, check_turns, sentences};
pub use world::World;
