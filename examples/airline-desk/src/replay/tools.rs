//! A tool call within a replay: the gate, and the recorded result in the place of a run.

use std::time::Duration;

use hooks_core::DispatchError;
use hooks_core::data::{Block, Message, ToolCall, ToolInput, ToolResult};
use hooks_core::kinds::{AfterToolCallSuccess, BeforeToolCall};
use hooks_core::verdict::Permission;
use serde_json::Value;

use super::Replay;
use crate::desk::Answer;

/// A call that waits for its result.
pub(super) struct Pending {
    call: ToolCall,
    /// What the tool would have got, after the gate.
    input: ToolInput,
    /// Why it did not run: the model reads this in place of the result.
    refusal: Option<String>,
}

impl Replay<'_> {
    /// Asks the gate whether `call` may run, and with what.
    pub(super) fn gate(&mut self, call: ToolCall) -> Result<(), DispatchError> {
        self.totals.calls += 1;
        if let Some(reason) = &self.stopped {
            let refusal = Some(format!("Not run, the turn had ended: {reason}"));
            self.pending.push(Pending { input: call.input.clone(), call, refusal });
            self.totals.refused += 1;
            return Ok(());
        }
        let event = BeforeToolCall::new(call);
        let fired = self.desk.hooks.fire_blocking(&self.cx, &event, event.call.input.clone())?;
        let halted = fired.report.halt.as_ref().map(|halt| format!("Not run, the turn had ended: {}", halt.reason));
        let refusal = halted.or_else(|| self.refusal(fired.verdict));
        self.stop(fired.report.halt.clone());
        self.totals.refused += u64::from(refusal.is_some());
        self.pending.push(Pending { call: event.call, input: fired.subject, refusal });
        Ok(())
    }

    /// What the model is told where the call may not run.
    fn refusal(&mut self, verdict: Permission) -> Option<String> {
        let by = |hook: Option<_>| hook.map(|hook| format!(" by {hook}")).unwrap_or_default();
        match verdict {
            Permission::NoOpinion | Permission::Allow => None,
            Permission::Ask(question) => match self.desk.answer {
                Answer::Yes => {
                    self.totals.approved += 1;
                    None
                }
                Answer::No => Some(format!("Not done: {}. The answer was no.", question.reason)),
            },
            Permission::Defer(question) => Some(format!("Put off{}: {}", by(question.by), question.reason)),
            Permission::Deny(denial) => Some(format!("Denied{}: {}", by(denial.by), denial.reason)),
            // A permission of a later version is not one to run by.
            _ => Some("Not run: the gate's answer is unknown here".to_owned()),
        }
    }

    /// The recorded result, as the hooks leave it.
    pub(super) fn answered(&mut self, mut message: Message) -> Result<Message, DispatchError> {
        let duration = recorded_duration(&message);
        let Some(block) = message.content.iter().find_map(|block| match block {
            Block::ToolResult(block) => Some(block),
            _ => None,
        }) else {
            return Ok(message);
        };
        // A result without its call is shown to the model like any other, so it is masked like any other.
        let waiting = self.pending.iter().position(|pending| pending.call.id == block.call_id);
        let pending = match waiting {
            Some(at) => self.pending.remove(at),
            None => Pending {
                call: ToolCall::new(&block.call_id, block.name.as_deref().unwrap_or_default(), Value::Null),
                input: ToolInput::default(),
                refusal: None,
            },
        };
        let content = match pending.refusal {
            Some(refusal) => {
                self.glimpses.refused(&pending.call, &refusal);
                vec![Block::text(refusal)]
            }
            None => self.ran(pending.call, pending.input, block.content.clone(), duration)?,
        };
        for block in &mut message.content {
            if let Block::ToolResult(block) = block {
                block.content = content;
                break;
            }
        }
        Ok(message)
    }

    /// What the model is shown after a tool ran.
    fn ran(
        &mut self,
        call: ToolCall,
        input: ToolInput,
        content: Vec<Block>,
        duration: Duration,
    ) -> Result<Vec<Block>, DispatchError> {
        let mut result = ToolResult::default();
        result.content = content;
        // A recording has no field for failure; these tools say it in words, which are an answer to be masked too.
        result.is_error = result.to_text().starts_with("Error");
        let before = result.clone();
        let event = AfterToolCallSuccess::new(call).ran_with(input).history(self.stored.clone()).took(duration);
        let fired = self.desk.hooks.fire_blocking(&self.cx, &event, result)?;
        self.stop(fired.report.halt.clone());
        Ok(match fired.subject {
            Some(result) => {
                self.glimpses.shown(&before, &result);
                result.content.clone()
            }
            None => {
                self.totals.removed += 1;
                let by = fired.report.removed_by.clone().map(|hook| hook.to_string()).unwrap_or_default();
                vec![Block::text(format!("[result removed by {by}]"))]
            }
        })
    }
}

/// How long the tool took, where the recording says so in `duration_ms`.
fn recorded_duration(message: &Message) -> Duration {
    let millis = message.extra.get("duration_ms").and_then(Value::as_u64);
    Duration::from_millis(millis.unwrap_or_default())
}
