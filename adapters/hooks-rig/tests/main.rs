//! An agent of rig with a scripted model, and hooks in it.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod hooks;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use hook_sdk::data::Block;
use hook_sdk::hook::Hook;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_rig::RigHooks;
use rig_agent::agent::{
    Agent, AgentBuilder, AgentHook, AgentRun, DispatchAction, DispatchEvent, HookContext as RigContext, HookStack,
    InvalidToolCallAction, InvalidToolCallContext, ModelTurn, ModelTurnAction, ModelTurnFinished,
};
use rig_agent::extractor::ExtractorBuilder;
use rig_agent::test_utils::{MockCompletionModel, MockStreamEvent, MockTurn};
use rig_agent::tool::{Tool, ToolContext};
use rig_core::completion::{CompletionRequest, FinishReason, Usage};
use rig_core::effect::EffectKind;
use rig_core::memory::InMemoryConversationMemory;
use rig_core::message::{
    AssistantContent, AssistantMessage, Message as Row, ToolCall as RigCall, ToolFunction, ToolName,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Args {
    text: String,
}

/// Says what it was given, and counts how often it ran.
#[derive(Clone, Default)]
struct Echo(Arc<AtomicUsize>);

#[derive(Debug)]
struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the tool failed")
    }
}

impl std::error::Error for Failed {}

impl Tool for Echo {
    const NAME: &'static str = "echo";
    type Error = Failed;
    type Args = Args;
    type Output = Value;

    fn description(&self) -> String {
        "Says it again".to_owned()
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})
    }

    async fn call(&self, _: &mut ToolContext, args: Args) -> Result<Value, Failed> {
        self.0.fetch_add(1, Ordering::Relaxed);
        match args.text.as_str() {
            "break" => Err(Failed),
            "json" => Ok(json!({"card": "s3cret", "n": 1})),
            text => Ok(text.into()),
        }
    }
}

fn rig(ids: &[&str]) -> RigHooks {
    let agent = AgentDef::new("test").hooks(ids.iter().copied());
    RigHooks::new(Registry::discover().unwrap().scope(&agent, None).unwrap())
}

/// Hooks that only one test has.
fn with(hooks: impl IntoIterator<Item = Hook>) -> RigHooks {
    let (registry, mut ids) = (Registry::empty(), Vec::new());
    for hook in hooks {
        ids.push(hook.id().to_string());
        registry.register(hook).unwrap();
    }
    RigHooks::new(registry.scope(&AgentDef::new("test").hooks(ids), None).unwrap())
}

/// A hook of the app, in front of the hooks.
fn behind(own: impl AgentHook + 'static, hooks: RigHooks) -> HookStack {
    let mut stack = HookStack::with(own);
    stack.push(hooks);
    stack
}

/// What hooks of a test have seen.
type Seen = Arc<Mutex<Vec<String>>>;

fn seen(log: &Seen) -> Vec<String> {
    log.lock().unwrap().clone()
}

struct Desk {
    model: MockCompletionModel,
    tool: Echo,
    agent: Agent,
}

fn desk(turns: impl IntoIterator<Item = MockTurn>, hooks: impl AgentHook + 'static) -> Desk {
    let (model, tool) = (MockCompletionModel::from_turns(turns), Echo::default());
    let agent = AgentBuilder::new(model.clone()).preamble("Be kind.").tool(tool.clone()).add_hook(hooks).build();
    Desk { model, tool, agent }
}

impl Desk {
    async fn ask(&self, prompt: &str) -> Result<String, String> {
        let run = self.agent.prompt(prompt).max_turns(6).await;
        run.map(|response| response.output()).map_err(|error| error.to_string())
    }

    fn ran(&self) -> usize {
        self.tool.0.load(Ordering::Relaxed)
    }

    /// The rows of a request, as text.
    fn sent(&self, call: usize) -> Vec<String> {
        texts(&self.model.requests()[call])
    }
}

fn texts(request: &CompletionRequest) -> Vec<String> {
    let text = |row: &Row| match row {
        Row::System { content } => format!("system: {content}"),
        Row::User { content } => format!("user: {}", serde_json::to_string(content).unwrap()),
        Row::Assistant(turn) => format!("assistant: {}", serde_json::to_string(&turn.content).unwrap()),
    };
    request.chat_history.iter().map(text).collect()
}

fn call(text: &str) -> MockTurn {
    MockTurn::tool_call("call_1", "echo", json!({"text": text}))
}

