//! The outcome of a dispatch while it runs, without the subject.

use std::sync::Arc;

use tracing::Span;

use crate::context::HookContext;
use crate::failure::{Failure, FailureKind, OnFailure};
use crate::handler::{Answer, Fault, FaultKind, HookError};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{LaunchError, Plan};
use crate::record::{Note, Skip, Status};
use crate::text::redacted;
use crate::verdict::{Denial, Halt, Semantics, Verdict};

use super::ReportData;
use super::error::{End, Flow};
use super::log::Log;
use super::span::hook_span;

pub(super) struct Outcome<'a, K: HookKind> {
    pub(super) plan: &'a Plan<K>,
    pub(super) verdict: K::Verdict,
    /// Present only if something unusual happened or there are listeners. Otherwise a dispatch keeps nothing but its
    /// verdict.
    pub(super) details: Option<Box<Details<'a, K>>>,
}

/// The parts of an outcome that most dispatches do not need.
pub(super) struct Details<'a, K: HookKind> {
    /// What the caller gets. The removal and the record are added at the end.
    pub(super) report: ReportData,
    pub(super) stop: Option<End>,
    pub(super) log: Option<Log<'a, K>>,
    /// The hooks that failed and whose fallback is running, by index.
    failed: Vec<(usize, HookError)>,
    /// The event, shared by all detached hooks of the dispatch.
    event: Option<Arc<K>>,
}

impl<K: HookKind> Default for Details<'_, K> {
    fn default() -> Self {
        Self { report: ReportData::default(), stop: None, log: None, failed: Vec::new(), event: None }
    }
}

impl<'a, K: HookKind> Outcome<'a, K> {
    #[inline]
    pub(super) fn new(plan: &'a Plan<K>, log: Option<Log<'a, K>>) -> Self {
        let details = log.map(|log| Box::new(Details { log: Some(log), ..Details::default() }));
        Self { plan, verdict: ().into(), details }
    }

