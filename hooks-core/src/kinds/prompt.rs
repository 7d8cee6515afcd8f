use std::collections::HashSet;

use hooks_macros::__event as event;

use crate::data::{Message, Messages, Role};
use crate::verdict::{AgentStart, PromptVerdict};

/// Fires when a person has submitted a prompt: hooks may rewrite the messages, add contexts, or block the prompt.
#[event(
    name = "user_prompt_submit",
    subject = Messages,
    verdict = PromptVerdict,
    check = Messages::check_conversation,
    match(profile),
    new(prompt, original)
)]
pub struct UserPromptSubmit {
    /// The prompt of the person.
    pub prompt: String,
    /// The conversation with the prompt, before any hook.
    pub original: Messages,
    /// The model profile that the turn requests; empty if it requests none.
    pub profile: String,
    /// Whether the prompt is hidden from the person, for example because a timer submitted it.
    pub hidden: bool,
}

impl UserPromptSubmit {
    /// The index of the prompt in the messages that the hooks left: the unchanged prompt, or else the new user message
    /// that is most like it. Hooks may add messages before and after the prompt. `None` if they removed it:
    /// the prompt is blocked then.
    pub fn place_of_prompt(&self, after: &Messages) -> Option<usize> {
        let (prompt, before) = self.original.split_last()?;
        let times = |messages: &[Message]| messages.iter().filter(|message| *message == prompt).count();
        if after.last() == Some(prompt) || times(after) > times(before) {
            return after.iter().rposition(|message| message == prompt);
        }
        let text = prompt.text();
        let words: HashSet<&str> = text.split_whitespace().collect();
        let likeness = |place: usize| {
            let common = after[place].text().split_whitespace().filter(|word| words.contains(word)).count();
            // If nothing is alike, hooks most likely replaced the message where it was, or else added others before it.
            (common, place == before.len(), place)
        };
        let added = added(before, after).into_iter();
        added.filter(|place| after[*place].role == Role::User).max_by_key(|place| likeness(*place))
    }
}

/// Fires before an agent's run begins: hooks may add contexts and set the system prompt; the first one that sets it
/// wins.
#[event(name = "before_agent_start", verdict = AgentStart, match(trigger), new(prompt))]
#[derive(Default)]
pub struct BeforeAgentStart {
    /// The prompt of the run.
    pub prompt: String,
    /// The conversation so far.
    pub messages: Messages,
    /// What started the run, such as `user` or `cron`; empty if the harness does not provide it.
    pub trigger: String,
}

/// The indexes of the messages that are in `after` more often than in `before`; of equal messages, the later ones
/// count as added.
fn added(before: &[Message], after: &[Message]) -> Vec<usize> {
    let mut old: Vec<Option<&Message>> = before.iter().map(Some).collect();
    let mut added = Vec::new();
    for (place, message) in after.iter().enumerate() {
        let same = |known: Option<&Message>| known == Some(message);
        // Most messages are where they were.
        let known = if old.get(place).copied().is_some_and(same) {
            Some(place)
        } else {
            old.iter().position(|known| same(*known))
        };
        match known {
            Some(known) => old[known] = None,
            None => added.push(place),
        }
    }
    added
}
