use hook_sdk::context::HookContextBuilder;
use hook_sdk::data::Usage;
use hook_sdk::kinds::{PostModelCall, PreModelCall};
use hook_sdk::prelude::*;
use hooks_prebuilt::{Budget, Spent, budget};
use serde_json::{Value, json};

fn of(with: Value) -> Budget {
    serde_json::from_value(with).unwrap()
}

#[test]
fn cached_input_and_output_have_prices_of_their_own() {
    let prices = json!({ "gpt-*": { "input": 2.0, "cached_input": 0.5, "output": 10.0 }, "gpt-mini": { "input": 0.1, "output": 0.2 } });
    let limits = of(json!({ "cost": 1.0, "prices": prices }));
    let mut spent = Spent::default();
    limits.charge(&mut spent, "gpt-5", Some(Usage::new(1_000, 100).cache_read(600)));
    assert_eq!((spent.tokens, spent.cost), (1_100, 400 * 2 + 300 + 1_000));
    limits.charge(&mut spent, "gpt-mini", Some(Usage::new(1_000, 0)));
    assert_eq!(spent.cost, 2_100 + 100);
    assert!((limits.part(&spent) - 0.0022).abs() < 1e-9);
    limits.charge(&mut spent, "claude", Some(Usage::new(1, 0)));
    assert_eq!(
        (limits.part(&spent), spent.unpriced.as_deref()),
        (1.0, Some("claude")),
        "an unknown price is not nothing"
    );
}

#[test]
fn a_call_whose_tokens_nobody_reports_counts() {
    let mut spent = Spent::default();
    of(json!({ "tokens": 5_000 })).charge(&mut spent, "x", None);
    assert_eq!(spent.tokens, 2_000);
}

/// Calls a model until the budget is spent, and returns what the system prompts and answers said.
fn run(set: &HookSet, cx: &HookContext, used: u64) -> Vec<&'static str> {
    (0..6).map(|_| spend(set, cx, used)).collect()
}

/// Calls a model once.
fn spend(set: &HookSet, cx: &HookContext, used: u64) -> &'static str {
    let request = set.fire_blocking(cx, &PreModelCall::new(), ModelRequest::new("s")).unwrap().subject;
    let mut event = PostModelCall::new("end").model("m");
    event.usage = request.answer.is_none().then(|| Usage::new(used, 0));
    let _ = set.fire_blocking(cx, &event, ModelReply::new(vec![])).unwrap();
    if request.answer.is_some() {
        "spent"
    } else if request.system_prompt.len() > 1 {
        "warned"
    } else {
        "free"
    }
}

fn set(with: Value) -> HookSet {
    let registry = Registry::empty().with(hooks![budget]).unwrap();
    let agent = json!({ "name": "a", "hooks": [{ "id": "budget", "with": with }] }).to_string();
    registry.scope(&AgentDef::from_json("a.json", &agent).unwrap(), None).unwrap()
}

#[test]
fn it_warns_and_then_answers_in_words_and_an_answer_costs_nothing() {
    let set = set(json!({ "tokens": 1_000 }));
    let of = |cx: HookContextBuilder| set.context(cx).unwrap();
    let cx = |conversation: &str| of(HookContext::builder().conversation(conversation).turn(1));
    assert_eq!(run(&set, &cx("a"), 400), ["free", "free", "warned", "spent", "spent", "spent"]);
    assert_eq!(run(&set, &cx("b"), 100)[..2], ["free", "free"], "each conversation has its own");
    let child = of(HookContext::builder().conversation("child").session("a").turn(1));
    assert_eq!(run(&set, &child, 1)[0], "spent", "a sub-agent spends what its caller has");
    let request = set.fire_blocking(&cx("a"), &PreModelCall::new(), ModelRequest::new("s")).unwrap().subject;
    assert!(request.answer.as_ref().unwrap()[0].as_text().unwrap().contains("budget of this conversation is used up"));
}

#[test]
fn a_turn_begins_anew_and_nothing_is_free_where_nobody_counts() {
    let set = set(json!({ "tokens": 100, "per": "turn" }));
    let cx = |turn| set.context(HookContext::builder().conversation("a").turn(turn)).unwrap();
    assert_eq!(run(&set, &cx(1), 100)[..2], ["free", "spent"]);
    assert_eq!(run(&set, &cx(2), 100)[..2], ["free", "spent"]);
    assert_eq!(run(&set, &HookContext::new(), 1)[0], "spent");
}

#[test]
fn a_sub_agent_spends_the_turn_of_its_session() {
    let set = set(json!({ "tokens": 100, "per": "turn" }));
    let parent = |turn| set.context(HookContext::builder().conversation("a").turn(turn)).unwrap();
    let child = |id: &str| {
        set.context(HookContext::builder().conversation(id).session("a").turn(1).agent_path(["support"])).unwrap()
    };
    assert_eq!(spend(&set, &parent(3), 60), "free");
    assert_eq!(spend(&set, &child("b"), 60), "free");
    assert_eq!((spend(&set, &child("c"), 60), spend(&set, &parent(3), 60)), ("spent", "spent"));
    assert_eq!(spend(&set, &parent(4), 60), "free");
}

#[test]
fn a_day_is_that_of_all_conversations_and_of_every_set() {
    let with = json!({ "tokens": 100, "per": "day" });
    let registry = Registry::empty().with(hooks![budget]).unwrap();
    let agent = json!({ "name": "a", "hooks": [{ "id": "budget", "with": with }] }).to_string();
    for (conversation, expected) in [("a", "free"), ("b", "free"), ("c", "spent"), ("a", "spent")] {
        let set = registry.scope(&AgentDef::from_json("a.json", &agent).unwrap(), None).unwrap();
        let cx = set.context(HookContext::builder().conversation(conversation)).unwrap();
        assert_eq!(spend(&set, &cx, 60), expected, "{conversation}");
    }
}

#[test]
fn what_another_agent_of_the_session_does_meanwhile_makes_no_answer_cost() {
    let set = set(json!({ "tokens": 3_000 }));
    let [a, b] = ["a", "b"].map(|id| set.context(HookContext::builder().conversation(id).session("s")).unwrap());
    let ask = |cx: &HookContext, request| set.fire_blocking(cx, &PreModelCall::new(), request).unwrap().subject;
    let end = |cx: &HookContext| {
        let event = PostModelCall::new("end").model("m");
        let _ = set.fire_blocking(cx, &event, ModelReply::new(vec![])).unwrap();
    };
    // One is answered by another hook while the other calls a model that reports no tokens.
    for _ in 0..5 {
        ask(&a, ModelRequest::new("s").answer("cached"));
        ask(&b, ModelRequest::new("s").answer("cached"));
        end(&a);
        end(&b);
    }
    assert!(ask(&a, ModelRequest::new("s")).answer.is_none(), "answers in the model's place cost nothing");
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "cost": -1.0, "per": "days", "unknown_model": "allow", "token": 5 });
    let error = serde_json::from_value::<Budget>(wrong).unwrap_err().to_string();
    for part in
        ["`cost` needs `prices`", "did you mean `day`", "`unknown_model`", "did you mean `tokens`", "amounts of money"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(serde_json::from_value::<Budget>(json!({})).unwrap_err().to_string().contains("limits nothing"));
}
