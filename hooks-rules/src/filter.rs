//! The field `if`: a permission rule that restricts a rule to some calls of a tool.

mod path;
mod shell;

use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::aliases::Aliases;
use crate::matcher::Matcher;

#[cfg(feature = "runner")]
pub(crate) use shell::{bash_only, first_command};

/// A permission rule, such as `Bash(git *)` or `Edit(*.ts)`.
///
/// ```
/// use hooks_rules::{Aliases, Filter};
/// use serde_json::json;
///
/// let filter = Filter::read("Bash(git push *)")?;
/// let runs = |command: &str| filter.selects(&Aliases::default(), "Bash", &json!({"command": command}), None);
/// assert!(runs("git push origin main"));
/// assert!(runs("CI=1 git push --force"));
/// assert!(runs("cargo test && git push origin"));
/// assert!(!runs("git status"));
/// # Ok::<(), hooks_rules::BadFilter>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    tool: String,
    detail: Option<String>,
}

/// The folders in which a pattern such as `Edit(src/**)` begins.
///
/// | Pattern | Begins in |
/// |---|---|
/// | `//etc/**` | the root of the file system |
/// | `~/notes/**` | the home folder |
/// | `/src/**` | one of the [`roots`](Self::roots) |
/// | `src/**`, `./src/**` | the [`current`](Self::current) folder |
/// | `*.ts` | any folder |
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    /// The current folder, which a tool may change.
    pub current: &'a Path,
    /// The project, and the folder to which the settings belong.
    pub roots: &'a [&'a Path],
}

/// An `if` that is not exactly one permission rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{written}` is not one permission rule; write `Tool` or `Tool(pattern)`, as in `Bash(git *)`, and a second rule for a second pattern"
)]
#[non_exhaustive]
pub struct BadFilter {
    /// The text of the `if`.
    pub written: String,
}

/// The tools with the edited file in their input.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

impl Filter {
    /// Parses a permission rule.
    ///
    /// # Errors
    /// [`BadFilter`] if the text is not a permission rule, or more than one.
    pub fn read(written: &str) -> Result<Self, BadFilter> {
        let bad = || BadFilter { written: written.to_owned() };
        let text = written.trim();
        let (tool, detail) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(bad)?)),
        };
        if detail.is_some_and(goes_on) {
            return Err(bad());
        }
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':');
        if tool.is_empty() || !tool.chars().all(name) {
            return Err(bad());
        }
        let detail = detail.map(str::trim).filter(|detail| !matches!(*detail, "" | "*"));
        Ok(Self { tool: tool.to_owned(), detail: detail.map(str::to_owned) })
    }

    /// Whether the filter selects this call. If the input is not understood, the answer is `true`, because a guard must
    /// not be skipped.
    pub fn selects(&self, aliases: &Aliases, tool: &str, input: &Value, folders: Option<Folders<'_>>) -> bool {
        let wire = aliases.on_the_wire(tool);
        if !aliases.names(tool).any(|name| self.names_tool(name)) {
            return false;
        }
        let Some(detail) = &self.detail else { return true };
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        match wire {
            "Bash" => field("command").is_none_or(|line| shell::selects(detail, line)),
            "WebFetch" => match (detail.strip_prefix("domain:"), field("url")) {
                (Some(domain), Some(url)) => host(url).is_none_or(|host| is_host(host, domain.trim())),
                _ => true,
            },
            // Which of the fields the tool uses is unknown.
            _ => {
                let mut files = ["file_path", "notebook_path", "path"].into_iter().filter_map(field).peekable();
                files.peek().is_none() || files.any(|file| path::selects(detail, file, folders))
            }
        }
    }

    /// Whether there may be a tool that both select.
    pub(crate) fn may_fit(&self, matcher: &Matcher) -> bool {
        let aliases = Aliases::default();
        let known = ["Bash", "WebFetch", "Read"].into_iter().chain(EDITORS.iter().copied());
        let known: Vec<_> = known.filter(|name| self.names_tool(name)).collect();
        // Of tools that are not known here anything may be.
        known.is_empty() || known.iter().any(|tool| matcher.selects_any(aliases.names(tool)))
    }

    fn names_tool(&self, name: &str) -> bool {
        // A rule for `Edit` applies to every tool that edits.
        let edits = self.tool.eq_ignore_ascii_case("Edit") && EDITORS.contains(&name);
        // `mcp__github` holds for every tool of that server.
        let is_of_server = || self.tool.starts_with("mcp__") && wildcard(&format!("{}__*", self.tool), name);
        edits || wildcard(&self.tool, name) || is_of_server() || self.tool.eq_ignore_ascii_case(name)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            None => f.write_str(&self.tool),
            Some(detail) => write!(f, "{}({detail})", self.tool),
        }
    }
}

/// Whether the parenthesis of the rule is closed within the pattern, and another rule follows.
fn goes_on(detail: &str) -> bool {
    let mut open = 0_usize;
    detail.char_indices().any(|(at, c)| {
        match c {
            '(' => open += 1,
            ')' if open > 0 => open -= 1,
            ')' => {
                let rest = detail[at + 1..].trim_start();
                return ["|", ",", ";", "&"].iter().any(|sign| rest.starts_with(sign));
            }
            _ => {}
        }
        false
    })
}

/// The host of a URL, without user, port and path. `None` if a client could parse it differently.
fn host(url: &str) -> Option<&str> {
    let rest = url.trim().split_once("://").map(|(_, rest)| rest)?;
    let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.contains('\\'))?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (!host.is_empty() && host.chars().all(is_plain)).then_some(host)
}

/// Whether `host` may be the host `named` by a rule. Internationalised names and IP addresses have several spellings.
fn is_host(host: &str, named: &str) -> bool {
    let is_number = |host: &str| {
        let last = host.rsplit('.').next().unwrap_or_default();
        last.starts_with(|c: char| c.is_ascii_digit())
    };
    let ways = !named.is_ascii() && host.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--"));
    host.eq_ignore_ascii_case(named) || ways || (is_number(host) && is_number(named))
}

/// Whether `text` matches `pattern`, in which `*` matches anything. Linear time: only the last star is retried.
fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            (p, t) = (star, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|rest| *rest == b'*')
}
