//! Whatever happens while a call waits, before a turn takes the answer, leaves the call answerable.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::CancellationToken;
use hook_sdk::data::{Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{MessageStore, StoreError, StoreFuture};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::window::{DropThenSummarise, Window};
use hooks_agent::{HarnessBuilder, Limits, Outcome, Session, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line};
use super::stores::{Disturb, Disturbed};
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

    fn reopen<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        self.0.reopen(request)
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
        "the close",
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
        if at == "the close" {
            desk.answer(Approval::Yes);
        }
        let turn = session.resume(None);
        *cancels.lock().unwrap() = Some(turn.cancellation());
        if at == "nothing" {
            cancel(&cancels);
        }
        let reply = turn.await;
        assert!(matches!(reply.outcome, Outcome::Cancelled), "{at}, nested: {is_nested}: {:?}", reply.outcome);
        assert_eq!(bench.stored().await, before, "{at}, nested: {is_nested}");
        assert_eq!(desk.open(), 1, "{at}, nested: {is_nested}");
        if at != "the close" {
            desk.answer(Approval::Yes);
        }
        let reply = session.resume(None).await;
        assert!(matches!(reply.outcome, Outcome::Answered(_)), "{at}, nested: {is_nested}: {:?}", reply.outcome);
        let log = bench.log.take();
        assert_eq!(log.iter().filter(|what| *what == "the tool").count(), 1, "{at}, nested: {is_nested}: {log:?}");
        assert_eq!(desk.open(), 0, "{at}");
    }
}

