//! Messages, tool calls and results. They are cheap to clone and copied on write.
//!
//! Every type here is a single `Arc`. A clone increments a count, so the snapshot for a transaction costs the same for
//! ten messages as for ten thousand. Reads go through `Deref`. The first write through `DerefMut` copies shared data,
//! one level at a time: editing one message of a history copies the list of pointers and that message.

mod shared;
mod violation;
mod expected;
mod extra;
mod json_text;
mod usage;
mod tool_info;
mod rules;
mod call;
mod block;
mod validation;
mod message;
mod history;
mod pool;
mod result;
mod row;
mod compacted;
mod model;
mod model_answer;
mod openai;
mod openai_list;
mod anthropic;

pub use block::{Block, TextBlock, ToolResultBlock};
pub use call::{ToolCall, ToolInput};
pub use compacted::{CompactedHistory, CompactedHistoryData};
pub use expected::InputError;
pub use history::Messages;
pub use json_text::rewrite_json_text;
pub use message::{Message, MessageData, Role};
pub use model::{ModelReply, ModelReplyData, ModelRequest, ModelRequestData};
pub use model_answer::{MAX_TOKENS, ModelAnswer};
pub use openai::{FormatError, json_type_name};
pub use pool::MessagePool;
pub use result::{ToolResult, ToolResultData};
pub use row::{MessageUpdate, ResultRow, ResultRowData, patch};
pub use rules::MAX_NESTED_RESULTS;
pub use tool_info::{ToolInfo, ToolInfoData};
pub use usage::Usage;
pub use violation::Violation;
