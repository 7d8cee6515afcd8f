//! Continues with calls that wait for an approval.

use std::collections::HashSet;

use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::{ExitReason, FilterMessages};

use super::TurnLoop;
use super::end::End;
use super::lineage::Lineage;
use super::pairs::{LOST, paired};
use super::result::CallOutcome;
use crate::agents::{conversation_of, numbered};
use crate::approve::ApprovalRequest;
use crate::inputs::WaitingInput;
use crate::panics::contained;
use crate::reply::TurnError;
use crate::store::{self, Append, StoreError, StoreFuture, StoredConversation};

/// A message with tool calls of which some have no result.
pub(super) struct OpenCalls {
    /// The index of the message.
    pub(super) at: usize,
    /// All its calls.
    all: Vec<ToolCall>,
    /// Those without a result.
    open: Vec<ToolCall>,
}

/// The open calls of a conversation, the last ones first. A message with calls may have been added after one whose calls
/// wait.
pub(super) fn open_calls(messages: &[Message]) -> Vec<OpenCalls> {
    let (mut answered, mut found) = (HashSet::new(), Vec::new());
    for (at, message) in messages.iter().enumerate().rev() {
        let open: Vec<_> = message.tool_calls().filter(|call| !answered.contains(call.id.as_str())).cloned().collect();
        if !open.is_empty() {
            found.push(OpenCalls { at, all: message.tool_calls().cloned().collect(), open });
        }
        answered.extend(message.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.call_id.as_str()),
            _ => None,
        }));
    }
    found
}

/// What an open call waits for.
enum PendingCall {
    /// For the answer to a question about it.
    Held(ApprovalRequest),
    /// For an agent, in this conversation, a call of which waits for that.
    Agent(String, ApprovalRequest),
}

/// The row of the result of a call that does not run any more.
fn not_done(call: &ToolCall, text: impl Into<String>) -> Message {
    Message::of(Role::Tool, vec![ToolResult::error(text).into_block(call)])
}

/// Removes the results that stand in for those of open calls.
fn remove_results_of(open: &[ToolCall], view: &mut Messages) {
    let Some(caller) = view.iter().rposition(|message| message.tool_calls().any(|call| open.contains(call))) else {
        return;
    };
    let is_result = |block: &Block| match block {
        Block::ToolResult(result) => open.iter().any(|call| call.id == result.call_id),
        _ => false,
    };
    let mut behind = view.split_off(caller + 1);
    behind.retain(|message| !message.content.iter().any(is_result));
    view.extend(behind);
}

impl TurnLoop {
    /// Continues where an earlier turn left calls open: calls that were never started, and calls to agents that wait.
    /// Returns whether the model repeats itself in these calls.
    pub(super) async fn take_up(&mut self, stored: StoredConversation) -> Result<bool, End> {
        let messages: Vec<_> = stored.rows.iter().map(|row| row.message.clone()).collect();
        let Some((OpenCalls { at, all, open }, waiting)) = self.first_waiting(open_calls(&messages)).await? else {
            self.calls.wait = false;
            return Err(TurnError::NothingToResume.into());
        };
        self.note_waiting(&waiting);
        self.takes_over()?;
        // Hooks see the prompt that the turn answers, as it was stored.
        let (mut prompt, mut began) = (String::new(), 0);
        if let Some(asked) = stored.rows[..at].iter().rposition(|row| row.message.role == Role::User) {
            self.answers(&stored.rows[asked].id);
            (prompt, began) = (stored.rows[asked].message.text().into_owned(), asked);
        }
        for message in &messages[began..at] {
            self.repeated(&message.tool_calls().cloned().collect::<Vec<_>>());
        }
        let last = self.repeated(&all);
        let left_out: Vec<_> =
            all.iter().skip(last.map_or(all.len(), |at| at + 1)).map(|call| call.id.clone()).collect();
        self.transcript.lineage = Lineage::of(stored);
        self.calls.stored = messages.iter().flat_map(Message::tool_calls).map(|call| call.id.clone()).collect();
        let before = paired(messages[..at].to_vec().into());
        let view: Messages = before.iter().chain(&messages[at..]).cloned().collect::<Vec<_>>().into();
        self.transcript.view = self.fire(&FilterMessages::new(), view).await?.subject;
        let has_calls = |message: &Message| open.iter().all(|open| message.tool_calls().any(|call| call.id == open.id));
        if !self.transcript.view.iter().any(has_calls) {
            // Hooks may leave out calls without results, but these get their results now.
            self.transcript.view.extend(messages[at..].iter().cloned());
        }
        self.transcript.lineage.becomes(&self.transcript.view);
        self.go_on(ExitReason::AbortedPreCall)?;
        self.calls.contexts = waiting.contexts().to_vec();
        self.calls.waiting = waiting;
        self.taken = true;
        // Whatever ends the turn here leaves the calls waiting.
        self.start_agent(&prompt).await?;
        self.calls.resumed.clone_from(&open);
        let open = self.not_started(all, &open).await?;
        let (rest, calls) = open.into_iter().partition(|call| left_out.contains(&call.id));
        let ended = self.carry_out(calls, rest).await.map(|()| last.is_some());
        // Messages may have been added between the calls and their results.
        self.transcript.view = paired(std::mem::take(&mut self.transcript.view));
        ended
    }

