//! A pattern against a line of shell: each of its commands is held against it, those in `$( )` and backticks too.

use super::wildcard;

/// Whether one command of the line fits the pattern. A line that cannot be read is selected, and so is one that computes
/// parts of itself where the pattern says more than a command's name.
pub(super) fn selects(pattern: &str, line: &str) -> bool {
    let Some(read) = read(line) else { return true };
    // `git:*` is the older way to write `git *`.
    let pattern = pattern.strip_suffix(":*").map_or_else(|| pattern.to_owned(), |prefix| format!("{prefix} *"));
    let says_more = pattern.trim_end_matches('*').trim().contains(char::is_whitespace);
    if says_more && read.computes {
        return true;
    }
    read.commands.iter().map(|command| without_assignments(command)).any(|command| {
        let bare = pattern.strip_suffix(" *").is_some_and(|name| wildcard(name, command));
        bare || wildcard(&pattern, command)
    })
}

struct Read {
    commands: Vec<String>,
    /// Whether the line has `$( )`, backticks or a variable.
    computes: bool,
}

/// The commands of a line; `None` where a quote or a bracket is not closed, or it nests too deeply.
fn read(line: &str) -> Option<Read> {
    let mut read = Read { commands: Vec::new(), computes: false };
    let mut rest = line.chars().peekable();
    commands(&mut rest, None, 0, &mut read)?;
    Some(read)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Reads up to `end`, or to the end of the line where there is none.
fn commands(rest: &mut Chars<'_>, end: Option<char>, depth: usize, read: &mut Read) -> Option<()> {
    if depth > 32 {
        return None;
    }
    let mut command = String::new();
    let mut quoted = false;
    loop {
        let Some(c) = rest.next() else {
            if end.is_some() || quoted {
                return None;
            }
            break;
        };
        match c {
            c if Some(c) == end && !quoted => break,
            '\\' => {
                command.push(c);
                command.push(rest.next()?);
            }
            '"' => {
                quoted = !quoted;
                command.push(c);
            }
            '\'' if !quoted => {
                command.push(c);
                loop {
                    let inner = rest.next()?;
                    command.push(inner);
                    if inner == '\'' {
                        break;
                    }
                }
            }
            '`' => {
                read.computes = true;
                commands(rest, Some('`'), depth + 1, read)?;
                command.push_str("``");
            }
            '$' => {
                command.push(c);
                match rest.peek() {
                    Some('(') => {
                        rest.next();
                        read.computes = true;
                        commands(rest, Some(')'), depth + 1, read)?;
                        command.push_str("()");
                    }
                    Some(next) if next.is_alphanumeric() || matches!(next, '_' | '{' | '@' | '*' | '?' | '#') => {
                        read.computes = true;
                    }
                    _ => {}
                }
            }
            '(' if !quoted => commands(rest, Some(')'), depth + 1, read)?,
            ';' | '&' | '|' | '\n' if !quoted => finish(&mut command, read),
            c => command.push(c),
        }
    }
    finish(&mut command, read);
    Some(())
}

fn finish(command: &mut String, read: &mut Read) {
    let trimmed = command.trim();
    if !trimmed.is_empty() {
        read.commands.push(trimmed.to_owned());
    }
    command.clear();
}

/// The command after `NAME=value` words.
fn without_assignments(command: &str) -> &str {
    let mut rest = command;
    while let Some(after) = after_assignment(rest) {
        rest = after;
    }
    rest
}

fn after_assignment(command: &str) -> Option<&str> {
    let (name, value) = command.split_once('=')?;
    let mut letters = name.chars();
    let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let mut quote = None;
    let mut escaped = false;
    let end = value.find(|c: char| {
        if escaped {
            escaped = false;
            return false;
        }
        match (quote, c) {
            (None, c) if c.is_whitespace() => return true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None | Some('"'), '\\') => escaped = true,
            _ => {}
        }
        false
    })?;
    Some(value[end..].trim_start())
}
