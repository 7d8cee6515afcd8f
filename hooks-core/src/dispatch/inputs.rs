//! What the hooks of a dispatch are called with.

use tracing::Span;

use crate::context::HookContext;
use crate::handler::Handler;
use crate::kind::HookKind;

use super::outcome::Outcome;

/// The event and the contexts of a dispatch.
pub(super) struct Inputs<'a, K: HookKind> {
    pub(super) cx: &'a HookContext,
    /// The contexts of hooks that have one of their own, by index.
    pub(super) hook_cxs: &'a [Option<HookContext>],
    pub(super) event: &'a K,
}

impl<K: HookKind> Clone for Inputs<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HookKind> Copy for Inputs<'_, K> {}

/// The handler that runs for a step, with its context and span.
pub(super) type Prepared<'p, 'a, K> = (&'p Handler<K>, &'a HookContext, Option<Span>);

impl<'a, K: HookKind> Inputs<'a, K> {
    /// The context of a hook: its own, or the dispatch's.
    #[inline]
    pub(super) fn cx_of(self, index: usize) -> &'a HookContext {
        self.hook_cxs.get(index).and_then(Option::as_ref).unwrap_or(self.cx)
    }

    /// Prepares the call of a hook, or of its fallback if the hook has failed. `None` if the hook does not run.
    #[inline]
    pub(super) fn prepare<'p>(self, index: usize, outcome: &mut Outcome<'p, K>) -> Option<Prepared<'p, 'a, K>> {
        let step = &outcome.plan.steps[index];
        let handler = match step.fallback().filter(|_| outcome.falls_back(index)) {
            Some(fallback) => fallback,
            None if !step.runs(self.event, self.cx) => return None,
            None => {
                outcome.record(|log| log.start(index));
                &step.handler
            }
        };
        let cx = self.cx_of(index);
        Some((handler, cx, outcome.span(index, cx)))
    }
}
