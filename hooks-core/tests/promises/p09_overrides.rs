//! Promise 9 for overrides: all problems of all layers are reported at once, and then nothing is changed.

use std::time::Duration;

#[cfg(feature = "toml")]
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::record::{Skip, Status};
use proptest::prelude::*;

use super::support::*;

fn desk() -> Registry {
    registry([
        writes("redact_pii"),
        writes("trim"),
        waits("slow", 1),
        says("guard", Permission::Allow),
        writes("pinned").locked(),
    ])
}

fn agent() -> AgentDef {
    AgentDef::new("a").hooks(["redact_pii", "trim", "pinned"])
}

/// `… (path/file.rs:12) …` becomes `… (HERE) …`.
#[cfg(feature = "toml")]
fn hide_places(text: &str) -> String {
    let mut parts = text.split('(');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once(')') {
        Some((inside, rest)) if inside.contains(".rs:") => format!("{text}(HERE){rest}"),
        _ => format!("{text}({part}"),
    })
}

#[cfg(feature = "toml")]
#[test]
fn every_mistake_of_every_layer_is_reported_with_line_and_column() {
    const FIRST: &str = r#"[hooks.redact_pi]
enabled = false

[hooks.trim]
enabld = true
timeout = "2s"
priority = "high"
on_failure = "deny"

[hooks.slow]
timeout = "2 s"
priority = 3000000000

[hooks.guard]
on_failure = "remove"

[hooks.pinned]
enabled = false
priority = 1

[hook.trim]
enabled = false
"#;
    let registry = desk();
    registry.set_overrides([Overrides::new("kept").set("trim", Override::new().priority(7))]).unwrap();
    let error = registry
        .set_overrides([
            Overrides::from_toml("ops.toml", FIRST),
            Overrides::from_toml("two.toml", "[hooks.trim]\npriority = = 3"),
            Overrides::new("three").set("slow", Override::new().timeout(Timeout::After(Duration::ZERO))),
        ])
        .unwrap_err();
    let reported: Vec<String> = error.problems().iter().map(|problem| hide_places(&problem.to_string())).collect();
    let mut reported: Vec<&str> = reported.iter().map(String::as_str).collect();
    reported.sort_unstable();
    let mut expected = [
        "ops.toml:1:8: there is no hook `redact_pi` to override; did you mean `redact_pii`?",
        "ops.toml:5:1: unknown field `enabld`; did you mean `enabled`?",
        "ops.toml:6:11: `timeout` of the hook `trim` (HERE) needs an async hook: a plain function cannot be interrupted",
        "ops.toml:7:12: expected a whole number between -2147483648 and 2147483647",
        "ops.toml:8:14: `on_failure` of the hook `trim` (HERE) is `deny`, which `step` does not offer; it offers `continue`, `remove`, `required`",
        "ops.toml:11:11: expected a time, such as \"250ms\", \"2s\", \"1m\", \"2h\" or \"1d\", or \"none\"",
        "ops.toml:12:12: expected a whole number between -2147483648 and 2147483647",
        "ops.toml:15:14: `on_failure` of the hook `guard` (HERE) is `remove`, which `spend` does not offer; it offers `continue`, `deny`, `required`",
        "ops.toml:18:11: the hook `pinned` (HERE) is locked, so `enabled` cannot be overridden; remove `enabled`",
        "ops.toml:19:12: the hook `pinned` (HERE) is locked, so `priority` cannot be overridden; remove `priority`",
        "ops.toml:21:2: unknown table `hook`; did you mean `hooks`?",
        "two.toml:2:12: extra `=`, expected nothing",
        "three: `timeout` of the hook `slow` (HERE) must be longer than zero; for no limit write `Timeout::None`, in a file `\"none\"`",
    ];
    expected.sort_unstable();
    assert_eq!(reported.len(), expected.len(), "{reported:#?}");
    for (reported, expected) in reported.iter().zip(expected) {
        assert!(
            reported == &expected || expected.starts_with("two.toml") && reported.starts_with("two.toml:2:"),
            "{reported}"
        );
    }
    let set = registry.scope(&agent(), None).unwrap().to_string();
    assert!(set.contains("priority 7;") && set.contains("pinned"), "the earlier overrides stay in force: {set}");
}

