//! What hooks can read about the turn: the caller, the trigger, the row, the model, the remaining tokens.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::data::{Block, Message, MessageUpdate, Role, Usage};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::plugin::Plugin;
use hook_sdk::prelude::*;
use hooks_agent::channel::{Address, Channel, Incoming};
use hooks_agent::model::{Line, ModelAnswer, ModelError};
use hooks_agent::store::MessageStore as _;
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{SubAgent, TurnError, TurnRequest};
use serde_json::json;

use super::bench::Bench;

/// A record of a hook.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// A hook that records what `line` returns for the event and its context.
    fn hook<K: HookKind>(&self, line: fn(&HookContext, &K) -> String) -> Hook {
        let seen = self.0.clone();
        let hook = Hook::at::<K>(&format!("seen_{}", K::NAME));
        hook.reader(move |cx, event, _| seen.lock().unwrap().push(line(cx, event)))
    }
}

fn says<K: HookKind>(bench: &mut Bench, line: fn(&HookContext, &K) -> String) -> Seen {
    let seen = Seen::default();
    bench.app(seen.hook(line));
    seen
}

#[tokio::test]
async fn model_calls_of_a_sub_agent_have_their_own_call_site() {
    let ask = Line::call("1", "research", json!({ "prompt": "what is it?" }));
    let mut bench = Bench::new([ask, Line::text("a bird"), Line::text("done")]);
    let before = says::<PreModelCall>(&mut bench, |_, event| event.call_site.clone());
    let after = says::<PostModelCall>(&mut bench, |_, event| event.call_site.clone());
    let filtered = says::<PrefilterLlmHistory>(&mut bench, |_, event| event.call_site.clone());
    let harness = bench.harness().agent(SubAgent::new(AgentDef::new("research"), "Looks things up."));
    bench.session(harness).await.turn(None, "hi").await;
    for seen in [before, after, filtered] {
        assert_eq!(seen.take(), ["main", "sub_agent", "main"]);
    }
}

#[tokio::test]
async fn a_turn_has_its_trigger_and_says_whether_a_user_is_present_and_sees_the_prompt() {
    let mut bench = Bench::new((0..3).map(|_| Line::text("ok")));
    let start = says::<BeforeAgentStart>(&mut bench, |cx, event| format!("{} {}", event.trigger, cx.human_present()));
    let prompt = says::<UserPromptSubmit>(&mut bench, |_, event| event.hidden.to_string());
    let opening = bench.harness().build().unwrap().session("c", AgentDef::new("a")).human_present(true);
    let session = opening.open().await.unwrap();
    session.turn(None, "hi").await;
    session.begin(TurnRequest::new("sum up").trigger("cron").human_present(false).hidden()).await;
    session.turn(None, "hi").await;
    assert_eq!(start.take(), ["user true", "cron false", "user true"]);
    assert_eq!(prompt.take(), ["false", "true", "false"]);
}

#[tokio::test]
async fn each_turn_of_a_session_has_the_trigger_of_its_session() {
    let mut bench = Bench::new([Line::text("ok")]);
    let start = says::<BeforeAgentStart>(&mut bench, |cx, event| format!("{} {}", event.trigger, cx.human_present()));
    let cx = HookContext::builder().human_present(true).build();
    let harness = bench.harness().context(cx).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).trigger("cron").human_present(false).open().await.unwrap();
    session.turn(None, "hi").await;
    assert_eq!(start.take(), ["cron false"]);
}

#[tokio::test]
async fn contexts_have_the_id_of_the_stored_prompt_and_each_row_has_its_own_id() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]);
    let submitted = says::<UserPromptSubmit>(&mut bench, |cx, _| format!("{:?}", cx.message()));
    let gate = says::<BeforeToolCall>(&mut bench, |cx, _| cx.message().unwrap_or("none").to_owned());
    let end = says::<TurnEnd>(&mut bench, |cx, _| cx.message().unwrap_or("none").to_owned());
    let rows = says::<AfterCreateMessage>(&mut bench, |_, event| event.message_id.clone().unwrap_or_default());
    let changed = says::<AfterUpdateMessage>(&mut bench, |_, event| event.message_id.clone());
    let session = bench.session(bench.harness()).await;
    session.turn(None, "hi").await;
    let stored: Vec<_> = bench.store.page("c", None, 10).await.unwrap().rows.into_iter().map(|row| row.id).collect();
    assert_eq!(submitted.take(), ["None"]);
    assert_eq!((gate.take(), end.take()), (vec![stored[0].clone()], vec![stored[0].clone()]));
    assert_eq!(rows.take(), stored);
    session.update(&stored[3], MessageUpdate::from_iter([("content", json!("changed"))])).await.unwrap();
    assert_eq!(changed.take(), [stored[3].clone()]);
    session.add(None, Message::new(Role::User, "a note")).await.unwrap();
    let last = bench.store.page("c", None, 10).await.unwrap().rows.pop().unwrap();
    assert_eq!(rows.take(), [last.id]);
}

