//! A turn, from the prompt to its end.
//!
//! This module has the order of the steps, and each step has its own file. A step that cannot continue returns an
//! [`End`] as its error. However a turn ends, its conversation stays well formed, and `turn_end` fires exactly once.

mod ask;
mod call;
mod compact;
mod delegate;
mod end;
mod fire;
mod gate;
mod handle;
mod inputs;
mod lineage;
mod offer;
mod pairs;
mod phases;
mod prompt;
mod result;
mod resume;
mod room;
mod rows;
mod steering;
mod stop;
mod stream;
mod tools;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use hook_sdk::data::{Message, Messages, ToolCall, Usage};
use hook_sdk::kinds::{ExitReason, StopReason};
use hook_sdk::verdict::{Contexts, Contributions, Diagnostic, Halt};
use hook_sdk::{CancellationToken, ConfigError, HookContext, HookSet};
use tracing::Instrument;

use crate::approve::ApprovalRequest;
use crate::budget::Budget;
use crate::event::TurnEvent;
use crate::event_queue::EventSender;
use crate::injected;
use crate::inputs::{TurnInputs, WaitingInput};
use crate::limits::Limits;
use crate::panics::{self, contained};
use crate::reply::{EndedBy, Outcome, Reply, TurnError};
use crate::request::TurnRequest;
use crate::state::SessionState;
use crate::store::{self, Lease, StoreError, StoredConversation};
use crate::tool::ToolSpec;
use crate::window::Counted;
use ask::Step;
pub(crate) use compact::compact;
use end::End;
pub use handle::Turn;
pub(crate) use handle::begin;
use lineage::Lineage;
use pairs::paired;
use room::Room;
pub use steering::Steering;
use tools::Repeats;

/// What a turn starts with.
struct Start {
    session: Arc<SessionState>,
    request: TurnRequest,
    events: EventSender,
    steering: Steering,
    cancellation: CancellationToken,
}

impl Start {
    /// The reply of a turn that ends before it begins.
    fn ends(&self, outcome: Outcome) -> Reply {
        self.session.report(&self.session.cx, self.steering.not_begun(outcome))
    }
}

/// A running turn.
struct TurnLoop {
    session: Arc<SessionState>,
    asked: TurnRequest,
    hooks: HookSet,
    budget: Arc<Budget>,
    cx: HookContext,
    /// The same, for work that a cancellation must not stop.
    to_end: HookContext,
    cancellation: CancellationToken,
    events: EventSender,
    steering: Steering,
    /// The text of the prompt.
    input: String,
    /// Whether the prompt was accepted. Otherwise there is nothing for `post_turn`.
    taken: bool,
    /// The first halt that a hook returned.
    halted: Option<Halt>,
    /// The lease for changes of the conversation.
    lease: Option<u64>,
    transcript: Transcript,
    model: ModelInput,
    calls: Calls,
    counts: Counts,
    room: Room,
    draft: Draft,
    /// The text of the current answer that was shown, until the answer is stored.
    shown: String,
    /// Whether the current answer may only be shown after all hooks have judged it.
    is_deferred: bool,
    /// The inputs of the turn, if there is a listener for them.
    inputs: Option<Box<TurnInputs>>,
}

/// The conversation, as the model reads it and as it is stored.
#[derive(Default)]
struct Transcript {
    /// What the model reads: the stored messages and what hooks added for this turn.
    view: Messages,
    /// Maps messages of the view to stored rows.
    lineage: Lineage,
    /// The messages that this turn stored.
    added: Messages,
}

/// The input of the model besides the conversation.
struct ModelInput {
    /// The system prompt.
    system_prompt: String,
    /// The tools that are offered.
    tools: Vec<ToolSpec>,
    /// The tools that hooks allow; `None` for all.
    allowed: Option<BTreeSet<String>>,
    /// The tools that hooks left in the last request; `None` for all.
    only: Option<Vec<String>>,
    /// The token counts of the parts of the input.
    counted: Counted,
    /// The profile to which hooks at `post_model_call` routed the calls of the turn.
    routed: Option<String>,
    /// The model of the last answer, if its provider reports it.
    answered_by: Option<String>,
}

