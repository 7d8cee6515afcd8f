//! What an agent stores in a database: background runs, dispatches, questions, conversations.

mod commands;
mod text;

pub(crate) use commands::{answer, conversations, dispatches, export, import, questions, retry, runs};
