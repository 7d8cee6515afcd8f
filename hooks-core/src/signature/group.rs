//! Groups: functions that are one hook in lists, plans and records.

use std::any::TypeId;

use crate::source::Origin;

/// The declaration of a group.
#[derive(Debug)]
pub struct GroupEntry {
    pub(crate) id: &'static str,
    /// The lines of its doc comment.
    pub(crate) description: &'static str,
    pub(crate) origin: Origin,
    /// The type of its item, by which `hooks![…]` finds it.
    pub(crate) item: fn() -> TypeId,
}

impl GroupEntry {
    // Not public API. Used by `group!`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(id: &'static str, description: &'static str, origin: Origin, item: fn() -> TypeId) -> Self {
        Self { id, description, origin, item }
    }
}

/// An item that [`group!`](macro@crate::group) declared.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of hooks",
    label = "not declared with `hook_sdk::group!`",
    note = "write `hook_sdk::group! {{ pub mask_pii }}` and `#[hook(group = mask_pii, …)]`"
)]
pub trait HookGroup {
    #[doc(hidden)]
    const ENTRY: &'static GroupEntry;
}
