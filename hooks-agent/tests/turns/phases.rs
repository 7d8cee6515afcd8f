//! The phases: what hooks contribute is handed on, and what comes of it is what the model is sent.

use hooks_agent::TurnEvent;
use hooks_agent::model::Line;
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_core::kinds::*;
use hooks_core::prelude::*;
use serde_json::json;

use super::bench::Bench;

fn contributes<K: HookKind<Subject = (), Verdict = Contributions>>(
    id: &str,
    what: impl Fn(&K) -> Vec<Contribution> + Send + Sync + 'static,
) -> Hook {
    Hook::at::<K>(id).reader(move |_, event: &K, ()| what(event))
}

#[tokio::test]
async fn each_phase_is_told_what_the_earlier_ones_contributed() {
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
        event
            .findings
            .iter()
            .map(|found| Contribution::prompt_context("preflight", found.clone(), format!("It is about {found}.")))
            .collect()
    }));
    bench.app(contributes::<PrePromptCompile>("contract", |event| {
        let entries = event.contributions.prompt_context().entries.len();
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
        vec![if prompt.contains("flight") { "travel".to_owned() } else { "life".to_owned() }]
    });
    let reply = bench.session(harness).await.turn(None, "do you remember me and my flight?").await;
    assert_eq!(
        bench.model.heard()[0].system_prompt,
        "Be brief.\n\n## Contract\n\nUse the 2 notes.\n\nThe person is called Ada.\n\nIt is about travel."
    );
    assert_eq!(reply.contributions.audit_notes().collect::<Vec<_>>(), ["answered hello"]);
    assert_eq!(reply.contributions.background_jobs().map(|(job, _)| job).collect::<Vec<_>>(), ["extract"]);
}

#[tokio::test]
async fn hooks_settle_which_tools_there_are() {
    let secret = || FnTool::new(ToolSpec::new("secret"), |_cx, _input| Ok("psst".to_owned()));
    for (contributed, offered, answer) in [
        (
            vec![],
            vec!["lookup", "breaks", "panics"],
            "tool: <- there is no tool `secret`; there are: lookup, breaks, panics",
        ),
        (
            vec![Contribution::tool_bundle("b", ["secret"])],
            vec!["lookup", "breaks", "panics", "secret"],
            "tool: <- psst",
        ),
        (
            vec![Contribution::tool_bundle("b", ["secret"]), Contribution::tool_limit("l", ["secret"])],
            vec!["secret"],
            "tool: <- psst",
        ),
        (
            vec![Contribution::tool_limit("l", ["lookup"])],
            vec!["lookup"],
            "tool: <- there is no tool `secret`; there are: lookup",
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
async fn what_does_not_go_together_is_told() {
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
async fn a_phase_tells_what_its_hooks_contributed_and_nothing_where_they_did_not() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(contributes::<PrePolicy>("silent", |_| vec![]));
    bench.app(contributes::<PrePromptContext>("speaks", |_| vec![Contribution::prompt_context("d", "i", "text")]));
    bench.app(contributes::<PostTurn>("note", |_| vec![Contribution::audit("done")]));
    let session = bench.session(bench.harness()).await;
    let mut turn = session.turn(None, "hi");
    let mut told = Vec::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Contributed { kind, contributions, .. } = event {
            told.push((kind, contributions));
        }
    }
    let expected = [
        ("pre_prompt_context", Contribution::prompt_context("d", "i", "text").into()),
        ("post_turn", Contribution::audit("done").into()),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_preflight_that_panics_finds_nothing_and_the_turn_goes_on() {
    let mut bench = Bench::watched([Line::text("hello")]);
    bench.app(contributes::<PostPreflightPromptContext>("found", |event| {
        vec![Contribution::audit(format!("{} found", event.findings.len()))]
    }));
    let harness = bench.harness().preflight(|_: &HookContext, _: &str, _: &Messages| -> Vec<String> {
        std::panic::resume_unwind(Box::new("of course"));
    });
    let reply = bench.session(harness).await.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "hello");
    assert_eq!(reply.contributions.audit_notes().collect::<Vec<_>>(), ["0 found"]);
    assert_eq!(bench.log.take().iter().filter(|kind| *kind == "turn_end").count(), 1);
}
