use hooks_core::data::{Block, CompactedHistory, Message, Messages};
use hooks_core::kinds::CompactionKind;

use super::{Compaction, Compactor};
use crate::injected;

/// Drops old tool outputs first, then has the model sum up what is old, and at last keeps only the turn under way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DropThenSummarise {
    /// Tool outputs that are kept, counted from the last. 3.
    pub outputs: usize,
    /// Messages before the turn under way that a summary leaves as they are. 4.
    pub recent: usize,
}

impl Default for DropThenSummarise {
    fn default() -> Self {
        Self { outputs: 3, recent: 4 }
    }
}

const DROPPED: &str = "[output dropped to save room; call the tool again if you need it]";

const INSTRUCTIONS: &str = "Sum up the conversation so far for a colleague who takes over. Keep what was asked, what was \
    decided and promised, names, numbers and ids, and what is still open. Do not answer the person.";

impl Compactor for DropThenSummarise {
    fn compact(&self, kind: &CompactionKind, messages: &Messages) -> Option<Compaction> {
        match kind {
            CompactionKind::Micro => self.drop_outputs(messages).map(CompactedHistory::new).map(Compaction::Rest),
            CompactionKind::Full => {
                let at = cut(messages, turn(messages).saturating_sub(self.recent));
                let (old, kept) = messages.split_at(at);
                (!old.is_empty())
                    .then(|| Compaction::summarise(INSTRUCTIONS, old.to_vec().into(), kept.to_vec().into()))
            }
            CompactionKind::MinimalHistory => {
                let at = turn(messages);
                (at > 0).then(|| Compaction::Rest(CompactedHistory::new(messages[at..].to_vec().into())))
            }
            _ => None,
        }
    }
}

impl DropThenSummarise {
    fn drop_outputs(&self, messages: &Messages) -> Option<Messages> {
        let results = messages.iter().flat_map(|message| &message.content).filter(|block| is_result(block)).count();
        let (mut shorter, mut seen, mut dropped) = (messages.clone(), 0, false);
        for message in shorter.iter_mut().filter(|message| message.content.iter().any(is_result)) {
            for block in &mut message.content {
                if let Block::ToolResult(result) = block {
                    seen += 1;
                    let long =
                        result.content.iter().filter_map(Block::as_text).map(str::len).sum::<usize>() > DROPPED.len();
                    if seen + self.outputs <= results && long {
                        result.content = vec![Block::from(DROPPED)];
                        dropped = true;
                    }
                }
            }
        }
        dropped.then_some(shorter)
    }
}

fn is_result(block: &Block) -> bool {
    matches!(block, Block::ToolResult(_))
}

/// Where the turn under way begins: at the person's last prompt.
fn turn(messages: &Messages) -> usize {
    let prompt = messages.iter().rposition(injected::is_from_user).unwrap_or_default();
    // With what hooks put before it.
    prompt - messages[..prompt].iter().rev().take_while(|message| injected::is_injected(message)).count()
}

/// The nearest place at or before `at` that parts no call from its result.
fn cut(messages: &Messages, at: usize) -> usize {
    let answers = |message: &Message| message.content.iter().any(is_result);
    let rest = messages.iter().take(at + 1).rposition(|message| !answers(message));
    rest.unwrap_or_default()
}
