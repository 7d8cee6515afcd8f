use std::time::{Duration, Instant};

use hooks_prebuilt::{Calls, LimitCalls};
use serde_json::json;

fn limits(limits: serde_json::Value) -> LimitCalls {
    serde_json::from_value(json!({ "limits": limits })).unwrap()
}

#[test]
fn a_tool_is_counted_per_turn_and_per_conversation() {
    let (limits, now) = (limits(json!({ "web_*": { "turn": 2, "conversation": 3 } })), Instant::now());
    let mut calls = Calls::default();
    let mut call = |turn, tool| limits.count(&mut calls, Some(turn), tool, now);
    assert!(call(1, "web_search").is_ok() && call(1, "web_search").is_ok());
    assert_eq!(
        call(1, "web_search").unwrap_err(),
        "`web_search` may be called 2 times in a turn, and was; continue without it"
    );
    assert!(call(1, "web_fetch").is_ok(), "another tool has its own count");
    assert!(call(1, "read").is_ok(), "no pattern names it");
    assert!(call(2, "web_search").is_ok());
    assert!(call(3, "web_search").unwrap_err().contains("3 times in a conversation"), "a denied call was not counted");
}

#[test]
fn tools_can_count_together_and_every_limit_of_a_tool_holds() {
    let (limits, now) = (limits(json!({ "*": { "turn": 3, "together": true }, "pay": { "turn": 1 } })), Instant::now());
    let mut calls = Calls::default();
    let mut call = |tool| limits.count(&mut calls, Some(1), tool, now);
    assert!(call("pay").is_ok() && call("pay").is_err() && call("read").is_ok() && call("list").is_ok());
    assert!(call("write").unwrap_err().contains("3 times in a turn"));
}

#[test]
fn a_minute_passes() {
    let (limits, start) = (limits(json!({ "*": { "per_minute": 2 } })), Instant::now());
    let mut calls = Calls::default();
    let mut at = |second| limits.count(&mut calls, None, "x", start + Duration::from_secs(second)).is_ok();
    let answers = [at(0), at(30), at(31), at(59), at(60), at(61), at(90)];
    assert_eq!(answers, [true, true, false, false, true, false, true]);
}

#[test]
fn a_limit_per_turn_is_closed_without_a_turn() {
    let error =
        limits(json!({ "*": { "turn": 9 } })).count(&mut Calls::default(), None, "x", Instant::now()).unwrap_err();
    assert!(error.contains("no turn to count in"), "{error}");
}

#[test]
fn the_last_fifth_is_announced() {
    let (limits, now) = (limits(json!({ "*": { "turn": 10, "conversation": 100 } })), Instant::now());
    let mut calls = Calls::default();
    for done in 1..=10 {
        limits.count(&mut calls, Some(1), "x", now).unwrap();
        assert_eq!(limits.left(&calls, "x").is_some(), done >= 8, "{done}");
    }
    assert_eq!(limits.left(&calls, "x").unwrap(), "calls of `x` left in this turn: 0 of 10.");
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "limits": { "a": { "tunr": 1, "turn": "5" }, "b": {} }, "limit": 3 });
    let error = serde_json::from_value::<LimitCalls>(wrong).unwrap_err().to_string();
    for part in [
        "did you mean `turn`",
        "`turn`: invalid type: string \"5\", expected u32",
        "`limits.b`: it limits nothing",
        "unknown field `limit`; did you mean `limits`",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = serde_json::from_value::<LimitCalls>(json!({})).unwrap_err().to_string();
    assert!(error.starts_with("`limits` is missing") && !error.contains("is empty"), "{error}");
    let error = serde_json::from_value::<LimitCalls>(json!({ "limits": {} })).unwrap_err().to_string();
    assert!(error.starts_with("`limits` is empty"), "{error}");
}

mod gate {
    use hook_sdk::kinds::*;
    use hook_sdk::prelude::*;
    use hooks_prebuilt::{CountsOn, limit_calls};
    use serde_json::json;

    fn set(limits: serde_json::Value) -> HookSet {
        let registry = Registry::empty().with(hooks![limit_calls]).unwrap();
        let deny = |_: &HookContext, event: &BeforeToolCall, _: &ToolInput| {
            if event.call.name == "denied" { Permission::deny("never") } else { Permission::NoOpinion }
        };
        registry.register(Hook::at::<BeforeToolCall>("other").reader(deny)).unwrap();
        let list = json!([{ "id": "limit_calls", "with": { "limits": limits } }, "other"]);
        let agent = AgentDef::from_json("a.json", &json!({ "name": "a", "hooks": list }).to_string()).unwrap();
        registry.scope(&agent, None).unwrap()
    }

    fn call(id: &str, tool: &str) -> ToolCall {
        ToolCall::new(id, tool, json!({}))
    }

    fn judge(set: &HookSet, cx: &HookContext, call: &ToolCall) -> Permission {
        set.fire_blocking(cx, &BeforeToolCall::new(call.clone()), call.input.clone()).unwrap().verdict
    }