/// The turn that asked has nobody to leave the answer to, so what is said of the call has to be true.
#[tokio::test]
async fn a_call_that_is_cancelled_while_its_question_is_closed_was_not_started() {
    let (desk, cancels) = (Arc::new(Desk::default()), Cancels::default());
    let mut bench = Bench::new([Line::call("1", "lookup", json!({}))]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")));
    let approver = Hesitates(AtDesk(Arc::clone(&desk)), Arc::clone(&cancels), "the close");
    let session = bench.session(bench.harness().approver(approver)).await;
    desk.answer(Approval::Yes);
    let mut turn = session.turn(None, "hi");
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

#[tokio::test(start_paused = true)]
async fn a_failure_before_the_answer_is_taken_leaves_it_to_the_next_turn() {
    let places = [
        "BeforeAgentStart",
        "BeforeToolCall",
        "PermissionRequest",
        "the approver closes",
        "the approver confirms",
        "the approver finds",
        "the approver asks",
        "the approver panics",
        "the approver is late",
        "a halt",
    ];
    for (at, is_nested) in places.into_iter().flat_map(|at| [(at, false), (at, true)]) {
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
        let mut limits = Limits::default();
        limits.approval = Duration::from_secs(1);
        let harness = bench.harness().agent(sub).limits(limits).approver(AtDesk(Arc::clone(&desk)));
        let session = bench.session(harness).await;
        session.turn(None, "hi").await;
        let before = bench.stored().await;
        fails.store(true, Ordering::Relaxed);
        desk.fails_to_close.store(usize::from(at == "the approver closes"), Ordering::Relaxed);
        desk.fails_to_confirm.store(usize::from(at == "the approver confirms"), Ordering::Relaxed);
        desk.fails_to_find.store(usize::from(at == "the approver finds"), Ordering::Relaxed);
        desk.fails_to_ask.store(usize::from(at == "the approver asks"), Ordering::Relaxed);
        desk.panics.store(usize::from(at == "the approver panics"), Ordering::Relaxed);
        desk.is_late.store(usize::from(at == "the approver is late"), Ordering::Relaxed);
        desk.answer(Approval::Yes);
        let reply = session.resume(None).await;
        let ends_as_said = match reply.outcome {
            Outcome::Halted(_) => at == "a halt",
            Outcome::Failed(_) => at != "a halt",
            _ => false,
        };
        assert!(ends_as_said, "{at}, nested: {is_nested}: {:?}", reply.outcome);
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

/// Agents that ask agents: `c` asks `mid`, `mid` asks `asks`, which calls `lookup`, about which a gate asks. At each level
/// the tool `reads` runs beside the agent. With a depth of 1, there is no `mid`.
fn nested(bench: &mut Bench, desk: &Arc<Desk>, depth: usize) -> HarnessBuilder {
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
    let looks = [Line::call("s", "lookup", json!({}))].into_iter().chain((0..9).map(|_| Line::text("looked")));
    let asks = |id: &str, agent: &str| {
        Line::calls([(format!("{id}1"), agent, json!({ "prompt": "look" })), (format!("{id}2"), "reads", json!({}))])
    };
    let mid = [asks("m", "asks")].into_iter().chain((0..9).map(|_| Line::text("asked")));
    let main =
        [asks("", if depth == 1 { "asks" } else { "mid" })].into_iter().chain((0..9).map(|_| Line::text("done")));
    let agent = |name: &str| SubAgent::new(AgentDef::new(name), "Asks.").profile(name);
    let harness = bench.harness().model("main", Scripted::new(main)).model("mid", Scripted::new(mid));
    harness
        .model("asks", Scripted::new(looks))
        .tool(FnTool::new(ToolSpec::new("reads").parallel(), |_, _| Ok("read".to_owned())))
        .agent(agent("mid").tools(["asks", "reads", "lookup"]))
        .agent(agent("asks").tools(["lookup"]))
        .approver(AtDesk(Arc::clone(desk)))
}

/// The name of the conversation of the deepest agent but for `asks`, and that of `asks`.
fn conversations(depth: usize) -> (&'static str, &'static str) {
    if depth == 1 { ("c", "c/1") } else { ("c/1", "c/1/m1") }
}

async fn rows(bench: &Bench, conversation: &str) -> Vec<String> {
    let page = bench.store.page(conversation, None, 100).await.unwrap();
    page.rows.iter().map(|row| line(&row.message)).collect()
}

/// A yes runs the call once, and no question is left.
async fn takes_a_yes(bench: &Bench, session: &Session, desk: &Desk, what: &str) {
    desk.answer(Approval::Yes);
    for _ in 0..3 {
        session.resume(None).await;
    }
    let log = bench.log.take();
    assert_eq!(log.iter().filter(|what| *what == "the tool").count(), 1, "{what}: {log:?}");
    assert_eq!(desk.open(), 0, "{what}");
    let stored = bench.stored().await;
    assert_eq!(stored.last().map(String::as_str), Some("assistant: done"), "{what}: {stored:?}");
}

/// Calls of the store fail while there is an outage.
#[derive(Default)]
struct Outage {
    calls: AtomicUsize,
    /// The first call that fails, counted from 1, and how many do. None with 0.
    at: AtomicUsize,
    times: AtomicUsize,
}

impl Outage {
    fn begin(&self, at: usize, times: usize) {
        self.calls.store(0, Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
        self.at.store(at, Ordering::Relaxed);
    }

    /// Whether a call failed.
    fn end(&self) -> bool {
        let at = self.at.swap(0, Ordering::Relaxed);
        at > 0 && self.calls.load(Ordering::Relaxed) >= at
    }
}

impl Disturb for Arc<Outage> {
    fn before(&self, _: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        let (at, times) = (self.at.load(Ordering::Relaxed), self.times.load(Ordering::Relaxed));
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let fails = at > 0 && call >= at && call < at + times;
        Box::pin(async move { if fails { Err(StoreError::new("there is an outage")) } else { Ok(()) } })
    }
}

#[tokio::test]
async fn whatever_happens_beside_an_agent_that_waits_leaves_its_question_open() {
    for (at, depth) in ["a hook", "the store", "a cancellation"].into_iter().flat_map(|at| [(at, 1), (at, 2)]) {
        let what = format!("{at}, {depth} deep");
        let (desk, cancels, outage) = (Arc::new(Desk::default()), Cancels::default(), Arc::new(Outage::default()));
        let mut bench = Bench::new([]);
        let (token, down, deepest) = (Arc::clone(&cancels), Arc::clone(&outage), if depth == 1 { "a" } else { "mid" });
        let beside = Hook::at::<AfterToolCall>("beside").reader(move |cx, _, ()| {
            let is_first = token.lock().unwrap().is_some();
            if !is_first || cx.agent() != Some(deepest) {
                return Ok(());
            }
            let token = token.lock().unwrap().take();
            match at {
                "a hook" => return Err("it is down"),
                "the store" => down.begin(1, 1),
                _ => token.iter().for_each(CancellationToken::cancel),
            }
            Ok(())
        });
        bench.app(beside.only("tool", "reads").on_failure(OnFailure::Required));
        let store = Disturbed { store: Arc::clone(&bench.store), by: Arc::clone(&outage) };
        let harness = nested(&mut bench, &desk, depth).store(store);
        let session = bench.session(harness).await;
        let turn = session.turn(None, "hi");
        *cancels.lock().unwrap() = Some(turn.cancellation());
        let reply = turn.await;
        outage.end();
        let is_answered = matches!(reply.outcome, Outcome::Answered(_));
        assert!(!is_answered && cancels.lock().unwrap().is_none(), "{what}: {:?}", reply.outcome);
        assert_eq!(desk.open(), 1, "{what}: {:#?}", bench.stored().await);
        takes_a_yes(&bench, &session, &desk, &what).await;
    }
}

#[tokio::test]
async fn an_outage_of_the_store_leaves_what_keeps_a_call_from_running_to_the_next_turn() {
    let (no, by_hand) = (Approval::No("not now".into()), Approval::Answer(ToolResult::new("by hand")));
    for (answer, text) in [(&no, "tool: <- Denied: a look. not now"), (&by_hand, "tool: <- by hand")] {
        for at in 1.. {
            let what = format!("{answer:?}, one failure from call {at}");
            let (desk, outage) = (Arc::new(Desk::default()), Arc::new(Outage::default()));
            let looks = [("1", "looks", json!({ "asks": true })), ("2", "looks", json!({}))];
            let mut bench = Bench::new([Line::calls(looks), Line::text("one"), Line::text("two")]);
            bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, input: &ToolInput| {
                if input["asks"] == true { Permission::ask("a look") } else { Permission::NoOpinion }
            }));
            let log = bench.log.clone();
            let looks = FnTool::new(ToolSpec::new("looks").parallel(), move |_, _| {
                log.note("a look");
                Ok("looked".to_owned())
            });
            let store = Disturbed { store: Arc::clone(&bench.store), by: Arc::clone(&outage) };
            let harness = bench.harness().tool(looks).store(store).approver(AtDesk(Arc::clone(&desk)));
            let session = bench.session(harness).await;
            session.turn(None, "hi").await;
            desk.answer(answer.clone());
            outage.begin(at, 1);
            session.resume(None).await;
            let is_over = !outage.end();
            session.resume(None).await;
            let stored = bench.stored().await;
            assert_eq!(stored.iter().filter(|row| *row == text).count(), 1, "{what}: {stored:#?}");
            let ran = bench.log.take().iter().filter(|what| *what == "a look").count();
            assert_eq!((ran, desk.open()), (1, 0), "{what}: {stored:#?}");
            if is_over {
                assert!(at > 3, "{what}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn an_outage_of_the_store_leaves_the_answer_for_an_agent_to_the_next_turn() {
    for (depth, times) in [(1, 1), (1, 3), (1, 9), (2, 1), (2, 3), (2, 9)] {
        for at in 1.. {
            let what = format!("{depth} deep, {times} failures from call {at}");
            let (desk, outage) = (Arc::new(Desk::default()), Arc::new(Outage::default()));
            let mut bench = Bench::new([]);
            let store = Disturbed { store: Arc::clone(&bench.store), by: Arc::clone(&outage) };
            let harness = nested(&mut bench, &desk, depth).store(store);
            let session = bench.session(harness).await;
            session.turn(None, "hi").await;
            desk.answer(Approval::Yes);
            outage.begin(at, times);
            session.resume(None).await;
            if !outage.end() {
                assert!(at > 5, "{what}");
                break;
            }
            for _ in 0..3 {
                session.resume(None).await;
            }
            let log = bench.log.take();
            let ran = log.iter().filter(|what| *what == "the tool").count();
            assert_eq!((ran, desk.open()), (1, 0), "{what}: {:#?}", bench.stored().await);
        }
    }
}

#[tokio::test]
async fn a_failure_at_the_result_of_one_agent_leaves_the_answer_for_another_to_the_next_turn() {
    let (desk, fails) = (Arc::new(Desk::default()), Arc::new(AtomicBool::new(false)));
    let asks = |id: &'static str| (id, "asks", json!({ "prompt": "look" }));
    let main = [Line::calls([asks("1"), asks("2")])].into_iter().chain((0..3).map(|_| Line::text("done")));
    let mut bench = Bench::new(main);
    let down = Arc::clone(&fails);
    let result = Hook::at::<AfterToolCall>("result").reader(move |_, event: &AfterToolCall, ()| {
        if event.call.id == "1" && down.load(Ordering::Relaxed) { Err("it is down") } else { Ok(()) }
    });
    bench.app(result.on_failure(OnFailure::Required));
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
    let looks = ["s1", "s2"].map(|id| Line::call(id, "lookup", json!({ "id": id })));
    let looks = Scripted::new(looks.into_iter().chain((0..3).map(|_| Line::text("looked"))));
    let agent = SubAgent::new(AgentDef::new("asks"), "Asks.").profile("asks").tools(["lookup"]);
    let harness = bench.harness().model("asks", looks).agent(agent).approver(AtDesk(Arc::clone(&desk)));
    let session = bench.session(harness).await;
    session.turn(None, "hi").await;
    assert_eq!(desk.open(), 2);
    desk.answer(Approval::Yes);
    fails.store(true, Ordering::Relaxed);
    let reply = session.resume(None).await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{:?}", reply.outcome);
    fails.store(false, Ordering::Relaxed);
    assert_eq!(desk.open(), 1, "{:#?}", bench.stored().await);
    desk.answer(Approval::Yes);
    assert_eq!(session.resume(None).await.to_string(), "done");
    let log = bench.log.take();
    assert_eq!((log.iter().filter(|what| *what == "the tool").count(), desk.open()), (2, 0), "{log:?}");
}

#[tokio::test]
async fn whoever_ends_the_call_of_an_agent_that_waits_closes_the_questions_below_it() {
    let ways = ["a gate", "a tool limit", "a prompt", "a prompt for a cancelled turn"];
    for (way, depth) in ways.into_iter().flat_map(|way| [(way, 1), (way, 2)]) {
        let what = format!("{way}, {depth} deep");
        let (desk, now) = (Arc::new(Desk::default()), Arc::new(AtomicBool::new(false)));
        let mut bench = Bench::new([]);
        let at_gate = Arc::clone(&now);
        let denies = Hook::at::<BeforeToolCall>("denies").reader(move |cx, _, _| {
            let denies = at_gate.load(Ordering::Relaxed) && cx.agent_path().is_empty() && way == "a gate";
            if denies { Permission::deny("no longer") } else { Permission::NoOpinion }
        });
        bench.app(denies);
        let limited = Arc::clone(&now);
        bench.app(Hook::at::<PreToolMaterialization>("limits").reader(move |cx, _, ()| {
            let is_limited = limited.load(Ordering::Relaxed) && way == "a tool limit" && cx.agent_path().is_empty();
            if is_limited { vec![Contribution::tool_limit("safe", ["reads"])] } else { vec![] }
        }));
        let harness = nested(&mut bench, &desk, depth);
        let session = bench.session(harness).await;
        let reply = session.turn(None, "hi").await;
        assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{what}: {reply}");
        now.store(true, Ordering::Relaxed);
        desk.answer(Approval::Yes);
        let is_prompt = way.starts_with("a prompt");
        if way == "a prompt for a cancelled turn" {
            let turn = session.resume(None);
            turn.cancel();
            turn.await;
        }
        if is_prompt {
            session.turn(None, "forget it").await
        } else {
            session.resume(None).await
        };
        assert_eq!(desk.open(), 0, "{what}: {:#?}", bench.stored().await);
        assert!(!bench.log.take().contains(&"the tool".to_owned()), "{what}");
        let (between, deepest) = conversations(depth);
        let results = rows(&bench, deepest).await.split_off(2);
        assert_eq!(results.len(), 1, "{what}: {results:?}");
        assert!(results[0].starts_with("tool: <- Not run"), "{what}: {results:?}");
        let of_agent = |row: &String| row.starts_with("tool: <- ") && row != "tool: <- read";
        let results = rows(&bench, between).await;
        assert_eq!(results.iter().filter(|row| of_agent(row)).count(), 1, "{what}: {results:?}");
    }
}

#[tokio::test]
async fn a_call_to_an_agent_is_asked_about_once() {
    for gated in ["asks", "mid"] {
        let desk = Arc::new(Desk::default());
        let mut bench = Bench::new([]);
        bench.app(
            Hook::at::<BeforeToolCall>("agents").reader(|_, _, _| Permission::ask("an agent")).only("tool", gated),
        );
        let harness = nested(&mut bench, &desk, 2);
        let session = bench.session(harness).await;
        let mut reply = session.turn(None, "hi").await;
        let mut asked = Vec::new();
        while let Outcome::Suspended(request) = &reply.outcome {
            asked.push(request.question.reason.to_string());
            assert!(asked.len() < 4, "{asked:?}");
            desk.answer(Approval::Yes);
            reply = session.resume(None).await;
        }
        assert_eq!((reply.to_string().as_str(), asked), ("done", vec!["an agent".to_owned(), "a look".to_owned()]));
        assert_eq!(desk.open(), 0);
    }
}

#[tokio::test]
async fn the_limit_of_equal_calls_counts_the_calls_before_a_question() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new((0..9).map(|id| Line::call(format!("k{id}"), "lookup", json!({}))));
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")));
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk)))).await;
    let mut reply = session.turn(None, "hi").await;
    while matches!(reply.outcome, Outcome::Suspended(_)) {
        desk.answer(Approval::Yes);
        reply = session.resume(None).await;
    }
    assert!(matches!(&reply.outcome, Outcome::Unfinished { reason: StopReason::DoomLoop, .. }), "{:?}", reply.outcome);
    assert_eq!(bench.log.take().iter().filter(|what| *what == "the tool").count(), 4);
    for asked in ["none", "1", "2", "4"] {
        let desk = Arc::new(Desk::default());
        let equal = ["1", "2", "3", "4"].map(|id| (id, "lookup", json!({})));
        let calls = equal.into_iter().chain([("5", "lookup", json!({ "id": "x" }))]);
        let mut bench = Bench::new([Line::calls(calls.collect::<Vec<_>>())]);
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(move |_, event: &BeforeToolCall, _| {
            if event.call.id == asked { Permission::ask("a look") } else { Permission::NoOpinion }
        }));
        let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk)))).await;
        let mut reply = session.turn(None, "hi").await;
        while matches!(reply.outcome, Outcome::Suspended(_)) {
            desk.answer(Approval::Yes);
            reply = session.resume(None).await;
        }
        let is_loop = matches!(&reply.outcome, Outcome::Unfinished { reason: StopReason::DoomLoop, .. });
        assert!(is_loop, "{asked}: {:?}", reply.outcome);
        let stored = bench.stored().await;
        assert_eq!(
            stored.last().map(String::as_str),
            Some("tool: <- Not run: the same call was made too often"),
            "{asked}"
        );
    }
}
