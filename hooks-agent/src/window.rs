//! How much of a conversation a model can read, and what is done when it is too much.

mod count;
mod drop_then_summarise;
#[cfg(feature = "tokens")]
mod tokenizer;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hooks_core::data::{CompactedHistory, Message, Messages};
use hooks_core::kinds::CompactionKind;

pub(crate) use count::{Counted, Measured};
pub use drop_then_summarise::DropThenSummarise;
#[cfg(feature = "tokens")]
pub use tokenizer::Tokenizer;

/// The window of the models of a harness.
///
/// ```
/// use hooks_agent::window::Window;
///
/// let window = Window::new(128_000).compact_at(100_000).count_with(|text| text.split_whitespace().count() as u64);
/// ```
#[derive(Clone)]
pub struct Window {
    /// Tokens that the model can read.
    pub(crate) tokens: u64,
    /// Tokens from which on the conversation is compacted.
    pub(crate) compact_at: u64,
    pub(crate) injection_mode: String,
    pub(crate) compactor: Arc<dyn Compactor>,
    count: Arc<dyn Fn(&str) -> u64 + Send + Sync>,
}

impl Window {
    /// A window of `tokens`; the conversation is compacted when four fifths are full.
    pub fn new(tokens: u64) -> Self {
        Self {
            tokens,
            compact_at: tokens / 5 * 4,
            injection_mode: "full".to_owned(),
            compactor: Arc::new(DropThenSummarise::default()),
            count: Arc::new(estimate),
        }
    }

    /// Tokens from which on the conversation is compacted.
    #[must_use]
    pub fn compact_at(mut self, tokens: u64) -> Self {
        self.compact_at = tokens.min(self.tokens);
        self
    }

    /// How much of the standing context is put in again after a compaction, in the app's word; hooks at `post_compact`
    /// may filter by it. `full` where this is not said, and always `minimal` once a provider refused the conversation.
    #[must_use]
    pub fn injection_mode(mut self, word: impl Into<String>) -> Self {
        self.injection_mode = word.into();
        self
    }

    /// What makes a conversation shorter; [`DropThenSummarise`] where this is not said.
    #[must_use]
    pub fn compactor(mut self, compactor: impl Compactor) -> Self {
        self.compactor = Arc::new(compactor);
        self
    }

    /// Counts tokens, as the model's own tokenizer does; a token for each four bytes where this is not said. Once a provider has
    /// said what it read of the conversation, that counts, and this only for what was changed since.
    #[must_use]
    pub fn count_with(mut self, count: impl Fn(&str) -> u64 + Send + Sync + 'static) -> Self {
        self.count = Arc::new(count);
        self
    }

    /// Counts tokens as the models of a provider do.
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

/// English text has about four bytes to a token; other text has fewer, so this errs on the side of too few tokens there.
fn estimate(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// What a [`Compactor`] is to make shorter.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ToCompact<'a> {
    /// What the model reads.
    pub messages: &'a Messages,
    /// Where the turn under way begins in it, with the person's message: the number of messages before that.
    pub turn: usize,
}

impl<'a> ToCompact<'a> {
    /// These messages, of which the turn under way has those from the place `turn` on.
    pub fn new(messages: &'a Messages, turn: usize) -> Self {
        Self { messages, turn: turn.min(messages.len()) }
    }
}

/// Makes a conversation shorter. The loop asks for one kind of compaction after the other until the rest fits:
/// `microcompact`, `turn`, `full`, and `minimal_history` only where a provider refused what the others left. What does not
/// lower the count of tokens is not done.
pub trait Compactor: Send + Sync + 'static {
    /// What is to be done; `None` where this kind of compaction would change nothing.
    ///
    /// A call must keep its result.
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction>;
}

/// What a [`Compactor`] wants to be done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Compaction {
    /// The conversation goes on with this. What it changes is stored so. What it leaves out is stored so where it has a
    /// summary; otherwise it is left out for this turn alone, which [`Reply::left_out`](crate::Reply::left_out) tells.
    Rest(CompactedHistory),
    /// A model is asked for a summary, which takes the place of these messages. The kinds of a model call fire for it, with
    /// the call site `compaction`. Where it does not answer, nothing is changed.
    #[non_exhaustive]
    Summarise {
        /// The instructions for the model.
        instructions: String,
        /// The places of the messages that are summed up.
        old: Range<usize>,
    },
}

impl Compaction {
    /// A summary by a model takes the place of the messages in `old`.
    pub fn summarise(instructions: impl Into<String>, old: Range<usize>) -> Self {
        Self::Summarise { instructions: instructions.into(), old }
    }
}

/// The nearest place at or before `at` that parts no call from its result.
pub(crate) fn between_calls(messages: &[Message], at: usize) -> usize {
    let answers =
        |message: &Message| message.content.iter().any(|block| matches!(block, hooks_core::data::Block::ToolResult(_)));
    messages.iter().take(at + 1).rposition(|message| !answers(message)).unwrap_or_default()
}
