//! A recorded conversation: `{"id": …, "messages": […]}` with any other fields.

use hook_sdk::data::{FormatError, Message, json_type_name};
use serde_json::{Map, Value};

/// A conversation, as it was recorded or as hooks left it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Message>,
    /// The other fields of the line, including its `id`.
    pub fields: Map<String, Value>,
}

/// Why a line is not a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationError {
    /// It is not JSON.
    #[error("column {column}: is not JSON: {problem}")]
    #[non_exhaustive]
    NotJson {
        /// The column in bytes, starting at 1.
        column: usize,
        /// The parser's message.
        problem: String,
    },
    /// It is JSON, but not an object.
    #[error("expected an object with `id` and `messages`, found {found}")]
    #[non_exhaustive]
    NotAnObject {
        /// The type that was found.
        found: &'static str,
    },
    /// It has no `messages`.
    #[error("the field `messages` is missing; write `\"messages\": [{{\"role\": \"user\", \"content\": \"…\"}}]`")]
    NoMessages,
    /// Its `messages` are not a list.
    #[error("expected `messages` to be a list, found {found}")]
    #[non_exhaustive]
    NotAList {
        /// The type that was found.
        found: &'static str,
    },
    /// One of its messages is invalid.
    #[error("messages[{index}]: {problem}")]
    #[non_exhaustive]
    BadMessage {
        /// The index of the message, starting at 0.
        index: usize,
        /// The problem.
        problem: FormatError,
    },
}

impl Conversation {
    /// Parses a line.
    ///
    /// # Errors
    /// [`ConversationError`] with the position and what is expected there.
    ///
    /// ```
    /// use airline_desk::conversation::Conversation;
    ///
    /// let read = Conversation::parse(r#"{"id": "c-1", "desk": 4, "messages": [{"role": "user", "content": "hello"}]}"#)?;
    /// assert_eq!((read.id(), read.messages.len()), (Some("c-1"), 1));
    /// assert_eq!(read.to_json()["desk"], 4);
    ///
    /// let error = Conversation::parse(r#"{"messages": [{"role": "pilot"}]}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("messages[0]: role: expected `system`,"));
    /// # Ok::<(), airline_desk::conversation::ConversationError>(())
    /// ```
    pub fn parse(line: &str) -> Result<Self, ConversationError> {
        let value: Value = serde_json::from_str(line).map_err(|error| {
            let problem = error.to_string();
            let problem = problem.split(" at line ").next().unwrap_or(&problem).to_owned();
            ConversationError::NotJson { column: error.column(), problem }
        })?;
        let Value::Object(mut fields) = value else {
            return Err(ConversationError::NotAnObject { found: json_type_name(&value) });
        };
        let messages = match fields.remove("messages") {
            Some(Value::Array(messages)) => messages,
            Some(other) => return Err(ConversationError::NotAList { found: json_type_name(&other) }),
            None => return Err(ConversationError::NoMessages),
        };
        let read = |(index, message)| {
            Message::from_openai(message).map_err(|problem| ConversationError::BadMessage { index, problem })
        };
        let messages = messages.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Self { messages, fields })
    }

    /// The id, if the line has one that is a string.
    pub fn id(&self) -> Option<&str> {
        self.fields.get("id").and_then(Value::as_str)
    }

    /// The conversation in the format from which it was parsed.
    pub fn to_json(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("messages".to_owned(), self.messages.iter().flat_map(Message::to_openai).collect());
        Value::Object(fields)
    }
}
