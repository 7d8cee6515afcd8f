use hook_sdk::data::{Message, Messages};
use serde_json::json;

use super::Window;
use crate::tool::ToolSpec;

/// A provider's token count, with the count of the window for the same call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) counted: u64,
    pub(crate) tokens: u64,
}

impl Measured {
    /// Estimates the provider's count of a call that counts `counted` here. Added tokens are added, removed tokens
    /// reduce it proportionally.
    pub(crate) fn scaled(self, counted: u64) -> u64 {
        match counted.checked_sub(self.counted) {
            Some(added) => self.tokens.saturating_add(added),
            None => {
                let share = u128::from(self.tokens) * u128::from(counted) / u128::from(self.counted);
                u64::try_from(share).unwrap_or(u64::MAX)
            }
        }
    }
}

/// Caches the token counts of the parts of a call. The conversation is counted before each call, and most of it is
/// unchanged.
#[derive(Default)]
pub(crate) struct Counted {
    /// The system prompt and the tools.
    before: (String, u64),
    rows: Vec<(Message, u64)>,
}

impl Counted {
    /// The token count of a call.
    pub(crate) fn tokens(
        &mut self,
        window: &Window,
        system_prompt: &str,
        tools: &[ToolSpec],
        messages: &Messages,
    ) -> u64 {
        if self.before.0 != system_prompt || self.rows.is_empty() {
            // Tools are fixed before the system prompt.
            let tools = tools.iter().map(|tool| {
                let shown = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
                (window.count)(&shown.to_string())
            });
            self.before = (system_prompt.to_owned(), (window.count)(system_prompt) + tools.sum::<u64>());
        }
        self.rows.truncate(messages.len());
        for (at, message) in messages.iter().enumerate() {
            match self.rows.get_mut(at) {
                // Usually the same allocation, so comparing is cheap.
                Some((known, _)) if known == message => {}
                known => {
                    // A message is sent roughly as this JSON, apart from the provider's framing.
                    let tokens = (window.count)(&serde_json::to_string(message).unwrap_or_default());
                    match known {
                        Some(row) => *row = (message.clone(), tokens),
                        None => self.rows.push((message.clone(), tokens)),
                    }
                }
            }
        }
        self.before.1 + self.rows.iter().map(|(_, tokens)| tokens).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hook_sdk::data::Role;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_new_or_has_changed_is_counted_and_the_sum_is_that_of_all() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&asked);
        let window = Window::new(1_000).count_with(move |text| {
            counts.fetch_add(1, Ordering::Relaxed);
            text.len() as u64
        });
        let tools = [ToolSpec::new("find").schema(json!({}))];
        let mut counted = Counted::default();
        let mut messages = Messages::default();
        let mut steps = Vec::new();
        let mut step = |system_prompt: &str, messages: &Messages| {
            let tokens = counted.tokens(&window, system_prompt, &tools, messages);
            steps.push(asked.swap(0, Ordering::Relaxed));
            let anew = Counted::default().tokens(&window, system_prompt, &tools, messages);
            asked.store(0, Ordering::Relaxed);
            assert_eq!(tokens, anew, "{messages:?}");
        };
        messages.extend((0..3).map(|i| Message::new(Role::User, "x".repeat(i))));
        step("Be brief.", &messages);
        step("Be brief.", &messages);
        messages.push(Message::new(Role::Assistant, "new"));
        step("Be brief.", &messages);
        messages[1].rewrite_text(|_| Some("changed".to_owned()));
        step("Be brief.", &messages);
        messages.remove(0);
        messages.truncate(1);
        step("Be very brief.", &messages);
        // The prompt and a tool, then one for each message that is new in its position.
        assert_eq!(steps, [2 + 3, 0, 1, 1, 2 + 1]);
    }

    #[test]
    fn what_a_provider_counted_goes_before_what_is_counted_here() {
        let measured = Measured { counted: 100, tokens: 400 };
        for (counted, expected) in [(100, 400), (130, 430), (50, 200), (0, 0), (u64::MAX, u64::MAX)] {
            assert_eq!(measured.scaled(counted), expected);
        }
    }

    #[test]
    fn the_system_prompt_the_tools_and_the_messages_all_count() {
        let window = Window::new(1_000).count_with(|text| text.len() as u64);
        let tool = ToolSpec::new("find").description("Finds it.").schema(json!({}));
        let shown = json!({ "name": "find", "description": "Finds it.", "parameters": {} }).to_string();
        let messages = Messages::from(vec![Message::new(Role::User, "hi")]);
        let message = serde_json::to_string(&messages[0]).unwrap();
        let counted = Counted::default().tokens(&window, "Be brief.", &[tool], &messages);
        assert_eq!(counted, ("Be brief.".len() + shown.len() + message.len()) as u64);
    }
}
