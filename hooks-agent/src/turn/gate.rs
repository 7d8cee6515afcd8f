//! Decides whether a call may run: gates, hooks at `permission_request`, the approver.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use hook_sdk::HookId;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::kinds::{BeforeToolCall, PermissionRequest};
use hook_sdk::verdict::{Denial, Halt, Permission, Question, Verdict as _};

use super::TurnLoop;
use super::end::End;
use crate::approve::{ApprovalAnswer, ApprovalRequest};

/// The ruling on a call, and its input.
pub(super) struct Judged {
    pub(super) input: ToolInput,
    pub(super) ruling: CallRuling,
    /// Whether there may be a question about it, which has to be closed.
    pub(super) asked: bool,
}

/// What happens with a call.
pub(super) enum CallRuling {
    Run,
    Refused(Refusal),
    /// It does not run. This is its result.
    Answered(ToolResult),
}

/// Why a call may not run.
pub(super) struct Refusal {
    /// The text for the model.
    pub(super) message: String,
    /// The hook that denied it.
    pub(super) by: Option<HookId>,
}

impl Refusal {
    fn denied(denial: Denial) -> Self {
        Self { message: format!("Denied: {}", denial.reason), by: denial.by }
    }

    pub(super) fn halted(halt: &Halt) -> Self {
        Self { message: format!("Not run, the turn ended: {}", halt.reason), by: halt.by.clone() }
    }
}

/// The decision of a gate.
enum GateRuling {
    Settled(CallRuling),
    /// The approver has to be asked.
    Asked {
        question: Question,
        deferred: bool,
    },
}

/// A question about a call.
#[derive(Clone)]
struct Pending {
    /// The input that the tool would get.
    input: ToolInput,
    /// The input of an earlier answer, about which the gates ask.
    edited: Option<ToolInput>,
    question: Question,
    deferred: bool,
}

/// How often the gates of several agents judge each other's changes.
const ROUNDS: usize = 3;

/// How often a person may edit the input of a call if the gates ask again.
const EDITS: usize = 8;

impl TurnLoop {
    /// Asks the gates and, if they ask, the approver.
    pub(super) async fn judge(&mut self, call: &ToolCall) -> Result<Judged, End> {
        let held = self.calls.held.iter().find(|held| held.call.id == call.id).cloned();
        let edited = held.as_ref().and_then(|held| held.edited.clone());
        let (input, ruling) = self.gate(call, edited.as_ref().unwrap_or(&call.input).clone()).await?;
        let (question, deferred) = match (ruling, held) {
            (GateRuling::Asked { question, deferred }, _) => (question, deferred),
            // The person whom an earlier turn asked decides, even if no gate asks any more.
            (GateRuling::Settled(CallRuling::Run), Some(held)) => (held.question, held.deferred),
            (GateRuling::Settled(ruling), held) => return Ok(Judged { input, ruling, asked: held.is_some() }),
        };
        let (input, ruling) = self.asked(call, Pending { input, edited, question, deferred }).await?;
        Ok(Judged { input, ruling, asked: true })
    }

    async fn gate(&mut self, call: &ToolCall, input: ToolInput) -> Result<(ToolInput, GateRuling), End> {
        let (input, permission) = self.permission(call, input).await?;
        let refused = |refusal| GateRuling::Settled(CallRuling::Refused(refusal));
        let ruling = match (&self.halted, permission) {
            (Some(halt), _) => refused(Refusal::halted(halt)),
            (None, Permission::NoOpinion | Permission::Allow) => GateRuling::Settled(CallRuling::Run),
            (None, Permission::Answer(result)) => GateRuling::Settled(CallRuling::Answered(*result)),
            (None, Permission::Ask(question)) => GateRuling::Asked { question: *question, deferred: false },
            (None, Permission::Defer(question)) => GateRuling::Asked { question: *question, deferred: true },
            (None, Permission::Deny(denial)) => refused(Refusal::denied(*denial)),
            // A permission of a newer version is denied.
            (None, _) => {
                refused(Refusal { message: "Denied: the gate's decision is not supported".to_owned(), by: None })
            }
        };
        Ok((input, ruling))
    }

