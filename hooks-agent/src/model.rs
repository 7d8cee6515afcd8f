//! What the loop asks of a model.

#[cfg(feature = "genai")]
mod genai;
mod recorded;
mod scripted;

use std::sync::Arc;
use std::time::Duration;

use hooks_core::data::{Block, Messages, Usage};
use hooks_core::hook::BoxFuture;
use hooks_core::kinds::ModelFailure;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(feature = "genai")]
pub use self::genai::Genai;
pub use recorded::{RecordedTool, Recording};
pub use scripted::{Line, Scripted};

use crate::tool::ToolSpec;

/// A model, or whatever answers in its place.
///
/// ```
/// use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
/// use hooks_core::hook::BoxFuture;
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
    /// Answers `call`. A model that streams passes what comes to `deltas`; the answer holds all of it.
    ///
    /// The future is dropped where the turn is cancelled.
    ///
    /// # Errors
    /// [`ModelError`], which says whether the same call may be made again.
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>>;
}

/// What a model is sent.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelCall {
    /// The system prompt, with what the hooks contributed to it.
    pub system_prompt: String,
    /// The messages.
    pub messages: Messages,
    /// The tools that the model may ask for.
    pub tools: Vec<ToolSpec>,
    /// The profile that the call was routed to.
    pub profile: String,
    /// Whether it has to ask for a tool: `auto`, `required`, `none`, or the name of the tool.
    pub tool_choice: Option<String>,
    /// How freely it is to choose its words, from 0.
    pub temperature: Option<f64>,
    /// How many tokens the answer may have.
    pub max_tokens: Option<u32>,
    /// The JSON Schema of the answer, where it is to be JSON.
    pub output_schema: Option<Value>,
    /// Fields that only the provider knows.
    pub extra: Map<String, Value>,
    /// The conversation that it is part of.
    pub conversation: String,
    /// The number of the turn within its session, from 1.
    pub turn: u64,
}

/// A piece of an answer that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// Of what the model says.
    Text(&'a str),
    /// Of what it thinks.
    Thinking(&'a str),
    /// Of the input of a call.
    #[non_exhaustive]
    ToolInput {
        /// The id of the call.
        call: &'a str,
        /// The tool.
        tool: &'a str,
        /// The piece.
        text: &'a str,
    },
}

/// Where a model that streams tells what has come of its answer.
pub struct Deltas<'a>(&'a (dyn Fn(Delta<'_>) + Send + Sync));

impl<'a> Deltas<'a> {
    /// Tells each piece to `listener`.
    pub fn to(listener: &'a (dyn Fn(Delta<'_>) + Send + Sync)) -> Self {
        Self(listener)
    }

    /// A piece of text has come.
    pub fn text(&self, text: &str) {
        (self.0)(Delta::Text(text));
    }

    /// A piece of what the model thinks has come.
    pub fn thinking(&self, text: &str) {
        (self.0)(Delta::Thinking(text));
    }

    /// A piece of the input of the call `call` of `tool` has come.
    pub fn tool_input(&self, call: &str, tool: &str, text: &str) {
        (self.0)(Delta::ToolInput { call, tool, text });
    }
}

impl std::fmt::Debug for Deltas<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deltas")
    }
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelAnswer {
    /// Text and tool calls, in their order.
    pub content: Vec<Block>,
    /// Why it stopped, in the provider's word; [`MAX_TOKENS`] where the answer was cut.
    pub stop_reason: String,
    /// The model that answered; empty where the provider does not say.
    pub model: String,
    /// The tokens that the call took, where the provider says.
    pub usage: Option<Usage>,
    /// Fields of the provider that are stored with the message, as they are.
    pub extra: Map<String, Value>,
}

/// The [`ModelAnswer::stop_reason`] of an answer that was cut at its length.
pub const MAX_TOKENS: &str = "max_tokens";

impl ModelAnswer {
    /// The answer `content`.
    pub fn new(content: Vec<Block>) -> Self {
        let calls = content.iter().any(|block| matches!(block, Block::ToolUse(_)));
        let stop_reason = if calls { "tool_use" } else { "end_turn" };
        Self { content, stop_reason: stop_reason.to_owned(), ..Self::default() }
    }

    /// The answer `text`.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![Block::from(text.into())])
    }

    /// The provider's word for why it stopped.
    #[must_use]
    pub fn stop_reason(mut self, word: impl Into<String>) -> Self {
        self.stop_reason = word.into();
        self
    }

    /// The tokens that the call took.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }
}

/// Why a model did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelError {
    /// The provider refuses the call as it is: only other messages can help.
    #[error("the provider refused the call: {0}")]
    Rejected(String),
    /// The messages are longer than the model's window.
    #[error("the messages do not fit into the model's window: {0}")]
    Overflow(String),
    /// Too many calls: the same one may be made again after a while.
    #[error("the provider asks to wait: {message}")]
    #[non_exhaustive]
    RateLimited {
        /// What it said.
        message: String,
        /// How long to wait, where it says so.
        retry_after: Option<Duration>,
    },
    /// The provider or the way to it is broken: the same call may be made again.
    #[error("the provider cannot be reached: {0}")]
    Unavailable(String),
    /// Nobody refused anything, but no answer came and the same call would not bring one: no key, no URL, no word in time.
    #[error("the model gave no answer: {0}")]
    Unanswered(String),
    /// The answer broke off, or cannot be read.
    #[error("the answer cannot be read: {0}")]
    Broken(String),
}

impl ModelError {
    /// The provider asks to wait, for `retry_after` where it says how long.
    pub fn rate_limited(message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::RateLimited { message: message.into(), retry_after }
    }

    /// The word for it that hooks at `post_model_call` read.
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

    /// How long to wait before the same call is made again, where that may help: what the provider says, or
    /// `otherwise`.
    pub(crate) fn retry_after(&self, otherwise: Duration) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => Some(retry_after.unwrap_or(otherwise)),
            Self::Unavailable(_) | Self::Broken(_) => Some(otherwise),
            Self::Rejected(_) | Self::Overflow(_) | Self::Unanswered(_) => None,
        }
    }
}

/// The models of a harness, by profile.
#[derive(Clone, Default)]
pub(crate) struct Models(Vec<(String, Arc<dyn Model>)>);

impl Models {
    pub(crate) fn add(&mut self, profile: String, model: Arc<dyn Model>) {
        self.0.retain(|(known, _)| *known != profile);
        self.0.push((profile, model));
    }

    /// The names, the default first.
    pub(crate) fn profiles(&self) -> Vec<String> {
        self.0.iter().map(|(profile, _)| profile.clone()).collect()
    }

    /// The model of `profile`; the first one added where none is asked for.
    pub(crate) fn get(&self, profile: Option<&str>) -> Option<(&str, &Arc<dyn Model>)> {
        let found = match profile {
            Some(wanted) => self.0.iter().find(|(known, _)| known == wanted),
            None => self.0.first(),
        };
        found.map(|(profile, model)| (profile.as_str(), model))
    }
}
