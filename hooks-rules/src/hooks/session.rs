use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::{BeforeAgentStart, SessionEnd, SessionEndReason, SessionSource, SessionStart};
use hook_sdk::verdict::{AgentStart, Contexts};

use super::{BoxError, halt};
use crate::runner::{EventRules, RuleNote, RuleNotes};

/// `SessionStart`.
pub(super) fn start(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<SessionStart>(id).async_reader(move |cx, event, (): &()| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = rules.occurrence_in(cx, &event.session);
            occurrence.set("source", event.source.as_ref());
            if let (SessionSource::Startup, Some(files)) = (&event.source, &rules.shared.files) {
                // Variables exported by an earlier session with the same name must not be used.
                let _reported_where_it_is_used = files.exports(&event.session, true);
            }
            let answer = rules.fire(cx, occurrence, None).await;
            let said = answer.as_ref().ok().and_then(Option::as_ref);
            let stop = said.and_then(|answer| Some((answer.stop.clone()?, answer.by.clone())));
            RuleNotes::say(cx, stop.iter().map(|(reason, _)| RuleNote::Halt(reason.clone())));
            rules.shared.stop_session(&event.session, stop);
            Ok::<_, BoxError>(Contexts::from(answer?.ok_or(NotSelected)?.contexts))
        })
    })
}

/// `SessionEnd`.
pub(super) fn end(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<SessionEnd>(id).async_reader(move |cx, event, (): &()| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = rules.occurrence_in(cx, &event.session);
            occurrence.set("reason", reason(&event.reason));
            occurrence.own_word = Some(event.reason.as_ref().to_owned());
            let fired = rules.fire(cx, occurrence, None).await;
            rules.shared.forget(&event.session);
            fired?.ok_or(NotSelected)?;
            Ok::<_, BoxError>(())
        })
    })
}

/// The contract's word. A word of the app, such as `logout`, is passed on.
fn reason(reason: &SessionEndReason) -> &str {
    match reason {
        SessionEndReason::New | SessionEndReason::Reset => "clear",
        SessionEndReason::Idle
        | SessionEndReason::Daily
        | SessionEndReason::Compaction
        | SessionEndReason::Deleted
        | SessionEndReason::Shutdown
        | SessionEndReason::Restart => "other",
        own => own.as_ref(),
    }
}

/// `SubagentStart`: an agent that another agent called starts.
pub(super) fn agent(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<BeforeAgentStart>(id).async_reader(move |cx, _event, (): &()| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            if cx.agent_path().is_empty() {
                return Err(NotSelected.into());
            }
            let answer = rules.fire(cx, rules.occurrence(cx), None).await?.ok_or(NotSelected)?;
            match answer.stop {
                Some(reason) => Err(BoxError::from(halt(reason, answer.by.as_ref()))),
                None => Ok(AgentStart::from(Contexts::from(answer.contexts))),
            }
        })
    })
}
