//! A harness with rules: a folder with a rule file and its scripts, a scripted model, and tools that record their
//! inputs.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hook_sdk::data::{Block, Message};
use hook_sdk::prelude::*;
use hook_sdk::scope::HookUse;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{MemoryStore, MessageStore};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::{Harness, HarnessBuilder, Reply, Session};
use hooks_rules::{Notices, RuleRun, Rules, RulesBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A script for `sh` at an event, with a matcher.
pub(crate) type Script<'a> = (&'a str, &'a str, &'a str);

pub(crate) struct Desk {
    pub(crate) folder: TempDir,
    pub(crate) registry: Registry,
    pub(crate) rules: Rules,
    pub(crate) model: Arc<Scripted>,
    pub(crate) store: Arc<MemoryStore>,
    /// The inputs of the tools.
    pub(crate) ran: Arc<Mutex<Vec<Value>>>,
    pub(crate) runs: Arc<Mutex<Vec<RuleRun>>>,
    pub(crate) notices: Arc<Mutex<Vec<Notices>>>,
    ids: Vec<HookUse>,
}

impl Desk {
    /// A desk with these scripts as nested rules.
    pub(crate) fn new(scripts: &[Script<'_>], lines: impl IntoIterator<Item = Line>) -> Self {
        Self::with(scripts, lines, |rules| rules)
    }

    /// Like `with`, with further configuration of the rules.
    pub(crate) fn with(
        scripts: &[Script<'_>],
        lines: impl IntoIterator<Item = Line>,
        more: impl FnOnce(RulesBuilder) -> RulesBuilder,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut events = serde_json::Map::new();
        for (number, (event, matcher, script)) in scripts.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.sh")), script).unwrap();
            let command = format!("sh \"$CLAUDE_PROJECT_DIR/{number}.sh\"");
            // A loaded machine may need longer than the default deadline of `SessionEnd`.
            let handler = json!({"type": "command", "command": command, "timeout": 60});
            let groups = events.entry(*event).or_insert_with(|| json!([])).as_array_mut().unwrap();
            groups.push(json!({"matcher": matcher, "hooks": [handler]}));
        }
        Self::of_file(folder, &json!({"hooks": events}), lines, more)
    }

    /// A desk with this rule file.
    pub(crate) fn of_file(
        folder: TempDir,
        file: &Value,
        lines: impl IntoIterator<Item = Line>,
        more: impl FnOnce(RulesBuilder) -> RulesBuilder,
    ) -> Self {
        let path = folder.path().join("hooks.json");
        fs::write(&path, file.to_string()).unwrap();
        let (runs, notices) = (Arc::<Mutex<Vec<RuleRun>>>::default(), Arc::<Mutex<Vec<Notices>>>::default());
        let (run, notice) = (Arc::clone(&runs), Arc::clone(&notices));
        let builder = Rules::builder()
            .settings(path)
            .project_dir(folder.path())
            .session_files(folder.path().join("sessions"))
            .observe(move |reported| run.lock().unwrap().push(reported.clone()))
            .on_notices(move |reported| notice.lock().unwrap().push(reported.clone()));
        let rules = more(builder).build();
        let registry = Registry::empty();
        let ids = rules.install(&registry).unwrap();
        registry.set_app(AppDef::new("desk").hooks(ids.clone()));
        Self {
            folder,
            registry,
            rules,
            model: Arc::new(Scripted::new(lines)),
            store: Arc::default(),
            ran: Arc::default(),
            runs,
            notices,
            ids,
        }
    }

    /// Adds a compiled hook.
    pub(crate) fn compiled(mut self, hook: Hook) -> Self {
        self.ids.push(HookUse::id(hook.id().as_str()));
        self.registry.register(hook).unwrap();
        self.registry.set_app(AppDef::new("desk").hooks(self.ids.clone()));
        self
    }

    /// A harness with a shell that does nothing, and a tool that fails.
    pub(crate) fn harness(&self) -> HarnessBuilder {
        let (ran, failed) = (Arc::clone(&self.ran), Arc::clone(&self.ran));
        let shell = FnTool::new(ToolSpec::new("run_shell_command"), move |_cx, input| {
            ran.lock().unwrap().push((**input).clone());
            Ok("the shell's answer".to_owned())
        });
        let breaks = FnTool::new(ToolSpec::new("breaks"), move |_cx, input| {
            failed.lock().unwrap().push((**input).clone());
            Err(ToolError::new("it broke"))
        });
        Harness::builder(self.registry.clone())
            .shared_model("main", self.model.clone())
            .shared_store(Arc::clone(&self.store) as Arc<dyn MessageStore>)
            .tool(shell)
            .tool(breaks)
    }

    pub(crate) async fn session(&self) -> Session {
        self.open(self.harness()).await
    }

    pub(crate) async fn open(&self, harness: HarnessBuilder) -> Session {
        harness.build().unwrap().session("c-1", AgentDef::new("clerk")).system_prompt("Be brief.").open().await.unwrap()
    }

    /// A turn that answers "hi".
    pub(crate) async fn turn(&self) -> Reply {
        self.session().await.turn(None, "hi").await
    }

    /// The stored messages with role and text.
    pub(crate) async fn stored(&self) -> Vec<String> {
        let page = self.store.page("c-1", None, 1_000).await.unwrap();
        page.rows.iter().map(|row| line(&row.message)).collect()
    }

    /// The last call of the model.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.model.heard().last().unwrap().messages.iter().map(line).collect()
    }

    pub(crate) fn ran(&self) -> Vec<Value> {
        self.ran.lock().unwrap().clone()
    }

    /// The input that a script saved with `cat > name`.
    pub(crate) fn kept(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The lines of a transcript.
    pub(crate) fn transcript(&self, path: impl AsRef<Path>) -> Vec<Value> {
        let text = self.read(path.as_ref().to_str().unwrap());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The causes of failed rules.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.runs.lock().unwrap().iter().filter_map(|run| run.failure.clone()).collect()
    }
}

/// The role and the text of a message. For a result, its text.
pub(crate) fn line(message: &Message) -> String {
    let text = |block: &Block| match block {
        Block::Text(text) => text.text.clone(),
        Block::ToolUse(call) => format!("-> {}", call.name),
        Block::ToolResult(result) => {
            format!("<- {}", result.content.iter().filter_map(Block::as_text).collect::<Vec<_>>().join(" + "))
        }
        _ => "?".to_owned(),
    };
    format!("{}: {}", message.role.as_str(), message.content.iter().map(text).collect::<Vec<_>>().join(" "))
}

/// The model calls the shell.
pub(crate) fn bash(command: &str) -> Line {
    Line::call("call_1", "run_shell_command", json!({"command": command, "description": "does it"}))
}

/// A script that prints an answer.
pub(crate) fn prints(answer: &Value) -> String {
    format!("cat <<'END'\n{answer}\nEND\n")
}

/// An answer with `hookSpecificOutput`.
pub(crate) fn output(event: &str, mut members: Value) -> Value {
    members["hookEventName"] = event.into();
    json!({"hookSpecificOutput": members})
}
