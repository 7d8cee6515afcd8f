//! Nesting of dispatches. A hook may fire other hooks, but only to a limited depth.
//!
//! The active kinds are tracked per thread and not in the context, because a hook may fire with any context. A future
//! enters when it is polled and leaves when that poll returns. Dispatches that take turns on one thread therefore do
//! not count for each other, and a dropped one leaves nothing behind.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The default limit for nested dispatches.
pub(crate) const DEFAULT_LIMIT: usize = 8;

/// The highest limit that can be set: nested sync hooks share one stack.
pub(crate) const MOST: usize = 64;

struct UnderWay {
    depth: Cell<usize>,
    kinds: [Cell<&'static str>; MOST],
}

thread_local! {
    static UNDER_WAY: UnderWay = const { UnderWay { depth: Cell::new(0), kinds: [const { Cell::new("") }; MOST] } };
}

/// Counts one more active dispatch on this thread until it is dropped.
pub(crate) struct Entered {
    outside: usize,
}

#[inline]
pub(crate) fn enter(kind: &'static str) -> Entered {
    UNDER_WAY.with(|under_way| {
        let outside = under_way.depth.get();
        if let Some(place) = under_way.kinds.get(outside) {
            place.set(kind);
        }
        under_way.depth.set(outside + 1);
        Entered { outside }
    })
}

impl Entered {
    /// The current nesting depth, including this dispatch.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.outside + 1
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        UNDER_WAY.with(|under_way| under_way.depth.set(self.outside));
    }
}

/// The nesting depth on this thread; 0 outside of any dispatch.
#[inline]
pub(crate) fn depth() -> usize {
    UNDER_WAY.with(|under_way| under_way.depth.get())
}

/// The active kinds on this thread, outermost first.
pub(crate) fn kinds() -> Vec<&'static str> {
    UNDER_WAY.with(|under_way| under_way.kinds.iter().take(under_way.depth.get()).map(Cell::get).collect())
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
pub fn within_this<F: Future>(future: F) -> WithinThis<F> {
    WithinThis { kinds: kinds(), future }
}

/// Runs `run` on another thread as if it were nested in the dispatches `kinds`.
pub(crate) fn within<R>(kinds: &[&'static str], run: impl FnOnce() -> R) -> R {
    let _moved = Moved::to(kinds);
    run()
}

pin_project_lite::pin_project! {
    /// The future that [`within_this`] returns.
    #[must_use = "a future does nothing until it is polled"]
    pub struct WithinThis<F> {
        kinds: Vec<&'static str>,
        #[pin]
        future: F,
    }
}

impl<F> fmt::Debug for WithinThis<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithinThis").field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

impl<F: Future> Future for WithinThis<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        // If it is polled deeper than where it was made, the current dispatches count.
        let _moved = (this.kinds.len() > depth()).then(|| Moved::to(this.kinds));
        this.future.poll(task)
    }
}

/// Replaces the active kinds of this thread; restores them when dropped.
struct Moved {
    here: Vec<&'static str>,
}

impl Moved {
    fn to(elsewhere: &[&'static str]) -> Self {
        let here = kinds();
        set_kinds(elsewhere);
        Self { here }
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        set_kinds(&self.here);
    }
}

fn set_kinds(kinds: &[&'static str]) {
    UNDER_WAY.with(|under_way| {
        under_way.kinds.iter().zip(kinds).for_each(|(place, kind)| place.set(kind));
        under_way.depth.set(kinds.len());
    });
}
