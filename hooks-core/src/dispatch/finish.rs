//! The end of a dispatch: the record to those who listen, the outcome to the caller.

use std::sync::Arc;

use crate::HookContext;
use crate::hook::HookId;
use crate::kind::{HookKind, Removal};
use crate::panics::catch;
use crate::plan::Plan;
use crate::record::{Observer, Record};
use crate::verdict::Verdict;

use super::chain::Chain;
use super::error::{DispatchError, no_outcome};
use super::tally::{Aside, Stop};
use super::{Fired, Told};

impl<K: HookKind> Chain<'_, K> {
    /// Ends the dispatch: the record to those who listen, the outcome to the caller.
    #[inline(always)]
    pub(super) fn finish(
        self,
        disabled: &[HookId],
        observers: &[Arc<dyn Observer>],
    ) -> Result<Fired<K>, DispatchError> {
        let Self { cx, draft, tally, .. } = self;
        let (plan, verdict, aside) = (tally.plan, tally.verdict, tally.aside);
        let committed = draft.committed;
        match aside {
            None => Ok(Fired::of(committed, verdict)),
            Some(aside) => finish_aside(cx, plan, committed, verdict, *aside, disabled, observers),
        }
    }
}

#[cold]
fn finish_aside<K: HookKind>(
    cx: &HookContext,
    plan: &Plan<K>,
    subject: K::Subject,
    verdict: K::Verdict,
    aside: Aside,
    disabled: &[HookId],
    observers: &[Arc<dyn Observer>],
) -> Result<Fired<K>, DispatchError> {
    let Aside { halt, failures, stop, log, event: _ } = aside;
    let record = log.map(|log| {
        // The verdict may be the app's own.
        let summary = catch(|| verdict.summary()).unwrap_or_default();
        Arc::new(log.finish(cx, plan, summary, stop.as_ref(), disabled))
    });
    if let Some(record) = &record {
        tell(record, observers);
    }
    let removed_by = match stop {
        None | Some(Stop::Decided) => None,
        Some(Stop::Removed(index)) => Some(plan.steps[index].id.clone()),
        Some(Stop::Broken(broken)) => return Err(no_outcome(plan, broken, subject)),
    };
    let subject = K::Removal::kept(subject, removed_by.is_some());
    let record = record.filter(|_| cx.keeps_records());
    Ok(Fired { subject, verdict, report: Told { halt, failures, removed_by, record }.into() })
}

fn tell(record: &Record, observers: &[Arc<dyn Observer>]) {
    tracing::debug!(
        target: "hooks_core::dispatch",
        kind = record.kind, runs = record.runs.len(), verdict = record.verdict, removed = record.removed,
        duration = ?record.duration, "dispatched",
    );
    for observer in observers {
        if let Err(panic) = catch(|| observer.dispatched(record)) {
            tracing::error!(target: "hooks_core", kind = record.kind, panic, "an observer panicked");
        }
    }
}
