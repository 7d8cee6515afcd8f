//! Observing hooks: they count stored messages and measure tools.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::data::ToolResult;
use hook_sdk::kinds::{AfterCreateMessage, AfterToolCallSuccess};
use hook_sdk::{HookContext, MissingState, hook};
use serde::Serialize;

/// The desk's metrics. The app puts them into the context, where hooks find them by type.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Counts>);

/// The values of [`Metrics`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// The number of stored messages by role.
    pub messages: BTreeMap<&'static str, u64>,
    /// The tools that ran, by name.
    pub tools: BTreeMap<String, ToolCount>,
}

/// The metrics of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolCount {
    /// The number of runs.
    pub runs: u64,
    /// The number of results that are errors.
    pub errors: u64,
    /// The total duration.
    #[serde(rename = "time_us", serialize_with = "crate::summary::micros")]
    pub time: Duration,
}

impl Metrics {
    /// The values so far.
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

/// Counts and measures tool runs.
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
            // These tools report errors as text.
            tool.errors += u64::from(result.is_error || result.text().starts_with("Error"));
            tool.time += event.duration;
        }
    });
    Ok(())
}
