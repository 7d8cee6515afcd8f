#![allow(clippy::doc_markdown, reason = "JetStream is a name")]
#![doc = include_str!("../README.md")]

mod error;
mod streams;
mod record;
mod queue;
mod buried;
mod source;

pub use buried::BuriedJob;
pub use error::NatsError;
pub use queue::NatsJobs;
pub use source::{NatsClaim, NatsSource};
