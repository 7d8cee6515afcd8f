//! Decisions of hooks: at the prompt, at the model's reply, at the end.

use std::sync::{Arc, Mutex};

use hook_sdk::HookId;
use hook_sdk::data::{Block, Message, Role};
use hook_sdk::kinds::ExitReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::model::{Line, ModelAnswer};
use hooks_agent::store::{Append, MessageStore};
use hooks_agent::window::Window;
use hooks_agent::{HarnessBuilder, Limits, Outcome, Steering, StopEffect, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line, turn_with_events};
use super::suspended::{AtDesk, Desk};

fn at_reply(id: &str, verdict: ReplyVerdict) -> Hook {
    Hook::at::<PostModelCall>(id).reader(move |_, _, _| verdict)
}

#[tokio::test]
async fn a_rejected_prompt_is_a_typed_result_and_stores_nothing() {
    for (verdict, shown) in [
        (PromptVerdict::block("not here"), "[Blocked by hook] not here"),
        (PromptVerdict::stop("later"), "[Hook stopped] later"),
    ] {
        let mut bench = Bench::new([]);
        bench.app(Hook::at::<UserPromptSubmit>("no").reader(move |_, _, _| verdict.clone()));
        let reply = bench.turn().await;
        assert_eq!(reply.to_string(), shown);
        assert_eq!(reply.exit, ExitReason::PromptRefused);
        assert!(bench.stored().await.is_empty());
    }
}

#[tokio::test]
async fn contexts_precede_the_prompt_and_are_not_stored() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(Hook::at::<UserPromptSubmit>("tell").reader(|_, _, _| PromptVerdict::context("it is Monday")));
    bench.turn().await;
    let sent: Vec<_> = bench.model.heard()[0].messages.iter().map(line).collect();
    assert_eq!(sent, ["user: <user-prompt-submit-hook>\nit is Monday\n</user-prompt-submit-hook>", "user: hi"]);
    assert_eq!(bench.stored().await, ["user: hi", "assistant: hello"]);
}

#[tokio::test]
async fn the_model_reads_the_stored_form_of_messages() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| Some(text.replace("hi", "**")));
    }));
    bench.turn().await;
    assert_eq!(bench.model.heard()[0].messages[0].text(), "**");
}

#[tokio::test]
async fn a_continued_reply_is_discarded_and_continuing_is_limited() {
    let mut bench = Bench::new((0..20).map(|i| Line::text(format!("try {i}"))));
    bench.app(at_reply("again", ReplyVerdict::Continue));
    let reply = bench.turn().await;
    // The limit per turn is five, so the sixth answer is kept.
    assert_eq!((reply.to_string().as_str(), reply.iterations), ("try 5", 6));
    assert_eq!(bench.stored().await, ["user: hi", "assistant: try 5"]);
}

#[tokio::test]
async fn continuing_has_no_effect_on_calls_and_on_shown_text() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("so it is").streamed()]);
    bench.app(at_reply("again", ReplyVerdict::Continue));
    let reply = bench.turn().await;
    assert_eq!(reply.iterations, 2);
    assert_eq!(bench.log.take().iter().filter(|what| *what == "the tool").count(), 1);
}

#[tokio::test]
async fn deferred_output_is_shown_once_as_the_hooks_leave_it() {
    let mut bench = Bench::new([Line::text("my secret").streamed()]);
    bench.app(Hook::at::<PreModelCall>("hold").writer(|_, _, request: &mut ModelRequest| {
        request.defer_output = true;
    }));
    bench.app(Hook::at::<PostModelCall>("mask").writer(|_, _, reply: &mut ModelReply| {
        reply.content = vec![hook_sdk::data::Block::from("my ***")];
    }));
    let session = bench.session(bench.harness()).await;
    let mut turn = session.turn(None, "hi");
    let mut shown = Vec::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Text(text) = event {
            shown.push(text);
        }
    }
    assert_eq!(shown, ["my ***"]);
    assert_eq!(turn.await.to_string(), "my ***");
}

#[tokio::test]
async fn hooks_at_stop_can_continue_up_to_the_limit() {
    let mut bench = Bench::new((0..20).map(|i| Line::text(format!("try {i}"))));
    bench.app(Hook::at::<Stop>("go_on").reader(|_, _, ()| StopVerdict::continue_with("more")));
    let session = bench.session(bench.harness()).await;
    let mut turn = session.turn(None, "hi");
    let mut effects = Vec::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Stop { effect, .. } = event {
            effects.push(effect);
        }
    }
    let mut expected = vec![StopEffect::Continue; 8];
    expected.push(StopEffect::ReentryCapped);
    assert_eq!(effects, expected);
    assert_eq!(turn.await.to_string(), "try 8");
}

#[tokio::test]
async fn a_hook_at_stop_can_replace_the_answer_by_an_error() {
    let mut bench = Bench::new([Line::text("the secret")]);
    bench.app(Hook::at::<Stop>("no").reader(|_, _, ()| StopVerdict::block("that was secret")));
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::AnswerBlocked { .. }));
    assert_eq!(reply.to_string(), "[Blocked by Stop hook] that was secret");
    assert_eq!(bench.stored().await, ["user: hi", "assistant: [Blocked by Stop hook] that was secret"]);
}

