//! The traffic of other programs, read as dispatches: prompts, tool calls and their results.
//!
//! | Program | Form |
//! |---|---|
//! | Claude Code | transcripts, `~/.claude/projects/*/*.jsonl` |
//! | Codex | rollouts, `~/.codex/sessions/**/rollout-*.jsonl` |
//! | goose | sessions, `*.jsonl` |
//! | any | messages in the chat form of OpenAI: one per line, or `{"id": …, "messages": […]}` |
//!
//! A line that holds none of them, such as a summary, is counted by its type.

mod claude;
mod codex;
mod goose;
mod openai;

use std::collections::HashMap;
use std::io::BufRead;

use hooks_core::context::Ids;
use hooks_core::data::{Message, Role, ToolCall, ToolInput, ToolResult};
use hooks_core::kinds::{AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, UserPromptSubmit};
use serde::Serialize;
use serde_json::Value;

use crate::line::{DispatchLine, Line};
use crate::lines::{Lines, Unreadable};
use crate::refs;

/// What one line of a file holds.
pub(crate) enum Found {
    /// A line of a recording, or a dispatch of another program's traffic.
    Line(Line),
    /// Nothing that a hook sees; its type.
    Other(String),
    /// No line of either.
    Unreadable(Unreadable),
}

/// The dispatches of a file of another program, each with the number of its line.
pub(crate) fn traffic(input: impl BufRead) -> impl Iterator<Item = (usize, Found)> {
    let mut conversation = Conversation::default();
    Lines::new(input).flat_map(move |(line, text)| {
        let found = match text.map(|text| (serde_json::from_slice(&text), text)) {
            Ok((Ok(value), _)) => conversation.line(&value),
            Ok((Err(error), text)) => vec![Found::Unreadable(Unreadable::of(line, &text, error))],
            Err(error) => vec![Found::Unreadable(error)],
        };
        found.into_iter().map(move |found| (line, found))
    })
}

/// Whether a line is one of a recording of ours.
pub(crate) fn is_recording(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value.get("line").is_some())
}

/// What is known of the conversation of a file: who it is, and the calls that have no result yet.
#[derive(Default)]
struct Conversation {
    ids: Ids,
    calls: HashMap<String, ToolCall>,
}

impl Conversation {
    fn line(&mut self, value: &Value) -> Vec<Found> {
        let found = claude::line(self, value)
            .or_else(|| codex::line(self, value))
            .or_else(|| goose::line(self, value))
            .or_else(|| openai::line(self, value));
        let what = || ["type", "role"].into_iter().find_map(|key| value.get(key)?.as_str()).unwrap_or("unknown");
        match found {
            Some(lines) if !lines.is_empty() => {
                lines.into_iter().map(|line| Found::Line(Line::Dispatch(Box::new(line)))).collect()
            }
            _ => vec![Found::Other(what().to_owned())],
        }
    }

    fn named(&mut self, id: Option<&str>, folder: Option<&str>) {
        if let Some(id) = id {
            if self.ids.conversation.as_deref() != Some(id) {
                // Ids of calls are those of one conversation.
                self.calls.clear();
            }
            self.ids.conversation = Some(id.into());
        }
        if let Some(folder) = folder {
            self.ids.workspace = Some(std::path::Path::new(folder).into());
        }
    }

    /// A person's prompt.
    fn prompt(&self, text: &str) -> DispatchLine {
        let messages: hooks_core::data::Messages = vec![Message::new(Role::User, text)].into();
        let event = UserPromptSubmit::new(text, messages.clone());
        self.dispatch("user_prompt_submit", &event, &messages)
    }

    /// A call of a tool.
    fn call(&mut self, id: &str, name: &str, input: &ToolInput) -> DispatchLine {
        let mut call = ToolCall::new(id, name, Value::Null);
        call.input = input.clone();
        self.calls.insert(id.to_owned(), call.clone());
        self.dispatch("before_tool_call", &BeforeToolCall::new(call), input)
    }

    /// A result; nothing where no call has its id.
    fn result(&mut self, id: &str, text: &str, failed: bool) -> Option<DispatchLine> {
        let call = self.calls.remove(id)?;
        Some(if failed {
            self.dispatch("after_tool_call_failure", &AfterToolCallFailure::new(call, text), &ToolResult::error(text))
        } else {
            self.dispatch("after_tool_call_success", &AfterToolCallSuccess::new(call), &ToolResult::new(text))
        })
    }

    fn dispatch(&self, kind: &str, event: &impl Serialize, subject: &impl Serialize) -> DispatchLine {
        let (event, subject) = (written(event), written(subject));
        DispatchLine { kind: kind.to_owned(), ids: self.ids.clone(), event, subject, ..DispatchLine::default() }
    }
}

/// A value as a line of a recording has it.
fn written(value: &impl Serialize) -> Value {
    // The built-in kinds can all be written as JSON.
    let mut value = serde_json::to_value(value).unwrap_or_default();
    refs::escape(&mut value);
    value
}

/// The text of a string, or of a list of blocks with texts.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.as_str().or_else(|| block.get("text")?.as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The arguments of a call, as an object or as the text that the model wrote.
fn input(value: Option<&Value>) -> ToolInput {
    match value {
        Some(Value::String(text)) => ToolInput::parse(text),
        Some(other) => ToolInput::from(other.clone()),
        None => ToolInput::from(Value::Object(serde_json::Map::new())),
    }
}
