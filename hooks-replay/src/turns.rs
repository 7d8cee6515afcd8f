//! Replays recorded turns with the current hooks.

mod answers;
mod handler;
mod runner;
mod comparison;

use std::path::Path;

use handler::TurnHandler;
use hook_sdk::Registry;
use hook_sdk::context::{HookContextBuilder, Ids};
use hook_sdk::scope::{AgentDef, PromptDef};
use hooks_agent::window::Window;

use crate::options::{ReplayOptions, option_methods};
use crate::report::ReplayReport;
use crate::secrets::OwnRule;
use crate::source::{Progress, ReplayError};

/// What to do when a turn diverges from the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Matching {
    /// Stop there, because there are no recorded answers for what follows.
    #[default]
    Strict,
    /// Continue with the recorded answers. What follows is marked as counterfactual, because it was recorded for
    /// another course of the turn.
    Loose,
}

type Agents<'a> = dyn Fn(&Ids) -> (AgentDef, Option<PromptDef>) + Send + Sync + 'a;

/// Replays recorded turns: runs the loop of `hooks-agent` with the current hooks, and with a model, tools and an
/// approver that only return recorded answers. They cannot be replaced:
///
/// ```compile_fail,E0599
/// # use hooks_agent::model::Scripted;
/// # use hook_sdk::prelude::*;
/// # use hooks_replay::TurnReplay;
/// let registry = Registry::empty();
/// TurnReplay::new(&registry, |_| (AgentDef::new("support"), None)).model("main", Scripted::new([]));
/// ```
///
/// Each turn is replayed with the conversation as it was recorded, whatever happened in the replays of earlier turns.
/// If hooks behave differently so that the turn diverges, it [stops or continues](Matching).
///
/// The turn of a sub-agent is replayed as a separate turn. Its caller gets the recorded answer.
///
/// The recording must have been made with [`Recorder::turns`](crate::Recorder::turns). Turns that were cancelled or
/// timed out are not replayed.
pub struct TurnReplay<'a> {
    registry: Registry,
    agents: Box<Agents<'a>>,
    options: ReplayOptions<'a>,
    window: Option<Window>,
    matching: Matching,
}

impl<'a> TurnReplay<'a> {
    /// Creates a replay with the hooks of `registry`. `agents` returns the definitions of the agent and the prompt of a
    /// turn, also for sub-agents.
    pub fn new(registry: &Registry, agents: impl Fn(&Ids) -> (AgentDef, Option<PromptDef>) + Send + Sync + 'a) -> Self {
        Self {
            registry: registry.fork(),
            agents: Box::new(agents),
            options: ReplayOptions::default(),
            window: None,
            matching: Matching::default(),
        }
    }

    /// Sets what to do when a turn diverges. Default: [`Matching::Strict`].
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Self {
        self.matching = matching;
        self
    }

    /// Sets the context window of the recorded harness, if it had one. It contains code, so it is not part of the
    /// recording.
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    option_methods!();

    /// Replays the turns of several recordings in order into one report. A turn can span files.
    ///
    /// # Errors
    /// [`ReplayError`] if a file cannot be read, or the lists of hooks are invalid. Errors in a line or a turn are part
    /// of the report.
    pub async fn files<P: AsRef<Path> + Send>(
        &self,
        paths: impl IntoIterator<Item = P, IntoIter: Send> + Send,
    ) -> Result<ReplayReport, ReplayError> {
        let paths: Vec<_> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut running = TurnHandler::new(self);
        self.options.read(&paths, &mut running).await?;
        Ok(running.end())
    }
}

impl std::fmt::Debug for TurnReplay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnReplay").field("matching", &self.matching).finish_non_exhaustive()
    }
}

impl TurnReplay<'_> {
    /// Checks that `agents` returned the definition of a sub-agent: with the hooks of another agent, its turn would be
    /// different.
    fn knows(&self, ids: &Ids) -> Result<(), String> {
        let asked = ids.agent.as_deref().filter(|_| !ids.agent_path.is_empty());
        match asked.map(|asked| (asked, (self.agents)(ids).0)) {
            Some((asked, agent)) if *agent.name != *asked => {
                let given = &agent.name;
                Err(format!("the sub-agent is `{asked}`, but the definition of `{given}` was returned"))
            }
            _ => Ok(()),
        }
    }
}
