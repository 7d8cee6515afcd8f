//! The code of a kind behind its descriptor: how its hooks are planned, fired as JSON, and run as jobs.

mod json;
mod read_job;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use json::{JsonError, JsonFired};
pub(crate) use read_job::Unreadable;

use crate::context::HookContext;
use crate::detached::{DetachedRun, DetachedRuns, Job, Launcher};
use crate::handler::Handler;
use crate::hook::{Binding, Hook};
use crate::kind::{HookKind, KindDescriptor};
use crate::plan::{Plan, StepParts};

/// The code that knows the type of a kind. Compiled in the kind's crate.
pub struct Engine {
    /// Makes the typed plan from its parts in their order.
    pub(crate) build: fn(&[StepParts<'_>], &DetachedRuns) -> Box<dyn Any + Send + Sync>,
    /// Makes a run of a background job.
    pub(crate) read_job: fn(&Hook, &Binding, HookContext, &Job) -> Result<DetachedRun, Unreadable>,
    /// Fires it with JSON values, where it can be written so.
    fire_json: Option<json::FireJson>,
    /// Makes a hook that sees every occurrence and does nothing.
    pub(crate) watch: fn(id: &str) -> Hook,
    /// Makes of a hook one that fails with this reason.
    pub(crate) failing: fn(&Binding, reason: &Arc<str>) -> Binding,
}

impl Engine {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<K: HookKind>() -> Self {
        Self {
            build: |parts, runs| {
                Box::new(Plan::<K>::build(parts, |part, handler: &Handler<K>| Launcher::of(part, handler, runs)))
            },
            read_job: read_job::read_job::<K>,
            fire_json: match K::WIRE {
                Some(_) => Some(json::fire::<K>),
                None => None,
            },
            watch: |id| Hook::at::<K>(id).reader(|_, _, _| ()),
            failing: Binding::failing::<K>,
        }
    }

    /// The engine of a kind; every derived kind has one.
    pub(crate) fn of_kind(kind: &KindDescriptor) -> Option<&'static Self> {
        kind.engine.downcast_ref()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}
