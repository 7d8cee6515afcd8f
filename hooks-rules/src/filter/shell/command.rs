use super::word::Word;

/// One simple command: its name and arguments, without assignments and redirections.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// As the line has it, blanks made one.
    pub(super) source: String,
    /// Whether something is written to its standard input: a pipe, a here-document, a file.
    pub(super) is_fed: bool,
}

/// `NAME=value`.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) value: Word,
}

/// What a line runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    pub(super) simple: Vec<Command>,
    pub(super) assignments: Vec<Assignment>,
    /// Whether the line has `$( )`, backticks, a variable, or braces that make several words of one.
    pub(super) computes: bool,
    /// Whether it writes a file.
    pub(super) writes: bool,
}
