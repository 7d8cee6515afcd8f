//! The interface between the loop and a model.

#[cfg(feature = "genai")]
mod genai;
mod recorded;
mod scripted;

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::data::Messages;
pub use hook_sdk::data::{MAX_TOKENS, ModelAnswer};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::ModelFailure;
use hook_sdk::protocol::IntoModelAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(feature = "genai")]
pub use self::genai::Genai;
pub use recorded::{RecordedTool, Recording};
pub use scripted::{Line, Scripted};

use crate::tool::ToolSpec;

/// A model, or anything else that answers model calls.
///
/// ```
/// use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
/// use hook_sdk::hook::BoxFuture;
///
/// /// Repeats the prompt.
/// struct Echo;
///
/// impl Model for Echo {
///     fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
///         Box::pin(async move {
///             let said = call.messages.last().map(|message| message.text().into_owned()).unwrap_or_default();
///             deltas.text(&said);
///             Ok(ModelAnswer::text(said))
///         })
///     }
/// }
/// ```
pub trait Model: Send + Sync + 'static {
    /// Answers `call`. A streaming model also passes each piece to `deltas`; the returned answer contains all of them.
    ///
    /// When the turn is cancelled, the future is dropped.
    ///
    /// # Errors
    /// [`ModelError`]. Its variant says whether the call may be retried.
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>>;
}

/// An async function or closure that answers with text, content blocks, a [`Message`](hook_sdk::data::Message), a
/// [`ModelAnswer`], or a `Result` of one of them. An error that is no [`ModelError`] is not retried.
/// A closure that captures is a `move |call| async move { … }`: the future may not borrow from it.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hooks_agent::Harness;
/// use hooks_agent::model::ModelCall;
///
/// let echo = async |call: ModelCall| call.messages.last().map(|prompt| prompt.text().into_owned()).unwrap_or_default();
/// let harness = Harness::builder(Registry::empty()).model("main", echo).build()?;
/// # Ok::<(), ConfigError>(())
/// ```
impl<F, R, T> Model for F
where
    F: Fn(ModelCall) -> R + Send + Sync + 'static,
    R: Future<Output = T> + Send + 'static,
    T: IntoModelAnswer + Send + 'static,
{
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            self(call.clone()).await.into_model_answer().map_err(|error| match error.downcast() {
                Ok(error) => *error,
                Err(error) => ModelError::Unanswered(error.to_string()),
            })
        })
    }
}

/// A model call.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelCall {
    /// The system prompt, including the contributions of hooks.
    pub system_prompt: String,
    /// The messages.
    pub messages: Messages,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The profile that the call was routed to.
    pub profile: String,
    /// Whether the model has to call a tool: `auto`, `required`, `none`, or the name of a tool.
    pub tool_choice: Option<String>,
    /// The sampling temperature, from 0.
    pub temperature: Option<f64>,
    /// The maximum number of tokens of the answer.
    pub max_tokens: Option<u32>,
    /// The JSON Schema of the answer, if it has to be JSON.
    pub output_schema: Option<Value>,
    /// Provider-specific fields.
    pub extra: Map<String, Value>,
    /// The conversation of the call.
    pub conversation: String,
    /// The number of the turn within its session, starting at 1.
    pub turn: u64,
}

