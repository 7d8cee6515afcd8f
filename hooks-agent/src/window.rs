//! The context window of the models, and compaction of conversations that exceed it.

mod count;
mod drop_then_summarise;
#[cfg(feature = "tokens")]
mod tokenizer;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hook_sdk::data::{CompactedHistory, Message, Messages};
use hook_sdk::kinds::CompactionKind;

pub(crate) use count::{Counted, Measured};
pub use drop_then_summarise::DropThenSummarise;
#[cfg(feature = "tokens")]
pub use tokenizer::Tokenizer;

/// The context window of the models of a harness.
///
/// ```
/// use hooks_agent::window::Window;
///
/// let window = Window::new(128_000).compact_at(100_000).count_with(|text| text.split_whitespace().count() as u64);
/// ```
#[derive(Clone)]
pub struct Window {
    /// The size in tokens.
    pub(crate) tokens: u64,
    /// The number of tokens at which the conversation is compacted.
    pub(crate) compact_at: u64,
    pub(crate) injection_mode: String,
    pub(crate) compactor: Arc<dyn Compactor>,
    count: Arc<dyn Fn(&str) -> u64 + Send + Sync>,
}

impl Window {
    /// Creates a window of `tokens`. The conversation is compacted when four fifths of it are full.
    pub fn new(tokens: u64) -> Self {
        Self {
            tokens,
            compact_at: tokens / 5 * 4,
            injection_mode: "full".to_owned(),
            compactor: Arc::new(DropThenSummarise::default()),
            count: Arc::new(estimate),
        }
    }

    /// Sets the number of tokens at which the conversation is compacted.
    #[must_use]
    pub fn compact_at(mut self, tokens: u64) -> Self {
        self.compact_at = tokens.min(self.tokens);
        self
    }

    /// Sets how much context hooks at `post_compact` should inject again after a compaction, as a word of the app by
    /// which they can filter. Default: `full`. After a provider rejected the conversation, it is always `minimal`.
    #[must_use]
    pub fn injection_mode(mut self, word: impl Into<String>) -> Self {
        self.injection_mode = word.into();
        self
    }

    /// Sets how a conversation is shortened. Default: [`DropThenSummarise`].
    #[must_use]
    pub fn compactor(mut self, compactor: impl Compactor) -> Self {
        self.compactor = Arc::new(compactor);
        self
    }

    /// Sets the function that counts tokens. Default: one token for every four bytes. After the first call, the
    /// provider's count is used, and this function only for changes since then.
    #[must_use]
    pub fn count_with(mut self, count: impl Fn(&str) -> u64 + Send + Sync + 'static) -> Self {
        self.count = Arc::new(count);
        self
    }

    /// Counts tokens with the tokenizer of a provider.
    #[cfg(feature = "tokens")]
    #[must_use]
    pub fn tokenizer(self, tokenizer: Tokenizer) -> Self {
        self.count_with(move |text| tokenizer.count(text))
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window")
            .field("tokens", &self.tokens)
            .field("compact_at", &self.compact_at)
            .finish_non_exhaustive()
    }
}

/// English text has about four bytes per token. Other text has fewer, so the estimate is too low for it.
fn estimate(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// The conversation that a [`Compactor`] shortens.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ToCompact<'a> {
    /// The messages that the model reads.
    pub messages: &'a Messages,
    /// The index of the first message of the running turn, which is the person's message.
    pub turn: usize,
}

impl<'a> ToCompact<'a> {
    /// Creates the input of a compactor. The running turn begins at index `turn`.
    pub fn new(messages: &'a Messages, turn: usize) -> Self {
        Self { messages, turn: turn.min(messages.len()) }
    }
}

/// Shortens conversations. The loop requests one kind of compaction after another until the conversation fits:
/// `microcompact`, `turn`, `full`, and `minimal_history` only if a provider rejects the result of the others. A
/// compaction is not applied if it does not lower the token count, or if the store would have a call without its result.
pub trait Compactor: Send + Sync + 'static {
    /// Returns how to shorten the conversation, or `None` if this kind of compaction would change nothing.
    ///
    /// Calls and their results must stay together: a result that is left out comes back if its call stays.
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction>;
}

/// The decision of a [`Compactor`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Compaction {
    /// Replaces the conversation. Changed messages are stored. Removed messages are removed from the stored view if
    /// there is a summary; otherwise they are left out for this turn only, and
    /// [`Reply::left_out`](crate::Reply::left_out) lists them.
    Rest(CompactedHistory),
    /// Requests a summary by a model, which replaces these messages. The hooks around a model call run, with the call
    /// site `compaction`. If the call fails, nothing is changed.
    #[non_exhaustive]
    Summarise {
        /// The instructions for the model.
        instructions: String,
        /// The indexes of the messages to summarise.
        old: Range<usize>,
    },
}

impl Compaction {
    /// Creates a [`Summarise`](Self::Summarise).
    pub fn summarise(instructions: impl Into<String>, old: Range<usize>) -> Self {
        Self::Summarise { instructions: instructions.into(), old }
    }
}

/// The largest index up to `at` that does not separate a call from its result.
pub(crate) fn between_calls(messages: &[Message], at: usize) -> usize {
    let answers =
        |message: &Message| message.content.iter().any(|block| matches!(block, hook_sdk::data::Block::ToolResult(_)));
    if at >= messages.len() {
        return messages.len();
    }
    messages[..=at].iter().rposition(|message| !answers(message)).unwrap_or_default()
}