    fn cx(set: &HookSet, conversation: &str, turn: u64) -> HookContext {
        set.context(HookContext::builder().conversation(conversation).turn(turn)).unwrap()
    }

    #[test]
    fn conversations_and_turns_are_counted_alone_and_denied_calls_are_not() {
        let set = set(json!({ "*": { "turn": 2 } }));
        for (conversation, turn) in [("a", 1), ("b", 1), ("a", 2)] {
            let cx = cx(&set, conversation, turn);
            for _ in 0..5 {
                assert!(judge(&set, &cx, &call("x", "denied")).denial().unwrap().reason.as_str().contains("never"));
            }
            let answers: Vec<bool> = (0..4).map(|_| judge(&set, &cx, &call("x", "read")).denial().is_some()).collect();
            assert_eq!(answers, [false, false, true, true]);
        }
    }

    #[test]
    fn it_is_closed_without_a_conversation_for_the_tools_that_it_limits() {
        let set = set(json!({ "pay": { "conversation": 2 } }));
        assert!(judge(&set, &HookContext::new(), &call("x", "pay")).denial().is_some());
        assert!(judge(&set, &HookContext::new(), &call("x", "read")).denial().is_none());
    }

    #[test]
    fn a_call_that_a_person_was_asked_about_counts_once() {
        let (set, pay) = (set(json!({ "pay": { "turn": 1 } })), call("x", "pay"));
        let cx = cx(&set, "a", 1);
        assert!(judge(&set, &cx, &pay).denial().is_none());
        let _ = set.fire_blocking(&cx, &PermissionRequest::new(pay.clone()), pay.input.clone()).unwrap();
        assert!(judge(&set, &cx, &pay).denial().is_none(), "judged again after the answer");
        let _ = set.fire_blocking(&cx, &AfterToolCall::new(pay.clone(), pay.input.clone()), ()).unwrap();
        assert!(judge(&set, &cx, &pay).denial().is_some());
    }

    #[test]
    fn a_call_that_a_person_refuses_does_not_count() {
        for within in ["turn", "conversation", "per_minute"] {
            let (set, pay) = (set(json!({ "pay": { within: 1 } })), call("x", "pay"));
            let cx = cx(&set, "a", 1);
            let end = |error: Option<&str>, ran: bool| {
                let mut event = AfterToolCall::new(pay.clone(), pay.input.clone());
                event.error = error.map(str::to_owned);
                if ran {
                    let failed = AfterToolCallFailure::new(pay.clone(), pay.input.clone(), "x");
                    let _ = set.fire_blocking(&cx, &failed, ToolResult::error("x")).unwrap();
                }
                let _ = set.fire_blocking(&cx, &event, ()).unwrap();
            };
            for _ in 0..3 {
                assert!(judge(&set, &cx, &pay).denial().is_none(), "{within}");
                let _ = set.fire_blocking(&cx, &PermissionRequest::new(pay.clone()), pay.input.clone()).unwrap();
                end(Some("the person said no"), false);
            }
            assert!(judge(&set, &cx, &pay).denial().is_none(), "{within}");
            end(Some("it ran, and failed"), true);
            assert!(judge(&set, &cx, &pay).denial().is_some(), "{within}");
        }
    }

    #[test]
    fn a_call_that_is_refused_takes_none_away_that_has_the_same_id() {
        for refused in ["pay", "read"] {
            let (set, pay) = (set(json!({ "pay": { "conversation": 1 } })), call("x", "pay"));
            let cx = cx(&set, "a", 1);
            assert!(judge(&set, &cx, &pay).denial().is_none());
            for _ in 0..3 {
                let refused = call("x", refused);
                let _ = judge(&set, &cx, &refused);
                let mut event = AfterToolCall::new(refused.clone(), refused.input.clone());
                event.error = Some("denied".to_owned());
                let _ = set.fire_blocking(&cx, &event, ()).unwrap();
                assert!(judge(&set, &cx, &pay).denial().is_some());
            }
        }
    }

    #[test]
    fn the_stricter_limit_of_a_caller_holds_for_its_agent() {
        let (child, caller) =
            (set(json!({ "pay": { "conversation": 5 } })), set(json!({ "pay": { "conversation": 2 } })));
        let ids = HookContext::builder().conversation("b").session("a").turn(1).agent_path(["support"]);
        let cx = child.context(ids.state(CountsOn)).unwrap();
        let runs = |id| {
            let pay = call(id, "pay");
            judge(&child, &cx, &pay).denial().is_none() && judge(&caller, &cx, &pay).denial().is_none()
        };
        assert_eq!(["1", "2", "3", "4"].map(runs), [true, true, false, false]);
    }

