//! Whatever happens while a call waits, before a turn takes the answer, leaves the call answerable.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use hook_sdk::CancellationToken;
use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::Line;
use hooks_agent::store::{MessageStore, StoreFuture};
use hooks_agent::window::{DropThenSummarise, Window};
use hooks_agent::{Outcome, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line};
use super::suspended::{AtDesk, Desk};

/// The token of the running turn, for the hook or the approver that cancels it.
type Cancels = Arc<Mutex<Option<CancellationToken>>>;

fn cancel(cancels: &Cancels) -> bool {
    let token = cancels.lock().unwrap().take();
    token.inspect(CancellationToken::cancel).is_some()
}

/// Cancels the turn when it is asked, and does not answer then.
struct Hesitates(AtDesk, Cancels, &'static str);

impl Approver for Hesitates {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        if self.2 == "the approver" && cancel(&self.1) {
            Box::pin(std::future::pending())
        } else {
            self.0.approve(request)
        }
    }

    fn held<'a>(&'a self, conversation: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        self.0.held(conversation, call)
    }

    fn close<'a>(&'a self, of: &'a str, calls: &'a [&'a str], lease: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        if self.2 == "the close" {
            cancel(&self.1);
        }
        self.0.close(of, calls, lease)
    }
}

macro_rules! cancels_at {
    ($bench:ident, $cancels:ident, $agent:ident, $at:ident: $($kind:ident),*) => {
        match $at {
            $(stringify!($kind) => {
                let cancels: Cancels = Arc::clone(&$cancels);
                $bench.app(Hook::at::<$kind>("cancels").reader(move |cx, _, _| {
                    if cx.agent() == Some($agent) {
                        cancel(&cancels);
                    }
                }));
            })*
            _ => {}
        }
    };
}

#[tokio::test]
async fn a_resumed_turn_that_is_cancelled_before_it_takes_the_answer_leaves_it_to_the_next_one() {
    let places = [
        "nothing",
        "FilterMessages",
        "BeforeAgentStart",
        "PrePolicy",
        "PrePromptCompile",
        "BeforeToolCall",
        "PermissionRequest",
        "the approver",
    ];
    for (at, is_nested) in places.into_iter().flat_map(|at| [(at, false), (at, true)]) {
        let desk = Arc::new(Desk::default());
        let cancels = Cancels::default();
        let agent = if is_nested { "asks" } else { "a" };
        let asks = || Line::call("0", "asks", json!({ "prompt": "look" }));
        let calls = [Line::calls([("1", "lookup", json!({})), ("2", "breaks", json!({}))])];
        let rest = [Line::text("one"), Line::text("two")];
        let mut bench = Bench::new(is_nested.then(asks).into_iter().chain(calls).chain(rest));
        cancels_at!(bench, cancels, agent, at: FilterMessages, BeforeAgentStart, PrePolicy, PrePromptCompile,
            BeforeToolCall, PermissionRequest);
        bench
            .app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
        let approver = Hesitates(AtDesk(Arc::clone(&desk)), Arc::clone(&cancels), at);
        let sub = SubAgent::new(AgentDef::new("asks"), "Asks.").tools(["lookup", "breaks"]);
        let session = bench.session(bench.harness().agent(sub).approver(approver)).await;
        let reply = session.turn(None, "hi").await;
        assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{at}: {reply}");
        let before = bench.stored().await;
        let turn = session.resume(None);
        *cancels.lock().unwrap() = Some(turn.cancellation());
        if at == "nothing" {
            cancel(&cancels);
        }
        let reply = turn.await;
        assert!(matches!(reply.outcome, Outcome::Cancelled), "{at}, nested: {is_nested}: {:?}", reply.outcome);
        assert_eq!(bench.stored().await, before, "{at}, nested: {is_nested}");
        assert_eq!(desk.open(), 1, "{at}, nested: {is_nested}");
        desk.answer(Approval::Yes);
        let reply = session.resume(None).await;
        assert!(matches!(reply.outcome, Outcome::Answered(_)), "{at}, nested: {is_nested}: {:?}", reply.outcome);
        let log = bench.log.take();
        assert_eq!(log.iter().filter(|what| *what == "the tool").count(), 1, "{at}, nested: {is_nested}: {log:?}");
        assert_eq!(desk.open(), 0, "{at}");
    }
}

