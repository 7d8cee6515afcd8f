//! A turn loop with a folder of rules and scripts.

use std::path::Path;
use std::sync::{Arc, Mutex};

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::SessionEndReason;
use hook_sdk::prelude::*;
use hook_sdk::scope::HookUse;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{Harness, Reply, SubAgent};
use hooks_rules::{Answer, CommandOutput, RuleRun, Rules};
use serde_json::json;

/// A run of a rule, with its answer and output.
pub(super) type Ran = (RuleRun, Answer, CommandOutput);

/// The loop, and the runs of its rules.
pub(super) struct Looped {
    pub(super) rules: Rules,
    registry: Registry,
    uses: Vec<HookUse>,
    model: Arc<Scripted>,
    store: Arc<MemoryStore>,
    runs: Arc<Mutex<Vec<Ran>>>,
}

impl Looped {
    /// The rules of `hooks.json` in a folder, and a model with these lines.
    pub(super) fn new(folder: &Path, lines: impl IntoIterator<Item = Line>) -> Self {
        let runs: Arc<Mutex<Vec<Ran>>> = Arc::default();
        let seen = Arc::clone(&runs);
        let rules = Rules::builder()
            .text("hooks.json", std::fs::read_to_string(folder.join("hooks.json")).unwrap())
            .project_dir(folder)
            .session_files(folder.join("sessions"))
            .observe_answers(move |run, answer, printed| {
                seen.lock().unwrap().push((run.clone(), answer.clone(), printed.clone()));
            })
            .build();
        let registry = Registry::empty();
        let uses = rules.install(&registry).unwrap();
        registry.set_app(AppDef::new("desk").hooks(uses.clone()));
        Self { rules, registry, uses, model: Arc::new(Scripted::new(lines)), store: Arc::default(), runs }
    }

    /// Adds a compiled hook.
    pub(super) fn with_hook(mut self, hook: Hook) -> Self {
        self.uses.push(HookUse::id(hook.id().as_str()));
        self.registry.register(hook).unwrap();
        self.registry.set_app(AppDef::new("desk").hooks(self.uses.clone()));
        self
    }

    /// A session with one turn, whose history exceeds the window, so that it is compacted first.
    pub(super) async fn session(&self, prompt: &str) -> Reply {
        let old = |i: u32| {
            let role = if i.is_multiple_of(2) { Role::User } else { Role::Assistant };
            Message::new(role, "word ".repeat(if i == 0 { 800 } else { 1 }))
        };
        self.store.append("c-1", Append::new((0..8).map(old))).await.unwrap();
        self.turn(prompt, Window::new(1_000).compact_at(700)).await
    }

    /// A session with one turn.
    pub(super) async fn turn(&self, prompt: &str, window: Window) -> Reply {
        let shell = FnTool::new(ToolSpec::new("run_shell_command"), |_, _| Ok("the shell's answer".to_owned()));
        let breaks = FnTool::new(ToolSpec::new("breaks"), |_, _| Err(ToolError::new("it broke")));
        let harness = Harness::builder(self.registry.clone())
            .shared_model("main", Arc::clone(&self.model) as Arc<dyn hooks_agent::model::Model>)
            .shared_store(Arc::clone(&self.store) as Arc<dyn MessageStore>)
            .tool(shell)
            .tool(breaks)
            .agent(SubAgent::new(AgentDef::new("research"), "Looks things up."))
            .window(window)
            .build()
            .unwrap();
        let session = harness.session("c-1", AgentDef::new("clerk")).open().await.unwrap();
        let reply = session.turn(None, prompt).await;
        session.close(SessionEndReason::Shutdown).await.unwrap();
        reply
    }

    /// The messages of the last model call, as text.
    pub(super) fn heard(&self) -> String {
        let heard = self.model.heard();
        heard.last().map_or_else(String::new, |call| json!(call.messages).to_string())
    }

    /// The runs of the rules so far.
    pub(super) fn runs(&self) -> Vec<Ran> {
        std::mem::take(&mut self.runs.lock().unwrap())
    }
}
