//! What the hooks of one dispatch have come to so far, apart from the subject.

use crate::hook::{Cause, Fault, FaultKind, HookId, OnFailure};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::Plan;
use crate::record::{Failure, FailureKind, Note, Status, cut};
use crate::verdict::{Halt, Verdict};

use super::log::Log;

/// Whether the chain goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Flow {
    Go,
    Stop,
}

/// Why it does not.
#[derive(Debug)]
pub(super) enum Stop {
    /// The hook with this index removed the subject.
    Removed(usize),
    /// The verdict is final.
    Decided,
    /// There is no outcome.
    Broken(Broken),
}

/// Why there is no outcome.
#[derive(Debug)]
pub(super) enum Broken {
    /// A required hook failed, or one for which a verdict of the app's could not say no.
    Required(Failure),
    /// The turn was cancelled while this hook waited.
    Cancelled(usize),
    /// This hook needs a timer, and there is none.
    NoRuntime(usize),
}

/// How a hook failed, before anything was decided about it.
#[derive(Debug)]
pub(super) enum Fail {
    Fault(Fault),
    Panicked(String),
    TimedOut(std::time::Duration),
    Violation(String),
}

impl Fail {
    /// How it is told. A halt is no failure; as one it says its reason.
    pub(super) fn cause(self) -> Cause {
        let (kind, status, text) = match self {
            Self::Fault(fault) => match *fault.0 {
                FaultKind::Error(text) => (FailureKind::Error, Status::Failed, text),
                FaultKind::Failed(cause) | FaultKind::FellBack(cause, _) => return cause,
                FaultKind::Halt(halt) | FaultKind::HaltAndKeep(halt) | FaultKind::HaltAndReplace(halt, _) => {
                    (FailureKind::Error, Status::Failed, halt.reason.as_str().to_owned())
                }
            },
            Self::Panicked(text) => (FailureKind::Panicked, Status::Panicked, text),
            Self::TimedOut(limit) => (FailureKind::TimedOut, Status::TimedOut, format!("not done within {limit:?}")),
            Self::Violation(rule) => (FailureKind::Violation, Status::Failed, rule),
        };
        Cause { kind, status, text }
    }
}

pub(super) struct Tally<'a, K: HookKind> {
    pub(super) plan: &'a Plan<K>,
    pub(super) verdict: K::Verdict,
    /// There only where something out of the ordinary happened, or where somebody listens: a dispatch in which all goes
    /// well keeps nothing but its verdict.
    pub(super) aside: Option<Box<Aside>>,
}

/// What most dispatches have none of.
#[derive(Default)]
pub(super) struct Aside {
    pub(super) halt: Option<Halt>,
    pub(super) failures: Vec<Failure>,
    pub(super) stop: Option<Stop>,
    pub(super) log: Option<Log>,
    /// The event that all detached hooks of the dispatch share.
    pub(super) event: Option<std::sync::Arc<dyn std::any::Any + Send + Sync>>,
}

impl<'a, K: HookKind> Tally<'a, K> {
    #[inline]
    pub(super) fn new(plan: &'a Plan<K>, log: Option<Log>) -> Self {
        let aside = log.map(|log| Box::new(Aside { log: Some(log), ..Aside::default() }));
        Self { plan, verdict: ().into(), aside }
    }

    pub(super) fn aside(&mut self) -> &mut Aside {
        self.aside.get_or_insert_default()
    }

    #[inline]
    pub(super) fn log(&mut self) -> Option<&mut Log> {
        self.aside.as_mut()?.log.as_mut()
    }

    /// Ends the chain for a reason.
    #[cold]
    pub(super) fn stop(&mut self, stop: Stop) -> Flow {
        self.aside().stop = Some(stop);
        Flow::Stop
    }

    /// Folds in what the hook decided, its change (if any) having been kept.
    #[inline(always)]
    pub(super) fn decided(&mut self, index: usize, verdict: K::Verdict) -> Flow {
        if verdict.is_silent() && self.aside.is_none() { Flow::Go } else { self.fold(index, verdict) }
    }

    fn fold(&mut self, index: usize, mut verdict: K::Verdict) -> Flow {
        if let Some(log) = self.log() {
            log.done(index, verdict.summary());
        }
        verdict.attribute(&self.plan.steps[index].id);
        self.verdict.merge(verdict);
        if self.verdict.is_final() { self.stop(Stop::Decided) } else { Flow::Go }
    }

