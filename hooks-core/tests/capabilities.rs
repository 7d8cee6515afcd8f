//! Which contributions a hook may make (`capabilities`), and who may see its runs (`visibility`).
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::record::FailureKind;
use hook_sdk::scope::HookRef;
use hook_sdk::testing;
use hook_sdk::verdict::Capabilities;

/// A text that hooks may rewrite while they contribute.
#[derive(Debug, HookKind)]
#[hook_kind(name = "before_digest", subject = String, verdict = Contributions)]
struct BeforeDigest;

fn note() -> Contribution {
    Contribution::audit("seen")
}

fn rule() -> Contribution {
    Contribution::policy("model", "profile", "fast", 0)
}

/// What the hook under test contributes.
type What = &'static [fn() -> Contribution];

/// One hook of each form. Each contributes `what`, and rewrites the subject if its form allows it.
fn forms(what: What) -> Vec<Hook> {
    let all = move || -> Vec<Contribution> { what.iter().map(|one| one()).collect() };
    vec![
        Hook::at::<BeforeDigest>("h").reader(move |_, _, _| all()),
        Hook::at::<BeforeDigest>("h").writer(move |_, _, text: &mut String| {
            text.push('!');
            all()
        }),
        Hook::at::<BeforeDigest>("h").replacer(move |_, _, text| (format!("{text}!"), all())),
        Hook::at::<BeforeDigest>("h")
            .async_reader(move |_, _, _| -> BoxFuture<'_, Vec<Contribution>> { Box::pin(async move { all() }) }),
        Hook::at::<BeforeDigest>("h").async_replacer(move |_, _, text| -> BoxFuture<'_, (String, Vec<Contribution>)> {
            Box::pin(async move { (format!("{text}!"), all()) })
        }),
    ]
}

#[tokio::test]
async fn a_contribution_without_its_capability_fails_the_hook_and_leaves_nothing() {
    for (i, hook) in forms(&[note, rule]).into_iter().enumerate() {
        let hook = hook.capabilities([Capability::Audit]);
        let ran = testing::run([hook], &BeforeDigest, "text".to_owned()).await.unwrap();
        assert_eq!((ran.verdict.iter().count(), ran.subject.as_str()), (0, "text"), "form {i}");
        let [failure] = &ran.report.failures[..] else { panic!("form {i}: {ran}") };
        assert_eq!(failure.failure.code(), "hook.capability_missing", "form {i}");
        assert_eq!(
            failure.cause,
            "it contributes `policy`, but `h` may contribute only audit; add `policy` to its `capabilities`",
            "form {i}"
        );
    }
}

#[tokio::test]
async fn contributions_within_the_capabilities_are_kept() {
    let may: [(&[Capability], What); 5] = [
        (&[Capability::Audit, Capability::Policy], &[note, rule]),
        (&[Capability::Audit], &[note, note]),
        (&[Capability::Policy], &[rule, || Contribution::Noop]),
        (&[], &[|| Contribution::Noop]),
        (&[], &[]),
    ];
    for (capabilities, what) in may {
        for (i, hook) in forms(what).into_iter().enumerate() {
            let hook = hook.capabilities(capabilities.iter().copied());
            let ran = testing::run([hook], &BeforeDigest, "text".to_owned()).await.unwrap();
            assert!(ran.report.failures.is_empty(), "form {i}: {ran}");
            assert_eq!(ran.verdict.iter().count(), what.len(), "form {i}");
        }
    }
    for hook in forms(&[note, rule]) {
        let ran = testing::run([hook], &BeforeDigest, "text".to_owned()).await.unwrap();
        assert_eq!(ran.verdict.iter().count(), 2, "without `capabilities`, a hook may contribute what the kind offers");
    }
}

#[test]
fn every_contribution_but_a_noop_needs_the_capability_of_its_name() {
    let table = [
        rule(),
        Contribution::prompt_context("d", "i", "t"),
        Contribution::prompt_section("i", "t", "t"),
        Contribution::tool_bundle("i", ["t"]),
        Contribution::prompt_manifest_diagnostic("a.b", "t"),
        note(),
        Contribution::background_job("j", 1),
    ];
    for (contribution, capability) in table.iter().zip(Capability::ALL) {
        assert_eq!(contribution.capability(), Some(*capability));
        let named = serde_json::to_value(contribution).unwrap()["kind"].clone();
        assert_eq!(named, capability.as_str());
        assert_eq!(serde_json::to_value(capability).unwrap(), capability.as_str());
        let all: Contributions = contribution.clone().into();
        let others: Capabilities = Capability::ALL.iter().copied().filter(|other| other != capability).collect();
        assert_eq!((all.lacks(others), all.lacks(Capabilities::of(&[*capability]))), (Some(*capability), None));
    }
    assert_eq!(table.len(), Capability::ALL.len());
    assert_eq!(Contribution::Noop.capability(), None);
}

