//! Catches panics of hooks.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::text::redacted;

static QUIET: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IN_HOOK: Cell<bool> = const { Cell::new(false) };
}

/// Routes the panic messages of hooks to `tracing` (at error level) instead of standard error. Other panics are printed
/// as before. Calling it again does nothing.
///
/// Panics are isolated without it: it is for programs whose standard error is read by people. With `panic = "abort"`,
/// panics cannot be isolated.
pub fn quiet_panics() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if IN_HOOK.with(Cell::get) {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                tracing::error!(target: "hook_sdk::panic", place, "{}", redacted(text(info.payload())));
            } else {
                others(info);
            }
        }));
        QUIET.store(true, Ordering::Relaxed);
    });
}

/// Runs `hook` and returns the message of a panic as an error.
///
/// State behind `&mut` may be half-changed after a panic, so a hook only ever gets a copy of the subject.
#[inline]
pub(crate) fn catch<T>(hook: impl FnOnce() -> T) -> Result<T, String> {
    // Without `quiet_panics`, this costs one relaxed load.
    let outer = QUIET.load(Ordering::Relaxed).then(|| IN_HOOK.replace(true));
    // The payload is dropped inside, because its panic also counts as the hook's.
    let caught = catch_unwind(AssertUnwindSafe(hook)).map_err(describe);
    // Compiled once for each kind of closure, so it is short.
    if let Some(outer) = outer {
        IN_HOOK.set(outer);
    }
    caught
}

/// The payload's message. The payload itself may panic when it is dropped.
/// Locks, even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cold]
fn describe(payload: Box<dyn Any + Send>) -> String {
    let described = text(&*payload).to_owned();
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Dropping this one could panic again and again, so it is leaked.
        std::mem::forget(second);
    }
    described
}

fn text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}
