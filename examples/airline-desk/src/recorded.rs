//! Records the desk, and replays recordings with the current hooks.

use std::sync::Arc;

use hook_sdk::context::HookContextBuilder;
use hooks_replay::{Recorder, Replay, TurnReplay};

use crate::desk::{Desk, DeskError};
use crate::hooks::watch::Metrics;

impl Desk {
    /// Records every dispatch and every turn.
    ///
    /// # Errors
    /// [`DeskError`] if the lists of hooks are invalid.
    pub fn recorded(mut self, recorder: &Recorder) -> Result<Self, DeskError> {
        self.registry.observe(recorder.clone());
        self.hooks = self.registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))?;
        self.recorder = Some(recorder.clone());
        Ok(self)
    }

    /// Creates a replay of single dispatches.
    pub fn replay(&self) -> Replay<'_> {
        Replay::new(&self.registry, |registry, _ids| {
            registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))
        })
        .context(state)
    }

    /// Creates a replay of whole turns.
    pub fn turn_replay(&self) -> TurnReplay<'_> {
        TurnReplay::new(&self.registry, |_ids| (self.agent.clone(), self.prompt.clone())).context(state)
    }
}

/// Replays have their own state, so that they do not affect the desk's metrics.
fn state(cx: HookContextBuilder) -> HookContextBuilder {
    cx.shared_state(Arc::new(Metrics::default()))
}
