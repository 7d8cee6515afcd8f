//! Where a host looks for the commands that it calls, as data.

use std::path::{Path, PathBuf};

/// How many seconds a host waits for a command that `install` has named.
pub(crate) const INSTALLED: f64 = 20.0;

/// The files and the form of a host's entries. In all texts, `$NAME` is the name of the program.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a host")]
#[non_exhaustive]
pub struct EntryPlace {
    /// The file of a person, below the home folder.
    pub user: &'static str,
    /// The variable that says where the files of a person are, and the folder below the home folder in whose place it leads.
    pub home: Option<(&'static str, &'static str)>,
    /// The file of a project, below its folder.
    pub project: &'static str,
    /// How entries are arranged.
    pub form: EntryForm,
    /// The key above the events.
    pub root: Option<&'static str>,
    /// What the file must have besides: a member, as JSON.
    pub head: &'static str,
    /// Whether the host rejects a whole file with an event that it does not know, a matcher that is no regular expression, or
    /// `//` in a text.
    pub strict: bool,
    /// Whether the host rejects a whole file in which something has another type than in the entries of others.
    pub typed: bool,
    /// Whether the host reads a file with comments, a comma at the end of a list, or a byte order mark.
    pub comments: bool,
    /// The entry, as JSON, with `$COMMAND`, `$EVENT`, `$TIME` and `$GATE`.
    pub handler: &'static str,
    /// Other keys of an entry that the host reads.
    pub reads: &'static str,
    /// How the variables begin that the host sets for its commands.
    pub variables: &'static str,
    /// The unit of `$TIME`.
    pub unit: TimeUnit,
    /// How many seconds the host waits for a command without a time: at events, or without names at every other one. Empty if
    /// that is unknown.
    pub waits: &'static [(&'static str, f64)],
    /// What stands for `$GATE` before a call, and nowhere else.
    pub at_gates: &'static str,
    /// Whether a command that fails before a call closes without a word of its entry.
    pub closes: bool,
    /// The matcher for every tool, at the events that have matchers.
    pub matcher: Option<&'static str>,
    /// Whether a name in a matcher selects no tool whose name only contains it.
    pub exact: bool,
    /// The matcher for the tools of MCP servers.
    pub mcp: Option<&'static str>,
    /// A file beside the project's and the person's whose events, without the key above them, hide the same ones there.
    pub bare: &'static str,
    /// The settings of the machine, whose word counts where no other file has one.
    pub machine: &'static str,
    /// What switches all hooks of a file off: a JSON pointer, and the word there.
    pub off: Option<(&'static str, bool)>,
    /// What else switches them off: a file that may be below the project or the home folder, a JSON pointer, and the word there.
    pub switches: &'static [(&'static str, &'static str, bool)],
    /// The names of the events to name, if the host tells some calls twice.
    pub events: &'static str,
    /// What a person has to do, so that the host runs the hooks.
    pub then: &'static str,
    /// What a person has to do after an entry is gone.
    pub gone: &'static str,
}

impl EntryPlace {
    /// Below the home folder and below a project, in groups.
    pub(crate) const fn at(file: &'static str) -> Self {
        Self {
            user: file,
            home: None,
            project: file,
            form: EntryForm::Groups,
            root: Some("hooks"),
            head: "",
            strict: false,
            typed: false,
            comments: true,
            handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME}"#,
            reads: "",
            variables: "",
            unit: TimeUnit::Seconds,
            waits: &[],
            at_gates: "",
            closes: false,
            matcher: None,
            exact: false,
            mcp: None,
            bare: "",
            machine: "",
            off: None,
            switches: &[],
            events: "",
            then: "",
            gone: "",
        }
    }

    /// A file of the person, below this home folder or where the host's variable leads.
    pub(crate) fn of_person(&self, home: &Path, file: &str) -> PathBuf {
        let moved = self.home.and_then(|(name, folder)| {
            let below = Path::new(file).strip_prefix(folder).ok()?;
            let moved = std::env::var_os(name).filter(|moved| !moved.is_empty())?;
            Some(Path::new(&moved).join(below))
        });
        moved.unwrap_or_else(|| home.join(file))
    }

    /// How many seconds the host waits for a command without a time.
    pub(crate) fn wait(&self, event: &str) -> Option<f64> {
        let is_of = |of: &str| of.is_empty() || of.split(' ').any(|name| name == event);
        self.waits.iter().find(|(of, _)| is_of(of)).map(|(_, seconds)| *seconds)
    }

    /// Whether a program is installed at this event.
    pub(crate) fn names(&self, event: &str) -> bool {
        self.events.is_empty() || self.events.split_whitespace().any(|named| named == event)
    }

    /// Whether the host sets this variable for its commands.
    pub(crate) fn sets(&self, name: &str) -> bool {
        self.variables.split_whitespace().any(|begin| name.starts_with(begin))
    }
}

/// The unit of the times in a host's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Seconds below 1000, otherwise milliseconds, which older releases read at any number.
    Either,
}

impl TimeUnit {
    /// The seconds of a number in an entry.
    pub(crate) fn seconds(self, number: f64) -> f64 {
        let is_millis = self == Self::Millis || self == Self::Either && number >= 1000.0;
        if is_millis { number / 1000.0 } else { number }
    }

    /// The number for an entry. It is whole: some hosts drop a file with another.
    pub(crate) fn number(self, seconds: f64) -> f64 {
        let number = match self {
            Self::Seconds => seconds,
            Self::Millis => seconds * 1000.0,
            Self::Either => (seconds * 1000.0).max(1000.0),
        };
        number.ceil()
    }
}

/// How a host's entries are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryForm {
    /// `EVENT: [{"matcher": …, "hooks": [entry]}]`
    Groups,
    /// `EVENT: [entry]`
    Flat,
    /// `NAME: {EVENT: …}`, in groups for the events of tools.
    Named,
    /// One list, whose entries name their event.
    List,
    /// One executable file per event.
    Scripts,
}

/// A word of a command line, as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a command that is nothing but words, as [`quoted`] writes them. `None` if a shell would do more with it.
pub(crate) fn words(command: &str) -> Option<Vec<String>> {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        let quote = match c {
            ' ' => {
                words.extend(word.take());
                continue;
            }
            '\'' | '"' => c,
            '\\' if rest.next() == Some('\'') => {
                word.get_or_insert_default().push('\'');
                continue;
            }
            c if plain(c) => {
                word.get_or_insert_default().push(c);
                continue;
            }
            _ => return None,
        };
        let word = word.get_or_insert_default();
        loop {
            match rest.next()? {
                c if c == quote => break,
                '$' | '`' | '\\' | '!' if quote == '"' => return None,
                c => word.push(c),
            }
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::{quoted, words};

    #[test]
    fn words_are_those_that_were_quoted_and_nothing_else() {
        let all = ["/opt/my tools/hooks", "host", "it's", "", "$HOME", "a\"b", "--event", "x;y", "\u{e9}"];
        let command: Vec<String> = all.iter().map(|word| quoted(word)).collect();
        assert_eq!(words(&command.join(" ")).unwrap(), all);
        for more in [
            "a; b", "a && b", "a\nb", "a $(b)", "a `b`", "\"$a\"", "a | b", "a > b", "a 'b", "a \\ b", "~/a", "a*",
            "a #b",
        ] {
            assert_eq!(words(more), None, "{more}");
        }
    }
}
