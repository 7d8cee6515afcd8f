//! One hook several times in the lists, each time with a name and parameters of its own.

use hook_sdk::diagnostics::{FindingKind, ProblemKind};
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::scope::HookUse;
use serde_json::json;

use super::detached_support::{Lines, background, wind_down};
use super::support::*;

#[derive(serde::Deserialize)]
struct Limit {
    most: usize,
}

/// Denies a trail that is longer than its limit.
fn limit() -> Hook {
    let judge = |cx: &HookContext, _: &Spend, trail: &Trail| match cx.with::<Limit>() {
        Some(limit) if trail.0.len() <= limit.most => Permission::NoOpinion,
        _ => Permission::deny("too long"),
    };
    Hook::at::<Spend>("limit").reader(judge).parameters::<Limit>()
}

const TWICE: &str = r#"{"name": "a", "hooks": [
  {"id": "limit", "as": "limit_few", "with": {"most": 1}},
  {"id": "limit", "with": {"most": 9}},
  {"id": "limit", "as": "limit_many", "with": {"most": 5}}
]}"#;

fn twice() -> AgentDef {
    AgentDef::from_json("a.json", TWICE).unwrap()
}

#[test]
fn each_name_runs_with_its_own_parameters_and_is_shown_in_plan_record_and_verdict() {
    let set = registry([limit()]).scope(&twice(), None).unwrap();
    let plan: Vec<String> = set.plan("spend").map(|hook| hook.to_string()).collect();
    assert!(plan[0].starts_with("limit_few ") && plan[0].contains("with parameters; runs limit;"), "{plan:?}");
    assert!(plan[1].starts_with("limit ") && !plan[1].contains("runs"), "{plan:?}");
    let fired = set.fire_blocking(&cx(), &spend(), Trail(vec!["a", "b"])).unwrap();
    assert_eq!(fired.verdict.denial().unwrap().by.as_ref().map(ToString::to_string).as_deref(), Some("limit_few"));
    let record = fired.report.record.clone().unwrap();
    let runs: Vec<_> = record.runs.iter().map(|run| (run.hook.as_str(), run.verdict)).collect();
    assert_eq!(runs[0], ("limit_few", Some("deny")));
    let long = set.fire_blocking(&cx(), &spend(), Trail(vec!["a"; 6])).unwrap().report.record.clone().unwrap();
    assert_eq!(long.runs.iter().map(|run| run.hook.as_str()).collect::<Vec<_>>(), ["limit_few", "limit", "limit_many"]);
}

#[test]
fn a_list_keeps_its_names_when_it_is_written() {
    let written = serde_json::to_value(twice()).unwrap();
    assert_eq!(written, serde_json::from_str::<serde_json::Value>(TWICE).unwrap());
}

