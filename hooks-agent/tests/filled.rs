//! Every field of every event is filled: by the loop itself, or by settings of the app. The page of the book that lists
//! them is generated from what happens here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::data::{Block, Message, MessageUpdate, Role, Usage};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::plugin::Plugin;
use hook_sdk::prelude::*;
use hook_sdk::record::{Observer, Record, Trace};
use hooks_agent::channel::{Address, Channel, Incoming};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{Harness, HarnessBuilder, Limits, TurnRequest};
use serde_json::{Value, json};

/// Streams its lines word by word, except single words.
struct Words(Mutex<VecDeque<Result<ModelAnswer, ModelError>>>);

impl Words {
    fn new(lines: impl IntoIterator<Item = Result<ModelAnswer, ModelError>>) -> Self {
        Self(Mutex::new(lines.into_iter().collect()))
    }
}

impl Model for Words {
    fn call<'a>(&'a self, _: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let line = self.0.lock().unwrap().pop_front();
            let answer = line.unwrap_or_else(|| Err(ModelError::Rejected("no more lines".to_owned())))?;
            for text in answer.content.iter().filter_map(Block::as_text).filter(|text| text.contains(' ')) {
                for word in text.split_inclusive(' ') {
                    deltas.text(word);
                    tokio::task::yield_now().await;
                }
            }
            Ok(answer)
        })
    }
}

/// The answer of a provider that reports everything.
fn with_usage(answer: ModelAnswer) -> ModelAnswer {
    let mut answer = answer.usage(Usage::new(100, 10));
    "clerk-9".clone_into(&mut answer.model);
    answer
}

#[allow(clippy::unnecessary_wraps, reason = "a line beside those that fail")]
fn text(words: &str) -> Result<ModelAnswer, ModelError> {
    Ok(with_usage(ModelAnswer::text(words)))
}

#[allow(clippy::unnecessary_wraps, reason = "a line beside those that fail")]
fn calls(id: &str, tool: &str) -> Result<ModelAnswer, ModelError> {
    Ok(with_usage(ModelAnswer::new(vec![Block::ToolUse(ToolCall::new(id, tool, json!({ "id": "a" })))])))
}

/// The parts of an app: a window, and tools of which one succeeds and one fails.
fn with_parts(harness: HarnessBuilder, model: Words) -> HarnessBuilder {
    let mut limits = Limits::default();
    limits.retry_after = Duration::from_millis(1);
    harness
        .model("main", model)
        .window(Window::new(10_000))
        .limits(limits)
        .tool(FnTool::new(ToolSpec::new("find"), |_, _| Ok("found".to_owned())))
        .tool(FnTool::new(ToolSpec::new("fails").idempotent(), |_, _| Err(ToolError::new("it broke"))))
}

/// A harness with the hooks that record events.
pub(crate) type Make<'a> = &'a (dyn Fn() -> HarnessBuilder + Sync);

/// Turns of an app without optional settings.
pub(crate) async fn by_the_loop(make: Make<'_>) {
    // Calls that run, fail and are deferred, an answer that is streamed and one that is not; then a provider that is
    // rate-limiting and rejects.
    let called = [calls("1", "find"), calls("2", "fails"), calls("put_off", "find")];
    let lines = called.into_iter().chain([text("there you are"), text("yes")]);
    let refused = [Err(ModelError::rate_limited("busy", None)), Err(ModelError::Rejected("no".to_owned()))];
    let store = Arc::new(MemoryStore::new());
    let shared = || Arc::clone(&store) as Arc<dyn MessageStore>;
    let harness = with_parts(make(), Words::new(lines.chain(refused))).shared_store(shared()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    session.turn(None, "what is it?").await;
    session.turn(None, "and now?").await;
    session.turn(None, "and then?").await;
    let row = store.page("c", None, 1).await.unwrap().rows.remove(0);
    session.update(&row.id, MessageUpdate::from_iter([("content", json!("changed"))])).await.unwrap();
    session.close(SessionEndReason::Shutdown).await.unwrap();

    // The conversation is continued and becomes too long; then the iterations are used up.
    let old = (0..8).map(|i| Message::new([Role::User, Role::Assistant][i % 2], "word ".repeat(50)));
    store.append("c", Append::new(old)).await.unwrap();
    let lines = [Err(ModelError::Overflow("long".to_owned())), text("they spoke"), calls("3", "find"), text("never")];
    let mut limits = Limits::default();
    limits.iterations = 2;
    let harness = with_parts(make(), Words::new(lines)).shared_store(shared()).limits(limits).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    session.turn(None, "what is it?").await;
}

/// Stores nothing.
struct Mail;

impl Channel for Mail {
    fn name(&self) -> &'static str {
        "mail"
    }

    fn send<'a>(&'a self, _: &'a Address, _: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async { Ok(Some("m-2".to_owned())) })
    }
}