#[cfg(feature = "toml")]
#[test]
fn the_plan_shows_what_a_file_of_overrides_changed() {
    let text = "[hooks.redact_pii]\nenabled = false\n[hooks.trim]\npriority = -5\non_failure = \"required\"\n[hooks.slow]\ntimeout = \"none\"\n";
    let registry = desk();
    registry.set_overrides([Overrides::from_toml("ops.toml", text)]).unwrap();
    let agent = AgentDef::new("a").hooks(["redact_pii", "pinned", "trim", "slow"]);
    let set = registry.scope(&agent, None).unwrap();
    let shown = set.to_string();
    let found = |part: &str| assert!(shown.contains(part), "{part}: {shown}");
    found(
        "trim                     writes priority -5; on failure required; overridden: priority from 0 by ops.toml, on failure from continue by ops.toml;",
    );
    found("pinned                   writes priority 0; on failure continue; locked;");
    found("no deadline; priority 0; on failure continue; overridden: timeout from 30s by ops.toml;");
    found("redact_pii                 left out: disabled by ops.toml");
    assert!(matches!(set.audit(), [one] if one.kind() == FindingKind::DisabledHook));
    assert!(set.audit()[0].to_string().ends_with("which is disabled by `ops.toml` and skipped"));
}

#[cfg(feature = "toml")]
#[test]
fn a_missing_file_of_overrides_is_a_problem() {
    let error =
        desk().set_overrides([Overrides::from_file("no/such.toml"), Overrides::from_toml("x.toml", "hooks = 3")]);
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("2 problems:\n  1. no/such.toml: cannot be read: "), "{error}");
    assert!(error.ends_with("  2. x.toml:1:9: expected `hooks` to be tables, as in `[hooks.redact_pii]`"), "{error}");
}

#[test]
fn a_hook_that_a_layer_disables_is_skipped_recorded_and_audited() {
    let registry = desk();
    registry.set_overrides([Overrides::new("night").set("trim", Override::new().enabled(false))]).unwrap();
    let set = registry.scope(&agent(), None).unwrap();
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["redact_pii", "pinned"]);
    let statuses = statuses(&fired.report.record.clone().unwrap());
    assert_eq!(statuses.last().unwrap(), &("trim".to_owned(), Status::Skipped(Skip::Disabled)));
    assert!(set.audit()[0].to_string().contains("disabled by `night`"));

    registry.set_overrides([]).unwrap();
    assert!(registry.scope(&agent(), None).unwrap().audit().is_empty(), "earlier overrides are replaced");
}

#[test]
fn no_layer_enables_what_the_app_disabled_and_the_app_may_disable_locked_hooks() {
    let registry = desk();
    for id in ["trim", "pinned"] {
        registry.disable(id).unwrap();
    }
    registry.set_overrides([Overrides::new("night").set("trim", Override::new().enabled(true))]).unwrap();
    let set = registry.scope(&agent(), None).unwrap();
    assert_eq!(set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject.unwrap().0, ["redact_pii"]);
}

#[hook(id = "locked_guard", kind = Spend, locked)]
fn locked_guard() -> Permission {
    Permission::Allow
}

#[test]
fn nothing_of_a_locked_hook_can_be_overridden() {
    let registry = Registry::empty().with(hooks![locked_guard]).unwrap();
    registry.register(says_later("value", 1, Permission::Allow).locked()).unwrap();
    let agent = AgentDef::new("a").hooks(["locked_guard", "value"]);
    let before = registry.scope(&agent, None).unwrap().to_string();
    let tries = [
        Override::new().enabled(false),
        Override::new().enabled(true),
        Override::new().priority(-1),
        Override::new().timeout(Timeout::None),
        Override::new().on_failure(OnFailure::Continue),
    ];
    for id in ["locked_guard", "value"] {
        for change in &tries {
            let error = registry.set_overrides([Overrides::new("sly").set(id, *change)]).unwrap_err();
            assert_eq!(error.problems().len(), 1, "{error}");
            assert!(error.to_string().contains("is locked, so `"), "{error}");
        }
    }
    assert_eq!(registry.scope(&agent, None).unwrap().to_string(), before);
}

