//! Checks a harness against its declaration with `fires![…]`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::breach::NotConforming;
use super::probes;
use crate::engine::Engine;
use crate::fires::Fires;
use crate::hook::Hook;
use crate::id::HookId;
use crate::plan::HookSet;
use crate::record::{Observer, Record, Run, Trace};
use crate::registry::Registry;
use crate::scope::{AgentDef, AppDef, HookUse};
use crate::verdict::Semantics;

/// A driver for [`conformance`]: makes the harness fire a kind on request.
///
/// ```standalone_crate
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hook_sdk::testing::{self, Drive};
///
/// hook_sdk::fires![BeforeCreateMessage];
///
/// /// A harness that stores messages, and nothing else.
/// struct Store;
///
/// impl Store {
///     fn put(&self, hooks: &HookSet, text: &str) -> Result<String, DispatchError> {
///         let row = Message::new(Role::User, text);
///         let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row)?;
///         // A hook that halts ends what is under way.
///         if let Some(halt) = &fired.report.halt {
///             return Ok(format!("stopped: {}", halt.reason));
///         }
///         Ok(fired.subject.text().to_string())
///     }
/// }
///
/// impl Drive for Store {
///     async fn drive(
///         &self,
///         kind: &str,
///         hooks: &HookSet,
///     ) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
///         match kind {
///             "before_create_message" => Ok(self.put(hooks, "hello")?.into()),
///             other => Err(format!("the store does not know {other}").into()),
///         }
///     }
///
///     fn probe(&self, id: &str, _kind: &str) -> Option<Hook> {
///         Some(Hook::at::<BeforeCreateMessage>(id).writer(|_, _, row| {
///             row.rewrite_text(|_| Some("probed".to_owned()));
///         }))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), testing::NotConforming> {
/// testing::conformance(&Store).await
/// # }
/// ```
pub trait Drive {
    /// Makes exactly one occurrence of `kind` happen with `hooks` in force, and returns its observable result: the
    /// stored row, whether the tool ran, what was sent to the model. It must do the same each time.
    fn drive(
        &self,
        kind: &str,
        hooks: &HookSet,
    ) -> impl Future<Output = Result<Value, Box<dyn Error + Send + Sync>>> + Send;

    /// Returns a hook at `kind` with this id that changes, denies or contributes something that is visible in the
    /// result of [`drive`](Self::drive). Not called for kinds whose hooks only observe.
    fn probe(&self, id: &str, kind: &str) -> Option<Hook>;

    /// Makes the kind happen in other ways, to fill the fields of its event that are empty in [`drive`](Self::drive).
    /// The default does nothing.
    fn drive_variants(
        &self,
        _kind: &str,
        _hooks: &HookSet,
    ) -> impl Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send {
        std::future::ready(Ok(()))
    }

    /// Returns hooks that must be in force for `kind` to happen at all, for example a gate that asks if the kind
    /// follows a question.
    fn required_hooks(&self, _kind: &str) -> Vec<Hook> {
        Vec::new()
    }
}

/// Checks that each kind that the program declares with [`fires!`](crate::fires) fires once per occurrence, and that
/// its outcome is used: with a probe in force, the result of [`Drive::drive`] must differ. At the built-in kinds of a
/// turn, it also tries everything that a hook can return there: it halts, denies, asks, rewrites, adds a context, or is
/// required and fails. Each field of the event must be filled in at least one occurrence of [`Drive::drive`] or
/// [`Drive::drive_variants`], unless the declaration says [`never`](crate::fires).
///
/// # Errors
/// All breaches at once.
pub async fn conformance(driver: &impl Drive) -> Result<(), NotConforming> {
    let declared = Fires::declared();
    let mut breaches = Vec::new();
    if declared.is_empty() {
        let text = "nothing is declared: write `hook_sdk::fires![BeforeToolCall, …];` next to the code that fires";
        breaches.push(text.to_owned());
    }
    for fires in &declared {
        let mut filled = BTreeSet::new();
        match check(driver, fires, &mut filled).await {
            Ok(plain) => {
                breaches.extend(own_probes(driver, fires, &plain, &mut filled).await);
                breaches.extend(unfilled(driver, fires, filled).await);
            }
            Err(breach) => breaches.push(breach),
        }
    }
    NotConforming::unless_empty(breaches)
}

