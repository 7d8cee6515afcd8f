//! Messages, tool calls and results. They are cheap to clone and copied on write.
//!
//! Every type here is a single `Arc`. A clone increments a count, so the snapshot for a transaction costs the same for
//! ten messages as for ten thousand. Reads go through `Deref`. The first write through `DerefMut` copies shared data,
//! one level at a time: editing one message of a history copies the list of pointers and that message.

mod anthropic;
mod block;
mod compacted;
mod expected;
mod extra;
mod history;
mod json_text;
mod message;
mod model;
mod openai;
mod openai_list;
mod patch;
mod pool;
mod reading;
mod row;
mod rules;
mod shared;
mod tool;
mod usage;
mod violation;

pub use block::{Block, TextBlock, ToolResultBlock};
pub use compacted::{CompactedHistory, CompactedHistoryData};
pub(crate) use expected::expected;
pub use history::Messages;
pub use json_text::rewrite_json_text;
pub use message::{Message, MessageData, Role};
pub use model::{ModelReply, ModelReplyData, ModelRequest, ModelRequestData};
pub use openai::{FormatError, sort_of};
pub use patch::patch;
pub use pool::MessagePool;
pub use row::{MessageUpdate, ResultRow, ResultRowData};
pub use rules::MAX_NESTED_RESULTS;
pub use tool::{InputError, ToolCall, ToolInput, ToolResult, ToolResultData};
pub use usage::Usage;
pub use violation::Violation;
