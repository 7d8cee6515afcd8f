use std::time::{Duration, Instant};

use hook_sdk::kinds::{AfterToolCallFailure, BeforeToolCall};
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hook_sdk::verdict::Retry;
use hooks_prebuilt::{RetryTools, retry_tools};
use serde_json::{Value, json};

fn of(with: Value) -> RetryTools {
    serde_json::from_value(with).unwrap()
}

#[test]
fn each_wait_is_longer_and_none_is_longer_than_the_most() {
    let retry = of(json!({ "retries": 9, "most": 20 }));
    for (attempt, seconds) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (8, 20.0)] {
        for call in ["a", "b", "c"] {
            let wait = retry.wait("x", call, attempt, "e").unwrap().as_secs_f64();
            assert!((seconds * 0.75..=f64::min(seconds * 1.25, 20.0)).contains(&wait), "{attempt}: {wait}");
        }
    }
    assert_eq!(retry.wait("x", "a", 10, "e"), None);
    assert_eq!(retry.wait("x", "a", 0, "e"), None, "it did not run");
    let some = of(json!({ "tools": ["web_*"], "on": ["*timed out*"] }));
    assert!(some.wait("web_get", "a", 1, "it timed out.").is_some());
    assert!(some.wait("web_get", "a", 1, "no such page").is_none() && some.wait("pay", "a", 1, "timed out").is_none());
}

#[test]
fn a_tool_that_only_fails_rests_and_one_success_ends_it() {
    let (retry, now) = (of(json!({ "breaker": { "failures": 2, "seconds": 60 } })), Instant::now());
    let at = |second| now + Duration::from_secs(second);
    retry.ended("x", true, at(0));
    assert_eq!(retry.rests("x", at(0)), None);
    retry.ended("x", true, at(1));
    assert!(
        retry.rests("x", at(1)).is_some() && retry.rests("x", at(60)).is_some() && retry.rests("y", at(1)).is_none()
    );
    assert_eq!(retry.rests("x", at(61)), None, "one may try");
    retry.ended("x", true, at(62));
    assert!(retry.rests("x", at(63)).is_some());
    retry.ended("x", false, at(64));
    assert_eq!(retry.rests("x", at(64)), None);
    assert_eq!(of(json!({})).rests("x", now), None);
}

#[test]
fn it_retries_only_where_the_harness_may_and_a_resting_tool_is_denied() {
    let call = ToolCall::new("call_1", "x", json!({}));
    let fail = |may: bool| {
        let event =
            AfterToolCallFailure::new(call.clone(), call.input.clone(), "timed out").attempt(1_u32).may_retry(may);
        Trial::of(hooks![retry_tools]).run_blocking(&event, ToolResult::error("timed out")).unwrap().verdict
    };
    assert!(matches!(fail(true), Retry::After(_)) && fail(false) == Retry::NoOpinion);

    let registry = Registry::empty().with(hooks![retry_tools]).unwrap();
    let agent = json!({ "name": "a", "hooks": [{ "id": "retry_tools", "with": { "breaker": { "failures": 1 } } }] });
    let set = registry.scope(&AgentDef::from_json("a.json", &agent.to_string()).unwrap(), None).unwrap();
    let cx = HookContext::new();
    let event = AfterToolCallFailure::new(call.clone(), call.input.clone(), "x").attempt(1_u32);
    let _ = set.fire_blocking(&cx, &event, ToolResult::error("x")).unwrap();
    let verdict = set.fire_blocking(&cx, &BeforeToolCall::new(call.clone()), call.input.clone()).unwrap().verdict;
    assert!(verdict.denial().unwrap().reason.as_str().contains("rests"));
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "retrys": 3, "factor": 0.5, "breaker": { "failures": 0 } });
    let error = serde_json::from_value::<RetryTools>(wrong).unwrap_err().to_string();
    for part in ["did you mean `retries`", "`factor` is from 1", "`breaker.failures` is 0"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
