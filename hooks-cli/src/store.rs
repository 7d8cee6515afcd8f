//! What an agent keeps in a database: background runs, questions, conversations.

mod commands;
mod text;

pub(crate) use commands::{answer, conversations, export, questions, retry, runs};
