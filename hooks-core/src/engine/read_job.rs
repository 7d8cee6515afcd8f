//! Builds a run from a job.

use std::sync::Arc;

use crate::context::{HookContext, PerHook};
use crate::detached::{Body, DetachedRun, Job};
use crate::hook::{Binding, Hook};
use crate::kind::HookKind;
use crate::panics::catch;

/// The part of a job that cannot be read, and why.
pub(crate) type Unreadable = (&'static str, String);

/// Builds a run from a job. Deserializing runs code of the app's types, which may panic.
pub(super) fn read_job<K: HookKind>(
    hook: &Hook,
    binding: &Binding,
    cx: HookContext,
    job: &Job,
) -> Result<DetachedRun, Unreadable> {
    let (Some(handler), Some(wire)) = (binding.handler::<K>(&hook.id), K::WIRE) else {
        return Err(("kind", "the hook runs at another kind here".to_owned()));
    };
    let wire = wire();
    let body = Body::of(&hook.id, &binding.options, &handler, hook_cx(hook, job)?)
        .ok_or_else(|| ("hook", "it is neither detached nor background here".to_owned()))?;
    let event = read("event", || (wire.read_event)(job.event.clone()))?;
    let subject = || read("subject", || (wire.read_subject)(job.subject.clone().unwrap_or_default()));
    let subject = binding.takes_subject.then(subject).transpose()?;
    Ok(body.run(cx, Arc::new(event), subject))
}

/// The part of the context that is only for the hook.
fn hook_cx(hook: &Hook, job: &Job) -> Result<Option<Arc<PerHook>>, Unreadable> {
    let with =
        hook.with().map(|spec| spec.parse(job.with.as_ref())).transpose().map_err(|error| ("parameters", error))?;
    Ok(hook.context_of_its_own(with))
}

fn read<T>(part: &'static str, read: impl FnOnce() -> Result<T, serde_json::Error>) -> Result<T, Unreadable> {
    let why = match catch(read) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => format!("deserializing it panicked: {panic}"),
    };
    Err((part, why))
}
