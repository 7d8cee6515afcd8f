//! Stores an agent's conversations, background jobs and questions to people in a database: SQLite by default, Postgres for
//! several machines.
//!
//! ```no_run
//! use hooks_store::Store;
//!
//! # async fn open() -> Result<(), hooks_store::OpenError> {
//! let store = Store::open("desk.db").await?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Store`] is a [`MessageStore`](hooks_agent::store::MessageStore) for the loop of `hooks-agent`, and a
//! [`BackgroundSink`](hook_sdk::detached::BackgroundSink) for any registry. The chapter on durability in the book
//! lists the guarantees after a crash.

mod clock;
mod ids;
mod options;
mod dialect;
mod error;
mod address;
mod schema;
mod connect;
mod runtime;
mod database;
mod store;
mod heartbeat;
mod jobs;
mod leases;
mod questions;
mod conversations;
mod transcript;
mod dispatches;
mod clean;
mod sink;
mod worker;

pub use clean::{Cleaned, Cleaning};
pub use conversations::{ExportedRow, ExportedRows};
pub use dispatches::{DispatchFilter, DispatchLog, StoredDispatch};
pub use error::OpenError;
pub use jobs::{JobFilter, JobStatus, QueueStats, StoredAttempt, StoredJob};
pub use options::{OpenOptions, Synchronous};
pub use questions::{AnswerError, StoredApprover, StoredQuestion};
pub use sink::JobQueue;
pub use store::{SchemaVersion, Store};
pub use transcript::{Transcript, TranscriptMessage};
pub use worker::JobWorker;