/// An app with all optional settings.
pub(crate) async fn by_the_app(make: Make<'_>) {
    let lines = (0..6).map(|_| text("there you are"));
    let cx = HookContext::builder().app("desk").app_version("1.2").human_present(true).build();
    let find = |_: &HookContext, _: &str, _: &Messages| vec!["a question".to_owned()];
    let store = Arc::new(MemoryStore::new());
    let old = (0..8).map(|i| Message::new([Role::User, Role::Assistant][i % 2], "word ".repeat(50)));
    store.append("c", Append::new(old)).await.unwrap();
    let lines = [calls("1", "find"), calls("2", "fails")].into_iter().chain(lines);
    let harness =
        with_parts(make(), Words::new(lines)).context(cx).preflight(find).shared_store(store).build().unwrap();
    // The plugins of the registry are started with it.
    harness.start("127.0.0.1:8080").await.unwrap();
    let opening = harness.session("c", AgentDef::new("a")).channel("mail").dynamic_ui(true).resumed_from("b");
    let session = opening.open().await.unwrap();
    session.begin(TurnRequest::new("what is it?").hidden().trigger("cron")).await;
    session.hear(&Mail, Incoming::new("ada", "when?").id("m-1").thread("t-1"), None).await.unwrap();
    session.compact("the dates").await.unwrap();
    session.close_for(SessionEndReason::New, "d").await.unwrap();
    harness.stop("done", Duration::from_secs(1)).await.unwrap();
}

/// Whether a field of an event has a value.
fn holds(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(word) => *word,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => fields.values().any(holds),
    }
}

