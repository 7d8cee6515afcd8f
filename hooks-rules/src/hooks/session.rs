use std::sync::Arc;

use hooks_core::Hook;
use hooks_core::kinds::{BeforeAgentStart, SessionEnd, SessionStart};
use hooks_core::verdict::{AgentStart, Contexts};

use crate::rules::Firing;

/// `SessionStart`.
pub(super) fn start(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::async_reader::<SessionStart, _, _, _>(id, move |cx, event, (): &()| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = firing.occurrence(cx);
            occurrence.session.clone_from(&event.session);
            occurrence.set("source", event.source.as_ref());
            Contexts::from(firing.fire(occurrence, None).await.contexts)
        })
    })
}

/// `SessionEnd`.
pub(super) fn end(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::async_reader::<SessionEnd, _, _, _>(id, move |cx, event, (): &()| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = firing.occurrence(cx);
            occurrence.session.clone_from(&event.session);
            occurrence.set("reason", event.reason.as_ref());
            firing.fire(occurrence, None).await;
            firing.shared.forget(&event.session);
        })
    })
}

/// `SubagentStart`: the start of an agent that another one called.
pub(super) fn agent(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::async_reader::<BeforeAgentStart, _, _, _>(id, move |cx, _event, (): &()| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            if cx.agent_path().is_empty() {
                return AgentStart::default();
            }
            let answer = firing.fire(firing.occurrence(cx), None).await;
            AgentStart::from(Contexts::from(answer.contexts))
        })
    })
}