/// From there on, nobody acts on the answer any more, so what is said of the call has to be true.
#[tokio::test]
async fn a_call_that_is_cancelled_while_its_question_is_closed_was_not_started() {
    let (desk, cancels) = (Arc::new(Desk::default()), Cancels::default());
    let mut bench = Bench::new([Line::call("1", "lookup", json!({}))]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")));
    let approver = Hesitates(AtDesk(Arc::clone(&desk)), Arc::clone(&cancels), "the close");
    let session = bench.session(bench.harness().approver(approver)).await;
    session.turn(None, "hi").await;
    desk.answer(Approval::Yes);
    let mut turn = session.resume(None);
    *cancels.lock().unwrap() = Some(turn.cancellation());
    while let Some(event) = turn.next().await {
        assert!(!matches!(event, TurnEvent::ToolStarted(_)), "{event:?}");
    }
    let reply = turn.await;
    assert!(matches!(reply.outcome, Outcome::Cancelled), "{:?}", reply.outcome);
    assert_eq!(bench.stored().await[2], "tool: <- Not run: the turn was cancelled");
    assert!(!bench.log.take().contains(&"the tool".to_owned()));
}

/// Something that is required in `agent`, and is down for a while.
macro_rules! fails_at {
    ($bench:ident, $fails:ident, $agent:ident, $at:ident: $($kind:ident),*) => {
        match $at {
            $(stringify!($kind) => {
                let down = Arc::clone(&$fails);
                let required = Hook::at::<$kind>("required").reader(move |cx: &HookContext, _, _| {
                    let fails = cx.agent() == Some($agent) && down.load(Ordering::Relaxed);
                    if fails { Err("it is down") } else { Ok(()) }
                });
                $bench.app(required.on_failure(OnFailure::Required));
            })*
            _ => {}
        }
    };
}

#[tokio::test]
async fn a_failure_before_the_answer_is_taken_leaves_it_to_the_next_turn() {
    let hooks = ["BeforeAgentStart", "BeforeToolCall", "PermissionRequest"];
    let places = hooks.into_iter().chain(["the approver closes", "the approver finds", "the approver asks", "a halt"]);
    for (at, is_nested) in places.flat_map(|at| [(at, false), (at, true)]) {
        let (desk, fails) = (Arc::new(Desk::default()), Arc::new(AtomicBool::new(false)));
        let agent = if is_nested { "asks" } else { "a" };
        let asks = || Line::call("0", "asks", json!({ "prompt": "look" }));
        let calls = [Line::calls([("1", "lookup", json!({})), ("2", "breaks", json!({}))])];
        let rest = [Line::text("one"), Line::text("two")];
        let mut bench = Bench::new(is_nested.then(asks).into_iter().chain(calls).chain(rest));
        fails_at!(bench, fails, agent, at: BeforeAgentStart, BeforeToolCall, PermissionRequest);
        let halts = Arc::clone(&fails);
        bench.app(Hook::at::<BeforeToolCall>("halts").reader(move |cx: &HookContext, _, _| {
            let halts = at == "a halt" && cx.agent() == Some(agent) && halts.load(Ordering::Relaxed);
            if halts { Err(Halt::new("maintenance")) } else { Ok(()) }
        }));
        bench
            .app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
        let sub = SubAgent::new(AgentDef::new("asks"), "Asks.").tools(["lookup", "breaks"]);
        let session = bench.session(bench.harness().agent(sub).approver(AtDesk(Arc::clone(&desk)))).await;
        session.turn(None, "hi").await;
        let before = bench.stored().await;
        fails.store(true, Ordering::Relaxed);
        desk.fails_to_close.store(usize::from(at == "the approver closes"), Ordering::Relaxed);
        desk.fails_to_find.store(usize::from(at == "the approver finds"), Ordering::Relaxed);
        desk.fails_to_ask.store(usize::from(at == "the approver asks"), Ordering::Relaxed);
        desk.answer(Approval::Yes);
        let reply = session.resume(None).await;
        assert!(
            matches!(reply.outcome, Outcome::Failed(_) | Outcome::Suspended(_) | Outcome::Halted(_)),
            "{at}: {:?}",
            reply.outcome
        );
        assert_eq!(bench.stored().await, before, "{at}, nested: {is_nested}");
        assert_eq!(desk.open(), 1, "{at}, nested: {is_nested}");
        fails.store(false, Ordering::Relaxed);
        let reply = session.resume(None).await;
        assert!(matches!(reply.outcome, Outcome::Answered(_)), "{at}, nested: {is_nested}: {:?}", reply.outcome);
        let log = bench.log.take();
        assert_eq!(log.iter().filter(|what| *what == "the tool").count(), 1, "{at}, nested: {is_nested}: {log:?}");
        assert_eq!(desk.open(), 0, "{at}");
    }
}

#[tokio::test]
async fn a_prompt_that_cannot_find_out_whether_a_call_waits_changes_nothing() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")));
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk)))).await;
    session.turn(None, "hi").await;
    let before = bench.stored().await;
    desk.fails_to_find.store(1, Ordering::Relaxed);
    let reply = session.turn(None, "forget it").await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{:?}", reply.outcome);
    assert_eq!((bench.stored().await, desk.open()), (before, 1));
    session.turn(None, "forget it").await;
    let stored = bench.stored().await;
    assert!(stored[2].contains("<- Not run") && stored[3] == "user: forget it", "{stored:?}");
    assert_eq!(desk.open(), 0);
}

