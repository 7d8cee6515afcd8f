//! Hooks built as values: they have the options of the attribute, and its errors are reported as problems, all at once.

use std::time::Duration;

use hook_sdk::hook::{OnFailure, Timeout};

use super::support::*;

#[test]
fn a_value_runs_only_where_its_patterns_match() {
    let set = set([writes("news").only("topic", "news|sport*"), writes("other").only("topic", "music")]);
    for (topic, expected) in [("news", vec!["news"]), ("sports", vec!["news"]), ("music", vec!["other"]), ("x", vec![])]
    {
        let fired = set.fire_blocking(&cx(), &Step { topic: topic.to_owned() }, Trail::default()).unwrap();
        assert_eq!(fired.subject.unwrap().0, expected, "{topic}");
    }
}

#[test]
fn two_patterns_must_both_match() {
    let set = set([writes("both").only("topic", "a*").only("topic", "*b")]);
    for (topic, expected) in [("ab", 1), ("a", 0), ("b", 0)] {
        let fired = set.fire_blocking(&cx(), &Step { topic: topic.to_owned() }, Trail::default()).unwrap();
        assert_eq!(fired.subject.unwrap().0.len(), expected, "{topic}");
    }
}

#[test]
fn options_that_the_attribute_refuses_are_problems_with_the_place_of_the_call() {
    let seen = |id| Hook::at::<Seen>(id).reader(|_, _, ()| ());
    let cases = [
        (
            writes("Upper"),
            "`Upper` is not an id: an id is `snake_case`: a lower-case letter, then lower-case letters, digits and `_`",
        ),
        (
            writes("a").only("tool", "x"),
            "`only` of the hook `a` cannot filter `step` by `tool`; its filter fields are `topic`",
        ),
        (
            seen("a").only("tool", "x"),
            "`only` of the hook `a` cannot filter `seen` by `tool`; its event has no filter fields",
        ),
        (
            writes("a").only("topic", "x|"),
            "`only` of the hook `a` is wrong: an empty pattern matches nothing; write `\"*\"` to match everything, and remove a `|` at the start or end",
        ),
        (
            writes("a").only("topic", "^x$"),
            "`only` of the hook `a` is wrong: a pattern is not a regular expression: it matches the whole value, `*` matches anything and `?` matches one character: write `\"x\"`",
        ),
        (
            writes("a").only("topic", "^x"),
            "`only` of the hook `a` is wrong: a pattern is not a regular expression: it matches the whole value, `*` matches anything and `?` matches one character: write `\"x\"`",
        ),
        (
            writes("a").only("topic", "x$"),
            "`only` of the hook `a` is wrong: a pattern is not a regular expression: it matches the whole value, `*` matches anything and `?` matches one character: write `\"x\"`",
        ),
        (
            writes("a").only("topic", "!x"),
            "`only` of the hook `a` is wrong: a pattern cannot be negated with `!`; list what matches, or test for it in the hook",
        ),
        (
            writes("a").only("topic", "x, y"),
            "`only` of the hook `a` is wrong: patterns are separated by `|`: write `\"x|y\"`, and `?` for a comma or a space within a value",
        ),
        (
            writes("a").only("topic", "x|y").only("topic", "z"),
            "`only` of the hook `a` matches nothing: no `topic` is both `x|y` and `z`; write `x|y|z`",
        ),
        (
            writes("a").only("topic", "x*").only("topic", "y"),
            "`only` of the hook `a` matches nothing: no `topic` is both `x*` and `y`; write `x*|y`",
        ),
        (
            Hook::at::<AfterCreateMessage>("a").reader(|_, _, ()| ()).only("role", "usr"),
            "`only` of the hook `a` matches nothing: `role` of `after_create_message` is never `usr`; did you mean `user`?",
        ),
        (
            Hook::at::<AfterCreateMessage>("a").reader(|_, _, ()| ()).hold(9),
            "`hold` of the hook `a` has no effect at `after_create_message`, which is no stream; remove it",
        ),
        (
            writes("a").timeout(Timeout::After(Duration::from_secs(1))),
            "`timeout` of the hook `a` needs an async hook: a plain function cannot be interrupted",
        ),
        (
            waits("a", 1).timeout(Timeout::After(Duration::ZERO)),
            "`timeout` of the hook `a` must be longer than zero; for no limit write `Timeout::None`, in a file `\"none\"`",
        ),
        (
            seen("a").on_failure(OnFailure::Remove),
            "`on_failure` of the hook `a` is `remove`, which `seen` does not offer; it offers `continue`, `required`",
        ),
    ];
    for (hook, expected) in cases {
        let here = hook.origin().to_string();
        let error = Registry::empty().register(hook).unwrap_err();
        assert_eq!(error.to_string(), format!("{here}: {expected}"));
    }
}

#[test]
fn all_mistakes_of_a_value_are_reported_at_once_when_it_is_registered_or_replaced() {
    let hook = || writes("A").only("tool", "x|").on_failure(OnFailure::Deny);
    assert_eq!(Registry::empty().register(hook()).unwrap_err().problems().len(), 4);
    let replacing = || writes("a").only("tool", "x|").on_failure(OnFailure::Deny);
    assert_eq!(registry([writes("a")]).replace(replacing()).unwrap_err().problems().len(), 3);
}
