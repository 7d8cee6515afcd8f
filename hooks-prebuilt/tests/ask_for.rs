use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_prebuilt::{AskFor, ask_for};
use serde_json::{Value, json};

fn word(verdict: &Permission) -> &'static str {
    match verdict {
        Permission::NoOpinion => "none",
        Permission::Allow => "allow",
        Permission::Ask(_) => "ask",
        Permission::Deny(_) => "deny",
        _ => "other",
    }
}

fn judge(rules: Value, tool: &str, input: &str) -> Permission {
    serde_json::from_value::<AskFor>(rules).unwrap().judge(tool, &ToolInput::parse(input))
}

#[test]
fn the_most_specific_rule_of_a_tool_decides() {
    let rules = json!({ "*": "ask", "read_*": "allow", "read_secret": "deny" });
    let table = [("read_file", "allow"), ("read_secret", "deny"), ("send", "ask")];
    for (tool, expected) in table {
        assert_eq!(word(&judge(rules.clone(), tool, "{}")), expected, "{tool}");
    }
    assert_eq!(word(&judge(json!({ "send_*": "ask" }), "read", "{}")), "none");
}

#[test]
fn conditions_read_fields_and_what_they_cannot_read_is_denied() {
    let rules = || json!({ "refund": { "deny": { "/cents": { "below": 0 } }, "ask": { "/cents": { "above": 5000 }, "/lines/*/sku": { "matches": "gift*" } } } });
    let table = [
        (r#"{"cents": 300, "lines": []}"#, "none"),
        (r#"{"cents": 5000, "lines": []}"#, "none"),
        (r#"{"cents": 5000.5, "lines": []}"#, "ask"),
        (r#"{"cents": -5, "lines": []}"#, "deny"),
        (r#"{"cents": -0.0, "lines": []}"#, "none"),
        (r#"{"cents": -1e-9, "lines": []}"#, "deny"),
        (r#"{"cents": 300, "lines": [{"sku": "a"}, {"sku": "gift_1"}]}"#, "ask"),
        (r#"{"cents": 300, "lines": [{"sku": 7}]}"#, "deny"),
        (r#"{"cents": 300, "lines": [{}]}"#, "deny"),
        (r#"{"cents": "300", "lines": []}"#, "deny"),
        (r#"{"cents": null, "lines": []}"#, "deny"),
        (r#"{"cents": 300}"#, "deny"),
        ("{}", "deny"),
        ("300 cents", "deny"),
        ("[300]", "deny"),
    ];
    for (input, expected) in table {
        assert_eq!(word(&judge(rules(), "refund", input)), expected, "{input}");
    }
    let allowed = json!({ "refund": { "ask": { "/cents": { "above": 5000 } }, "else": "allow" } });
    assert_eq!(word(&judge(allowed, "refund", r#"{"cents": 300}"#)), "allow");
    let denied = judge(rules(), "refund", r#"{"cents": "300"}"#);
    assert_eq!(denied.denial().unwrap().reason.as_str(), "expected `/cents` to be a number, and found a string");
}

#[test]
fn a_question_has_what_a_person_needs_to_decide() {
    let rules = json!({ "pay": { "ask": { "to": { "not_one_of": ["ada", "bob"] } }, "risk": "high", "choices": ["yes", "no"] } });
    let Permission::Ask(question) = judge(rules, "pay", r#"{"to": "eve"}"#) else { panic!("not asked") };
    assert_eq!(question.reason.as_str(), r#"`pay`: `/to` is not one of ["ada","bob"]"#);
    assert_eq!((question.risk.as_deref(), question.choices.len()), (Some("high"), 2));
    assert_eq!(question.details["input"], json!({ "to": "eve" }));
}

#[test]
fn it_runs_as_a_hook() {
    let call = ToolCall::new("call_1", "send_mail", json!({}));
    let trial = Trial::of(hooks![ask_for]).with("ask_for", json!({ "send_*": "deny" }));
    trial.run_blocking(&BeforeToolCall::new(call.clone()), call.input).unwrap().expect_denied("may not be called");
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({
        "a": "aks", "b": { "ask": { "/x": { "abov": 5, "below": "5", "one_of": [] } }, "els": "allow", "rsk": "high" }, "c": 5,
    });
    let error = serde_json::from_value::<AskFor>(wrong).unwrap_err().to_string();
    for part in [
        "did you mean `ask`",
        "did you mean `above`",
        "`below` takes a number",
        "`one_of` takes a list of values",
        "did you mean `else`",
        "did you mean `risk`",
        "`c`: expected",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(serde_json::from_value::<AskFor>(json!({})).is_err());
}
