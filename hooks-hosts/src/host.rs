//! What a host is to the rest of this crate: a table, and the functions in which it departs from others.

use std::time::Duration;

use serde_json::Value;

use crate::answer::HostAnswer;
use crate::event::{HostEvent, McpName, PayloadKeys, SNAKE_CASE};
use crate::place::{EntryPlace, INSTALLED};
use crate::table::{Carries, HookPoint, HostEventSpec, HostToolSpec, event};
use crate::verdict::HostVerdict;

/// An agent program that calls hooks as commands. Its functions are pure: a payload becomes an event, a verdict an answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Host {
    /// The name in commands, such as `claude`.
    pub name: &'static str,
    /// The name for people, such as `Claude Code`.
    pub title: &'static str,
    /// The versions that the facts are about, and their date.
    pub facts: &'static str,
    /// Its events; a row may have several names.
    pub(crate) events: &'static [HostEventSpec],
    /// The names of the events that it only tells.
    pub notices: &'static str,
    /// Its tools; a row may have several names.
    pub(crate) tools: &'static [HostToolSpec],
    /// Where its payloads have what.
    pub keys: PayloadKeys,
    /// Whether it reads standard error as an answer, so that nothing else may stand there.
    pub reads_stderr: bool,
    /// Whether changed arguments that lack one of the call's are not what it runs with: it merges both, or ignores the change.
    pub(crate) needs_all: bool,
    /// Whether it counts a text for the model in bytes.
    pub(crate) counts_bytes: bool,
    /// Where its hooks are named.
    pub place: EntryPlace,
    /// The name of the event, by the keys of a payload that does not say it.
    pub(crate) event_by_keys: fn(&Value) -> Option<&'static str>,
    /// Puts everything in the payload of an event where the table expects it. Says whether changed arguments can be written back,
    /// or what cannot be parsed.
    pub(crate) arrange: fn(&str, &mut Value) -> Result<bool, String>,
    /// The MCP tool behind the name of a tool, at a host that tells it.
    pub(crate) mcp: Option<McpReader>,
    /// Completes what was read by the table.
    pub(crate) complete: fn(&mut HostEvent),
    /// What the answer to an event can carry, where the table of the event says too much.
    pub(crate) restricts: fn(&HostEvent, Carries) -> Carries,
    /// The verdict in the host's words. It holds only what the table of the event carries.
    pub(crate) write: fn(&HostEvent, &HostVerdict) -> HostAnswer,
    /// Refuses whatever it was that the host asked, if the event is not known.
    pub(crate) refuse: fn(&str) -> HostAnswer,
    /// The program that really sends a payload, if it is another one that reads this host's settings.
    pub(crate) foreign: Asker,
}

/// The name of a tool, and the payload.
type McpReader = fn(&str, &Value) -> Option<McpName>;

/// Who asks, by the event that the command names, the payload, and the variables that are set.
type Asker = fn(Option<&str>, &Value, &dyn Fn(&str) -> bool) -> Option<Foreign>;

/// A host that departs from no other. Most take an exit status of 2 as a refusal.
pub(crate) const HOST: Host = Host {
    name: "",
    title: "",
    facts: "",
    events: &[],
    notices: "",
    tools: &[],
    keys: SNAKE_CASE,
    reads_stderr: false,
    needs_all: false,
    counts_bytes: false,
    place: EntryPlace::at(""),
    event_by_keys: |_| None,
    arrange: |_, _| Ok(true),
    mcp: None,
    complete: |_| (),
    restricts: |_, carries| carries,
    write: |_, _| HostAnswer::default(),
    refuse: |reason| HostAnswer::exit_2(reason),
    foreign: |_, _, _| None,
};

impl Host {
    /// Its events that stand for a kind.
    pub fn events(&self) -> impl Iterator<Item = HostEventSpec> + Clone + use<> {
        self.events.iter().flat_map(|row| row.name.split(' ').map(move |name| HostEventSpec { name, ..*row }))
    }

    /// Its tools.
    pub fn tools(&self) -> impl Iterator<Item = HostToolSpec> + Clone + use<> {
        self.tools.iter().flat_map(|row| {
            let canonical = |name| if row.canonical.is_empty() { name } else { row.canonical };
            row.name.split(' ').map(move |name| HostToolSpec { name, canonical: canonical(name), ..*row })
        })
    }

    /// How long the program has at an event: four fifths of what the host waits for a command that `install` has named. A
    /// twentieth of that is left for the answer. Without a name, the event may be any gate.
    pub(crate) fn deadline(&self, event: &str) -> Duration {
        let gates = self.events().filter(|gate| event.is_empty() && gate.kind.is_gate());
        let waits = gates.map(|gate| gate.name).chain([event]).filter_map(|name| self.place.wait(name));
        Duration::from_secs_f64(waits.fold(INSTALLED, f64::min) * 0.8)
    }

    /// Whether it tells the server of an MCP tool from its name.
    pub fn names_servers(&self) -> bool {
        self.mcp.is_some()
    }

    /// Whether it has a tool of this name.
    pub(crate) fn knows(&self, tool: &str) -> bool {
        self.tools().any(|known| known.name.eq_ignore_ascii_case(tool))
    }

    /// The event of this name.
    pub fn event(&self, name: &str) -> Option<HostEventSpec> {
        let told = self.notices.split_whitespace().map(|name| event(name, HookPoint::Notice, Carries::NOTHING));
        self.events().chain(told).find(|event| event.name == name)
    }

    /// The name of the event that the payload shows, if it shows one.
    pub fn event_name<'a>(&self, payload: &'a Value) -> Option<&'a str> {
        crate::json::text(payload, self.keys.event).or_else(|| (self.event_by_keys)(payload))
    }

    /// What the answer to this event can carry; nothing at an unknown one.
    pub fn carries(&self, event: &HostEvent) -> Carries {
        let carries = self.event(&event.host_event).map_or(Carries::NOTHING, |event| event.carries);
        (self.restricts)(event, carries)
    }
}

/// Another host that runs the hooks of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// It has hooks of its own, which judge the call.
    Silent(&'static str),
    /// It is answered in its own dialect.
    As(&'static str),
}
