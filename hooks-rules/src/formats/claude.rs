//! Nested groups: the settings files and the `hooks/hooks.json` of plugins of Claude Code.

mod answer;
mod answer_fields;
mod file;
mod matcher;
mod stdin;
mod stdout;

use std::time::Duration;

use serde_json::{Value, json};

#[cfg(feature = "runner")]
pub(crate) use stdout::goes_on_alone;

use super::Format;
use crate::answer::{Answer, RunStatus};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::matcher::{BadMatcher, Form};
use crate::occurrence::Occurrence;
use crate::syntax::{Drafts, Flaws, HandlerSupport, Node};

#[derive(Debug)]
pub(super) struct Claude;

impl Format for Claude {
    fn knows(&self, _: Event) -> bool {
        true
    }

    fn terms(&self, event: Event) -> HandlerSupport {
        let types: &[&str] = match event.spec().types.names() {
            names if names.contains(&"prompt") => &["command", "http", "prompt"],
            names if names.contains(&"http") => &["command", "http"],
            _ => &["command"],
        };
        let (command, question) = (event.spec().timeout, Duration::from_secs(30));
        HandlerSupport { dialect: Dialect::Claude, types, command, question, prompt_is_text: false }
    }

    fn matcher(&self, event: Event, written: &Value) -> Result<Form, BadMatcher> {
        matcher::read(event, written)
    }

    fn entry(&self, event: Event, node: &Node, drafts: &mut Drafts, flaws: &mut Flaws) {
        file::group(self.terms(event), event, node, drafts, flaws);
    }

    fn takes_one(&self) -> bool {
        false
    }

    fn may_leave_out_hooks(&self) -> bool {
        false
    }

    fn merges_copies(&self) -> bool {
        true
    }

    fn first_line_counts(&self) -> bool {
        true
    }

    fn exit_2_is_an_answer(&self) -> bool {
        true
    }

    fn exports_variable(&self, event: Event) -> Option<&'static str> {
        (event == Event::SessionStart).then_some("CLAUDE_ENV_FILE")
    }

    fn stdin(&self, occurrence: &Occurrence) -> Value {
        stdin::write(occurrence)
    }

    fn answer(&self, event: Event, status: &RunStatus, stdout: &str, stderr: &str) -> Answer {
        answer::read(event, status, stdout, stderr)
    }

    fn schema(&self, event: Event, handler: &Value) -> Value {
        let matcher = match event.spec().matched {
            Some(field) => format!("Names, as in `Edit|Write`, or a regular expression; matched against `{field}`."),
            None => "Without effect at this event.".to_owned(),
        };
        let properties = json!({
            "matcher": { "type": "string", "description": matcher },
            "hooks": { "type": "array", "items": handler },
            "description": { "type": "string" },
        });
        json!({ "type": "object", "required": ["hooks"], "properties": properties })
    }

    fn schema_of_handler(&self, _: Event, kind: &str) -> Value {
        let text = || json!({ "type": "string", "minLength": 1 });
        match kind {
            "prompt" => json!({ "model": text(), "continueOnBlock": { "type": "boolean", "default": false } }),
            _ => json!({}),
        }
    }
}
