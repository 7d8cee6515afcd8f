//! Decides whether a call may run: gates, hooks at `permission_request`, the approver.

use std::sync::Arc;

use hook_sdk::data::{ToolCall, ToolInput};
use hook_sdk::kinds::{BeforeToolCall, ExitReason, PermissionRequest};
use hook_sdk::protocol::decision::{CallQuestion, CallRefusal, CallState, Ruling};
use hook_sdk::protocol::{Approval, ToolQuestion};
use hook_sdk::verdict::{Permission, Verdict as _};

use super::TurnLoop;
use super::end::End;
use crate::approve::ApprovalRequest;
use crate::inputs::ApprovalInput;
use crate::panics::contained;
use crate::store::StoreError;
use crate::tool::ToolSpec;

/// The ruling on a call, and its input.
pub(super) struct Judged {
    pub(super) input: ToolInput,
    /// The input that the gates judged last, as it was before them.
    pub(super) given: ToolInput,
    pub(super) ruling: Ruling,
    /// Whether there may be a question about it, which has to be closed.
    pub(super) asked: bool,
    /// The last question that the approver answered.
    pub(super) answered: Option<Box<ApprovalRequest>>,
}

/// How often the gates of several agents judge each other's changes.
const ROUNDS: usize = 3;

impl TurnLoop {
    /// Asks the gates and, if they ask, hooks at `permission_request` and the approver.
    pub(super) async fn judge(&mut self, call: &ToolCall) -> Result<Judged, End> {
        let held = self.calls.waiting.held.iter().find(|held| held.call.id == call.id).cloned();
        let (mut asked, mut answered, mut given) = (held.is_some(), None, call.input.clone());
        let mut state = match &held {
            // The person whom an earlier turn asked decides, whatever the gates ask now.
            Some(held) => {
                let question =
                    ToolQuestion::new(call.clone(), held.input.clone(), held.question.clone(), held.deferred);
                CallState::resumed(question, held.edited.clone())
            }
            None => match self.calls.waiting.input_of(&call.id) {
                Some(input) => {
                    let mut call = call.clone();
                    call.input.clone_from(input);
                    CallState::new(&call)
                }
                None => CallState::new(call),
            },
        };
        loop {
            state = match state {
                CallState::Judge(judged) => {
                    given.clone_from(judged.input());
                    let (input, permission) = self.permission(call, given.clone()).await?;
                    self.unless_halted(&input)?.unwrap_or_else(|| judged.by_gates(permission, input))
                }
                // The agent has begun, so the question about its call was answered.
                CallState::Request(question) if self.calls.waiting.agents.contains(&call.id) => {
                    question.by_approver(Approval::Yes)
                }
                // In boxes, because most calls are not asked about, and the future of a turn contains this one.
                CallState::Request(question) => {
                    asked = true;
                    Box::pin(self.requested(question)).await?
                }
                CallState::Ask(question) => {
                    let request = Box::new(self.approval_request(&question, held.as_ref()));
                    let next = Box::pin(self.approved(question, &request)).await?;
                    answered = Some(request);
                    next
                }
                CallState::Suspend(question) => {
                    return Err(End::suspended(self.approval_request(&question, held.as_ref())));
                }
                CallState::Decided(input, ruling) => return Ok(Judged { input, given, ruling, asked, answered }),
            };
        }
    }

    /// The decision about a call if a hook halted the turn. Calls that an earlier turn held wait on.
    fn unless_halted(&self, input: &ToolInput) -> Result<Option<CallState>, End> {
        if self.calls.wait {
            self.not_halted()?;
        }
        let refused = |halt| CallState::Decided(input.clone(), Ruling::Refuse(CallRefusal::halted(halt)));
        Ok(self.halted.as_ref().map(refused))
    }

    /// The decision of the gates of this agent and its callers. If one of them changes the input, all of them judge it
    /// again, so that all have seen the input that runs.
    async fn permission(&mut self, call: &ToolCall, mut input: ToolInput) -> Result<(ToolInput, Permission), End> {
        let mut event = BeforeToolCall::new(call.clone());
        event.info = self.spec_of(call).map(ToolSpec::seen);
        let session = Arc::clone(&self.session);
        for _ in 0..ROUNDS {
            let fired = self.fire(&event, input).await?;
            let (mut permission, judged) = (fired.verdict, fired.subject);
            input = judged.clone();
            for gates in &session.asker.gates {
                let fired = self.fire_in(gates, &event, input).await?;
                permission.merge(fired.verdict);
                input = fired.subject;
            }
            if input == judged || permission.denial().is_some() || self.halted.is_some() {
                return Ok((input, permission));
            }
        }
        Ok((input, Permission::deny("the gates of the agents do not agree on the input")))
    }

