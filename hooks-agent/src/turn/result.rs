//! The result of a call: the hooks that see it, and the row for the model.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::HookId;
use hook_sdk::data::{Block, Message, ResultRow, Role, ToolCall, ToolInput, ToolResult, ToolResultBlock};
use hook_sdk::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeStoreToolResult};
use hook_sdk::protocol::decision::CallRefusal;
use hook_sdk::verdict::Retry;

use super::TurnLoop;
use super::call::{LEVELS, is_deeper};
use super::end::End;
use super::pairs::without_calls;
use crate::event::TurnEvent;
use crate::tool::Tool;

/// The outcome of a call, before any hook.
pub(super) enum CallOutcome {
    Succeeded(ToolResult),
    /// The tool ran and failed with this result.
    Failed(ToolResult),
    /// The tool did not run, or did not finish.
    NotDone(String),
    /// The tool was not allowed to run.
    Refused(CallRefusal),
}

impl CallOutcome {
    /// The outcome of a call with the result that a tool, a person or a gate gave.
    pub(super) fn of(result: ToolResult) -> Self {
        match admitted(result) {
            Some(result) if result.is_error => Self::Failed(result),
            Some(result) => Self::Succeeded(result),
            None => Self::failed("the result has content that could not be read again, so it is not kept"),
        }
    }

    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(ToolResult::error(text))
    }
}

/// Takes the place of a result that a hook removed.
fn removed(by: Option<&HookId>) -> String {
    let by = by.map(|hook| format!(" by {hook}")).unwrap_or_default();
    format!("[result removed{by}]")
}

/// The result without calls and results of its own, and not said by a role whose instructions the model follows. `None` if
/// it could not be read again once it is stored.
fn admitted(mut result: ToolResult) -> Option<ToolResult> {
    result.said_by = result.said_by.filter(|role| !matches!(role, Role::System | Role::Developer));
    let is_plain = |block: &Block| matches!(block, Block::Text(text) if text.extra.is_empty());
    if result.content.iter().all(is_plain) && result.extra.is_empty() {
        return Some(result);
    }
    result.content = without_calls(std::mem::take(&mut result.content));
    let json = serde_json::to_value(&*result).ok()?;
    (!is_deeper(&json, LEVELS) && serde_json::from_value::<ToolResult>(json).is_ok()).then_some(result)
}

/// A finished call, unless hooks have its tool run again.
pub(super) struct EndedCall {
    pub(super) outcome: CallOutcome,
    pub(super) took: Duration,
    /// How often the tool ran.
    pub(super) attempt: u32,
    /// The tool, if it may run again.
    pub(super) again: Option<Arc<dyn Tool>>,
}

impl From<CallOutcome> for EndedCall {
    /// For a call that was not run.
    fn from(outcome: CallOutcome) -> Self {
        Self { outcome, took: Duration::ZERO, attempt: 0, again: None }
    }
}

impl TurnLoop {
    /// Runs the hooks after a call and stores its result. Every call gets a result.
    pub(super) async fn finish(&mut self, call: ToolCall, input: ToolInput, mut ended: EndedCall) -> Result<(), End> {
        let mut refused_by = None;
        let (result, error, removed_by) = loop {
            let took = ended.took;
            break match &ended.outcome {
                CallOutcome::Succeeded(result) => {
                    let (budget, model) = self.reader_of_results();
                    let mut event = AfterToolCallSuccess::new(call.clone(), input.clone()).duration(took);
                    (event.context_budget, event.model) = (budget, model);
                    let event = event.history(self.transcript.view.clone()).dynamic_ui(self.session.dynamic_ui);
                    let fired = self.fire_to_end(&event, self.shortened(result.clone())).await?;
                    (fired.subject, None, fired.report.removed_by.clone())
                }
                CallOutcome::Failed(result) => {
                    let result = self.shortened(result.clone());
                    let error = result.text().into_owned();
                    let may_retry = ended.again.is_some() && ended.attempt <= self.limits().tool_retries;
                    let (budget, model) = self.reader_of_results();
                    let mut event = AfterToolCallFailure::new(call.clone(), input.clone(), error.as_str());
                    (event.context_budget, event.model) = (budget, model);
                    let event = event.duration(took).attempt(ended.attempt).may_retry(may_retry);
                    let event = event.history(self.transcript.view.clone()).dynamic_ui(self.session.dynamic_ui);
                    let fired = self.fire_to_end(&event, result).await?;
                    let (left, removed_by) = (fired.subject, fired.report.removed_by.clone());
                    // What hooks masked or removed is not in any text about the failure.
                    let error = left.as_ref().map_or_else(|| removed(removed_by.as_ref()), |left| left.text().into());
                    if let (Retry::After(wait), true, None) = (fired.verdict, may_retry, &self.halted) {
                        self.emit(|| TurnEvent::ToolRetrying { call: self.shown_call(&call), error: error.clone() });
                        if let Some(next) = self.run_again(&call, &input, &ended, wait).await {
                            ended = next;
                            continue;
                        }
                    }
                    (left, Some(error), removed_by)
                }
                CallOutcome::NotDone(why) => (Some(ToolResult::error(why.as_str())), Some(why.clone()), None),
                CallOutcome::Refused(CallRefusal { message, by, .. }) => {
                    refused_by.clone_from(by);
                    (Some(ToolResult::error(message.as_str())), Some(message.clone()), None)
                }
            };
        };
        let mut event = AfterToolCall::new(call.clone(), input).duration(ended.took).attempt(ended.attempt);
        event.result.clone_from(&result);
        let is_error = error.is_some();
        event.error = error;
        self.announce(&event).await?;
        let result = result.unwrap_or_else(|| {
            let mut result = ToolResult::new(removed(removed_by.as_ref()));
            result.is_error = is_error;
            result
        });
        let stored = self.store_result(&call, &result).await?;
        self.calls.contexts.extend(result.additional_context.iter().cloned());
        self.emit(|| {
            let call = self.shown_call(&call);
            TurnEvent::ToolFinished { call, result: stored, removed_by, refused_by }
        });
        Ok(())
    }

