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
    /// Whether the line writes a file, or a program in it probably does.
    pub(super) writes: bool,
    /// The names of files that redirections write.
    pub(super) written: Vec<Word>,
    /// Tests in single brackets.
    pub(super) tests: Vec<String>,
    /// Whether the shell does more than run commands: a redirection writes a file or opens a connection, something sets a
    /// variable without being an assignment, or a glob is expanded outside of a command.
    pub(super) acts: bool,
}

impl Command {
    /// Whether there is a `>` outside of quotes, which may be a redirection that the grammar took for a part of a word.
    pub(super) fn may_redirect(&self) -> bool {
        let (mut quote, mut escaped) = (None, false);
        for c in self.source.chars() {
            match (c, quote) {
                _ if escaped => escaped = false,
                ('\\', None | Some('"')) => escaped = true,
                ('\'' | '"', None) => quote = Some(c),
                _ if quote == Some(c) => quote = None,
                ('>', None) => return true,
                _ => {}
            }
        }
        // Where such a quote ends, is another question.
        self.source.contains('>') && self.source.contains("$'")
    }
}
