//! Expectations. Each fails with what every hook of the trial did.

use crate::kind::HookKind;
use crate::record::{Skip, Status};
use crate::verdict::Cause;
use crate::verdict::Permission;

use super::Ran;

impl<K: HookKind> Ran<K> {
    /// The hook ran to its end.
    ///
    /// # Panics
    /// Where it did not.
    #[track_caller]
    pub fn expect_completed(&self, id: &str) -> &Self {
        self.expect_status(id, Status::Completed)
    }

    /// The hook's part ended with `status`.
    ///
    /// # Panics
    /// Where it ended otherwise.
    #[track_caller]
    pub fn expect_status(&self, id: &str, status: Status) -> &Self {
        let run = self.of(id);
        if run.status != status {
            self.fail(&format!("expected the run of `{id}` to be: {status}; it is: {}", run.status));
        }
        self
    }

    /// The hook was not run, for this reason.
    ///
    /// # Panics
    /// Where it was run, or skipped for another reason.
    #[track_caller]
    pub fn expect_skipped(&self, id: &str, why: Skip) -> &Self {
        self.expect_status(id, Status::Skipped(why))
    }

    /// The hook completed and changed the subject.
    ///
    /// # Panics
    /// Where it did not.
    #[track_caller]
    pub fn expect_changed(&self, id: &str) -> &Self {
        self.expect_completed(id);
        if !self.of(id).changed {
            self.fail(&format!("expected `{id}` to change the subject, and it left it as it was"));
        }
        self
    }

    /// The hook completed and left the subject as it was.
    ///
    /// # Panics
    /// Where it did not.
    #[track_caller]
    pub fn expect_unchanged(&self, id: &str) -> &Self {
        self.expect_completed(id);
        if self.of(id).changed {
            self.fail(&format!("expected `{id}` to leave the subject as it was, and it changed it"));
        }
        self
    }

    /// The hook failed, panicked or overran its deadline, and its cause contains `cause`.
    ///
    /// # Panics
    /// Where it did not, or for another cause.
    #[track_caller]
    pub fn expect_failed(&self, id: &str, cause: &str) -> &Self {
        let run = self.of(id);
        if !matches!(run.status, Status::Failed | Status::Panicked | Status::TimedOut) {
            self.fail(&format!("expected `{id}` to fail; its run is: {}", run.status));
        }
        if !run.cause.as_deref().unwrap_or_default().contains(cause) {
            self.fail(&format!("expected `{id}` to fail with a cause that contains {cause:?}"));
        }
        self
    }
}

impl<K: HookKind<Verdict = Permission>> Ran<K> {
    /// Policy refused, for a reason that contains `reason`. A gate that could not answer is not meant: it may well be
    /// broken, and a test that takes its refusal for policy would not notice.
    ///
    /// # Panics
    /// Where nobody refused, for another reason, or because a hook could not answer.
    #[track_caller]
    pub fn expect_denied(&self, reason: &str) -> &Self {
        let Some(denial) = self.verdict.denial() else {
            self.fail(&format!("expected a refusal with a reason that contains {reason:?}; nobody refused"));
        };
        if denial.cause != Cause::Policy {
            self.fail("expected a refusal of policy; the refusal is that of a hook that could not answer");
        }
        if !denial.reason.as_str().contains(reason) {
            self.fail(&format!("expected a reason that contains {reason:?}; it is {:?}", denial.reason.as_str()));
        }
        self
    }

    /// Nobody stands in the way: no hook refused, asked or put off.
    ///
    /// # Panics
    /// Where somebody did.
    #[track_caller]
    pub fn expect_free(&self) -> &Self {
        if !matches!(self.verdict, Permission::Allow | Permission::NoOpinion) {
            self.fail(&format!("expected nobody to stand in the way; the verdict is {:?}", self.verdict));
        }
        self
    }
}