    /// Continues with what the turn that asked had. Its gates depend on its prompt, so there must be the same one.
    fn takes_over(&mut self) -> Result<(), End> {
        let Some(held) = self.calls.asked.take() else { return Ok(()) };
        let given = self.prompt_of_person();
        if held.prompt != given {
            return Err(TurnError::OtherPrompt { asked: held.prompt, given }.into());
        }
        self.asked.trigger = self.asked.trigger.take().or(held.trigger);
        if self.asked.human_present.is_none() {
            for cx in [&mut self.cx, &mut self.to_end] {
                *cx = cx.to_builder().human_present(held.human_present).build();
            }
        }
        Ok(())
    }

    /// The first of these messages with a call that waits for an approval.
    pub(super) async fn first_waiting(
        &mut self,
        messages: Vec<OpenCalls>,
    ) -> Result<Option<(OpenCalls, WaitingInput)>, End> {
        for calls in messages {
            let waiting = self.waiting(&calls.open).await?;
            if !waiting.is_empty() {
                return Ok(Some((calls, waiting)));
            }
        }
        Ok(None)
    }

    /// Those of the `open` calls that wait for an approval.
    async fn waiting(&mut self, open: &[ToolCall]) -> Result<WaitingInput, End> {
        if let Some(again) = &self.asked.again {
            return Ok(again.waiting.among(open));
        }
        let (mut held, mut agents, mut agent_calls) = (Vec::new(), Vec::new(), Vec::new());
        let conversation = self.session.conversation.clone();
        for call in open {
            let request = match self.waits_for(&conversation, call).await? {
                Some(PendingCall::Agent(within, request)) => {
                    agents.push(call.id.clone());
                    agent_calls.extend(request.callers.iter().find(|of| of.conversation == conversation).cloned());
                    self.calls.waiting_agents.insert(call.id.clone(), (within, request.clone()));
                    request
                }
                Some(PendingCall::Held(request)) => {
                    held.push(request.clone());
                    request
                }
                None => continue,
            };
            self.calls.asked.get_or_insert(request);
        }
        Ok(WaitingInput { held, agents, agent_calls, taken: Vec::new() })
    }

    /// What an open call of a conversation waits for.
    async fn waits_for(&self, conversation: &str, call: &ToolCall) -> Result<Option<PendingCall>, StoreError> {
        if let Some((within, request)) = self.waiting_agent(conversation, call).await? {
            return Ok(Some(PendingCall::Agent(within, request)));
        }
        Ok(self.held(conversation, &call.id).await?.map(PendingCall::Held))
    }

