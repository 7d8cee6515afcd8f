//! Promise 1: a hook runs only if the scope in force names it.

use hook_sdk::diagnostics::{Finding, FindingKind, HarnessFacts};
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::plugin::Plugin;
use hook_sdk::record::{Skip, Status};
use hook_sdk::scope::{Definition, HookUse};

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
fn the_app_s_list_is_always_in_force_and_the_prompt_s_replaces_the_agent_s() {
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
fn a_set_without_hooks_returns_the_subject_unchanged() {
    let set = Registry::empty().scope(&AgentDef::new("a"), None).unwrap();
    assert!(!set.has::<Step>());
    let fired = set.fire_blocking(&cx(), &step(), Trail(vec!["as it was"])).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["as it was"]);
    assert!(fired.report.record.is_none() && fired.report.failures.is_empty());
}

#[test]
fn at_kinds_outside_a_turn_only_the_app_s_list_applies() {
    let boot = Hook::at::<Boot>("on_boot").reader(|_, _, ()| ());
    let registry = registry([boot]);
    let error = registry.scope(&AgentDef::new("a").hooks(["on_boot"]), None).unwrap_err().to_string();
    assert!(error.contains("agent `a` names the hook `on_boot`"), "{error}");
    assert!(
        error.contains("`boot` fires outside of turns, where only the app's list applies; move it there"),
        "{error}"
    );

    registry.set_app(AppDef::new("desk").hooks(["on_boot"]));
    for agent in [AgentDef::new("a"), AgentDef::new("a").hooks(["on_boot"])] {
        let set = registry.scope(&agent, Some(&PromptDef::new("p").hooks([] as [&str; 0]))).unwrap();
        let fired = set.fire_blocking(&cx(), &Boot {}, ()).unwrap();
        assert_eq!(statuses(&fired.report.record.clone().unwrap()), [("on_boot".to_owned(), Status::Completed)]);
    }
}

#[test]
fn audit_reports_a_gate_of_the_agent_that_the_prompt_s_list_leaves_out() {
    let registry = registry([says("guard", Permission::Allow), says("kept", Permission::Allow), writes("no_gate")]);
    let agent = AgentDef::new("support").hooks(["guard", "kept", "no_gate"]);
    let prompt = PromptDef::new("refunds").hooks(["kept"]);
    let set = registry.scope(&agent, Some(&prompt)).unwrap();
    assert_eq!(set.audit().len(), 1, "only the gate: {:?}", set.audit());
    let found = set.audit()[0].to_string();
    assert!(found.starts_with("prompt `refunds` omits the gate `guard` ("), "{found}");
    assert!(found.contains("of agent `support`"), "{found}");
    assert!(registry.audit([&set]).contains(&set.audit()[0]));

    registry.set_app(AppDef::new("desk").hooks(["guard"]));
    let set = registry.scope(&agent, Some(&prompt)).unwrap();
    assert!(set.audit().is_empty(), "the app names it: {:?}", set.audit());
    let without = registry.scope(&agent, None).unwrap();
    assert!(without.audit().is_empty());
}

#[test]
fn audit_reports_a_guard_outside_a_gate_that_the_prompt_s_list_leaves_out() {
    let table = [
        (writes("redact").on_failure(OnFailure::Required), Some("on_failure = required")),
        (writes("redact").on_failure(OnFailure::Remove), Some("on_failure = remove")),
        (writes("redact").locked(), Some("locked")),
        (writes("redact").on_failure(OnFailure::Continue), None),
        (writes("redact"), None),
    ];
    for (hook, why) in table {
        let registry = registry([hook]);
        let agent = AgentDef::new("support").hooks(["redact"]);
        let prompt = PromptDef::new("refunds").hooks([] as [&str; 0]);
        let set = registry.scope(&agent, Some(&prompt)).unwrap();
        let dropped = |finding: &&Finding| finding.kind() == FindingKind::DroppedGuard;
        let found = set.audit().iter().find(dropped).map(ToString::to_string);
        assert_eq!(found.is_some(), why.is_some(), "{why:?}: {found:?}");
        if let (Some(found), Some(why)) = (found, why) {
            assert!(found.starts_with("prompt `refunds` omits the hook `redact` ("), "{found}");
            assert!(found.contains(&format!(", `{why}`) of agent `support`, because")), "{found}");
        }
    }
}