    /// The decision of the gates of this agent and its callers. If one of them changes the input, all of them judge it
    /// again, so that all have seen the input that runs.
    async fn permission(&mut self, call: &ToolCall, mut input: ToolInput) -> Result<(ToolInput, Permission), End> {
        let event = BeforeToolCall::new(call.clone());
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

    /// Lets hooks answer instead of the person. The gates judge an input that such a hook rewrote.
    async fn asked(&mut self, call: &ToolCall, pending: Pending) -> Result<(ToolInput, CallRuling), End> {
        let reason = pending.question.reason.as_str();
        let event = PermissionRequest::new(call.clone()).reason(reason).deferred(pending.deferred);
        let fired = self.fire(&event, pending.input.clone()).await?;
        let is_held = self.calls.held.iter().any(|held| held.call.id == call.id);
        let decides = matches!(fired.verdict, Permission::Allow | Permission::Answer(_));
        if is_held && decides && self.halted.is_none() {
            // A person may have answered since. A hook does not overrule that answer.
            match self.approved(call, pending.clone()).await {
                Err(end) if end.is_suspended() => {}
                answered => return answered,
            }
        }
        let ruling = match (&self.halted, fired.verdict) {
            (Some(halt), _) => CallRuling::Refused(Refusal::halted(halt)),
            (None, Permission::Deny(denial)) => CallRuling::Refused(Refusal::denied(*denial)),
            (None, Permission::Allow) if fired.subject == pending.input => CallRuling::Run,
            (None, Permission::Answer(result)) => CallRuling::Answered(*result),
            (None, Permission::Allow) => {
                return match self.edited(call, fired.subject, &pending.question).await? {
                    Ok(judged) => Ok(judged),
                    Err(pending) => self.approved(call, pending).await,
                };
            }
            _ => return self.approved(call, pending).await,
        };
        Ok((pending.input, ruling))
    }

    /// Lets the gates judge an input that was changed in an answer to `question`. The error is a new question of the
    /// gates.
    async fn edited(
        &mut self,
        call: &ToolCall,
        input: ToolInput,
        question: &Question,
    ) -> Result<Result<(ToolInput, CallRuling), Pending>, End> {
        let edited = Some(input.clone());
        let (input, ruling) = self.gate(call, input).await?;
        Ok(match ruling {
            GateRuling::Settled(ruling) => Ok((input, ruling)),
            // The same question has been answered, a new one has not.
            GateRuling::Asked { question: again, .. } if again == *question => Ok((input, CallRuling::Run)),
            GateRuling::Asked { question, deferred } => Err(Pending { input, edited, question, deferred }),
        })
    }

    /// Asks the approver, and asks again if the gates have questions about an edited input.
    async fn approved(&mut self, call: &ToolCall, mut pending: Pending) -> Result<(ToolInput, CallRuling), End> {
        for _ in 0..EDITS {
            let Pending { input, edited, question, deferred } = &pending;
            let mut request = ApprovalRequest::new(&self.cx, call.clone(), input.clone(), question.clone());
            request.edited.clone_from(edited);
            (request.deferred, request.expires) = (*deferred, self.limits().approval);
            request.lease = self.lease;
            let (answer, refusal) = match self.approval(&request).await {
                Ok(answer) => (answer, None),
                Err(message) => (ApprovalAnswer::Yes, Some(message)),
            };
            let refused = |message: String| CallRuling::Refused(Refusal { message, by: question.by.clone() });
            let ruling = match (refusal, answer) {
                (Some(message), _) => refused(message),
                (None, ApprovalAnswer::Suspend) => return Err(End::suspended(request)),
                (None, ApprovalAnswer::Yes) => CallRuling::Run,
                (None, ApprovalAnswer::No(answer)) => refused(format!("Denied: {}. {answer}", question.reason)),
                (None, ApprovalAnswer::Result(result)) => CallRuling::Answered(result),
                (None, ApprovalAnswer::Edited(edited)) => match self.edited(call, edited, question).await? {
                    Ok(judged) => return Ok(judged),
                    Err(again) => {
                        pending = again;
                        continue;
                    }
                },
            };
            return Ok((pending.input, ruling));
        }
        let Pending { input, question, .. } = pending;
        let message = format!("Denied: {}. The input was edited too often", question.reason);
        Ok((input, CallRuling::Refused(Refusal { message, by: question.by })))
    }

    /// The answer of the approver. The error is a text for the model if there is none.
    async fn approval(&mut self, request: &ApprovalRequest) -> Result<ApprovalAnswer, String> {
        let parts = Arc::clone(&self.session.harness);
        let answer = AssertUnwindSafe(async { parts.approver.approve(request).await }).catch_unwind();
        let (reason, limit, deferred) = (&request.question.reason, request.expires, request.deferred);
        let answer = match self.cancellation.run_until_cancelled(tokio::time::timeout(limit, answer)).await {
            None => return Err("Not run: the turn was cancelled".to_owned()),
            Some(Ok(Ok(answer))) => Ok(answer),
            Some(Ok(Err(_panic))) => Err(format!("Denied: {reason}. Asking for approval failed")),
            Some(Err(_)) if deferred => Err(format!("Not run: it was deferred ({reason}), and nobody decided in time")),
            Some(Err(_)) => Err(format!("Denied: {reason}. Nobody answered")),
        };
        self.note_approval(answer.as_ref().ok());
        answer
    }
}
