//! Making a run of a job.

use std::sync::Arc;

use crate::context::{HookContext, PerHook};
use crate::detached::{Body, DetachedRun, Job};
use crate::hook::{Binding, Hook};
use crate::kind::HookKind;
use crate::panics::catch;

/// What a job asks for that cannot be read, and why.
pub(crate) type Unreadable = (&'static str, String);

/// Makes a run of a job. The values are the app's types, and so is the code that reads them.
pub(super) fn read_job<K: HookKind>(
    hook: &Hook,
    binding: &Binding,
    cx: HookContext,
    job: &Job,
) -> Result<DetachedRun, Unreadable> {
    let (Some(handler), Some(wire)) = (binding.handler::<K>(), K::WIRE) else {
        return Err(("kind", "it is another one here".to_owned()));
    };
    let wire = wire();
    let with =
        hook.with.map(|spec| spec.parse(job.with.as_ref())).transpose().map_err(|error| ("parameters", error))?;
    let plugin = hook.plugin.clone().filter(|_| hook.asks_context);
    let own = (with.is_some() || plugin.is_some()).then(|| Arc::new(PerHook { with, plugin }));
    let body = Body::of(hook, handler, own).ok_or(("hook", "a dispatch waits for it here".to_owned()))?;
    let event = read("event", || (wire.read_event)(job.event.clone()))?;
    let subject = || read("subject", || (wire.read_subject)(job.subject.clone().unwrap_or_default()));
    let subject = binding.takes_subject.then(subject).transpose()?;
    Ok(body.run(cx, Arc::new(event), subject))
}

fn read<T>(part: &'static str, read: impl FnOnce() -> Result<T, serde_json::Error>) -> Result<T, Unreadable> {
    match catch(read) {
        Ok(value) => value.map_err(|error| (part, error.to_string())),
        Err(panic) => Err((part, format!("reading it panicked: {panic}"))),
    }
}
