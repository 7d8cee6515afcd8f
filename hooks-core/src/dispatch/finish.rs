//! The end of a dispatch: passes the record to listeners and the outcome to the caller.

use crate::context::HookContext;
use crate::kind::{HookKind, Removal};
use crate::plan::Plan;

use super::chain::Chain;
use super::error::{DispatchError, no_outcome};
use super::outcome::{ChainEnd, Rare};
use super::{Fired, ReportData};

impl<K: HookKind> Chain<'_, K> {
    /// Finishes the dispatch.
    #[inline(always)]
    pub(super) fn finish(self, cx: &HookContext) -> Result<Fired<K>, DispatchError> {
        let (plan, verdict, subject) = (self.outcome.plan, self.outcome.verdict, self.subject.committed);
        match self.outcome.rare {
            None => Ok(Fired::of(subject, verdict)),
            Some(rare) => finish_rare(cx, plan, subject, verdict, *rare),
        }
    }
}

#[cold]
fn finish_rare<K: HookKind>(
    cx: &HookContext,
    plan: &Plan<K>,
    subject: K::Subject,
    verdict: K::Verdict,
    rare: Rare<'_, K>,
) -> Result<Fired<K>, DispatchError> {
    let Rare { halt, failures, not_selected, stop, log, .. } = rare;
    let record = log.map(|mut log| log.finish(&verdict, stop.as_ref()));
    let removed_by = match stop {
        None | Some(ChainEnd::Decided) => None,
        Some(ChainEnd::Removed(index)) => Some(plan.steps[index].id.clone()),
        Some(ChainEnd::NoOutcome(why)) => return Err(no_outcome(plan, why, subject)),
    };
    let subject = K::Removal::kept(subject, removed_by.is_some());
    let record = record.filter(|_| cx.keeps_records());
    Ok(Fired { subject, verdict, report: ReportData { halt, failures, not_selected, removed_by, record }.into() })
}