/// The filled fields by kind.
#[derive(Clone, Default)]
struct Filled(Arc<Mutex<BTreeSet<(&'static str, String)>>>);

impl Observer for Filled {
    fn dispatched(&self, _: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        let event = trace.pool.whole(Value::clone(&trace.event));
        let fields = event.as_object().into_iter().flatten().filter(|(_, value)| holds(value));
        self.0.lock().unwrap().extend(fields.map(|(name, _)| (trace.record.kind, name.clone())));
    }
}

impl Filled {
    fn take(&self) -> BTreeSet<(&'static str, String)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Hooks at every kind. Some of them cause values in fields of others: a phase contributes, a gate defers a call, and
/// one continues a turn once.
fn watched() -> (Registry, Filled) {
    macro_rules! watch {
        ($registry:ident: $($kind:ident),* $(,)?) => {
            $($registry.register(Hook::at::<$kind>(&format!("watch_{}", $kind::NAME)).reader(|_, _, _| ())).unwrap();)*
        };
    }
    let (registry, filled) = (Registry::empty(), Filled::default());
    watch!(registry: AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, AfterUpdateMessage,
        BeforeAgentStart, BeforeCompaction, BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, BeforeUpdateMessage,
        FilterMessages, GatewayStart, GatewayStop, Init, MessageReceived, MessageSending, MessageSent, PermissionRequest,
        PostCompact, PostModelCall, PostPreflightPromptContext, PostTurn, PreModelCall, PrePolicy, PrePromptCompile,
        PrePromptContext, PreToolMaterialization, PrefilterLlmHistory, SessionEnd, SessionStart, Shutdown, Stop, StreamDelta,
        TurnEnd, UserPromptSubmit);
    registry.register(contributes("phase")).unwrap();
    registry.register(puts_off("gate")).unwrap();
    let go_on = Hook::at::<Stop>("go_on").reader(|_, event: &Stop, ()| {
        if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with("more") }
    });
    registry.register(go_on).unwrap();
    registry.set_app(AppDef::new("app").hooks(registry.manifest().hooks.iter().map(|hook| hook.id.to_string())));
    registry.observe(filled.clone());
    (registry, filled)
}

/// Contributes in the first phase.
fn contributes(id: &str) -> Hook {
    Hook::at::<PrePolicy>(id).reader(|_, _, ()| vec![Contribution::audit("noted")])
}

/// Defers the call with this name, and asks about the one named `asked`.
pub(crate) fn puts_off(id: &str) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(|_, event: &BeforeToolCall, _| match event.call.id.as_str() {
        "put_off" => Permission::defer("later"),
        "asked" => Permission::ask("may it?"),
        _ => Permission::NoOpinion,
    })
}

fn plugin() -> Plugin {
    let hook = |id| Hook::at::<Init>(id).reader(|_, _, ()| ());
    let goes = Hook::at::<Shutdown>("acme_goes").reader(|_, _, ()| ());
    Plugin::new("acme")
        .version("2.0")
        .config(json!({ "strict": true }))
        .data_dir("/tmp/acme")
        .hook(hook("acme_init"))
        .hook(goes)
}

/// The setting of an app that fills a field.
const BY_THE_APP: &[(&str, &str, &str)] = &[
    ("after_tool_call_failure", "dynamic_ui", "`Opening::dynamic_ui`"),
    ("after_tool_call_success", "dynamic_ui", "`Opening::dynamic_ui`"),
    ("before_compaction", "instructions", "`Session::compact`"),
    ("gateway_start", "address", "`Harness::start`"),
    ("gateway_stop", "reason", "`Harness::stop`"),
    ("init", "app", "`HarnessBuilder::context`, with `HookContextBuilder::app`"),
    ("init", "app_version", "`HarnessBuilder::context`, with `HookContextBuilder::app_version`"),
    ("init", "config", "`Plugin::config`"),
    ("init", "data_dir", "`Plugin::data_dir`"),
    ("init", "plugin", "`Plugin::new`, or a linked plugin's own name; empty for hooks of the app"),
    ("init", "version", "`Plugin::version`, or a linked plugin's own"),
    ("message_received", "channel", "`Channel::name`"),
    ("message_received", "id", "`Incoming::id`"),
    ("message_received", "sender", "`Incoming::new`"),
    ("message_received", "thread", "`Incoming::thread`"),
    ("message_sending", "channel", "`Channel::name`"),
    ("message_sending", "recipient", "`Incoming::new`"),
    ("message_sending", "thread", "`Incoming::thread`"),
    ("message_sent", "channel", "`Channel::name`"),
    ("message_sent", "delivery", "`Channel::send`"),
    ("message_sent", "message", "`Session::hear`"),
    ("message_sent", "recipient", "`Incoming::new`"),
    ("post_preflight_prompt_context", "plan", "`HarnessBuilder::preflight`"),
    ("session_end", "channel", "`Opening::channel`"),
    ("session_end", "next_session", "`Session::close_for`"),
    ("session_start", "channel", "`Opening::channel`"),
    ("shutdown", "plugin", "`Plugin::new`, or a linked plugin's own name; empty for hooks of the app"),
    ("shutdown", "reason", "`Harness::stop`"),
    ("user_prompt_submit", "hidden", "`TurnRequest::hidden`"),
];

#[tokio::test]
async fn each_field_of_each_event_is_filled_and_listed_in_the_book() {
    let (registry, filled) = watched();
    by_the_loop(&|| Harness::builder(registry.clone())).await;
    let by_loop = filled.take();
    registry.install(plugin()).unwrap();
    by_the_app(&|| Harness::builder(registry.clone())).await;
    let by_app = filled.take();
    let ways: BTreeMap<(&str, &str), &str> =
        BY_THE_APP.iter().map(|(kind, field, way)| ((*kind, *field), *way)).collect();

    let (mut rows, mut wrong, mut used) = (String::new(), Vec::new(), BTreeSet::new());
    for kind in hook_sdk::kinds::all().into_iter().filter(|kind| kind.origin.file.contains("hooks-core/src/kinds")) {
        for field in kind.event_fields {
            let of = |filled: &BTreeSet<(&'static str, String)>| filled.contains(&(kind.name, (*field).to_owned()));
            let way = ways.get(&(kind.name, *field));
            match (of(&by_loop), of(&by_app), way) {
                (true, _, None) => {}
                (false, true, Some(way)) => {
                    used.insert((kind.name, *field));
                    writeln!(rows, "| `{}` | `{field}` | {way} |", kind.name).unwrap();
                }
                (by_loop, by_app, way) => {
                    wrong.push(format!("{}.{field}: by the loop {by_loop}, by the app {by_app}, {way:?}", kind.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(used.len(), BY_THE_APP.len(), "a row of `BY_THE_APP` is of no field");
    holds_the_page(&rows);
}

/// Compares the rows with the page, or writes them to it.
fn holds_the_page(rows: &str) {
    let page = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/EVENTS.md"));
    let old = std::fs::read_to_string(page).unwrap();
    let (begin, end) = ("| Kind | Field | How the app passes it |\n|---|---|---|\n", "\n<!-- to here -->");
    let (head, rest) = old.split_once(begin).unwrap();
    let (_, tail) = rest.split_once(end).unwrap();
    let new = format!("{head}{begin}{rows}{end}{tail}");
    if std::env::var_os("UPDATE_EVENTS").is_some_and(|value| value == "1") {
        std::fs::write(page, new).unwrap();
    } else {
        assert!(
            old == new,
            "hooks-agent/EVENTS.md is old: UPDATE_EVENTS=1 cargo test -p hooks-agent --all-features --test it filled rewrites it"
        );
    }
}
