//! The end of a dispatch: passes the record to listeners and the outcome to the caller.

use crate::context::HookContext;
use crate::kind::{HookKind, Removal};
use crate::plan::Plan;

use super::chain::Chain;
use super::end::End;
use super::error::{DispatchError, ErasedSubject};
use super::outcome::Details;
use super::{Fired, ReportData};

impl<K: HookKind> Chain<'_, K> {
    /// Finishes the dispatch.
    #[inline(always)]
    pub(super) fn finish(self, cx: &HookContext) -> Result<Fired<K>, DispatchError> {
        let (plan, verdict, subject) = (self.outcome.plan, self.outcome.verdict, self.subject.committed);
        match self.outcome.details {
            None => Ok(Fired::of(subject, verdict)),
            Some(details) => finish_with(cx, plan, subject, verdict, *details),
        }
    }
}

#[cold]
fn finish_with<K: HookKind>(
    cx: &HookContext,
    plan: &Plan<K>,
    subject: K::Subject,
    verdict: K::Verdict,
    details: Details<'_, K>,
) -> Result<Fired<K>, DispatchError> {
    let Details { halt, failures, not_selected, stop, log, .. } = details;
    let record = log.map(|mut log| log.finish(&verdict, stop.as_ref()));
    let (kind, hook) = (K::NAME, |index: usize| plan.steps[index].id.clone());
    let removed_by = match stop {
        None | Some(End::Decided) => None,
        Some(End::Removed(index)) => Some(hook(index)),
        Some(End::Required(failure)) => {
            return Err(DispatchError::Required { failure: failure.into(), subject: ErasedSubject::new(subject) });
        }
        Some(End::Cancelled(index)) => {
            return Err(DispatchError::Cancelled { kind, hook: hook(index), subject: ErasedSubject::new(subject) });
        }
        Some(End::NoRuntime(index)) => {
            return Err(DispatchError::NoRuntime { kind, hook: hook(index), subject: ErasedSubject::new(subject) });
        }
    };
    let subject = K::Removal::kept(subject, removed_by.is_some());
    let record = record.filter(|_| cx.keeps_records());
    Ok(Fired { subject, verdict, report: ReportData { halt, failures, not_selected, removed_by, record }.into() })
}
