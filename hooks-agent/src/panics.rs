//! Panics of the app's code.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a panic says. What it carries is code of the app too, and may panic in its `Drop`.
pub(crate) fn message(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(second);
    }
    text.unwrap_or_else(|| "it does not say why".to_owned())
}
