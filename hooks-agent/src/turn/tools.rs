//! Runs the tool calls of an answer: judged in order, and run concurrently if possible.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use hook_sdk::data::{ToolCall, ToolInput, Usage};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::ExitReason;
use hook_sdk::protocol::decision::{CallRefusal, Ruling};
use hook_sdk::verdict::Halt;

use super::TurnLoop;
use super::call::LEVELS;
use super::end::End;
use super::gate::Judged;
use super::result::{CallOutcome, EndedCall};
use crate::agents::SubAgent;
use crate::approve::ApprovalRequest;
use crate::event::TurnEvent;
use crate::inputs::Timing;
use crate::panics::contained;
use crate::reply::TurnError;
use crate::tool::Tool;

/// Counts consecutive equal calls.
#[derive(Default)]
pub(super) struct Repeats {
    last: Option<(String, ToolInput)>,
    times: u32,
}

impl Repeats {
    /// Counts a call. Returns whether the model made it for the `limit`th time in a row, and then starts again.
    pub(super) fn is_at(&mut self, call: &ToolCall, limit: u32) -> bool {
        let this = Some((call.name.clone(), call.input.clone()));
        self.times = if self.last == this { self.times + 1 } else { 1 };
        self.last = this;
        let is_at = self.times >= limit;
        if is_at {
            *self = Self::default();
        }
        is_at
    }
}

/// What runs a call.
enum Runner {
    Tool(Arc<dyn Tool>),
    Agent(Arc<SubAgent>),
}

/// A call after the gates.
struct ReadyCall {
    call: ToolCall,
    input: ToolInput,
    /// The input before the gates.
    given: ToolInput,
    /// What runs it, or its outcome if nothing does.
    runner: Result<Runner, CallOutcome>,
}

/// The outcome of running a call.
pub(super) struct CallRun {
    pub(super) outcome: CallOutcome,
    /// The tokens of a sub-agent.
    pub(super) usage: Usage,
    /// The halt of a sub-agent that also ends this turn.
    pub(super) halt: Option<Halt>,
    /// The approval that a sub-agent waits for. This call then waits too.
    pub(super) waits: Option<Box<ApprovalRequest>>,
    /// The error of a sub-agent that waits on.
    pub(super) failed: Option<String>,
    pub(super) time: Timing,
}

impl From<CallOutcome> for CallRun {
    fn from(outcome: CallOutcome) -> Self {
        Self { outcome, usage: Usage::default(), halt: None, waits: None, failed: None, time: Timing::default() }
    }
}

impl CallRun {
    /// How the turn ends if the sub-agent `agent` waits on, and its turn was not suspended.
    fn end(&self, agent: &str) -> Option<End> {
        self.waits.as_ref()?;
        match (&self.failed, &self.halt) {
            (Some(error), _) => Some(TurnError::Agent { agent: agent.to_owned(), error: error.clone() }.into()),
            (_, halt) => halt.clone().map(End::halted),
        }
    }
}

impl TurnLoop {
    /// Runs the calls of an answer: adjacent parallel calls concurrently, the others one after the other.
    pub(super) async fn run_calls(&mut self, calls: Vec<ToolCall>) -> Result<(), End> {
        for together in self.groups(calls) {
            self.run_together(together).await?;
        }
        Ok(())
    }

    /// Stores a result for each call that does not run because the model repeats itself.
    pub(super) async fn leave_out(&mut self, calls: Vec<ToolCall>) -> Result<(), End> {
        for call in calls {
            let (input, why) = (call.input.clone(), "Not run: the same call was made too often".to_owned());
            self.finish(call, input, CallOutcome::NotDone(why).into()).await?;
        }
        Ok(())
    }

    /// Groups of calls. The groups run in sequence, the calls of a group concurrently. Each call has the name of the
    /// tool that runs it.
    ///
    /// Calls up to one that waits were judged together, whatever is known of their tools now: or else those before it
    /// would have their results.
    pub(super) fn groups(&self, calls: Vec<ToolCall>) -> Vec<Vec<ToolCall>> {
        let last_waits = calls.iter().rposition(|call| self.calls.waiting.has(&call.id));
        let mut groups: Vec<Vec<ToolCall>> = Vec::new();
        for (at, call) in calls.into_iter().map(|call| self.routed(call)).enumerate() {
            let is_joined = |last: &ToolCall| self.is_parallel(last) && self.is_parallel(&call);
            match groups.last_mut() {
                Some(last) if last_waits >= Some(at) || last.last().is_some_and(is_joined) => last.push(call),
                _ => groups.push(vec![call]),
            }
        }
        groups
    }