/// The hooks, the text of the call, how often the tool ran, and what the model reads of the result.
#[rustfmt::skip]
const CALLS: &[(&[&str], &str, usize, &str)] = &[
    (&[], "hi", 1, "hi"),
    (&["judge"], "hi", 1, "hi"),
    (&["judge"], "deny", 0, "Denied: no"),
    (&["judge"], "panic", 0, "Denied"),
    (&["judge"], "ask", 0, "There is nobody to ask"),
    (&["judge"], "defer", 0, "There is nobody to ask"),
    (&["judge"], "answer", 0, "known"),
    (&["judge"], "rewrite", 1, "rewritten"),
    (&["mask"], "s3cret", 1, "***"),
    (&["mask"], "json", 1, "{\"type\":\"json\",\"value\":{\"card\":\"***\",\"n\":1}}"),
    (&["mask"], "remove", 1, "[result removed by mask]"),
    (&["mask"], "context", 1, "and this"),
    (&["row"], "s3cret", 1, "+++"),
    (&["failure"], "break", 1, "mended"),
    (&["judge", "mask", "row"], "answer", 0, "known"),
];

#[tokio::test]
async fn the_model_reads_what_hooks_leave_of_a_call() {
    for (ids, text, ran, expected) in CALLS {
        let desk = desk([call(text), MockTurn::text("done")], rig(ids));
        assert_eq!(desk.ask("go").await.as_deref(), Ok("done"), "{ids:?} {text}");
        assert_eq!(desk.ran(), *ran, "{ids:?} {text}");
        let read = desk.sent(1).join("\n");
        assert!(read.contains(expected), "{ids:?} {text}: {read}");
        assert!(!ids.contains(&"row") || !read.contains("s3cret"), "{ids:?} {text}: {read}");
    }
}

/// The hooks, the text of the call, and the reason that stops the run.
const STOPS: &[(&[&str], &str, &str)] = &[
    (&["judge"], "halt", "enough"),
    (&["halts"], "halt", "seen enough"),
    (&["mask"], "fail", "the mask has broken"),
    (&["mask"], "relay", "somebody else say"),
    (&["answers_for_the_model"], "hi", "answered in the model's place"),
    (&["routes"], "hi", "the profile `big`"),
    (&["blocks_the_prompt"], "hi", "not today"),
    (&["rewrites_the_past"], "hi", "rewrote the history"),
    (&["removes_the_prompt"], "hi", "removed the prompt"),
    (&["drops_calls"], "hi", "other calls than the model"),
    (&["draws"], "hi", "no form for"),
];

#[tokio::test]
async fn a_halt_and_what_cannot_be_carried_stop_the_run_with_the_reason() {
    for (ids, text, expected) in STOPS {
        let desk = desk([call(text), MockTurn::text("done")], rig(ids));
        let run = desk.agent.prompt("go").history([Row::user("before"), Row::assistant("yes")]).max_turns(6).await;
        let Err(error) = run else { panic!("{ids:?} {text} goes on") };
        let error = error.to_string();
        assert!(error.contains(expected), "{ids:?} {text}: {error}");
        assert!(*text != "hi" || desk.ran() == 0, "{ids:?} {text}");
    }
}

#[tokio::test]
async fn a_person_answers_the_question_of_a_gate() {
    let cases = [
        (Approval::Yes, 1, "ask"),
        (Approval::No("not now".to_owned()), 0, "not now"),
        (Approval::Edited(json!({"text": "edited"}).into()), 1, "edited"),
        (Approval::Edited(json!({"text": "deny"}).into()), 0, "Denied: no"),
        (Approval::Answer(ToolResult::new("by hand")), 0, "by hand"),
    ];
    for (answer, ran, expected) in cases {
        let hooks = rig(&["judge"]).ask(move |_| {
            let answer = answer.clone();
            async move { answer }
        });
        let desk = desk([call("ask"), MockTurn::text("done")], hooks);
        assert_eq!(desk.ask("go").await.as_deref(), Ok("done"));
        assert_eq!(desk.ran(), ran, "{expected}");
        assert!(desk.sent(1).pop().unwrap().contains(expected), "{expected}");
    }
    let desk = desk([call("ask"), MockTurn::text("done")], rig(&["judge"]).ask(async |_| Approval::Suspend));
    assert!(desk.ask("go").await.unwrap_err().contains("waiting for an answer"));
    assert_eq!(desk.ran(), 0);
}

#[tokio::test]
async fn each_of_several_calls_in_one_reply_is_judged() {
    let content = |id: &str, text: &str| {
        let function = ToolFunction::new(ToolName::new("echo").unwrap(), json!({"text": text}));
        AssistantContent::ToolCall(RigCall::from_wire(id, function))
    };
    let calls = [content("a", "hi"), content("b", "deny"), content("c", "answer"), content("d", "rewrite")];
    let desk = desk([MockTurn::from_contents(calls), MockTurn::text("done")], rig(&["judge"]));
    assert_eq!(desk.ask("go").await.as_deref(), Ok("done"));
    assert_eq!(desk.ran(), 2);
    let read = desk.sent(1).join("\n");
    for expected in ["\"hi\"", "Denied: no", "known", "rewritten"] {
        assert!(read.contains(expected), "{expected}: {read}");
    }
}