#[test]
fn a_name_is_refused_if_it_is_malformed_taken_or_the_id_of_another_hook() {
    let registry = registry([limit(), says("other", Permission::NoOpinion)]);
    let cases = [
        (
            r#"[{"id": "limit", "as": "Few"}]"#,
            ProblemKind::BadId,
            "names the hook `limit` as `Few`, but a name is `snake_case`",
        ),
        (
            r#"[{"id": "limit", "as": "other"}]"#,
            ProblemKind::BadId,
            "which is the id of another hook; choose another name",
        ),
        (
            r#"["limit", {"id": "limit", "with": {"most": 1}}]"#,
            ProblemKind::NamedTwice,
            "names the hook `limit` twice (first at a.json:1:12); keep one, or give one another name with `as`",
        ),
        (
            r#"[{"id": "limit", "as": "x"}, {"id": "other", "as": "x"}]"#,
            ProblemKind::NamedTwice,
            "names the hook `x` twice (first at a.json:1:12); keep one",
        ),
        (
            r#"["other", "other"]"#,
            ProblemKind::NamedTwice,
            "names the hook `other` twice (first at a.json:1:12); keep one",
        ),
    ];
    for (list, kind, text) in cases {
        let agent = AgentDef::from_json("a.json", &format!(r#"{{"hooks": {list}}}"#)).unwrap();
        let error = registry.scope(&agent, None).unwrap_err();
        assert_eq!(error.problems()[0].kind(), kind, "{error}");
        let shown = error.problems()[0].to_string();
        assert!(shown.starts_with("a.json:1:") && shown.contains(text), "{shown}");
    }
}

#[test]
fn the_app_s_name_is_not_given_to_another_hook_or_to_other_parameters() {
    let registry = registry([limit(), says("other", Permission::NoOpinion)]);
    let few = || HookUse::id("limit").alias("few").with(json!({ "most": 1 }));
    registry.set_app(AppDef::new("app").hooks([few()]));
    let error = |entry: HookUse| registry.scope(&AgentDef::new("a").hooks([entry]), None).unwrap_err().to_string();
    assert!(error(few()).contains("but the app's list names it already"));
    let otherwise = error(HookUse::id("other").alias("few"));
    assert!(otherwise.contains("names the hook `other` as `few`, but the app's list names `limit` so"), "{otherwise}");
    let set = registry.scope(&AgentDef::new("a").hooks([few().alias("more")]), None).unwrap();
    assert_eq!(set.plan("spend").count(), 2);
}

#[test]
fn constraints_overrides_and_the_audit_mean_the_hook_by_its_id() {
    let registry = registry([limit(), says("early", Permission::NoOpinion).before(["limit"]), {
        says("late", Permission::NoOpinion).requires(["limit"]).priority(-5)
    }]);
    let set = registry.scope(&twice().hooks(["late", "early"]), None).unwrap();
    let order: Vec<_> = set.plan("spend").map(|hook| hook.hook().to_string()).collect();
    assert_eq!(order, ["early", "limit_few", "limit", "limit_many", "late"]);
    let only_alias = AgentDef::new("a").hooks([HookUse::id("limit").alias("few").with(json!({ "most": 1 }))]);
    let set = registry.scope(&only_alias.hooks(["late"]), None).unwrap();
    assert!(
        !registry
            .audit([&set])
            .iter()
            .any(|found| found.kind() == FindingKind::UnnamedHook && found.about() == "limit")
    );
    registry.set_overrides([Overrides::new("ops").set("limit", Override::new().enabled(false))]).unwrap();
    let error = registry.scope(&twice().hooks(["late"]), None).unwrap_err().to_string();
    assert!(error.contains("requires `limit`, which is disabled"), "{error}");
}

#[test]
fn a_prompt_that_leaves_out_one_of_the_names_leaves_out_a_gate() {
    let prompt = PromptDef::new("p").hooks([HookUse::id("limit").alias("limit_few").with(json!({ "most": 1 }))]);
    let set = registry([limit()]).scope(&twice(), Some(&prompt)).unwrap();
    let about: Vec<_> = set.audit().iter().map(|found| (found.kind(), found.about().to_owned())).collect();
    assert_eq!(about, ["limit", "limit_many"].map(|name| (FindingKind::DroppedGate, format!("{name} in prompt `p`"))));
}

#[tokio::test]
async fn a_job_keeps_the_id_to_find_its_hook_and_the_name_for_records() {
    let registry = registry([background("later", |_, _| vec![]).parameters::<Limit>()]);
    let lines = Lines::default();
    registry.set_background(lines.clone());
    let entry = |name: &str| HookUse::id("later").alias(name).with(json!({ "most": 1 }));
    let set = registry.scope(&AgentDef::new("a").hooks([entry("one"), entry("two")]), None).unwrap();
    let _ = set.fire_blocking(&cx(), &wind_down(), vec![]).unwrap();
    let jobs = lines.jobs();
    assert_eq!(
        jobs.iter().map(|job| (job.hook.as_str(), job.name().as_str())).collect::<Vec<_>>(),
        [("later", "one"), ("later", "two")]
    );
    assert_ne!(jobs[0].idempotency_key, jobs[1].idempotency_key);
    let end = registry.run_job(&cx(), &jobs[1]).await.unwrap();
    assert_eq!(end.ended.run.hook.as_str(), "two");
}
