//! A fact that is kept, and the words by which it is found.

use std::collections::BTreeSet;
use std::fmt;

use hooks_core::HookContext;

/// Characters of a fact that are kept.
pub const FACT_CHARS: usize = 200;

/// Something that the person said, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// Its name, such as `dog`: a later fact of the same name takes its place.
    pub key: String,
    /// What is so, on one line.
    pub text: String,
    /// The turn in which it was said: conversation and number.
    pub turn: String,
}

impl Fact {
    /// The fact `text`, named by `key`; `None` where nothing is left of one of them.
    ///
    /// A note becomes part of later prompts, so it cannot break out of its line, and is cut at [`FACT_CHARS`].
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

/// The turn that `cx` is of, as a [`Fact`] names it: its id is longer than a person wants to read.
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

/// The words of `text` that say what it is about: lower-case, of three letters or more, without those that stand in any
/// sentence.
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
