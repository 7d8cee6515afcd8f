//! Messages, tool calls and results: cheap to clone, copied when first written.
//!
//! Every type here is one `Arc` wide. A clone costs one count, so the snapshot that a transaction takes costs the same
//! for ten messages as for ten thousand. Reading goes through `Deref`; the first write through `DerefMut` copies what is
//! shared, and only that level: editing one message of a history copies the list of pointers and that message.

mod block;
mod history;
mod json_text;
mod message;
mod openai;
mod shared;
mod tool;

pub use block::{Block, TextBlock, ToolResultBlock};
pub use history::Messages;
pub use json_text::rewrite_json_text;
pub use message::{Message, MessageData, Role};
pub use openai::FormatError;
pub use tool::{ToolCall, ToolInput, ToolResult, ToolResultData};
