//! Commits or drops the answer of a hook, whatever its form: change and verdict count together, or neither does. In the
//! end, passes the record to listeners and the outcome to the caller.

use crate::context::HookContext;
use crate::failure::FailureKind;
use crate::handler::{Answer, Effect, Fault, FaultKind};
use crate::kind::{HookKind, Removal};
use crate::panics::catch;
use crate::plan::Plan;
use crate::record::Note;
use crate::verdict::Verdict;

use super::call::EffectOf;
use super::chain::Chain;
use super::error::{DispatchError, End, ErasedSubject, Flow};
use super::outcome::{Details, in_turn};
use super::{Fired, ReportData};

impl<K: HookKind> Chain<'_, K> {
    #[inline]
    pub(super) fn lent(&mut self, index: usize, answer: Answer<K::Verdict>) -> Flow {
        match answer {
            Ok(verdict) => self.commit(index, verdict),
            Err(fault) => self.faulted(index, fault),
        }
    }

    // Inlined because it is called once per hook of a lane: as a call, subject and verdict went through memory.
    #[inline(always)]
    pub(super) fn owned(&mut self, index: usize, answer: Answer<EffectOf<K>>) -> Flow {
        match answer {
            Ok(Effect { subject: Some(subject), verdict }) => {
                self.subject.scratch = Some(subject);
                self.commit(index, verdict)
            }
            Ok(Effect { subject: None, .. }) => self.outcome.removed(index),
            Err(fault) => self.faulted(index, fault),
        }
    }

    /// Handles a hook that received the scratch and returned no verdict. Its changes are kept only with a halt.
    #[cold]
    fn faulted(&mut self, index: usize, fault: Fault) -> Flow {
        let halt = match *in_turn::<K>(fault).0 {
            FaultKind::Halt(halt) if self.subject.scratch.is_none() => {
                return self.outcome.halted_without_subject(index, halt);
            }
            FaultKind::Halt(halt) => halt,
            FaultKind::HaltAndReplace(halt, subject) => {
                // The hook's form guarantees that it is the kind's subject.
                self.subject.scratch = subject.downcast().ok().map(|subject| *subject);
                halt
            }
            other => return self.failed(index, Fault(Box::new(other))),
        };
        match self.commit_scratch(index) {
            Ok(()) => self.outcome.halted(index, halt),
            Err(fault) => self.failed(index, fault),
        }
    }

    /// Handles the failure of a hook that may have changed the scratch.
    #[cold]
    pub(super) fn failed(&mut self, index: usize, fault: Fault) -> Flow {
        let scratch = self.subject.scratch.take();
        // Dropping the half-changed scratch may panic. Only the first failure is reported.
        let _ = catch(|| drop(scratch));
        self.outcome.failed(index, fault)
    }

    #[cold]
    pub(super) fn panicked(&mut self, index: usize, panic: String) -> Flow {
        self.failed(index, Fault::panicked(panic))
    }

    #[inline(always)]
    fn commit(&mut self, index: usize, verdict: K::Verdict) -> Flow {
        if <K::Verdict as Verdict>::MERGE_MAY_PANIC && self.subject.scratch.is_some() {
            return self.commit_all_or_nothing(index, verdict);
        }
        match self.commit_scratch(index) {
            Ok(()) => self.outcome.decided(index, verdict),
            Err(fault) => self.failed(index, fault),
        }
    }

    /// Commits the change and the verdict of a hook, or neither if the app's verdict panics.
    fn commit_all_or_nothing(&mut self, index: usize, verdict: K::Verdict) -> Flow {
        let before = (self.subject.committed.clone(), self.outcome.verdict.clone());
        let committed = catch(|| self.commit_scratch(index).map(|()| self.outcome.decided(index, verdict)));
        match committed {
            Ok(Ok(flow)) => flow,
            Ok(Err(fault)) => self.failed(index, fault),
            Err(panic) => {
                (self.subject.committed, self.outcome.verdict) = before;
                self.outcome.record(|log| log.unchanged(index));
                self.panicked(index, panic)
            }
        }
    }

    /// Makes the scratch the committed subject, if it differs and the kind's check accepts it.
    #[inline(always)]
    fn commit_scratch(&mut self, index: usize) -> Result<(), Fault> {
        match &self.subject.scratch {
            Some(scratch) if !K::same(&self.subject.committed, scratch) => self.commit_change(index),
            _ => Ok(()),
        }
    }

    fn commit_change(&mut self, index: usize) -> Result<(), Fault> {
        let Some(scratch) = self.subject.scratch.take() else { return Ok(()) };
        if self.outcome.verdict.freezes_subject() {
            self.outcome.record(|log| log.note(index, Note::SubjectFrozen));
            return Ok(());
        }
        let checked = self.inputs.event.check(&self.subject.committed, &scratch);
        checked.map_err(|broken| Fault::failed(FailureKind::Violation, broken.to_string()))?;
        if self.outcome.is_shadow(index) {
            self.outcome.record(|log| log.would_change(index, &scratch));
            return Ok(());
        }
        self.outcome.changed(index, &scratch);
        self.subject.committed = scratch;
        Ok(())
    }

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
    let Details { report, stop, log, .. } = details;
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
    Ok(Fired { subject, verdict, report: ReportData { removed_by, record, ..report }.into() })
}
