//! The commands in an app with compiled hooks.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]

use clap::Parser;
use hook_sdk::data::Role;
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_cli::{Cli, Exit, Output, Program};

#[derive(Parser)]
#[expect(clippy::large_enum_variant, reason = "there is one value of it")]
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
fn an_app_lists_its_hooks_and_the_agents_that_name_them() {
    let out = plain(&ask(&program(), &["list"]));
    assert!(out.contains("no_refunds  before_tool_call") && out.contains("Refuses refunds."), "{out}");
    assert!(out.contains("agent `clerk`"), "{out}");
}

#[test]
fn audit_reports_a_hook_that_no_list_names() {
    let reply = ask(&program(), &["audit"]);
    assert!(plain(&reply).contains("no list names the hook `trim`"), "{}", reply.out);
    assert_eq!(reply.exit, Exit::FAILURE);
}

/// `on_failure = continue` on a gate can be intended, so the exit status does not change.
#[test]
fn audit_gives_a_hint_for_a_gate_that_fails_open() {
    let registry = Registry::empty();
    let gate = |id: &'static str| Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::NoOpinion);
    registry.register(gate("open").on_failure(OnFailure::Continue)).unwrap();
    registry.register(gate("closed")).unwrap();
    let writer = Hook::at::<BeforeCreateMessage>("no_gate").writer(|_, _, _| ());
    registry.register(writer.on_failure(OnFailure::Continue)).unwrap();
    let agent = AgentDef::new("clerk").hooks(["open", "closed", "no_gate"]);
    let program = Program::of(&registry).scope(&agent, None).unwrap();
    let reply = ask(&program, &["audit"]);
    let out = plain(&reply);
    assert!(out.starts_with("no suspicious hooks\nhint: if the gate `open` ("), "{out}");
    assert!(out.lines().count() == 2 && out.contains("`before_tool_call`") && reply.exit == Exit::SUCCESS, "{out}");
    let report: serde_json::Value = serde_json::from_str(&ask(&program, &["audit", "--json"]).out).unwrap();
    assert_eq!(report["hints"].as_array().unwrap().len(), 1);
}

/// A misspelt tool name can be detected only because the app declares its tools.
#[test]
fn a_filter_or_matcher_that_misspells_a_tool_of_the_app_is_reported() {
    let registry = Registry::empty();
    let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::NoOpinion).only("tool", "Bash");
    registry.register(guard).unwrap();
    let agent = AgentDef::new("clerk").hooks(["guard"]);
    let program = Program::of(&registry).tools(["bash", "refund"]).scope(&agent, None).unwrap();
    let out = plain(&ask(&program, &["audit"]));
    assert!(out.contains("only if `tool` is `Bash`") && out.contains("did you mean `bash`?"), "{out}");
    let folder = crate::support::folder();
    let file = folder.path().join("rules.json");
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "true", "onFailure": "block"}]}]}}"#;
    std::fs::write(&file, text).unwrap();
    let reply = ask(&program, &["check", "--strict", file.to_str().unwrap()]);
    let out = plain(&reply);
    assert!(out.contains("warning: no tool of this program is called `Bash`") && out.contains("write `bash`"), "{out}");
    assert_eq!(reply.exit, Exit::FAILURE);
}

#[test]
fn an_app_explains_its_plan() {
    let out = plain(&ask(&program(), &["explain", "--event", "PreToolUse", "--tool", "refund"]));
    assert!(out.contains("no_refunds") && out.contains("only tool refund") && !out.contains("trim"), "{out}");
    // The filters of compiled hooks are applied to the tool as well.
    let reply = ask(&program(), &["explain", "--event", "PreToolUse", "--tool", "search"]);
    assert!(plain(&reply).contains("no_refunds  its filter does not match: only tool refund"), "{}", reply.out);
    let args = ["--json", "explain", "--event", "PreToolUse", "--tool", "search"];
    let report: serde_json::Value = serde_json::from_str(&ask(&program(), &args).out).unwrap();
    let out = &report["plans"][0]["out"][0];
    assert_eq!((&out["hook"], report["plans"][0]["runs"].as_array().unwrap().len()), (&"no_refunds".into(), 0));
    let out = plain(&ask(&program(), &["explain", "--event", "Stop"]));
    assert!(out.contains("no compiled hook at stop"), "{out}");
}

#[test]
fn the_schema_and_the_manifest_contain_the_compiled_hooks() {
    let registry = registry();
    registry.register(Hook::at::<GatewayStart>("opens").reader(|_, _, ()| ())).unwrap();
    let asked = ask(&Program::of(&registry), &["schema", "--definitions"]);
    let schema: serde_json::Value = serde_json::from_str(&asked.out).unwrap();
    let ids = &schema["$defs"]["id"];
    assert_eq!(ids["enum"], serde_json::json!(["no_refunds", "trim"]), "hooks outside of turns are not listed");
    assert_eq!(ids["enumDescriptions"][0], "Refuses refunds.");
    let entry = &schema["properties"]["hooks"]["items"]["anyOf"];
    assert_eq!((&entry[0]["$ref"], &entry[1]["required"]), (&"#/$defs/id".into(), &serde_json::json!(["id"])));
    assert_eq!(entry[1]["additionalProperties"], false);
    let manifest: serde_json::Value = serde_json::from_str(&ask(&program(), &["manifest"]).out).unwrap();
    assert_eq!(manifest["hooks"][0]["id"], "no_refunds");
}

