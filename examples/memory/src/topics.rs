//! The first look at a prompt: which topics it touches, said or not.

use std::collections::BTreeSet;

use hooks_core::HookContext;
use hooks_core::data::Messages;
use serde::{Deserialize, Serialize};

use crate::fact::words;

/// The topics, each with the words that touch it. An app with a model would ask a small one instead.
const TOPICS: [(&str, &[&str]); 4] = [
    ("food", &["allergic", "breakfast", "cook", "dinner", "eat", "lunch", "recipe", "restaurant", "vegetarian"]),
    ("home", &["address", "house", "flat", "lives", "move", "neighbour"]),
    ("pets", &["cat", "dog", "pet", "vet"]),
    ("travel", &["flight", "fly", "holiday", "train", "trip", "weekend"]),
];

/// The topics that `text` touches.
pub fn topics(text: &str) -> BTreeSet<String> {
    let said = words(text);
    let touched = |words: &[&str]| words.iter().any(|word| said.contains(*word));
    TOPICS.iter().filter(|(_, words)| touched(words)).map(|(topic, _)| (*topic).to_owned()).collect()
}

/// What is to be looked up for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// The topics that it touches.
    pub topics: BTreeSet<String>,
}

/// The app's preflight: hooks at `post_preflight_prompt_context` read the plan that it makes.
pub fn look(_cx: &HookContext, prompt: &str, _history: &Messages) -> Plan {
    Plan { topics: topics(prompt) }
}
