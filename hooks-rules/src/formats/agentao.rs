//! Flat handlers with an object as matcher: the hooks of plugins of Agentao.

mod answer;
mod file;
mod matcher;
mod stdin;

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Format;
use crate::answer::{Answer, RunStatus};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::matcher::{BadMatcher, Form};
use crate::occurrence::Occurrence;
use crate::syntax::{Drafts, Flaws, HandlerSupport, Node};

#[derive(Debug)]
pub(super) struct Agentao;

impl Format for Agentao {
    fn knows(&self, event: Event) -> bool {
        matches!(
            event,
            Event::UserPromptSubmit
                | Event::SessionStart
                | Event::SessionEnd
                | Event::PreToolUse
                | Event::PostToolUse
                | Event::PostToolUseFailure
                | Event::Stop
                | Event::PreCompact
        )
    }

    fn terms(&self, event: Event) -> HandlerSupport {
        let types: &[&str] = if event == Event::UserPromptSubmit { &["command", "prompt"] } else { &["command"] };
        // In this dialect, a prompt is text, which takes no time.
        let (command, question) = (Duration::from_secs(60), Duration::ZERO);
        HandlerSupport { dialect: Dialect::Agentao, types, command, question, prompt_is_text: true }
    }

    fn matcher(&self, event: Event, written: &Value) -> Result<Form, BadMatcher> {
        matcher::read(event, written)
    }

    fn entry(&self, event: Event, node: &Node, drafts: &mut Drafts, flaws: &mut Flaws) {
        file::entry(self.terms(event), event, node, drafts, flaws);
    }

    fn takes_one(&self) -> bool {
        true
    }

    fn may_leave_out_hooks(&self) -> bool {
        true
    }

    fn merges_copies(&self) -> bool {
        false
    }

    fn first_line_counts(&self) -> bool {
        false
    }

    fn exit_2_is_an_answer(&self) -> bool {
        false
    }

    fn exports_variable(&self, _: Event) -> Option<&'static str> {
        None
    }

    fn stdin(&self, occurrence: &Occurrence) -> Value {
        stdin::write(occurrence)
    }

    fn answer(&self, event: Event, status: &RunStatus, stdout: &str, stderr: &str) -> Answer {
        answer::read(event, status, stdout, stderr)
    }

    fn schema(&self, _: Event, handler: &Value) -> Value {
        handler.clone()
    }

    /// The matcher is among the fields of the handler.
    fn schema_of_handler(&self, event: Event, _: &str) -> Value {
        let keys = matcher::keys(event);
        let matcher = if keys.is_empty() {
            json!({ "description": "Without effect at this event." })
        } else {
            let keys: Map<String, Value> =
                keys.iter().map(|key| ((*key).to_owned(), json!({ "type": "string" }))).collect();
            json!({ "type": "object", "properties": keys, "maxProperties": 1, "additionalProperties": false })
        };
        json!({ "matcher": matcher })
    }
}
