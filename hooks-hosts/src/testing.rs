//! Tests of hooks with what a host really sends.

use std::fmt::Debug;

use hook_sdk::scope::HookRef;
use hook_sdk::{ConfigError, Registry};

use crate::answer::HostAnswer;
use crate::event::HostEvent;
use crate::host::Host;
use crate::hosts;
use crate::respond::{Request, Responder, written};
use crate::verdict::{HostDecision, HostVerdict};

/// Runs hooks as the commands of a host do.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hooks_hosts::HostTrial;
///
/// #[hook(id = "no_writes", kind = before_tool_call, tool = "Write")]
/// fn no_writes() -> Permission {
///     Permission::deny("the folder is frozen")
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ran = HostTrial::of("goose", hooks![no_writes])?.answer(
///     r#"{"event": "PreToolUse", "tool_name": "write", "tool_input": {"path": "a.txt", "content": "x"}}"#,
/// )?;
/// ran.expect_denied("frozen");
/// assert_eq!(ran.event.input.as_ref().map(|input| &input["file_path"]), Some(&"a.txt".into()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HostTrial {
    host: &'static Host,
    responder: Responder,
    event: Option<String>,
}

/// What came of a trial.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostRan {
    /// The event as hooks saw it.
    pub event: HostEvent,
    /// What the hooks said.
    pub verdict: HostVerdict,
    /// What the host is answered.
    pub answer: HostAnswer,
}

/// A trial could not be made, or the payload could not be read.
#[derive(Clone, Debug)]
pub struct HostTrialError(String);

impl std::fmt::Display for HostTrialError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HostTrialError {}

impl From<ConfigError> for HostTrialError {
    fn from(error: ConfigError) -> Self {
        Self(error.to_string())
    }
}

impl HostTrial {
    /// A trial of these hooks at a host, such as `codex`.
    ///
    /// # Errors
    /// The host is not known, or the hooks cannot be in one set.
    pub fn of(host: &str, hooks: impl IntoIterator<Item = HookRef>) -> Result<Self, HostTrialError> {
        Self::with(host, Responder::new(Registry::empty().with(hooks)?)?)
    }

    /// A trial of a whole program.
    ///
    /// # Errors
    /// The host is not known.
    pub fn with(host: &str, responder: Responder) -> Result<Self, HostTrialError> {
        let found = hosts::find(host).ok_or_else(|| HostTrialError(format!("there is no host `{host}`")))?;
        Ok(Self { host: found, responder, event: None })
    }

    /// The event's name, for hosts whose payloads do not say it.
    #[must_use]
    pub fn event(mut self, name: impl Into<String>) -> Self {
        self.event = Some(name.into());
        self
    }

    /// Answers a payload.
    ///
    /// # Errors
    /// The payload cannot be read. In operation, it is then refused at a gate.
    ///
    /// # Panics
    /// In an async function: it has a runtime of its own.
    pub fn answer(&self, payload: impl AsRef<[u8]>) -> Result<HostRan, HostTrialError> {
        let refused = |problem: String| HostTrialError(format!("{} refuses the payload: {problem}", self.host.name));
        let mut request = Request::new(self.host, payload.as_ref());
        request.event = self.event.as_deref();
        let (host, event) = request.read().map_err(|unreadable| refused(unreadable.reason))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| HostTrialError(error.to_string()))?;
        let verdict = runtime.block_on(self.responder.judge(host, &event));
        let answer = written(host, &event, verdict.clone());
        Ok(HostRan { event, verdict, answer })
    }
}

impl HostRan {
    /// Asserts that the hooks denied, with a reason that contains `reason`.
    ///
    /// # Panics
    /// They did not.
    #[track_caller]
    pub fn expect_denied(&self, reason: &str) {
        let denied = matches!(&self.verdict.decision, HostDecision::Deny(said) if said.contains(reason));
        assert!(denied, "expected a denial with {reason:?}, but {}", self.said());
    }

    /// Asserts that nothing was said against it.
    ///
    /// # Panics
    /// Something was.
    #[track_caller]
    pub fn expect_passed(&self) {
        let passed = matches!(self.verdict.decision, HostDecision::NoOpinion | HostDecision::Allow);
        assert!(passed, "expected nothing against it, but {}", self.said());
    }

    /// The decision, and what it is about.
    fn said(&self) -> String {
        let HostEvent { host_event, tool, input, .. } = &self.event;
        let (tool, input) = (tool.as_ref().map(|tool| &tool.canonical), input.as_ref().map(ToString::to_string));
        let about: Vec<&str> = [host_event].into_iter().chain(tool).chain(&input).map(String::as_str).collect();
        format!("the hooks said {:?} about {}", self.verdict.decision, about.join(" "))
    }
}
