//! The phases: contributions of hooks are passed on, and their effect is in the model's input.

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::verdict::{PromptContext, PromptSection, ToolDeclaration};
use hooks_agent::model::Line;
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::{Reply, TurnEvent};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

fn contributes<K: HookKind<Subject = (), Verdict = Contributions>>(
    id: &str,
    what: impl Fn(&K) -> Vec<Contribution> + Send + Sync + 'static,
) -> Hook {
    Hook::at::<K>(id).reader(move |_, event: &K, ()| what(event))
}

/// The plan of the app's preflight.
#[derive(Serialize, Deserialize)]
struct Plan {
    topic: String,
}

#[tokio::test]
async fn each_phase_gets_what_the_earlier_ones_contributed() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(contributes::<PrePolicy>("policy", |event| {
        vec![Contribution::policy("memory", "recall", json!(event.prompt.contains("remember")), 0)]
    }));
    bench.app(contributes::<PrePromptContext>("recall", |event| {
        let wanted = event.contributions.policies().value("memory", "recall") == Some(&json!(true));
        wanted
            .then(|| Contribution::prompt_context("memory", "name", "The person is called Ada."))
            .into_iter()
            .collect()
    }));
    bench.app(contributes::<PostPreflightPromptContext>("found", |event| {
        let Plan { topic } = event.read_plan().unwrap().unwrap();
        let text = format!("It is about {topic}.");
        vec![PromptContext::new("preflight", &*topic, text).data(json!({ "topic": topic })).into()]
    }));
    bench.app(contributes::<PrePromptCompile>("contract", |event| {
        let context = event.contributions.prompt_context();
        assert_eq!(context.entries[1].data, json!({ "topic": "travel" }), "data goes on from phase to phase");
        let entries = context.entries.len();
        vec![Contribution::prompt_section("contract", "Contract", format!("Use the {entries} notes."))]
    }));
    bench.app(contributes::<PostTurn>("note", |event| {
        vec![
            Contribution::audit(format!("answered {}", event.reply)),
            Contribution::background_job("extract", json!({ "prompt": event.prompt })),
        ]
    }));
    let harness = bench.harness().preflight(|cx: &HookContext, prompt: &str, _: &Messages| {
        assert_eq!(cx.conversation(), Some("c"), "a look knows where it is");
        Plan { topic: if prompt.contains("flight") { "travel" } else { "life" }.to_owned() }
    });
    let reply = bench.session(harness).await.turn(None, "do you remember me and my flight?").await;
    assert_eq!(
        bench.model.heard()[0].system_prompt,
        "Be brief.\n\n## Contract\n\nUse the 2 notes.\n\nThe person is called Ada.\n\nIt is about travel."
    );
    assert_eq!(reply.contributions.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["answered hello"]);
    assert_eq!(reply.contributions.background_jobs().map(|(job, _)| job).collect::<Vec<_>>(), ["extract"]);
}

#[tokio::test]
async fn hooks_decide_which_tools_are_offered() {
    for (contributed, offered, answer) in [
        (
            vec![],
            vec!["lookup", "breaks", "panics"],
            "tool: <- there is no tool `secret`; the tools are: lookup, breaks, panics",
        ),
        (
            vec![Contribution::tool_bundle("b", ["secret"])],
            vec!["lookup", "breaks", "panics", "secret"],
            "tool: <- psst {}",
        ),
        (
            vec![Contribution::tool_bundle("b", ["secret"]), Contribution::tool_limit("l", ["secret"])],
            vec!["secret"],
            "tool: <- psst {}",
        ),
        (
            vec![Contribution::tool_limit("l", ["lookup"])],
            vec!["lookup"],
            "tool: <- there is no tool `secret`; the tools are: lookup",
        ),
    ] {
        let mut bench = Bench::new([Line::call("1", "secret", json!({})), Line::text("done")]);
        bench.app(contributes::<PreToolMaterialization>("tools", move |_| contributed.clone()));
        bench.session(bench.harness().bundled_tool(secret())).await.turn(None, "hi").await;
        let names: Vec<_> = bench.model.heard()[0].tools.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(
            (names, bench.stored().await[2].as_str()),
            (offered.into_iter().map(str::to_owned).collect(), answer)
        );
    }
}