#[test]
fn the_verdicts_of_start_kinds_need_the_capabilities_of_their_parts() {
    let table = [
        (AgentStart::from(()), &[][..], None),
        (AgentStart::context("c"), &[Capability::PromptContext], None),
        (AgentStart::context("c"), &[Capability::PromptSection], Some(Capability::PromptContext)),
        (AgentStart::system_prompt("s"), &[Capability::PromptContext], Some(Capability::PromptSection)),
    ];
    for (answer, held, lacks) in table {
        assert_eq!(answer.lacks(Capabilities::of(held)), lacks, "{answer:?} {held:?}");
    }
    assert_eq!(Contexts::from("c").lacks(Capabilities::default()), Some(Capability::PromptContext));
    assert_eq!(Contexts::default().lacks(Capabilities::default()), None);
}

/// Contributes a rule, although it only declares the capability `audit`.
#[hook(id = "overreaches", kind = pre_policy, capabilities = [audit], fallback = only_notes, visibility = user_audit)]
fn overreaches() -> Contribution {
    rule()
}

fn only_notes() -> Contribution {
    note()
}

/// Contributes a greeting, if at all.
#[hook(id = "greets", kind = [session_start, pre_prompt_context], capabilities = [prompt_context], visibility = debug)]
fn greets() {}

fn set(registry: &Registry, hooks: &[HookRef]) -> HookSet {
    registry.set_app(AppDef::new("desk").hooks(hooks.iter().copied()));
    registry.scope(&AgentDef::new("agent"), None).unwrap()
}

#[test]
fn a_fallback_answers_for_a_hook_that_lacks_a_capability() {
    let registry = Registry::empty().with(hooks![overreaches]).unwrap();
    let cx = HookContext::builder().keep_records(true).build();
    let fired = set(&registry, &hooks![overreaches]).fire_blocking(&cx, &PrePolicy::new("hi"), ()).unwrap();
    assert_eq!(fired.verdict.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["seen"]);
    let failure = &fired.report.failures[0];
    assert_eq!((failure.failure, failure.fell_back), (FailureKind::CapabilityMissing, true));
    assert_eq!(fired.report.record.as_ref().unwrap().runs[0].visibility, Visibility::UserAudit);
}

#[test]
fn the_plan_and_the_manifest_show_capabilities_and_visibility() {
    let listed = hooks![overreaches, greets];
    let registry = Registry::empty().with(listed).unwrap();
    let plan = set(&registry, &listed).to_string();
    assert!(
        plan.contains("on failure its fallback, then continue; contributes audit; visibility user_audit;"),
        "{plan}"
    );
    assert!(plan.contains("contributes prompt_context; visibility debug;"), "{plan}");
    let manifest = serde_json::to_value(registry.manifest()).unwrap();
    let hook = |id: &str| manifest["hooks"].as_array().unwrap().iter().find(|hook| hook["id"] == id).unwrap().clone();
    assert_eq!(
        (&hook("greets")["at"][0]["visibility"], &hook("overreaches")["at"][0]["visibility"]),
        (&"debug".into(), &"user_audit".into())
    );
    assert_eq!(hook("overreaches")["at"][0]["capabilities"], serde_json::json!(["audit"]));
    let kind =
        |name: &str| manifest["kinds"].as_array().unwrap().iter().find(|kind| kind["name"] == name).unwrap().clone();
    assert_eq!(kind("session_start")["capabilities"], serde_json::json!(["prompt_context"]));
    assert_eq!(kind("pre_policy")["capabilities"].as_array().unwrap().len(), Capability::ALL.len());
    assert!(kind("before_tool_call").get("capabilities").is_none());
}

#[test]
fn register_refuses_what_the_attribute_refuses() {
    let table = [
        (
            Hook::at::<BeforeToolCall>("h").reader(|_, _, _| ()),
            "has no effect at `before_tool_call`, where hooks contribute nothing",
        ),
        (
            Hook::at::<SessionStart>("h").reader(|_, _, ()| ()),
            "contains `audit`, which `session_start` does not offer; it offers prompt_context",
        ),
    ];
    for (hook, expected) in table {
        let refused = Registry::empty().register(hook.capabilities([Capability::Audit])).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn failures_have_codes_to_search_for() {
    let table = [
        (FailureKind::Error, "hook.error"),
        (FailureKind::Panicked, "hook.panicked"),
        (FailureKind::TimedOut, "hook.timeout"),
        (FailureKind::Violation, "hook.rule_broken"),
        (FailureKind::CapabilityMissing, "hook.capability_missing"),
    ];
    for (kind, code) in table {
        assert_eq!(kind.code(), code);
    }
}

#[test]
fn a_set_of_capabilities_has_each_once() {
    let twice = [Capability::Audit, Capability::PromptSection, Capability::Audit];
    let set: Capabilities = twice.into_iter().collect();
    assert_eq!(set, Capabilities::of(&[Capability::Audit, Capability::PromptSection]));
    assert_eq!(format!("{set:?}"), "{PromptSection, Audit}");
    assert!(set.has(Capability::Audit) && !set.has(Capability::Policy));
    let all: Capabilities = Capability::ALL.iter().copied().collect();
    assert!(Capability::ALL.iter().all(|one| all.has(*one) && !Capabilities::default().has(*one)));
    assert!(Capabilities::default().is_empty() && !set.is_empty());
}