    /// The open calls of a message that were never started, and the open calls to sub-agents that wait. The progress of
    /// the other open calls is unknown, so each of them gets a result that says so.
    async fn not_started(&mut self, all: Vec<ToolCall>, open: &[ToolCall]) -> Result<Vec<ToolCall>, End> {
        let all = all.into_iter().map(|call| self.calls.waiting.as_asked(call)).collect();
        // Groups are judged and run one after the other. Before a call of a group starts, the whole group is judged, and no
        // question about its calls stays open.
        let groups = self.groups(all);
        let WaitingInput { agents, taken, .. } = self.calls.waiting.clone();
        let was_started = !agents.is_empty();
        let calls =
            groups.into_iter().enumerate().flat_map(|(at, group)| group.into_iter().map(move |call| (at, call)));
        let calls = calls.filter(|(_, call)| open.iter().any(|open| open.id == call.id));
        let (unknown, never_started): (Vec<_>, Vec<_>) = calls.partition(|(at, call)| {
            taken.contains(&call.id) || (*at == 0 && was_started && !agents.contains(&call.id))
        });
        // Before a result of one of them fails.
        self.calls.unknown.extend(unknown.iter().map(|(_, call)| call.id.clone()).chain(agents));
        for (_, call) in unknown {
            let input = call.input.clone();
            self.finish(call, input, CallOutcome::NotDone(LOST.to_owned()).into()).await?;
        }
        Ok(never_started.into_iter().map(|(_, call)| call).collect())
    }

    /// Stores a result for each call that waits, because a prompt came instead of the answer.
    ///
    /// The questions are closed first, so that what is stored stays true: from then on, nobody acts on an answer.
    pub(super) async fn abandon_waiting(&mut self, messages: Vec<OpenCalls>) -> Result<(), End> {
        for OpenCalls { all, open, .. } in messages {
            let mut waiting = self.waiting(&open).await?;
            if self.asked.again.is_none() {
                waiting.taken = self.abandon_questions(&open).await?;
                waiting.held.retain(|held| !waiting.taken.contains(&held.call.id));
                waiting.agents.retain(|call| !waiting.taken.contains(call));
            }
            if waiting.is_empty() {
                continue;
            }
            self.note_waiting(&waiting);
            remove_results_of(&open, &mut self.transcript.view);
            // From here on, each of them gets its result, even if a hook fails in between.
            self.calls.resumed.extend(open.iter().cloned());
            self.calls.waiting = waiting;
            for call in self.not_started(all, &open).await? {
                let done = if self.calls.waiting.agents.contains(&call.id) { "Not finished" } else { "Not run" };
                let text = format!("{done}: the conversation continued without waiting for the question about it");
                let input = call.input.clone();
                self.finish(call, input, CallOutcome::NotDone(text).into()).await?;
            }
            self.transcript.view = paired(std::mem::take(&mut self.transcript.view));
        }
        Ok(())
    }

    /// Closes the questions about these calls. Returns the calls whose question somebody else has closed.
    pub(super) async fn close_questions(&self, calls: &[ToolCall]) -> Result<Vec<String>, StoreError> {
        self.close_in(&self.session.conversation, calls, self.lease).await
    }

    async fn close_in(
        &self,
        conversation: &str,
        calls: &[ToolCall],
        lease: Option<u64>,
    ) -> Result<Vec<String>, StoreError> {
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        let close = async { self.session.harness.approver.close(conversation, &ids, lease).await };
        self.by_approver("closed", close).await
    }

    /// Undoes the closing of questions. Their calls have not run.
    pub(super) async fn reopen_questions(&self, requests: impl Iterator<Item = Box<ApprovalRequest>>) {
        for request in requests {
            let reopen = async { self.session.harness.approver.reopen(&request).await };
            if let Err(error) = self.by_approver("reopened", reopen).await {
                tracing::warn!(target: "hooks_agent", %error, question = request.id, "an answer may be lost");
            }
        }
    }

    /// What the approver `did` with a stored question.
    pub(super) async fn by_approver<T>(
        &self,
        did: &str,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let done = tokio::time::timeout(self.limits().store, contained(call)).await;
        let failed = |why: &str| StoreError::new(format!("the approver {why} while it {did} a question"));
        done.map_err(|_| failed("did not answer"))?.map_err(|_panic| failed("panicked"))?
    }

    /// Closes the questions about calls that will not run any more, here and in the turns of the agents that they ask.
    /// Returns the calls that may be running elsewhere.
    pub(super) async fn abandon_questions(&self, calls: &[ToolCall]) -> Result<Vec<String>, StoreError> {
        self.abandon_in(&self.session.conversation, calls, self.lease).await
    }

