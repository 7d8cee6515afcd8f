//! A tool call: gates, the person, the tool, and the hooks that see its result.

use std::future::{Future, Ready, ready};
use std::time::{Duration, Instant};

use super::approval::{Approval, ToolQuestion};
use super::decision::{CallRefusal, CallState, Ruling};
use super::error::{StepError, StepErrorKind};
use super::mode::{StepMode, Waits, at_once};
use super::returned::IntoToolResult;
use crate::context::HookContext;
use crate::data::{Messages, ToolCall, ToolInfo, ToolInput, ToolResult};
use crate::dispatch::ReportData;
use crate::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, PermissionRequest};
use crate::plan::HookSet;
use crate::verdict::{Permission, Retry};

const NOT_RUN: &str = "Not run: the turn was cancelled";
const NOT_FINISHED: &str = "Not finished: the turn was cancelled";

/// A tool call with the hooks around it. Made by [`HookSet::tool_call`]. `A` answers the questions of gates.
#[must_use = "the call is neither judged nor run before `run`"]
#[derive(Debug)]
pub struct ToolCallStep<'a, A = fn(ToolQuestion) -> Ready<Approval>> {
    mode: StepMode<'a>,
    call: &'a ToolCall,
    info: Option<&'a ToolInfo>,
    history: Option<&'a Messages>,
    /// The question of an earlier turn, and its answer.
    held: Option<(&'a ToolQuestion, Box<Approval>)>,
    ask: A,
}

impl HookSet {
    /// Prepares a tool call: its gates judge it, [`ask`](ToolCallStep::ask) answers their questions, and
    /// [`run`](ToolCallStep::run) runs the tool if it may run.
    pub fn tool_call<'a>(&'a self, cx: &'a HookContext, call: &'a ToolCall) -> ToolCallStep<'a> {
        ToolCallStep { mode: StepMode::new(self, cx), call, info: None, history: None, held: None, ask: nobody }
    }
}

/// Denies every request.
fn nobody(_: ToolQuestion) -> Ready<Approval> {
    ready(Approval::No("There is nobody to ask".to_owned()))
}

impl<'a, A> ToolCallStep<'a, A> {
    /// The conversation up to the call, for the hooks that see the result.
    pub fn history(mut self, messages: &'a Messages) -> Self {
        self.history = Some(messages);
        self
    }

    /// What is known of the tool, for its gates.
    pub fn info(mut self, info: &'a ToolInfo) -> Self {
        self.info = Some(info);
        self
    }

    /// Makes the call again about which an earlier turn asked `question` before it was
    /// [suspended](StepErrorKind::Suspended), with the input that it had then. The gates judge it again. The answer
    /// approves only this question; what gates ask besides is [asked](Self::ask). A question about another call, by
    /// conversation, id and name, changes nothing.
    pub fn answered(mut self, question: &'a ToolQuestion, answer: impl Into<Approval>) -> Self {
        let is_elsewhere = question.conversation.as_deref().is_some_and(|id| self.mode.conversation() != Some(id));
        if !is_elsewhere && (&question.call.id, &question.call.name) == (&self.call.id, &self.call.name) {
            (self.call, self.held) = (&question.call, Some((question, Box::new(answer.into()))));
        }
        self
    }

    /// Sets what answers the questions of gates. Without it, a call about which a gate asks is denied.
    ///
    /// An async closure cannot move what it captures into its future; a closure that returns one can.
    pub fn ask<R: Future<Output: Into<Approval>>, F: FnMut(ToolQuestion) -> R>(self, ask: F) -> ToolCallStep<'a, F> {
        let Self { mode, call, info, history, held, .. } = self;
        ToolCallStep { mode, call, info, history, held, ask }
    }

    /// Like [`ask`](Self::ask), for a step without a runtime.
    pub fn ask_blocking<T: Into<Approval>>(
        self,
        mut ask: impl FnMut(ToolQuestion) -> T,
    ) -> ToolCallStep<'a, impl FnMut(ToolQuestion) -> Ready<T>> {
        self.ask(move |question| ready(ask(question)))
    }
}

