//! What an app's own parts of the loop are held to.

mod store;

pub use store::{StoreBreaches, hold_store};
