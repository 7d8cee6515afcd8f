//! Where a host looks for the commands that it calls, as data.

/// The files and the form of a host's entries. In all texts, `$NAME` is the name of the program.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EntryPlace {
    /// The file of a person, below the home folder.
    pub user: &'static str,
    /// The file of a project, below its folder.
    pub project: &'static str,
    /// How entries are arranged.
    pub form: EntryForm,
    /// The key above the events.
    pub root: Option<&'static str>,
    /// What a new file has besides: a member, as JSON.
    pub head: &'static str,
    /// The entry, as JSON, with `$COMMAND`, `$EVENT`, `$TIME` and `$GATE`.
    pub handler: &'static str,
    /// Whether `$TIME` is in milliseconds.
    pub millis: bool,
    /// What stands for `$GATE` before a call, and nowhere else.
    pub at_gates: &'static str,
    /// The matcher for every tool, at the events that have matchers.
    pub matcher: Option<&'static str>,
    /// The names of the events to name, if the host tells some calls twice.
    pub events: &'static str,
    /// What a person has to do, so that the host runs the hooks.
    pub then: &'static str,
}

impl EntryPlace {
    /// Below the home folder and below a project, in groups.
    pub(crate) const fn at(file: &'static str) -> Self {
        Self {
            user: file,
            project: file,
            form: EntryForm::Groups,
            root: Some("hooks"),
            head: "",
            handler: r#"{"type": "command", "command": $COMMAND, "timeout": $TIME}"#,
            millis: false,
            at_gates: "",
            matcher: None,
            events: "",
            then: "",
        }
    }

    /// Whether a program is installed at this event.
    pub(crate) fn names(&self, event: &str) -> bool {
        self.events.is_empty() || self.events.split_whitespace().any(|named| named == event)
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
