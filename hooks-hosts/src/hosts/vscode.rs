//! VS Code, with its own agent.

mod table;

use serde_json::{Map, Value, json};

use table::TABLE;

use super::nested::{self, Before};
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent};
use crate::host::{Foreign, Host};
use crate::table::HostTable;
use crate::verdict::{HostDecision, HostVerdict};

#[derive(Debug)]
pub(super) struct VsCode;

impl Host for VsCode {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        HostAnswer::json(match (event.kind, &verdict.decision) {
            (HookPoint::BeforeToolCall, _) => nested::before(event, verdict, Before::default()),
            // The page and the source agree on this form only.
            (HookPoint::UserPromptSubmit, HostDecision::Deny(reason)) => {
                json!({ "continue": false, "stopReason": reason })
            }
            // Nested, where Claude Code has it above.
            (HookPoint::Stop, HostDecision::KeepGoing(reason)) => nested::specific(
                event,
                Map::from_iter([
                    ("decision".to_owned(), "block".into()),
                    ("reason".to_owned(), Value::from(reason.clone())),
                ]),
            ),
            _ => nested::block(event, verdict),
        })
    }

    /// Copilot CLI reads the same folders.
    fn foreign(&self, _payload: &Value, env: &dyn Fn(&str) -> bool) -> Option<Foreign> {
        env("COPILOT_CLI").then_some(Foreign::As("copilot"))
    }
}
