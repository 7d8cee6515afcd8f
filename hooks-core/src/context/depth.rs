//! How deep a dispatch is within others: a hook may fire hooks, but not without end.
//!
//! The kinds under way on a thread are kept beside its code, not in the context: a hook may fire with any context. A
//! future enters when it is polled and leaves when that poll returns, so dispatches that take turns on one thread do not
//! count for each other, and one that is dropped leaves nothing behind.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// How many dispatches may be within each other where nobody says so.
pub(crate) const DEFAULT_LIMIT: usize = 8;

/// The most that can be asked for: sync hooks within hooks share one stack.
pub(crate) const MOST: usize = 64;

struct UnderWay {
    depth: Cell<usize>,
    kinds: [Cell<&'static str>; MOST],
}

thread_local! {
    static UNDER_WAY: UnderWay = const { UnderWay { depth: Cell::new(0), kinds: [const { Cell::new("") }; MOST] } };
}

/// One dispatch more is under way on this thread, until this is dropped.
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
    /// How many dispatches are within each other now, this one among them.
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

/// How many dispatches are within each other here; 0 outside of all.
#[inline]
pub(crate) fn depth() -> usize {
    UNDER_WAY.with(|under_way| under_way.depth.get())
}

/// The kinds under way here, outermost first.
pub(crate) fn kinds() -> Vec<&'static str> {
    UNDER_WAY.with(|under_way| under_way.kinds.iter().take(under_way.depth.get()).map(Cell::get).collect())
}

/// A future that counts as being within the dispatches under way here, wherever it runs.
///
/// A task that a hook spawns begins anew: nothing limits hooks that spawn tasks that fire hooks that spawn tasks. Where a
/// hook cannot but spawn, this keeps the limit.
///
/// ```
/// use hooks_core::prelude::*;
///
/// #[hook(id = "notify_later", kind = after_create_message)]
/// fn notify_later() {
///     let work = hooks_core::context::within_this(async { /* fires other hooks */ });
///     # drop(work); async fn _spawned() {
///     # let work = async {};
///     tokio::spawn(work);
///     # }
/// }
/// ```
pub fn within_this<F: Future>(future: F) -> WithinThis<F> {
    WithinThis { kinds: kinds(), future }
}

/// Runs `run` on another thread as if it were within the dispatches `kinds`.
pub(crate) fn within<R>(kinds: &[&'static str], run: impl FnOnce() -> R) -> R {
    let _moved = Moved::to(kinds);
    run()
}

pin_project_lite::pin_project! {
    /// See [`within_this`].
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
        // Where it runs within more dispatches than it was made in, those count.
        let _moved = (this.kinds.len() > depth()).then(|| Moved::to(this.kinds));
        this.future.poll(task)
    }
}

/// The kinds under way elsewhere in the place of those here, which are put back when this is dropped.
struct Moved {
    here: Vec<&'static str>,
}

impl Moved {
    fn to(elsewhere: &[&'static str]) -> Self {
        let here = kinds();
        stand(elsewhere);
        Self { here }
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        stand(&self.here);
    }
}

fn stand(kinds: &[&'static str]) {
    UNDER_WAY.with(|under_way| {
        under_way.kinds.iter().zip(kinds).for_each(|(place, kind)| place.set(kind));
        under_way.depth.set(kinds.len());
    });
}
