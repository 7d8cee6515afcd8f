//! Tests of the runner: it reports every expectation that does not hold, in a helpful message.

use serde_json::{Map, Value, json};

use super::case::{files, parse};
use super::expect::{differences, report};
use super::run::seen;

/// Variants of `value` with exactly one change, one variant per value in it.
fn wrong(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!("else")],
        Value::Bool(is) => vec![json!(!is)],
        Value::Number(number) => vec![json!(number.as_i64().unwrap_or_default() + 1)],
        Value::String(text) => vec![json!(format!("{text}, else"))],
        Value::Array(items) => {
            let mut all = vec![items.iter().cloned().chain([json!("else")]).collect::<Value>()];
            all.extend(items.split_last().map(|(_, rest)| json!(rest)));
            for (i, item) in items.iter().enumerate() {
                all.extend(wrong(item).into_iter().map(|item| {
                    let mut items = items.clone();
                    items[i] = item;
                    Value::Array(items)
                }));
            }
            all
        }
        Value::Object(fields) => changed(fields).into_iter().map(Value::Object).collect(),
    }
}

fn changed(fields: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let mut all = vec![fields.clone().into_iter().chain([("else".to_owned(), json!("else"))]).collect()];
    for (key, value) in fields {
        all.extend(wrong(value).into_iter().map(|value| {
            let mut fields = fields.clone();
            fields.insert(key.clone(), value);
            fields
        }));
    }
    all
}

#[test]
fn each_expectation_of_each_file_can_fail() {
    hook_sdk::quiet_panics();
    for file in files() {
        for case in file.cases {
            let seen = seen(&case).unwrap();
            assert_eq!(differences(&case.expect, &seen), [""; 0], "{}: {}", file.name, case.number);
            for expect in changed(&case.expect) {
                let reported = !differences(&expect, &seen).is_empty();
                assert!(reported, "{}: {}: {expect:?} gives no difference from {seen:?}", file.name, case.number);
            }
        }
    }
}

/// A hook whose absence changes nothing makes its case misleading. Hooks at another kind or with a filter are exempt,
/// because they may be there to show that they have no effect.
#[test]
fn each_hook_of_each_case_matters() {
    hook_sdk::quiet_panics();
    for file in files() {
        for case in file.cases {
            for (i, hook) in case.hooks.iter().enumerate().filter(|(_, hook)| !hook.may_do_nothing()) {
                let mut without = case.clone();
                without.hooks.remove(i);
                let same = seen(&without).is_ok_and(|seen| differences(&case.expect, &seen).is_empty());
                assert!(!same, "{}: {}: {}\n    `{}` makes no difference", file.name, case.number, case.says, hook.id);
            }
        }
    }
}

#[test]
fn a_difference_is_reported_with_file_case_and_values() {
    let text = r#"
        [[case]]
        number = "X1"
        says = "One becomes two."
        subject = 1
        hooks = [{ id = "adds", add = { "" = 1 } }, { id = "fails", fail = "boom" }]
        expect = { subject = 3, verdct = 1 }
    "#;
    let reported = report("some.toml", &parse(text).unwrap()[0]);
    let head = "some.toml: X1: One becomes two.\n    ";
    let lines: Vec<&str> = reported.iter().map(|line| line.strip_prefix(head).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{reported:#?}");
    assert!(lines[0].starts_with("`verdct` cannot be expected; write one of subject, verdict, "));
    assert_eq!(lines[1], "`subject`: expected 3, saw 2");
    assert_eq!(lines[2], "`failures`: expected nothing, saw [\"hook `fails` at `app_point` failed (error): boom\"]");
}

#[test]
fn an_invalid_case_is_reported() {
    let case = |more: &str| format!("[[case]]\nnumber = \"X1\"\nsays = \"It is wrong.\"\n{more}");
    let wrong = |text: &str| match parse(text) {
        Err(wrong) => wrong,
        Ok(cases) => report("some.toml", &cases[0]).join("\n"),
    };
    let table = [
        (case("expect = {}"), "it expects nothing, so it cannot fail"),
        (case("hook = []\nexpect = {}"), "X1: unknown field `hook`"),
        (case("hooks = [{ id = \"a\", does = 1 }]\nexpect = {}"), "X1: unknown field `does`"),
        (case("kind = \"breakfast\"\nexpect = { took = 0 }"), "the runner knows no kind `breakfast`"),
        (case("kind = \"stop\"\nexpect = { took = 0 }"), "the event of `stop` is invalid: missing field `reason`"),
        (case("disabled = [\"a\"]\nexpect = { took = 0 }"), "there is no hook `a`"),
        (
            case("kind = \"stop\"\nhooks = [{ id = \"a\", remove = true }]\nexpect = { took = 0 }"),
            "`a` removes the subject, which `stop` does not offer",
        ),
        (case("hooks = [{ id = \"a\", answer = 3 }]\nexpect = { took = 0 }"), "`answer` of `a`: invalid type"),
        (case("each = [{ a = 1 }]\nexpect = { took = 0 }"), "nothing in the case is `\"$a\"`"),
        ("[[cases]]".to_owned(), "a file of cases has `[[case]]`"),
    ];
    for (text, expected) in table {
        let reported = wrong(&text);
        assert!(reported.contains(expected), "{text}\n{reported}");
    }
}

#[test]
fn a_row_replaces_its_names_and_null_is_null() {
    let text = r#"
        [[case]]
        number = "X1"
        says = "What is set is there."
        each = [{ new = { null = true } }, { new = [1, { null = true }] }]
        hooks = [{ id = "sets", set = { "" = "$new" } }]
        expect = { subject = "$new" }
    "#;
    let cases = parse(text).unwrap();
    assert_eq!(
        cases.iter().map(|case| case.expect["subject"].clone()).collect::<Vec<_>>(),
        [json!(null), json!([1, null])]
    );
    assert_eq!(cases[1].says, "What is set is there. (row 2)");
}