/// Returns the result of an occurrence without a probe, or the breach of the kind.
async fn check(driver: &impl Drive, fires: &Fires, filled: &mut Filled) -> Result<Value, String> {
    let (kind, origin, semantics) = (fires.kind().name, fires.origin, fires.kind().semantics);
    let (plain, times, _) = occurrence(driver, fires, None, filled).await?;
    match times {
        0 => {
            return Err(format!(
                "`{kind}` is declared at {origin}, but `drive` did not fire it: fire it on the hook set that the driver receives, or remove it from `fires![…]`"
            ));
        }
        1 => {}
        times => {
            return Err(format!(
                "`{kind}`, declared at {origin}, was fired {times} times by one occurrence, so its hooks act {times} times; fire it once per occurrence, or let `Drive::drive` cause only one"
            ));
        }
    }
    if semantics == Semantics::Event {
        return Ok(plain);
    }
    let is_asked_for = |probe: &Hook| probe.id.as_str() == PROBE && probe.kinds().any(|name| name == kind);
    let probe = driver.probe(PROBE, kind).filter(is_asked_for).ok_or_else(|| {
        format!(
            "the driver has no probe for `{kind}` ({semantics}): return a hook of that kind from `Drive::probe`, with the given id, that changes, denies or contributes something"
        )
    })?;
    let (probed, _, effect) = occurrence(driver, fires, Some(probe), filled).await?;
    if !effect {
        return Err(format!(
            "the driver's probe for `{kind}` neither changed, denied nor contributed anything, so its effect cannot be checked"
        ));
    }
    if plain == probed {
        return Err(format!(
            "`{kind}`, declared at {origin}, is fired, but its result is not used: `Drive::drive` returns the same value with and without a hook that denies or changes something; continue with `fired.subject` and `fired.verdict`"
        ));
    }
    Ok(plain)
}

/// Tries everything that a hook at a built-in kind can return, and reports what makes no difference. An error of the
/// harness counts as a difference.
async fn own_probes(driver: &impl Drive, fires: &Fires, plain: &Value, filled: &mut Filled) -> Vec<String> {
    let (kind, origin) = (fires.kind().name, fires.origin);
    let mut breaches = Vec::new();
    for (probe, hook) in probes::of_kind(fires.kind(), PROBE) {
        match occurrence(driver, fires, Some(hook), filled).await {
            Ok((probed, ..)) if probed == *plain => breaches.push(format!(
                "`{kind}`, declared at {origin}, is fired, but `drive` returns the same result when a hook {probe}; act on `fired.verdict` (`Permission::decide`), `fired.subject`, `fired.report.halt` and an error of the dispatch, or make it visible in the result of `Drive::drive`"
            )),
            _ => {}
        }
    }
    breaches
}

/// Reports the fields of the event that were never filled although no declaration says so, and those that were filled
/// although one says never.
async fn unfilled(driver: &impl Drive, fires: &Fires, mut filled: Filled) -> Vec<String> {
    let (kind, origin) = (fires.kind().name, fires.origin);
    if !fires.kind().json {
        return Vec::new();
    }
    let made = match force(driver, fires, None) {
        Ok((set, seen)) => {
            let made = driver.drive_variants(kind, &set).await.map_err(|error| error.to_string());
            filled.extend(seen.lock().unwrap_or_else(PoisonError::into_inner).filled.iter().cloned());
            made
        }
        Err(error) => Err(error),
    };
    if let Err(error) = made {
        return vec![format!("the driver could not make `{kind}` happen in other ways: {error}")];
    }
    let breach = |field: &&str| match (filled.contains(*field), Fires::never_fills(fires.kind(), field)) {
        (false, false) => Some(format!(
            "the field `{field}` of `{kind}`, declared at {origin}, was never filled: fill it, fire the kind with the field in `Drive::drive_variants`, or write `{kind} [never {field}]` in `fires![…]`"
        )),
        (true, true) => Some(format!(
            "the field `{field}` of `{kind}` is filled, but the declaration at {origin} says that it never is; remove it from `[never …]`"
        )),
        _ => None,
    };
    fires.kind().event_fields.iter().filter_map(breach).collect()
}

