use std::sync::Arc;

use hooks_core::Hook;
use hooks_core::kinds::Stop;
use hooks_core::verdict::StopVerdict;

use crate::answer::{Answer, Decision};
use crate::event::Event;
use crate::rules::Firing;

/// `Stop`, and `SubagentStop` within a sub-agent.
pub(super) fn stop(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::async_reader::<Stop, _, _, _>(id, move |cx, event, (): &()| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            // A sub-agent's end is the one event, any other the other.
            if (firing.event == Event::SubagentStop) == cx.agent_path().is_empty() {
                return StopVerdict::default();
            }
            let mut occurrence = firing.occurrence(cx);
            occurrence.set("stop_hook_active", event.stop_hook_active);
            if let Some(message) = &event.last_message {
                firing.transcribe(cx, message);
                occurrence.set("last_assistant_message", message.text().into_owned());
            }
            occurrence.set_flat("turn_end_reason", event.reason.as_ref());
            let session = occurrence.session.clone();
            let answer = firing.fire(occurrence, None).await;
            verdict(&firing, &session, event.stop_hook_active, answer)
        })
    })
}

fn verdict(firing: &Firing, session: &str, again: bool, answer: Answer) -> StopVerdict {
    let mut verdict = match (answer.decision, answer.stop) {
        (Decision::Deny(reason), _) => StopVerdict::block(reason),
        (_, Some(reason)) => StopVerdict::end(reason),
        (Decision::Continue(reason), None) if firing.shared.may_continue(session, again) => {
            StopVerdict::continue_with(reason)
        }
        // Rules that never let a turn end exist.
        (Decision::Continue(_), None) => {
            StopVerdict::default().with_system_message("rules continued this turn too often in a row; it ends")
        }
        _ => StopVerdict::default(),
    };
    verdict = answer.contexts.into_iter().fold(verdict, StopVerdict::with_context);
    verdict = answer.messages.into_iter().fold(verdict, StopVerdict::with_system_message);
    if answer.suppress_output { verdict.suppress_output() } else { verdict }
}
