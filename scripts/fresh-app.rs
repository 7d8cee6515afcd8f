//! A new app that uses every package: `scripts/check-packages` builds it from the packaged files.

use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_cli::Program;
use hooks_conformance::Drive;
use hook_sdk::data::ToolCall;
use hook_sdk::kinds::{AfterCreateMessage, BeforeToolCall};
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_replay::{RecordLimits, Recorder};
use hooks_rules::RuleFile;
use hooks_store::{JobFilter, JobStatus, Store, JobWorker};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Refund {
    cents: u64,
}

/// Denies refunds above 50.00, and arguments that it cannot read.
#[hook(id = "limit_refunds", kind = before_tool_call, tool = "refund")]
fn limit_refunds(input: &ToolInput) -> Permission {
    match input.read::<Refund>() {
        Ok(refund) if refund.cents <= 5_000 => Permission::Allow,
        Ok(_) => Permission::deny("refunds above 50.00 need a person"),
        Err(error) => Permission::deny(error),
    }
}

/// Notes what is stored, after the turn.
#[hook(id = "index", kind = after_create_message, run = background, idempotent)]
async fn index(event: &AfterCreateMessage) {
    println!("indexed: {}", event.message.text());
}

/// A loop that fires nothing of what is declared.
struct Idle;

impl Drive for Idle {
    async fn drive(
        &self,
        _kind: &str,
        _hooks: &HookSet,
    ) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
        Ok(json!(null))
    }

    fn probe(&self, _id: &str, _kind: &str) -> Option<Hook> {
        None
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let call = ToolCall::new("call-1", "refund", json!({ "cents": 9_900 }));
    let (input, trial) = (call.input.clone(), Trial::of(hooks![limit_refunds]));
    trial.run(&BeforeToolCall::new(call), input).await?.expect_denied("need a person");

    let folder = tempfile::tempdir()?;
    let registry = Registry::discover()?;
    registry.observe(Recorder::create(folder.path().join("recorded.jsonl"), "fresh-app", RecordLimits::default())?);
    let store = Store::open(&folder.path().join("agent.db").to_string_lossy()).await?;
    registry.set_background(store.job_queue());
    let harness = Harness::builder(registry.clone())
        .model("main", Scripted::new([Line::text("Hello!")]))
        .store(store.clone())
        .build();
    let agent = AgentDef::new("support").hooks(hooks![limit_refunds, index]);
    let session = harness.session("c-1", agent).open().await?;
    let reply = session.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "Hello!", "{reply:?}");
    JobWorker::new(store.clone(), registry.clone()).run_until_empty().await;
    let indexed = store.jobs(&JobFilter::new().hook("index").status(JobStatus::Done), 10).await?;
    assert_eq!(indexed.len(), 2, "{indexed:?}");
    store.close().await?;

    let rules = RuleFile::read("hooks.json", r#"{"hooks": {"PreToolUse": []}}"#);
    assert!(rules.defects.is_empty(), "{rules:?}");
    Program::of(&registry).run(["fresh-app", "list"]);
    let breaches = hooks_conformance::check(&Idle).await.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(breaches.contains("but `drive` did not fire it"), "{breaches}");
    println!("the packages work together");
    Ok(())
}