/// What a person, a program or another session does while a call waits.
#[tokio::test]
async fn compactions_and_added_messages_leave_a_waiting_call_answerable() {
    for (recent, added) in [(4, 0), (0, 0), (4, 12), (0, 12), (0, 1)] {
        let desk = Arc::new(Desk::default());
        let lines = [Line::calls([("1", "lookup", json!({})), ("2", "breaks", json!({}))])];
        let mut bench = Bench::new(lines.into_iter().chain([Line::text("summary"), Line::text("done")]));
        bench
            .app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
        let old = (0..6).map(|i| Message::new([Role::User, Role::Assistant][i % 2], format!("old {i}")));
        bench.store.append("c", old.collect()).await.unwrap();
        let mut compactor = DropThenSummarise::default();
        compactor.recent = recent;
        let window = Window::new(100_000).compactor(compactor);
        let session = bench.session(bench.harness().window(window).approver(AtDesk(Arc::clone(&desk)))).await;
        session.turn(None, "hi").await;
        for number in 0..added {
            session.add(None, Message::new(Role::User, format!("added {number}"))).await.unwrap();
        }
        assert!(session.compact("").await.unwrap(), "{recent}, {added}");
        let stored = bench.stored().await;
        assert!(stored[0].contains("summary"), "{stored:?}");
        assert!(stored.iter().any(|row| row.contains("-> lookup")), "{recent}, {added}: {stored:?}");
        assert!(!stored.iter().any(|row| row.contains("<- ")), "nothing stands in for a result: {stored:?}");
        desk.answer(Approval::Yes);
        assert_eq!(session.resume(None).await.to_string(), "done", "{recent}, {added}");
        let stored = bench.stored().await;
        let results: Vec<_> = stored.iter().filter(|row| row.contains("<- ")).collect();
        assert_eq!(results, ["tool: <- found nothing", "tool: <- it broke"], "{recent}, {added}");
        let heard: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
        let call = heard.iter().position(|row| row.contains("-> lookup")).unwrap();
        assert!(heard[call + 1].contains("<- found") && heard[call + 2].contains("<- it broke"), "{heard:?}");
    }
}
