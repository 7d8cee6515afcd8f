//! Recorded turns through the loop, with today's hooks.

mod answers;
mod running;
mod walk;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_agent::inputs::TurnInputs;
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use hooks_agent::window::Window;
use hooks_agent::{Harness, TurnError, TurnRequest};
use hooks_core::context::{HookContextBuilder, Ids};
use hooks_core::record::{Observer, Record, Trace};
use hooks_core::scope::{AgentDef, PromptDef};
use hooks_core::{HookContext, Registry};
use running::RunningTurns;
use walk::Walk;

use crate::line::TurnLine;
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
/// The recording needs [`Recorder::turns`](crate::Recorder::turns). Turns that somebody steered or cancelled, those that went on
/// after they were suspended, and those of agents that another one asked, are not replayed; to who asked them, they answer as
/// they did.
pub struct TurnReplay<'a> {
    registry: Registry,
    agents: Box<Agents<'a>>,
    setup: Setup<'a>,
    window: Option<Window>,
    matching: Matching,
}

impl<'a> TurnReplay<'a> {
    /// A replay with the hooks of `registry`, for the agent and the prompt that a turn had.
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
    /// Runs a turn with what was recorded in the place of the world, and has `follower` walk beside it.
    async fn run(&self, turn: &TurnLine, inputs: TurnInputs, follower: &Follower) -> Result<(), TurnError> {
        let (agent, prompt) = (self.agents)(&turn.ids);
        let registry = self.registry.fork();
        registry.observe(follower.clone());
        let set = registry.scope(&agent, prompt.as_ref()).map_err(TurnError::Hooks)?;
        follower.walk().begins(set.kinds());
        let mut ids = Ids::default();
        ids.app.clone_from(&turn.ids.app);
        ids.workspace.clone_from(&turn.ids.workspace);
        ids.human_present = turn.ids.human_present;
        let cx = (self.setup.context)(HookContext::builder().with_ids(ids).replay(true)).replay(true).build();
        let conversation = turn.ids.conversation.as_deref().unwrap_or_default();
        let store = MemoryStore::new();
        store.append(conversation, Append::new(inputs.stored.iter().cloned())).await?;
        let mut harness = answers::recorded(Harness::builder(registry), &inputs).store(store).context(cx);
        if let Some(window) = &self.window {
            harness = harness.window(window.clone());
        }
        let mut session = harness.build().session(conversation, agent);
        session = session.system_prompt(inputs.system_prompt.as_str()).channel(inputs.channel.as_str());
        if let Some(profile) = &inputs.profile {
            session = session.profile(profile.as_str());
        }
        let session = session.open().await?;
        let request = TurnRequest::from(inputs.prompt.unwrap_or_default()).prompt(prompt);
        let running = session.begin(request);
        let stop = follower.walk().cancellation.clone();
        let cancel = running.cancellation();
        let reply = {
            let mut running = running.into_future();
            tokio::select! {
                biased;
                reply = &mut running => reply,
                () = stop.cancelled() => {
                    cancel.cancel();
                    running.await
                }
            }
        };
        follower.walk().ended((&turn.exit, &turn.reply), (reply.exit.as_ref(), &reply.to_string()));
        Ok(())
    }
}

/// Gives a walk what the loop dispatches.
#[derive(Clone)]
struct Follower(Arc<Mutex<Walk>>);

impl Follower {
    fn of(walk: Walk) -> Self {
        Self(Arc::new(Mutex::new(walk)))
    }

    fn walk(&self) -> MutexGuard<'_, Walk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Follower {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        // What is fired when the session opens is no part of a turn.
        if trace.record.ids.request.is_some() {
            self.walk().traced(trace.clone());
        }
    }
}