impl<T: Into<Approval>, A: FnMut(ToolQuestion) -> Ready<T>> ToolCallStep<'_, A> {
    /// Like [`run`](Self::run), without a runtime.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and an `async` or `blocking` hook at a kind that this call fires: then the tool does
    /// not run.
    pub fn run_blocking<O: IntoToolResult>(self, tool: impl FnOnce(ToolInput) -> O) -> Result<ToolResult, StepError> {
        let mut tool = Some(tool);
        let mode = self.mode.blocking();
        at_once(self.step(mode, 1, |input| tool.take().map(|tool| ready(tool(input)))))
    }

    /// Like [`run_up_to`](Self::run_up_to), without a runtime.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn run_up_to_blocking<O: IntoToolResult>(
        self,
        times: u32,
        mut tool: impl FnMut(ToolInput) -> O,
    ) -> Result<ToolResult, StepError> {
        let mode = self.mode.blocking();
        at_once(self.step(mode, times, |input| Some(ready(tool(input)))))
    }
}

/// The runs of the tool of one call.
#[derive(Clone, Copy, Default)]
struct ToolRuns {
    /// How long the last one took.
    took: Duration,
    count: u32,
}

/// How a call ended.
struct CallEnd {
    /// What the model reads in its place if a hook removed it.
    result: Result<ToolResult, String>,
    error: Option<String>,
    runs: ToolRuns,
    /// Set if the turn ends.
    end: Option<StepError>,
}

impl CallEnd {
    /// The end of a call with what the hooks left of its result.
    fn left(result: Option<ToolResult>, error: Option<String>, runs: ToolRuns, report: &ReportData) -> Self {
        let end = report.halt.clone().map(|halt| StepErrorKind::Halted(halt).into());
        Self { result: result.ok_or_else(|| removed(report)), error, runs, end }
    }

    /// The call did not run, or has no result that may be read.
    fn without_result(text: String, end: Option<StepError>) -> Self {
        let result = Ok(ToolResult::error(text.as_str()));
        Self { result, error: Some(text), runs: ToolRuns::default(), end }
    }
}

