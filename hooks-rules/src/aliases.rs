use std::collections::BTreeMap;

/// Maps the names of the app's tools to the names that rule files use, and back.
///
/// Rule files and scripts use names such as `Bash`. An app whose tools have other names declares aliases once, and then
/// both names match:
///
/// ```
/// use hooks_rules::Aliases;
///
/// let mut aliases = Aliases::default();
/// aliases.add("shell.exec", "Bash");
/// assert_eq!(aliases.on_the_wire("shell.exec"), "Bash");
/// assert_eq!(aliases.on_the_wire("run_shell_command"), "Bash");
/// assert_eq!(aliases.on_the_wire("cancel_order"), "cancel_order");
/// assert!(aliases.names("Bash").any(|name| name == "run_shell_command"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aliases {
    /// The name in rule files for each name in the app.
    wire: BTreeMap<String, String>,
}

const USUAL: &[(&str, &str)] = &[
    ("read_file", "Read"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("run_shell_command", "Bash"),
    ("glob", "Glob"),
    ("search_file_content", "Grep"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
    ("list_directory", "LS"),
    ("save_memory", "SaveMemory"),
    ("ask_user", "AskUser"),
    ("todo_write", "TodoWrite"),
    // Its earlier name.
    ("Task", "Agent"),
];

impl Default for Aliases {
    /// The common names of file, shell and web tools.
    fn default() -> Self {
        Self { wire: USUAL.iter().map(|(own, wire)| ((*own).to_owned(), (*wire).to_owned())).collect() }
    }
}

impl Aliases {
    /// No aliases: rule files use the app's names.
    pub fn none() -> Self {
        Self { wire: BTreeMap::new() }
    }

    /// Adds the alias `wire` for the app's tool `own`. It replaces an earlier alias of that tool.
    pub fn add(&mut self, own: impl Into<String>, wire: impl Into<String>) {
        self.wire.insert(own.into(), wire.into());
    }

    /// The name of the tool in rule files.
    pub fn on_the_wire<'a>(&'a self, tool: &'a str) -> &'a str {
        self.wire.get(tool).map_or(tool, String::as_str)
    }

    /// All names of the tool: `tool`, its name in rule files, and all other names with the same name in rule files.
    pub fn names<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a str> {
        let wire = self.on_the_wire(tool);
        let others = self.wire.iter().filter(move |(own, name)| *name == wire && *own != tool);
        [tool].into_iter().chain((wire != tool).then_some(wire)).chain(others.map(|(own, _)| own.as_str()))
    }
}
