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
        let found = self.of(id).status;
        self.expect(found == status, format_args!("expected the status of `{id}` to be: {status}; it is: {found}"))
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
        let changed = self.expect_completed(id).of(id).changed;
        self.expect(changed, format_args!("expected `{id}` to change the subject, but it did not"))
    }

    /// Asserts that the hook completed and did not change the subject.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_unchanged(&self, id: &str) -> &Self {
        let changed = self.expect_completed(id).of(id).changed;
        self.expect(!changed, format_args!("expected `{id}` not to change the subject, but it did"))
    }

    /// Asserts that the hook failed, panicked or timed out, with a cause that contains `cause`.
    ///
    /// # Panics
    /// Panics otherwise, including a failure with another cause.
    #[track_caller]
    pub fn expect_failed(&self, id: &str, cause: &str) -> &Self {
        let run = self.of(id);
        let failed = matches!(run.status, Status::Failed | Status::Panicked | Status::TimedOut);
        self.expect(failed, format_args!("expected `{id}` to fail; its status is: {}", run.status));
        let is_cause = run.cause.as_deref().unwrap_or_default().contains(cause);
        self.expect(is_cause, format_args!("expected `{id}` to fail with a cause that contains {cause:?}"))
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
            self.fail(format_args!("expected a denial with a reason that contains {reason:?}; no hook denied"));
        };
        let failure =
            "expected a hook to decide to deny; the denial is the failure of a hook, which `expect_failed` expects";
        self.expect(denial.cause == Cause::Policy, format_args!("{failure}"));
        let found = denial.reason.as_str();
        self.expect(found.contains(reason), format_args!("expected a reason that contains {reason:?}; it is {found:?}"))
    }

    /// Asserts that no hook denied, asked or deferred.
    ///
    /// # Panics
    /// Panics otherwise.
    #[track_caller]
    pub fn expect_free(&self) -> &Self {
        let (verdict, is_free) = (&self.verdict, matches!(self.verdict, Permission::Allow | Permission::NoOpinion));
        self.expect(is_free, format_args!("expected no hook to deny, ask or defer; the verdict is {verdict:?}"))
    }
}
