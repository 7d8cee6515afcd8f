//! A recording of the desk, and its replay with the hooks of today.

use std::sync::Arc;

use hooks_core::context::HookContextBuilder;
use hooks_replay::{Recorder, Replay, TurnReplay};

use crate::desk::{Desk, DeskError};
use crate::hooks::watch::Metrics;

impl Desk {
    /// Has every dispatch and every turn recorded.
    ///
    /// # Errors
    /// [`DeskError`] where the hooks do not fit together.
    pub fn recorded(mut self, recorder: &Recorder) -> Result<Self, DeskError> {
        self.registry.observe(recorder.clone());
        self.hooks = self.registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))?;
        self.recorder = Some(recorder.clone());
        Ok(self)
    }

    /// A replay of dispatches, each on its own.
    pub fn replay(&self) -> Replay<'_> {
        Replay::new(&self.registry, |registry, _ids| {
            registry.scope(&self.agent, self.prompt.as_ref().map(|prompt| prompt as _))
        })
        .context(state)
    }

    /// A replay of whole turns.
    pub fn turn_replay(&self) -> TurnReplay<'_> {
        TurnReplay::new(&self.registry, |_ids| (self.agent.clone(), self.prompt.clone())).context(state)
    }
}

/// The state of a replay is its own: what it counts is not what the desk did.
fn state(cx: HookContextBuilder) -> HookContextBuilder {
    cx.shared_state(Arc::new(Metrics::default()))
}