/// Masked text is masked for the hooks that decide about the end too, and stored once.
#[tokio::test]
async fn hooks_at_stop_get_the_answer_in_its_stored_form() {
    let mut bench = Bench::new([Line::text("the secret")]);
    bench.app(Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| text.contains("secret").then(|| format!("[masked] {}", text.len())));
    }));
    let log = bench.log.clone();
    bench.app(Hook::at::<Stop>("look").reader(move |_, event: &Stop, ()| {
        log.note(event.last_message.as_ref().unwrap().text().into_owned());
    }));
    assert_eq!(bench.turn().await.to_string(), "[masked] 10");
    assert_eq!(bench.log.take(), ["the model", "[masked] 10"]);
    assert_eq!(bench.stored().await, ["user: hi", "assistant: [masked] 10"]);
}

/// A halt before the answer is stored ends the turn: no hook decides about the end, and nobody sees what none judged.
#[tokio::test]
async fn a_turn_that_is_halted_at_its_answer_is_not_continued() {
    let mut bench = Bench::new([Line::text("hello"), Line::text("never")]);
    bench.app(Hook::at::<BeforeCreateMessage>("halt").reader(|_, _, row: &Message| match row.role {
        Role::Assistant => Err(Halt::new("enough")),
        _ => Ok(()),
    }));
    bench.app(Hook::at::<Stop>("more").reader(|_, _, ()| StopVerdict::continue_with("more")));
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::Halted(_)), "{reply:?}");
    let withheld = "assistant: [Withheld: the turn ended before all hooks had judged the answer]";
    assert_eq!(bench.stored().await, ["user: hi", withheld]);
}

#[tokio::test]
async fn repeating_the_same_call_ends_the_turn_and_fires_stop_once() {
    let mut bench = Bench::new((0..20).map(|_| Line::call("1", "lookup", json!({ "id": "a" }))));
    let log = bench.log.clone();
    bench.app(Hook::at::<Stop>("count").reader(move |_, event: &Stop, ()| {
        log.note(format!("stop {}", event.reason));
    }));
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::Unfinished { .. }), "{reply:?}");
    assert_eq!((reply.exit, reply.iterations), (ExitReason::DoomLoop, 4));
    assert_eq!(bench.log.take().iter().filter(|what| what.starts_with("stop")).collect::<Vec<_>>(), ["stop doom_loop"]);
}

#[tokio::test]
async fn a_turn_ends_at_its_step_limit() {
    let bench = Bench::new((0..20).map(|i| Line::call("1", "lookup", json!({ "id": i.to_string() }))));
    let mut limits = Limits::default();
    limits.iterations = 3;
    let reply = bench.session(bench.harness().limits(limits)).await.turn(None, "hi").await;
    assert_eq!((reply.exit, reply.iterations), (ExitReason::MaxIterations, 3));
}

#[tokio::test]
async fn a_halt_at_any_kind_ends_the_turn_after_its_dispatch() {
    macro_rules! halting {
        ($($kind:ident),*) => {
            [$((<$kind as HookKind>::NAME, Hook::at::<$kind>("enough").reader(|_, _, _| Err::<(), _>(Halt::new("enough"))))),*]
        };
    }
    let hooks = halting![
        FilterMessages,
        UserPromptSubmit,
        BeforeCreateMessage,
        AfterCreateMessage,
        BeforeAgentStart,
        PrefilterLlmHistory,
        PreModelCall,
        PostModelCall,
        BeforeToolCall,
        AfterToolCallSuccess,
        AfterToolCall,
        BeforeStoreToolResult,
        Stop
    ];
    for (kind, hook) in hooks {
        let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done")]);
        bench.app(hook);
        let harness = bench.harness();
        halts(kind, &bench, harness).await;
    }
    // In the phases, when a tool fails, and when the window is full.
    let hooks = halting![
        PrePolicy,
        PrePromptContext,
        PostPreflightPromptContext,
        PreToolMaterialization,
        PrePromptCompile,
        AfterToolCallFailure,
        BeforeCompaction,
        PostCompact
    ];
    for (kind, hook) in hooks {
        let first = if kind == "post_compact" { Line::text("s") } else { Line::call("1", "breaks", json!({})) };
        let mut bench = Bench::watched([first, Line::text("done")]);
        bench.app(hook);
        bench
            .store
            .append(
                "c",
                Append::new([Message::new(Role::User, "before ".repeat(50)), Message::new(Role::Assistant, "yes")]),
            )
            .await
            .unwrap();
        let harness = bench.harness();
        let harness = if kind.contains("compact") { harness.window(Window::new(1_000).compact_at(0)) } else { harness };
        halts(kind, &bench, harness).await;
        // Later phases are not fired any more.
        let log = bench.log.take();
        if kind.starts_with("pre_") || kind.contains("preflight") {
            assert_eq!(log[log.len() - 3..], [kind, "post_turn", "turn_end"]);
        }
    }
}

