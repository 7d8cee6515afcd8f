//! The form of a permission rule: `Tool`, `Tool(pattern)`, `Tool(parameter:value)`.

use super::shell;

/// What is wrong with a text, and what to write instead.
type Wrong = (String, &'static str);

const SECOND: &str = "write one rule, and a second handler for a second one";

/// The tool, and what is in parentheses if that restricts anything.
pub(super) fn read(written: &str) -> Result<(&str, Option<&str>), Wrong> {
    let text = written.trim();
    let (tool, detail) = match text.split_once('(') {
        None => (text, None),
        Some((tool, rest)) => {
            let wrong = || ("the parenthesis is not closed at the end".to_owned(), SECOND);
            (tool, Some(rest.strip_suffix(')').ok_or_else(wrong)?))
        }
    };
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':');
    if tool.is_empty() || !tool.chars().all(name) {
        return Err((format!("`{tool}` is not the name of a tool"), "write it as in `Bash(git *)`"));
    }
    if tool.contains(is_wide) {
        return Err((format!("`{tool}` has letters of full width"), "write them in ASCII, as in `Bash(git *)`"));
    }
    let detail = detail.map(str::trim).filter(|detail| !matches!(*detail, "" | "*"));
    if let Some(detail) = detail {
        balanced(detail)?;
        match tool.to_ascii_lowercase().as_str() {
            "bash" | "run_shell_command" => line(detail)?,
            "webfetch" | "web_fetch" => domain(detail)?,
            "read" | "edit" | "write" | "multiedit" | "notebookedit" | "grep" | "glob" => file(detail)?,
            _ => {}
        }
    }
    Ok((tool, detail))
}

/// The parameter and its value: `run_in_background:true`. In `git:*`, the older form of `git *`, the value is `*`.
pub(super) fn parameter(detail: &str) -> Option<(&str, &str)> {
    let (name, value) = detail.split_once(':')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !value.is_empty() && !value.starts_with(['/', '\\'])).then_some((name, value.trim()))
}

/// Parameters of shell tools.
const OF_SHELLS: &[&str] = &[
    "command",
    "description",
    "timeout",
    "run_in_background",
    "dangerouslyDisableSandbox",
    "directory",
    "working_directory",
    "workdir",
    "cwd",
];

/// Parameters of tools for files.
const OF_FILES: &str = "file_path notebook_path path offset limit pages old_string new_string replace_all content edits \
                        new_source cell_id cell_type edit_mode pattern glob output_mode type head_limit multiline query";

/// The parameter of a shell tool that a pattern restricts. `timeout:*` is the program `timeout`.
pub(super) fn parameter_of_a_shell(detail: &str) -> Option<(&str, &str)> {
    let is_program = |name: &str| matches!(name, "timeout" | "command");
    parameter(detail).filter(|(name, value)| *value != "*" || (OF_SHELLS.contains(name) && !is_program(name)))
}

/// Checks that the parameter is one that the tools have.
fn known(detail: &str, tools: &str, has: impl Fn(&str) -> bool) -> Result<(), Wrong> {
    const OTHER: &str = "write one that they have, or a pattern without a colon, as in `Bash(npm publish *)`";
    match parameter(detail) {
        Some((name, _)) if !has(name) => Err((format!("{tools} have no parameter `{name}`"), OTHER)),
        _ => Ok(()),
    }
}

/// Whether it is a letter or sign of full width, which looks like one of ASCII.
fn is_wide(c: char) -> bool {
    ('\u{ff01}'..='\u{ff5e}').contains(&c)
}

/// Checks that a URL can have the domain.
fn domain(detail: &str) -> Result<(), Wrong> {
    const ONE: &str = "write it as in `WebFetch(domain:*.example.com)`";
    match parameter(detail) {
        Some(("domain", domain)) if domain.contains(['/', ':']) && !domain.starts_with('[') => {
            Err((format!("`{domain}` is more than a domain"), ONE))
        }
        Some(("domain" | "url" | "prompt", _)) => Ok(()),
        _ => Err(("`WebFetch` is restricted by a domain".to_owned(), ONE)),
    }
}

