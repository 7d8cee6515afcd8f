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
    /// The entry, as JSON, with `$COMMAND`, `$EVENT` and `$GATE`.
    pub handler: &'static str,
    /// What stands for `$GATE` before a call, and nowhere else.
    pub at_gates: &'static str,
    /// The matcher for every tool, at the events that have matchers.
    pub matcher: Option<&'static str>,
    /// The events to name, if the host tells some calls twice.
    pub events: &'static [&'static str],
    /// What a person has to do, so that the host runs the hooks.
    pub then: &'static str,
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
