//! What a host is to the rest of this crate.

use std::time::Duration;

use serde_json::Value;

use crate::answer::HostAnswer;
use crate::event::{HostEvent, McpName};
use crate::table::{Carries, HostTable};
use crate::verdict::HostVerdict;

/// An agent program that calls hooks as commands. Its functions are pure: a payload becomes an event, a verdict an answer.
pub trait Host: Sync {
    /// What is known of it.
    fn table(&self) -> &'static HostTable;

    /// The name of the event that the payload shows, if it shows one.
    fn event_name(&self, payload: &Value) -> Option<String> {
        crate::json::text(payload, self.table().keys.event).map(str::to_owned)
    }

    /// The payload with everything where the table expects it.
    ///
    /// # Errors
    /// What cannot be parsed.
    fn arranged(&self, event: &str, payload: &Value) -> Result<Value, String> {
        let _ = event;
        Ok(payload.clone())
    }

    /// The MCP tool behind the name of a tool, if the host tells.
    fn mcp(&self, tool: &str, payload: &Value) -> Option<McpName> {
        let _ = (tool, payload);
        None
    }

    /// Completes what was read by the table.
    fn complete(&self, event: &mut HostEvent) {
        let _ = event;
    }

    /// What the answer to this event can carry.
    fn carries(&self, event: &HostEvent) -> Carries {
        self.table().carries(&event.host_event)
    }

    /// The verdict in the host's words. It holds only what the table of the event carries.
    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer;

    /// Refuses whatever it was that the host asked, if the event is not known. Most hosts take an exit status of 2 for that.
    fn refuse(&self, reason: &str) -> HostAnswer {
        HostAnswer::exit_2(reason)
    }

    /// The program that really sends this payload, if it is another one that reads this host's settings.
    fn foreign(&self, payload: &Value, env: &dyn Fn(&str) -> bool) -> Option<Foreign> {
        let _ = (payload, env);
        None
    }

    /// How long the hooks have: four fifths of what the host waits at this event.
    fn deadline(&self, event: &str) -> Duration {
        let _ = event;
        Duration::from_secs(16)
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
