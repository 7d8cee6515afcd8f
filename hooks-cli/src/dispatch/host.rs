//! A payload of a host, judged and answered as `hooks host` does.

use std::sync::PoisonError;

use hook_sdk::record::Record;
use hooks_hosts::{Host, HostAnswer, HostDecision, HostEvent, Request, Stdout, find, written};
use hooks_rules::{Event, Occurrence, Rules};
use serde_json::{Value, json};

use super::outcome::Outcome;
use super::report::Round;
use super::{Observations, others};
use crate::inputs::usage_error;
use crate::output::Output;
use crate::program::Program;
use crate::rules_of_host::{self, BuildError};

/// What a host has sent.
pub(super) struct HostInput {
    host: &'static Host,
    event: HostEvent,
}

impl HostInput {
    /// Reads the payload of the host `name`.
    ///
    /// # Errors
    /// The message about an unknown host, or a payload that the host would hear a refusal for.
    pub(super) fn read(name: &str, event: Option<&str>, stdin: &str) -> Result<Self, Output> {
        let host = find(name).ok_or_else(|| {
            let known: Vec<&str> = hooks_hosts::all().iter().map(|host| host.name).collect();
            usage_error(&format!("--host {name}: there is no such host; there are {}", known.join(", ")))
        })?;
        let mut request = Request::new(host, stdin.as_bytes());
        request.event = event;
        match request.read() {
            Ok((_, event)) => Ok(Self { host: find(event.host).unwrap_or(host), event }),
            Err(unreadable) => Err(usage_error(&format!("{}; {name} would hear a refusal", unreadable.reason))),
        }
    }

    /// What rules see, by which they are selected.
    ///
    /// # Errors
    /// No rule runs at this event.
    pub(super) fn occurrence(&self) -> Result<Occurrence, Output> {
        let kind = self.event.kind.name();
        let event = Event::all().find(|event| event.spec().kind == Some(kind)).ok_or_else(|| {
            usage_error(&format!("no rule runs at `{}` of {}", self.event.host_event, self.host.title))
        })?;
        let mut occurrence = Occurrence::new(event);
        if let Some(tool) = &self.event.tool {
            occurrence.set("tool_name", tool.canonical.as_str());
            occurrence.set("tool_input", self.event.input.clone().unwrap_or_default());
        }
        Ok(occurrence)
    }

    /// Judges the event once.
    ///
    /// # Errors
    /// What keeps the hooks from judging; the host would hear a refusal.
    pub(super) async fn round(
        &self,
        program: &Program,
        rules: &Rules,
        observed: &Observations,
    ) -> Result<(Round, Value), BuildError> {
        let seen = observed.others.clone();
        program.registry.observe(move |record: &Record| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).extend(others(record));
        });
        let responder = rules_of_host::responder(program.registry.clone(), rules)?.of_one_event();
        let verdict = responder.judge(self.host, &self.event).await;
        let (outcome, reason) = match &verdict.decision {
            HostDecision::Deny(reason) => (Outcome::Deny, Some(reason.clone())),
            HostDecision::Ask(reason) => (Outcome::Ask, Some(reason.clone())),
            HostDecision::KeepGoing(reason) => (Outcome::Continue, Some(reason.clone())),
            HostDecision::Allow => (Outcome::Allow, None),
            _ => (Outcome::GoOn, None),
        };
        let (runs, notices) = (observed.runs(), observed.notices());
        let others = std::mem::take(&mut *observed.others.lock().unwrap_or_else(PoisonError::into_inner));
        let round = Round { outcome, reason, changed: None, fired: None, runs, notices, others };
        let answer = written(self.host, &self.event, verdict);
        Ok((round, shown(self.host, &answer)))
    }
}

fn shown(host: &Host, answer: &HostAnswer) -> Value {
    let stdout = match &answer.stdout {
        Stdout::Json(value) => value.clone(),
        Stdout::Text(text) => text.clone().into(),
        _ => Value::Null,
    };
    let (stderr, warnings) = (&answer.stderr, &answer.warnings);
    json!({
        "host": host.name, "exit_status": answer.exit, "stdout": stdout, "stderr": stderr, "warnings": warnings,
    })
}