/// The state of the tool calls of a turn.
#[derive(Default)]
struct Calls {
    /// The ids of the calls that were stored when the turn began, including those that hooks hide from the model.
    stored: HashSet<String>,
    /// The ids of the calls in rows that a summary replaces, once they were read.
    folded: Option<BTreeSet<String>>,
    /// The ids of the calls whose tool was started.
    started: HashSet<String>,
    /// The ids of the calls of an earlier turn whose tool it may have started.
    unknown: HashSet<String>,
    /// The calls of an earlier turn with which this one continues.
    resumed: Vec<ToolCall>,
    /// Those of them that wait for an approval.
    waiting: WaitingInput,
    /// Whether calls wait: this turn has not closed the questions about them, or an agent that they ask waits. Whatever
    /// ends the turn then leaves them open.
    wait: bool,
    /// What an agent that this turn asked waits for.
    wait_for: Option<Box<ApprovalRequest>>,
    /// The request of an earlier turn, or of an agent's turn in it, with which this turn continues.
    asked: Option<ApprovalRequest>,
    /// The conversations of agents that wait, and for what, by the id of the call that asks them.
    waiting_agents: HashMap<String, (String, ApprovalRequest)>,
    /// Contexts from hooks for the results of a message, until all results are stored.
    contexts: Vec<String>,
    /// Whether a message that another role says was stored among the results of a message.
    relayed: bool,
    repeats: Repeats,
}

/// The counters of a turn.
#[derive(Default)]
struct Counts {
    iterations: u32,
    /// How often hooks at `post_model_call` continued the turn.
    continues: u32,
    /// How often hooks at `stop` continued the turn since the last tool call.
    stop_continues: u32,
    /// Whether a hook at `stop` ever did.
    stop_hook_active: bool,
}

/// The parts of the reply.
#[derive(Default)]
struct Draft {
    /// The model's answer, once hooks have judged it and it is stored.
    answer: Option<Message>,
    /// The truncated answers that the next one continues. Only the model has read them.
    halves: Vec<Message>,
    contexts: Contexts,
    system_messages: Vec<String>,
    /// The hook at `stop` that ended the turn.
    ended: Option<EndedBy>,
    /// The contributions of hooks in the phases.
    contributions: Contributions,
    /// Problems of these contributions.
    diagnostics: Vec<Diagnostic>,
    /// The tokens of all model calls.
    usage: Usage,
    /// The ids of rows that a compaction left out without a summary.
    left_out: Vec<String>,
}

/// Runs a turn to its end, whatever happens.
async fn run(start: Start) -> Reply {
    // A turn that is cancelled after it has the lease ends with its hooks.
    let lease = start.session.harness.store.lease(&start.session.conversation);
    // Held until the turn has ended.
    let lease = match first(lease, start.cancellation.cancelled()).await {
        Ok(Ok(lease)) => lease,
        Ok(Err(error)) => return start.ends(Outcome::Failed(error.into())),
        Err(()) => return start.ends(Outcome::Cancelled),
    };
    let stored = store::read(&*start.session.harness.store, &start.session.conversation).await;
    let number = start.session.number(stored.as_ref().map_or(&[], |stored| &stored.rows));
    let span = tracing::debug_span!(
        target: "hooks_agent",
        "turn",
        conversation = start.session.conversation,
        agent = start.session.agent.name,
        turn = number,
    );
    answer(start, lease, stored, number).instrument(span).await
}

/// The output of `wanted`, or that of `other` if it is ready before.
async fn first<W: Future, O: Future>(wanted: W, other: O) -> Result<W::Output, O::Output> {
    match select(pin!(wanted), pin!(other)).await {
        Either::Left((output, _)) => Ok(output),
        Either::Right((output, _)) => Err(output),
    }
}

