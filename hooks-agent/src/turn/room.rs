//! Makes room in the model's window, in steps from the least to the most lossy.

use std::ops::Range;
use std::sync::Arc;

use hook_sdk::data::{Block, CompactedHistory, Message, Messages, Usage};
use hook_sdk::kinds::{BeforeCompaction, CompactionKind, CompactionTrigger, PostCompact};
use hook_sdk::verdict::Decision;

use super::TurnLoop;
use super::end::End;
use super::lineage::{SummedUp, origins};
use super::pairs::paired;
use crate::event::TurnEvent;
use crate::injected;
use crate::model::ModelError;
use crate::window::{Compaction, Measured, ToCompact, Window, between_calls};

/// The steps before a provider has rejected the conversation.
const GENTLE: [CompactionKind; 3] = [CompactionKind::Micro, CompactionKind::Turn, CompactionKind::Full];

/// The steps after that, one per rejection. A summary, or the turn alone, may still be too long.
const LADDER: [CompactionKind; 7] = [
    CompactionKind::Micro,
    CompactionKind::Turn,
    CompactionKind::Full,
    CompactionKind::Full,
    CompactionKind::MinimalHistory,
    CompactionKind::MinimalHistory,
    CompactionKind::MinimalHistory,
];

/// The reason for a compaction after a rejection by the provider.
const REFUSED: &str = "api_overflow";

/// The injection mode after a rejection: hooks should add as little as possible.
const MINIMAL: &str = "minimal";

/// The progress of making room in a turn.
#[derive(Default)]
pub(super) struct Room {
    /// The next step of [`LADDER`].
    step: usize,
    /// The token count after the last summary or the last failed one.
    summed_at: Option<u64>,
}

impl Room {
    /// The provider accepted the conversation. Start again at the first step after the next rejection.
    pub(super) fn taken(&mut self) {
        self.step = 0;
    }
}

impl TurnLoop {
    /// Compacts the conversation if it is too long for the window and hooks allow it.
    pub(super) async fn make_room(&mut self) -> Result<(), End> {
        let parts = Arc::clone(&self.session.harness);
        let Some(window) = &parts.window else { return Ok(()) };
        for kind in GENTLE {
            let used = self.used(window);
            if used <= window.compact_at {
                break;
            }
            if kind == CompactionKind::Full {
                // Without this check, a summary with little effect would be repeated before each call.
                if self.room.summed_at.is_some_and(|summed| used <= summed.saturating_add(window.compact_at / 8)) {
                    break;
                }
                self.room.summed_at = Some(used);
            }
            let event = BeforeCompaction::new(CompactionTrigger::Auto, kind.clone(), self.transcript.view.clone())
                .reason("compression_threshold")
                .token_count(used)
                .overflowed(used > window.tokens);
            self.compact(window, event).await?;
            if kind == CompactionKind::Full {
                self.room.summed_at = Some(self.used(window));
            }
        }
        Ok(())
    }