#[test]
fn the_app_s_list_comes_from_a_file_and_its_messages_name_the_place() {
    let registry = three_levels();
    registry.set_app(AppDef::from_json("app.json", r#"{"name": "desk", "hooks": ["of_agent"], "port": 80}"#).unwrap());
    let prompt: Option<PromptDef> = None;
    assert_eq!(run(&registry.scope(&AgentDef::new("a"), prompt.as_ref()).unwrap()), ["of_agent"]);

    registry.set_app(AppDef::from_json("app.json", "{\"name\": \"desk\",\n\"hooks\": [\"of_agnt\"]}").unwrap());
    let error = registry.scope(&AgentDef::new("a"), None).unwrap_err().to_string();
    assert!(error.starts_with("app.json:2:11: "), "{error}");

    let error = AppDef::from_json("app.json", "[]").unwrap_err().to_string();
    assert_eq!(error, "app.json:1:1: expected an app: an object with `name` and `hooks`");
    let error = AppDef::from_json("app.json", r#"{"hook": []}"#).unwrap_err().to_string();
    assert_eq!(error, "app.json:1:2: unknown field `hook`; did you mean `hooks`?");
    let by_serde: AppDef = serde_json::from_str(r#"{"hooks": ["of_agent"]}"#).unwrap();
    assert_eq!(by_serde.hooks.map(|list| list.len()), Some(1));
}

#[cfg(feature = "toml")]
#[test]
fn the_app_s_list_comes_from_toml() {
    let app = AppDef::from_toml("app.toml", "name = \"desk\"\nhooks = [\"of_agent\"]").unwrap();
    assert_eq!((app.name.as_str(), app.hooks.map(|list| list.len())), ("desk", Some(1)));
}

#[test]
fn an_app_s_own_prompt_replaces_the_agent_s_list() {
    struct Template(Vec<HookUse>);

    impl Definition for Template {
        fn name(&self) -> &'static str {
            "template"
        }

        fn hooks(&self) -> Option<&[HookUse]> {
            Some(&self.0)
        }
    }

    let prompt = PromptDef::from_definition(&Template(vec![HookUse::id("of_prompt")]));
    let set = three_levels().scope(&AgentDef::new("a").hooks(["of_agent"]), Some(&prompt)).unwrap();
    assert_eq!(run(&set), ["of_app", "of_prompt"]);
}

#[test]
fn audit_with_a_harness_reports_a_filter_that_matches_none_of_its_values() {
    let facts = || HarnessFacts::new().tools(["refund", "read_file"]).words::<Step>("topic", ["news", "sport"]);
    let guard = || Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::NoOpinion);
    let table: [(Hook, &[&str]); 10] = [
        (guard().only("tool", "refund|read_*"), &[]),
        (
            guard().only("tool", "refnd"),
            &["`tool` is `refnd`, which it never is in this harness; did you mean `refund`?"],
        ),
        (guard().only("tool", "refund|write_*"), &[]),
        (guard().only("tool", "re*").only("tool", "*_file"), &[]),
        (
            guard().only("tool", "refund*").only("tool", "*_file"),
            &[
                "`tool` is `refund*`, which it never is in this harness",
                "`tool` is `*_file`, which it never is in this harness",
            ],
        ),
        (guard().only("tool", "write_*"), &["`tool` is `write_*`, which it never is in this harness"]),
        (
            guard().only("tool", "refund|reed_file"),
            &["`tool` is `reed_file`, which it never is in this harness; did you mean `read_file`?"],
        ),
        (
            writes("step").only("topic", "new"),
            &["`topic` is `new`, which it never is in this harness; did you mean `news`?"],
        ),
        (writes("step").only("topic", "*s"), &[]),
        (Hook::at::<PreModelCall>("model").writer(|_, _, _| ()).only("call_site", "mian"), &[]),
    ];
    for (hook, expected) in table {
        let registry = Registry::empty();
        registry.register(hook).unwrap();
        let found: Vec<String> = registry
            .audit_with([], &facts())
            .iter()
            .filter(|finding| finding.kind() == FindingKind::MatchesNothing)
            .map(ToString::to_string)
            .collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, expected)| found.ends_with(expected)), "{found:?}");
    }
}

#[test]
fn audit_with_a_harness_reports_that_no_kind_is_declared_as_fired() {
    let findings = Registry::empty().audit_with([], &HarnessFacts::new());
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].kind(), FindingKind::FiresNotDeclared, "this binary has no `fires!`");
    assert!(Registry::empty().audit([]).is_empty());
}