/// A piece of a streamed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// A piece of the text.
    Text(&'a str),
    /// A piece of the thinking.
    Thinking(&'a str),
    /// A piece of the input of a tool call.
    #[non_exhaustive]
    ToolInput {
        /// The id of the tool call.
        call: &'a str,
        /// The name of the tool.
        tool: &'a str,
        /// The piece.
        text: &'a str,
    },
}

/// Receives the pieces of a streamed answer.
pub struct Deltas<'a>(&'a (dyn Fn(Delta<'_>) + Send + Sync));

impl<'a> Deltas<'a> {
    /// Passes each piece to `listener`.
    pub fn to(listener: &'a (dyn Fn(Delta<'_>) + Send + Sync)) -> Self {
        Self(listener)
    }

    /// Sends a piece of text.
    pub fn text(&self, text: &str) {
        (self.0)(Delta::Text(text));
    }

    /// Sends a piece of thinking.
    pub fn thinking(&self, text: &str) {
        (self.0)(Delta::Thinking(text));
    }

    /// Sends a piece of the input of the call `call` of `tool`.
    pub fn tool_input(&self, call: &str, tool: &str, text: &str) {
        (self.0)(Delta::ToolInput { call, tool, text });
    }
}

impl std::fmt::Debug for Deltas<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deltas")
    }
}

/// Why a model did not answer.
#[derive(Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelError {
    /// The provider rejects the call. Retrying helps only with other messages.
    #[error("the provider refused the call: {0}")]
    Rejected(String),
    /// The messages exceed the model's context window.
    #[error("the messages do not fit into the model's window: {0}")]
    Overflow(String),
    /// The provider is rate-limiting. The same call may be retried later.
    #[error("the provider asks to wait: {message}")]
    #[non_exhaustive]
    RateLimited {
        /// The provider's message.
        message: String,
        /// How long to wait, if the provider says so.
        retry_after: Option<Duration>,
    },
    /// The provider, or the connection to it, is down. The same call may be retried.
    #[error("the provider cannot be reached: {0}")]
    Unavailable(String),
    /// There was no answer, and a retry would not help: for example, a missing key, an invalid URL or a timeout.
    #[error("the model gave no answer: {0}")]
    Unanswered(String),
    /// The answer broke off or is malformed.
    #[error("the answer cannot be read: {0}")]
    Broken(String),
}

/// As `Display`, because a `main` that returns it prints this.
impl std::fmt::Debug for ModelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl ModelError {
    /// Creates a [`RateLimited`](Self::RateLimited) error. `retry_after` is the wait that the provider asks for, if
    /// any.
    pub fn rate_limited(message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::RateLimited { message: message.into(), retry_after }
    }

    /// The failure as hooks at `post_model_call` see it.
    pub(crate) fn failure(&self) -> ModelFailure {
        match self {
            Self::Rejected(_) => ModelFailure::Rejected,
            Self::Overflow(_) => ModelFailure::Overflow,
            Self::RateLimited { .. } => ModelFailure::RateLimited,
            Self::Unavailable(_) => ModelFailure::Unavailable,
            Self::Unanswered(_) => ModelFailure::Unanswered,
            Self::Broken(_) => ModelFailure::Broken,
        }
    }

    /// How long to wait before a retry: what the provider says, or `otherwise`. `None` if a retry does not help.
    pub(crate) fn retry_after(&self, otherwise: Duration) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => Some(retry_after.unwrap_or(otherwise)),
            Self::Unavailable(_) | Self::Broken(_) => Some(otherwise),
            Self::Rejected(_) | Self::Overflow(_) | Self::Unanswered(_) => None,
        }
    }
}

/// The models of a harness by profile.
#[derive(Clone, Default)]
pub(crate) struct Models(Vec<(String, Arc<dyn Model>)>);

impl Models {
    pub(crate) fn add(&mut self, profile: String, model: Arc<dyn Model>) {
        self.0.retain(|(known, _)| *known != profile);
        self.0.push((profile, model));
    }

    /// The profiles, default first.
    pub(crate) fn profiles(&self) -> Vec<String> {
        self.0.iter().map(|(profile, _)| profile.clone()).collect()
    }

    /// The model of `profile`, or the default model for `None`.
    pub(crate) fn get(&self, profile: Option<&str>) -> Option<(&str, &Arc<dyn Model>)> {
        let found = match profile {
            Some(wanted) => self.0.iter().find(|(known, _)| known == wanted),
            None => self.0.first(),
        };
        found.map(|(profile, model)| (profile.as_str(), model))
    }
}
