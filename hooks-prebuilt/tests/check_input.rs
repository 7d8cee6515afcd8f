use hook_sdk::data::ToolInfo;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_prebuilt::{CheckInput, ask_for, check_input};
use serde_json::{Value, json};

fn of(with: Value) -> CheckInput {
    serde_json::from_value(with).unwrap()
}

fn refund() -> Value {
    json!({
        "type": "object",
        "properties": {
            "cents": { "type": "integer", "minimum": 0 },
            "to": { "enum": ["card", "account"] },
            "lines": { "items": { "$ref": "#/$defs/line" } },
        },
        "required": ["cents"],
        "additionalProperties": false,
        "$defs": { "line": { "type": "object", "required": ["sku"], "properties": { "sku": { "pattern": "^[a-z]+$" } } } },
    })
}

#[test]
fn what_fits_passes_and_what_does_not_is_said_with_its_place() {
    let passes = [json!({ "cents": 300 }), json!({ "cents": 3.0, "to": "card", "lines": [{ "sku": "a", "n": 1 }] })];
    for input in passes {
        assert_eq!(of(json!({})).judge("refund", Some(&refund()), &input), Ok(()), "{input}");
    }
    let table = [
        (json!({ "cents": "SECRET" }), "`/cents`: it is not of type \"integer\""),
        (json!({}), "\"cents\" is a required property"),
        (json!({ "cents": -5 }), "`/cents`: it is less than the minimum of 0"),
        (json!({ "cents": 5, "cent": 5 }), "('cent' was unexpected)"),
        (json!({ "cents": 5, "to": "SECRET" }), "`/to`: it is not one of \"card\" or \"account\""),
        (json!({ "cents": 5, "lines": [{ "sku": "SECRET" }] }), "`/lines/0/sku`: it does not match \"^[a-z]+$\""),
        (json!({ "cents": 5, "lines": [7] }), "`/lines/0`: it is not of type \"object\""),
        (json!("300 SECRET"), "it is not of type \"object\""),
        (Value::Null, "it is not of type \"object\""),
        (json!([]), "it is not of type \"object\""),
    ];
    for (input, expected) in table {
        let error = of(json!({})).judge("refund", Some(&refund()), &input).unwrap_err();
        assert!(error.contains(expected), "{input}: {error}");
        assert!(!error.contains("SECRET"), "a value is in a message: {error}");
    }
}

#[test]
fn all_problems_of_a_call_are_said_up_to_five() {
    let wrong = json!({ "cents": "x", "to": 5, "extra": 1 });
    let error = of(json!({})).judge("refund", Some(&refund()), &wrong).unwrap_err();
    assert_eq!(error.matches("; ").count(), 2, "{error}");
    let many: Vec<u32> = (0..50).collect();
    let error = of(json!({})).judge("refund", Some(&refund()), &json!({ "cents": 1, "lines": many })).unwrap_err();
    assert!(error.ends_with("; and more") && error.len() < 500, "{error}");
}

#[test]
fn a_schema_of_an_older_draft_is_read_and_one_that_cannot_be_read_denies() {
    let check = of(json!({}));
    let older = [
        (json!({ "items": [{ "type": "string" }] }), json!(["a"]), json!([1])),
        (json!({ "minimum": 3, "exclusiveMinimum": true }), json!(4), json!(3)),
    ];
    for (schema, right, wrong) in older {
        assert_eq!(check.judge("t", Some(&schema), &right), Ok(()));
        check.judge("t", Some(&schema), &wrong).unwrap_err();
    }
    let unreadable = [
        json!({ "type": "strin" }),
        json!({ "pattern": "(" }),
        json!({ "$ref": "https://example.org/schema" }),
        json!({ "$ref": "file:///etc/passwd" }),
        json!({ "$schema": "https://example.org/draft" }),
        json!("no schema"),
    ];
    for schema in unreadable {
        let error = check.judge("t", Some(&schema), &json!({})).unwrap_err();
        assert!(error.contains("no JSON Schema that can be read"), "{schema}: {error}");
    }
}

#[test]
fn no_schema_and_no_input_makes_it_slow_or_ends_the_program() {
    let check = of(json!({}));
    let deep: Value = serde_json::from_str(&format!("{}{}", "[".repeat(120), "]".repeat(120))).unwrap();
    let list = json!({ "type": "array", "items": { "$ref": "#" } });
    assert_eq!(check.judge("t", Some(&list), &deep), Ok(()));
    let slow = json!({ "pattern": "^(?=a)(a+)+$" });
    check.judge("t", Some(&slow), &json!(format!("{}b", "a".repeat(100)))).unwrap_err();
    for endless in [json!({ "$ref": "#" }), json!({ "allOf": [{ "$ref": "#" }] })] {
        let _ = check.judge("t", Some(&endless), &json!({ "a": 1 }));
    }
}

#[test]
fn schemas_of_the_app_hold_besides_that_of_the_tool() {
    let check = of(json!({ "schemas": { "ref*": { "properties": { "cents": { "maximum": 500 } } } } }));
    assert_eq!(check.judge("refund", Some(&refund()), &json!({ "cents": 500 })), Ok(()));
    check.judge("refund", Some(&refund()), &json!({ "cents": 501 })).unwrap_err();
    check.judge("refund", Some(&refund()), &json!({ "cents": -1 })).unwrap_err();
    check.judge("refund", None, &json!({ "cents": 501 })).unwrap_err();
    assert_eq!(check.judge("other", None, &json!({ "cents": 501 })), Ok(()));
}

#[test]
fn a_tool_without_a_schema_is_denied_if_the_list_says_so_and_other_tools_are_not_judged() {
    let check = of(json!({ "tools": ["ref*"], "unknown": "deny" }));
    assert!(check.judge("refund", None, &json!({})).unwrap_err().contains("has no schema"));
    assert_eq!(check.judge("other", None, &json!({})), Ok(()));
    assert_eq!(check.judge("other", Some(&json!(false)), &json!({})), Ok(()));
    assert_eq!(of(json!({})).judge("refund", None, &json!({})), Ok(()));
}

#[test]
fn a_changed_schema_of_a_tool_is_read_again() {
    let check = of(json!({}));
    assert_eq!(check.judge("t", Some(&json!({ "type": "string" })), &json!("a")), Ok(()));
    check.judge("t", Some(&json!({ "type": "number" })), &json!("a")).unwrap_err();
    assert_eq!(check.judge("t", Some(&json!({ "type": "string" })), &json!("a")), Ok(()));
}

#[test]
fn nobody_is_asked_about_a_call_that_does_not_fit() {
    let trial = || Trial::of(hooks![ask_for, check_input]).with("ask_for", json!({ "refund": "ask" }));
    let event = |input: Value| {
        let mut event = BeforeToolCall::new(ToolCall::new("call_1", "refund", input));
        event.info = Some(ToolInfo::default().schema(refund()));
        event
    };
    let (wrong, right) = (event(json!({ "cents": "5" })), event(json!({ "cents": 5 })));
    let ran = trial().run_blocking(&wrong, wrong.call.input.clone()).unwrap();
    ran.expect_denied("`/cents`: it is not of type \"integer\"");
    let ran = trial().run_blocking(&right, right.call.input.clone()).unwrap();
    assert!(matches!(ran.verdict, Permission::Ask(_)));
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "tool": ["a"], "unknown": "den", "schemas": { "a": { "type": "strin" } } });
    let error = serde_json::from_value::<CheckInput>(wrong).unwrap_err().to_string();
    for part in ["did you mean `tools`", "did you mean `deny`", "`schemas.a`: it is no JSON Schema"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
