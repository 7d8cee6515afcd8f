//! What a closure that calls a model may return.

use crate::data::{Block, Message, ModelAnswer};
use crate::signature::BoxError;
use crate::tables::converts;

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
