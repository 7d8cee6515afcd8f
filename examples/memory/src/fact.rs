//! A fact, and the words by which it is found.

use std::collections::BTreeSet;
use std::fmt;

use hook_sdk::HookContext;

/// The maximum number of characters of a fact.
pub const FACT_CHARS: usize = 200;

/// A fact that a person told, with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// The name, such as `dog`. A later fact with the same name replaces it.
    pub key: String,
    /// The fact, in a single line.
    pub text: String,
    /// The turn in which it was told: conversation and number.
    pub turn: String,
}

impl Fact {
    /// Creates the fact `text` with the name `key`. `None` if one of them is empty after cleaning.
    ///
    /// A note becomes a part of later prompts, so it is a single line and truncated at [`FACT_CHARS`].
    pub fn new(key: &str, text: &str, turn: &str) -> Option<Self> {
        let text: Vec<_> = text.split_whitespace().collect();
        let text: String = text.join(" ").chars().take(FACT_CHARS).collect();
        let key = slug(key);
        (!key.is_empty() && !text.is_empty()).then(|| Self { key, text, turn: turn.to_owned() })
    }

    /// The words by which it is found.
    pub fn words(&self) -> BTreeSet<String> {
        words(&format!("{} {}", self.key, self.text))
    }
}

/// The short name of the turn of `cx`, because its id is too long for people.
pub fn turn_of(cx: &HookContext) -> String {
    format!("{}:{}", cx.conversation().unwrap_or_default(), cx.turn().unwrap_or_default())
}

/// The line that the model reads.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "- [{}] {} ({})", self.key, self.text, self.turn)
    }
}

/// `text` as a key: lower-case words with `_` between them, at most 40 characters.
pub fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let parts: Vec<_> = lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let cut: String = parts.join("_").chars().take(40).collect();
    cut.trim_end_matches('_').to_owned()
}

/// The relevant words of `text`: lower-case, with at least three letters, without common words.
pub fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| word.chars().count() >= 3 && !COMMON.contains(word)).map(str::to_owned).collect()
}

const COMMON: &[&str] = &[
    "about", "and", "are", "but", "called", "can", "could", "did", "does", "don", "for", "forget", "from", "has",
    "have", "how", "not", "now", "person", "please", "remember", "shall", "should", "that", "the", "they", "this",
    "was", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];