/// Without an app, the compiled hooks are unknown, so any id is accepted.
#[test]
fn an_app_checks_the_ids_of_compiled_hooks_in_rules() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "hook", "id": "no_refund"}]}]}}"#;
    std::fs::write(&file, text).unwrap();
    let args = ["check", file.to_str().unwrap()];
    assert_eq!(ask(&Program::new(), &args).exit, Exit::SUCCESS);
    let reply = ask(&program(), &args);
    assert!(plain(&reply).contains("did you mean `no_refunds`?"), "{}", reply.out);
    assert_eq!(reply.exit, Exit::FAILURE);
}

#[tokio::test]
async fn an_app_can_run_a_command_inside_a_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    std::fs::write(&file, "{}").unwrap();
    let reply = ask(&program(), &["dispatch", "--event", "Notification", "--trust", file.to_str().unwrap()]);
    assert_eq!(reply.exit, Exit::SUCCESS);
}

/// A recording of the app, with one hook from the app's list and one from the agent's.
fn recorded(folder: &std::path::Path) -> String {
    use hooks_replay::{RecordLimits, Recorder};

    let path = folder.join("app.jsonl");
    let registry = registry();
    registry.set_app(AppDef::new("app").hooks(["trim"]));
    registry.observe(Recorder::create(&path, "clerk", RecordLimits::default()).unwrap());
    let set = registry.scope(&AgentDef::new("clerk").hooks(["no_refunds"]), None).unwrap();
    let cx = HookContext::builder().agent("clerk").build();
    let call = ToolCall::new("call_1", "refund", serde_json::json!({}));
    let input = call.input.clone();
    let _ = set.fire_blocking(&cx, &BeforeToolCall::new(call), input).unwrap();
    let _ = set.fire_blocking(&cx, &BeforeCreateMessage::new(), Message::new(Role::User, "hi")).unwrap();
    path.to_string_lossy().into_owned()
}

/// Rules are added to the app's list, and do not replace it. An override does not change the app's registry.
#[test]
fn an_app_replays_its_recording_with_rules_and_overrides() {
    let folder = tempfile::tempdir().unwrap();
    let recording = recorded(folder.path());
    let registry = registry();
    registry.set_app(AppDef::new("app").hooks(["trim"]));
    let program = Program::of(&registry).scope(&AgentDef::new("clerk").hooks(["no_refunds"]), None).unwrap();
    let reply = ask(&program, &["replay", &recording]);
    assert_eq!(reply.exit, Exit::SUCCESS, "{}{}", reply.out, reply.err);
    let rules = folder.path().join("rules.json");
    std::fs::write(&rules, r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#).unwrap();
    let rules = rules.to_string_lossy().into_owned();
    let reply = ask(&program, &["replay", &recording, "--trust", "--rules", &rules]);
    assert_eq!(reply.exit, Exit::SUCCESS, "{}{}", reply.out, reply.err);
    let overrides = folder.path().join("candidate.toml");
    std::fs::write(&overrides, "[hooks.no_refunds]\nmode = \"shadow\"\n").unwrap();
    let overrides = overrides.to_string_lossy().into_owned();
    let reply = ask(&program, &["replay", &recording, "--set", &overrides]);
    assert_eq!(reply.exit, Exit::DENIED, "{}{}", reply.out, reply.err);
    assert!(plain(&reply).contains("`no_refunds` deny → none: a person pays refunds"), "{}", reply.out);
    let reply = ask(&program, &["replay", &recording]);
    assert_eq!(reply.exit, Exit::SUCCESS, "{}{}", reply.out, reply.err);
    std::fs::write(folder.path().join("candidate.toml"), "[hooks.no_such_hook]\nenabled = false\n").unwrap();
    let reply = ask(&program, &["replay", &recording, "--set", &overrides]);
    assert!(reply.exit == Exit::FAILURE && reply.err.contains("no_such_hook"), "{}{}", reply.out, reply.err);
}

#[cfg(feature = "turns")]
#[test]
fn an_app_replays_turns() {
    use hooks_agent::Harness;
    use hooks_agent::model::{Line, Scripted};
    use hooks_agent::tool::{FnTool, ToolSpec};
    use hooks_replay::{RecordLimits, Recorder};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("turns.jsonl");
    let recorder = Recorder::create(&path, "clerk", RecordLimits::default()).unwrap();
    let agent = AgentDef::new("clerk").hooks(["no_refunds", "trim"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let registry = registry();
        registry.observe(recorder.clone());
        let model = Scripted::new([Line::call("a", "refund", serde_json::json!({})), Line::text("I cannot.")]);
        let harness = Harness::builder(registry)
            .model("main", model)
            .tool(FnTool::new(ToolSpec::new("refund"), |_cx, _input| Ok("paid".to_owned())))
            .on_inputs(recorder.turns())
            .accept(FindingKind::RewriteWithoutPolicy, "trim", "it trims nothing")
            .build()
            .unwrap();
        let session = harness.session("c-1", agent.clone()).open().await.unwrap();
        let _reply = session.turn(None, "pay me back").await;
    });
    recorder.flush();
    let recording = path.to_string_lossy().into_owned();
    let program = Program::of(&registry()).scope(&agent, None).unwrap();
    for how in ["--turns", "--turns=strict", "--turns=loose"] {
        let reply = ask(&program, &["replay", &recording, how]);
        assert_eq!(reply.exit, Exit::SUCCESS, "{how}: {}{}", reply.out, reply.err);
        assert!(reply.out.contains("1 turns replayed, 0 diverge"), "{how}: {}", reply.out);
    }
    let open = Program::of(&registry()).scope(&AgentDef::new("clerk").hooks(["trim"]), None).unwrap();
    let reply = ask(&open, &["replay", &recording, "--turns"]);
    assert_eq!(reply.exit, Exit::DENIED, "{}{}", reply.out, reply.err);
    assert!(plain(&reply).contains("1 turns replayed, 1 diverge"), "{}", reply.out);
}