    /// Notes that the hook's change of the subject was kept.
    pub(super) fn changed(&mut self, index: usize) {
        let said = self.verdict.summary();
        let outdated = self.verdict.subject_changed();
        if let Some(log) = self.log() {
            log.changed(index);
            if outdated {
                log.outdate(index, said);
            }
        }
    }

    /// Notes that the hook's change was dropped because the subject is frozen.
    pub(super) fn frozen(&mut self, index: usize) {
        if let Some(log) = self.log() {
            log.note(index, Note::SubjectFrozen);
        }
    }

    /// Notes that the hook ends the turn; the first in order counts.
    #[cold]
    pub(super) fn halted(&mut self, index: usize, mut halt: Halt) {
        halt.by = Some(self.plan.steps[index].id.clone());
        if let Some(log) = self.log() {
            log.done(index, Some("halt"));
        }
        self.aside().halt.get_or_insert(halt);
    }

    /// Notes that the hook removed the subject.
    #[cold]
    pub(super) fn removed(&mut self, index: usize) -> Flow {
        if let Some(log) = self.log() {
            log.done(index, None);
        }
        self.stop(Stop::Removed(index))
    }

    /// Notes that the hook failed; what its fallback answered is folded in as the hook's own answer.
    #[cold]
    pub(super) fn fell_back(&mut self, index: usize, cause: Cause) {
        let step = &self.plan.steps[index];
        let failure = Failure {
            hook: step.id.clone(),
            kind: K::NAME,
            failure: cause.kind,
            cause: cut(cause.text),
            on_failure: step.on_failure,
            fell_back: true,
        };
        tracing::warn!(
            target: "hooks_core",
            hook = %failure.hook, kind = failure.kind, failure = %failure.failure, cause = %failure.cause,
            "hook failed; its fallback answers",
        );
        if let Some(log) = self.log() {
            log.fell_back(index, cause.status, &failure.cause);
        }
        self.aside().failures.push(failure);
    }

    /// A reader gave no verdict; perhaps its fallback did.
    #[cold]
    pub(super) fn no_answer(&mut self, index: usize, fault: Fault) -> Flow {
        match fault.fell_back() {
            Ok((cause, answer)) => {
                self.fell_back(index, cause);
                match answer {
                    Ok(verdict) => self.decided(index, verdict),
                    Err(fault) => self.failed(index, Fail::Fault(fault)),
                }
            }
            Err(fault) => self.failed(index, Fail::Fault(fault)),
        }
    }

    /// Does what the hook's `on_failure` says.
    #[cold]
    pub(super) fn failed(&mut self, index: usize, fail: Fail) -> Flow {
        let fail = match fail {
            Fail::Fault(Fault(fault)) => match *fault {
                FaultKind::Halt(halt) | FaultKind::HaltAndKeep(halt) | FaultKind::HaltAndReplace(halt, _) => {
                    self.halted(index, halt);
                    return Flow::Go;
                }
                other => Fail::Fault(Fault(Box::new(other))),
            },
            other => other,
        };
        let Cause { kind, status, text: cause } = fail.cause();
        let step = &self.plan.steps[index];
        let failure = Failure {
            hook: step.id.clone(),
            kind: K::NAME,
            failure: kind,
            cause: cut(cause),
            on_failure: step.on_failure,
            fell_back: false,
        };
        tracing::warn!(
            target: "hooks_core",
            hook = %failure.hook, kind = failure.kind, failure = %failure.failure, cause = %failure.cause,
            on_failure = failure.on_failure.as_str(), "hook failed",
        );
        if let Some(log) = self.log() {
            log.failed(index, status, &failure.cause);
        }
        self.aside().failures.push(failure.clone());
        match step.on_failure {
            OnFailure::Continue => Flow::Go,
            OnFailure::Remove => self.stop(Stop::Removed(index)),
            OnFailure::Deny => match catch(|| self.deny(kind, &step.id)) {
                Ok(true) => self.stop(Stop::Decided),
                Ok(false) => Flow::Go,
                // The verdict may be the app's own. To go on without its no would be a yes.
                Err(panic) => {
                    let cause = cut(format!("{}; the verdict that says so panicked: {panic}", failure.cause));
                    self.stop(Stop::Broken(Broken::Required(Failure { cause, ..failure })))
                }
            },
            OnFailure::Required => self.stop(Stop::Broken(Broken::Required(failure))),
        }
    }

    /// Denies because the hook failed; returns whether the verdict has a word for that.
    fn deny(&mut self, failure: FailureKind, hook: &HookId) -> bool {
        let denial = K::Verdict::could_not_answer(failure, hook);
        denial.map(|denial| self.verdict.merge(denial)).is_some()
    }
}
