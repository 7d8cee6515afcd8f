//! What an agent stores in a database: background runs, dispatches, questions, conversations.

mod commands;
mod text;
mod transfer;

pub(crate) use commands::{answer, conversations, dispatches, questions, retry, runs};
pub(crate) use transfer::{export, import};
