//! Qwen Code.

mod table;

use serde_json::{Value, json};

use table::TABLE;

use super::nested::{self, Before};
use crate::answer::HostAnswer;
use crate::event::{HookPoint, HostEvent, McpName};
use crate::host::Host;
use crate::table::HostTable;
use crate::verdict::HostVerdict;

#[derive(Debug)]
pub(super) struct Qwen;

impl Host for Qwen {
    fn table(&self) -> &'static HostTable {
        &TABLE
    }

    fn mcp(&self, tool: &str, _payload: &Value) -> Option<McpName> {
        nested::mcp(tool)
    }

    fn write(&self, event: &HostEvent, verdict: &HostVerdict) -> HostAnswer {
        const BEFORE: Before = Before { input_needs_allow: true, allow_has_reason: true, denial_alone: false };
        HostAnswer::json(match event.kind {
            HookPoint::BeforeToolCall => nested::before(event, verdict, BEFORE),
            HookPoint::PermissionRequest => nested::permission(event, verdict),
            HookPoint::AfterToolCallSuccess => {
                let mut answer = nested::context(event, verdict);
                // The model reads an error with this text, and no result.
                if let Some(text) = verdict.result_text() {
                    answer["continue"] = json!(false);
                    answer["stopReason"] = text.into();
                }
                answer
            }
            _ => nested::block(event, verdict),
        })
    }
}
