//! Making room in the model's window.

use std::sync::Arc;

use hooks_core::data::{CompactedHistory, Message, Messages, Role};
use hooks_core::kinds::{BeforeCompaction, CompactionKind, CompactionTrigger, PostCompact};
use hooks_core::verdict::Decision;

use super::TurnLoop;
use super::end::End;
use super::pairs::paired;
use crate::event::TurnEvent;
use crate::window::{Compaction, Window};

/// From the one that loses least to the one that loses most.
const KINDS: [CompactionKind; 3] = [CompactionKind::Micro, CompactionKind::Full, CompactionKind::MinimalHistory];

impl TurnLoop {
    /// Compacts the conversation where it is too long for the window, as far as hooks let it.
    pub(super) async fn make_room(&mut self) -> Result<(), End> {
        let parts = Arc::clone(&self.session.harness);
        let Some(window) = &parts.window else { return Ok(()) };
        for kind in KINDS {
            let used =
                self.model.counted.tokens(window, &self.model.system_prompt, &self.model.tools, &self.transcript.view);
            if used <= window.compact_at {
                break;
            }
            let event = BeforeCompaction::new(CompactionTrigger::Auto, kind, self.transcript.view.clone())
                .reason("compression_threshold")
                .token_count(used)
                .overflowed(used > window.tokens);
            self.compact(window, event).await?;
        }
        Ok(())
    }

    /// The provider says that the messages do not fit: a refusal has no power now. `false` where nothing more can go.
    pub(super) async fn make_room_by_force(&mut self) -> Result<bool, End> {
        let parts = Arc::clone(&self.session.harness);
        let window = parts.window.clone().unwrap_or_else(|| Window::new(u64::MAX));
        for kind in KINDS {
            let event = BeforeCompaction::new(CompactionTrigger::Auto, kind, self.transcript.view.clone())
                .reason("api_overflow")
                .overflowed(true);
            if self.compact(&window, event).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One compaction with the hooks around it; whether the conversation is shorter now.
    async fn compact(&mut self, window: &Window, event: BeforeCompaction) -> Result<bool, End> {
        let Some(compaction) = window.compactor.compact(&event.compaction, &self.transcript.view) else {
            return Ok(false);
        };
        let verdict = self.fire(&event, ()).await?.verdict;
        // Nobody is asked about it: what is not allowed waits until there is no other way.
        let refused = verdict.decide() != Decision::Run;
        if refused && !event.overflowed {
            return Ok(false);
        }
        let before = self.transcript.view.len();
        let rest = match compaction {
            Compaction::Rest(rest) => rest,
            Compaction::Summarise { instructions, old, kept } => match self.ask_for_summary(instructions, old).await? {
                Some(summary) => CompactedHistory::new(kept).summary(summary),
                // Without a summary there is the next kind.
                None => return Ok(false),
            },
        };
        let event = PostCompact::new(event.trigger, event.compaction)
            .profile(self.profile())
            .injection_mode(window.injection_mode.as_str())
            .compacted_count((before.saturating_sub(rest.messages.len())) as u64);
        let rest = self.fire_to_end(&event, rest).await?.subject;
        // A compactor of the app's may have parted a call from its result.
        let rest = paired(unfolded(&rest));
        let stored = self.transcript.lineage.folded(&self.transcript.view, &rest);
        self.transcript.view = rest;
        let parts = Arc::clone(&self.session.harness);
        parts.store.fold(&self.session.conversation, stored.iter().cloned().collect()).await?;
        self.emit(|| TurnEvent::Compacted { kind: event.compaction, messages: self.transcript.view.len() });
        Ok(true)
    }
}

/// The messages that the conversation goes on with, the summary first.
fn unfolded(rest: &CompactedHistory) -> Messages {
    let summary = rest.summary.iter().map(|text| format!("<conversation-summary>\n{text}\n</conversation-summary>"));
    let messages = summary.map(|text| Message::new(Role::User, text)).chain(rest.messages.iter().cloned());
    messages.collect::<Vec<_>>().into()
}