/// The names of fields that were filled.
type Filled = BTreeSet<String>;

/// Whether a field of an event is filled.
fn holds(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(word) => *word,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        // A duration is also an object.
        Value::Object(fields) => fields.values().any(holds),
    }
}

const WATCH: &str = "conformance_watch";
const PROBE: &str = "conformance_probe";

/// Drives one occurrence. Returns its result, how often the kind was fired, and whether the probe had an effect.
async fn occurrence(
    driver: &impl Drive,
    fires: &Fires,
    probe: Option<Hook>,
    filled: &mut Filled,
) -> Result<(Value, usize, bool), String> {
    let kind = fires.kind().name;
    let (set, seen) = force(driver, fires, probe)?;
    let outcome = driver.drive(kind, &set).await;
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    filled.append(&mut seen.filled);
    let outcome = outcome.map_err(|error| format!("the driver could not make `{kind}` happen: {error}"))?;
    Ok((outcome, seen.times, seen.effect))
}

/// Makes a set with a watching hook, the probe, and the hooks that the driver requests.
fn force(driver: &impl Drive, fires: &Fires, probe: Option<Hook>) -> Result<(HookSet, Arc<Mutex<Seen>>), String> {
    let kind = fires.kind().name;
    let failed = |error: &dyn fmt::Display| format!("the driver could not make `{kind}` happen: {error}");
    let registry = Registry::empty();
    let mut list = Vec::new();
    let watch = Engine::of_kind(fires.kind()).map(|engine| (engine.watch)(WATCH));
    for hook in watch.into_iter().chain(probe).chain(driver.required_hooks(kind)) {
        list.push(HookUse::id(hook.id.as_str()));
        registry.register(hook).map_err(|error| failed(&error))?;
    }
    // The app's list, because it also applies to kinds outside of turns.
    registry.set_app(AppDef::new("conformance").hooks(list));
    let seen: Arc<Mutex<Seen>> = Arc::default();
    registry.observe(Watcher { kind, seen: Arc::clone(&seen) });
    let set = registry.scope(&AgentDef::new("conformance"), None).map_err(|error| failed(&error))?;
    Ok((set, seen))
}

/// Records what was fired.
struct Watcher {
    kind: &'static str,
    seen: Arc<Mutex<Seen>>,
}

impl Observer for Watcher {
    fn dispatched(&self, record: &Record) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).add(self.kind, record);
    }

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        if trace.record.kind != self.kind {
            return;
        }
        if let Value::Object(fields) = trace.pool.whole(Value::clone(&trace.event)) {
            let filled = fields.iter().filter(|(_, value)| holds(value)).map(|(name, _)| name.clone());
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).filled.extend(filled);
        }
    }
}

#[derive(Default)]
struct Seen {
    times: usize,
    effect: bool,
    filled: Filled,
}

impl Seen {
    fn add(&mut self, kind: &str, record: &Record) {
        if record.kind != kind {
            return;
        }
        self.times += 1;
        let is_probe = |hook: &HookId| hook.as_str() == PROBE;
        let had_effect = |run: &Run| is_probe(&run.hook) && (run.changed || run.verdict.is_some());
        self.effect |= record.runs.iter().any(had_effect) || record.removed;
    }
}