#[tokio::test]
async fn conflicting_contributions_are_reported() {
    let mut bench = Bench::new([Line::text("hello")]);
    for (id, value) in [("a", "fast"), ("b", "slow")] {
        bench.app(contributes::<PrePolicy>(id, move |_| vec![Contribution::policy("model", "speed", value, 0)]));
    }
    let session = bench.session(bench.harness()).await;
    let mut turn = session.turn(None, "hi");
    let mut codes = Vec::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Diagnostic(diagnostic) = event {
            codes.push(diagnostic.code.to_string());
        }
    }
    assert_eq!(codes, ["policy.merge.conflict"]);
}

#[tokio::test]
async fn a_phase_reports_the_contributions_of_its_hooks_if_there_are_any() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(contributes::<PrePolicy>("silent", |_| vec![]));
    bench.app(contributes::<PrePromptContext>("speaks", |_| vec![Contribution::prompt_context("d", "i", "text")]));
    bench.app(contributes::<PostTurn>("note", |_| vec![Contribution::audit("done")]));
    let session = bench.session(bench.harness()).await;
    let mut turn = session.turn(None, "hi");
    let mut reported = Vec::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Contributed { kind, contributions, .. } = event {
            reported.push((kind, contributions));
        }
    }
    let expected = [
        ("pre_prompt_context", Contribution::prompt_context("d", "i", "text").into()),
        ("post_turn", Contribution::audit("done").into()),
    ];
    assert_eq!(reported, expected);
}

#[tokio::test]
async fn a_preflight_that_panics_is_reported_and_the_turn_continues_without_a_plan() {
    let mut bench = Bench::watched([Line::text("hello")]);
    bench.app(contributes::<PostPreflightPromptContext>("found", |event| {
        vec![Contribution::audit(format!("planned {}", event.plan))]
    }));
    let harness = bench.harness().preflight(|_: &HookContext, _: &str, _: &Messages| -> Plan {
        std::panic::resume_unwind(Box::new("of course"));
    });
    let reply = bench.session(harness).await.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "hello");
    assert_eq!(diagnosed(&reply), ["preflight.failed: it panicked: of course"]);
    assert_eq!(reply.contributions.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["planned null"]);
    assert_eq!(bench.log.take().iter().filter(|kind| *kind == "turn_end").count(), 1);
}

fn diagnosed(reply: &Reply) -> Vec<String> {
    reply.diagnostics.iter().map(ToString::to_string).collect()
}

fn secret() -> FnTool<impl Fn(&HookContext, &ToolInput) -> Result<String, ToolError> + Send + Sync + 'static> {
    FnTool::new(ToolSpec::new("secret").description("Whispers."), |_cx, input| Ok(format!("psst {}", input.text())))
}

#[tokio::test]
async fn an_unknown_tool_is_reported_and_not_offered() {
    let table = [
        (
            vec![Contribution::tool_bundle("b", ["secrett"])],
            "tool_bundle.unknown_tool: this harness has no tool `secrett`; a tool bundle names it; the tools are: lookup, breaks, panics, secret",
        ),
        (
            vec![Contribution::tool_bundle("b", [ToolDeclaration::new("whisper").route("secrett")])],
            "tool_bundle.unknown_tool: this harness has no tool `secrett`; a tool bundle names it; the tools are: lookup, breaks, panics, secret",
        ),
        (
            vec![Contribution::tool_limit("l", ["lookup", "breaks", "panics", "secrett"])],
            "tool_bundle.unknown_tool: this harness has no tool `secrett`; a limit names it, and limits apply to the tools that run; the tools are: lookup, breaks, panics, secret",
        ),
        (
            vec![Contribution::tool_bundle("b", [ToolDeclaration::new("lookup").route("secret")])],
            "tool_bundle.name_taken: the tool `lookup` exists, so a bundle cannot declare `secret` under this name",
        ),
    ];
    for (contributed, expected) in table {
        let mut bench = Bench::new([Line::text("done")]);
        bench.app(contributes::<PreToolMaterialization>("tools", move |_| contributed.clone()));
        let session = bench.session(bench.harness().bundled_tool(secret())).await;
        let (reply, events) = turn_with_events(&session, "hi").await;
        let names: Vec<_> = bench.model.heard()[0].tools.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(names, ["lookup", "breaks", "panics"], "{expected}");
        assert_eq!(diagnosed(&reply), [expected]);
        assert!(
            events
                .iter()
                .any(|event| matches!(event, TurnEvent::Diagnostic(reported) if reported.to_string() == expected))
        );
    }
}

