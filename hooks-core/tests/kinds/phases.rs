//! The phases of a turn: each receives what the earlier ones contributed.

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "phase_policy", kind = pre_policy)]
fn phase_policy() -> Contribution {
    Contribution::policy("answers", "length", "short", 0)
}

#[hook(id = "phase_context", kind = pre_prompt_context)]
fn phase_context(event: &PrePromptContext) -> Option<Contribution> {
    let is_short = event.contributions.policies().value("answers", "length").is_some_and(|length| length == "short");
    is_short.then(|| Contribution::prompt_context("style", "length", "two sentences at most"))
}

#[hook(id = "phase_compile", kind = pre_prompt_compile)]
fn phase_compile(event: &PrePromptCompile) -> Contribution {
    let entries = event.contributions.prompt_context().entries.len();
    Contribution::audit(format!("{} policies, {entries} entries", event.contributions.policies().entries.len()))
}

#[test]
fn each_phase_receives_the_policies_and_contexts_of_the_earlier_ones() {
    let listed = hooks![phase_policy, phase_context, phase_compile];
    let registry = Registry::empty().with(listed).unwrap();
    let set = registry.scope(&AgentDef::new("agent").hooks(listed), None).unwrap();
    let cx = HookContext::new();

    let mut so_far = Contributions::default();
    so_far.merge(set.fire_blocking(&cx, &PrePolicy::new("hi"), ()).unwrap().verdict);
    so_far
        .merge(set.fire_blocking(&cx, &PrePromptContext::new("hi").contributions(so_far.clone()), ()).unwrap().verdict);
    so_far
        .merge(set.fire_blocking(&cx, &PrePromptCompile::new("hi").contributions(so_far.clone()), ()).unwrap().verdict);
    assert_eq!(so_far.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["1 policies, 1 entries"]);

    let alone = set.fire_blocking(&cx, &PrePromptContext::new("hi"), ()).unwrap();
    assert_eq!(alone.verdict.iter().count(), 0, "without the policy, the hook contributes nothing");
}

#[test]
fn a_plan_is_read_as_a_type_of_the_app_and_a_mismatch_says_what_was_expected() {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Plan {
        topics: Vec<String>,
    }
    let event = |plan: serde_json::Value| PostPreflightPromptContext::new("hi").plan(plan);
    let plan = Plan { topics: vec!["pets".to_owned()] };
    assert_eq!(event(serde_json::to_value(&plan).unwrap()).read_plan(), Ok(Some(plan)));
    assert_eq!(PostPreflightPromptContext::new("hi").read_plan::<Plan>(), Ok(None), "no look was taken");
    let error = event(serde_json::json!({ "topics": 3 })).read_plan::<Plan>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the plan of the preflight check: expected an object with `topics`: invalid type: integer `3`, expected a sequence"
    );
}
