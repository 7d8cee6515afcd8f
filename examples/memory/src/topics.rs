//! The preflight: which topics a prompt concerns.

use std::collections::BTreeSet;

use hook_sdk::HookContext;
use hook_sdk::data::Messages;
use serde::{Deserialize, Serialize};

use crate::fact::words;

/// The topics, each with words that indicate it. A real app would ask a small model.
const TOPICS: [(&str, &[&str]); 4] = [
    ("food", &["allergic", "breakfast", "cook", "dinner", "eat", "lunch", "recipe", "restaurant", "vegetarian"]),
    ("home", &["address", "house", "flat", "lives", "move", "neighbour"]),
    ("pets", &["cat", "dog", "pet", "vet"]),
    ("travel", &["flight", "fly", "holiday", "train", "trip", "weekend"]),
];

/// The topics of `text`.
pub fn topics(text: &str) -> BTreeSet<String> {
    let said = words(text);
    let touched = |words: &[&str]| words.iter().any(|word| said.contains(*word));
    TOPICS.iter().filter(|(_, words)| touched(words)).map(|(topic, _)| (*topic).to_owned()).collect()
}

/// The plan for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// The topics of the prompt.
    pub topics: BTreeSet<String>,
}

/// The app's preflight. Hooks at `post_preflight_prompt_context` read its plan.
pub fn look(_cx: &HookContext, prompt: &str, _history: &Messages) -> Plan {
    Plan { topics: topics(prompt) }
}
