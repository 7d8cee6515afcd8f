//! Reads traffic of other programs as dispatches: prompts, tool calls and results.
//!
//! | Program | Form |
//! |---|---|
//! | Claude Code | transcripts, `~/.claude/projects/*/*.jsonl` |
//! | Codex | rollouts, `~/.codex/sessions/**/rollout-*.jsonl` |
//! | goose | sessions, `*.jsonl` |
//! | any | messages in OpenAI's chat format: one per line, or `{"id": …, "messages": […]}` |
//!
//! Other lines, such as summaries, are counted by type.

mod claude;
mod codex;
mod goose;
mod openai;

use std::collections::HashMap;
use std::io::BufRead;

use hook_sdk::context::Ids;
use hook_sdk::data::{Block, Message, Role, ToolCall, ToolInput, ToolResult};
use hook_sdk::kinds::{AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, UserPromptSubmit};
use serde::Serialize;
use serde_json::Value;

use crate::line::{DispatchLine, RecordingLine};
use crate::lines::{LineError, Lines};
use crate::refs;

/// The content of a line.
pub(crate) enum SourceLine {
    /// A line of a recording, or a dispatch from another program.
    Line(RecordingLine),
    /// Nothing for hooks, with the type of the line.
    Other(String),
    /// A line that cannot be parsed.
    Unreadable(LineError),
}

/// The dispatches in a file of another program, each with its line number.
pub(crate) fn traffic(input: impl BufRead) -> impl Iterator<Item = (usize, SourceLine)> {
    let mut conversation = Conversation::default();
    Lines::new(input).flat_map(move |(line, text)| {
        let found = match text.map(|text| (serde_json::from_slice(&text), text)) {
            Ok((Ok(value), _)) if is_recording(&value) => vec![SourceLine::Unreadable(LineError::Mixed { line })],
            Ok((Ok(value), _)) => conversation.line(&value),
            Ok((Err(error), text)) => vec![SourceLine::Unreadable(LineError::of(line, &text, error))],
            Err(error) => vec![SourceLine::Unreadable(error)],
        };
        found.into_iter().map(move |found| (line, found))
    })
}

/// How the names of the elements begin that Claude Code and Codex write in the person's name: their commands and the output of
/// these, reminders, instructions, and what an editor shows.
const ELEMENTS: [&str; 12] = [
    "bash-",
    "command-",
    "environment_context>",
    "ide_",
    "local-command-",
    "system-reminder>",
    "task-notification>",
    "turn_aborted>",
    "user-memory-",
    "user_action>",
    "user_instructions>",
    "user_shell_command>",
];

/// What the person wrote of a text: the part after all that the program wrote before it.
fn by_person(text: &str) -> Option<&str> {
    let is_element = |rest: &&str| ELEMENTS.iter().any(|name| rest.starts_with(name));
    let mut rest = text.trim_start();
    while let Some(element) = rest.strip_prefix('<').filter(is_element) {
        let name = &element[..element.find([' ', '>']).unwrap_or(element.len())];
        let end = format!("</{name}>");
        // What a command writes may contain the end.
        let is_output = name.starts_with("bash-") || name.starts_with("local-command-");
        let Some(at) = (if is_output { element.rfind(&end) } else { element.find(&end) }) else {
            // Cut off, or words of the person that begin like one.
            return (!element[name.len()..].starts_with(">\n")).then_some(rest);
        };
        // The program goes on to say where the output of the task is.
        if name == "task-notification" {
            return None;
        }
        rest = element[at + end.len()..].trim_start();
    }
    let is_note = (rest.starts_with("[Request interrupted by user") && rest.trim_end().ends_with(']'))
        || (rest.starts_with("# AGENTS.md instructions for ") && rest.contains("<INSTRUCTIONS>"));
    (!rest.is_empty() && !is_note).then_some(rest)
}

/// Whether a line belongs to a recording of this crate.
pub(crate) fn is_recording(line: &Value) -> bool {
    line.get("line").is_some()
}

/// The state of the conversation in a file: its id, and the calls without a result.
#[derive(Default)]
struct Conversation {
    ids: Ids,
    calls: HashMap<String, ToolCall>,
}

impl Conversation {
    fn line(&mut self, value: &Value) -> Vec<SourceLine> {
        let found = claude::line(self, value)
            .or_else(|| codex::line(self, value))
            .or_else(|| goose::line(self, value))
            .or_else(|| openai::line(self, value));
        let what = || ["type", "role"].into_iter().find_map(|key| value.get(key)?.as_str()).unwrap_or("unknown");
        match found {
            Some(lines) if !lines.is_empty() => {
                lines.into_iter().map(|line| SourceLine::Line(RecordingLine::Dispatch(Box::new(line)))).collect()
            }
            _ => vec![SourceLine::Other(what().to_owned())],
        }
    }

    fn named(&mut self, id: Option<&str>, folder: Option<&str>) {
        if let Some(id) = id {
            if self.ids.conversation.as_deref() != Some(id) {
                // Ids of calls are unique only within a conversation.
                self.calls.clear();
            }
            self.ids.conversation = Some(id.into());
        }
        if let Some(folder) = folder {
            self.ids.workspace = Some(std::path::Path::new(folder).into());
        }
    }

    /// The dispatch of a person's prompt.
    fn prompt(&self, text: &str) -> DispatchLine {
        let messages: hook_sdk::data::Messages = vec![Message::new(Role::User, text)].into();
        let event = UserPromptSubmit::new(text, messages.clone());
        self.dispatch("user_prompt_submit", &event, &messages)
    }

    /// The dispatch of a tool call.
    fn call(&mut self, call: ToolCall) -> DispatchLine {
        self.calls.insert(call.id.clone(), call.clone());
        let input = call.input.clone();
        self.dispatch("before_tool_call", &BeforeToolCall::new(call), &input)
    }

    /// The dispatch of a result. `None` if no call has its id.
    fn result(&mut self, id: &str, text: &str, failed: bool) -> Option<DispatchLine> {
        let call = self.calls.remove(id)?;
        Some(if failed {
            self.dispatch(
                "after_tool_call_failure",
                &AfterToolCallFailure::new(call.clone(), call.input, text),
                &ToolResult::error(text),
            )
        } else {
            self.dispatch(
                "after_tool_call_success",
                &AfterToolCallSuccess::new(call.clone(), call.input),
                &ToolResult::new(text),
            )
        })
    }

    fn dispatch(&self, kind: &str, event: &impl Serialize, subject: &impl Serialize) -> DispatchLine {
        let (event, subject) = (written(event), written(subject));
        DispatchLine { kind: kind.to_owned(), ids: self.ids.clone(), event, subject, ..DispatchLine::default() }
    }
}

/// Serialises a value like a line of a recording.
fn written(value: &impl Serialize) -> Value {
    // All built-in kinds can be serialised.
    let mut value = serde_json::to_value(value).unwrap_or_default();
    refs::escape(&mut value);
    value
}

/// The text of blocks that the core has read.
fn text_of(blocks: &[Block]) -> String {
    blocks.iter().filter_map(Block::as_text).collect::<Vec<_>>().join("\n")
}

/// The text of a string, or of a list of text blocks in a format that the core does not read.
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
