//! The commands within an app that has compiled hooks.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]

use clap::Parser;
use hooks_cli::{Cli, Exit, Output, Program};
use hooks_core::kinds::*;
use hooks_core::prelude::*;

#[derive(Parser)]
enum Desk {
    Serve,
    Hooks(Cli),
}

fn registry() -> Registry {
    let registry = Registry::empty();
    let guard = Hook::at::<BeforeToolCall>("no_refunds").reader(|_, _, _| Permission::deny("a person pays refunds"));
    registry.register(guard.only("tool", "refund").description("Refuses refunds.")).unwrap();
    registry.register(Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, _| ()).description("Trims.")).unwrap();
    registry
}

fn program() -> Program {
    let agent = AgentDef::from_json("agent.json", r#"{"name": "clerk", "hooks": ["no_refunds"]}"#).unwrap();
    Program::of(&registry()).scope(&agent, None).unwrap()
}

fn ask(program: &Program, args: &[&str]) -> Output {
    let args = [["desk", "hooks"].as_slice(), args].concat();
    match Desk::try_parse_from(args).unwrap_or_else(|error| panic!("{error}")) {
        Desk::Hooks(cli) => program.output(&cli),
        Desk::Serve => panic!("the desk"),
    }
}

fn plain(reply: &Output) -> String {
    anstream::adapter::strip_str(&reply.out).to_string()
}

#[test]
fn an_app_lists_its_hooks_and_who_names_them() {
    let out = plain(&ask(&program(), &["list"]));
    assert!(out.contains("no_refunds  before_tool_call") && out.contains("Refuses refunds."), "{out}");
    assert!(out.contains("agent `clerk`"), "{out}");
}

#[test]
fn an_app_is_told_of_dead_hooks() {
    let reply = ask(&program(), &["audit"]);
    assert!(plain(&reply).contains("no list names the hook `trim`"), "{}", reply.out);
    assert_eq!(reply.exit, Exit::FAULTY);
}

#[test]
fn an_app_explains_its_plan() {
    let out = plain(&ask(&program(), &["explain", "--event", "PreToolUse", "--tool", "refund"]));
    assert!(out.contains("no_refunds") && out.contains("only tool refund") && !out.contains("trim"), "{out}");
    let out = plain(&ask(&program(), &["explain", "--event", "Stop"]));
    assert!(out.contains("no compiled hook at stop"), "{out}");
}

#[test]
fn schemas_and_manifests_know_the_hooks() {
    let schema: serde_json::Value = serde_json::from_str(&ask(&program(), &["schema", "--definitions"]).out).unwrap();
    assert_eq!(schema["$defs"]["id"]["enum"], serde_json::json!(["no_refunds", "trim"]));
    let manifest: serde_json::Value = serde_json::from_str(&ask(&program(), &["manifest"]).out).unwrap();
    assert_eq!(manifest["hooks"][0]["id"], "no_refunds");
}

/// Only an app knows which compiled hooks there are.
#[test]
fn rules_that_name_compiled_hooks_are_checked_within_an_app() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "hook", "id": "no_refund"}]}]}}"#;
    std::fs::write(&file, text).unwrap();
    let args = ["check", file.to_str().unwrap()];
    assert_eq!(ask(&Program::new(), &args).exit, Exit::DONE);
    let reply = ask(&program(), &args);
    assert!(plain(&reply).contains("did you mean `no_refunds`?"), "{}", reply.out);
    assert_eq!(reply.exit, Exit::FAULTY);
}

/// It is no matter whether the app asks from within a runtime.
#[tokio::test]
async fn an_app_asks_from_within_a_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    std::fs::write(&file, "{}").unwrap();
    let reply = ask(&program(), &["dispatch", "--event", "Notification", "--trust", file.to_str().unwrap()]);
    assert_eq!(reply.exit, Exit::DONE);
}
