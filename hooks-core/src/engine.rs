//! The code of a kind, behind its descriptor: plans its hooks, fires it with JSON, and runs its jobs.

mod json;

use std::any::Any;
use std::sync::Arc;

pub use json::{JsonError, JsonFired};

use crate::context::HookContext;
use crate::detached::{Body, DetachedRun, DetachedRuns, Job, Launcher};
use crate::handler::Handler;
use crate::hook::{Binding, Hook};
use crate::kind::{HookKind, KindDescriptor, KindEngine};
use crate::panics::catch;
use crate::plan::{Plan, PlannedHook};

/// The functions that know the type of a kind. They are compiled in the kind's crate.
pub(crate) struct Engine {
    /// Builds the typed plan from its hooks in order.
    pub(crate) build: fn(&[PlannedHook<'_>], &DetachedRuns) -> Box<dyn Any + Send + Sync>,
    /// Builds a run from a background job.
    pub(crate) read_job: fn(&Hook, &Binding, HookContext, &Job) -> Result<DetachedRun, Unreadable>,
    /// Fires the kind with JSON values; `None` if it cannot be serialized.
    fire_json: Option<json::FireJson>,
    /// Builds a hook that sees every occurrence of the kind and does nothing.
    watch: fn(id: &str) -> Hook,
    /// Builds a copy of a hook that fails with this reason.
    pub(crate) failing: fn(&Binding, reason: &Arc<str>) -> Binding,
}

impl Engine {
    const fn of<K: HookKind>() -> Self {
        Self {
            build: |hooks, runs| {
                let launch = |hook: &PlannedHook<'_>, handler: &Handler<K>| Launcher::of(hook, handler, runs);
                Box::new(Plan::<K>::build(hooks, !runs.observers.is_empty(), launch))
            },
            read_job: read_job::<K>,
            fire_json: match K::WIRE {
                Some(_) => Some(json::fire::<K>),
                None => None,
            },
            watch: |id| Hook::at::<K>(id).reader(|_, _, _| ()),
            failing: Binding::failing::<K>,
        }
    }

    /// The engine of the kind at which a hook runs. Every derived kind has one.
    pub(crate) fn of_binding(binding: &Binding) -> Option<&'static Self> {
        binding.engine.downcast_ref()
    }

    /// The engine of a kind that is known by its descriptor only. Inlined, so that the engines of all built-in kinds are
    /// compiled by the crates that need them, and not with this one.
    #[inline]
    fn of_kind(kind: &KindDescriptor) -> Option<&'static Self> {
        macro_rules! engines {
            ($($name:ident => $kind:ty),*) => { [$((stringify!($name), <$kind as KindEngine>::ENGINE)),*] };
        }
        const BUILT_IN: &[(&str, &(dyn Any + Send + Sync))] = &crate::for_each_kind!(engines);
        let built_in = || BUILT_IN.iter().find(|(name, _)| *name == kind.name).map(|(_, engine)| *engine);
        kind.engine.or_else(built_in)?.downcast_ref()
    }
}

impl KindDescriptor {
    /// Returns a hook that runs at every occurrence of the kind and does nothing, so that an observer sees each dispatch
    /// of a kind whose type it does not know. `None` if the kind was not derived.
    #[inline]
    pub fn watch(&self, id: &str) -> Option<Hook> {
        Engine::of_kind(self).map(|engine| (engine.watch)(id))
    }
}

impl<K: HookKind> KindEngine for K {
    const ENGINE: &'static (dyn Any + Send + Sync) = &Engine::of::<K>();
}

/// The part of a job that cannot be read, and why.
pub(crate) type Unreadable = (&'static str, String);

/// Builds a run from a job. Deserializing runs code of the app's types, which may panic.
fn read_job<K: HookKind>(
    hook: &Hook,
    binding: &Binding,
    cx: HookContext,
    job: &Job,
) -> Result<DetachedRun, Unreadable> {
    let (Some(handler), Some(wire)) = (binding.handler::<K>(&hook.id), K::WIRE) else {
        return Err(("kind", "the hook runs at another kind here".to_owned()));
    };
    let wire = wire();
    let with = hook.with().map(|spec| spec.parse(job.with.as_ref())).transpose();
    let hook_cx = hook.context_of_its_own(with.map_err(|error| ("parameters", error))?);
    let body = Body::of(&hook.id, &binding.options, &handler, hook_cx)
        .ok_or_else(|| ("hook", "it is neither detached nor background here".to_owned()))?;
    let event = read("event", || (wire.read_event)(job.event.clone()))?;
    let subject = || read("subject", || (wire.read_subject)(job.subject.clone().unwrap_or_default()));
    let subject = binding.takes_subject.then(subject).transpose()?;
    Ok(body.run(cx, Arc::new(event), subject))
}

fn read<T>(part: &'static str, read: impl FnOnce() -> Result<T, serde_json::Error>) -> Result<T, Unreadable> {
    let why = match catch(read) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => format!("deserializing it panicked: {panic}"),
    };
    Err((part, why))
}
