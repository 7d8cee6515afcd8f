//! Runs recorded turns: the loop with the current hooks, and recorded answers for everything external.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::context::Ids;
use hook_sdk::record::{Observer, Record, Trace};
use hook_sdk::scope::{AgentDef, PromptDef};
use hook_sdk::{HookContext, HookSet, Registry};
use hooks_agent::inputs::{AskerInput, TurnInputs};
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use hooks_agent::{Harness, TurnError, TurnRequest};

use super::comparison::TurnComparison;
use super::{TurnReplay, answers};
use crate::line::TurnLine;

/// The state that the turns of a replay share.
pub(super) struct TurnRunner<'r, 'a> {
    replay: &'r TurnReplay<'a>,
    registry: Registry,
    observer: TraceObserver,
    /// The cached hook sets, by app, agent and prompt.
    sets: HashMap<[Option<Arc<str>>; 3], HookSet>,
    /// The harness of the last turn, whose cache of hook sets the next one reuses.
    harness: Option<Harness>,
}

impl<'r, 'a> TurnRunner<'r, 'a> {
    pub(super) fn new(replay: &'r TurnReplay<'a>) -> Self {
        let (registry, observer) = (replay.registry.fork(), TraceObserver::default());
        registry.observe(observer.clone());
        Self { replay, registry, observer, sets: HashMap::new(), harness: None }
    }

    /// Runs a turn, which `comparison` observes. The comparison is also returned if the turn could not be run.
    pub(super) async fn run(
        &mut self,
        turn: &TurnLine,
        inputs: TurnInputs,
        comparison: TurnComparison,
    ) -> (TurnComparison, Result<(), TurnError>) {
        *self.observer.comparison() = comparison;
        let done = self.turn(turn, inputs).await;
        (std::mem::take(&mut *self.observer.comparison()), done)
    }

    async fn turn(&mut self, turn: &TurnLine, inputs: TurnInputs) -> Result<(), TurnError> {
        let (agent, prompt) = (self.replay.agents)(&turn.ids);
        let set = self.set(&turn.ids, &agent, prompt.as_ref())?;
        self.observer.comparison().begins(set.kinds());
        let conversation = turn.ids.conversation.as_deref().unwrap_or_default();
        let store = MemoryStore::new();
        store.append(conversation, Append::new(inputs.stored.iter().cloned())).await?;
        let mut session = self.harness(turn, &inputs, store)?.session(conversation, agent);
        session = session.system_prompt(inputs.system_prompt.as_str()).channel(inputs.channel.as_str());
        session = session.dynamic_ui(inputs.dynamic_ui);
        if let Some(profile) = &inputs.profile {
            session = session.profile(profile.as_str());
        }
        if !turn.ids.agent_path.is_empty() {
            let gated_by = inputs.gated_by.iter().map(|asker| self.asker(&turn.ids, asker)).collect();
            session = session.asked_by(turn.ids.agent_path.clone(), gated_by);
        }
        let session = session.open().await?;
        let running = session.begin(TurnRequest::again(&inputs).prompt(prompt));
        let stop = self.observer.comparison().cancellation.clone();
        let cancel = running.cancellation();
        let reply = {
            let mut running = running.into_future();
            match stop.run_until_cancelled(&mut running).await {
                Some(reply) => reply,
                None => {
                    cancel.cancel();
                    running.await
                }
            }
        };
        self.observer.comparison().ended((&turn.exit, &turn.reply), (reply.exit.as_ref(), &reply.to_string()));
        Ok(())
    }

    fn set(&mut self, ids: &Ids, agent: &AgentDef, prompt: Option<&PromptDef>) -> Result<HookSet, TurnError> {
        let place = [ids.app.clone(), ids.agent.clone(), ids.prompt.clone()];
        if let Some(set) = self.sets.get(&place) {
            return Ok(set.clone());
        }
        let set = self.registry.scope(agent, prompt).map_err(TurnError::Hooks)?;
        self.sets.insert(place, set.clone());
        Ok(set)
    }

    /// The definition of a caller, whose gates apply too.
    fn asker(&self, ids: &Ids, asker: &AskerInput) -> (AgentDef, Option<PromptDef>) {
        let mut of_asker = Ids::default();
        of_asker.app.clone_from(&ids.app);
        of_asker.agent = Some(asker.agent.as_str().into());
        of_asker.prompt = asker.prompt.as_deref().map(Into::into);
        (self.replay.agents)(&of_asker)
    }

    fn harness(&mut self, turn: &TurnLine, inputs: &TurnInputs, store: MemoryStore) -> Result<&Harness, TurnError> {
        let mut ids = Ids::default();
        ids.app.clone_from(&turn.ids.app);
        ids.workspace.clone_from(&turn.ids.workspace);
        ids.human_present = turn.ids.human_present;
        let builder = HookContext::builder().with_ids(ids).replay(true);
        let cx = (self.replay.options.context)(builder).replay(true).build();
        let builder = Harness::builder(self.registry.clone());
        let mut harness = answers::recorded(builder, inputs).store(store).context(cx);
        if let Some(window) = &self.replay.window {
            harness = harness.window(window.clone());
        }
        if let Some(last) = &self.harness {
            harness = harness.sets_of(last);
        }
        // The tools are those of the recording, so a filter that matches none of them may be right.
        let harness = harness.unchecked("a recording has a part of the program").build()?;
        Ok(self.harness.insert(harness))
    }
}

/// Passes the dispatches of the loop to a comparison.
#[derive(Clone, Default)]
struct TraceObserver(Arc<Mutex<TurnComparison>>);

impl TraceObserver {
    fn comparison(&self) -> MutexGuard<'_, TurnComparison> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for TraceObserver {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        // Dispatches at the start of the session do not belong to a turn.
        if trace.record.ids.request.is_some() {
            self.comparison().traced(trace.clone());
        }
    }
}