    fn is_parallel(&self, call: &ToolCall) -> bool {
        self.spec_of(call).is_some_and(|tool| tool.parallel)
    }

    /// Runs a group of calls from the gates to the stored results: first of those that do not run, then of the others.
    /// Gates, hooks and the store see them in order, whichever finishes first.
    async fn run_together(&mut self, calls: Vec<ToolCall>) -> Result<(), End> {
        self.go_on(ExitReason::AbortedDuringTools)?;
        let mut judged = Vec::with_capacity(calls.len());
        for call in calls {
            match self.judge(&call).await {
                Ok(ruling) => judged.push((call, ruling)),
                // None of them was started, so all of them wait.
                Err(exit) if exit.is_suspended() || self.calls.wait => return Err(exit),
                Err(exit) => {
                    let why = if exit.is_cancelled() { "the turn was cancelled" } else { "the gate failed" };
                    let (input, not_run) = (call.input.clone(), format!("Not run: {why}"));
                    let judged = judged.into_iter().map(|(call, Judged { input, .. })| (call, input));
                    let calls: Vec<_> = judged.chain([(call, input)]).collect();
                    let questions: Vec<_> = calls.iter().map(|(call, _)| call.clone()).collect();
                    self.abandon_questions(&questions).await?;
                    for (call, input) in calls {
                        let outcome = CallOutcome::NotDone(not_run.clone());
                        self.finish(call, input, outcome.into()).await?;
                    }
                    return Err(exit);
                }
            }
        }
        let mut judged = self.settle(judged).await?;
        self.claim(&mut judged).await?;
        let ready: Vec<_> = judged.into_iter().map(|(call, judged)| self.ready(call, judged)).collect();
        let this = &*self;
        let runs =
            ready.iter().map(|ready| -> BoxFuture<'_, Option<(CallRun, Duration)>> { Box::pin(this.run(ready)) });
        let runs: Vec<_> = runs.collect();
        // A tool that was parallel when the calls were judged may not be so any more.
        let at_once = if ready.iter().all(|ready| this.is_parallel(&ready.call)) { this.limits().parallel } else { 1 };
        let runs: Vec<_> = stream::iter(runs).buffered(at_once.max(1)).collect().await;
        let recorded = |(ready, run): (&ReadyCall, Option<(CallRun, Duration)>)| {
            run.map(|(run, took)| (this.as_recorded(&ready.call, run), took))
        };
        let runs: Vec<_> = ready.iter().zip(runs).map(recorded).collect();
        let all = || runs.iter().flatten().map(|(run, _)| run);
        let waits = all().find_map(|run| run.waits.clone());
        let end = ready.iter().zip(&runs).find_map(|(ready, run)| run.as_ref()?.0.end(&ready.call.name));
        let is_halted = self.halted.is_some() || all().any(|run| run.halt.is_some() && run.waits.is_none());
        // Before the other results, because a failure at one of them does not end the wait. A halt does.
        self.calls.wait = waits.is_some() && !is_halted;
        self.calls.wait_for = waits;
        let finished = self.finish_all(ready.into_iter().zip(runs)).await;
        let kept = self.keep_contexts().await;
        finished?;
        kept?;
        // A hook at a result may have halted the turn.
        self.calls.wait &= self.halted.is_none();
        match &self.calls.wait_for {
            Some(request) if self.calls.wait => {
                self.go_on(ExitReason::AbortedDuringTools)?;
                Err(end.unwrap_or_else(|| End::suspended((**request).clone())))
            }
            _ => Ok(()),
        }
    }

    /// Stores the results of the calls of a group that do not run, and closes the questions about them. Returns the others,
    /// none of which has started: while a call runs, no question of its group is open. So a question that is still open
    /// after the process was killed says that no call of its group was started.
    ///
    /// An answer is taken with the result of the call, not before: else a kill in between would lose it.
    async fn settle(&mut self, judged: Vec<(ToolCall, Judged)>) -> Result<Vec<(ToolCall, Judged)>, End> {
        if self.calls.wait {
            self.go_on(ExitReason::AbortedDuringTools)?;
        }
        let waiting = judged.iter().filter(|(call, of)| of.answered.is_some() || self.calls.waiting.has(&call.id));
        let mut waiting: Vec<_> = waiting.map(|(call, _)| call.id.clone()).collect();
        let runs = |(call, judged): &(ToolCall, Judged)| {
            let may_run = self.halted.is_none() && matches!(judged.ruling, Ruling::Run);
            may_run && self.runner(call, &judged.input).is_ok()
        };
        let (runs, settled): (Vec<_>, Vec<_>) = judged.into_iter().partition(runs);
        // An agent that waits may not go on any more. Then the questions in its turn are closed too.
        let ended = settled.iter().filter(|(call, _)| self.calls.waiting_agents.contains_key(&call.id));
        let ended: Vec<_> = ended.map(|(call, _)| call.clone()).collect();
        if !ended.is_empty() {
            self.abandon_questions(&ended).await?;
            waiting.retain(|id| ended.iter().all(|call| call.id != *id));
        }
        self.calls.wait &= !waiting.is_empty();
        for (call, judged) in settled {
            let asked = judged.asked;
            let ReadyCall { call, input, runner, .. } = self.ready(call, judged);
            let outcome = runner.err().unwrap_or_else(|| CallOutcome::NotDone("Not run".to_owned()));
            let finished = self.finish(call.clone(), input, outcome.into()).await;
            if finished.is_err() && self.calls.wait && self.is_open(&call) {
                // It waits on, with the others.
                return finished.map(|()| runs);
            }
            waiting.retain(|id| *id != call.id);
            self.calls.wait &= !waiting.is_empty();
            if asked {
                self.close_questions(&[call]).await?;
            }
            finished?;
        }
        Ok(runs)
    }

    /// Closes the questions about the calls that run before any of them starts, so that no other turn runs them or says that
    /// they did not run. A call whose question somebody else has closed does not run. If a resumed turn ends here, nothing
    /// has run, so its answers are left to the next one.
    async fn claim(&mut self, judged: &mut [(ToolCall, Judged)]) -> Result<(), End> {
        if self.calls.wait {
            self.go_on(ExitReason::AbortedDuringTools)?;
        }
        let asked = judged.iter().filter(|(_, judged)| judged.asked);
        let (asked, answered): (Vec<_>, Vec<_>) =
            asked.map(|(call, judged)| (call.clone(), judged.answered.clone())).unzip();
        let closed = if asked.is_empty() { Ok(Vec::new()) } else { self.close_questions(&asked).await };
        let is_cancelled = self.cancellation.is_cancelled();
        if self.calls.wait && (closed.is_err() || is_cancelled) {
            self.reopen_questions(answered.into_iter().flatten()).await;
        }
        let taken = closed?;
        if self.calls.wait && is_cancelled {
            return Err(End::cancelled(ExitReason::AbortedDuringTools));
        }
        self.calls.wait = false;
        for (call, judged) in judged {
            if taken.contains(&call.id) {
                let message = "Not run: the question about it was closed meanwhile".to_owned();
                judged.ruling = Ruling::Refuse(CallRefusal::new(message));
            }
        }
        Ok(())
    }

    /// Stores the results of a group of calls, except for those that wait.
    async fn finish_all(
        &mut self,
        calls: impl Iterator<Item = (ReadyCall, Option<(CallRun, Duration)>)>,
    ) -> Result<(), End> {
        for (ReadyCall { call, input, runner, .. }, run) in calls {
            let ended = match (run, runner) {
                (Some((run, took)), runner) => {
                    self.note_result(&call, &run);
                    self.draft.usage += run.usage;
                    if run.waits.is_some() {
                        continue;
                    }
                    self.halted = self.halted.take().or(run.halt);
                    let again = runner.ok().and_then(|runner| self.repeatable(&call, runner));
                    EndedCall { outcome: run.outcome, took, attempt: 1, again }
                }
                (None, Err(outcome)) => outcome.into(),
                (None, Ok(_)) => CallOutcome::NotDone("Not run".to_owned()).into(),
            };
            self.finish(call, input, ended).await?;
        }
        Ok(())
    }

    /// Starts a call in its order. From here on it may have effects, even if its result gets lost.
    fn ready(&mut self, call: ToolCall, judged: Judged) -> ReadyCall {
        let Judged { input, given, ruling, .. } = judged;
        let runner = match (ruling, &self.halted) {
            (Ruling::Run, Some(halt)) => Err(CallOutcome::Refused(CallRefusal::halted(halt))),
            // What is cancelled is not polled, so it would not start.
            (Ruling::Run, None) if self.cancellation.is_cancelled() => {
                Err(CallOutcome::NotDone("Not run: the turn was cancelled".to_owned()))
            }
            (Ruling::Run, None) => self.runner(&call, &input),
            (Ruling::Refuse(refusal), _) => Err(CallOutcome::Refused(refusal)),
            // Treated like a result of the tool.
            (Ruling::Answer(result), _) => Err(CallOutcome::of(result)),
        };
        if runner.is_ok() {
            self.calls.started.insert(call.id.clone());
            self.emit(|| TurnEvent::ToolStarted(self.shown_call(&call)));
        }
        ReadyCall { call, input, given, runner }
    }

    fn runner(&self, call: &ToolCall, input: &ToolInput) -> Result<Runner, CallOutcome> {
        let parts = &self.session.harness;
        let offered = self.spec_of(call).is_some();
        if let Some(agent) = parts.agents.get(&call.name).filter(|_| offered) {
            self.may_ask(call, input)?;
            return Ok(Runner::Agent(Arc::clone(agent)));
        }
        let Some(tool) = parts.tools.get(&call.name).filter(|_| offered) else {
            return Err(self.no_such_tool(call));
        };
        if input.is_string() {
            let text = format!(
                "the arguments are not JSON of at most {LEVELS} levels; write an object that fits the tool's schema"
            );
            return Err(CallOutcome::failed(text));
        }
        Ok(Runner::Tool(Arc::clone(tool)))
    }

    /// Runs a call, if something runs it, and measures its duration.
    async fn run(&self, ready: &ReadyCall) -> Option<(CallRun, Duration)> {
        let (start, began) = (Instant::now(), self.begin());
        let mut run: CallRun = match ready.runner.as_ref().ok()? {
            Runner::Agent(agent) => self.delegate(agent, &ready.call, &ready.input, &ready.given).await,
            Runner::Tool(tool) => self.run_tool(&**tool, &ready.call, &ready.input).await.into(),
        };
        run.time = began.end();
        Some((run, start.elapsed()))
    }

    /// The tool of a call, if it may run again.
    fn repeatable(&self, call: &ToolCall, runner: Runner) -> Option<Arc<dyn Tool>> {
        let idempotent = self.spec_of(call).is_some_and(|tool| tool.idempotent);
        match runner {
            Runner::Tool(tool) if idempotent => Some(tool),
            Runner::Tool(_) | Runner::Agent(_) => None,
        }
    }

    /// Runs the tool of a failed call again after `wait`, because a hook requested it. `None` if the turn was cancelled
    /// meanwhile.
    pub(super) async fn run_again(
        &mut self,
        call: &ToolCall,
        input: &ToolInput,
        failed: &EndedCall,
        wait: Duration,
    ) -> Option<EndedCall> {
        let tool = failed.again.clone()?;
        if !self.pause(wait).await {
            return None;
        }
        let (start, began) = (Instant::now(), self.begin());
        let mut run: CallRun = self.run_tool(&*tool, call, input).await.into();
        run.time = began.end();
        self.note_result(call, &run);
        Some(EndedCall { outcome: run.outcome, took: start.elapsed(), attempt: failed.attempt + 1, again: Some(tool) })
    }

    async fn run_tool(&self, tool: &dyn Tool, call: &ToolCall, input: &ToolInput) -> CallOutcome {
        let limit = self.limits().tool;
        let run = contained(async { tool.run(&self.cx, call, input.clone()).await });
        match self.cancellation.run_until_cancelled(tokio::time::timeout(limit, run)).await {
            None => CallOutcome::NotDone("Not finished: the turn was cancelled".to_owned()),
            Some(Ok(Ok(Ok(result)))) => CallOutcome::of(result),
            Some(Ok(Ok(Err(error)))) => CallOutcome::failed(error.to_string()),
            Some(Ok(Err(_panic))) => CallOutcome::failed(format!("the tool `{}` crashed", call.name)),
            Some(Err(_)) => CallOutcome::failed(format!("the tool `{}` timed out after {limit:?}", call.name)),
        }
    }
}
