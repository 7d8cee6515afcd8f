//! Groups: functions that are one hook in lists, plans and records.

use crate::source::{Item, Origin};

/// The declaration of a group.
#[derive(Debug)]
pub struct GroupEntry {
    /// Its id.
    pub id: &'static str,
    /// The lines of its doc comment.
    pub description: &'static str,
    /// Where it is declared.
    pub origin: Origin,
    /// The type of its item, by which `hooks![…]` finds it.
    pub item: fn() -> Item,
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
