//! What the closures of a loop may return: a tool, a model and a store.

use std::fmt::Display;

use serde_json::Value;

use crate::data::{Block, Message, ModelAnswer, ToolResult};
use crate::signature::BoxError;
use crate::tables::converts;

/// The output of a tool: text, JSON, a [`ToolResult`], or a `Result` of one of them. An error becomes the text of a
/// failed result.
pub trait IntoToolResult {
    /// The result for the model.
    fn into_tool_result(self) -> ToolResult;
}

converts!(IntoToolResult::into_tool_result -> ToolResult {
    ToolResult => |result| result,
    String => |text| ToolResult::new(text),
    &str => |text| ToolResult::new(text),
    Value => |json| ToolResult::new(json.to_string()),
});

impl<T: IntoToolResult, E: Display> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> ToolResult {
        match self {
            Ok(output) => output.into_tool_result(),
            Err(error) => ToolResult::error(error.to_string()),
        }
    }
}

/// The answer of a model: text, content blocks, a [`Message`], a [`ModelAnswer`], or a `Result` of one of them.
pub trait IntoModelAnswer {
    /// The answer.
    ///
    /// # Errors
    /// The error of the model.
    fn into_model_answer(self) -> Result<ModelAnswer, BoxError>;
}

converts!(IntoModelAnswer::into_model_answer -> Result<ModelAnswer, BoxError> {
    ModelAnswer => |answer| Ok(answer),
    Vec<Block> => |content| Ok(ModelAnswer::new(content)),
    Message => |message| {
        let mut answer = ModelAnswer::new(message.content.clone());
        answer.extra.clone_from(&message.extra);
        Ok(answer)
    },
    String => |text| Ok(ModelAnswer::text(text)),
    &str => |text| Ok(ModelAnswer::text(text)),
});

impl<T: IntoModelAnswer, E: Into<BoxError>> IntoModelAnswer for Result<T, E> {
    fn into_model_answer(self) -> Result<ModelAnswer, BoxError> {
        self.map_err(Into::into)?.into_model_answer()
    }
}

/// What a closure that stores a row may return: nothing, the id of the row, or a `Result` of one of them.
pub trait IntoRowId {
    /// The id of the row, if the store has ids.
    ///
    /// # Errors
    /// The error of the store.
    fn into_row_id(self) -> Result<Option<String>, BoxError>;
}

converts!(IntoRowId::into_row_id -> Result<Option<String>, BoxError> {
    () => |_nothing| Ok(None),
    String => |id| Ok(Some(id)),
});

impl<T: IntoRowId, E: Into<BoxError>> IntoRowId for Result<T, E> {
    fn into_row_id(self) -> Result<Option<String>, BoxError> {
        self.map_err(Into::into)?.into_row_id()
    }
}
