//! Dispatches within a turn.

use std::sync::Arc;

use hook_sdk::kinds::{ExitReason, StreamDelta};
use hook_sdk::verdict::Verdict;
use hook_sdk::{DispatchError, Fired, HookKind, HookSet, Never};

use super::TurnLoop;
use super::end::End;
use crate::event::TurnEvent;
use crate::reply::TurnError;

impl TurnLoop {
    /// Fires `event`, emits a turn event, and keeps the first halt. The turn ends at the next [`go_on`](Self::go_on),
    /// after the outcome of the dispatch was applied.
    pub(super) async fn fire<K: HookKind>(&mut self, event: &K, subject: K::Subject) -> Result<Fired<K>, End> {
        let hooks = self.hooks.clone();
        self.fire_in(&hooks, event, subject).await
    }

    /// Like [`fire`](Self::fire), with another set of hooks.
    pub(super) async fn fire_in<K: HookKind>(
        &mut self,
        hooks: &HookSet,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, End> {
        let fired = hooks.fire(&self.cx, event, subject).await;
        self.note(hooks, event, fired)
    }

    /// Like [`fire`](Self::fire), but a cancellation of the turn does not stop it.
    pub(super) async fn fire_to_end<K: HookKind>(&mut self, event: &K, subject: K::Subject) -> Result<Fired<K>, End> {
        let hooks = self.hooks.clone();
        let fired = hooks.fire(&self.to_end, event, subject).await;
        self.note(&hooks, event, fired)
    }

    /// Like [`fire_to_end`](Self::fire_to_end), and then with the hooks of the callers, which mask what their agents store.
    pub(super) async fn fire_before_row<K: HookKind<Removal = Never>>(
        &mut self,
        event: &K,
        subject: K::Subject,
    ) -> Result<K::Subject, End> {
        let mut subject = self.fire_to_end(event, subject).await?.subject;
        let session = Arc::clone(&self.session);
        for hooks in &session.asker.gates {
            let fired = hooks.fire(&self.to_end, event, subject).await;
            subject = self.note(hooks, event, fired)?.subject;
        }
        Ok(subject)
    }

    /// Fires an event without a subject, even if the turn is cancelled.
    pub(super) async fn announce<K: HookKind<Subject = ()>>(&mut self, event: &K) -> Result<(), End> {
        let _fired = self.fire_to_end(event, ()).await?;
        Ok(())
    }

    pub(super) fn note<K: HookKind>(
        &mut self,
        hooks: &HookSet,
        of: &K,
        fired: Result<Fired<K>, DispatchError>,
    ) -> Result<Fired<K>, End> {
        let event = |verdict, failed, halted| TurnEvent::Fired { kind: K::NAME, verdict, failed, halted };
        let fired = match fired {
            Ok(fired) => fired,
            // A cancelled dispatch also counts as one.
            Err(DispatchError::Cancelled { .. }) => {
                self.emit(|| event(None, Vec::new(), false));
                return Err(End::cancelled(ExitReason::AbortedViaError));
            }
            Err(error) => {
                let required = match &error {
                    DispatchError::Required { failure, .. } => Some(failure.hook.clone()),
                    _ => None,
                };
                self.emit(|| event(None, required.into_iter().collect(), false));
                return Err(End::from(TurnError::Dispatch(error)));
            }
        };
        let report = &fired.report;
        // If the filters matched no hook, nothing ran that could be reported.
        if hooks.selected(of).any(|id| !report.not_selected.contains(id)) {
            // For a stream that continues, there would be an event for each piece.
            let says_nothing = fired.verdict.is_silent() && report.failures.is_empty() && report.halt.is_none();
            if K::NAME == StreamDelta::NAME && says_nothing {
                return Ok(fired);
            }
            let failed = || report.failures.iter().map(|failure| failure.hook.clone()).collect();
            self.emit(|| event(fired.verdict.summary(), failed(), report.halt.is_some()));
            if let (None, Some(halt)) = (&self.halted, &report.halt) {
                self.emit(|| TurnEvent::Stopped { kind: K::NAME, by: halt.by.clone(), reason: halt.reason.clone() });
                self.halted = Some(halt.clone());
            }
        }
        Ok(fired)
    }

    /// Ends the turn if a hook halted it.
    pub(super) fn not_halted(&self) -> Result<(), End> {
        self.halted.as_ref().map_or(Ok(()), |halt| Err(End::halted(halt.clone())))
    }

    /// Whether the turn may continue. If it was cancelled, `place` is the exit reason.
    pub(super) fn go_on(&self, place: ExitReason) -> Result<(), End> {
        self.not_halted()?;
        if self.cancellation.is_cancelled() {
            return Err(End::cancelled(place));
        }
        Ok(())
    }
}
