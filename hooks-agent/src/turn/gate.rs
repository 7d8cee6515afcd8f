//! Whether a call may run: the gates, hooks in a person's place, the person.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use hooks_core::HookId;
use hooks_core::data::{ToolCall, ToolInput};
use hooks_core::kinds::{BeforeToolCall, PermissionRequest};
use hooks_core::verdict::{Denial, Halt, Permission, Question};

use super::TurnLoop;
use super::end::End;
use crate::approve::{ApprovalAnswer, ApprovalRequest};

/// What a call would run with, and why it may not.
pub(super) struct Judged {
    pub(super) input: ToolInput,
    pub(super) refusal: Option<Refusal>,
}

/// Why a call may not run.
pub(super) struct Refusal {
    /// For the model.
    pub(super) message: String,
    /// The hook because of which it is so.
    pub(super) by: Option<HookId>,
}

impl Refusal {
    fn denied(denial: Denial) -> Self {
        Self { message: format!("Denied: {}", denial.reason), by: denial.by }
    }

    fn halted(halt: &Halt) -> Self {
        Self { message: format!("Not run, the turn had ended: {}", halt.reason), by: halt.by.clone() }
    }
}

/// What a gate decided.
enum Ruling {
    Run,
    Refused(Refusal),
    /// Somebody is to be asked.
    Asked {
        question: Question,
        deferred: bool,
    },
}

impl TurnLoop {
    /// Asks the gates, and whom they ask.
    pub(super) async fn judge(&mut self, call: &ToolCall) -> Result<Judged, End> {
        let (input, ruling) = self.gate(call, call.input.clone()).await?;
        match ruling {
            Ruling::Run => Ok(Judged { input, refusal: None }),
            Ruling::Refused(refusal) => Ok(Judged { input, refusal: Some(refusal) }),
            Ruling::Asked { question, deferred } => self.asked(call, input, question, deferred).await,
        }
    }

    async fn gate(&mut self, call: &ToolCall, input: ToolInput) -> Result<(ToolInput, Ruling), End> {
        let fired = self.fire(&BeforeToolCall::new(call.clone()), input).await?;
        let ruling = match (&self.halted, fired.verdict) {
            (Some(halt), _) => Ruling::Refused(Refusal::halted(halt)),
            (None, Permission::NoOpinion | Permission::Allow) => Ruling::Run,
            (None, Permission::Ask(question)) => Ruling::Asked { question: *question, deferred: false },
            (None, Permission::Defer(question)) => Ruling::Asked { question: *question, deferred: true },
            (None, Permission::Deny(denial)) => Ruling::Refused(Refusal::denied(*denial)),
            // A permission of a later version is not one to run by.
            (None, _) => {
                Ruling::Refused(Refusal { message: "Denied: the gate's answer is unknown here".to_owned(), by: None })
            }
        };
        Ok((fired.subject, ruling))
    }

    /// Hooks may answer in the person's place. What they rewrote the gates have not seen, so they judge it anew.
    async fn asked(
        &mut self,
        call: &ToolCall,
        input: ToolInput,
        question: Question,
        deferred: bool,
    ) -> Result<Judged, End> {
        let event = PermissionRequest::new(call.clone()).reason(question.reason.as_str()).deferred(deferred);
        let fired = self.fire(&event, input.clone()).await?;
        if let Some(halt) = &self.halted {
            return Ok(Judged { input, refusal: Some(Refusal::halted(halt)) });
        }
        match fired.verdict {
            Permission::Deny(denial) => Ok(Judged { input, refusal: Some(Refusal::denied(*denial)) }),
            Permission::Allow if fired.subject == input => Ok(Judged { input, refusal: None }),
            Permission::Allow => {
                let (input, ruling) = self.gate(call, fired.subject).await?;
                let refusal = match ruling {
                    Ruling::Run => None,
                    Ruling::Refused(refusal) => Some(refusal),
                    // The same question was answered; another one was not.
                    Ruling::Asked { question: again, .. } if again == question => None,
                    Ruling::Asked { question, deferred } => self.approval(call, &input, question, deferred).await,
                };
                Ok(Judged { input, refusal })
            }
            _ => {
                let refusal = self.approval(call, &input, question, deferred).await;
                Ok(Judged { input, refusal })
            }
        }
    }

    /// Asks the person.
    async fn approval(
        &mut self,
        call: &ToolCall,
        input: &ToolInput,
        question: Question,
        deferred: bool,
    ) -> Option<Refusal> {
        let parts = Arc::clone(&self.session.harness);
        let request = ApprovalRequest::new(call.clone(), input.clone(), question, deferred);
        let answer = AssertUnwindSafe(async { parts.approver.approve(&request).await }).catch_unwind();
        let answer = tokio::select! {
            biased;
            () = self.cancellation.cancelled() => None,
            answer = tokio::time::timeout(self.limits().approval, answer) => Some(answer),
        };
        let Question { reason, by, .. } = request.question;
        let message = match answer {
            None => "Not run: the turn was cancelled".to_owned(),
            Some(Ok(Ok(ApprovalAnswer::Yes))) => return None,
            Some(Ok(Ok(ApprovalAnswer::No(answer)))) => format!("Denied: {reason}. {answer}"),
            Some(Ok(Err(_panic))) => format!("Denied: {reason}. The answer could not be got"),
            Some(Err(_)) => format!("Denied: {reason}. Nobody answered"),
        };
        Some(Refusal { message, by })
    }
}