    /// Lets hooks answer instead of the person.
    async fn requested(&mut self, call: CallQuestion) -> Result<CallState, End> {
        let asked = call.question().clone();
        let event = PermissionRequest::new(asked.call).reason(asked.question.reason.as_str()).deferred(asked.deferred);
        let mut fired = self.fire(&event, asked.input.clone()).await?;
        let session = Arc::clone(&self.session);
        // The caller's hooks answer too, because its gates may have asked.
        for gates in &session.asker.gates {
            let by_caller = self.fire_in(gates, &event, fired.subject).await?;
            fired.subject = by_caller.subject;
            fired.verdict.merge(by_caller.verdict);
        }
        if let Some(halted) = self.unless_halted(&asked.input)? {
            return Ok(halted);
        }
        Ok(call.by_hooks(fired.verdict, fired.subject))
    }

    /// Asks the approver. While calls of an earlier turn wait, only an answer decides: without one, they wait on.
    async fn approved(&mut self, call: CallQuestion, request: &ApprovalRequest) -> Result<CallState, End> {
        Ok(match self.approval(request).await? {
            Ok(answer) => call.by_approver(answer),
            Err(_) if self.calls.wait => {
                self.go_on(ExitReason::AbortedDuringTools)?;
                return Err(StoreError::new("the approver did not answer a stored question").into());
            }
            Err(message) => call.refuse(message),
        })
    }

    /// The request to the approver. The question of an earlier turn is asked exactly as it is `held`.
    fn approval_request(&self, call: &CallQuestion, held: Option<&ApprovalRequest>) -> ApprovalRequest {
        let mut request = match held.filter(|_| call.is_held()) {
            Some(held) => held.clone(),
            None => {
                let mut request = ApprovalRequest::new(&self.cx, call);
                (request.prompt, request.trigger) = (self.prompt_of_person(), self.asked.trigger.clone());
                request.root.clone_from(&self.session.asker.root);
                request.callers.clone_from(&self.session.asker.callers);
                request.contexts.clone_from(&self.calls.contexts);
                request
            }
        };
        (request.expires, request.lease) = (self.limits().approval, self.lease);
        request
    }

    /// Whether a later turn finds the question, so that the call can wait. A turn that is repeated has no later one.
    async fn is_kept(&self, request: &ApprovalRequest) -> bool {
        let held = self.asked.again.is_none().then(|| self.held(&request.conversation, &request.call.id));
        match held {
            // What cannot be read now may be there.
            Some(held) => held.await.map_or(true, |held| held.is_some()),
            None => true,
        }
    }

    /// The answer of the approver, or a text for the model if there is none.
    async fn approval(&mut self, request: &ApprovalRequest) -> Result<Result<Approval, String>, StoreError> {
        let parts = Arc::clone(&self.session.harness);
        let answer = contained(async { parts.approver.approve(request).await });
        let (reason, limit, deferred) = (&request.question.reason, request.expires, request.deferred);
        let done = match self.cancellation.run_until_cancelled(tokio::time::timeout(limit, answer)).await {
            None => return Ok(Err("Not run: the turn was cancelled".to_owned())),
            Some(Ok(Ok(Ok(Approval::Suspend)))) if !self.is_kept(request).await => {
                ApprovalInput::Answered(Approval::No("Nobody can answer later here".to_owned()))
            }
            // It is not known whether there is an answer, so nothing is decided.
            Some(Ok(Ok(answer))) => ApprovalInput::Answered(answer?),
            Some(Ok(Err(_panic))) => ApprovalInput::Panicked,
            Some(Err(_)) => ApprovalInput::Late,
        };
        self.note_approval(done.clone());
        Ok(match done {
            ApprovalInput::Answered(answer) => Ok(answer),
            ApprovalInput::Panicked => Err(format!("Denied: {reason}. Asking for approval failed")),
            ApprovalInput::Late if deferred => {
                Err(format!("Not run: it was deferred ({reason}), and nobody decided in time"))
            }
            ApprovalInput::Late => Err(format!("Denied: {reason}. Nobody answered")),
        })
    }
}