fn line(budget: Option<u64>, model: Option<&str>, ui: bool) -> String {
    // What was added since the provider's count is counted locally.
    format!("{:?} {model:?} {ui}", budget.map(|budget| budget / 100))
}

#[tokio::test]
async fn hooks_at_results_know_the_model_and_its_remaining_tokens() {
    let answers = |tool: &str, input: u64| {
        let call = Block::ToolUse(ToolCall::new("1", tool, json!({ "id": "a" })));
        let mut answer = ModelAnswer::new(vec![call]).usage(Usage::new(input, 10));
        answer.model = "clerk-9".to_owned();
        Line::answer(answer)
    };
    let mut bench = Bench::new([answers("lookup", 700), answers("breaks", 800), Line::text("done")]);
    let ran = says::<AfterToolCallSuccess>(&mut bench, |_, event| {
        line(event.context_budget, event.model.as_deref(), event.dynamic_ui)
    });
    let failed = says::<AfterToolCallFailure>(&mut bench, |_, event| {
        line(event.context_budget, event.model.as_deref(), event.dynamic_ui)
    });
    let sent = says::<PrefilterLlmHistory>(&mut bench, |_, event| event.model.clone());
    let harness = bench.harness().window(Window::new(10_000)).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).dynamic_ui(true).open().await.unwrap();
    session.turn(None, "hi").await;
    assert_eq!(ran.take(), ["Some(92) Some(\"clerk-9\") true"]);
    assert_eq!(failed.take(), ["Some(91) Some(\"clerk-9\") true"]);
    assert_eq!(sent.take(), ["", "clerk-9", "clerk-9"]);
}

#[tokio::test]
async fn the_token_count_of_the_provider_determines_when_the_window_is_full() {
    // Counted locally, the conversation has just over a thousand tokens.
    for (input, compact_at, expected) in
        [(None, 900, [1, 2].as_slice()), (Some(100), 900, &[1]), (Some(9_000), 5_000, &[2])]
    {
        let answer = || match input {
            Some(input) => Line::answer(ModelAnswer::text("ok").usage(Usage::new(input, 5))),
            None => Line::text("ok"),
        };
        let mut bench = Bench::new([answer(), answer()]);
        bench.store.append("c", (0..8).map(|_| Message::new(Role::User, "word ".repeat(100))).collect()).await.unwrap();
        let full = says::<BeforeCompaction>(&mut bench, |cx, _| cx.turn().unwrap_or_default().to_string());
        bench.app(Hook::at::<BeforeCompaction>("never").reader(|_, _, ()| Permission::deny("never")));
        let session = bench.session(bench.harness().window(Window::new(20_000).compact_at(compact_at))).await;
        session.turn(None, "hi").await;
        session.turn(None, "hi").await;
        let mut turns = full.take();
        turns.dedup();
        // The eight earlier messages include prompts too.
        let turns: Vec<u64> = turns.iter().map(|turn| turn.parse::<u64>().unwrap() - 8).collect();
        assert_eq!(turns, expected, "{input:?}");
    }
}

#[tokio::test]
async fn a_compaction_after_a_rejection_has_the_injection_mode_minimal() {
    for refused in [false, true] {
        let mut lines = vec![Line::text("summary"), Line::text("done")];
        if refused {
            lines.insert(0, Line::error(ModelError::Overflow("long".into())));
        }
        let mut bench = Bench::new(lines);
        bench
            .store
            .append("c", (0..12).map(|_| Message::new(Role::User, "word ".repeat(100))).collect())
            .await
            .unwrap();
        let mode = says::<PostCompact>(&mut bench, |_, event| event.injection_mode.to_string());
        let harness = bench.harness();
        let harness = if refused { harness } else { harness.window(Window::new(20_000).compact_at(900)) };
        bench.session(harness).await.turn(None, "hi").await;
        assert_eq!(mode.take(), [if refused { "minimal" } else { "full" }]);
    }
}

