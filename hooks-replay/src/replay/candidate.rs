//! Hooks that recorded dispatches are fired with: those of today, or those that replace them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use hook_sdk::context::Ids;
use hook_sdk::data::MessagePool;
use hook_sdk::record::{Observer, Record, Trace};
use hook_sdk::{ConfigError, HookContext, HookSet, JsonError, Registry, Semantics};
use serde_json::Value;

use crate::comparer::Comparer;
use crate::line::DispatchLine;
use crate::options::ReplayOptions;

type Scope<'a> = dyn Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a;

/// A registry, and the hooks of it that are in force.
pub(super) struct Candidate<'a> {
    registry: &'a Registry,
    scope: Box<Scope<'a>>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        Self { registry, scope: Box::new(scope) }
    }
}

/// The hook sets of both during a replay.
#[derive(Default)]
pub(super) struct CandidateSets {
    pub(super) today: Sets,
    pub(super) candidate: Sets,
}

/// The cached hook sets, by app, agent and prompt.
#[derive(Default)]
pub(super) struct Sets {
    capture: Capture,
    by_place: HashMap<Place, HookSet>,
    /// The hooks that rewrite or decide, with their kinds.
    pub(super) planned: BTreeMap<String, BTreeSet<&'static str>>,
}

/// The key of a hook set: app, agent and prompt.
type Place = [Option<Arc<str>>; 3];

/// The maximum number of cached sets, because a recording can have an agent per user.
const KEPT: usize = 256;

/// The lines of a fired dispatch.
pub(super) struct FiredLines {
    pub(super) outermost: DispatchLine,
    /// The lines of nested dispatches.
    pub(super) within: Vec<DispatchLine>,
}

impl Sets {
    /// Fires a recorded dispatch with these hooks. The inner error concerns this dispatch only. The returned
    /// lines do not contain the event, which is the recorded one.
    pub(super) async fn fire(
        &mut self,
        candidate: &Candidate<'_>,
        options: &ReplayOptions<'_>,
        comparer: &mut Comparer,
        recorded: &DispatchLine,
    ) -> Result<Result<FiredLines, String>, ConfigError> {
        let set = self.of(candidate, &recorded.ids)?;
        let builder = HookContext::builder().with_ids(recorded.ids.clone()).replay(true);
        let cx = set.context((options.context)(builder).replay(true))?;
        let mut pool = MessagePool::default();
        let mut pooled = |value: &Value| comparer.messages.pooled(value.clone(), &mut pool);
        let (event, subject) = match (pooled(&recorded.event), pooled(&recorded.subject)) {
            (Ok(event), Ok(subject)) => (event, subject),
            (Err(missing), _) | (_, Err(missing)) => return Ok(Err(missing.to_string())),
        };
        let fired = set.fire_json_within(&mut pool, &recorded.kind, &cx, event, subject).await;
        let mut traces = self.capture.take();
        Ok(match (traces.pop(), fired) {
            (Some(mut outermost), Ok(_) | Err(JsonError::Dispatch(_))) => {
                outermost.event = Arc::default();
                let within = traces.into_iter().map(|trace| comparer.line(trace)).collect();
                Ok(FiredLines { within, outermost: comparer.line(outermost) })
            }
            // Without hooks at the kind, the dispatch changes nothing.
            (None, Ok(fired)) => {
                let (kind, subject) = (recorded.kind.clone(), recorded.subject.clone());
                let (runs, verdict) = (Some(Vec::new()), fired.verdict);
                let outermost = DispatchLine { kind, subject, runs, verdict, ..DispatchLine::default() };
                Ok(FiredLines { outermost, within: Vec::new() })
            }
            (_, Err(error)) => Err(error.to_string()),
        })
    }

    fn of(&mut self, candidate: &Candidate<'_>, ids: &Ids) -> Result<HookSet, ConfigError> {
        let place = [ids.app.clone(), ids.agent.clone(), ids.prompt.clone()];
        if let Some(set) = self.by_place.get(&place) {
            return Ok(set.clone());
        }
        let observer = candidate.registry.observe(self.capture.clone());
        let set = (candidate.scope)(candidate.registry, ids);
        candidate.registry.remove_observer(&observer);
        let set = set?;
        if self.by_place.len() >= KEPT {
            self.by_place.clear();
        }
        let kinds = candidate.registry.manifest().kinds.into_iter().map(|entry| entry.kind);
        for kind in kinds.filter(|kind| !matches!(kind.semantics, Semantics::Event | Semantics::Contribute)) {
            for hook in set.plan(kind.name) {
                self.planned.entry(hook.hook().to_string()).or_default().insert(kind.name);
            }
        }
        self.by_place.insert(place, set.clone());
        Ok(set)
    }
}

/// Keeps the dispatches since the last call of [`take`](Self::take).
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Vec<Trace>>>);

impl Capture {
    /// Takes the dispatches. The last one is the outermost.
    fn take(&self) -> Vec<Trace> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Capture {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(trace.clone());
    }
}
