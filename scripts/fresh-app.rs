//! A new app that uses every package: `scripts/release` builds it from the packaged files.

use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_cli::Program;
use hooks_conformance::Drive;
use hooks_hosts::HostTrial;
use hooks_inspect::HooksPage;
use hooks_prebuilt::mask_pii;
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

/// Denies every write.
#[hook(id = "no_writes", kind = before_tool_call, tool = "Write")]
fn no_writes() -> Permission {
    Permission::deny("the folder is frozen")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let call = ToolCall::new("call-1", "refund", json!({ "cents": 9_900 }));
    let (input, trial) = (call.input.clone(), Trial::of(hooks![limit_refunds]));
    trial.run(&BeforeToolCall::new(call), input).await?.expect_denied("need a person");

    let payload = json!({"event": "PreToolUse", "tool_name": "write", "tool_input": {"path": "a", "content": "b"}});
    // A trial has a runtime of its own.
    let trial = move || HostTrial::of("goose", hooks![no_writes]).map(|trial| trial.answer(payload.to_string()));
    tokio::task::spawn_blocking(trial).await???.expect_denied("frozen");

    let folder = tempfile::tempdir()?;
    let recording = folder.path().join("recorded.jsonl");
    let registry = Registry::discover()?;
    registry.observe(Recorder::create(&recording, "fresh-app", RecordLimits::default())?);
    let store = Store::open(&folder.path().join("agent.db").to_string_lossy()).await?;
    registry.set_background(store.job_queue());
    let harness = Harness::builder(registry.clone())
        .model("main", Scripted::new([Line::text("Hello!")]))
        .store(store.clone())
        .tool(FnTool::new(ToolSpec::new("refund"), |_, _| Ok("paid".to_owned())))
        .build()?;
    let agent = AgentDef::new("support").hooks(hooks![limit_refunds, index, mask_pii]);
    let session = harness.session("c-1", agent).open().await?;
    let reply = session.turn(None, "hi, I am ada@example.org").await;
    assert_eq!(reply.to_string(), "Hello!", "{reply:?}");
    JobWorker::new(store.clone(), registry.clone()).run_until_empty().await;
    let indexed = store.jobs(&JobFilter::new().hook("index").status(JobStatus::Done), 10).await?;
    assert_eq!(indexed.len(), 2, "{indexed:?}");
    let rows = session.messages().await?;
    assert!(!format!("{rows:?}").contains("ada@example.org"), "{rows:?}");
    store.close().await?;
    let mut page = Vec::new();
    let recorded = std::io::BufReader::new(std::fs::File::open(&recording)?);
    HooksPage::new("fresh-app").registry(&registry).report([recorded], &mut page)?;
    assert!(String::from_utf8(page)?.contains("limit_refunds"));
    assert_eq!(hooks_secrets::redact("ada").as_deref(), None);

    let rules = RuleFile::read("hooks.json", r#"{"hooks": {"PreToolUse": []}}"#);
    assert!(rules.defects.is_empty(), "{rules:?}");
    Program::of(&registry).run(["fresh-app", "list"]);
    let breaches = hooks_conformance::check(&Idle).await.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(breaches.contains("but `drive` did not fire it"), "{breaches}");
    println!("the packages work together");
    Ok(())
}
