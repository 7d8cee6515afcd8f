//! What an agent keeps in a database: background runs, questions, conversations.

mod args;
mod commands;
mod text;

pub use args::{AnswerArgs, AnswerWord, ConversationsArgs, ExportArgs, RetryArgs, RunsArgs, StoreArgs};
pub(crate) use commands::{answer, conversations, export, questions, retry, runs};
