//! Promise 1: a hook runs only if the scope in force names it.

use hooks_core::diagnostics::Finding;
use hooks_core::record::{Skip, Status};

use super::support::*;

fn three_levels() -> Registry {
    let registry = registry(["of_app", "of_agent", "of_prompt", "of_nobody"].map(writes));
    registry.set_app(AppDef::new("desk").hooks(["of_app"]));
    registry
}

fn run(set: &HookSet) -> Vec<&'static str> {
    set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject.unwrap().0
}

/// `Some(json)` is the file of the agent or the prompt.
#[test]
fn the_app_is_always_in_force_and_the_prompt_replaces_the_agent() {
    let table: [(&str, Option<&str>, &[&str]); 9] = [
        (r#"{"hooks":["of_agent"]}"#, None, &["of_app", "of_agent"]),
        (r#"{"hooks":["of_agent"]}"#, Some(r#"{"hooks":["of_prompt"]}"#), &["of_app", "of_prompt"]),
        (r#"{"hooks":["of_agent"]}"#, Some(r#"{"hooks":[]}"#), &["of_app"]),
        (r#"{"hooks":["of_agent"]}"#, Some(r#"{"hooks":null}"#), &["of_app", "of_agent"]),
        (r#"{"hooks":["of_agent"]}"#, Some("{}"), &["of_app", "of_agent"]),
        (r#"{"hooks":[]}"#, None, &["of_app"]),
        (r#"{"hooks":null}"#, Some("{}"), &["of_app"]),
        ("{}", None, &["of_app"]),
        ("{}", Some(r#"{"hooks":["of_prompt"]}"#), &["of_app", "of_prompt"]),
    ];
    for (agent, prompt, expected) in table {
        let by_file = (
            AgentDef::from_json("agent.json", agent).unwrap(),
            prompt.map(|prompt| PromptDef::from_json("prompt.json", prompt).unwrap()),
        );
        let by_serde = (
            serde_json::from_str::<AgentDef>(agent).unwrap(),
            prompt.map(|prompt| serde_json::from_str::<PromptDef>(prompt).unwrap()),
        );
        for (agent_def, prompt_def) in [by_file, by_serde] {
            let set = three_levels().scope(&agent_def, prompt_def.as_ref().map(|def| def as _)).unwrap();
            assert_eq!(run(&set), expected, "agent {agent}, prompt {prompt:?}");
        }
    }
}

#[test]
fn a_hook_in_the_lists_of_app_and_scope_runs_once_at_the_app_s_place() {
    let agent = AgentDef::new("a").hooks(["of_agent", "of_app"]);
    assert_eq!(run(&three_levels().scope(&agent, None).unwrap()), ["of_app", "of_agent"]);
}

#[test]
fn a_set_without_hooks_gives_everything_back_as_it_was() {
    let set = Registry::empty().scope(&AgentDef::new("a"), None).unwrap();
    assert!(!set.has::<Step>());
    let fired = set.fire_blocking(&cx(), &step(), Trail(vec!["as it was"])).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["as it was"]);
    assert!(fired.report.record.is_none() && fired.report.failures.is_empty());
}

#[test]
fn kinds_outside_a_turn_read_the_app_s_list_alone() {
    let boot = Hook::at::<Boot>("on_boot").reader(|_, _, ()| ());
    let registry = registry([boot]);
    let error = registry.scope(&AgentDef::new("a").hooks(["on_boot"]), None).unwrap_err().to_string();
    assert!(error.contains("agent `a` names the hook `on_boot`"), "{error}");
    assert!(error.contains("`boot` fires outside a turn and reads the app's list alone; name it there"), "{error}");

    registry.set_app(AppDef::new("desk").hooks(["on_boot"]));
    for agent in [AgentDef::new("a"), AgentDef::new("a").hooks(["on_boot"])] {
        let set = registry.scope(&agent, Some(&PromptDef::new("p").hooks([] as [&str; 0]))).unwrap();
        let fired = set.fire_blocking(&cx(), &Boot {}, ()).unwrap();
        assert_eq!(statuses(&fired.report.record.clone().unwrap()), [("on_boot".to_owned(), Status::Completed)]);
    }
}

#[test]
fn audit_reports_a_gate_of_the_agent_that_the_prompt_s_list_leaves_out() {
    let registry = registry([says("guard", Permission::allow()), says("kept", Permission::allow()), writes("no_gate")]);
    let agent = AgentDef::new("support").hooks(["guard", "kept", "no_gate"]);
    let prompt = PromptDef::new("refunds").hooks(["kept"]);
    let set = registry.scope(&agent, Some(&prompt)).unwrap();
    assert_eq!(set.audit().len(), 1, "only the gate: {:?}", set.audit());
    let found = set.audit()[0].to_string();
    assert!(found.starts_with("prompt `refunds` leaves out the gate `guard` ("), "{found}");
    assert!(found.contains("of agent `support`"), "{found}");
    assert!(registry.audit([&set]).contains(&set.audit()[0]));

    registry.set_app(AppDef::new("desk").hooks(["guard"]));
    let set = registry.scope(&agent, Some(&prompt)).unwrap();
    assert!(set.audit().is_empty(), "the app names it: {:?}", set.audit());
    let without = registry.scope(&agent, None).unwrap();
    assert!(without.audit().is_empty());
}

#[test]
fn audit_reports_a_hook_that_no_scope_names_and_a_scope_that_names_none() {
    let registry = registry([writes("named"), writes("unnamed")]);
    let one = registry.scope(&AgentDef::new("one").hooks(["named"]), None).unwrap();
    let none = registry.scope(&AgentDef::new("none").hooks([] as [&str; 0]), None).unwrap();
    let findings = registry.audit([&one, &none]);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(matches!(&findings[0], Finding::EmptyScope { .. }));
    assert!(matches!(&findings[1], Finding::UnnamedHook { hook, .. } if hook.as_str() == "unnamed"));
}

#[test]
fn a_hook_whose_filter_does_not_match_is_skipped_and_recorded_so() {
    #[hook(id = "only_refunds", kind = Step, topic = "refund*|credit")]
    fn only_refunds(trail: &mut Trail) {
        trail.0.push("refund");
    }
    let registry = Registry::empty().with(hooks![only_refunds]).unwrap();
    registry.register(writes("any")).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["only_refunds", "any"]), None).unwrap();
    let table: [(&str, &[&str]); 4] =
        [("refund_now", &["refund", "any"]), ("credit", &["refund", "any"]), ("credits", &["any"]), ("", &["any"])];
    for (topic, expected) in table {
        let fired = set.fire_blocking(&cx(), &Step { topic: topic.to_owned() }, Trail::default()).unwrap();
        assert_eq!(fired.subject.unwrap().0, expected, "{topic}");
        let status = fired.report.record.clone().unwrap().runs[0].status;
        let wanted = if expected.len() == 2 { Status::Completed } else { Status::Skipped(Skip::Filter) };
        assert_eq!(status, wanted, "{topic}");
    }
}