    /// A call as events show it: what hooks masked in its row stays masked there, whatever the tool gets. Of a call that
    /// hooks left out of all rows, nothing is shown but its name.
    pub(super) fn shown_call(&self, call: &ToolCall) -> ToolCall {
        let rows = self.transcript.view.iter().rev();
        let mut shown = rows.flat_map(Message::tool_calls).find(|row| row.id == call.id).cloned().unwrap_or_default();
        (shown.id, shown.name) = (call.id.clone(), call.name.clone());
        shown.declared_as.clone_from(&call.declared_as);
        shown
    }

    /// The remaining tokens of the window of the model that reads the results, and the name of that model, if known.
    fn reader_of_results(&mut self) -> (Option<u64>, Option<String>) {
        let parts = Arc::clone(&self.session.harness);
        let budget = parts.window.as_ref().map(|window| window.tokens.saturating_sub(self.used(window)));
        (budget, self.model.answered_by.clone())
    }

    /// Stores a result. Returns it as the hooks before the row left it, which is how the model reads it.
    async fn store_result(&mut self, call: &ToolCall, result: &ToolResult) -> Result<ToolResult, End> {
        let event = BeforeStoreToolResult::new(call.clone());
        let row = self.fire_before_row(&event, ResultRow::new(call, result)).await?;
        let said_by = result.said_by.filter(|role| *role != Role::Tool && !row.content.is_empty());
        let content = match said_by {
            Some(role) => vec![Block::from(format!("The answer is in a message of the {role} that follows."))],
            None => row.content.clone(),
        };
        let mut block = ToolResultBlock::new(row.call_id.as_str(), content);
        block.name = Some(row.tool.clone());
        block.is_error = row.is_error;
        block.extra = row.extra.clone();
        let answer = self.row_of(Message::of(Role::Tool, vec![Block::ToolResult(block)])).await?;
        let said = match said_by {
            Some(role) => Some(self.row_of(Message::of(role, row.content.clone())).await?),
            None => None,
        };
        self.calls.relayed |= said.is_some();
        // Together: or else the first would promise what may never come.
        let stored = self.append_with(answer, said).await?;
        let mut left = ToolResult::default();
        for block in &stored.content {
            if let Block::ToolResult(block) = block {
                (left.content, left.is_error) = (block.content.clone(), block.is_error);
                left.extra.clone_from(&block.extra);
            }
        }
        Ok(left)
    }

    /// Truncates a result to the limit, which applies to all its blocks together.
    fn shortened(&self, mut result: ToolResult) -> ToolResult {
        let (mut left, mut cut) = (self.limits().result_chars, false);
        result.rewrite_text(|text| {
            if cut {
                return Some(String::new());
            }
            let Some((end, _)) = text.char_indices().nth(left) else {
                left -= text.chars().count();
                return None;
            };
            cut = true;
            Some(format!("{}\n[truncated: the output of the tool was longer]", &text[..end]))
        });
        if cut {
            // Providers reject empty text blocks.
            result.content.retain(|block| block.as_text() != Some(""));
        }
        result
    }
}
