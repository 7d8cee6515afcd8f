//! The driver of a harness, and one occurrence of a kind: what was seen of it.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::record::{Observer, Record, Run, Trace};
use hook_sdk::scope::{AgentDef, AppDef, HookUse};
use hook_sdk::{Hook, HookSet, KindDescriptor, Registry};
use serde_json::Value;

/// A driver for [`check`](crate::check): makes the harness fire a kind on request.
///
/// ```standalone_crate
/// use hook_sdk::data::Role;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hooks_conformance::Drive;
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
/// # async fn main() -> Result<(), hooks_conformance::NotConforming> {
/// hooks_conformance::check(&Store).await
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

/// The id of the hook under test.
pub(crate) const PROBE: &str = "conformance_probe";
const WATCH: &str = "conformance_watch";

/// The names of fields that were filled.
pub(crate) type Filled = BTreeSet<String>;

/// What one call of the driver did.
pub(crate) struct Occurrence {
    /// The result of [`Drive::drive`].
    pub(crate) result: Value,
    /// How often the kind was fired.
    pub(crate) times: usize,
    /// Whether the probe changed or answered something.
    pub(crate) had_effect: bool,
}

/// Drives one occurrence. The fields that it fills are added to `filled`.
pub(crate) async fn drive_once(
    driver: &impl Drive,
    kind: &KindDescriptor,
    probe: Option<Hook>,
    filled: &mut Filled,
) -> Result<Occurrence, String> {
    let (set, watcher) = in_force(driver, kind, probe)?;
    let result = driver.drive(kind.name, &set).await;
    let mut seen = watcher.seen();
    filled.append(&mut seen.filled);
    let result = result.map_err(|error| impossible(kind, &error))?;
    Ok(Occurrence { result, times: seen.times, had_effect: seen.had_effect })
}

/// Drives the other ways in which the kind happens. The fields that they fill are added to `filled`, even after an error.
pub(crate) async fn drive_variants(
    driver: &impl Drive,
    kind: &KindDescriptor,
    filled: &mut Filled,
) -> Result<(), String> {
    let (set, watcher) = in_force(driver, kind, None)?;
    let outcome = driver.drive_variants(kind.name, &set).await;
    filled.append(&mut watcher.seen().filled);
    outcome.map_err(|error| error.to_string())
}

/// Makes a set with a watching hook, the probe, and the hooks that the driver requests.
fn in_force(driver: &impl Drive, kind: &KindDescriptor, probe: Option<Hook>) -> Result<(HookSet, Watcher), String> {
    let registry = Registry::empty();
    let mut list = Vec::new();
    // Without a hook at the kind there would be nothing to observe.
    for hook in kind.watch(WATCH).into_iter().chain(probe).chain(driver.required_hooks(kind.name)) {
        list.push(HookUse::id(hook.id().as_str()));
        registry.register(hook).map_err(|error| impossible(kind, &error))?;
    }
    // The app's list, because it also applies to kinds outside of turns.
    registry.set_app(AppDef::new("conformance").hooks(list));
    let watcher = Watcher { kind: kind.name, seen: Arc::default() };
    registry.observe(watcher.clone());
    let set = registry.scope(&AgentDef::new("conformance"), None).map_err(|error| impossible(kind, &error))?;
    Ok((set, watcher))
}

fn impossible(kind: &KindDescriptor, error: &dyn fmt::Display) -> String {
    format!("the driver could not make `{}` happen: {error}", kind.name)
}

/// Watches the dispatches of one kind.
#[derive(Clone)]
struct Watcher {
    kind: &'static str,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    times: usize,
    had_effect: bool,
    filled: Filled,
}

impl Watcher {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watcher {
    fn dispatched(&self, record: &Record) {
        if record.kind != self.kind {
            return;
        }
        let had_effect = |run: &Run| run.hook.as_str() == PROBE && (run.changed || run.verdict.is_some());
        let mut seen = self.seen();
        seen.times += 1;
        seen.had_effect |= record.runs.iter().any(had_effect) || record.removed;
    }

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        if trace.record.kind != self.kind {
            return;
        }
        if let Value::Object(fields) = trace.pool.whole(Value::clone(&trace.event)) {
            let filled = fields.into_iter().filter(|(_, value)| is_filled(value)).map(|(name, _)| name);
            self.seen().filled.extend(filled);
        }
    }
}

/// Whether a field of an event is filled.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(word) => *word,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        // A duration is also an object.
        Value::Object(fields) => fields.values().any(is_filled),
    }
}
