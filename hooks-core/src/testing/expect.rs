//! Assertions about a trial. A failure message lists what every hook did.

use crate::kind::HookKind;
use crate::record::{Skip, Status};
use crate::verdict::{Cause, Permission};

use super::TrialOutcome;

impl<K: HookKind> TrialOutcome<K> {
    /// Asserts that the hook completed.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_completed(&self, id: &str) -> &Self {
        self.expect_status(id, Status::Completed)
    }

    /// Asserts that the hook's run ended with `status`.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_status(&self, id: &str, status: Status) -> &Self {
        let run = self.of(id);
        if run.status != status {
            self.fail(&format!("expected the status of `{id}` to be: {status}; it is: {}", run.status));
        }
        self
    }

    /// Asserts that the hook was skipped for this reason.
    ///
    /// # Panics
    /// Panics otherwise, including a skip for another reason.
    #[track_caller]
    pub fn expect_skipped(&self, id: &str, why: Skip) -> &Self {
        self.expect_status(id, Status::Skipped(why))
    }

    /// Asserts that the hook completed and changed the subject.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_changed(&self, id: &str) -> &Self {
        self.expect_completed(id);
        if !self.of(id).changed {
            self.fail(&format!("expected `{id}` to change the subject, but it did not"));
        }
        self
    }

    /// Asserts that the hook completed and did not change the subject.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_unchanged(&self, id: &str) -> &Self {
        self.expect_completed(id);
        if self.of(id).changed {
            self.fail(&format!("expected `{id}` not to change the subject, but it did"));
        }
        self
    }

    /// Asserts that the hook failed, panicked or timed out, with a cause that contains `cause`.
    ///
    /// # Panics
    /// Panics otherwise, including a failure with another cause.
    #[track_caller]
    pub fn expect_failed(&self, id: &str, cause: &str) -> &Self {
        let run = self.of(id);
        if !matches!(run.status, Status::Failed | Status::Panicked | Status::TimedOut) {
            self.fail(&format!("expected `{id}` to fail; its status is: {}", run.status));
        }
        if !run.cause.as_deref().unwrap_or_default().contains(cause) {
            self.fail(&format!("expected `{id}` to fail with a cause that contains {cause:?}"));
        }
        self
    }
}

impl<K: HookKind<Verdict = Permission>> TrialOutcome<K> {
    /// Asserts that a hook decided to deny, with a reason that contains `reason`. A denial because a gate failed does
    /// not count: otherwise a test would not notice a broken gate.
    ///
    /// # Panics
    /// Panics if no hook denied, if the reason differs, or if the denial is the failure of a hook.
    #[track_caller]
    pub fn expect_denied(&self, reason: &str) -> &Self {
        let Some(denial) = self.verdict.denial() else {
            self.fail(&format!("expected a denial with a reason that contains {reason:?}; no hook denied"));
        };
        if denial.cause != Cause::Policy {
            self.fail(
                "expected a hook to decide to deny; the denial is the failure of a hook, which `expect_failed` expects",
            );
        }
        if !denial.reason.as_str().contains(reason) {
            self.fail(&format!("expected a reason that contains {reason:?}; it is {:?}", denial.reason.as_str()));
        }
        self
    }

    /// Asserts that no hook denied, asked or deferred.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_free(&self) -> &Self {
        if !matches!(self.verdict, Permission::Allow | Permission::NoOpinion) {
            self.fail(&format!("expected no hook to deny, ask or defer; the verdict is {:?}", self.verdict));
        }
        self
    }
}
