//! Promise 9: all problems are reported at once, with their places, before the first hook runs.

use hook_sdk::diagnostics::ProblemKind;
use hook_sdk::hook::OnFailure;

use super::support::*;

/// One mistake in each line from the third on.
const JSON: &str = r#"{
  "name": "desk",
  "hooks": [
    "redact_pi",
    "guard",
    "guard",
    { "id": "plain", "with": { "limit": 3 } },
    "on_boot",
    "needs_more"
  ]
}"#;

fn desk() -> Registry {
    registry([
        writes("redact_pii"),
        writes("guard"),
        writes("plain"),
        Hook::at::<Boot>("on_boot").reader(|_, _, ()| ()),
        writes("needs_more").requires(["redact_pii"]),
    ])
}

/// The problems of the file, with each position in this program replaced by `HERE`.
fn problems_of(agent: &AgentDef) -> String {
    let error = desk().scope(agent, None).unwrap_err();
    assert_eq!(error.problems().len(), 5, "{error}");
    error.to_string().lines().map(hide_places).collect::<Vec<_>>().join("\n")
}

/// `path/file.rs:12` becomes `HERE`.
fn hide_places(line: &str) -> String {
    let words = line.split(' ').map(|word| match word.find(".rs:") {
        Some(at) => {
            let end = word[at + 4..].find(|c: char| !c.is_ascii_digit()).map_or(word.len(), |end| at + 4 + end);
            let start = word.find(|c: char| c.is_alphanumeric()).unwrap_or(0);
            format!("{}HERE{}", &word[..start], &word[end..])
        }
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_file_with_five_mistakes_is_one_error_with_line_and_column_of_each() {
    let expected = "5 problems:
  1. desk.json:4:5: agent `desk` names the hook `redact_pi`, which is not registered; did you mean `redact_pii`? (if its crate is not linked, write `use that_crate as _;`; or its feature or its `cfg` is off)
  2. desk.json:6:5: agent `desk` names the hook `guard` twice (first at desk.json:5:5); keep one
  3. desk.json:7:5: agent `desk` passes parameters (`with`) to the hook `plain` (HERE), which takes none; remove `with`
  4. desk.json:8:5: agent `desk` names the hook `on_boot` (HERE), but `boot` fires outside of turns, where only the app's list applies; move it there
  5. desk.json:9:5: the hook `needs_more` (HERE) requires `redact_pii`, but no list that applies contains it; add it to the list that contains `needs_more`";
    assert_eq!(problems_of(&AgentDef::from_json("desk.json", JSON).unwrap()), expected);
}

#[cfg(feature = "toml")]
#[test]
fn the_problems_of_a_toml_file_have_its_own_lines() {
    let toml = r#"
name = "desk"
hooks = [
    "redact_pi",
    "guard",
    "guard",
    { id = "plain", with = { limit = 3 } },
    "on_boot",
    "needs_more",
]
"#;
    let from_json = problems_of(&AgentDef::from_json("desk.json", JSON).unwrap());
    let from_toml = problems_of(&AgentDef::from_toml("desk.toml", toml).unwrap());
    assert_eq!(from_toml, from_json.replace("desk.json", "desk.toml"));
}

#[test]
fn problems_in_the_lists_of_app_and_scope_are_reported_together() {
    let registry = registry([writes("a").after(["aa"]), writes("b").after(["c"]), writes("c").after(["b"])]);
    registry.set_app(AppDef::new("desk").hooks(["nowhere"]));
    let error = registry.scope(&AgentDef::new("x").hooks(["a", "b", "c", "elsewhere"]), None).unwrap_err();
    let found: Vec<_> = error.problems().iter().map(|problem| (problem.kind(), problem.about())).collect();
    let expected = [
        (ProblemKind::UnknownHook, "nowhere"),
        (ProblemKind::UnknownHook, "elsewhere"),
        (ProblemKind::UnknownConstraint, "a"),
        (ProblemKind::Cycle, "b"),
    ];
    assert_eq!(found, expected);
    let text = error.to_string();
    for owner in ["app `desk` names", "agent `x` names", "after = [\"aa\"]"] {
        assert!(text.contains(owner), "{text}");
    }
}

#[test]
fn nothing_runs_if_anything_is_wrong() {
    // Only a set can fire, and no set was made.
    let registry = registry([writes("a")]);
    assert!(registry.scope(&AgentDef::new("x").hooks(["a", "b"]), None).is_err());
}

#[test]
fn the_constraints_of_a_hook_are_checked() {
    let table: [(Hook, &str); 5] = [
        (
            writes("a").after(["bb"]),
            "the hook `a` has `after = [\"bb\"]`, but no hook with that id is registered; did you mean `b`?",
        ),
        (
            writes("a").before(["zzzzz"]),
            "the hook `a` has `before = [\"zzzzz\"]`, but no hook with that id is registered",
        ),
        (
            writes("a").requires(["bb"]),
            "the hook `a` has `requires = [\"bb\"]`, but no hook with that id is registered; did you mean `b`?",
        ),
        (
            writes("a").after(["on_boot"]),
            "HERE: the hook `a` at `step` has `after = [\"on_boot\"]`, but `on_boot` (HERE) does not run at `step`",
        ),
        (
            writes("a").requires(["b"]),
            "the hook `a` (HERE) requires `b`, but no list that applies contains it; add it to the list that contains `a`",
        ),
    ];
    for (hook, expected) in table {
        let registry = registry([writes("b"), Hook::at::<Boot>("on_boot").reader(|_, _, ()| ()), hook]);
        let error = registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap_err();
        assert_eq!(error.problems().len(), 1, "each mistake is reported once: {error}");
        let shown = hide_places(&error.to_string());
        assert!(shown.ends_with(expected), "{shown}");
    }
}

#[test]
fn a_hook_value_has_the_checks_of_the_attribute() {
    for bad in ["", "A", "1a", "a-b", "a b", "self", "super", "crate", "é", "_a"] {
        let error = Registry::empty().register(Hook::at::<Step>(bad).writer(|_, _, _| ())).unwrap_err();
        assert!(
            error.to_string().contains(&format!("`{bad}` is not an id: an id is `snake_case`: a lower-case letter")),
            "{error}"
        );
    }
    for good in ["a", "a1", "a_b", "fn", "type"] {
        assert!(Registry::empty().register(Hook::at::<Step>(good).writer(|_, _, _| ())).is_ok());
    }
    let at_event = Hook::at::<Seen>("a").reader(|_, _, ()| ()).on_failure(OnFailure::Remove);
    assert!(Registry::empty().register(at_event).is_err());
}

#[test]
fn two_kinds_with_one_name_are_reported() {
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "step")]
    struct AnotherStep {}
    let registry = registry([writes("a"), Hook::at::<AnotherStep>("b").reader(|_, _, ()| ())]);
    let error = registry.scope(&AgentDef::new("x").hooks(["a", "b"]), None).unwrap_err().to_string();
    assert!(error.starts_with("two kinds are named `step`: the hooks `a` ("), "{error}");
}

#[test]
fn all_functions_without_the_attribute_are_reported_with_file_and_line() {
    fn first() {}
    fn second() {}
    let error = Registry::empty().with(hooks![first, second]).unwrap_err();
    assert_eq!(error.problems().len(), 2);
    let shown = error.to_string();
    for (number, name) in [(1, "first"), (2, "second")] {
        let line = shown.lines().nth(number).unwrap_or_default();
        assert!(line.contains("p09_everything_at_once.rs:"), "{line}");
        let what =
            format!("`{name}` in `hooks![…]` is not a hook; put `#[hook(id = \"…\", kind = …)]` on the function");
        assert!(line.ends_with(&what), "{line}");
    }
}

#[test]
fn the_debug_output_of_the_error_is_its_readable_message() {
    let agent = AgentDef::from_json("agent.json", JSON).unwrap();
    let config = desk().scope(&agent, None).unwrap_err();
    assert_eq!(format!("{config:?}"), config.to_string());
    let definition = AgentDef::from_json("agent.json", "[]").unwrap_err();
    assert_eq!(format!("{definition:?}"), definition.to_string());
    let failing =
        registry([Hook::at::<Step>("fails").reader(|_, _, _| Err::<(), _>("no")).on_failure(OnFailure::Required)]);
    let set = failing.scope(&AgentDef::new("x").hooks(["fails"]), None).unwrap();
    let dispatch = set.fire_blocking(&HookContext::new(), &step(), Trail::default()).unwrap_err();
    assert_eq!(format!("{dispatch:?}"), dispatch.to_string());
}
