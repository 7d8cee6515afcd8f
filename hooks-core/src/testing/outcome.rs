use std::fmt;

use crate::dispatch::{Fired, Report};
use crate::id::HookId;
use crate::kind::{FinalSubject, HookKind};
use crate::options::Visibility;
use crate::record::{Note, Run, Skip};
use crate::verdict::Contributions;

use super::detached::Ends;

/// The result of a trial. Its `Display` has one line per hook.
#[must_use = "it contains what the hooks did"]
#[non_exhaustive]
pub struct TrialOutcome<K: HookKind> {
    /// The subject after all hooks; an `Option` if the kind allows removal.
    pub subject: FinalSubject<K>,
    /// The merged verdict.
    pub verdict: K::Verdict,
    /// Halt, failures, removal and record.
    pub report: Report,
    /// The audit notes and background jobs that detached and background hooks returned.
    pub left: Contributions,
    runs: Vec<Run>,
}

impl<K: HookKind> TrialOutcome<K> {
    pub(super) fn new(ids: Vec<HookId>, fired: Fired<K>, ends: Ends) -> Self {
        let Fired { subject, verdict, report } = fired;
        let recorded = report.record.as_ref().map(|record| record.runs.clone());
        let filtered = |hook: HookId| Run::skipped(&hook, Skip::Filter, Visibility::Internal);
        // There is no record if no filter matched, and that is what a test wants to see.
        let mut runs: Vec<Run> = recorded.unwrap_or_else(|| ids.into_iter().map(filtered).collect());
        for end in ends.runs {
            if let Some(run) = runs.iter_mut().find(|run| run.hook == end.hook) {
                *run = end;
            }
        }
        Self { subject, verdict, report, left: ends.left, runs }
    }

    /// What each hook did, in plan order. For detached and background hooks this is how they ended; the record in
    /// [`report`](Self::report) says that they were detached or queued.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// What the hook `id` did.
    ///
    /// # Panics
    /// Panics if the trial has no such hook.
    #[track_caller]
    pub fn of(&self, id: &str) -> &Run {
        match self.runs.iter().find(|run| run.hook.as_str() == id) {
            Some(run) => run,
            None => self.fail(format_args!("the trial of `{}` has no hook `{id}`", K::NAME)),
        }
    }

    /// Fails the test, unless the expectation holds.
    #[track_caller]
    pub(super) fn expect(&self, holds: bool, what: fmt::Arguments<'_>) -> &Self {
        if holds { self } else { self.fail(what) }
    }

    /// Fails the test.
    #[track_caller]
    #[allow(clippy::panic, reason = "an expectation of a test")]
    pub(super) fn fail(&self, what: fmt::Arguments<'_>) -> ! {
        panic!("{what}\n{self}")
    }
}

impl<K: HookKind> fmt::Display for TrialOutcome<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at `{}`:", K::NAME)?;
        for run in &self.runs {
            write!(f, "\n  {}: {}", run.hook, run.status)?;
            if run.changed {
                f.write_str(", changed the subject")?;
            }
            if let Some(verdict) = run.verdict {
                write!(f, ", returned `{verdict}`")?;
            }
            if let Some(note) = run.note {
                f.write_str(match note {
                    Note::AllowOutdated => ", its allow was discarded: the subject changed later",
                    Note::SubjectFrozen => ", its change was discarded: the subject was frozen",
                    Note::FallbackAnswered => ", its fallback answered",
                    Note::Shadow => ", in shadow mode",
                })?;
            }
            if let Some(cause) = &run.cause {
                write!(f, ": {cause}")?;
            }
        }
        Ok(())
    }
}

impl<K: HookKind> fmt::Debug for TrialOutcome<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
