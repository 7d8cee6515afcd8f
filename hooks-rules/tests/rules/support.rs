#[path = "../support/processes.rs"]
mod processes;

use std::path::Path;
use std::sync::{Arc, Mutex};

use hook_sdk::Fired;
pub(crate) use hook_sdk::data::ToolCall;
pub(crate) use hook_sdk::kinds::*;
pub(crate) use hook_sdk::prelude::*;
use hooks_rules::{Notices, RuleRun, RulesBuilder, Severity};
pub(crate) use hooks_rules::{Rules, RunOutcome};
pub(crate) use processes::{gone, marked};
pub(crate) use serde_json::{Value, json};

/// The hook set of an app with these rules.
pub(crate) fn set(rules: &Rules) -> HookSet {
    let registry = Registry::empty();
    set_in(rules, &registry)
}

pub(crate) fn set_in(rules: &Rules, registry: &Registry) -> HookSet {
    registry.set_app(AppDef::new("desk").hooks(rules.install(registry).unwrap()));
    registry.scope(&AgentDef::new("clerk"), None).unwrap()
}

/// A nested file with a group of these commands at an event.
pub(crate) fn commands(event: &str, commands: &[&str]) -> String {
    let handlers: Vec<Value> = commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    json!({"hooks": {event: [{"hooks": handlers}]}}).to_string()
}

/// Rules without errors.
pub(crate) fn built(builder: RulesBuilder) -> Rules {
    let rules = builder.build();
    let errors = rules.defects().into_iter().filter(|defect| defect.severity == Severity::Error).collect::<Vec<_>>();
    assert!(errors.is_empty(), "{errors:#?}");
    rules
}

/// Rules in a text without defects.
pub(crate) fn of_text(text: &str) -> Rules {
    built(Rules::builder().text("hooks.json", text))
}

/// Rules of one text. Warnings are allowed.
pub(crate) fn of_any(text: &str) -> Rules {
    Rules::builder().text("hooks.json", text).build()
}

pub(crate) fn call(name: &str, input: Value) -> ToolCall {
    ToolCall::new("call_1", name, input)
}

/// Fires `before_tool_call` for a call of the shell.
pub(crate) async fn shell(set: &HookSet, command: &str) -> Fired<BeforeToolCall> {
    shell_in(set, &HookContext::new(), command).await
}

pub(crate) async fn shell_in(set: &HookSet, cx: &HookContext, command: &str) -> Fired<BeforeToolCall> {
    let call = call("run_shell_command", json!({"command": command}));
    let input = call.input.clone();
    set.fire(cx, &BeforeToolCall::new(call), input).await.unwrap()
}

/// A command line for `sh` that prints an object.
pub(crate) fn prints(object: &Value) -> String {
    format!("cat <<'END'\n{object}\nEND")
}

/// An answer of a nested rule.
pub(crate) fn output(event: &str, members: Value) -> Value {
    let mut members = members;
    members["hookEventName"] = event.into();
    json!({"hookSpecificOutput": members})
}

/// Collects the reports of a builder.
#[derive(Clone, Default)]
pub(crate) struct Observed {
    pub(crate) runs: Arc<Mutex<Vec<RuleRun>>>,
    pub(crate) notices: Arc<Mutex<Vec<Notices>>>,
}

impl Observed {
    pub(crate) fn listens(&self, builder: RulesBuilder) -> RulesBuilder {
        let (runs, notices) = (Arc::clone(&self.runs), Arc::clone(&self.notices));
        builder
            .observe(move |run| runs.lock().unwrap().push(run.clone()))
            .on_notices(move |notice| notices.lock().unwrap().push(notice.clone()))
    }

    pub(crate) fn outcomes(&self) -> Vec<RunOutcome> {
        self.runs.lock().unwrap().iter().map(|run| run.outcome).collect()
    }

    /// The causes of failed runs.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.runs.lock().unwrap().iter().filter_map(|run| run.failure.clone()).collect()
    }
}

pub(crate) fn reason(verdict: &Permission) -> &str {
    verdict.denial().map_or("", |denial| denial.reason.as_str())
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