    #[test]
    fn a_call_that_an_agent_and_its_caller_judge_with_the_same_entry_counts_once() {
        let (child, caller) = (set(json!({ "pay": { "turn": 2 } })), set(json!({ "pay": { "turn": 2 } })));
        let builder = || HookContext::builder().conversation("b").session("a").turn(1).agent_path(["support"]);
        let cx = child.context(builder()).unwrap();
        // A provider whose ids begin again in each answer.
        for (id, denied) in [("x", false), ("x", false), ("y", true)] {
            let pay = call(id, "pay");
            let by_child = judge(&child, &cx, &pay);
            assert_eq!(by_child.denial().is_some(), denied);
            assert_eq!(judge(&caller, &cx, &pay).denial().is_some(), denied);
        }
    }

    #[test]
    fn the_model_is_warned_before_the_limit() {
        let (set, call) = (set(json!({ "*": { "turn": 5 } })), call("x", "read"));
        let cx = cx(&set, "a", 1);
        let mut warned = Vec::new();
        for _ in 0..5 {
            let _ = judge(&set, &cx, &call);
            let event = AfterToolCallSuccess::new(call.clone(), call.input.clone());
            let result = set.fire_blocking(&cx, &event, ToolResult::new("x")).unwrap().subject.unwrap();
            warned.push(result.additional_context.len());
        }
        assert_eq!(warned, [0, 0, 0, 1, 1]);
    }

    #[test]
    fn every_limit_is_announced_before_it_is_reached() {
        for within in ["turn", "conversation", "per_minute"] {
            for most in 1..=6 {
                let set = set(json!({ "*": { within: most } }));
                let (cx, call) = (cx(&set, "a", 1), call("x", "read"));
                let mut announced = false;
                for _ in 0..most {
                    assert!(judge(&set, &cx, &call).denial().is_none());
                    let failed = AfterToolCallFailure::new(call.clone(), call.input.clone(), "x");
                    let result = set.fire_blocking(&cx, &failed, ToolResult::error("x")).unwrap().subject.unwrap();
                    announced = !result.additional_context.is_empty();
                }
                assert!(announced && judge(&set, &cx, &call).denial().is_some(), "{within}: {most}");
            }
        }
    }

    #[test]
    fn a_sub_agent_has_no_calls_of_its_own() {
        let set = set(json!({ "pay": { "conversation": 3, "turn": 2 } }));
        let read = |cx: &HookContext| judge(&set, cx, &call("x", "pay")).denial().is_some();
        let child = |id: &str| {
            let ids = HookContext::builder().conversation(id).session("a").turn(1).agent_path(["support"]);
            set.context(ids).unwrap()
        };
        assert!(!read(&cx(&set, "a", 7)) && !read(&child("b")));
        assert!(read(&child("c")) && read(&cx(&set, "a", 7)), "two in the turn of the session");
        assert!(!read(&cx(&set, "a", 8)) && read(&child("d")), "three in the conversation");
    }

    #[test]
    fn a_new_set_of_the_same_list_counts_on_and_two_entries_count_alone() {
        let registry = Registry::empty().with(hooks![limit_calls]).unwrap();
        let entry = |name: &str, most: u32| json!({ "id": "limit_calls", "as": name, "with": { "limits": { "*": { "conversation": most } } } });
        let agent = json!({ "name": "a", "hooks": [entry("one", 2), entry("other", 3)] }).to_string();
        let set = || registry.scope(&AgentDef::from_json("a.json", &agent).unwrap(), None).unwrap();
        let answers: Vec<bool> = (0..4)
            .map(|_| {
                let set = set();
                judge(&set, &cx(&set, "a", 1), &call("x", "read")).denial().is_some()
            })
            .collect();
        assert_eq!(answers, [false, false, true, true]);
    }
    #[test]
    fn where_no_hook_is_listed_twice_changed_limits_count_on() {
        let registry = Registry::empty().with(hooks![limit_calls]).unwrap();
        let denies = |limits: serde_json::Value, tool: &str| {
            let list = json!({ "name": "a", "hooks": [{ "id": "limit_calls", "with": { "limits": limits } }] });
            let set = registry.scope(&AgentDef::from_json("a.json", &list.to_string()).unwrap(), None).unwrap();
            let cx = HookContext::builder().conversation("a").turn(1).state(CountsOn);
            judge(&set, &set.context(cx).unwrap(), &call("x", tool)).denial().is_some()
        };
        for most in [2, 3, 4] {
            assert!(!denies(json!({ "web_*": { "conversation": most } }), "web_search"), "{most}");
        }
        assert!(!denies(json!({ "web_search": { "turn": 4 } }), "web_search"));
        assert!(!denies(json!({ "web_*": { "turn": 4 } }), "web_fetch"), "another tool");
        for limits in [json!({ "*": { "conversation": 4 } }), json!({ "web_*": { "per_minute": 5, "together": true } })]
        {
            assert!(denies(limits.clone(), "web_search"), "{limits}");
        }
    }

    #[test]
    fn what_the_model_reads_where_nobody_counts_is_short_and_in_plain_words() {
        let set = set(json!({ "pay": { "conversation": 2 } }));
        let denied = judge(&set, &HookContext::new(), &call("x", "pay"));
        let reason = denied.denial().unwrap().reason.as_str();
        assert_eq!(reason, "calls of `pay` are limited, and nobody counts them here; continue without it");
    }
}