    fn abandon_in<'a>(
        &'a self,
        conversation: &'a str,
        calls: &'a [ToolCall],
        lease: Option<u64>,
    ) -> StoreFuture<'a, Vec<String>> {
        Box::pin(async move {
            let mut agents = Vec::new();
            for call in calls {
                agents.extend(self.waiting_agent(conversation, call).await?.map(|(within, _)| (call, within)));
            }
            // Before those of the agents: this fails if another turn has the conversation.
            let mut taken = self.close_in(conversation, calls, lease).await?;
            // The question about a call to an agent is closed since that agent was asked, and its turn waits now.
            taken.retain(|id| !agents.iter().any(|(call, _)| call.id == *id));
            for (call, within) in agents {
                let read = store::read(&*self.session.harness.store, &within).await?;
                let messages: Vec<_> = read.rows.into_iter().map(|row| row.message).collect();
                for OpenCalls { open, .. } in open_calls(&messages) {
                    if !self.abandon_below(&within, &open).await?.is_empty() {
                        taken.push(call.id.clone());
                    }
                }
            }
            Ok(taken)
        })
    }

    /// Closes the questions about the open calls of a message of an agent that waits, and stores their results there. No
    /// turn of that agent will do so, and no model reads these results.
    async fn abandon_below(&self, within: &str, open: &[ToolCall]) -> Result<Vec<String>, StoreError> {
        let mut results = Vec::new();
        let (mut waits, mut was_started) = (false, false);
        for call in open {
            let done = match self.waits_for(within, call).await? {
                Some(PendingCall::Agent(..)) => Some("Not finished"),
                Some(PendingCall::Held(_)) => Some("Not run"),
                None => None,
            };
            waits |= done.is_some();
            was_started |= done == Some("Not finished");
            results.push((call, done));
        }
        let taken = self.abandon_in(within, open, None).await?;
        if !waits {
            return Ok(taken);
        }
        let results = results.into_iter().map(|(call, done)| {
            // Calls beside an agent that was started may have been started too.
            let done = done.or((!was_started).then_some("Not run")).filter(|_| !taken.contains(&call.id));
            match done {
                Some(done) => {
                    not_done(call, format!("{done}: the agent ended without waiting for the question about it"))
                }
                None => not_done(call, LOST),
            }
        });
        // The questions are closed, and that is what counts.
        if let Err(error) = self.session.harness.store.append(within, Append::new(results)).await {
            tracing::warn!(target: "hooks_agent", %error, "the calls of an agent that ended are left without results");
        }
        Ok(taken)
    }

    /// The stored request about the call, if its question is not closed.
    pub(super) async fn held(&self, conversation: &str, call: &str) -> Result<Option<ApprovalRequest>, StoreError> {
        let held = async { self.session.harness.approver.held(conversation, call).await };
        self.by_approver("looked for", held).await
    }

    /// The conversation of the called agent, if a call in its turn, or in the turn of an agent that it called, waits
    /// for an approval; and the request.
    pub(super) fn waiting_agent<'a>(
        &'a self,
        conversation: &'a str,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<Option<(String, ApprovalRequest)>, StoreError>> {
        Box::pin(async move {
            if self.session.harness.agents.get(&call.name).is_none() {
                return Ok(None);
            }
            let name = conversation_of(conversation, &call.id);
            let (mut last, mut number) = (None, 1);
            loop {
                let one = numbered(&name, number);
                let read = store::read(&*self.session.harness.store, &one).await?;
                if read.rows.is_empty() {
                    break;
                }
                (last, number) = (Some((one, read)), number + 1);
            }
            let Some((within, read)) = last else { return Ok(None) };
            let messages: Vec<_> = read.rows.into_iter().map(|row| row.message).collect();
            for call in open_calls(&messages).into_iter().flat_map(|calls| calls.open) {
                let held = match self.held(&within, &call.id).await? {
                    None => self.waiting_agent(&within, &call).await?.map(|(_, held)| held),
                    held => held,
                };
                if let Some(held) = held {
                    return Ok(Some((within, held)));
                }
            }
            Ok(None)
        })
    }
}