    pub(super) fn details(&mut self) -> &mut Details<'a, K> {
        self.details.get_or_insert_default()
    }

    #[inline]
    pub(super) fn log(&mut self) -> Option<&mut Log<'a, K>> {
        self.details.as_mut()?.log.as_mut()
    }

    /// Tells the log, if somebody reads it.
    #[inline]
    pub(super) fn record(&mut self, what: impl FnOnce(&mut Log<'a, K>)) {
        if let Some(log) = self.log() {
            what(log);
        }
    }

    /// The span for the call of a hook, if a subscriber is interested.
    #[inline]
    pub(super) fn span(&self, index: usize, cx: &HookContext) -> Option<Span> {
        self.details.as_ref()?.log.as_ref()?;
        hook_span(K::NAME, &self.plan.steps[index].id, cx)
    }

    /// Stops the chain.
    #[cold]
    pub(super) fn stop(&mut self, stop: End) -> Flow {
        self.details().stop = Some(stop);
        Flow::Stop
    }

    /// Merges the verdict of a hook that changes nothing, or applies its failure.
    #[inline(always)]
    pub(super) fn answered(&mut self, index: usize, answer: Answer<K::Verdict>) -> Flow {
        match answer {
            Ok(verdict) => self.decided(index, verdict),
            Err(fault) => self.failed(index, fault),
        }
    }

    /// Merges the hook's verdict, after its change (if any) was committed.
    #[inline(always)]
    pub(super) fn decided(&mut self, index: usize, verdict: K::Verdict) -> Flow {
        if verdict.is_silent() && self.details.is_none() { Flow::Next } else { self.merge(index, verdict) }
    }

    fn merge(&mut self, index: usize, mut verdict: K::Verdict) -> Flow {
        let word = verdict.summary();
        verdict.attribute(&self.plan.steps[index].id);
        self.record(|log| log.decided(index, &verdict));
        if self.is_shadow(index) {
            return self.shadowed(index, word);
        }
        let is_final = self.change_verdict(|merged| {
            merged.merge(verdict);
            merged.is_final()
        });
        self.recovered(index);
        self.record(|log| log.done(index, word));
        if is_final { self.stop(End::Decided) } else { Flow::Next }
    }

    /// Changes the verdict. If the app's code may panic, a copy is changed, which a panic drops half-changed.
    #[inline]
    fn change_verdict<T>(&mut self, change: impl FnOnce(&mut K::Verdict) -> T) -> T {
        if !<K::Verdict as Verdict>::MERGE_MAY_PANIC {
            return change(&mut self.verdict);
        }
        let mut changed = self.verdict.clone();
        let result = change(&mut changed);
        self.verdict = changed;
        result
    }

    /// Whether the hook is in shadow mode, so that its decision has no effect.
    pub(super) fn is_shadow(&self, index: usize) -> bool {
        self.plan.steps[index].is_shadow()
    }

    /// Records what a shadow hook would have decided.
    #[cold]
    fn shadowed(&mut self, index: usize, word: Option<&'static str>) -> Flow {
        if let Some(log) = self.log() {
            log.note(index, Note::Shadow);
            log.done(index, word);
        }
        Flow::Next
    }

    /// Records that the hook's change was committed.
    pub(super) fn changed(&mut self, index: usize, subject: &K::Subject) {
        let summary = self.verdict.summary();
        let outdated = self.change_verdict(Verdict::subject_changed);
        if let Some(log) = self.log() {
            log.changed(index, subject);
            if outdated {
                log.outdate(index, summary);
            }
        }
    }

    /// Records that the hook ends the turn. The first halt in plan order counts.
    #[cold]
    pub(super) fn halted(&mut self, index: usize, mut halt: Halt) -> Flow {
        if self.is_shadow(index) {
            return self.shadowed(index, Some("halt"));
        }
        let hook = &self.plan.steps[index].id;
        halt.by = Some(halt.attribution.as_ref().map_or(hook, |other| &other.id).clone());
        self.recovered(index);
        if let Some(log) = self.log() {
            log.attributed(index, halt.attribution.as_ref());
            log.done(index, Some("halt"));
        }
        let denial = matches!(K::SEMANTICS, Semantics::Gate).then(|| Denial::halted(&halt));
        self.details().report.halt.get_or_insert(halt);
        let Some(denial) = denial else { return Flow::Next };
        // Whoever reads only the verdict of a gate must not let the call pass. If the app's verdict cannot deny, the halt
        // is what is left.
        let _denied = catch(|| self.deny(denial));
        self.stop(End::Decided)
    }

    /// Ends the turn for a hook that took the subject by value and returned a halt as its error. What it made of the
    /// subject is lost, so a hook without which the subject may not go on keeps it from doing so.
    #[cold]
    pub(super) fn halted_without_subject(&mut self, index: usize, halt: Halt) -> Flow {
        match self.plan.steps[index].on_failure {
            OnFailure::Required if !self.is_shadow(index) => {
                let text =
                    format!("it returned a `Halt` ({}) without the subject; return `(subject, Halt)`", halt.reason);
                self.failed_for_good(index, HookError { kind: FailureKind::Error, text })
            }
            OnFailure::Remove if !self.is_shadow(index) => {
                let _ = self.halted(index, halt);
                self.stop(End::Removed(index))
            }
            _ => self.halted(index, halt),
        }
    }

    /// Records that the hook removed the subject.
    #[cold]
    pub(super) fn removed(&mut self, index: usize) -> Flow {
        if self.is_shadow(index) {
            return self.shadowed(index, Some("remove"));
        }
        self.recovered(index);
        self.record(|log| log.done(index, None));
        self.stop(End::Removed(index))
    }

    /// Whether the hook failed and its fallback must answer.
    #[inline]
    pub(super) fn falls_back(&self, index: usize) -> bool {
        self.details.as_ref().is_some_and(|details| details.failed.iter().any(|(failed, _)| *failed == index))
    }

    /// Whether a fallback has to run if the hook fails: not if there is none, or if it is what failed.
    fn can_fall_back(&self, index: usize) -> bool {
        self.plan.steps[index].fallback().is_some() && !self.falls_back(index) && !self.is_shadow(index)
    }

    /// Returns the answer, or `None` if it is a failure whose fallback has to run instead.
    pub(super) fn unless_fallback<T>(&mut self, index: usize, answer: Answer<T>) -> Option<Answer<T>> {
        match answer.map_err(in_turn::<K>) {
            Err(fault) if fault.is_failure() && self.can_fall_back(index) => {
                self.details().failed.push((index, (*fault.0).into()));
                None
            }
            answer => Some(answer),
        }
    }

    /// Takes the hook's own failure, once its fallback has finished.
    fn take_failed(&mut self, index: usize) -> Option<HookError> {
        let failed = &mut self.details.as_mut()?.failed;
        let at = failed.iter().position(|(failed, _)| *failed == index)?;
        Some(failed.swap_remove(at).1)
    }

    /// If the fallback answered, records how the hook failed.
    #[inline]
    fn recovered(&mut self, index: usize) {
        if let Some(cause) = self.take_failed(index) {
            let status = cause.kind.into();
            let failure = self.failure(index, &cause, true);
            warn(&failure);
            self.record(|log| log.fell_back(index, status, &failure.cause));
            self.details().report.failures.push(failure);
        }
    }

    fn failure(&self, index: usize, cause: &HookError, fell_back: bool) -> Failure {
        let step = &self.plan.steps[index];
        Failure {
            hook: step.id.clone(),
            kind: K::NAME,
            failure: cause.kind,
            cause: redacted(&cause.text),
            on_failure: step.on_failure,
            fell_back,
        }
    }

    /// Records that the event does not concern the hook.
    #[cold]
    fn not_selected(&mut self, index: usize) -> Flow {
        self.record(|log| log.not_selected(index));
        let id = self.plan.steps[index].id.clone();
        self.details().report.not_selected.push(id);
        Flow::Next
    }

    /// Runs the fallback if there is one, and otherwise applies the hook's `on_failure`.
    #[cold]
    pub(super) fn failed(&mut self, index: usize, fault: Fault) -> Flow {
        let cause = match *in_turn::<K>(fault).0 {
            FaultKind::Halt(halt) | FaultKind::HaltAndReplace(halt, _) => return self.halted(index, halt),
            FaultKind::Cancelled => return self.stop(End::Cancelled(index)),
            FaultKind::NoRuntime => return self.stop(End::NoRuntime(index)),
            FaultKind::NotSelected if !self.falls_back(index) => return self.not_selected(index),
            // A fallback that returns `NotSelected` does not answer: the hook was selected, and it has failed.
            fault @ (FaultKind::NotSelected | FaultKind::Failed(_)) => fault.into(),
        };
        if self.can_fall_back(index) {
            self.details().failed.push((index, cause));
            return Flow::FallBack;
        }
        self.failed_for_good(index, cause)
    }

    /// Applies the hook's `on_failure`.
    fn failed_for_good(&mut self, index: usize, last: HookError) -> Flow {
        let cause = match self.take_failed(index) {
            Some(first) => first.and(&last),
            None => last,
        };
        let (kind, status) = (cause.kind, cause.kind.into());
        let failure = self.failure(index, &cause, false);
        if self.is_shadow(index) {
            if let Some(log) = self.log() {
                log.note(index, Note::Shadow);
                log.failed(index, status, &failure.cause);
            }
            return Flow::Next;
        }
        warn(&failure);
        self.record(|log| log.failed(index, status, &failure.cause));
        self.details().report.failures.push(failure.clone());
        match failure.on_failure {
            OnFailure::Continue => Flow::Next,
            OnFailure::Remove => self.stop(End::Removed(index)),
            OnFailure::Deny => {
                // The verdict may be a type of the app, which may panic or have no denial. Continuing without one would
                // be an allow.
                let undenied = match catch(|| self.deny(Denial::could_not_answer(kind, &failure.hook))) {
                    Ok(true) => return self.stop(End::Decided),
                    Ok(false) => "the verdict has no denial: implement `from_denial`".to_owned(),
                    Err(panic) => format!("the verdict that denies panicked: {panic}"),
                };
                let cause = redacted(&format!("{}; {undenied}", failure.cause));
                self.stop(End::Required(Failure { cause, ..failure }))
            }
            OnFailure::Required => self.stop(End::Required(failure)),
        }
    }

    /// Merges a denial. Returns whether the verdict can deny.
    fn deny(&mut self, denial: Denial) -> bool {
        K::Verdict::from_denial(denial).map(|denial| self.verdict.merge(denial)).is_some()
    }

    /// Launches a detached or background hook.
    #[cold]
    pub(super) fn launch(
        &mut self,
        index: usize,
        cx: &HookContext,
        event: &K,
        subject: &K::Subject,
    ) -> Result<(), Fault> {
        let step = &self.plan.steps[index];
        let Some(launch) = step.extras.as_ref().and_then(|extras| extras.launch.as_ref()) else { return Ok(()) };
        if cx.is_replay() {
            self.record(|log| log.launched(index, Status::Skipped(Skip::Replay), None));
            return Ok(());
        }
        let (status, cause) = match launch.launch(cx, event, &mut self.details().event, subject) {
            Ok(status) => (status, None),
            Err(LaunchError::Dropped(cause)) => (Status::Dropped, Some(cause)),
            Err(LaunchError::Failed(text)) => return Err(Fault::error(text)),
        };
        if let Some(cause) = &cause {
            tracing::warn!(target: "hook_sdk", hook = %step.id, kind = K::NAME, cause, "hook dropped");
        }
        self.record(|log| log.launched(index, status, cause));
        Ok(())
    }
}

// Functions of their own, so that the code of an event is compiled once and not for each kind.
#[cold]
fn warn(Failure { hook, kind, failure, cause, on_failure, fell_back }: &Failure) {
    if *fell_back {
        tracing::warn!(target: "hook_sdk", %hook, kind, %failure, %cause, "hook failed; its fallback answered");
    } else {
        let on_failure = on_failure.as_str();
        tracing::warn!(target: "hook_sdk", %hook, kind, %failure, %cause, on_failure, "hook failed");
    }
}

/// A halt outside of a turn is an ordinary error.
pub(super) fn in_turn<K: HookKind>(fault: Fault) -> Fault {
    match *fault.0 {
        FaultKind::Halt(halt) | FaultKind::HaltAndReplace(halt, _) if !K::IN_TURN => Fault::error(format!(
            "it returned a `Halt` ({}), but there is no turn to end at `{}`; return another error",
            halt.reason,
            K::NAME
        )),
        other => Fault(Box::new(other)),
    }
}
