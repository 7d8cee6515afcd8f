//! Background jobs: a row each, from the moment at which they are due to long after their end.
//!
//! A job is never in two places, which is why there is no other queue beneath: what has become of it decides whether it may
//! start again, and both are written in one transaction.

mod claim;
mod end;
mod insert;
mod lost;
mod people;
mod status;

pub(crate) use claim::{Claimed, claim, is_due};
pub(crate) use end::{End, end};
pub(crate) use insert::insert;
pub(crate) use lost::{Reaper, beat};
pub use people::JobFilter;
pub use status::{JobStatus, StoredAttempt, StoredJob};