#[tokio::test]
async fn a_prompt_is_rewritten_and_gets_contexts_in_each_call_of_its_run() {
    let desk = desk([call("hi"), MockTurn::text("done")], rig(&["rewrites_the_prompt", "row"]));
    assert_eq!(desk.ask("my card is s3cret").await.as_deref(), Ok("done"));
    for sent in [desk.sent(0), desk.sent(1)] {
        assert!(sent[0].contains("Be kind."), "{sent:?}");
        // rig joins rows of one author.
        assert!(sent[1].contains("it is Monday") && sent[1].contains("my card is +++!"), "{sent:?}");
    }
}

#[tokio::test]
async fn the_request_is_what_hooks_leave_of_it_and_the_history_stays() {
    let desk = desk([MockTurn::text("done"), MockTurn::text("again")], rig(&["request", "history"]));
    let image =
        Row::User { content: vec![rig_core::message::UserContent::image_url("https://a.example/b.png", None, None)] };
    let history = [Row::user("a s3cret"), image, Row::user("drop me"), Row::assistant("a s3cret")];
    let response = desk.agent.prompt("go").history(history).await.unwrap();
    let request = &desk.model.requests()[0];
    assert_eq!((request.temperature, request.max_tokens, request.tools.len()), (Some(0.5), Some(9), 0));
    let sent = texts(request);
    assert_eq!(sent[0], "system: Be kind. Be brief.");
    assert!(sent[1].contains("a ***") && sent[1].contains("b.png") && sent[2].contains("a ***"), "{sent:?}");
    assert!(!sent.iter().any(|row| row.contains("drop me")));
    assert_eq!(response.messages().len(), 2, "the history that rig keeps is not changed");
}

/// Counts the documents of a request.
struct Documents(Seen);

impl AgentHook for Documents {
    async fn on_dispatch(&self, _: &RigContext, event: DispatchEvent<'_>) -> DispatchAction {
        let documents = event.completion_request().map_or(0, |request| request.documents.len());
        self.0.lock().unwrap().push(documents.to_string());
        DispatchAction::proceed()
    }
}

#[tokio::test]
async fn a_document_of_the_agent_is_a_text_for_hooks() {
    let mut sent = Vec::new();
    let log = Seen::default();
    let hooks = || HookStack::with(rig(&["history"]));
    for (text, mut hooks) in [("a s3cret", hooks()), ("plain", hooks()), ("plain", HookStack::new())] {
        hooks.push(Documents(log.clone()));
        let model = MockCompletionModel::from_turns([MockTurn::text("done")]);
        let agent = AgentBuilder::new(model.clone()).preamble("Be kind.").context(text).add_hook(hooks).build();
        agent.prompt("go").await.unwrap();
        sent.push(texts(&model.requests()[0]));
    }
    assert_eq!(seen(&log), ["0", "1", "1"]);
    let masked = sent[0].join("\n");
    assert!(masked.contains("a ***") && masked.contains("static_doc_0") && !masked.contains("s3cret"), "{masked}");
    assert_eq!(sent[1], sent[2]);
}

#[tokio::test]
async fn an_answer_is_what_hooks_leave_of_it() {
    for (ids, text, expected) in
        [(&["reply"][..], "a s3cret", "a ***"), (&["row"], "a s3cret", "a +++"), (&["reply", "row"], "plain", "plain")]
    {
        let desk = desk([MockTurn::text(text)], rig(ids));
        assert_eq!(desk.ask("go").await.as_deref(), Ok(expected), "{ids:?}");
    }
}

#[tokio::test]
async fn hooks_ask_for_another_answer_and_continue_a_turn_and_are_bounded() {
    let desk1 = desk([MockTurn::text("bad"), MockTurn::text("good")], rig(&["reply"]));
    assert_eq!(desk1.ask("go").await.as_deref(), Ok("good"));
    assert_eq!(desk1.model.request_count(), 2);

    let desk2 = desk([MockTurn::text("half"), MockTurn::text("whole")], rig(&["stop"]));
    assert_eq!(desk2.ask("go").await.as_deref(), Ok("whole"));
    assert!(desk2.sent(1).pop().unwrap().contains("and the rest?"), "{:?}", desk2.sent(1));

    let error = desk([MockTurn::text("secret plan")], rig(&["stop"])).ask("go").await.unwrap_err();
    assert!(error.contains("blocked"), "{error}");

    let always = desk(std::iter::repeat_with(|| MockTurn::text("half")).take(30), rig(&["stop"]));
    let run = always.agent.prompt("go").max_turns(30).await.unwrap();
    assert_eq!((run.output(), always.model.request_count()), ("half".to_owned(), 9));
}

