//! A rule-based model that replaces a provider's.

use hook_sdk::data::{Block, Role, ToolCall};
use hook_sdk::hook::BoxFuture;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use serde_json::{Value, json};

use crate::tools::{FORGET, REMEMBER};

/// Answers from the notes in its system prompt, and calls tools if it is asked to and has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concierge;

impl Model for Concierge {
    fn call<'a>(&'a self, call: &'a ModelCall, _deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move { Ok(answer(call)) })
    }
}

fn answer(call: &ModelCall) -> ModelAnswer {
    let Some(last) = call.messages.last() else { return ModelAnswer::text("Hello.") };
    if last.role == Role::Tool {
        let results = last.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.content.iter().filter_map(Block::as_text).collect::<String>()),
            _ => None,
        });
        return ModelAnswer::text(results.collect::<Vec<_>>().join(" "));
    }
    let prompt = last.text();
    let notes: Vec<Note<'_>> = call.system_prompt.lines().filter_map(Note::read).collect();
    let offered = |name| call.tools.iter().any(|tool| tool.name == name);
    let lower = prompt.to_ascii_lowercase();
    let fact = lower.find("remember that ").and_then(|at| prompt.get(at + "remember that ".len()..));
    match (fact, notes.first()) {
        (Some(fact), _) if offered(REMEMBER) => {
            let key = fact.split(" is ").next().unwrap_or(fact).trim_start_matches("the ");
            tool(REMEMBER, json!({ "key": key, "text": fact }))
        }
        (_, Some(note)) if lower.contains("forget") && offered(FORGET) => tool(FORGET, json!({ "key": note.key })),
        _ if !prompt.trim_end().ends_with('?') => ModelAnswer::text("All right."),
        (_, None) => ModelAnswer::text("That I do not know."),
        _ => ModelAnswer::text(notes.iter().map(|note| note.text).collect::<Vec<_>>().join(" ")),
    }
}

/// A tool call. The loop assigns an id.
fn tool(name: &str, input: Value) -> ModelAnswer {
    ModelAnswer::new(vec![Block::ToolUse(ToolCall::new("", name, input))])
}

/// A line of the system prompt with a note, as formatted by [`Fact`](crate::fact::Fact).
struct Note<'a> {
    key: &'a str,
    text: &'a str,
}

impl<'a> Note<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (key, rest) = line.strip_prefix("- [")?.split_once("] ")?;
        let (text, _turn) = rest.rsplit_once(" (")?;
        Some(Self { key, text })
    }
}
