//! Pieces of a stream.

use super::RigHooks;
use std::sync::Arc;

use hook_sdk::data::{Block, ToolInput};
use hook_sdk::kinds::{ExitReason, StreamChannel, StreamDelta};
use hook_sdk::verdict::Decision;
use rig_agent::agent::{HookContext as RigContext, ObservationAction};
use rig_core::message::AssistantContent;

use crate::rows;
use crate::run::{Ended, Run};

impl RigHooks {
    /// Passes a piece of a stream to hooks before rig shows it.
    pub(super) async fn piece(
        &self,
        rig: &RigContext,
        channel: StreamChannel,
        piece: &str,
        aggregated: &str,
    ) -> ObservationAction {
        if !self.hooks.has::<StreamDelta>() {
            return ObservationAction::Continue;
        }
        let run = self.run(rig);
        let shown = aggregated.strip_suffix(piece).unwrap_or(aggregated);
        {
            let streamed = &mut run.data().streamed;
            match streamed.iter_mut().find(|(of, text)| *of == channel && text == shown) {
                Some((_, text)) => aggregated.clone_into(text),
                None => streamed.push((channel.clone(), aggregated.to_owned())),
            }
        }
        let delta = StreamDelta::new(channel).shown(Arc::new(shown.to_owned())).fresh(piece.chars().count());
        let reason = match self.judge(&run, &delta, piece).await {
            Ok(left) if left == piece => return ObservationAction::Continue,
            Ok(_) => "a hook rewrote a piece of the stream, and rig shows it as it comes".into(),
            Err(ended) => ended,
        };
        ObservationAction::Stop(run.end(reason))
    }

    /// Passes to hooks what they have not seen of an answer in pieces. The answer then has the text that they left.
    pub(super) async fn judge_rest(
        &self,
        run: &Run,
        choice: &[AssistantContent],
        content: &mut Vec<Block>,
    ) -> Result<(), Ended> {
        if !self.hooks.has::<StreamDelta>() {
            return Ok(());
        }
        let text: String = content.iter().filter_map(Block::as_text).collect();
        let rest = choice.iter().filter_map(|part| match part {
            AssistantContent::Reasoning(thought) => Some((StreamChannel::Thinking, thought.text.clone())),
            AssistantContent::ToolCall(call) => Some((StreamChannel::Input, rows::input(call).text().into_owned())),
            _ => None,
        });
        let streamed = std::mem::take(&mut run.data().streamed);
        for (channel, text) in std::iter::once((StreamChannel::Text, text)).chain(rest) {
            // The same input can be written in several ways.
            let is_same = |piece: &str| {
                piece == text || channel == StreamChannel::Input && ToolInput::parse(piece) == ToolInput::parse(&*text)
            };
            if text.is_empty() || streamed.iter().any(|(of, piece)| *of == channel && is_same(piece)) {
                continue;
            }
            let delta = StreamDelta::new(channel.clone()).fresh(text.chars().count()).last(true);
            let mut left = self.judge(run, &delta, &text).await?;
            if left == text {
                continue;
            }
            if channel != StreamChannel::Text {
                return Err(format!("a hook at `stream_delta` rewrote `{channel}`, and rig cannot carry that").into());
            }
            content.retain_mut(|block| match block {
                Block::Text(block) => {
                    block.text = std::mem::take(&mut left);
                    !block.text.is_empty()
                }
                _ => true,
            });
        }
        Ok(())
    }

    /// The text as hooks at `stream_delta` left it.
    async fn judge(&self, run: &Run, delta: &StreamDelta, text: &str) -> Result<String, Ended> {
        let fired = self.hooks.fire(&run.cx, delta, text.to_owned()).await.map_err(|error| error.to_string())?;
        if let Some(halt) = &fired.report.halt {
            return Err(Ended { reason: ExitReason::Halted, text: halt.reason.to_string() });
        }
        let text = match fired.verdict.decide() {
            Decision::Run => return Ok(fired.subject),
            Decision::Refuse(denial) => denial.reason.to_string(),
            // Nobody can be asked while the answer streams.
            Decision::Answer(_) | Decision::Ask(_) | Decision::Defer(_) => "a hook stopped the stream".to_owned(),
        };
        Err(Ended { reason: ExitReason::AnswerBlocked, text })
    }
}
