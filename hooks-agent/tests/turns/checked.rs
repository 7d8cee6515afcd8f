//! A harness checks its hooks without being asked: what keeps one from guarding fails the build, or the first session or
//! turn that shows it, unless it is accepted by name.

use std::sync::Arc;

use hook_sdk::diagnostics::FindingKind;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::plugin::Plugin;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{StoreError, StoreFuture};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Harness, HarnessBuilder, Outcome, SubAgent, TurnError};

use super::stores::{Disturb, Disturbed};

/// A state of the app.
struct Paid;

#[hook(id = "needs_paid", kind = turn_end)]
fn needs_paid(_: &State<Paid>) {}

fn gate(id: &str) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::NoOpinion)
}

fn hooks() -> Vec<Hook> {
    let blocks = Hook::at::<Stop>("locked").reader(|_, _, ()| ()).locked();
    vec![
        gate("gate"),
        gate("typo").only("tool", "refnd"),
        Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, _: &mut Message| ()),
        blocks,
    ]
}

fn registry() -> Registry {
    let registry = Registry::empty();
    for hook in hooks() {
        registry.register(hook).unwrap();
    }
    registry
}

fn builder(registry: Registry) -> HarnessBuilder {
    let tool = FnTool::new(ToolSpec::new("refund"), |_, _| Ok(String::new()));
    Harness::builder(registry).model("main", Scripted::new([Line::text("hello")])).tool(tool)
}

fn agent(hooks: &[&str]) -> AgentDef {
    AgentDef::new("support").hooks(hooks.iter().copied())
}

fn helper(hooks: &[&str]) -> SubAgent {
    SubAgent::new(AgentDef::new("helper").hooks(hooks.iter().copied()), "Helps.")
}

/// What an agent does wrong, what the error says, and what accepts it.
#[tokio::test]
async fn what_keeps_a_hook_from_guarding_fails_at_the_build_or_at_the_first_session_unless_accepted() {
    type Change = fn(HarnessBuilder) -> HarnessBuilder;
    let plain: Change = |harness| harness;
    let table: [(&str, AgentDef, Change, &str, FindingKind, &str); 7] = [
        (
            "a mask without a policy",
            agent(&["mask"]),
            plain,
            "write `on_failure = required`",
            FindingKind::RewriteWithoutPolicy,
            "mask",
        ),
        (
            "a filter for an unknown tool",
            agent(&["typo"]),
            plain,
            "did you mean `refund`?",
            FindingKind::MatchesNothing,
            "typo",
        ),
        ("no list", AgentDef::new("support"), plain, "add a list", FindingKind::UndeclaredScope, "agent `support`"),
        (
            "a sub-agent without the gate",
            agent(&["gate"]),
            |harness| harness.agent(helper(&[]).own_gates()),
            "agent `helper`, which agent `support` calls, runs without its gate `gate` (",
            FindingKind::DroppedGate,
            "gate in agent `helper`",
        ),
        (
            "a sub-agent without a locked hook",
            agent(&["gate", "locked"]),
            |harness| harness.agent(helper(&[])),
            "runs without its hook `locked` (",
            FindingKind::DroppedGuard,
            "locked in agent `helper`",
        ),
        (
            "a sub-agent of a sub-agent",
            agent(&["gate", "locked"]),
            |harness| {
                harness
                    .agent(helper(&["gate", "locked"]).tools(["deep"]))
                    .agent(SubAgent::new(AgentDef::new("deep").hooks(["locked"]), "Digs.").own_gates())
            },
            "agent `deep`, which agent `helper` calls, runs without its gate `gate` (",
            FindingKind::DroppedGate,
            "gate in agent `deep`",
        ),
        (
            "what the app lists",
            agent(&[]),
            |harness| harness,
            "write `on_failure = required`",
            FindingKind::RewriteWithoutPolicy,
            "mask",
        ),
    ];
    for (what, agent, change, says, kind, about) in table {
        let make = || {
            let registry = registry();
            if what == "what the app lists" {
                registry.set_app(AppDef::new("app").hooks(["mask"]));
            }
            change(builder(registry))
        };
        // The other hooks of the registry are of no list, which is found too.
        let unnamed = |mut harness: HarnessBuilder| {
            for hook in hooks() {
                harness = harness.accept(FindingKind::UnnamedHook, hook.id().as_str(), "of another agent");
            }
            harness
        };
        let error = unnamed(make()).serves(&agent, []).build().unwrap_err().to_string();
        assert!(error.contains(says), "{what}, declared: {error}");
        assert!(
            error.contains(&format!("[or `accept(FindingKind::{kind:?}, \"{about}\", \"why\")`]")),
            "{what}: {error}"
        );
        unnamed(make()).serves(&agent, []).accept(kind, about, "a test").build().unwrap();

        let error = match make().build() {
            Ok(harness) => harness.session("c", agent.clone()).open().await.unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(says), "{what}: {error}");
        let harness = make().accept(kind, about, "a test").build().unwrap();
        harness.session("c", agent).open().await.unwrap();
    }
}

