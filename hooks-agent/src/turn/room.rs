//! Making room in the model's window: one ladder, from what loses least to what loses most.

use std::ops::Range;
use std::sync::Arc;

use hooks_core::data::{CompactedHistory, Message, Messages, Usage};
use hooks_core::kinds::{BeforeCompaction, CompactionKind, CompactionTrigger, PostCompact};
use hooks_core::verdict::Decision;

use super::TurnLoop;
use super::end::End;
use super::lineage::{SummedUp, origins};
use super::pairs::paired;
use crate::event::TurnEvent;
use crate::injected;
use crate::model::ModelError;
use crate::window::{Compaction, Measured, ToCompact, Window, between_calls};

/// What is done before a provider has refused.
const GENTLE: [CompactionKind; 3] = [CompactionKind::Micro, CompactionKind::Turn, CompactionKind::Full];

/// What is done once it has: the next at each refusal. A summary may have left too much, and so may the turn alone.
const LADDER: [CompactionKind; 7] = [
    CompactionKind::Micro,
    CompactionKind::Turn,
    CompactionKind::Full,
    CompactionKind::Full,
    CompactionKind::MinimalHistory,
    CompactionKind::MinimalHistory,
    CompactionKind::MinimalHistory,
];

/// Why a conversation is compacted that a provider refused.
const REFUSED: &str = "api_overflow";

/// The mode of injection after that: what hooks put in again is to be the least.
const MINIMAL: &str = "minimal";

/// How much room was made in a turn.
#[derive(Default)]
pub(super) struct Room {
    /// The next step of the ladder.
    step: usize,
    /// What the conversation counted for after the last summary, or the last that failed.
    summed_at: Option<u64>,
}

impl Room {
    /// The provider took the conversation: what is refused next is another one.
    pub(super) fn taken(&mut self) {
        self.step = 0;
    }
}

impl TurnLoop {
    /// Compacts the conversation where it is too long for the window, as far as hooks let it.
    pub(super) async fn make_room(&mut self) -> Result<(), End> {
        let parts = Arc::clone(&self.session.harness);
        let Some(window) = &parts.window else { return Ok(()) };
        for kind in GENTLE {
            let used = self.used(window);
            if used <= window.compact_at {
                break;
            }
            if kind == CompactionKind::Full {
                // One that brings little would be made before each call.
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

    /// The provider says that the messages do not fit: a refusal has no power now. `false` where nothing more can go.
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

    /// What the next call counts for: as the provider counted the last one, with what has changed since.
    pub(super) fn used(&mut self, window: &Window) -> u64 {
        let counted = self.counted(window);
        self.session.measured().map_or(counted, |measured| measured.scaled(counted))
    }

    /// What the next call counts for by the window's own count.
    fn counted(&mut self, window: &Window) -> u64 {
        self.model.counted.tokens(window, &self.model.system_prompt, &self.model.tools, &self.transcript.view)
    }

    /// A provider says what it read of the conversation as it stands.
    pub(super) fn measured(&mut self, usage: Option<Usage>) {
        let parts = Arc::clone(&self.session.harness);
        let Some((window, usage)) = parts.window.as_ref().zip(usage.filter(|usage| usage.input > 0)) else { return };
        let counted = self.counted(window);
        self.session.measure(Measured { counted, tokens: usage.input });
    }

    /// One compaction with the hooks around it; whether the conversation is shorter now.
    pub(super) async fn compact(&mut self, window: &Window, event: BeforeCompaction) -> Result<bool, End> {
        let before = self.transcript.view.clone();
        let turn = self.transcript.lineage.turn(&before);
        let Some(compaction) = window.compactor.compact(&event.compaction, ToCompact::new(&before, turn)) else {
            return Ok(false);
        };
        // Only a provider that refused leaves no choice.
        let by_force = event.reason == REFUSED;
        let verdict = self.fire(&event, ()).await?.verdict;
        // Nobody is asked about it: what is not allowed waits until there is no other way.
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
                    // What nobody summed up is not folded.
                    None => return Ok(false),
                }
            }
        };
        let event = PostCompact::new(event.trigger, event.compaction)
            .profile(self.profile())
            .injection_mode(if by_force { MINIMAL } else { window.injection_mode.as_str() })
            .compacted_count(before.len().saturating_sub(rest.messages.len()) as u64);
        let rest = self.fire_to_end(&event, rest).await?.subject;
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

    /// A model's summary of the messages in `old`, and what of these it covers. Where the model cannot read all of them at
    /// once, it is given them in parts, each with the summary of those before.
    async fn sum_up(
        &mut self,
        instructions: String,
        messages: &Messages,
        old: Range<usize>,
    ) -> Result<Option<(String, Range<usize>)>, End> {
        let all = old.end.min(messages.len());
        let (mut covered, mut summary, mut size) = (old.start, None::<String>, all.saturating_sub(old.start));
        for _ in 0..SUMMARIES {
            let end = if covered + size >= all { all } else { between_calls(messages, covered + size) };
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
        Ok(summary.map(|summary| (summary, old.start..covered)))
    }
}

/// What a model is told that sums up, with what a person wants to be kept.
fn with_wishes(instructions: String, wishes: &str) -> String {
    match wishes.trim() {
        "" => instructions,
        wishes => format!("{instructions}\n\nThe person asks for this to be kept in mind: {wishes}"),
    }
}

/// How often a model is called for one summary, retries aside.
const SUMMARIES: usize = 16;

/// The messages that the conversation goes on with, the summary among them, and what that stands for: the messages in `old`,
/// or all that a compactor took out and summed up itself.
fn unfolded(before: &Messages, rest: &CompactedHistory, old: Range<usize>) -> (Messages, Option<SummedUp>) {
    let summary = rest.summary.as_deref().filter(|text| !text.trim().is_empty()).map(injected::summary);
    let Some(summary) = summary else { return (paired(rest.messages.clone()), None) };
    // Behind the messages that it stood behind, as hooks left them.
    let kept = [&before[..old.start], &before[old.end..]].concat();
    let stood_before = |origin: &Option<usize>| origin.is_some_and(|from| from < old.start);
    let at = origins(&kept, &rest.messages).iter().rposition(stood_before).map_or(0, |behind| behind + 1);
    let range = if old.is_empty() { 0..before.len() - common_end(before, &rest.messages) } else { old };
    let mut messages: Vec<Message> = rest.messages.iter().cloned().collect();
    messages.insert(at, summary.clone());
    // A compactor of the app's may have parted a call from its result.
    let messages = paired(messages.into());
    let at = messages.iter().position(|message| *message == summary).unwrap_or_default();
    (messages, Some(SummedUp { range, at }))
}

/// How many messages are the same at the end of both.
fn common_end(one: &[Message], other: &[Message]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}
