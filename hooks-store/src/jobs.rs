//! Background jobs: one row each, from queueing until removal.
//!
//! There is no other queue underneath. The status of a job decides whether it may start again, and status and start are
//! written in one transaction.

mod claim;
mod end;
mod insert;
mod lost;
mod admin;
mod status;

pub use admin::JobFilter;
pub(crate) use claim::{Claimed, Due, Known, Start, claim, is_any_left, is_due};
pub(crate) use end::{End, end};
pub(crate) use insert::insert;
pub(crate) use lost::Reaper;
pub use status::{JobStatus, StoredAttempt, StoredJob};