#[tokio::test]
async fn calls_for_a_summary_have_the_profiles_too() {
    let mut bench = Bench::new([Line::text("summary"), Line::text("done")]);
    bench.store.append("c", (0..12).map(|_| Message::new(Role::User, "word ".repeat(100))).collect()).await.unwrap();
    let seen = says::<PreModelCall>(&mut bench, |_, event| format!("{} {:?}", event.call_site, event.profiles));
    let harness = bench.harness().window(Window::new(20_000).compact_at(900));
    bench.session(harness).await.turn(None, "hi").await;
    assert_eq!(seen.take(), ["compaction [\"main\"]", "main [\"main\"]"]);
}

#[tokio::test]
async fn a_user_can_request_a_compaction_with_instructions() {
    let mut bench = Bench::new([Line::text("they spoke"), Line::text("done")]);
    bench
        .store
        .append("c", (0..8).map(|i| Message::new(Role::User, format!("{i} {}", "word ".repeat(20)))).collect())
        .await
        .unwrap();
    let seen = says::<BeforeCompaction>(&mut bench, |_, event| {
        format!("{} {} {}", event.trigger, event.compaction, event.instructions)
    });
    let after = says::<PostCompact>(&mut bench, |_, event| format!("{} {}", event.trigger, event.injection_mode));
    let session = bench.session(bench.harness()).await;
    assert!(session.compact("the price of the ticket").await.unwrap());
    assert_eq!(seen.take(), ["manual full the price of the ticket"]);
    assert_eq!(after.take(), ["manual full"]);
    assert!(bench.model.heard()[0].system_prompt.ends_with("the price of the ticket"));
    let stored = bench.stored().await;
    assert!(stored[0].contains("they spoke") && stored.len() < 8, "{stored:?}");
    // Nothing is lost, and the conversation continues.
    assert_eq!(bench.store.history("c", None, 100).await.unwrap().rows.len(), 9);
    assert_eq!(session.turn(None, "hi").await.to_string(), "done");
}

#[tokio::test]
async fn hooks_may_refuse_a_requested_compaction_and_a_halt_is_an_error() {
    let mut bench = Bench::new([]);
    bench.store.append("c", (0..8).map(|_| Message::new(Role::User, "word ".repeat(20))).collect()).await.unwrap();
    bench.app(Hook::at::<BeforeCompaction>("no").reader(|_, event: &BeforeCompaction, ()| {
        if event.instructions == "halt" { Err(Halt::new("enough")) } else { Ok(Permission::deny("not now")) }
    }));
    let session = bench.session(bench.harness()).await;
    assert!(!session.compact("").await.unwrap());
    let error = session.compact("halt").await.unwrap_err();
    assert!(matches!(error, TurnError::Halted(_)), "{error}");
    assert_eq!(bench.stored().await.len(), 8);
}

#[tokio::test(start_paused = true)]
async fn session_events_have_the_previous_session_the_duration_and_the_next_session() {
    let mut bench = Bench::new([Line::text("ok")]);
    let began = says::<SessionStart>(&mut bench, |_, event| format!("{} {:?}", event.source, event.resumed_from));
    let ended = says::<SessionEnd>(&mut bench, |_, event| {
        format!("{} {:?} {:?}", event.reason, event.duration.map(|duration| duration.as_secs()), event.next_session)
    });
    let harness = bench.harness().build().unwrap();
    let open = |id: &str| harness.session(id, AgentDef::new("a"));
    let first = open("c").open().await.unwrap();
    first.turn(None, "hi").await;
    tokio::time::advance(Duration::from_secs(7)).await;
    first.close_for(SessionEndReason::New, "d").await.unwrap();
    open("c").open().await.unwrap();
    open("d").source(SessionSource::Clear).resumed_from("c").open().await.unwrap();
    assert_eq!(began.take(), ["startup None", "resume Some(\"c\")", "clear Some(\"c\")"]);
    assert_eq!(ended.take(), ["new Some(7) Some(\"d\")"]);
}

/// Records the addresses of messages.
#[derive(Default)]
struct Mail(Mutex<Vec<Address>>);

impl Channel for Mail {
    fn name(&self) -> &'static str {
        "mail"
    }

    fn send<'a>(&'a self, address: &'a Address, _: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>> {
        self.0.lock().unwrap().push(address.clone());
        Box::pin(async { Ok(None) })
    }
}