#[test]
fn a_replacement_of_a_hook_has_to_fit_its_overrides() {
    let registry = desk();
    let layer = Overrides::new("night").set("slow", Override::new().timeout(Timeout::None).priority(3));
    registry.set_overrides([layer]).unwrap();
    let error = registry.replace(writes("slow")).unwrap_err().to_string();
    assert!(
        error.starts_with("night: `timeout` of the hook `slow` (") && error.contains("a plain function"),
        "{error}"
    );
    let error = registry.replace(waits("slow", 2).locked()).unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    registry.replace(waits("slow", 2)).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["slow"]), None).unwrap().to_string();
    assert!(set.contains("priority 3;"), "{set}");
}

#[test]
fn an_override_can_be_read_with_serde() {
    let table = [
        ("{}", Some(Override::new())),
        (r#"{"enabled": false, "timeout": "none"}"#, Some(Override::new().enabled(false).timeout(Timeout::None))),
        (r#"{"timeout": "250ms"}"#, Some(Override::new().timeout(Timeout::After(Duration::from_millis(250))))),
        (r#"{"timeout": "3s"}"#, Some(Override::new().timeout(Timeout::After(Duration::from_secs(3))))),
        (r#"{"timeout": "2m"}"#, Some(Override::new().timeout(Timeout::After(Duration::from_secs(120))))),
        (r#"{"timeout": "5h"}"#, Some(Override::new().timeout(Timeout::After(Duration::from_secs(18_000))))),
        (r#"{"timeout": "1d"}"#, Some(Override::new().timeout(Timeout::After(Duration::from_secs(86_400))))),
        (r#"{"on_failure": "deny", "priority": -3}"#, Some(Override::new().on_failure(OnFailure::Deny).priority(-3))),
        (r#"{"timeout": "2 s"}"#, None),
        (r#"{"timeout": ""}"#, None),
        (r#"{"timeout": "99999999999999999999m"}"#, None),
        (r#"{"enabld": true}"#, None),
        (r#"{"on_failure": "explode"}"#, None),
    ];
    for (text, expected) in table {
        assert_eq!(serde_json::from_str::<Override>(text).ok(), expected, "{text}");
    }
}

proptest! {
    /// For each field, the last layer that sets it wins.
    #[test]
    fn the_last_layer_that_sets_a_field_wins(
        layers in prop::collection::vec((any::<Option<bool>>(), any::<Option<i32>>(), any::<Option<bool>>()), 0..5),
    ) {
        let registry = desk();
        let policy = |required: bool| if required { OnFailure::Required } else { OnFailure::Remove };
        registry.set_overrides(layers.iter().enumerate().map(|(i, (enabled, priority, required))| {
            let mut change = Override::new();
            change = enabled.map_or(change, |enabled| change.enabled(enabled));
            change = priority.map_or(change, |priority| change.priority(priority));
            change = required.map_or(change, |required| change.on_failure(policy(required)));
            Overrides::new(format!("layer {i}")).set("trim", change)
        })).unwrap();
        let shown = registry.scope(&AgentDef::new("a").hooks(["trim", "redact_pii"]), None).unwrap().to_string();
        let enabled = layers.iter().rev().find_map(|layer| layer.0).unwrap_or(true);
        let priority = layers.iter().rev().find_map(|layer| layer.1).unwrap_or(0);
        let policy = layers.iter().rev().find_map(|layer| layer.2).map_or("continue", |required| policy(required).as_str());
        let expected = format!("trim                     writes priority {priority}; on failure {policy};");
        prop_assert_eq!(shown.contains(&expected), enabled, "{}", shown);
        prop_assert_eq!(shown.contains("left out: disabled by layer"), !enabled, "{}", shown);
    }
}

#[test]
fn an_override_that_says_what_holds_anyway_is_not_in_the_plan() {
    let registry = desk();
    registry.set_overrides([Overrides::new("ops").set("trim", Override::new().enabled(true))]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["trim"]), None).unwrap().to_string();
    assert!(set.contains("trim") && !set.contains("overridden"), "{set}");
}
