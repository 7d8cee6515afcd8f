//! The lines of a transcript: `{"type": "user" | "assistant", "uuid": …, "parentUuid": …, "message": {…}}`.

use std::collections::{HashMap, HashSet};

use hook_sdk::data::{Block, Message, Role};
use serde_json::Value;

use super::{Transcript, TranscriptMessage};

/// Reads lines in their order.
#[derive(Default)]
pub(super) struct Reader {
    transcript: Transcript,
    number: usize,
    /// How many messages there were after each line, by its `uuid`. A resumed session repeats lines of the earlier one.
    seen: HashMap<String, usize>,
    /// The replies since the last prompt, by their id: several lines contain one reply.
    replies: HashMap<String, usize>,
    /// The calls that were made, and the place of the reply that made each.
    calls: HashMap<String, usize>,
    answered: HashSet<String>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &[u8]) {
        self.number += 1;
        // With the mark of the byte order, with which some editors begin a file.
        let line = if self.number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if line.trim_ascii().is_empty() {
            return;
        }
        let Ok(Value::Object(fields)) = serde_json::from_slice(line) else {
            self.transcript.unreadable.push(self.number);
            return;
        };
        let line = Value::Object(fields);
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let marked = |name: &str| line.get(name) == Some(&Value::Bool(true));
        if let Some(session) = text("sessionId") {
            // A resumed session has its own id in later lines.
            self.transcript.session = Some(session.to_owned());
        }
        let uuid = text("uuid").unwrap_or_default();
        if self.seen.contains_key(uuid) {
            return self.skip("repeated");
        }
        match text("type") {
            Some("user" | "assistant") if marked("isSidechain") => self.skip("sub-agent"),
            Some("assistant") if marked("isApiErrorMessage") => self.skip("failed request"),
            Some("user" | "assistant") => match line.get("message").cloned().map(Message::from_anthropic) {
                Some(Ok(message)) => self.message(&line, &message),
                _ => self.transcript.unreadable.push(self.number),
            },
            Some("system") if text("subtype") == Some("compact_boundary") => {
                self.transcript.messages.iter_mut().for_each(|entry| entry.is_read = false);
                self.skip("compact_boundary");
            }
            other => self.skip(other.unwrap_or("unknown")),
        }
        if !uuid.is_empty() {
            self.seen.insert(uuid.to_owned(), self.transcript.messages.len());
        }
    }

    fn skip(&mut self, what: &str) {
        *self.transcript.skipped.entry(what.to_owned()).or_default() += 1;
    }

    fn message(&mut self, line: &Value, message: &Message) {
        // Models reject messages without content.
        if message.content.iter().all(is_blank) {
            return self.skip("empty message");
        }
        if message.role == Role::Assistant {
            return self.reply(line, message);
        }
        let (results, rest): (Vec<&Block>, Vec<&Block>) =
            message.content.iter().partition(|block| matches!(block, Block::ToolResult(_)));
        for block in results {
            let Block::ToolResult(result) = block else { continue };
            // A result without its call, or a second one, would make the conversation unusable for a model.
            if !self.calls.contains_key(&result.call_id) || !self.answered.insert(result.call_id.clone()) {
                self.skip("tool_result without a call");
                continue;
            }
            self.push(Message::of(Role::Tool, vec![block.clone()]));
        }
        if !rest.is_empty() {
            self.rewind(line);
            self.replies.clear();
            self.push(Message::of(Role::User, rest.into_iter().cloned().collect()));
        }
    }

    /// A line with a part of a reply, or all of it.
    fn reply(&mut self, line: &Value, message: &Message) {
        let id = line["message"]["id"].as_str();
        let place = match id.and_then(|id| self.replies.get(id)) {
            Some(place) => {
                let entry = &mut self.transcript.messages[*place];
                let content = entry.message.content.iter().chain(&message.content).cloned().collect();
                entry.message = Message::of(Role::Assistant, content);
                *place
            }
            None => {
                self.push(Message::of(Role::Assistant, message.content.clone()));
                self.transcript.messages.len() - 1
            }
        };
        self.replies.extend(id.map(|id| (id.to_owned(), place)));
        self.calls.extend(message.tool_calls().map(|call| (call.id.clone(), place)));
    }

    /// A prompt continues from its parent. The model does not read what was said after that: the person has gone back.
    fn rewind(&mut self, line: &Value) {
        let parent = line.get("parentUuid").and_then(Value::as_str);
        let Some(&end) = parent.and_then(|uuid| self.seen.get(uuid)) else { return };
        let calls = &self.calls;
        for entry in self.transcript.messages.iter_mut().skip(end) {
            // Results of calls that were made before arrive in any order.
            let is_earlier = |block: &Block| match block {
                Block::ToolResult(result) => calls.get(&result.call_id).is_some_and(|place| *place < end),
                _ => false,
            };
            entry.is_read &= entry.message.content.iter().any(is_earlier);
        }
    }

    fn push(&mut self, message: Message) {
        self.transcript.messages.push(TranscriptMessage { message, is_read: true });
    }

    pub(super) fn finish(self) -> Transcript {
        self.transcript
    }
}

fn is_blank(block: &Block) -> bool {
    matches!(block, Block::Text(text) if text.text.trim().is_empty())
}
