//! What a closure that calls a model may return.

use crate::data::{Block, Message, ModelAnswer};
use crate::signature::BoxError;

/// The answer of a model: text, content blocks, a [`Message`], a [`ModelAnswer`], or a `Result` of one of them.
pub trait IntoModelAnswer {
    /// The answer.
    ///
    /// # Errors
    /// The error of the model.
    fn into_model_answer(self) -> Result<ModelAnswer, BoxError>;
}

macro_rules! answers {
    ($($from:ty => |$value:ident| $answer:expr,)*) => {$(
        impl IntoModelAnswer for $from {
            fn into_model_answer(self) -> Result<ModelAnswer, BoxError> {
                let $value = self;
                Ok($answer)
            }
        }
    )*};
}

answers! {
    ModelAnswer => |answer| answer,
    Vec<Block> => |content| ModelAnswer::new(content),
    Message => |message| {
        let mut answer = ModelAnswer::new(message.content.clone());
        answer.extra.clone_from(&message.extra);
        answer
    },
    String => |text| ModelAnswer::text(text),
    &str => |text| ModelAnswer::text(text),
}

impl<T: IntoModelAnswer, E: Into<BoxError>> IntoModelAnswer for Result<T, E> {
    fn into_model_answer(self) -> Result<ModelAnswer, BoxError> {
        self.map_err(Into::into)?.into_model_answer()
    }
}
