//! A test for loops that fire the hooks of [`hook_sdk`]: does the loop act on everything that hooks return?
//!
//! A harness declares with [`fires!`](hook_sdk::fires) which kinds it fires. [`check`] makes it fire each of them through a
//! driver, a type with [`Drive`], and reports every way in which the harness does less than it declares.
//!
//! Use it as a dev-dependency, in a test binary of its own: a declaration applies to a whole binary.

mod drive;
mod error;
mod occurrence;
mod probes;
mod check;

pub use check::check;
pub use drive::Drive;
pub use error::NotConforming;
