//! Promise 2: every option of a hook is shown in the plan and in the manifest.

use std::time::Duration;

use hook_sdk::hook::{Hold, HookMode, OnReplay, Options};
use hook_sdk::verdict::Capability;

use super::detached_support::{Lines, background};
use super::support::*;

/// A hook of a stage that contributes, to which the options are added.
fn contributes() -> Hook {
    Hook::at::<PrePromptContext>("other").async_reader(|_, _, ()| Box::pin(async {}))
}

/// An option, a hook that sets it, what the plan shows, and where the manifest shows it.
fn rows() -> Vec<(&'static str, Hook, &'static str, &'static str)> {
    let later = || background("other", |_, _| vec![]);
    vec![
        ("priority", writes("other").priority(7), "priority 7;", "/at/0/priority"),
        ("after", writes("other").after(["plain"]), "after plain;", "/at/0/after"),
        ("before", writes("other").before(["plain"]), "before plain;", "/at/0/before"),
        ("requires", writes("other").requires(["plain"]), "requires plain;", "/at/0/requires"),
        ("timeout", waits("other", 0).timeout(Duration::from_secs(7)), "within 7s;", "/at/0/timeout_ms"),
        ("on_failure", writes("other").on_failure(OnFailure::Required), "on failure required;", "/at/0/on_failure"),
        (
            "visibility",
            writes("other").visibility(Visibility::UserVisible),
            "visibility user_visible;",
            "/at/0/visibility",
        ),
        ("capabilities", contributes().capabilities([Capability::Audit]), "contributes audit;", "/at/0/capabilities"),
        ("run", later(), "background,", "/at/0/run"),
        ("blocking", Hook::at::<SeenHere>("other").blocking().reader(|_, _, ()| ()), "blocking,", "/at/0/blocking"),
        ("idempotent", writes("other").idempotent(), "idempotent,", "/at/0/idempotent"),
        ("retries", later().idempotent().retries(7), "7 retries,", "/at/0/retries"),
        ("delay", later().delay(Duration::from_secs(7)), "after 7s,", "/at/0/delay"),
        (
            "hold",
            writes("other").hold(Hold::from(7).and(Hold::SENTENCE)),
            "holds back 7 characters and a sentence;",
            "/at/0/hold",
        ),
        ("mode", writes("other").mode(HookMode::Shadow), "in shadow;", "/at/0/mode"),
        ("on_replay", writes("other").on_replay(OnReplay::Skip), "not in a replay;", "/at/0/on_replay"),
    ]
}

/// An event that can be cloned.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "seen_here")]
struct SeenHere {}

#[test]
fn the_plan_and_the_manifest_show_every_option() {
    let plain = registry([writes("plain"), waits("waits", 0), contributes()]).manifest();
    let plain = serde_json::to_value(plain).unwrap();
    let unset = |pointer: &str| plain["hooks"].as_array().unwrap().iter().map(|hook| hook.pointer(pointer)).collect();
    for (option, hook, shown, pointer) in rows() {
        let registry = registry([writes("plain"), hook]);
        registry.set_background(Lines::default());
        let agent = AgentDef::new("a").hooks(["plain", "other"]);
        let shown_plan = registry.scope(&agent, None).unwrap().to_string();
        let line = shown_plan.lines().find(|line| line.contains(" other ")).unwrap();
        assert!(line.contains(shown), "`{option}` in the plan: {shown_plan}");
        let manifest = serde_json::to_value(registry.manifest()).unwrap();
        let set = manifest["hooks"][0].pointer(pointer);
        let unset: Vec<_> = unset(pointer);
        assert!(set.is_some() && !unset.contains(&set), "`{option}` in the manifest: {manifest:#}");
    }
}

/// The fields of `Options`, as its `Debug` lists them.
#[test]
fn no_option_is_missing_from_the_table() {
    let fields = format!("{:#?}", Options::default());
    let fields = fields.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(':'));
    let fields: Vec<&str> = fields.map(|(name, _)| name).filter(|name| !name.starts_with(' ')).collect();
    let listed: Vec<&str> = rows().iter().map(|(option, ..)| *option).collect();
    assert_eq!(fields, listed, "show each option in plan/outline.rs and in the manifest, and add a row for it");
}
