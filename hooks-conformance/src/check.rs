//! The sentences of the test: what it checks, and the breach that it reports.

use std::fmt;

use hook_sdk::hook::Origin;
use hook_sdk::manifest::KindManifest;
use hook_sdk::{Hook, KindDescriptor, Registry, Semantics};
use serde_json::Value;

use crate::drive::{Drive, Filled, PROBE, drive_once, drive_variants};
use crate::probes;

/// Checks that each kind that the program declares with [`fires!`](hook_sdk::fires) fires once per occurrence, and that
/// its outcome is used: with a probe in force, the result of [`Drive::drive`] must differ. At the built-in kinds of a
/// turn, it also tries everything that a hook can return there: it halts, denies, asks, rewrites, adds a context, or is
/// required and fails. Each field of the event must be filled in at least one occurrence of [`Drive::drive`] or
/// [`Drive::drive_variants`], unless the declaration says [`never`](hook_sdk::fires).
///
/// # Errors
/// All breaches at once.
pub async fn check(driver: &impl Drive) -> Result<(), NotConforming> {
    let mut breaches = Vec::new();
    let declared: Vec<Declaration> =
        Registry::empty().manifest().kinds.into_iter().filter_map(Declaration::of).collect();
    if declared.is_empty() {
        let text = "nothing is declared: write `hook_sdk::fires![BeforeToolCall, …];` next to the code that fires";
        breaches.push(text.to_owned());
    }
    for declared in declared {
        let mut filled = Filled::new();
        match is_fired_and_used(driver, &declared, &mut filled).await {
            Ok(plain) => {
                breaches.extend(ignored_answers(driver, &declared, &plain, &mut filled).await);
                breaches.extend(wrongly_filled(driver, &declared, filled).await);
            }
            Err(breach) => breaches.push(breach),
        }
    }
    NotConforming::unless_empty(breaches)
}

/// A kind that the program declares with `fires!`.
struct Declaration {
    kind: &'static KindDescriptor,
    origin: Origin,
    never_filled: Vec<&'static str>,
    by_step: bool,
}

impl Declaration {
    fn of(kind: KindManifest) -> Option<Self> {
        Some(Self { kind: kind.kind, origin: kind.fired_at?, never_filled: kind.never_filled, by_step: kind.by_step })
    }
}

/// Checks that an occurrence fires the kind once, and that the driver's probe makes a difference. Returns the result of
/// an occurrence without a probe.
async fn is_fired_and_used(driver: &impl Drive, declared: &Declaration, filled: &mut Filled) -> Result<Value, String> {
    let (kind, origin, semantics) = (declared.kind.name, declared.origin, declared.kind.semantics);
    let plain = drive_once(driver, declared.kind, None, filled).await?;
    match plain.times {
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
        return Ok(plain.result);
    }
    let is_asked_for = |probe: &Hook| probe.id().as_str() == PROBE && probe.kinds().any(|name| name == kind);
    let probe = driver.probe(PROBE, kind).filter(is_asked_for).ok_or_else(|| {
        format!(
            "the driver has no probe for `{kind}` ({semantics}): return a hook of that kind from `Drive::probe`, with the given id, that changes, denies or contributes something"
        )
    })?;
    let probed = drive_once(driver, declared.kind, Some(probe), filled).await?;
    if !probed.had_effect {
        return Err(format!(
            "the driver's probe for `{kind}` neither changed, denied nor contributed anything, so its effect cannot be checked"
        ));
    }
    if plain.result == probed.result {
        return Err(format!(
            "`{kind}`, declared at {origin}, is fired, but its result is not used: `Drive::drive` returns the same value with and without a hook that denies or changes something; continue with `fired.subject` and `fired.verdict`"
        ));
    }
    Ok(plain.result)
}

/// Tries everything that a hook at a built-in kind can return, and reports what makes no difference. An error of the
/// harness counts as a difference.
async fn ignored_answers(
    driver: &impl Drive,
    declared: &Declaration,
    plain: &Value,
    filled: &mut Filled,
) -> Vec<String> {
    let (kind, origin) = (declared.kind.name, declared.origin);
    let mut breaches = Vec::new();
    for (answer, probe) in probes::of_kind(declared.kind, PROBE) {
        match drive_once(driver, declared.kind, Some(probe), filled).await {
            Ok(probed) if probed.result == *plain => breaches.push(format!(
                "`{kind}`, declared at {origin}, is fired, but `drive` returns the same result when a hook {answer}; act on `fired.verdict` (`Permission::decide`), `fired.subject`, `fired.report.halt` and an error of the dispatch, or make it visible in the result of `Drive::drive`"
            )),
            _ => {}
        }
    }
    breaches
}

/// Reports the fields of the event that were never filled although no declaration says so, and those that were filled
/// although one says never.
async fn wrongly_filled(driver: &impl Drive, declared: &Declaration, mut filled: Filled) -> Vec<String> {
    let (kind, origin) = (declared.kind.name, declared.origin);
    if !declared.kind.json || declared.by_step {
        return Vec::new();
    }
    if let Err(error) = drive_variants(driver, declared.kind, &mut filled).await {
        return vec![format!("the driver could not make `{kind}` happen in other ways: {error}")];
    }
    let breach = |field: &&str| match (filled.contains(*field), declared.never_filled.contains(field)) {
        (false, false) => Some(format!(
            "the field `{field}` of `{kind}`, declared at {origin}, was never filled: fill it, fire the kind with the field in `Drive::drive_variants`, or write `{kind} [never {field}]` in `fires![…]`"
        )),
        (true, true) => Some(format!(
            "the field `{field}` of `{kind}` is filled, but the declaration at {origin} says that it never is; remove it from `[never …]`"
        )),
        _ => None,
    };
    declared.kind.event_fields.iter().filter_map(breach).collect()
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use hook_sdk::HookSet;

    use super::*;

    struct Idle;

    impl Drive for Idle {
        async fn drive(&self, _kind: &str, _hooks: &HookSet) -> Result<Value, Box<dyn Error + Send + Sync>> {
            Ok(Value::Null)
        }

        fn probe(&self, _id: &str, _kind: &str) -> Option<Hook> {
            None
        }
    }

    /// This binary has no `fires!`.
    #[tokio::test]
    async fn a_program_that_declares_nothing_does_not_conform() {
        let error = check(&Idle).await.map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("nothing is declared: write `hook_sdk::fires![")));
    }
}

/// A harness does not conform to its declaration. Returned by [`check`](crate::check).
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub struct NotConforming {
    breaches: Vec<String>,
}

impl NotConforming {
    /// The descriptions of all breaches, ordered by kind.
    pub fn breaches(&self) -> &[String] {
        &self.breaches
    }

    pub(crate) fn unless_empty(breaches: Vec<String>) -> Result<(), Self> {
        if breaches.is_empty() { Ok(()) } else { Err(Self { breaches }) }
    }
}

impl fmt::Display for NotConforming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the harness does not conform to its declaration:")?;
        self.breaches.iter().try_for_each(|breach| write!(f, "\n  - {breach}"))
    }
}

impl fmt::Debug for NotConforming {
    /// Prints the message, because a test that returns the error or unwraps it uses `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