async fn answer(start: Start, lease: Lease, stored: Result<StoredConversation, StoreError>, number: u64) -> Reply {
    let (session, message) = (Arc::clone(&start.session), start.request.message.clone());
    let (listened, steering) = (session.harness.on_inputs.is_some(), start.steering.clone());
    let inputs = listened.then(|| inputs::begun(&session, &start.request, stored.as_ref().ok()));
    let mut turn = match TurnLoop::new(start, &lease, number) {
        Ok(turn) => TurnLoop { inputs, ..turn },
        Err(failed) => {
            let (cx, error) = *failed;
            return session.report(&cx, steering.not_begun(Outcome::Failed(error.into())));
        }
    };
    let (cancellation, deadline) = (turn.cancellation.clone(), turn.session.deadline);
    let mut late = false;
    let time_is_up = async {
        match deadline {
            Some(deadline) => tokio::time::sleep(deadline).await,
            None => std::future::pending().await,
        }
        late = !cancellation.is_cancelled();
        cancellation.cancel();
        // The turn ends itself on cancellation.
        std::future::pending::<Infallible>().await
    };
    // Calls of models, tools and so on catch panics themselves. A panic in any other code of the app ends up here.
    let ended = match first(contained(turn.answer(message, stored)), time_is_up).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(panic)) => Err(End::from(TurnError::Panicked(panics::message(panic)))),
        Err(never) => match never {},
    };
    let (session, cx) = (Arc::clone(&turn.session), turn.to_end.clone());
    let (Ok(end) | Err(end)) = ended;
    let end = if late { end.late(turn.last_said()) } else { end };
    let cancelled = turn.cancellation.is_cancelled();
    let inputs = turn.inputs.take();
    let reply = turn.end(end).await;
    drop(lease);
    if let Some(inputs) = inputs {
        session.report_inputs(&cx, TurnInputs { cancelled, time: inputs.time.end(), ..*inputs }, &reply);
    }
    session.report(&cx, reply)
}

impl TurnLoop {
    /// Creates the turn `number` of its session. The error contains the context for the listener.
    fn new(start: Start, lease: &Lease, number: u64) -> Result<Self, Box<(HookContext, ConfigError)>> {
        let Start { session, request: asked, events, steering, cancellation } = start;
        let mut cx = session.cx.to_builder().turn(number).request(session.request(number));
        if let Some(prompt) = &asked.prompt {
            cx = cx.prompt(prompt.name.as_str());
        }
        if let Some(present) = asked.human_present {
            cx = cx.human_present(present);
        }
        let to_end = cx.cancellation(CancellationToken::new()).build();
        // One set of hooks applies to the whole turn.
        let hooks = match session.harness.scope(&session.agent, asked.prompt.as_ref(), &to_end) {
            Ok(hooks) => hooks,
            Err(error) => return Err(Box::new((to_end, error))),
        };
        let limits = &session.limits;
        Ok(Self {
            budget: Arc::new(Budget::new(limits.iterations, limits.tokens, session.asker.budget.clone())),
            cx: to_end.to_builder().cancellation(cancellation.clone()).build(),
            to_end,
            cancellation,
            events,
            steering,
            input: asked.message.as_ref().map(|message| message.text().into_owned()).unwrap_or_default(),
            taken: false,
            halted: None,
            shown: String::new(),
            is_deferred: false,
            inputs: None,
            lease: lease.token(),
            transcript: Transcript::default(),
            model: ModelInput {
                system_prompt: session.system_prompt.clone(),
                tools: session.offered(),
                allowed: asked.again.as_ref().map_or(&session.asker.allowed, |again| &again.allowed).clone(),
                only: None,
                counted: Counted::default(),
                routed: None,
                answered_by: None,
            },
            // A resumed turn leaves the answer to the next one until it takes it.
            calls: Calls { wait: asked.message.is_none(), ..Calls::default() },
            counts: Counts::default(),
            room: Room::default(),
            draft: Draft::default(),
            session,
            asked,
            hooks,
        })
    }

