use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::UserPromptSubmit;
use hook_sdk::verdict::PromptVerdict;

use super::{BoxError, attributed};
use crate::answer::{Answer, RuleDecision};
use crate::runner::EventRules;

/// `UserPromptSubmit`.
pub(super) fn submit(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<UserPromptSubmit>(id).async_reader(move |cx, event, _messages| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            // The input of a sub-agent is not a prompt of a person. Its event is `SubagentStart`.
            if !cx.agent_path().is_empty() {
                return Err(NotSelected.into());
            }
            if let Some((reason, by)) = rules.shared.take_stop(cx) {
                return Ok(attributed(PromptVerdict::stop(reason), by.as_ref(), PromptVerdict::attributed_to));
            }
            let mut occurrence = rules.occurrence(cx);
            occurrence.set("prompt", event.prompt.as_str());
            let answer = rules.fire(cx, occurrence, None).await?;
            let is_refused =
                matches!(&answer, Some(Answer { stop: Some(_), .. } | Answer { decision: RuleDecision::Deny(_), .. }));
            // The model does not read the contexts of a prompt that is refused.
            let wakes = if is_refused { Vec::new() } else { rules.shared.take_wakes(cx) };
            if answer.is_none() && wakes.is_empty() {
                return Err(NotSelected.into());
            }
            let answer = answer.unwrap_or_default();
            let verdict = match (answer.stop, answer.decision) {
                (Some(reason), _) => PromptVerdict::stop(reason),
                (None, RuleDecision::Deny(reason)) => PromptVerdict::block(reason),
                (None, _) => PromptVerdict::default(),
            };
            let verdict = attributed(verdict, answer.by.as_ref(), PromptVerdict::attributed_to);
            let contexts = answer.contexts.into_iter().chain(wakes);
            Ok::<_, BoxError>(contexts.fold(verdict, PromptVerdict::with_context))
        })
    })
}
