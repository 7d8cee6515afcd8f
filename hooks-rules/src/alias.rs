use std::collections::BTreeMap;

/// What a tool is called here and on the wire, both ways.
///
/// Scripts are written for names such as `Bash`. A harness whose tools have other names says so once, and both names
/// match:
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
    /// From the name here to the name on the wire.
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
];

impl Default for Aliases {
    /// The usual names of file, shell and web tools.
    fn default() -> Self {
        Self { wire: USUAL.iter().map(|(own, wire)| ((*own).to_owned(), (*wire).to_owned())).collect() }
    }
}

impl Aliases {
    /// No aliases: tools are called on the wire as they are here.
    pub fn none() -> Self {
        Self { wire: BTreeMap::new() }
    }

    /// The tool `own` is called `wire` on the wire. A second alias of one tool replaces the first.
    pub fn add(&mut self, own: impl Into<String>, wire: impl Into<String>) {
        self.wire.insert(own.into(), wire.into());
    }

    /// What scripts know the tool as.
    pub fn on_the_wire<'a>(&'a self, tool: &'a str) -> &'a str {
        self.wire.get(tool).map_or(tool, String::as_str)
    }

    /// Every name of the tool: as it was given, on the wire, and what else has that name on the wire.
    pub fn names<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a str> {
        let wire = self.on_the_wire(tool);
        let others = self.wire.iter().filter(move |(own, name)| *name == wire && *own != tool);
        [tool].into_iter().chain((wire != tool).then_some(wire)).chain(others.map(|(own, _)| own.as_str()))
    }
}
