//! Hooks that only look: what was stored, which tools ran, how long they took.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_core::data::ToolResult;
use hooks_core::kinds::{AfterCreateMessage, AfterToolCallSuccess};
use hooks_core::{HookContext, MissingState, hook};
use serde::Serialize;

/// What the desk counted. The app puts one into the context; hooks find it there by its type.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Counts>);

/// The numbers of [`Metrics`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Messages that were stored, by role.
    pub messages: BTreeMap<&'static str, u64>,
    /// Tools that answered, by name.
    pub tools: BTreeMap<String, ToolCount>,
}

/// How one tool did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolCount {
    /// How often it answered.
    pub runs: u64,
    /// How often the answer was an error.
    pub errors: u64,
    /// How long it took in all.
    #[serde(rename = "time_us", serialize_with = "crate::summary::micros")]
    pub time: Duration,
}

impl Metrics {
    /// The numbers so far.
    pub fn counts(&self) -> Counts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn edit(&self, edit: impl FnOnce(&mut Counts)) {
        edit(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Counts stored messages by role.
#[hook(id = "count_messages", kind = after_create_message)]
pub(crate) fn count_messages(event: &AfterCreateMessage, cx: &HookContext) -> Result<(), MissingState> {
    cx.state::<Metrics>()?.edit(|counts| *counts.messages.entry(event.message.role.as_str()).or_default() += 1);
    Ok(())
}

/// Counts and times tools.
#[hook(id = "time_tools", kind = after_tool_call_success, priority = 100)]
pub(crate) fn time_tools(
    event: &AfterToolCallSuccess,
    result: &ToolResult,
    cx: &HookContext,
) -> Result<(), MissingState> {
    cx.state::<Metrics>()?.edit(|counts| {
        if !counts.tools.contains_key(&event.call.name) {
            counts.tools.insert(event.call.name.clone(), ToolCount::default());
        }
        if let Some(tool) = counts.tools.get_mut(&event.call.name) {
            tool.runs += 1;
            // These tools say in words that they could not do it.
            tool.errors += u64::from(result.is_error || result.text().starts_with("Error"));
            tool.time += event.duration;
        }
    });
    Ok(())
}