/// Checks that the parentheses of a rule are closed where it ends.
fn balanced(detail: &str) -> Result<(), Wrong> {
    let mut open = 0_usize;
    for c in detail.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return Err(("something follows its closing parenthesis".to_owned(), SECOND)),
            ')' => open -= 1,
            _ => {}
        }
    }
    if open > 0 { Err(("the parenthesis is not closed at the end".to_owned(), SECOND)) } else { Ok(()) }
}

/// Checks that a command can match the pattern, which is compared with one command at a time, without redirections.
fn line(pattern: &str) -> Result<(), Wrong> {
    const ONE: &str = "write the words of one command with `*` for anything, as in `Bash(rm *)`, and a second handler for a second one";
    let wrong = |problem: String| Err((problem, ONE));
    let mut quote = None;
    let mut last = ' ';
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '\\') if chars.peek().is_some_and(|next| "sSbBdDwW.".contains(*next)) => {
                return wrong("it looks like a regular expression".to_owned());
            }
            (None, '\\') => {
                chars.next();
            }
            (None, '|' | ';' | '&' | '<' | '>' | '\n') => return wrong(format!("no command contains `{c}`")),
            (None, '(') if last != '$' => return wrong("no command contains `(`".to_owned()),
            (None, '{') if chars.clone().take_while(|c| *c != '}').any(|c| c == ',') => {
                return wrong("alternatives in braces have no meaning here".to_owned());
            }
            (None, ',') if last == '*' => return wrong("a list has no meaning here".to_owned()),
            _ => {}
        }
        last = c;
    }
    if parameter_of_a_shell(pattern).is_some() {
        return known(pattern, "shell tools", |name| OF_SHELLS.contains(&name));
    }
    let program = pattern.split_whitespace().next().unwrap_or_default();
    if let Some(problem) = no_program(program) {
        return wrong(problem);
    }
    if pattern.split_whitespace().any(|word| word == "or") {
        return wrong("a list has no meaning here".to_owned());
    }
    if pattern.starts_with('^')
        || pattern.ends_with('$')
        || program.contains(".*")
        || pattern.contains(".+")
        || (pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/'))
    {
        return wrong("it looks like a regular expression".to_owned());
    }
    Ok(())
}

/// Why no command has this as its first word.
fn no_program(word: &str) -> Option<String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let why = if word.starts_with(['"', '\'']) {
        "commands are compared without quotes"
    } else if word.split_once('=').is_some_and(|(name, _)| is_name(name.trim_end_matches('+'))) {
        "commands are compared without assignments"
    } else if shell::is_reserved(word) {
        "a reserved word of the shell is no command"
    } else if word.starts_with('#') {
        "a comment is no command"
    } else if word.contains(is_wide) {
        "it has letters of full width"
    } else if word != "[" && word.contains(['[', ']', '?']) {
        "only `*` has a meaning here"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// Checks that a path can match the pattern.
fn file(pattern: &str) -> Result<(), Wrong> {
    const ONE: &str = "write one pattern as in a `.gitignore`, and a second handler for a second one";
    let is_list = pattern.contains('|') || pattern.contains(", ") || (pattern.contains('{') && pattern.contains(','));
    if is_list {
        return Err(("alternatives have no meaning here".to_owned(), ONE));
    }
    let is_quoted = |quote: char| pattern.len() > 1 && pattern.starts_with(quote) && pattern.ends_with(quote);
    if ['"', '\''].into_iter().any(is_quoted) {
        return Err(("paths are compared without quotes".to_owned(), ONE));
    }
    let is_variable = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase() || c == '{');
    if pattern.strip_prefix('$').is_some_and(is_variable) {
        return Err((
            "a variable has no meaning here".to_owned(),
            "write `~` for the home folder, as in `Read(~/.ssh/**)`",
        ));
    }
    known(pattern, "tools for files", |name| OF_FILES.split_whitespace().any(|known| known == name))?;
    if pattern.starts_with('^') || pattern.contains(".*.") || pattern.contains("\\.") {
        return Err(("it looks like a regular expression".to_owned(), ONE));
    }
    Ok(())
}
