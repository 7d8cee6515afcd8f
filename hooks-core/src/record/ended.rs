//! The second notice of a run that no dispatch waited for.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use super::{Observer, Record, Run};
use crate::context::{HookContext, Ids};
use crate::options::RunMode;
use crate::panics::catch;
use crate::text::redacted;
use crate::verdict::Contributions;

/// A run that no dispatch waited for has ended. Holds no payload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ended {
    /// The kind.
    pub kind: Cow<'static, str>,
    /// Where it was started, as the context has it.
    #[serde(flatten)]
    pub ids: Arc<Ids>,
    /// Detached or background.
    pub mode: RunMode,
    /// The id of its job, where it was queued.
    pub job: Option<String>,
    /// Which attempt this was, from 1.
    pub attempt: u32,
    /// Whether it is to be tried again.
    pub again: bool,
    /// The run: who, how it ended, how long it took.
    pub run: Run,
}

impl Ended {
    pub(crate) fn new(kind: Cow<'static, str>, mode: RunMode, cx: &HookContext, run: Run) -> Self {
        Self { kind, ids: Arc::clone(cx.ids()), mode, job: None, attempt: 1, again: false, run }
    }

    /// Tells those who listen.
    pub(crate) fn tell(&self, contributions: &Contributions, observers: &[Arc<dyn Observer>]) {
        let (hook, kind, mode) = (&self.run.hook, &*self.kind, self.mode.as_str());
        match &self.run.cause {
            Some(cause) => tracing::warn!(
                target: "hooks_core",
                %hook, kind, mode, attempt = self.attempt, again = self.again, status = %self.run.status, cause,
                "a run that no dispatch waited for did not complete",
            ),
            None => tracing::debug!(
                target: "hooks_core::dispatch",
                %hook, kind, mode, attempt = self.attempt, status = %self.run.status, duration = ?self.run.duration,
                "a run that no dispatch waited for has ended",
            ),
        }
        for observer in observers {
            if let Err(panic) = catch(|| observer.ended(self, contributions)) {
                tracing::error!(target: "hooks_core", kind, panic = redacted(&panic), "an observer panicked");
            }
        }
    }
}

/// An observer that hears of ends only: `registry.observe(OnEnd(|ended: &Ended, _: &Contributions| …))`.
#[derive(Clone, Copy, Debug)]
pub struct OnEnd<F>(pub F);

impl<F: Fn(&Ended, &Contributions) + Send + Sync + 'static> Observer for OnEnd<F> {
    fn dispatched(&self, _record: &Record) {}

    fn ended(&self, ended: &Ended, contributions: &Contributions) {
        (self.0)(ended, contributions);
    }
}
