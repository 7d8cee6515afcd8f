//! The built-in kinds, one file per part of an agent's life.

mod history;
mod message;
mod phase;
mod prompt;
mod tool;

pub use history::FilterMessages;
pub use message::{AfterCreateMessage, BeforeCreateMessage};
pub use phase::PrePromptContext;
pub use prompt::UserPromptSubmit;
pub use tool::{AfterToolCallSuccess, BeforeToolCall};
