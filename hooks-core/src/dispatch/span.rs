//! Spans around hooks, so that their own log lines show which hook they belong to.

use tracing::{Instrument, Level, Span};

use crate::context::HookContext;
use crate::handler::BoxFuture;
use crate::id::HookId;

/// The span of a run, if a subscriber is interested: level DEBUG, target `hook_sdk::dispatch`.
pub(crate) fn hook_span(kind: &'static str, hook: &HookId, cx: &HookContext) -> Option<Span> {
    tracing::enabled!(target: "hook_sdk::dispatch", Level::DEBUG).then(|| {
        tracing::debug_span!(
            target: "hook_sdk::dispatch",
            "hook",
            %hook,
            kind,
            plugin = cx.plugin(),
            agent = cx.agent(),
            conversation = cx.conversation(),
            turn = cx.turn(),
        )
    })
}

/// Instruments a future with `span`, if there is one.
pub(crate) fn in_span<T: 'static>(span: Option<Span>, future: BoxFuture<'_, T>) -> BoxFuture<'_, T> {
    match span {
        Some(span) => Box::pin(future.instrument(span)),
        None => future,
    }
}