    /// Compacts after the provider rejected the conversation. Hooks cannot refuse this. Returns `false` if nothing more
    /// can be removed.
    pub(super) async fn make_room_by_force(&mut self) -> Result<bool, End> {
        let parts = Arc::clone(&self.session.harness);
        let window = parts.window.clone().unwrap_or_else(|| Window::new(u64::MAX));
        while let Some(kind) = LADDER.get(self.room.step) {
            self.room.step += 1;
            let event = BeforeCompaction::new(CompactionTrigger::Auto, kind.clone(), self.transcript.view.clone())
                .reason(REFUSED)
                .token_count(self.used(&window))
                .overflowed(true);
            if self.compact(&window, event).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The estimated token count of the next call: the provider's count of the last call, adjusted by the changes since
    /// then.
    pub(super) fn used(&mut self, window: &Window) -> u64 {
        let counted = self.counted(window);
        self.session.measured().map_or(counted, |measured| measured.scaled(counted))
    }

    /// The token count of the next call according to the window.
    fn counted(&mut self, window: &Window) -> u64 {
        self.model.counted.tokens(window, &self.model.system_prompt, &self.model.tools, &self.transcript.view)
    }

    /// Records the provider's token count of the current conversation.
    pub(super) fn measured(&mut self, usage: Option<Usage>) {
        let parts = Arc::clone(&self.session.harness);
        let Some((window, usage)) = parts.window.as_ref().zip(usage.filter(|usage| usage.input > 0)) else { return };
        let counted = self.counted(window);
        self.session.measure(Measured { counted, tokens: usage.input });
    }

    /// Runs one compaction with its hooks. Returns whether the conversation is shorter now.
    pub(super) async fn compact(&mut self, window: &Window, event: BeforeCompaction) -> Result<bool, End> {
        let before = self.transcript.view.clone();
        // A turn may begin with the result of an earlier turn's call.
        let turn = between_calls(&before, self.transcript.lineage.turn(&before));
        let Some(compaction) = window.compactor.compact(&event.compaction, ToCompact::new(&before, turn)) else {
            return Ok(false);
        };
        let by_force = event.reason == REFUSED;
        let verdict = self.fire(&event, ()).await?.verdict;
        self.not_halted()?;
        // There is no approval for compactions, so *ask* counts as a refusal. A conversation that does not fit into the
        // window is compacted even then.
        let refused = verdict.decide() != Decision::Run;
        if refused && !event.overflowed {
            return Ok(false);
        }
        let (rest, old) = match compaction {
            Compaction::Rest(rest) => (rest, 0..0),
            Compaction::Summarise { instructions, old } => {
                match self.sum_up(with_wishes(instructions, &event.instructions), &before, old).await? {
                    Some((summary, old)) => {
                        let kept = [&before[..old.start], &before[old.end..]].concat();
                        (CompactedHistory::new(kept.into()).summary(summary), old)
                    }
                    // Without a summary, nothing is folded.
                    None => return Ok(false),
                }
            }
        };
        let event = PostCompact::new(event.trigger, event.compaction)
            .profile(self.profile())
            .injection_mode(if by_force { MINIMAL } else { window.injection_mode.as_str() })
            .compacted_count(before.len().saturating_sub(rest.messages.len()) as u64);
        let rest = self.fire_to_end(&event, rest).await?.subject;
        self.not_halted()?;
        let (rest, summed) = unfolded(&before, &rest, old);
        let used = self.counted(window);
        let left = self.model.counted.tokens(window, &self.model.system_prompt, &self.model.tools, &rest);
        if left >= used {
            return Ok(false);
        }
        let Some(left_out) = self.fold(rest, summed.as_ref()).await? else { return Ok(false) };
        self.draft.left_out.extend(left_out);
        self.emit(|| TurnEvent::Compacted { kind: event.compaction, messages: self.transcript.view.len() });
        Ok(true)
    }

    /// A model's summary of the messages in `old`, and the range that it covers. If the model cannot read all of them
    /// at once, it gets them in parts, each with the summary of the earlier parts.
    async fn sum_up(
        &mut self,
        instructions: String,
        messages: &Messages,
        old: Range<usize>,
    ) -> Result<Option<(String, Range<usize>)>, End> {
        let (start, all) = (between_calls(messages, old.start), between_calls(messages, old.end));
        let (mut covered, mut summary, mut size) = (start, None::<String>, all.saturating_sub(start));
        for _ in 0..SUMMARIES {
            let end = between_calls(messages, all.min(covered + size));
            if end <= covered {
                break;
            }
            let part = summary.as_deref().map(injected::summary).into_iter();
            let part: Vec<_> = part.chain(messages[covered..end].iter().cloned()).collect();
            match self.ask_for_summary(&instructions, part.into()).await? {
                Ok(text) => (summary, covered) = (Some(text), end),
                Err(ModelError::Overflow(_)) => size = (end - covered) / 2,
                Err(_) => break,
            }
        }
        Ok(summary.map(|summary| (summary, start..covered)))
    }
}

/// The instructions for a summary, with the wishes of a person.
fn with_wishes(instructions: String, wishes: &str) -> String {
    match wishes.trim() {
        "" => instructions,
        wishes => format!("{instructions}\n\nThe user asks you to preserve this: {wishes}"),
    }
}

/// The maximum number of model calls for one summary, without retries.
const SUMMARIES: usize = 16;

/// The new conversation with the summary, and what the summary replaces: the messages in `old`, or everything that a
/// compactor removed and summarised itself.
fn unfolded(before: &Messages, rest: &CompactedHistory, old: Range<usize>) -> (Messages, Option<SummedUp>) {
    // A compactor of the app may have separated a call from its result, or left the result out: `paired` takes the
    // first result of each call, and drops the others.
    let mut messages: Vec<Message> = rest.messages.iter().cloned().collect();
    messages.extend(before.iter().rev().filter(|message| is_results(message)).cloned());
    let mut messages = paired(messages.into());
    let summary = rest.summary.as_deref().filter(|text| !text.trim().is_empty()).map(injected::summary);
    let Some(summary) = summary else { return (messages, None) };
    let range = if old.is_empty() { 0..before.len() - common_end(before, &messages) } else { old.clone() };
    // After the messages that it followed, as hooks left them.
    let kept = [&before[..old.start], &before[old.end..]].concat();
    let stood_before = |origin: &Option<usize>| origin.is_some_and(|from| from < old.start);
    let at = origins(&kept, &messages).iter().rposition(stood_before).map_or(0, |behind| behind + 1);
    let at = between_calls(&messages, at);
    messages.insert(at, summary);
    (messages, Some(SummedUp { range, at }))
}

fn is_results(message: &Message) -> bool {
    !message.content.is_empty() && message.content.iter().all(|block| matches!(block, Block::ToolResult(_)))
}

/// The length of the common suffix.
fn common_end(one: &[Message], other: &[Message]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}