#[tokio::test]
async fn a_declared_tool_reaches_the_model_and_hooks_judge_the_tool_that_runs() {
    let schema = json!({ "type": "object", "properties": { "to": { "type": "string" } } });
    let declared =
        ToolDeclaration::new("whisper").description("Whispers to one.").schema(schema.clone()).route("secret");
    for denied in [false, true] {
        let mut bench = Bench::new([Line::call("1", "whisper", json!({ "to": "ada" })), Line::text("done")]);
        let declared = declared.clone();
        bench.app(contributes::<PreToolMaterialization>("tools", move |_| {
            vec![Contribution::tool_bundle("b", [declared.clone()])]
        }));
        let log = bench.log.clone();
        let guard = Hook::at::<BeforeToolCall>("guard").reader(move |_, event, _| {
            log.note(format!("{} as {:?}", event.call.name, event.call.declared_as.as_deref()));
            if denied { Permission::deny("not here") } else { Permission::NoOpinion }
        });
        bench.app(guard.only("tool", "secret"));
        let log = bench.log.clone();
        bench.app(contributes::<PostTurn>("after", move |event| {
            log.note(format!("called {}", event.calls[0].name));
            vec![]
        }));
        let reply = bench.session(bench.harness().bundled_tool(secret())).await.turn(None, "hi").await;
        let heard = bench.model.heard();
        let offered = heard[0].tools.iter().find(|tool| tool.name == "whisper").unwrap();
        assert_eq!((offered.description.as_str(), &offered.schema), ("Whispers to one.", &schema));
        assert!(
            heard[0].tools.iter().all(|tool| tool.name != "secret"),
            "what runs it is offered under its own name only"
        );
        let result = if denied { "tool: <- Denied: not here" } else { r#"tool: <- psst {"to":"ada"}"# };
        assert_eq!(bench.stored().await[1..3], ["assistant: -> whisper({\"to\":\"ada\"})", result]);
        assert_eq!(bench.log.take(), ["the model", r#"secret as Some("whisper")"#, "the model", "called secret"]);
        assert!(reply.diagnostics.is_empty());
    }
}

#[tokio::test]
async fn sections_are_in_order_and_within_their_budget() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(contributes::<PrePromptCompile>("late", |_| {
        vec![PromptSection::new("late", "Late", "comes last").order(10).into()]
    }));
    bench.app(contributes::<PrePromptCompile>("early", |_| {
        vec![PromptSection::new("early", "Early", "comes first, cut here").order(-10).budget(11).into()]
    }));
    bench.app(contributes::<PrePolicy>("middle", |_| vec![Contribution::prompt_section("middle", "Middle", "stays")]));
    let reply = bench.turn().await;
    assert_eq!(
        bench.model.heard()[0].system_prompt,
        "Be brief.\n\n## Early\n\ncomes first\n\n## Middle\n\nstays\n\n## Late\n\ncomes last"
    );
    assert_eq!(
        diagnosed(&reply),
        [
            "prompt_section.truncated: the section `early` was truncated: it has at most 11 characters, and all sections together 16000"
        ]
    );
}