#[tokio::test]
async fn a_stream_stops_where_a_hook_would_rewrite_or_refuse_it() {
    for (piece, expected) in [("fine", None), ("a s3cret", Some("rewrote a piece")), ("forbidden", Some("not that"))] {
        let events = [
            MockStreamEvent::text("so: "),
            MockStreamEvent::text(piece),
            MockStreamEvent::final_response_with_default_usage(),
        ];
        let model = MockCompletionModel::from_stream_turns([events]);
        let agent = AgentBuilder::new(model).add_hook(rig(&["stream"])).build();
        let items: Vec<_> = agent.prompt("go").stream().collect().await;
        let error = items.into_iter().find_map(Result::err).map(|error| error.to_string());
        match expected {
            None => assert_eq!(error, None),
            Some(expected) => assert!(error.as_ref().unwrap().contains(expected), "{error:?}"),
        }
    }
}

#[tokio::test]
async fn the_end_of_a_run_is_seen_once_and_runs_share_nothing() {
    let hooks = rig(&["judge", "ends"]);
    let desk = Arc::new(desk([call("deny"), MockTurn::text("one"), call("hi"), MockTurn::text("two")], hooks));
    assert_eq!(desk.ask("go").await.as_deref(), Ok("one"));
    assert_eq!(desk.ask("go").await.as_deref(), Ok("two"));
    assert_eq!(hooks::ENDS.load(Ordering::Relaxed), 2);
    assert_eq!(desk.ran(), 1);
}

