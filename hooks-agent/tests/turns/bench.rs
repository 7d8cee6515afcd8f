//! A test bench: a harness with a scripted model, a few tools, and a log of all events.

use std::sync::{Arc, Mutex};

use hook_sdk::data::Message;
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError, Scripted};
use hooks_agent::store::{MemoryStore, MessageStore};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::{Harness, HarnessBuilder, Reply, Session, TurnEvent};

/// The log, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A scripted model that logs its calls.
struct Noted(Arc<Scripted>, Log);

impl Model for Noted {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.1.note("the model");
        self.0.call(call, deltas)
    }
}

pub(crate) struct Bench {
    pub(crate) registry: Registry,
    pub(crate) model: Arc<Scripted>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) log: Log,
    ids: Vec<String>,
}

macro_rules! watch {
    ($bench:ident: $($kind:ident),* $(,)?) => {
        $({
            let log = $bench.log.clone();
            let id = format!("watch_{}", <$kind as HookKind>::NAME);
            // The first hook of its kind, so that effects of the others are logged after it.
            $bench.app(Hook::at::<$kind>(&id).reader(move |_, _, _| log.note(<$kind as HookKind>::NAME)).priority(-100));
        })*
    };
}

impl Bench {
    pub(crate) fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self {
            registry: Registry::empty(),
            model: Arc::new(Scripted::new(lines)),
            store: Arc::new(MemoryStore::new()),
            log: Log::default(),
            ids: Vec::new(),
        }
    }

    /// A bench that logs every kind when it is fired.
    pub(crate) fn watched(lines: impl IntoIterator<Item = Line>) -> Self {
        let mut bench = Self::new(lines);
        watch!(bench: AfterCreateMessage, AfterUpdateMessage, BeforeUpdateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart,
            BeforeCompaction, BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, FilterMessages, PermissionRequest, PostCompact, PostModelCall,
            PostPreflightPromptContext, PostTurn, PreModelCall, PrePolicy, PrePromptCompile, PrePromptContext,
            PreToolMaterialization, PrefilterLlmHistory, SessionEnd, SessionStart, Stop, TurnEnd, UserPromptSubmit);
        let mut missing = Vec::new();
        for kind in hook_sdk::kinds::all() {
            // Deltas are those of a stream, which has sequences of its own.
            let is_of_a_turn = kind.origin.file.contains("hooks-core/src/kinds") && !kind.outside_turn;
            if is_of_a_turn && kind.name != "stream_delta" && !bench.ids.contains(&format!("watch_{}", kind.name)) {
                missing.push(kind.name);
            }
        }
        assert!(
            missing.is_empty(),
            "add these kinds to the list above, and to the sequences in `order.rs`: {missing:?}"
        );
        bench
    }

    /// Adds `hook` to the app's list.
    pub(crate) fn app(&mut self, hook: Hook) {
        self.ids.push(hook.id().to_string());
        self.registry.register(hook).unwrap();
        self.registry.set_app(AppDef::new("bench").hooks(self.ids.iter().map(String::as_str)));
    }

    pub(crate) fn harness(&self) -> HarnessBuilder {
        let log = self.log.clone();
        let lookup = FnTool::new(ToolSpec::new("lookup"), move |_cx, input| {
            log.note("the tool");
            Ok(format!("found {}", input["id"].as_str().unwrap_or("nothing")))
        });
        let breaks = FnTool::new(ToolSpec::new("breaks"), |_cx, _input| Err(ToolError::new("it broke")));
        let panics =
            FnTool::new(ToolSpec::new("panics"), |_cx, _input| std::panic::resume_unwind(Box::new("of course")));
        // A test breaks its hooks on purpose, at the place that it is about.
        let accept = |harness: HarnessBuilder, id: &String| {
            harness.accept(FindingKind::RewriteWithoutPolicy, id, "the test says what a failure does")
        };
        self.ids
            .iter()
            .fold(Harness::builder(self.registry.clone()), accept)
            .model("main", Noted(Arc::clone(&self.model), self.log.clone()))
            .shared_store(Arc::clone(&self.store) as Arc<dyn MessageStore>)
            .tool(lookup)
            .tool(breaks)
            .tool(panics)
    }

    pub(crate) async fn session(&self, harness: HarnessBuilder) -> Session {
        harness
            .build()
            .unwrap()
            .session("c", AgentDef::new("a").hooks::<String>([]))
            .system_prompt("Be brief.")
            .open()
            .await
            .unwrap()
    }

    /// A turn that answers "hi".
    pub(crate) async fn turn(&self) -> Reply {
        self.session(self.harness()).await.turn(None, "hi").await
    }

    /// The stored messages: role and text, calls as `-> tool`, results as `<- text`.
    pub(crate) async fn stored(&self) -> Vec<String> {
        let page = self.store.page("c", None, 1_000).await.unwrap();
        page.rows.iter().map(|row| line(&row.message)).collect()
    }
}

/// A turn that answers `prompt`, and its events.
pub(crate) async fn turn_with_events(session: &Session, prompt: &str) -> (Reply, Vec<TurnEvent>) {
    session.turn(None, prompt).finish().await
}

pub(crate) fn line(message: &Message) -> String {
    let blocks = message.content.iter().map(|block| match block {
        hook_sdk::data::Block::Text(text) => text.text.clone(),
        hook_sdk::data::Block::ToolUse(call) => format!("-> {}({})", call.name, call.input.text()),
        hook_sdk::data::Block::ToolResult(result) => {
            let text: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
            format!("<- {}", text.join(" "))
        }
        _ => "?".to_owned(),
    });
    format!("{}: {}", message.role, blocks.collect::<Vec<_>>().join(" | "))
}
