//! An agent of rig with a scripted model, and hooks in it.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod hooks;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_rig::RigHooks;
use rig_agent::agent::{Agent, AgentBuilder};
use rig_agent::test_utils::{MockCompletionModel, MockStreamEvent, MockTurn};
use rig_agent::tool::{Tool, ToolContext};
use rig_core::completion::CompletionRequest;
use rig_core::message::{AssistantContent, Message as Row, ToolCall as RigCall, ToolFunction, ToolName};
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

struct Desk {
    model: MockCompletionModel,
    tool: Echo,
    agent: Agent,
}

fn desk(turns: impl IntoIterator<Item = MockTurn>, hooks: RigHooks) -> Desk {
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
