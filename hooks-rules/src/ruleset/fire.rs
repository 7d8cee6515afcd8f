//! Fires an event that no kind carries.

use std::sync::Arc;

use hook_sdk::HookContext;
use serde_json::Value;

use super::rules::Rules;
use crate::answer::Answer;
use crate::occurrence::Occurrence;
use crate::runner::EventRules;

impl Rules {
    /// Runs the rules for an occurrence and returns their merged answer. This is for events that no kind carries, such
    /// as `Notification` or `ConfigChange`: the app fires them here and applies the answer. If rules failed and none
    /// decided, [`Answer::failure`] contains the reason.
    ///
    /// The session, working directory and agent are those of the context, unless the occurrence sets them.
    ///
    /// ```
    /// use hook_sdk::HookContext;
    /// use hooks_rules::{Event, Occurrence, Rules};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let text = r#"{"hooks": {"ConfigChange": [{"matcher": "project_settings", "hooks": [
    ///     {"type": "command", "command": "echo 'not on Fridays' >&2; exit 2"}]}]}}"#;
    /// let rules = Rules::builder().text("hooks.json", text).build();
    /// let mut change = Occurrence::new(Event::ConfigChange);
    /// change.set("source", "project_settings");
    /// let answer = rules.fire(&HookContext::new(), change).await;
    /// # #[cfg(unix)]
    /// assert_eq!(answer.decision.as_str(), Some("deny"));
    /// # }
    /// ```
    pub async fn fire(&self, cx: &HookContext, occurrence: Occurrence) -> Answer {
        let event = occurrence.event;
        let rules = {
            let state = self.state();
            let runs = |active: &&Arc<_>| !state.is_disabled(active);
            state.active.iter().filter(|active| active.rule.event == event).filter(runs).cloned().collect()
        };
        let of_event = EventRules { shared: Arc::clone(self.shared()), event, rules };
        let known = of_event.occurrence(cx).with(occurrence);
        let tool = known.get("tool_name").and_then(Value::as_str).map(str::to_owned);
        match of_event.fire(cx, known, tool.as_deref()).await {
            Ok(answer) => answer.unwrap_or_default(),
            Err(failed) => Answer { failure: Some(failed.to_string()), ..Answer::default() },
        }
    }
}
