//! Imports conversations from transcripts of Claude Code.

mod claude_code;

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use hook_sdk::data::Message;
use hooks_agent::store::{Row, StoreError};

use self::claude_code::Reader;
use crate::store::Store;

/// A conversation of another program, ready to be stored.
///
/// ```
/// use hooks_store::Transcript;
///
/// let text = r#"{"type": "user", "uuid": "1", "sessionId": "s-1", "message": {"role": "user", "content": "hello"}}"#;
/// let transcript = Transcript::claude_code(text.as_bytes())?;
/// assert_eq!(transcript.session.as_deref(), Some("s-1"));
/// assert_eq!(transcript.messages[0].message.text(), "hello");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Transcript {
    /// The session that wrote it.
    pub session: Option<String>,
    /// Its messages, in order.
    pub messages: Vec<TranscriptMessage>,
    /// The number of lines without a message of the conversation, by type.
    pub skipped: BTreeMap<String, usize>,
    /// The numbers of lines that cannot be parsed, starting at 1.
    pub unreadable: Vec<usize>,
}

/// A message of a transcript.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TranscriptMessage {
    /// The message.
    pub message: Message,
    /// Whether the model still reads it. It does not read messages that a compaction replaced or that the person rewound.
    pub is_read: bool,
}

impl Transcript {
    /// Reads a transcript of Claude Code, `~/.claude/projects/*/*.jsonl`.
    ///
    /// The parts of a reply that several lines contain become one message, and each tool result becomes a message. Lines of
    /// sub-agents and of failed requests, and messages without content, are skipped. A line that cannot be read does not stop the reading.
    ///
    /// # Errors
    /// [`io::Error`] if `input` cannot be read.
    pub fn claude_code(input: impl BufRead) -> io::Result<Self> {
        let mut reader = Reader::default();
        for line in input.split(b'\n') {
            reader.line(&line?);
        }
        Ok(reader.finish())
    }
}

impl Store {
    /// Stores a transcript as a new conversation, either all of it or nothing. All its messages become rows of the history.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the conversation exists: nothing is stored twice. Otherwise as for
    /// [`append`](hooks_agent::store::MessageStore::append).
    pub async fn import(&self, conversation: &str, transcript: &Transcript) -> Result<Vec<Row>, StoreError> {
        if transcript.messages.is_empty() {
            return Ok(Vec::new());
        }
        let messages = transcript.messages.iter().map(|entry| (entry.message.clone(), entry.is_read));
        self.create(conversation, messages.collect()).await
    }
}