    /// The steps of a turn.
    async fn answer(
        &mut self,
        prompt: Option<Message>,
        stored: Result<StoredConversation, StoreError>,
    ) -> Result<End, End> {
        let repeats = match prompt {
            Some(prompt) => self.submit(prompt, stored?).await.map(|()| false)?,
            None => self.take_up(stored?).await?,
        };
        if repeats && let Some(ending) = self.stop(StopReason::DoomLoop, None).await? {
            return Ok(ending);
        }
        loop {
            if let Err(reason) = self.budget.spend_call()
                && let Some(ending) = self.stop(reason, None).await?
            {
                return Ok(ending);
            }
            self.join_steering().await?;
            self.make_room().await?;
            let reason = match self.ask().await? {
                Step::Again => continue,
                Step::Calls(message) => {
                    if !self.iterate(message).await? {
                        continue;
                    }
                    StopReason::DoomLoop
                }
                Step::Answer { message, cut } => {
                    let reason = if cut { StopReason::LengthTruncation } else { StopReason::FinalResponse };
                    match self.stop(reason, Some(message)).await? {
                        // A message joined the turn meanwhile. It is answered too, if a step is left and no hook ended
                        // the turn.
                        Some(ending)
                            if ending.is_answer()
                                && self.draft.ended.is_none()
                                && self.budget.spent().is_none()
                                && !self.steering.close_if_empty() => {}
                        Some(ending) => return Ok(ending),
                        None => {}
                    }
                    continue;
                }
            };
            if let Some(ending) = self.stop(reason, None).await? {
                return Ok(ending);
            }
        }
    }

    /// Stores the answer of the model and runs its tool calls. Returns whether the model repeats itself.
    async fn iterate(&mut self, message: Message) -> Result<bool, End> {
        let mut calls: Vec<_> = message.tool_calls().cloned().collect();
        let row = self.row_of_answer(Some(message)).await?;
        self.append_said(row, "").await?;
        // A tool call is progress, so hooks at `stop` may continue again.
        self.counts.stop_continues = 0;
        let last = self.repeated(&calls);
        let rest = last.map(|at| calls.split_off(at + 1)).unwrap_or_default();
        let calls = self.reject_removed(calls).await?;
        self.carry_out(calls, rest).await?;
        Ok(last.is_some())
    }

    /// Counts calls. Returns the index of one with which the model repeats itself too often: no later one runs.
    fn repeated(&mut self, calls: &[ToolCall]) -> Option<usize> {
        let limit = self.limits().repeats;
        calls.iter().position(|call| self.calls.repeats.is_at(call, limit))
    }

    /// Runs calls, but not the `rest` of them, and stores the contexts for their results.
    async fn carry_out(&mut self, calls: Vec<ToolCall>, rest: Vec<ToolCall>) -> Result<(), End> {
        let ran = match self.run_calls(calls).await {
            Ok(()) => self.leave_out(rest).await,
            ended => ended,
        };
        ran?;
        // Providers require the results of a message to be adjacent.
        if std::mem::take(&mut self.calls.relayed) {
            self.transcript.view = paired(std::mem::take(&mut self.transcript.view));
        }
        if !self.calls.contexts.is_empty() {
            self.transcript.view.push(injected::tool_contexts(&std::mem::take(&mut self.calls.contexts)));
        }
        self.go_on(ExitReason::AbortedDuringTools)
    }

    /// The prompt of the turn that a person began, of which this turn is a part.
    fn prompt_of_person(&self) -> Option<String> {
        let own = self.asked.prompt.as_ref().map(|prompt| prompt.name.clone());
        own.or_else(|| self.session.asker.prompt.clone())
    }

    /// The profile that hooks or the session choose for the calls of the turn.
    fn wanted_profile(&self) -> Option<&String> {
        self.model.routed.as_ref().or(self.session.profile.as_ref())
    }

    /// The profile of calls that no hook routes elsewhere.
    fn profile(&self) -> String {
        let model = self.session.harness.models.get(self.wanted_profile().map(String::as_str));
        model.map(|(profile, _)| profile.to_owned()).unwrap_or_default()
    }

    fn limits(&self) -> &Limits {
        &self.session.limits
    }

    /// Sends an event, if there is a listener.
    fn emit(&self, event: impl FnOnce() -> TurnEvent) {
        if !self.events.is_closed() {
            self.events.send(event());
        }
    }
}
