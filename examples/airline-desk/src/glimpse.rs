//! A line or two before and after the hooks, for people who want to see what they did.

use hooks_core::data::{Block, Message, ToolCall, ToolResult};

/// How much of a text is shown before the first difference, and from there on, in characters.
const LEAD: usize = 24;
const SHOWN: usize = 84;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Glimpse {
    /// What was changed.
    pub what: &'static str,
    /// A piece of it, as it was.
    pub before: String,
    /// The same piece, as it is.
    pub after: String,
}

/// The first change of each sort. Keeps nothing unless it is asked to: what hooks mask is not to be shown unasked.
#[derive(Clone, Debug, Default)]
pub struct Glimpses {
    shown: bool,
    kept: Vec<Glimpse>,
}

impl Glimpses {
    /// Keeps the first change of each sort where `shown`.
    pub fn new(shown: bool) -> Self {
        Self { shown, kept: Vec::new() }
    }

    /// The changes.
    pub fn kept(&self) -> &[Glimpse] {
        &self.kept
    }

    pub(crate) fn stored(&mut self, before: &Message, after: &Message) {
        if !self.shown || before == after {
            return;
        }
        for (before, after) in before.content.iter().zip(&after.content) {
            let what = match before {
                Block::ToolUse(_) => "the arguments of a call, as stored (the tool gets the real ones)",
                Block::ToolResult(_) => "a tool's result, as stored",
                _ => "prose, as stored",
            };
            self.keep(what, &said(before), &said(after));
        }
    }

    pub(crate) fn shown(&mut self, before: &ToolResult, after: &ToolResult) {
        if self.shown {
            self.keep("a tool's result, as the model sees it", &before.text(), &after.text());
        }
    }

    pub(crate) fn refused(&mut self, call: &ToolCall, refusal: &str) {
        if self.shown {
            self.keep("a call that was not run", &format!("{}({})", call.name, call.input.text()), refusal);
        }
    }

    fn keep(&mut self, what: &'static str, before: &str, after: &str) {
        if before == after || self.kept.iter().any(|kept| kept.what == what) {
            return;
        }
        let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
        let from = same.saturating_sub(LEAD);
        self.kept.push(Glimpse { what, before: piece(before, from), after: piece(after, from) });
    }
}

fn said(block: &Block) -> String {
    match block {
        Block::Text(text) => text.text.clone(),
        Block::ToolUse(call) => call.input.text().into_owned(),
        Block::ToolResult(result) => result.content.iter().filter_map(Block::as_text).collect(),
        _ => String::new(),
    }
}

/// `SHOWN` characters of `text` from the character `from` on, on one line.
fn piece(text: &str, from: usize) -> String {
    let mut chars = text.chars().skip(from);
    let shown: String = chars.by_ref().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let (start, end) = (if from > 0 { "…" } else { "" }, if chars.next().is_some() { "…" } else { "" });
    format!("{start}{shown}{end}")
}
