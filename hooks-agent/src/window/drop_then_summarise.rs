use std::ops::Range;

use hook_sdk::data::{Block, CompactedHistory, Message, Messages, Role};
use hook_sdk::kinds::CompactionKind;
use serde_json::Value;

use super::{Compaction, Compactor, ToCompact, between_calls};
use crate::injected;

/// Drops old tool outputs first, then shortens inputs of calls in the running turn, then has a model summarise old
/// messages, and finally keeps only the running turn, or its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DropThenSummarise {
    /// The number of most recent tool outputs that are kept. Default: 3.
    pub outputs: usize,
    /// The number of messages at the end, or before the running turn, that are not summarised. Default: 4.
    pub recent: usize,
    /// The number of characters of each text in an old input or error that are kept. Of the most recent outputs, it is a
    /// hundred times as many. Default: 200.
    pub chars: usize,
}

impl Default for DropThenSummarise {
    fn default() -> Self {
        Self { outputs: 3, recent: 4, chars: 200 }
    }
}

/// It does not say "call the tool again": nobody knows here whether the call may be made twice.
const DROPPED: &str = "[output dropped to save room]";
const CUT: &str = " [… cut to save room …] ";

const INSTRUCTIONS: &str = "You sum up a conversation for a colleague who takes over. Keep what was asked, what was decided and \
    promised, what was done and what came of it, names, numbers and ids, and what is still open. Do not answer the person.";

impl Compactor for DropThenSummarise {
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        let ToCompact { messages, turn } = conversation;
        let turn = with_contexts(messages, turn);
        match kind {
            CompactionKind::Micro => changed(messages, |messages| self.drop_outputs(messages, self.outputs)),
            CompactionKind::Turn => changed(messages, |messages| {
                self.drop_outputs(messages, 1);
                self.shorten(messages, turn);
            }),
            CompactionKind::Full => self.old(messages, turn).map(|old| Compaction::summarise(INSTRUCTIONS, old)),
            CompactionKind::MinimalHistory => {
                let (before, of_turn) = messages.split_at(turn);
                let summaries: Vec<_> =
                    before.iter().filter(|message| injected::is_summary(message)).cloned().collect();
                let rest = match turn {
                    0 => last_step(messages)?,
                    _ if summaries.len() < turn => [&summaries, of_turn].concat(),
                    _ => of_turn.to_vec(),
                };
                Some(Compaction::Rest(CompactedHistory::new(rest.into())))
            }
            _ => None,
        }
    }
}

impl DropThenSummarise {
    /// The messages to summarise: those before the turn except the most recent ones, or else those between the prompt
    /// and the last messages of the turn, or else all before the turn.
    fn old(&self, messages: &Messages, turn: usize) -> Option<Range<usize>> {
        let steps = first_step(messages, turn);
        let before = 0..between_calls(messages, turn.saturating_sub(self.recent));
        let within = steps..between_calls(messages, messages.len().saturating_sub(self.recent)).max(steps);
        let says_much = |range: &Range<usize>| {
            range.end <= messages.len() && messages[range.clone()].iter().any(|message| !injected::is_summary(message))
        };
        [before, within, 0..turn].into_iter().find(says_much)
    }

    /// Drops old outputs. An error is shortened only: it says why a call was denied, or whether it may have run.
    fn drop_outputs(&self, messages: &mut Messages, kept: usize) {
        let results = messages.iter().flat_map(|message| &message.content).filter(|block| is_result(block)).count();
        let mut seen = 0;
        for message in messages.iter_mut().filter(|message| message.content.iter().any(is_result)) {
            for block in &mut message.content {
                if let Block::ToolResult(result) = block {
                    seen += 1;
                    let length = || result.content.iter().filter_map(Block::as_text).map(str::len).sum::<usize>();
                    if seen + kept > results {
                        continue;
                    }
                    if result.is_error {
                        cut_blocks(&mut result.content, self.chars);
                    } else if length() > DROPPED.len() {
                        result.content = vec![Block::from(DROPPED)];
                    }
                }
            }
        }
    }

    /// Truncates the texts in the inputs of old calls, and long recent outputs.
    fn shorten(&self, messages: &mut Messages, turn: usize) {
        let last = messages.iter().rposition(|message| message.tool_calls().next().is_some()).unwrap_or_default();
        for at in turn..messages.len() {
            let long = messages[at].content.iter().any(|block| match block {
                Block::ToolUse(call) => at < last && longest(&call.input) > self.chars,
                Block::ToolResult(result) => {
                    result.content.iter().filter_map(Block::as_text).any(|text| text.chars().count() > self.chars * 100)
                }
                _ => false,
            });
            if !long {
                continue;
            }
            for block in &mut messages[at].content {
                match block {
                    Block::ToolUse(call) if at < last => cut_texts(&mut call.input, self.chars),
                    Block::ToolResult(result) => cut_blocks(&mut result.content, self.chars * 100),
                    _ => {}
                }
            }
        }
    }
}

/// The result of `change`, if it changes anything.
fn changed(messages: &Messages, change: impl FnOnce(&mut Messages)) -> Option<Compaction> {
    let mut shorter = messages.clone();
    change(&mut shorter);
    (shorter != *messages).then(|| Compaction::Rest(CompactedHistory::new(shorter)))
}

fn is_result(block: &Block) -> bool {
    matches!(block, Block::ToolResult(_))
}

/// The length of the longest text in `value`, in characters.
fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(longest).max().unwrap_or_default(),
        Value::Object(fields) => fields.values().map(longest).max().unwrap_or_default(),
        _ => 0,
    }
}

fn cut_texts(value: &mut Value, chars: usize) {
    match value {
        Value::String(text) => cut(text, chars),
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, chars)),
        Value::Object(fields) => fields.values_mut().for_each(|field| cut_texts(field, chars)),
        _ => {}
    }
}

fn cut_blocks(blocks: &mut [Block], chars: usize) {
    for block in blocks {
        if let Block::Text(text) = block {
            cut(&mut text.text, chars);
        }
    }
}

/// Keeps the beginning and the end of a text.
fn cut(text: &mut String, chars: usize) {
    let length = text.chars().count();
    if length > chars {
        let head: String = text.chars().take(chars / 2).collect();
        let tail: String = text.chars().skip(length - chars / 4).collect();
        *text = format!("{head}{CUT}{tail}");
    }
}

/// The index of the turn's first message, including the contexts that hooks put before it.
fn with_contexts(messages: &Messages, turn: usize) -> usize {
    turn - messages[..turn].iter().rev().take_while(|message| injected::is_injected(message)).count()
}

/// The index of the first step of the turn, after the prompt.
fn first_step(messages: &Messages, turn: usize) -> usize {
    let said = messages[turn..].iter().position(|message| message.role == Role::Assistant);
    said.map_or(messages.len(), |said| turn + said)
}

/// The prompt of a turn that all messages belong to, and its last step. `None` if there are no other messages.
fn last_step(messages: &Messages) -> Option<Vec<Message>> {
    let (first, last) = (first_step(messages, 0), between_calls(messages, messages.len().saturating_sub(1)));
    let last = messages.get(..=last)?.iter().rposition(|message| message.role == Role::Assistant)?;
    (last > first).then(|| [&messages[..first], &messages[last..]].concat())
}
