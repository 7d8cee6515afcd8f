//! The field `if`: a permission rule that restricts a rule to some calls of a tool.

mod form;
mod host;
mod path;
mod shell;

use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::aliases::Aliases;
use crate::matcher::{Form, Matcher};

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
#[error("`{written}` is not one permission rule: {problem}; {help}")]
#[non_exhaustive]
pub struct BadFilter {
    /// The text of the `if`.
    pub written: String,
    /// What is wrong.
    pub problem: String,
    /// What to write instead.
    pub help: &'static str,
}

/// The fields that name a file.
const OF_FILES: &[&str] = &["file_path", "notebook_path", "path"];

/// The tools with the edited file in their input.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// The tools that read files which their input does not name one by one. A rule for `Read` applies to them too.
const SEARCHERS: &[&str] = &["Grep", "Glob"];

impl Filter {
    /// Parses a permission rule.
    ///
    /// # Errors
    /// [`BadFilter`] if the text is not a permission rule, more than one, or one that can match nothing.
    pub fn read(written: &str) -> Result<Self, BadFilter> {
        let (tool, detail) =
            form::read(written).map_err(|(problem, help)| BadFilter { written: written.to_owned(), problem, help })?;
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
        let parameter = form::parameter(detail);
        // `file_path:secrets/**`
        let pattern = parameter.filter(|(name, _)| OF_FILES.contains(name)).map_or(detail.as_str(), |(_, path)| path);
        match (wire, parameter) {
            ("WebFetch", Some(("domain", domain))) => field("url").is_none_or(|url| host::selects(domain, url)),
            ("Bash", _) => match form::parameter_of_a_shell(detail) {
                Some((name, value)) => parameter_is(input, name, value),
                None => field("command").is_none_or(|line| shell::selects(detail, line)),
            },
            (_, Some((name, value))) if !OF_FILES.contains(&name) || parameter_is(input, name, value) => {
                parameter_is(input, name, value)
            }
            ("Agent", None) => field("subagent_type").is_none_or(|kind| wildcard(detail, kind)),
            (tool, _) if SEARCHERS.contains(&tool) => {
                let folder = field("path").unwrap_or(".");
                path::may_lie_in(pattern, folder, folders)
                    || texts_of_search(tool, input).any(|text| path::may_be_found_by(pattern, folder, text, folders))
            }
            // A tool that takes patterns for the names of files, in any case.
            ("Read", _) if field("pattern").is_some() => {
                let search = field("pattern").unwrap_or_default();
                let search = if search.starts_with(['/', '~']) { search.to_owned() } else { format!("./{search}") };
                let finds = |pattern: &str, search: &str| {
                    path::selects(pattern, search, folders) || path::may_be_found_by(pattern, ".", search, folders)
                };
                finds(pattern, &search) || finds(&pattern.to_lowercase(), &search.to_lowercase())
            }
            // Which of the fields the tool uses is unknown.
            _ => {
                let mut files = OF_FILES.iter().copied().filter_map(field).peekable();
                files.peek().is_none() || files.any(|file| path::selects(pattern, file, folders))
            }
        }
    }

    /// The name or pattern of tools.
    #[cfg(feature = "runner")]
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether it may select a tool of this MCP server.
    pub(crate) fn may_name_server(&self, server: &str) -> bool {
        let whole = self.tool.strip_prefix("mcp__") == Some(server);
        whole || crate::matcher::pattern_may_select_of_server(&self.tool, server)
    }

    /// Whether there may be a tool that both select.
    pub(crate) fn may_fit(&self, matcher: &Matcher) -> bool {
        let aliases = Aliases::default();
        let known = ["Bash", "WebFetch", "Read", "Agent"].into_iter().chain(EDITORS.iter().chain(SEARCHERS).copied());
        let known: Vec<_> = known.filter(|name| self.names_tool(name)).collect();
        // Of tools that are not known here, only those of servers may have more names.
        let is_other = |name: &String| {
            let wire = aliases.on_the_wire(name);
            !wire.starts_with("mcp__") && crate::matcher::meant_tool(wire) != Some(wire)
        };
        let is_named = || match &matcher.0 {
            Form::Exact(names) if self.tool.contains('*') || self.tool.starts_with("mcp__") => {
                names.iter().any(|name| self.names_tool(name) || is_other(name))
            }
            Form::Expression(_) if self.tool.contains('*') || self.tool.starts_with("mcp__") => true,
            _ => matcher.selects_any(aliases.names(&self.tool)),
        };
        (known.is_empty() && is_named()) || known.iter().any(|tool| matcher.selects_any(aliases.names(tool)))
    }

    /// The tool that was likely meant, if the name of the filter is almost that of one.
    pub(crate) fn meant(&self) -> Option<&'static str> {
        crate::matcher::meant_tool(&self.tool).filter(|meant| !self.names_tool(meant))
    }

    fn names_tool(&self, name: &str) -> bool {
        // A rule for `Edit` applies to every tool that edits.
        let edits = self.tool.eq_ignore_ascii_case("Edit") && EDITORS.contains(&name);
        let reads = self.tool.eq_ignore_ascii_case("Read") && SEARCHERS.contains(&name);
        // `mcp__github` holds for every tool of that server.
        let is_of_server = || self.tool.starts_with("mcp__") && wildcard(&format!("{}__*", self.tool), name);
        edits || reads || wildcard(&self.tool, name) || is_of_server() || self.tool.eq_ignore_ascii_case(name)
    }
}

/// The words of each command that a shell line runs; `None` unless everything is known from its text. A line with a
/// variable, an assignment, a substitution, a glob, or a file that it writes is not.
///
/// [`Filter::selects`] is for guards: what it does not understand is selected. This is for permissions: what it does not
/// understand is not permitted.
///
/// ```
/// use hooks_rules::plain_commands;
///
/// assert_eq!(plain_commands("cd src && git status"), Some(vec![vec!["cd".into(), "src".into()], vec!["git".into(), "status".into()]]));
/// assert_eq!(plain_commands("git status $(rm -rf /)"), None);
/// ```
pub fn plain_commands(line: &str) -> Option<Vec<Vec<String>>> {
    shell::plain(line)
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            None => f.write_str(&self.tool),
            Some(detail) => write!(f, "{}({detail})", self.tool),
        }
    }
}

/// The texts of a search that may name a folder, whatever their names are: hosts and tools have names of their own.
fn texts_of_search<'a>(tool: &'a str, input: &'a Value) -> impl Iterator<Item = &'a str> {
    // What is searched for within files names none.
    let fields = input.as_object().into_iter().flatten();
    let fields =
        fields.filter(move |(name, _)| tool != "Grep" || !matches!(name.as_str(), "pattern" | "query" | "Query"));
    fields
        .flat_map(|(_, value)| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
        .filter_map(Value::as_str)
}

/// Whether a parameter of a call has a value. One that is left out is false.
fn parameter_is(input: &Value, name: &str, value: &str) -> bool {
    match input.get(name) {
        None | Some(Value::Null) => wildcard(value, "false"),
        Some(Value::String(text)) => wildcard(value, text),
        Some(other) => wildcard(value, &other.to_string()),
    }
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