/// Keeps its questions in a file, as far as this test is concerned.
struct Keeps;

impl Approver for Keeps {
    fn is_lasting(&self) -> bool {
        true
    }

    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async { Ok(Approval::Suspend) })
    }
}

struct Calm;

impl Disturb for Calm {
    fn before(&self, _: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}

#[test]
fn questions_that_outlive_the_conversations_fail_the_build_unless_accepted() {
    let make = || builder(Registry::empty()).approver(Keeps);
    let error = make().build().unwrap_err().to_string();
    assert!(error.contains("a suspended turn is lost with the process"), "{error}");
    assert!(error.ends_with("[or `accept(FindingKind::VolatileStore, \"\", \"why\")`]"), "{error}");
    let harness = make().accept(FindingKind::VolatileStore, "", "a test").build().unwrap();
    assert_eq!(harness.audit([]).last().unwrap().kind(), FindingKind::VolatileStore);
    let lasting = Disturbed { store: Arc::default(), by: Calm };
    make().store(lasting).build().unwrap();
}

#[tokio::test]
async fn everything_is_reported_at_once() {
    let registry = registry();
    let error = builder(registry).serves(&agent(&["mask", "typo"]), []).build().unwrap_err();
    let kinds: Vec<_> = error.problems().iter().map(|problem| problem.about().to_owned()).collect();
    for about in ["mask", "typo", "gate", "locked"] {
        assert!(kinds.iter().any(|found| found == about), "{about}: {error}");
    }
}

#[tokio::test]
async fn a_prompt_that_drops_a_gate_fails_its_turn_or_the_build() {
    let prompt = PromptDef::new("p").hooks(["watch"]);
    let make = || {
        let registry = Registry::empty();
        registry.register(gate("gate")).unwrap();
        registry.register(Hook::at::<TurnEnd>("watch").reader(|_, _, ()| ())).unwrap();
        builder(registry)
    };
    let session = make().build().unwrap().session("c", agent(&["gate"])).open().await.unwrap();
    let reply = session.turn(Some(&prompt), "hi").await;
    let Outcome::Failed(TurnError::Hooks(error)) = reply.outcome else { panic!("{reply}") };
    assert!(error.to_string().contains("prompt `p` omits the gate `gate` ("), "{error}");
    let error = make().serves(&agent(&["gate"]), [&prompt]).build().unwrap_err();
    assert!(error.to_string().contains("prompt `p` omits the gate `gate` ("), "{error}");
    let harness = make().accept(FindingKind::DroppedGate, "gate in prompt `p`", "it only greets").build().unwrap();
    let session = harness.session("c", agent(&["gate"])).open().await.unwrap();
    assert_eq!(session.turn(Some(&prompt), "hi").await.to_string(), "hello");
}

#[tokio::test]
async fn a_state_is_missing_for_the_session_that_does_not_bring_it() {
    let harness = builder(Registry::discover().unwrap()).build().unwrap();
    for (has_state, opens) in [(true, true), (false, false), (true, true)] {
        let opening = harness.session("c", agent(&["needs_paid"]));
        let opening = if has_state { opening.state(Paid) } else { opening };
        let opened = opening.open().await;
        assert_eq!(opened.is_ok(), opens, "{opened:?}");
        if let Err(error) = opened {
            assert!(error.to_string().contains("takes `&State<"), "{error}");
        }
    }
}

#[tokio::test]
async fn what_somebody_decided_is_no_error() {
    // A disabled hook, an empty list, no hooks at all, and a plugin before its start.
    let disabled = registry();
    disabled.set_app(AppDef::new("app").hooks(["gate"]));
    disabled.set_overrides([Overrides::new("ops.toml").set("gate", Override::new().enabled(false))]).unwrap();
    let plugged = Registry::empty();
    plugged.install(Plugin::new("p").hook(gate("gate"))).unwrap();
    for (registry, agent) in [
        (disabled, agent(&[])),
        (registry(), agent(&[])),
        (Registry::empty(), AgentDef::new("support")),
        (plugged, agent(&[])),
    ] {
        builder(registry).build().unwrap().session("c", agent).open().await.unwrap();
    }
}
