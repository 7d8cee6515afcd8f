//! For authors of hooks: run one hook, or a few, as a dispatch runs them, and look at what each did.
//!
//! An annotated function stays a function, so a test may call it. What a call does not show is what the hook is in a
//! dispatch: its filter, its deadline, what its failure comes to, what is dropped with it. [`run`] shows that:
//!
//! ```
//! use hooks_core::kinds::*;
//! use hooks_core::prelude::*;
//! use hooks_core::testing;
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
//! Hooks that wait use [`run`]; under `#[tokio::test(start_paused = true)]` their deadlines pass at once. State of the
//! app and the ids of the turn are put into a [`Trial`].

mod breach;
mod conformance;
mod detached;
mod error;
mod expect;
mod probes;
mod ran;
mod snapshot;
mod trial;

pub use breach::NotConforming;
pub use conformance::{Drive, conformance};
pub use error::TrialError;
pub use ran::Ran;
pub use snapshot::assert_manifest;
pub use trial::{Trial, Tried};

use crate::kind::HookKind;

/// Fires `event` with `hooks` in force, in the order in which they are given where nothing else orders them.
///
/// `hooks` is a `hooks![…]`, or values as in `[Hook::at::<K>("id").reader(…)]`.
///
/// # Errors
/// [`TrialError`]: the hooks cannot be in one scope, one of them does not run at `K`, or the dispatch has no outcome.
pub async fn run<K: HookKind>(
    hooks: impl IntoIterator<Item = impl Into<Tried>>,
    event: &K,
    subject: K::Subject,
) -> Result<Ran<K>, TrialError> {
    Trial::of(hooks).run(event, subject).await
}

/// As [`run`], without a runtime: every hook must be a plain function.
///
/// # Errors
/// As [`run`].
pub fn run_blocking<K: HookKind>(
    hooks: impl IntoIterator<Item = impl Into<Tried>>,
    event: &K,
    subject: K::Subject,
) -> Result<Ran<K>, TrialError> {
    Trial::of(hooks).run_blocking(event, subject)
}
