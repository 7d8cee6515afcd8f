//! Tests for hooks: run one or a few hooks as a dispatch runs them, and check what each did.
//!
//! An annotated function stays a function, so a test can call it. A direct call does not show how the hook behaves in a
//! dispatch: its filter, its timeout, its `on_failure`, and which changes are dropped. [`run`] does:
//!
//! ```
//! use hook_sdk::kinds::*;
//! use hook_sdk::data::Role;
//! use hook_sdk::prelude::*;
//! use hook_sdk::testing;
//!
//! #[hook(id = "mask_addresses", kind = before_create_message, on_failure = required)]
//! fn mask_addresses(row: &mut Message) {
//!     row.rewrite_text(|text| text.contains('@').then(|| "[email]".to_owned()));
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let row = Message::new(Role::User, "ada@example.com");
//! let ran = testing::run_blocking(hooks![mask_addresses], &BeforeCreateMessage::new(), row)?;
//! ran.expect_changed("mask_addresses");
//! assert_eq!(ran.subject.text(), "[email]");
//! # Ok(())
//! # }
//! ```
//!
//! Use [`run`] for async hooks. Under `#[tokio::test(start_paused = true)]`, timeouts elapse immediately. To set app
//! state and the ids of the turn, use a [`Trial`].

mod detached;
mod expect;
mod outcome;
mod snapshot;
mod trial;

pub use outcome::TrialOutcome;
pub use snapshot::assert_manifest;
pub use trial::{Trial, TrialHook};

use crate::diagnostics::ConfigError;
use crate::dispatch::DispatchError;
use crate::kind::HookKind;
use crate::tables::debug_as_display;
use crate::worker::JobError;

/// Why a trial has no result.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The hooks cannot be in one scope.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The dispatch has no outcome: for example, a required hook failed or the turn was cancelled.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The job of a background hook could not be parsed again.
    #[error(transparent)]
    Job(#[from] JobError),
    /// There are no hooks, or one does not run at the fired kind, so the test would test nothing.
    #[error("{0}")]
    TestsNothing(String),
}

debug_as_display!(TrialError);

/// Fires `event` with `hooks` in force. Without other constraints they run in the given order.
///
/// `hooks` is a `hooks![…]`, or values such as `[Hook::at::<K>("id").reader(…)]`.
///
/// # Errors
/// [`TrialError`] if the hooks cannot be in one scope, if one of them does not run at `K`, or if the dispatch has no
/// outcome.
pub async fn run<K: HookKind>(
    hooks: impl IntoIterator<Item = impl Into<TrialHook>>,
    event: &K,
    subject: K::Subject,
) -> Result<TrialOutcome<K>, TrialError> {
    Trial::of(hooks).run(event, subject).await
}

/// Like [`run`], but without a runtime: every hook must be a plain function.
///
/// # Errors
/// The same as those of [`run`].
pub fn run_blocking<K: HookKind>(
    hooks: impl IntoIterator<Item = impl Into<TrialHook>>,
    event: &K,
    subject: K::Subject,
) -> Result<TrialOutcome<K>, TrialError> {
    Trial::of(hooks).run_blocking(event, subject)
}