/// Sets the text of each call.
struct Clamp(&'static str);

impl AgentHook for Clamp {
    async fn on_dispatch(&self, _: &RigContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.kind {
            EffectKind::ToolCall { .. } => DispatchAction::rewrite_tool_args(event.kind, json!({"text": self.0})),
            _ => DispatchAction::proceed(),
        }
    }
}

fn call_part(text: &str) -> AssistantContent {
    let function = ToolFunction::new(ToolName::new("echo").unwrap(), json!({"text": text}));
    AssistantContent::ToolCall(RigCall::from_wire("call_1", function))
}

fn call_and(said: &str, text: &str) -> MockTurn {
    MockTurn::from_contents([AssistantContent::text(said), call_part(text)])
}

/// Masks the text of replies, and the arguments of calls if `calls`.
fn masks_replies(calls: bool) -> Hook {
    Hook::at::<PostModelCall>("masks_replies").writer(move |_, _, reply: &mut ModelReply| {
        for block in &mut reply.content {
            match block {
                Block::Text(text) => text.text = text.text.replace("s3cret", "***"),
                Block::ToolUse(call) if calls => call.input["text"] = "masked".into(),
                _ => {}
            }
        }
    })
}

#[tokio::test]
async fn what_a_hook_of_the_app_made_of_a_call_is_judged_and_runs() {
    let judge = || {
        Hook::at::<BeforeToolCall>("judge").reader(|_, _, input: &ToolInput| match input["text"].as_str() {
            Some("deny") => Permission::deny("no"),
            _ => Permission::NoOpinion,
        })
    };
    // The text that the app's hook sets, whether a mask changes the call too, how often the tool runs, what the model reads.
    for (clamp, masks, ran, expected) in [
        ("clamped", false, 1, "clamped"),
        ("deny", false, 0, "Denied: no"),
        ("given", true, 1, "masked"),
        ("masked", true, 1, "masked"),
        ("clamped", true, 0, "two hooks of the agent"),
    ] {
        let hooks = behind(Clamp(clamp), with([masks_replies(masks), judge()]));
        let desk = desk([call_and("a s3cret", "given"), MockTurn::text("done")], hooks);
        assert_eq!(desk.ask("go").await.as_deref(), Ok("done"), "{clamp}");
        assert_eq!(desk.ran(), ran, "{clamp} {masks}");
        assert!(desk.sent(1).pop().unwrap().contains(expected), "{clamp} {masks}: {:?}", desk.sent(1));
    }
}

/// Sets the text of each call in a reply or a row.
fn set_text(content: &mut [Block], text: Option<&'static str>) {
    for block in content {
        if let (Block::ToolUse(call), Some(text)) = (block, text) {
            call.input["text"] = text.into();
        }
    }
}

#[tokio::test]
async fn a_mask_of_the_stored_row_leaves_gates_and_tools_their_input() {
    // What hooks make of the call at `post_model_call`, and of its row; what the gate judges and the tool gets.
    for (reply, row, expected) in [
        (None, Some("***"), "given"),
        (Some("edited"), Some("***"), "edited"),
        (Some("edited"), Some("given"), "edited"),
        (Some("edited"), None, "edited"),
        (Some("deny"), Some("given"), "deny"),
    ] {
        let log = Seen::default();
        let (judged, ran) = (log.clone(), log.clone());
        let hooks = || {
            let (judged, ran) = (judged.clone(), ran.clone());
            with([
                Hook::at::<PostModelCall>("sets_calls")
                    .writer(move |_, _, left: &mut ModelReply| set_text(&mut left.content, reply)),
                Hook::at::<BeforeCreateMessage>("masks_rows")
                    .writer(move |_, _, left: &mut Message| set_text(&mut left.content, row)),
                Hook::at::<BeforeToolCall>("gate").reader(move |_, _, input: &ToolInput| {
                    judged.lock().unwrap().push(input["text"].as_str().unwrap().to_owned());
                    if input["text"] == "deny" { Permission::deny("no") } else { Permission::NoOpinion }
                }),
                Hook::at::<AfterToolCallSuccess>("result").reader(move |_, _, result: &ToolResult| {
                    ran.lock().unwrap().push(result.text().into_owned());
                }),
            ])
        };
        let desk = desk([call("given"), MockTurn::text("done")], hooks());
        assert_eq!(desk.ask("go").await.as_deref(), Ok("done"));
        let sent = desk.sent(1).join("\n");
        let text = row.or(reply).unwrap();
        assert!(sent.contains(&format!("\"arguments\":{{\"text\":\"{text}\"}}")), "{reply:?} {row:?}: {sent}");
        let events = vec![MockStreamEvent::tool_call("call_1", "echo", json!({"text": "given"}))];
        stream(hooks(), vec![events, vec![MockStreamEvent::text("done")]]).await.1.unwrap();
        let runs = if expected == "deny" { vec!["deny"; 2] } else { vec![expected; 4] };
        assert_eq!(seen(&log), runs, "{reply:?} {row:?}");
    }
    // A call that one hook renames has no name to judge, whatever another one writes into the row.
    let name = |content: &mut [Block], to: &str| {
        if let Some(Block::ToolUse(call)) = content.first_mut() {
            call.name = to.to_owned();
        }
    };
    let there =
        Hook::at::<PostModelCall>("there").writer(move |_, _, left: &mut ModelReply| name(&mut left.content, "other"));
    let back =
        Hook::at::<BeforeCreateMessage>("back").writer(move |_, _, left: &mut Message| name(&mut left.content, "echo"));
    let desk = desk([call("hi"), MockTurn::text("done")], with([there, back]));
    assert!(desk.ask("go").await.unwrap_err().contains("other calls than the model"));
    assert_eq!(desk.ran(), 0);
}

#[tokio::test]
async fn hooks_that_change_nothing_change_nothing() {
    let repeated = || vec![call("one"), call("two"), MockTurn::text("done")];
    let cut = || vec![call_and("", "cut").with_finish_reason(FinishReason::Length), MockTurn::text("done")];
    let echo = |text: &str| ToolFunction::new(ToolName::new("echo").unwrap(), json!({"text": text}));
    let earlier = RigCall::from_wire("call_1", echo("before"));
    let answer = earlier.result(vec![rig_core::message::ToolResultContent::text("before")]);
    let history = [
        Row::user("before"),
        Row::Assistant(AssistantMessage::new(vec![AssistantContent::ToolCall(earlier)])),
        Row::User { content: vec![rig_core::message::UserContent::ToolResult(answer)] },
        Row::assistant("yes"),
    ];
    let empty =
        || vec![MockTurn::from_contents([AssistantContent::text(""), AssistantContent::text("done")]), call("x")];
    let turns: [&dyn Fn() -> Vec<MockTurn>; 3] = [&repeated, &cut, &empty];
    for turns in turns {
        let mut runs = Vec::new();
        let observer = || Hook::at::<AfterToolCall>("observes").reader(|_, _, ()| ());
        let hooks = [HookStack::new(), HookStack::with(with([])), HookStack::with(with([observer()]))];
        for hooks in hooks {
            let desk = desk(turns(), hooks);
            let run = desk.agent.prompt("go").history(history.clone()).max_turns(6).await;
            let run = run.map(|run| (run.output(), run.messages().to_vec())).map_err(|error| error.to_string());
            let sent: Vec<_> = desk.model.requests().iter().map(texts).collect();
            runs.push((run, sent, desk.ran()));
        }
        assert!(runs[0].0.is_ok(), "{:?}", runs[0]);
        assert!(runs.iter().all(|run| *run == runs[0]), "{runs:#?}");
    }
}

#[tokio::test]
async fn the_calls_of_an_answer_that_was_cut_off_run() {
    let cut = call_and("a s3cret", "hi").with_finish_reason(FinishReason::Length);
    let desk = desk([cut, MockTurn::text("done")], with([masks_replies(true)]));
    assert_eq!(desk.ask("go").await.as_deref(), Ok("done"));
    let sent = desk.sent(1).join("\n");
    assert!(desk.ran() == 1 && sent.contains("a ***") && sent.contains("masked"), "{sent}");
}

async fn stream(hooks: RigHooks, turns: Vec<Vec<MockStreamEvent>>) -> (String, Result<(), String>) {
    let turns = turns.into_iter().map(|mut events| {
        events.push(MockStreamEvent::final_response_with_default_usage());
        events
    });
    let agent = AgentBuilder::new(MockCompletionModel::from_stream_turns(turns)).tool(Echo::default()).add_hook(hooks);
    let items: Vec<_> = agent.build().prompt("go").max_turns(4).stream().collect().await;
    let shown = format!("{:?}", items.iter().flatten().collect::<Vec<_>>());
    (shown, items.into_iter().find_map(Result::err).map_or(Ok(()), |error| Err(error.to_string())))
}

#[tokio::test]
async fn a_stream_that_hooks_hold_back_stops_before_anything_is_shown() {
    let hold = || Hook::at::<StreamDelta>("holds").writer(|_, _, _: &mut String| ()).hold(8);
    let pieces = ["my card is s3", "cret"].map(MockStreamEvent::text).to_vec();
    let (shown, end) = stream(with([hold()]), vec![pieces]).await;
    assert!(end.unwrap_err().contains("holds pieces of a stream back"));
    assert!(!shown.contains("card"), "{shown}");
    // Without a stream, nothing has to be held back.
    assert_eq!(desk([MockTurn::text("fine")], with([hold()])).ask("go").await.as_deref(), Ok("fine"));
}

/// What hooks at `stream_delta` see.
fn windows(log: &Seen) -> Hook {
    let log = log.clone();
    Hook::at::<StreamDelta>("windows").reader(move |_, event: &StreamDelta, window: &String| {
        log.lock().unwrap().push(format!("{}: {}|{window} {}", event.channel, event.shown, event.last));
    })
}

#[tokio::test]
async fn each_channel_of_a_stream_is_judged_once() {
    let log = Seen::default();
    let first = vec![
        MockStreamEvent::reasoning_delta("I th"),
        MockStreamEvent::reasoning_delta("ink"),
        MockStreamEvent::text("so"),
        MockStreamEvent::tool_call_name_delta("call_1", "echo"),
        MockStreamEvent::tool_call_arguments_delta("call_1", "{\"text\": "),
        MockStreamEvent::tool_call_arguments_delta("call_1", "\"hi\"}"),
        MockStreamEvent::tool_call_end("call_1"),
    ];
    stream(with([windows(&log)]), vec![first, vec![MockStreamEvent::text("done")]]).await.1.unwrap();
    let expected = [
        "thinking: |I th false",
        "thinking: I th|ink false",
        "text: |so false",
        "tool_input: |{\"text\":  false",
        "tool_input: {\"text\": |\"hi\"} false",
        "text: |done false",
    ];
    assert_eq!(seen(&log), expected);
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_judged_whole() {
    let log = Seen::default();
    let thought = MockTurn::from_contents([AssistantContent::reasoning("hm"), AssistantContent::text("yes")]);
    assert_eq!(desk([thought], with([windows(&log)])).ask("go").await.as_deref(), Ok("yes"));
    assert_eq!(seen(&log), ["text: |yes true", "thinking: |hm true"]);

    assert_eq!(desk([MockTurn::text("a s3cret")], rig(&["stream"])).ask("go").await.as_deref(), Ok("a ***"));
    let error = desk([MockTurn::text("forbidden")], rig(&["stream"])).ask("go").await.unwrap_err();
    assert!(error.contains("not that"), "{error}");
    let thought = MockTurn::from_contents([AssistantContent::reasoning("a s3cret"), AssistantContent::text("yes")]);
    let error = desk([thought], rig(&["stream"])).ask("go").await.unwrap_err();
    assert!(error.contains("rewrote `thinking`"), "{error}");
}

/// The hooks, the text of the call or the answer, and the reason of the end.
const REASONS: &[(&[&str], &str, &str)] = &[
    (&[], "fine", "no_tool_calls"),
    (&["blocks_the_prompt"], "fine", "prompt_refused"),
    (&["halts"], "call", "halted"),
    (&["judge"], "call halt", "halted"),
    (&["stop"], "a secret", "answer_blocked"),
    (&["stream"], "forbidden", "answer_blocked"),
    (&["routes"], "fine", "error"),
    (&[], "call forever", "max_iterations"),
];

#[tokio::test]
async fn the_end_says_why_and_has_the_history_of_the_caller() {
    for (ids, text, expected) in REASONS {
        let (log, registry) = (Seen::default(), Registry::discover().unwrap());
        let end = Hook::at::<TurnEnd>("sees_the_end").reader({
            let log = log.clone();
            move |_, event: &TurnEnd, ()| {
                let rows = event.history.iter().map(|row| row.text().into_owned());
                log.lock().unwrap().extend(std::iter::once(event.reason.to_string()).chain(rows));
            }
        });
        registry.register(end).unwrap();
        let agent = AgentDef::new("test").hooks(ids.iter().copied().chain(["sees_the_end"]));
        let hooks = RigHooks::new(registry.scope(&agent, None).unwrap());
        let turn = || match text.strip_prefix("call") {
            Some(text) => call(text.trim()),
            None => MockTurn::text(*text),
        };
        let turns = [turn(), if text.contains("forever") { turn() } else { MockTurn::text("done") }];
        let history = [Row::user("before"), Row::assistant("yes")];
        let _ = desk(turns, hooks).agent.prompt("go").history(history).max_turns(2).await;
        let seen = seen(&log);
        assert_eq!(seen[..3], [*expected, "before", "yes"], "{ids:?} {text}: {seen:?}");
    }
}

#[tokio::test]
async fn somebody_is_present_whatever_is_set_first() {
    let present = || {
        let look = |cx: &HookContext| {
            if cx.human_present() { PromptVerdict::default() } else { PromptVerdict::block("empty") }
        };
        with([Hook::at::<UserPromptSubmit>("present").reader(move |cx, _, _| look(cx))])
    };
    let (cx, ask) = (HookContext::new, async |_| true);
    for hooks in [present().ask(ask).context(cx()), present().context(cx()).ask(ask)] {
        assert_eq!(desk([MockTurn::text("hi")], hooks).ask("go").await.as_deref(), Ok("hi"));
    }
    assert!(desk([MockTurn::text("hi")], present()).ask("go").await.is_err());
}

#[tokio::test]
async fn an_agent_with_two_sets_of_hooks_does_not_run() {
    let two = || behind(rig(&["judge"]), rig(&["judge"]));
    let fresh = desk([call("hi"), MockTurn::text("done")], two());
    assert!(fresh.ask("go").await.unwrap_err().contains("the agent has two `RigHooks`"));
    assert_eq!(fresh.model.request_count(), 0);
    // A run that is resumed has no start.
    let mut run = AgentRun::new("go").max_turns(4);
    run.next_step().unwrap();
    run.advertise_tools(1, vec![]);
    let names = BTreeSet::from(["echo".to_owned()]);
    let parts = vec![call_part("hi")];
    let turn = AssistantMessage::new(parts.clone());
    run.model_response(ModelTurn::new(turn, parts, Usage::default(), names.clone(), names, json!({}))).unwrap();
    let resumed = desk([MockTurn::text("done")], two());
    assert!(resumed.agent.resume(run).await.unwrap_err().to_string().contains("the agent has two `RigHooks`"));
    assert_eq!(resumed.ran(), 0);
}

#[tokio::test]
async fn an_answer_stands_in_the_last_turn() {
    let log = Seen::default();
    let more = || {
        let log = log.clone();
        Hook::at::<Stop>("more").reader(move |_, event: &Stop, ()| {
            log.lock().unwrap().push(event.at_iteration_cap.to_string());
            StopVerdict::continue_with("and the rest?")
        })
    };
    let again = || Hook::at::<PostModelCall>("again").reader(|_, _, _: &ModelReply| ReplyVerdict::Continue);
    for hook in [more(), again()] {
        let desk = desk([MockTurn::text("one"), MockTurn::text("two")], with([hook]).max_turns(2));
        let run = desk.agent.prompt("go").max_turns(2).await.map_err(|error| error.to_string());
        assert_eq!(run.map(|run| run.output()).as_deref(), Ok("two"));
    }
    assert_eq!(seen(&log), ["false", "true"]);
}

/// Asks for another answer in place of a bad one.
struct Retries;

impl AgentHook for Retries {
    async fn on_model_turn_finished(&self, _: &RigContext, event: ModelTurnFinished<'_>) -> ModelTurnAction {
        let is_bad =
            event.content.iter().any(|part| matches!(part, AssistantContent::Text(text) if text.text == "bad"));
        if is_bad { ModelTurnAction::retry_with_feedback("better, please") } else { ModelTurnAction::Continue }
    }
}

#[tokio::test]
async fn what_hooks_wanted_after_a_rejected_answer_is_forgotten() {
    let turns = || [MockTurn::text("bad"), MockTurn::text("good"), MockTurn::text("too much")];
    let log = Seen::default();
    let active = log.clone();
    let follow = Hook::at::<Stop>("follow").reader(move |_, event: &Stop, ()| {
        active.lock().unwrap().push(event.stop_hook_active.to_string());
        let bad = event.last_message.as_ref().is_some_and(|row| row.text() == "bad");
        if bad { StopVerdict::continue_with("why?") } else { StopVerdict::default() }
    });
    for hooks in [with([follow]), rig(&["reply"])] {
        let desk = desk(turns(), behind(Retries, hooks));
        assert_eq!(desk.ask("go").await.as_deref(), Ok("good"));
        let sent = desk.sent(1).join("\n");
        assert!(sent.contains("better, please") && !sent.contains("why?"), "{sent}");
    }
    assert_eq!(seen(&log), ["false", "false"]);
}

#[tokio::test]
async fn an_approver_that_panics_has_not_agreed() {
    let early = rig(&["judge"]).ask(|_| {
        assert!(AtomicUsize::new(0).into_inner() == 1, "the approver has broken");
        async { true }
    });
    let late = rig(&["judge"]).ask(async |_| {
        tokio::task::yield_now().await;
        assert!(AtomicUsize::new(0).into_inner() == 1, "the approver has broken");
        true
    });
    for hooks in [early, late] {
        let desk = desk([call("ask"), MockTurn::text("done")], hooks);
        assert_eq!(desk.ask("go").await.as_deref(), Ok("done"));
        assert_eq!(desk.ran(), 0);
        assert!(desk.sent(1).join("\n").contains("What answers questions has failed"));
    }
}

#[tokio::test]
async fn a_memory_keeps_what_hooks_left_of_a_reply_with_calls() {
    let turns = [call_and("a s3cret", "hi"), MockTurn::text("done"), MockTurn::text("again")];
    let model = MockCompletionModel::from_turns(turns);
    let agent = AgentBuilder::new(model.clone()).tool(Echo::default()).memory(InMemoryConversationMemory::new());
    let agent = agent.conversation("one").add_hook(with([masks_replies(true)])).build();
    agent.prompt("go").max_turns(3).await.unwrap();
    agent.prompt("on").await.unwrap();
    let sent = texts(&model.requests()[2]).join("\n");
    assert!(sent.contains("a ***") && sent.contains("masked") && !sent.contains("s3cret"), "{sent}");
}

#[derive(Debug, Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Person {
    name: String,
}

#[tokio::test]
async fn an_answer_by_a_tool_is_judged() {
    let stop = || {
        Hook::at::<Stop>("judges").reader(|_, event: &Stop, ()| {
            let text = event.last_message.as_ref().map(|row| row.text().into_owned()).unwrap_or_default();
            StopVerdict::block(format!("{} {text} is private", event.at_iteration_cap))
        })
    };
    let mask = || {
        Hook::at::<PostModelCall>("masks").writer(|_, _, reply: &mut ModelReply| {
            if let Some(Block::ToolUse(call)) = reply.content.first_mut() {
                call.input["name"] = "***".into();
            }
        })
    };
    let row = || {
        Hook::at::<BeforeCreateMessage>("row").writer(|_, _, row: &mut Message| {
            if let Some(Block::Text(text)) = row.content.first_mut() {
                text.text = text.text.replace("s3cret", "***");
            }
        })
    };
    let nothing = || Hook::at::<PostModelCall>("nothing").reader(|_, _, _: &ModelReply| ReplyVerdict::NoOpinion);
    for (hook, expected) in [
        (stop(), Some("true {\"name\":\"s3cret\"} is private")),
        (mask(), Some("that the model gave by a tool")),
        (row(), Some("that the model gave by a tool")),
        (nothing(), None),
    ] {
        let model = MockCompletionModel::from_turns([MockTurn::tool_call("c", "submit", json!({"name": "s3cret"}))]);
        let agent = AgentBuilder::new(model).add_hook(with([hook]));
        let run = ExtractorBuilder::<Person>::from_agent_builder(agent).build().extract("who?").await;
        let error = run.map(|_| ()).map_err(|error| error.to_string());
        match expected {
            Some(expected) => assert!(error.as_ref().unwrap_err().contains(expected), "{error:?}"),
            None => assert_eq!(error, Ok(())),
        }
    }
}

/// Takes care of calls that rig refuses.
struct Repairs(InvalidToolCallAction);

impl AgentHook for Repairs {
    async fn on_invalid_tool_call(&self, _: &RigContext, _: &InvalidToolCallContext) -> Option<InvalidToolCallAction> {
        Some(self.0.clone())
    }
}

#[tokio::test]
async fn a_reply_that_rig_shows_to_no_hook_stops_the_run_if_hooks_judge_replies() {
    let actions = [
        InvalidToolCallAction::repair("echo"),
        InvalidToolCallAction::skip("no"),
        InvalidToolCallAction::retry("echo"),
    ];
    for action in actions {
        let turns = || [MockTurn::tool_call("c", "ecko", json!({"text": "hi"})), MockTurn::text("done")];
        let judged = desk(turns(), behind(Repairs(action.clone()), with([masks_replies(false)])));
        let run = judged.agent.prompt("go").max_turns(6).max_invalid_tool_call_retries(3).await;
        assert!(run.unwrap_err().to_string().contains("showed that reply to no hook"), "{action:?}");
        assert_eq!(judged.ran(), 0);
        let free = desk(turns(), behind(Repairs(action.clone()), rig(&["judge"])));
        let run = free.agent.prompt("go").max_turns(6).max_invalid_tool_call_retries(3).await.unwrap();
        assert_eq!(run.output(), "done", "{action:?}");
    }
}

/// What the page shows is in the example.
#[test]
fn the_page_shows_the_example() {
    let page = include_str!("../README.md");
    let shown = page.split("```rust,ignore\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let mut example = include_str!("../examples/guard.rs").lines().map(str::trim);
    for line in shown.lines().map(str::trim).filter(|line| !line.is_empty()) {
        assert!(example.any(|own| own == line), "examples/guard.rs lacks, in this order: {line}");
    }
}
