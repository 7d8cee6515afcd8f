use super::word::Word;

/// A simple command: name and arguments, without assignments and redirections.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// The text of the command with whitespace collapsed.
    pub(super) source: String,
    /// Whether its standard input is redirected: from a pipe, a here-document or a file.
    pub(super) is_fed: bool,
}

/// `NAME=value`.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) value: Word,
}

/// The commands that a line runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    pub(super) simple: Vec<Command>,
    pub(super) assignments: Vec<Assignment>,
    /// Whether the line contains `$( )`, backticks, a variable, or a brace expansion.
    pub(super) computes: bool,
    /// Whether the line writes a file.
    pub(super) writes: bool,
}
