//! Excerpts of texts before and after the hooks.

use hook_sdk::data::{Block, Message, ToolCall, ToolResult};

/// The number of characters that are shown before the first difference.
const LEAD: usize = 24;
const SHOWN: usize = 84;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Glimpse {
    /// What was changed.
    pub what: &'static str,
    /// An excerpt before the change.
    pub before: String,
    /// The same excerpt after the change.
    pub after: String,
}

/// The first change of each sort. Disabled by default, because it shows what hooks mask.
#[derive(Clone, Debug, Default)]
pub struct Glimpses {
    shown: bool,
    kept: Vec<Glimpse>,
}

impl Glimpses {
    /// Creates a collection, which keeps changes only if `shown` is set.
    pub fn new(shown: bool) -> Self {
        Self { shown, kept: Vec::new() }
    }

    /// The collected changes.
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

/// `SHOWN` characters of `text` from the character `from` on, in a single line.
fn piece(text: &str, from: usize) -> String {
    let mut chars = text.chars().skip(from);
    let shown: String = chars.by_ref().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let (start, end) = (if from > 0 { "…" } else { "" }, if chars.next().is_some() { "…" } else { "" });
    format!("{start}{shown}{end}")
}