#[tokio::test]
async fn a_received_message_has_its_id_and_thread_and_the_turn_gets_the_additions_of_hooks() {
    let mut bench = Bench::new([Line::text("noon")]);
    let received = says::<MessageReceived>(&mut bench, |_, event| format!("{:?} {:?}", event.id, event.thread));
    let sending = says::<MessageSending>(&mut bench, |_, event| format!("{:?}", event.thread));
    bench.app(Hook::at::<MessageReceived>("adds").writer(|_, _, message: &mut Message| {
        message.content.push(Block::from("[ada is a member]"));
        message.extra.insert("member".to_owned(), true.into());
    }));
    let (session, mail) = (bench.session(bench.harness()).await, Mail::default());
    session.hear(&mail, Incoming::new("ada", "when?").id("m-7").thread("t-1"), None).await.unwrap();
    assert_eq!(received.take(), ["Some(\"m-7\") Some(\"t-1\")"]);
    assert_eq!(sending.take(), ["Some(\"t-1\")"]);
    assert_eq!(mail.0.lock().unwrap()[0].thread.as_deref(), Some("t-1"));
    let heard = &bench.model.heard()[0].messages[0];
    assert_eq!((heard.content.len(), &heard.extra["member"]), (2, &json!(true)));
}

#[tokio::test]
async fn init_hooks_of_plugins_and_of_the_app_know_what_loads_them() {
    let mut bench = Bench::new([]);
    let line: fn(&HookContext, &Init) -> String =
        |_, event| format!("{}|{}|{}", event.plugin, event.app, event.app_version);
    let seen = says::<Init>(&mut bench, line);
    let of_plugin = Seen::default();
    bench
        .registry
        .install(Plugin::new("acme").hook(Hook::at::<Init>("acme_init").reader({
            let seen = of_plugin.0.clone();
            move |cx, event, ()| seen.lock().unwrap().push(line(cx, event))
        })))
        .unwrap();
    let cx = HookContext::builder().app("desk").app_version("1.2.3").build();
    bench.harness().context(cx).build().unwrap().start("here").await.unwrap();
    assert_eq!(seen.take(), ["|desk|1.2.3"]);
    assert_eq!(of_plugin.take(), ["acme|desk|1.2.3"]);
}

#[tokio::test]
async fn hooks_and_tools_can_read_the_agent_definition_with_unknown_fields() {
    let ask = Line::call("1", "research", json!({ "prompt": "what is it?" }));
    let mut bench = Bench::new([ask, Line::text("a bird"), Line::text("done")]);
    let seen = says::<BeforeAgentStart>(&mut bench, |cx, _| {
        let agent = cx.state::<AgentDef>().unwrap();
        format!("{} {:?}", agent.name, agent.extra.get("model"))
    });
    let research = AgentDef::from_json("agent.json", r#"{"name": "research", "model": "small"}"#).unwrap();
    let harness = bench.harness().agent(SubAgent::new(research, "Looks things up.")).build().unwrap();
    let clerk = AgentDef::from_json("agent.json", r#"{"name": "clerk", "model": "large"}"#).unwrap();
    harness.session("c", clerk).open().await.unwrap().turn(None, "hi").await;
    assert_eq!(seen.take(), ["clerk Some(String(\"large\"))", "research Some(String(\"small\"))"]);
}

/// The spans of turns, and which of them is active when a tool logs.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<SpansSeen>>);

#[derive(Default)]
struct SpansSeen {
    made: Vec<String>,
    inside: Vec<u64>,
    lines: Vec<String>,
}

struct SpanText(String);

impl tracing::field::Visit for SpanText {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl tracing::Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.name() == "turn" || metadata.target() == "own_line"
    }

    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut text = SpanText(String::new());
        attributes.record(&mut text);
        let mut seen = self.0.lock().unwrap();
        seen.made.push(text.0);
        tracing::span::Id::from_u64(seen.made.len() as u64)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        let SpansSeen { made, inside, lines } = &mut *self.0.lock().unwrap();
        lines.extend(inside.last().map(|id| made[usize::try_from(*id).unwrap() - 1].clone()));
    }

    fn enter(&self, id: &tracing::span::Id) {
        self.0.lock().unwrap().inside.push(id.into_u64());
    }

    fn exit(&self, _: &tracing::span::Id) {
        self.0.lock().unwrap().inside.pop();
    }
}

#[tokio::test]
async fn log_lines_of_a_tool_are_inside_the_span_of_the_turn() {
    let bench = Bench::new([Line::call("1", "logs", json!({})), Line::text("done")]);
    let logs = FnTool::new(ToolSpec::new("logs"), |_, _| {
        tracing::info!(target: "own_line", "here");
        Ok("logged".to_owned())
    });
    let session = bench.session(bench.harness().tool(logs)).await;
    let spans = Spans::default();
    let _default = tracing::subscriber::set_default(spans.clone());
    // Tests on other threads have no subscriber, and `tracing` caches their interest in a callsite.
    tracing::callsite::rebuild_interest_cache();
    session.turn(None, "hi").await;
    assert_eq!(spans.0.lock().unwrap().lines, [" conversation=\"c\" agent=\"a\" turn=1"]);
}
