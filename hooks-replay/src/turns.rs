//! Recorded turns through the loop, with today's hooks.

mod answers;
mod running;
mod stage;
mod walk;

use std::path::Path;

use hooks_agent::window::Window;
use hooks_core::Registry;
use hooks_core::context::{HookContextBuilder, Ids};
use hooks_core::scope::{AgentDef, PromptDef};
use running::RunningTurns;

use crate::report::Report;
use crate::secrets::OwnRule;
use crate::setup::{Setup, setup_methods};
use crate::source::{Progress, ReplayError};

/// What is done where a turn goes another way than the recorded one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Matching {
    /// It stops there: what comes after has no recorded answer.
    #[default]
    Strict,
    /// It goes on with the recorded answers. What follows is marked as counterfactual: nobody was asked that.
    Loose,
}

type Agents<'a> = dyn Fn(&Ids) -> (AgentDef, Option<PromptDef>) + Send + Sync + 'a;

/// Replays recorded turns: the loop of `hooks-agent` with today's hooks, and with a model, tools and a person that can only
/// say what was recorded. There is no way to give it others:
///
/// ```compile_fail,E0599
/// # use hooks_agent::model::Scripted;
/// # use hooks_core::prelude::*;
/// # use hooks_replay::TurnReplay;
/// let registry = Registry::empty();
/// TurnReplay::new(&registry, |_| (AgentDef::new("support"), None)).model("main", Scripted::new([]));
/// ```
///
/// A turn is replayed from the conversation as it was before it, whatever became of the turns before. Where its hooks do
/// something else than they did, so that the turn goes another way, it [stops or goes on](Matching).
///
/// The turn of an agent that another one asked is replayed too, as a turn of its own; to who asked, it answers as it did.
///
/// The recording needs [`Recorder::turns`](crate::Recorder::turns). Turns that were cancelled, or whose time was up, are not
/// replayed.
pub struct TurnReplay<'a> {
    registry: Registry,
    agents: Box<Agents<'a>>,
    setup: Setup<'a>,
    window: Option<Window>,
    matching: Matching,
}

impl<'a> TurnReplay<'a> {
    /// A replay with the hooks of `registry`. `agents` gives the definitions of the agent and the prompt that a turn had, also of
    /// agents that others asked.
    pub fn new(registry: &Registry, agents: impl Fn(&Ids) -> (AgentDef, Option<PromptDef>) + Send + Sync + 'a) -> Self {
        Self {
            registry: registry.fork(),
            agents: Box::new(agents),
            setup: Setup::default(),
            window: None,
            matching: Matching::default(),
        }
    }

    /// What is done where a turn goes another way; it stops where this is not said.
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Self {
        self.matching = matching;
        self
    }

    /// The window of the harness that recorded, where it had one: it is code, which no recording holds.
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    setup_methods!();

    /// Replays the turns of several recordings, which may go on from one file to the next, into one report.
    ///
    /// # Errors
    /// [`ReplayError`]: a file cannot be read, or the hooks of today are not in order. What is wrong with a line or a turn
    /// is in the report.
    pub async fn files<P: AsRef<Path> + Send>(
        &self,
        paths: impl IntoIterator<Item = P, IntoIter: Send> + Send,
    ) -> Result<Report, ReplayError> {
        let paths: Vec<_> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut running = RunningTurns::new(self);
        self.setup.read(&paths, &mut running).await?;
        Ok(running.end())
    }
}

impl std::fmt::Debug for TurnReplay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnReplay").field("matching", &self.matching).finish_non_exhaustive()
    }
}

impl TurnReplay<'_> {
    /// Whether the agent is defined that others asked: with the hooks of another one its turn would be another.
    fn knows(&self, ids: &Ids) -> Result<(), String> {
        let asked = ids.agent.as_deref().filter(|_| !ids.agent_path.is_empty());
        match asked.map(|asked| (asked, (self.agents)(ids).0)) {
            Some((asked, agent)) if *agent.name != *asked => {
                let given = &agent.name;
                Err(format!("of the agent `{asked}`, which another one asked, the definition of `{given}` was given"))
            }
            _ => Ok(()),
        }
    }
}
