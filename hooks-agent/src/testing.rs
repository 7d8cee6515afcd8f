//! Tests for an app's implementations of the loop's traits.

mod store;

pub use store::{StoreBreaches, hold_store};
