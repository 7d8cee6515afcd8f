//! Promise 13: options and constraints that make no sense on a detached or background hook are refused before anything
//! runs.

use hook_sdk::diagnostics::ProblemKind;
use hook_sdk::hook::HookMode;

use super::detached_support::*;
use super::support::*;

#[test]
fn a_background_hook_without_a_queue_is_a_configuration_error() {
    let registry = registry([background("note", |_, _| vec![]), background("off", |_, _| vec![])]);
    registry.disable("off").unwrap();
    let error: ConfigError = registry.scope(&AgentDef::new("a").hooks(["note", "off"]), None).unwrap_err();
    assert!(matches!(error.problems(), [one] if one.kind() == ProblemKind::NoBackground), "{error}");
    assert!(error.to_string().contains("call `Worker::new().start(&registry)`"), "{error}");
    registry.set_background(Lines::default());
    assert!(registry.scope(&AgentDef::new("a").hooks(["note"]), None).is_ok());
}

#[test]
fn no_hook_can_be_ordered_after_a_detached_or_background_hook() {
    let inline = |name: &str| Hook::at::<WindDown>(name).reader::<_, (), _>(|_, _, _| ());
    let detached = |name: &str| Hook::at::<WindDown>(name).detached::<_, (), _>(|_, _, _| later(0, ()));
    let back = |name: &'static str| background(name, |_, _| vec![]);
    let refused = [
        [inline("first").after(["second"]), detached("second")],
        [inline("first").requires(["second"]), back("second")],
        [inline("first"), detached("second").before(["first"])],
        [back("first").after(["second"]), back("second")],
        [detached("first").after(["second"]), detached("second")],
    ];
    for hooks in refused {
        let registry = registry(hooks);
        registry.set_background(Lines::default());
        let error = registry.scope(&AgentDef::new("a").hooks(["first", "second"]), None).unwrap_err();
        assert!(matches!(error.problems(), [one] if one.kind() == ProblemKind::WaitsForDetached), "{error}");
        assert!(error.to_string().contains("so `first` would wait for `second`"), "{error}");
    }
    let allowed = [
        [inline("first"), detached("second").after(["first"])],
        [inline("first"), back("second").requires(["first"])],
        [inline("first").before(["second"]), back("second")],
    ];
    for hooks in allowed {
        let registry = registry(hooks);
        registry.set_background(Lines::default());
        assert!(registry.scope(&AgentDef::new("a").hooks(["second", "first"]), None).is_ok());
    }
}

#[test]
fn options_without_effect_on_a_detached_hook_are_refused_when_it_is_registered() {
    let detached = || Hook::at::<WindDown>("h").detached::<_, (), _>(|_, _, _| later(0, ()));
    let cases = [
        (detached().on_failure(OnFailure::Required), "`on_failure` of the hook `h` has no effect"),
        (detached().mode(HookMode::Shadow), "`mode` of the hook `h` has no effect"),
        (background("h", |_, _| vec![]).mode(HookMode::Shadow), "`mode` of the hook `h` has no effect"),
        (detached().fallback(&detached()), "`fallback` of the hook `h` has no effect"),
        (detached().delay(SOON), "`delay` of the hook `h` needs a background hook"),
        (detached().idempotent().retries(2), "`retries` of the hook `h` needs an idempotent background hook"),
        (background("h", |_, _| vec![]).retries(2), "`retries` of the hook `h` needs an idempotent background hook"),
        (
            Hook::at::<Seen>("h").background::<_, (), _>(|_, _, ()| later(0, ())),
            "`run` of the hook `h` cannot be `background` at `seen`",
        ),
    ];
    for (hook, expected) in cases {
        let error = Registry::empty().register(hook).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
