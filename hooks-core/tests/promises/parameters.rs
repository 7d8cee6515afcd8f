//! Parameters from a list: each scope has its own, they are read once when the set is made, and each invalid one is
//! reported with its place.

use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::scope::HookUse;
use serde_json::{Value, json};

use super::support::*;

#[derive(serde::Deserialize)]
struct Limits {
    limit: u32,
}

#[derive(serde::Deserialize)]
struct Optional {
    #[serde(default)]
    limit: u32,
}

fn gate() -> Hook {
    Hook::at::<Spend>("guard")
        .reader(|cx, _, _| Permission::deny(cx.with::<Limits>().unwrap().limit.to_string()))
        .parameters::<Limits>()
}

fn reason(set: &HookSet) -> String {
    let fired = set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
    fired.verdict.denial().unwrap().reason.as_str().to_owned()
}

fn agent(with: Value) -> AgentDef {
    AgentDef::new("desk").hooks([HookUse::id("guard").with(with)])
}

#[test]
fn two_scopes_can_give_one_hook_different_parameters() {
    let registry = registry([gate()]);
    let [few, many] = [1, 200].map(|limit| registry.scope(&agent(json!({ "limit": limit })), None).unwrap());
    assert_eq!([reason(&few), reason(&many), reason(&few)], ["1", "200", "1"]);
}

#[test]
fn the_parameters_of_the_prompt_replace_those_of_the_agent() {
    let prompt = PromptDef::from_json("p.json", r#"{"hooks": [{"id": "guard", "with": {"limit": 7}}]}"#).unwrap();
    assert_eq!(reason(&registry([gate()]).scope(&agent(json!({ "limit": 1 })), Some(&prompt)).unwrap()), "7");
}

#[test]
fn without_parameters_in_the_list_they_are_read_from_an_empty_object() {
    let hook = || {
        Hook::at::<Spend>("guard").reader(|cx, _, _| Permission::deny(cx.with::<Optional>().unwrap().limit.to_string()))
    };
    for with in ["", r#", "with": null"#, r#", "with": {}"#] {
        let file = format!(r#"{{"hooks": [{{"id": "guard"{with}}}]}}"#);
        let agent = AgentDef::from_json("a.json", &file).unwrap();
        assert_eq!(reason(&registry([hook().parameters::<Optional>()]).scope(&agent, None).unwrap()), "0", "{file}");
    }
}

#[test]
fn invalid_parameters_are_reported_with_place_hook_and_what_was_expected() {
    let names = "names the hook `guard` (HERE) without its required parameters (`with`)";
    let gives = "passes invalid parameters (`with`) to the hook `guard` (HERE)";
    let cases = [
        (r#""guard""#, format!("{names}: missing field `limit`")),
        (r#"{"id": "guard", "with": {}}"#, format!("{gives}: missing field `limit`")),
        (
            r#"{"id": "guard", "with": {"limit": "many"}}"#,
            format!("{gives}: invalid type: string \"many\", expected u32"),
        ),
        (r#"{"id": "guard", "with": 7}"#, format!("{gives}: invalid type: integer `7`, expected struct Limits")),
    ];
    for (entry, expected) in cases {
        let file = format!("{{\n  \"name\": \"desk\",\n  \"hooks\": [\n    {entry}\n  ]\n}}");
        let agent = AgentDef::from_json("desk.json", &file).unwrap();
        let hook = gate();
        let here = hook.origin().to_string();
        let error = registry([hook]).scope(&agent, None).unwrap_err().to_string();
        assert_eq!(error.replace(&here, "HERE"), format!("desk.json:4:5: agent `desk` {expected}"));
    }
}

#[test]
fn replacing_the_parameters_of_the_app_is_reported() {
    let registry = registry([gate()]);
    registry.set_app(AppDef::new("shop").hooks([HookUse::id("guard").with(json!({ "limit": 3 }))]));
    assert_eq!(reason(&registry.scope(&AgentDef::new("desk").hooks(["guard"]), None).unwrap()), "3");
    let error = registry.scope(&agent(json!({ "limit": 4 })), None).unwrap_err().to_string();
    assert!(error.contains("agent `desk` passes parameters (`with`) to the hook `guard`"), "{error}");
    assert!(error.contains("but the app's list names it already"), "{error}");
}

#[test]
fn parameters_are_read_once_and_not_while_hooks_run() {
    static READ: AtomicUsize = AtomicUsize::new(0);

    struct Counted;

    impl<'de> serde::Deserialize<'de> for Counted {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            READ.fetch_add(1, Ordering::Relaxed);
            Value::deserialize(deserializer).map(|_| Self)
        }
    }

    let hook = Hook::at::<Step>("counts").reader(|cx, _, _| assert!(cx.with::<Counted>().is_some()));
    let set = set([hook.parameters::<Counted>()]);
    for _ in 0..3 {
        let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
        assert!(fired.report.failures.is_empty());
    }
    assert_eq!(READ.load(Ordering::Relaxed), 1);
}

#[test]
fn a_panic_while_parameters_are_read_is_reported_as_a_problem() {
    #[derive(Debug)]
    struct Panics;

    impl<'de> serde::Deserialize<'de> for Panics {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            panic!("no way")
        }
    }

    let hook = Hook::at::<Step>("panics").reader(|_, _, _| ()).parameters::<Panics>();
    let error = registry([hook]).scope(&AgentDef::new("a").hooks(["panics"]), None).unwrap_err().to_string();
    assert!(error.contains("parsing them panicked: no way"), "{error}");
}
