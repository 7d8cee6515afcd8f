//! Nesting of dispatches. A hook may fire other hooks, but only to a limited depth.
//!
//! The active kinds are tracked per thread and not in the context, because a hook may fire with any context. A future
//! enters when it is polled and leaves when that poll returns. Dispatches that take turns on one thread therefore do
//! not count for each other, and a dropped one leaves nothing behind.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Context;

/// The default limit for nested dispatches.
pub(crate) const DEFAULT_LIMIT: usize = 8;

/// The highest limit that can be set: nested sync hooks share one stack.
pub(crate) const MOST: usize = 64;

struct Dispatches {
    depth: Cell<usize>,
    kinds: [Cell<&'static str>; MOST],
}

thread_local! {
    static DISPATCHES: Dispatches = const { Dispatches { depth: Cell::new(0), kinds: [const { Cell::new("") }; MOST] } };
}

/// Counts one more active dispatch on this thread until it is dropped.
pub(crate) struct DepthGuard {
    outside: usize,
}

#[inline]
pub(crate) fn enter(kind: &'static str) -> DepthGuard {
    DISPATCHES.with(|dispatches| {
        let outside = dispatches.depth.get();
        if let Some(place) = dispatches.kinds.get(outside) {
            place.set(kind);
        }
        dispatches.depth.set(outside + 1);
        DepthGuard { outside }
    })
}

impl DepthGuard {
    /// The current nesting depth, including this dispatch.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.outside + 1
    }
}

impl Drop for DepthGuard {
    #[inline]
    fn drop(&mut self) {
        DISPATCHES.with(|dispatches| dispatches.depth.set(self.outside));
    }
}

/// The nesting depth on this thread; 0 outside of any dispatch.
#[inline]
pub(crate) fn depth() -> usize {
    DISPATCHES.with(|dispatches| dispatches.depth.get())
}

/// The active kinds on this thread, outermost first.
pub(crate) fn kinds() -> Vec<&'static str> {
    DISPATCHES.with(|dispatches| dispatches.kinds.iter().take(dispatches.depth.get()).map(Cell::get).collect())
}

/// Wraps a future so that it counts as nested in the current dispatches, wherever it is polled.
///
/// The depth of a spawned task starts at 0, so nothing limits hooks that spawn tasks that fire hooks that spawn tasks.
/// Use this function in a hook that has to spawn, and the limit still applies.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// #[hook(id = "notify_later", kind = after_create_message)]
/// fn notify_later() {
///     let work = hook_sdk::context::within_this(async { /* fires other hooks */ });
///     # drop(work); async fn _spawned() {
///     # let work = async {};
///     tokio::spawn(work);
///     # }
/// }
/// ```
pub fn within_this<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let kinds = kinds();
    async move {
        let mut future = pin!(future);
        let poll = |task: &mut Context<'_>| {
            // If it is polled deeper than where it was made, the current dispatches count.
            let _guard = (kinds.len() > depth()).then(|| KindsGuard::to(&kinds));
            future.as_mut().poll(task)
        };
        poll_fn(poll).await
    }
}

/// Runs `run` on another thread as if it were nested in the dispatches `kinds`.
pub(crate) fn within<R>(kinds: &[&'static str], run: impl FnOnce() -> R) -> R {
    let _guard = KindsGuard::to(kinds);
    run()
}

/// Replaces the active kinds of this thread; restores them when dropped.
struct KindsGuard {
    here: Vec<&'static str>,
}

impl KindsGuard {
    fn to(elsewhere: &[&'static str]) -> Self {
        let here = kinds();
        set_kinds(elsewhere);
        Self { here }
    }
}

impl Drop for KindsGuard {
    fn drop(&mut self) {
        set_kinds(&self.here);
    }
}

fn set_kinds(kinds: &[&'static str]) {
    DISPATCHES.with(|dispatches| {
        dispatches.kinds.iter().zip(kinds).for_each(|(place, kind)| place.set(kind));
        dispatches.depth.set(kinds.len());
    });
}
