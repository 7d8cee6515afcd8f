use std::sync::Arc;

use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::{Stop, StopReason, TurnEnd};
use hook_sdk::verdict::{StopDecision, StopVerdict, Verdict};
use hook_sdk::{Hook, HookContext};

use super::{BoxError, attributed};
use crate::answer::{Answer, RuleDecision};
use crate::event::Event;
use crate::runner::EventRules;

/// `Stop`, or `SubagentStop` within a sub-agent.
pub(super) fn stop(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<Stop>(id).async_reader(move |cx, event, (): &()| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            // `SubagentStop` is fired within sub-agents only, and `Stop` outside of them only.
            if (rules.event == Event::SubagentStop) == cx.agent_path().is_empty() {
                return Err(NotSelected.into());
            }
            let mut occurrence = rules.occurrence(cx);
            occurrence.set("stop_hook_active", event.stop_hook_active);
            if let Some(message) = &event.last_message {
                // In all other cases, the last message has already been stored.
                let is_new = matches!(event.reason, StopReason::FinalResponse | StopReason::LengthTruncation);
                if is_new && !message.content.is_empty() {
                    rules.shared.transcribe_ahead(cx, message);
                }
                occurrence.set("last_assistant_message", message.text().into_owned());
            }
            if let (Event::SubagentStop, Some(own)) = (rules.event, cx.conversation()) {
                occurrence.set("agent_transcript_path", rules.transcript(own).unwrap_or_default());
            }
            occurrence.set_detail("turn_end_reason", event.reason.as_ref());
            let at_max_iter = event.at_iteration_cap || event.reason == StopReason::MaxIterations;
            occurrence.set_detail("at_max_iter", at_max_iter);
            let (answer, mut fired) = rules.run(cx, occurrence, None).await;
            let Ok(mut answer) = answer else {
                rules.shared.turn_ends(cx);
                rules.shared.report_summary(fired.as_ref());
                return Ok(answer.map(|_| StopVerdict::default())?);
            };
            let nobody = fired.is_none();
            let goes_on = matches!((&answer.decision, &answer.stop), (RuleDecision::Continue(_), None));
            // Messages of background commands continue the turn, or wait for the next one.
            let says_nothing = matches!((&answer.decision, &answer.stop), (RuleDecision::None, None));
            let may_go_on = says_nothing && !event.at_iteration_cap;
            let wakes = if may_go_on { rules.shared.take_wakes(cx) } else { Vec::new() };
            if !wakes.is_empty() {
                answer.decision = RuleDecision::Continue(wakes.join("\n\n"));
            }
            let verdict = verdict(&rules, cx, event.stop_hook_active, answer);
            if !wakes.is_empty() && !matches!(verdict.decision, StopDecision::Continue(_)) {
                rules.shared.put_back_wakes(cx, wakes);
            }
            if nobody && verdict.is_silent() {
                return Err(NotSelected.into());
            }
            if let Some(fired) = fired.as_mut().filter(|_| goes_on) {
                match verdict.decision {
                    StopDecision::Continue(_) if at_max_iter => fired.outcome = "continue_at_max_iter",
                    StopDecision::Continue(_) => {}
                    _ => fired.outcome = "reentry_capped",
                }
            }
            rules.shared.report_summary(fired.as_ref());
            Ok::<_, BoxError>(verdict)
        })
    })
}

/// `StopFailure`: a turn that a person started ended with an error.
pub(super) fn failure(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<TurnEnd>(id).async_reader(move |cx, event, (): &()| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let error = event.error.as_deref().filter(|_| cx.agent_path().is_empty()).ok_or(NotSelected)?;
            let mut occurrence = rules.occurrence(cx);
            // The contract's error types are not known here. A matcher can also use the harness's own word.
            occurrence.set("error", "unknown").set("error_details", error).set("last_assistant_message", error);
            occurrence.own_word = Some(event.reason.as_ref().to_owned());
            rules.fire(cx, occurrence, None).await?.ok_or(NotSelected)?;
            Ok::<_, BoxError>(())
        })
    })
}

fn verdict(rules: &EventRules, cx: &HookContext, again: bool, answer: Answer) -> StopVerdict {
    if !matches!((&answer.decision, &answer.stop), (RuleDecision::Continue(_), None)) {
        rules.shared.turn_ends(cx);
    }
    let mut verdict = match (answer.decision, answer.stop) {
        (RuleDecision::Deny(reason), _) => StopVerdict::block(reason),
        (_, Some(reason)) => StopVerdict::end(reason),
        (RuleDecision::Continue(reason), None) if rules.shared.may_continue(cx, again) => {
            StopVerdict::continue_with(reason)
        }
        // Some rules never let a turn end.
        (RuleDecision::Continue(_), None) => {
            StopVerdict::default().with_system_message("rules continued this turn too often in a row; it ends")
        }
        _ => StopVerdict::default(),
    };
    verdict = attributed(verdict, answer.by.as_ref(), StopVerdict::attributed_to);
    verdict = answer.contexts.into_iter().fold(verdict, StopVerdict::with_context);
    verdict = answer.messages.into_iter().fold(verdict, StopVerdict::with_system_message);
    if answer.suppress_output { verdict.suppress_output() } else { verdict }
}
