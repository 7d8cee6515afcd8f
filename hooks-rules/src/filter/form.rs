//! The form of a permission rule: `Tool`, `Tool(pattern)`, `Tool(parameter:value)`.

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
    let detail = detail.map(str::trim).filter(|detail| !matches!(*detail, "" | "*"));
    if let Some(detail) = detail {
        balanced(detail)?;
        match tool.to_ascii_lowercase().as_str() {
            "bash" | "run_shell_command" => line(detail)?,
            "webfetch" | "web_fetch" if parameter(detail).is_none() => {
                let problem = "`WebFetch` is restricted by a domain";
                return Err((problem.to_owned(), "write it as in `WebFetch(domain:*.example.com)`"));
            }
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
    let program = pattern.split_whitespace().next().unwrap_or_default();
    if pattern.starts_with('^') || pattern.ends_with('$') || program.contains(".*") || pattern.contains(".+") {
        return wrong("it looks like a regular expression".to_owned());
    }
    Ok(())
}

/// Checks that a path can match the pattern.
fn file(pattern: &str) -> Result<(), Wrong> {
    const ONE: &str = "write one pattern as in a `.gitignore`, and a second handler for a second one";
    let is_list = pattern.contains('|') || pattern.contains(", ") || (pattern.contains('{') && pattern.contains(','));
    if is_list {
        return Err(("alternatives have no meaning here".to_owned(), ONE));
    }
    if pattern.starts_with('^') || pattern.contains(".*.") || pattern.contains("\\.") {
        return Err(("it looks like a regular expression".to_owned(), ONE));
    }
    Ok(())
}