impl<R: Future<Output: Into<Approval>>, A: FnMut(ToolQuestion) -> R> ToolCallStep<'_, A> {
    /// Runs the tool with the input that the gates have judged, if it may run. Returns what the model reads.
    ///
    /// # Errors
    /// [`StepError`] if the turn ends. It contains the result of the call.
    pub async fn run<O: Future<Output: IntoToolResult>>(
        self,
        tool: impl FnOnce(ToolInput) -> O,
    ) -> Result<ToolResult, StepError> {
        let mut tool = Some(tool);
        let mode = self.mode;
        self.step(mode, 1, |input| tool.take().map(|tool| tool(input))).await
    }

    /// Like [`run`](Self::run), for a tool that may run again after it failed: up to `times` in all, if hooks at
    /// `after_tool_call_failure` request it.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub async fn run_up_to<O: Future<Output: IntoToolResult>>(
        self,
        times: u32,
        mut tool: impl FnMut(ToolInput) -> O,
    ) -> Result<ToolResult, StepError> {
        let mode = self.mode;
        self.step(mode, times, |input| Some(tool(input))).await
    }

    /// `tool` is `None` if it cannot run again.
    async fn step<W: Waits, O: Future<Output: IntoToolResult>>(
        mut self,
        mode: StepMode<'_, W>,
        times: u32,
        mut tool: impl FnMut(ToolInput) -> Option<O>,
    ) -> Result<ToolResult, StepError> {
        let call = self.call;
        // What no hook watches is not paid for: the state of the parts that fire.
        if self.held.is_none() && !Self::is_watched(mode) {
            mode.go_on().map_err(|end| end.with_result(call, ToolResult::error(NOT_RUN)))?;
            let cancelled = || StepError::from(StepErrorKind::Cancelled);
            let result = run_once(mode, tool(call.input.clone())).await;
            return result.ok_or_else(|| cancelled().with_result(call, ToolResult::error(NOT_FINISHED)));
        }
        let (input, ended) = match self.judged(mode).await {
            Ok((input, Ruling::Run)) => {
                let ended = self.run_tool(mode, &input, times, &mut tool).await;
                (input, ended)
            }
            Ok((input, Ruling::Answer(result))) => {
                let ended = self.succeeded(mode, &input, result, ToolRuns::default()).await;
                (input, ended)
            }
            Ok((input, Ruling::Refuse(refusal))) => (input, CallEnd::without_result(refusal.message, None)),
            Err(end) => {
                let text = match end.kind() {
                    StepErrorKind::Suspended(_) => return Err(end),
                    StepErrorKind::Halted(halt) => CallRefusal::halted(halt).message,
                    StepErrorKind::Cancelled => NOT_RUN.to_owned(),
                    _ => "Not run: a hook failed".to_owned(),
                };
                (call.input.clone(), CallEnd::without_result(text, Some(end)))
            }
        };
        self.over(mode, input, ended).await
    }

    /// Whether a hook of a tool call is in force.
    fn is_watched<W: Waits>(mode: StepMode<'_, W>) -> bool {
        mode.has::<BeforeToolCall>()
            || mode.has::<AfterToolCallSuccess>()
            || mode.has::<AfterToolCallFailure>()
            || mode.has::<AfterToolCall>()
    }

    /// Fires `after_tool_call`, and ends the step.
    async fn over<W: Waits>(
        &self,
        mode: StepMode<'_, W>,
        input: ToolInput,
        ended: CallEnd,
    ) -> Result<ToolResult, StepError> {
        let CallEnd { result, error, runs, mut end } = ended;
        let is_error = error.is_some();
        if mode.has::<AfterToolCall>() {
            let mut event = AfterToolCall::new(self.call.clone(), input).duration(runs.took).attempt(runs.count);
            event.result = result.as_ref().ok().cloned();
            event.error = error;
            end = end.or(mode.fire(&event, ()).await.err());
        }
        let result = result.unwrap_or_else(|removed| {
            let mut result = ToolResult::new(removed);
            result.is_error = is_error;
            result
        });
        match end {
            Some(end) => Err(end.with_result(self.call, result)),
            None => Ok(result),
        }
    }

    /// The decision about the call, and the input that was judged.
    async fn judged<W: Waits>(&mut self, mode: StepMode<'_, W>) -> Result<(ToolInput, Ruling), StepError> {
        mode.can_fire::<PermissionRequest>()?;
        mode.can_fire::<AfterToolCallSuccess>()?;
        mode.can_fire::<AfterToolCallFailure>()?;
        mode.can_fire::<AfterToolCall>()?;
        let mut state = match &self.held {
            Some((question, _)) => {
                mode.go_on()?;
                CallState::resumed((*question).clone(), None)
            }
            None => {
                let (verdict, input) = self.by_gates(mode, self.call.input.clone()).await?;
                // Most calls are not asked about, and need no state.
                if matches!(verdict, Permission::NoOpinion | Permission::Allow) {
                    return Ok((input, Ruling::Run));
                }
                CallState::judged(self.call, verdict, input)
            }
        };
        loop {
            state = match state {
                CallState::Judge(call) => {
                    let (verdict, input) = self.by_gates(mode, call.input().clone()).await?;
                    call.by_gates(verdict, input)
                }
                CallState::Request(call) if !mode.has::<PermissionRequest>() => {
                    let input = call.question().input.clone();
                    call.by_hooks(Permission::NoOpinion, input)
                }
                CallState::Request(call) => {
                    let asked = call.question();
                    let event = PermissionRequest::new(self.call.clone()).reason(asked.question.reason.as_str());
                    let fired = mode.fire(&event.deferred(asked.deferred), asked.input.clone()).await?;
                    call.by_hooks(fired.verdict, fired.subject)
                }
                CallState::Ask(call) => match self.held.take_if(|_| call.is_held()) {
                    Some((_, answer)) => call.by_approver(*answer),
                    None => {
                        let answer = (self.ask)(mode.asked(&call));
                        let answer = mode.run_until(answer).await;
                        call.by_approver(answer.ok_or(StepErrorKind::Cancelled)?.into())
                    }
                },
                CallState::Suspend(call) => {
                    return Err(StepErrorKind::Suspended(Box::new(mode.asked(&call))).into());
                }
                CallState::Decided(input, ruling) => return Ok((input, ruling)),
            };
        }
    }

    /// What the hooks at `before_tool_call` say about this input, and what they make of it.
    async fn by_gates<W: Waits>(
        &self,
        mode: StepMode<'_, W>,
        input: ToolInput,
    ) -> Result<(Permission, ToolInput), StepError> {
        if !mode.has::<BeforeToolCall>() {
            return Ok((Permission::NoOpinion, input));
        }
        let mut event = BeforeToolCall::new(self.call.clone());
        event.info = self.info.cloned();
        let fired = mode.fire(&event, input).await?;
        Ok((fired.verdict, fired.subject))
    }

    /// Runs the tool, and again if hooks request it.
    async fn run_tool<W: Waits, O: Future<Output: IntoToolResult>>(
        &self,
        mode: StepMode<'_, W>,
        input: &ToolInput,
        times: u32,
        run: &mut impl FnMut(ToolInput) -> Option<O>,
    ) -> CallEnd {
        if let Err(end) = mode.go_on() {
            return CallEnd::without_result(NOT_RUN.to_owned(), Some(end));
        }
        let mut runs = ToolRuns::default();
        loop {
            runs.count += 1;
            let start = Instant::now();
            let result = run_once(mode, run(input.clone())).await;
            runs.took = start.elapsed();
            let Some(result) = result else {
                let ended = CallEnd::without_result(NOT_FINISHED.to_owned(), Some(StepErrorKind::Cancelled.into()));
                return CallEnd { runs, ..ended };
            };
            if !result.is_error {
                return self.succeeded(mode, input, result, runs).await;
            }
            let (ended, again) = self.failed(mode, input, result, runs, times).await;
            let Some(wait) = again else { return ended };
            match mode.sleep(wait).await {
                Ok(true) => {}
                Ok(false) => return ended,
                Err(end) => return CallEnd { end: Some(end), ..ended },
            }
        }
    }

    async fn succeeded<W: Waits>(
        &self,
        mode: StepMode<'_, W>,
        input: &ToolInput,
        result: ToolResult,
        runs: ToolRuns,
    ) -> CallEnd {
        if !mode.has::<AfterToolCallSuccess>() {
            return CallEnd::left(Some(result), None, runs, &ReportData::default());
        }
        let mut event = AfterToolCallSuccess::new(self.call.clone(), input.clone()).duration(runs.took);
        if let Some(history) = self.history {
            event.history.clone_from(history);
        }
        match mode.dispatch(&event, result).await {
            Ok(fired) => CallEnd::left(fired.subject, None, runs, &fired.report),
            Err(error) => CallEnd { runs, ..withheld(error.into()) },
        }
    }

    /// How the call ends, and the wait if the tool runs again instead.
    async fn failed<W: Waits>(
        &self,
        mode: StepMode<'_, W>,
        input: &ToolInput,
        result: ToolResult,
        runs: ToolRuns,
        times: u32,
    ) -> (CallEnd, Option<Duration>) {
        let error = result.text().into_owned();
        if !mode.has::<AfterToolCallFailure>() {
            return (CallEnd::left(Some(result), Some(error), runs, &ReportData::default()), None);
        }
        let may_retry = runs.count < times;
        let event = AfterToolCallFailure::new(self.call.clone(), input.clone(), error.as_str());
        let mut event = event.duration(runs.took).attempt(runs.count).may_retry(may_retry);
        if let Some(history) = self.history {
            event.history.clone_from(history);
        }
        match mode.dispatch(&event, result).await {
            Ok(fired) => {
                let again = match (fired.verdict, &fired.report.halt) {
                    (Retry::After(wait), None) if may_retry => Some(wait),
                    _ => None,
                };
                // What hooks masked or removed is not told as the error either.
                let error = match &fired.subject {
                    Some(left) => left.text().into_owned(),
                    None => removed(&fired.report),
                };
                (CallEnd::left(fired.subject, Some(error), runs, &fired.report), again)
            }
            Err(failed) => (CallEnd { runs, ..withheld(failed.into()) }, None),
        }
    }
}

/// The result of one run of the tool. `None` if the turn was cancelled first, or if the tool cannot run again.
async fn run_once<W: Waits, O: Future<Output: IntoToolResult>>(
    mode: StepMode<'_, W>,
    run: Option<O>,
) -> Option<ToolResult> {
    mode.run_until(run?).await.map(IntoToolResult::into_tool_result)
}

/// The tool ran, but not all hooks that must see its result did, so that nobody may read it.
fn withheld(end: StepError) -> CallEnd {
    let why = match end.kind() {
        StepErrorKind::Cancelled => "the turn was cancelled",
        _ => "a required hook failed",
    };
    CallEnd::without_result(format!("The tool ran. Its result is withheld: {why}"), Some(end))
}

/// What the model reads in place of a result that a hook removed.
fn removed(report: &ReportData) -> String {
    let by = report.removed_by.as_ref().map(|hook| format!(" by {hook}")).unwrap_or_default();
    format!("[result removed{by}]")
}