#[tokio::test]
async fn a_halt_at_the_end_of_the_turn_changes_nothing() {
    for hook in [
        Hook::at::<PostTurn>("enough").reader(|_, _, ()| Err::<(), _>(Halt::new("enough"))),
        Hook::at::<TurnEnd>("enough").reader(|_, _, ()| Err::<(), _>(Halt::new("enough"))),
    ] {
        let mut bench = Bench::new([Line::text("done")]);
        bench.app(hook);
        assert_eq!(bench.turn().await.to_string(), "done");
    }
}

/// A turn on `bench` is halted, and each call has its result.
async fn halts(kind: &str, bench: &Bench, harness: HarnessBuilder) {
    let reply = bench.session(harness).await.turn(None, "hi").await;
    assert!(matches!(reply.outcome, Outcome::Halted(_)), "{kind}: {reply:?}");
    assert_eq!(
        (reply.exit.clone(), reply.to_string().as_str()),
        (ExitReason::Halted, "[Hook stopped] enough"),
        "{kind}"
    );
    let stored = bench.stored().await;
    let (calls, results) = ["->", "<-"].map(|mark| stored.iter().filter(|line| line.contains(mark)).count()).into();
    assert_eq!(calls, results, "{kind}: {stored:?}");
}

#[tokio::test]
async fn the_event_and_the_reply_have_the_reason_of_a_halt() {
    let mut bench = Bench::new([Line::text("done")]);
    bench.app(Hook::at::<Stop>("reviews").reader(|_, _, ()| StopVerdict::end("paused for review")));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    let ended = reply.ended.as_ref().unwrap();
    assert_eq!((ended.reason.as_str(), ended.by.as_ref().map(HookId::as_str)), ("paused for review", Some("reviews")));
    assert_eq!(reply.to_string(), "done\n[Hook stopped] paused for review");
    let reported = |event: &TurnEvent| matches!(event, TurnEvent::Stop { reason: Some(reason), .. } if reason.as_str() == "paused for review");
    assert!(events.iter().any(reported), "{events:?}");
    assert!(matches!(reply.outcome, Outcome::Answered(_)));
}

#[tokio::test]
async fn equal_calls_count_within_one_answer_and_none_runs_after_the_last_that_may() {
    let call = |id: usize, input: &str| (id.to_string(), "lookup", ToolInput::parse(input));
    let equal = ["{\"id\": \"a\"}", "{\"id\":\"a\"}"];
    for suspends in [false, true] {
        // Twenty equal calls; and four followed by another one.
        for (count, other) in [(20, 0), (4, 1), (3, 1)] {
            let calls = (0..count).map(|at| call(at, equal[at % 2])).chain((0..other).map(|_| call(99, "{}")));
            let blocks = calls.map(|(id, name, input)| Block::ToolUse(ToolCall::new(id, name, input)));
            let answer = Line::answer(ModelAnswer::new(blocks.collect()));
            let desk = Arc::new(Desk::default());
            let mut bench = Bench::new([answer, Line::text("done")]);
            if suspends {
                bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, event: &BeforeToolCall, _| {
                    if event.call.id == "0" { Permission::ask("a look") } else { Permission::Allow }
                }));
            }
            let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk)))).await;
            let mut reply = session.turn(None, "hi").await;
            if suspends {
                assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{count}: {reply}");
                desk.answer(Approval::Yes);
                reply = session.resume(None).await;
            } else {
                assert_eq!(reply.exit == ExitReason::DoomLoop, count > 3, "{count}: {reply}");
            }
            let ran = bench.log.take().iter().filter(|what| *what == "the tool").count();
            assert_eq!(ran, 4, "{count} and {other}, {suspends}: {reply}");
            let stored = session.messages().await.unwrap();
            let results = stored.iter().filter(|message| message.role == Role::Tool).count();
            assert_eq!(results, count + other, "{count}: {stored:?}");
        }
    }
}

#[tokio::test]
async fn a_turn_that_a_hook_ends_does_not_answer_a_message_that_joined() {
    let mut bench = Bench::new([Line::text("one"), Line::text("two")]);
    let steering = Arc::new(Mutex::new(None::<Steering>));
    let joins = Arc::clone(&steering);
    bench.app(Hook::at::<Stop>("end").reader(move |_, _, ()| {
        assert!(joins.lock().unwrap().as_ref().unwrap().steer(Message::new(Role::User, "more")));
        StopVerdict::end("the budget is used up")
    }));
    let session = bench.session(bench.harness()).await;
    let turn = session.turn(None, "hi");
    *steering.lock().unwrap() = Some(turn.steering());
    let reply = turn.await;
    assert_eq!(reply.to_string(), "one\n[Hook stopped] the budget is used up");
    assert_eq!((bench.model.heard().len(), reply.not_joined.len()), (1, 1));
    assert_eq!(bench.stored().await, ["user: hi", "assistant: one"]);
}
