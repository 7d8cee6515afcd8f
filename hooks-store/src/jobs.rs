//! Background jobs: one row each, from queueing until removal.
//!
//! There is no other queue underneath. The status of a job decides whether it may start again, and status and start are
//! written in one transaction.

mod status;
mod insert;
mod claim;
mod end;
mod lost;
mod source;
mod forward;
mod admin;

pub(crate) use admin::DONE;
pub use admin::{JobFilter, QueueStats};
pub(crate) use insert::insert;
pub(crate) use source::StoredJobs;
pub use status::{JobStatus, StoredAttempt, StoredJob};
