use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use hook_sdk::data::{Block, ToolCall};
use hook_sdk::hook::BoxFuture;
use serde_json::Value;

use super::{Deltas, Model, ModelAnswer, ModelCall, ModelError};

/// A model that plays a script, one line per call. For tests, and for trying a harness without a provider.
///
/// ```
/// use hooks_agent::model::{Line, Scripted};
/// use serde_json::json;
///
/// let model = Scripted::new([
///     Line::call("call_1", "lookup", json!({ "id": "R-17" })),
///     Line::text("Your flight leaves at noon."),
/// ]);
/// ```
#[derive(Debug, Default)]
pub struct Scripted {
    lines: Mutex<VecDeque<Line>>,
    heard: Mutex<Vec<ModelCall>>,
    yields: bool,
}

/// What a [`Scripted`] model does at one call.
#[derive(Clone, Debug)]
pub struct Line {
    answer: Result<ModelAnswer, ModelError>,
    streams: bool,
}

impl Line {
    /// Answers with `answer`.
    pub fn answer(answer: ModelAnswer) -> Self {
        Self { answer: Ok(answer), streams: false }
    }

    /// Answers with `text`.
    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(ModelAnswer::text(text))
    }

    /// Answers with a tool call.
    pub fn call(id: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self::calls([(id.into(), tool.into(), input)])
    }

    /// Answers with several tool calls: id, name of the tool, and input of each.
    pub fn calls<I: Into<String>, T: Into<String>>(calls: impl IntoIterator<Item = (I, T, Value)>) -> Self {
        let block = |(id, tool, input): (I, T, Value)| Block::ToolUse(ToolCall::new(id, tool, input));
        Self::answer(ModelAnswer::new(calls.into_iter().map(block).collect()))
    }

    /// Fails with `error`.
    pub fn error(error: ModelError) -> Self {
        Self { answer: Err(error), streams: false }
    }

    /// Streams the text word by word before the answer. If the line is an error, the stream breaks off in the middle.
    #[must_use]
    pub fn streamed(mut self) -> Self {
        self.streams = true;
        self
    }
}

impl Scripted {
    /// Creates a model that plays these lines in order. After the last one, it rejects calls.
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self { lines: Mutex::new(lines.into_iter().collect()), heard: Mutex::default(), yields: false }
    }

    /// Lets other tasks run before each answer and after each streamed word, as a model on a network does.
    #[must_use]
    pub fn yielding(mut self) -> Self {
        self.yields = true;
        self
    }

    async fn pause(&self) {
        if self.yields {
            tokio::task::yield_now().await;
        }
    }

    /// The calls that it received so far, in order. To keep the model for this, give an `Arc` of it to
    /// [`shared_model`](crate::HarnessBuilder::shared_model).
    pub fn heard(&self) -> Vec<ModelCall> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Model for Scripted {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(call.clone());
            let line = self.lines.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(line) = line else {
                return Err(ModelError::Rejected("the script has no more lines".to_owned()));
            };
            if line.streams {
                let text = match &line.answer {
                    Ok(answer) => answer.content.iter().filter_map(Block::as_text).collect(),
                    Err(_) => "Well, ".to_owned(),
                };
                for word in text.split_inclusive(' ') {
                    deltas.text(word);
                    self.pause().await;
                }
            }
            self.pause().await;
            line.answer
        })
    }
}