#[test]
fn audit_reports_a_hook_that_no_scope_names_and_a_scope_that_names_none() {
    let registry = registry([writes("named"), writes("unnamed")]);
    let one = registry.scope(&AgentDef::new("one").hooks(["named"]), None).unwrap();
    let none = registry.scope(&AgentDef::new("none").hooks([] as [&str; 0]), None).unwrap();
    let findings = registry.audit([&one, &none]);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(findings[0].kind(), FindingKind::EmptyScope);
    assert_eq!((findings[1].kind(), findings[1].about()), (FindingKind::UnnamedHook, "unnamed"));
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

/// For the gates of one agent over the calls of another agent. The hooks that are in force everywhere already ran
/// there.
#[test]
fn a_scope_alone_has_neither_the_app_s_list_nor_plugins() {
    let registry = three_levels();
    registry.install(Plugin::new("acme").hook(writes("of_plugin"))).unwrap();
    let agent = AgentDef::new("a").hooks(["of_agent", "of_app", "of_plugin"]);
    let prompt = PromptDef::new("p").hooks(["of_prompt"]);
    assert_eq!(run(&registry.scope_alone(&agent, None).unwrap()), ["of_agent"]);
    assert_eq!(run(&registry.scope_alone(&agent, Some(&prompt)).unwrap()), ["of_prompt"]);
    registry.install(Plugin::new("of_a").agent("a").hook(writes("of_its_plugin"))).unwrap();
    let in_the_order_of_a_scope = ["of_its_plugin", "of_agent"];
    assert_eq!(run(&registry.scope_alone(&agent, None).unwrap()), in_the_order_of_a_scope);
    assert_eq!(run(&registry.scope_alone(&AgentDef::new("b"), None).unwrap()), [""; 0]);
    let error = registry.scope_alone(&AgentDef::new("c").hooks(["of_agnet"]), None).unwrap_err();
    assert!(error.to_string().contains("of_agnet"), "{error}");
}

#[test]
fn a_fork_copies_hooks_and_app_and_changes_independently() {
    let registry = three_levels();
    let fork = registry.fork();
    assert_eq!(fork.app().name, "desk");
    fork.set_app(AppDef::new("other").hooks(["of_nobody"]));
    fork.register(writes("new")).unwrap();
    let agent = AgentDef::new("a").hooks(["of_agent"]);
    assert_eq!(run(&registry.scope(&agent, None).unwrap()), ["of_app", "of_agent"]);
    assert_eq!(run(&fork.scope(&agent, None).unwrap()), ["of_nobody", "of_agent"]);
    assert_eq!((registry.app().name, registry.hooks().len(), fork.hooks().len()), ("desk".into(), 4, 5));
    let manifest = serde_json::to_value(registry.manifest()).unwrap();
    let names: Vec<_> =
        manifest["kinds"].as_array().unwrap().iter().map(|kind| kind["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && ["boot", "seen", "step"].iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn a_set_lists_its_kinds_and_the_hooks_of_each() {
    let registry = registry([writes("on"), writes("off").only("topic", "a* | b"), writes("gone")]);
    registry.add_overrides([Overrides::new("ops").set("gone", Override::new().enabled(false))]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["on", "off", "gone"]), None).unwrap();
    assert_eq!(set.kinds().collect::<Vec<_>>(), ["step"]);
    let plan: Vec<_> = set.plan("step").collect();
    assert_eq!(plan.iter().map(|hook| hook.hook().as_str()).collect::<Vec<_>>(), ["on", "off"]);
    assert!(plan[0].stage() < plan[1].stage(), "writers run one after the other");
    assert!(plan[1].to_string().contains("off"), "{}", plan[1]);
    assert_eq!(plan[1].kept_out_by("topic", "b"), None);
    assert_eq!(plan[1].kept_out_by("topic", "c").as_deref(), Some("topic a* | b"));
    assert_eq!(plan[0].kept_out_by("topic", "c"), None);
    let left: Vec<_> = set.left_out("step").map(|(id, why)| (id.as_str(), why)).collect();
    assert_eq!(left.len(), 1);
    assert!(left[0].0 == "gone" && left[0].1.contains("ops"), "{left:?}");
    assert!(set.left_out("seen").next().is_none() && set.plan("seen").next().is_none());
}

#[test]
fn audit_finds_a_set_that_is_older_than_its_registry() {
    let registry = three_levels();
    let agent = AgentDef::new("a").hooks(["of_agent"]);
    let outdated = |set: &HookSet| -> Vec<String> {
        let findings = registry.audit([set]);
        let outdated = findings.iter().filter(|finding| finding.kind() == FindingKind::OutdatedSet);
        outdated.map(Finding::to_string).collect()
    };
    let set = registry.scope(&agent, None).unwrap();
    assert_eq!(outdated(&set), [""; 0]);
    registry.register(writes("late")).unwrap();
    let found = outdated(&set);
    assert!(found.len() == 1 && found[0].contains("call `registry.scope(…)` again"), "{found:?}");
    assert_eq!(outdated(&registry.scope(&agent, None).unwrap()), [""; 0]);
    let found = outdated(&registry.fork().scope(&agent, None).unwrap());
    assert!(found.len() == 1 && found[0].contains("is of another registry"), "{found:?}");
}
