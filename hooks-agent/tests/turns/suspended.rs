//! Turns that wait for an answer, and continue later.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::Line;
use hooks_agent::store::{Append, MessageStore, StoreError, StoreFuture};
use hooks_agent::tool::{FnTool, Tool, ToolSpec};
use hooks_agent::window::{Compaction, Compactor, ToCompact, Window};
use hooks_agent::{Outcome, SubAgent};
use serde_json::json;

use super::bench::{Bench, line};

/// Answers, and the questions that they answer once these are asked.
type Answers = Vec<(Option<ApprovalRequest>, Approval)>;

/// Keeps each question and its answer until the question is closed.
#[derive(Default)]
pub(crate) struct Desk {
    asked: Mutex<Vec<ApprovalRequest>>,
    answers: Mutex<Answers>,
    /// The closed questions, with their answers.
    closed: Mutex<Vec<(ApprovalRequest, Answers)>>,
    /// How often questions cannot be closed.
    pub(crate) fails_to_close: AtomicUsize,
    /// How often it fails after questions were closed.
    pub(crate) fails_to_confirm: AtomicUsize,
    /// How often questions cannot be found.
    pub(crate) fails_to_find: AtomicUsize,
    /// How often questions cannot be asked, nor their answers read.
    pub(crate) fails_to_ask: AtomicUsize,
    /// How often it panics when it is asked.
    pub(crate) panics: AtomicUsize,
    /// How often it never answers.
    pub(crate) is_late: AtomicUsize,
}

impl Desk {
    /// Answers the open question. If there are more, the next one that is asked gets the answer.
    pub(crate) fn answer(&self, answer: Approval) {
        let about = match &self.asked.lock().unwrap()[..] {
            [asked] => Some(asked.clone()),
            _ => None,
        };
        self.answers.lock().unwrap().push((about, answer));
    }

    /// The number of questions that nobody closed.
    pub(crate) fn open(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn is_down(times: &AtomicUsize) -> bool {
        times.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

/// Whether both ask the same about the same call.
fn is_same(one: &ApprovalRequest, other: &ApprovalRequest) -> bool {
    (&one.call, &one.input, &one.question) == (&other.call, &other.input, &other.question)
}

pub(crate) struct AtDesk(pub(crate) Arc<Desk>);

impl Approver for AtDesk {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        if Desk::is_down(&self.0.fails_to_ask) {
            return Box::pin(async { Err(StoreError::new("the desk is closed")) });
        }
        if Desk::is_down(&self.0.is_late) {
            return Box::pin(std::future::pending());
        }
        Box::pin(async move {
            assert!(!Desk::is_down(&self.0.panics), "on purpose");
            let (mut asked, mut answers) = (self.0.asked.lock().unwrap(), self.0.answers.lock().unwrap());
            asked.retain(|asked| asked.call.id != request.call.id);
            asked.push(request.clone());
            let own = answers.iter().position(|(about, _)| about.as_ref().is_some_and(|about| is_same(about, request)));
            Ok(match own.or_else(|| answers.iter().position(|(about, _)| about.is_none())) {
                Some(at) => {
                    answers[at].0 = Some(request.clone());
                    answers[at].1.clone()
                }
                None => Approval::Suspend,
            })
        })
    }

    fn held<'a>(&'a self, conversation: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        if Desk::is_down(&self.0.fails_to_find) {
            return Box::pin(async { Err(StoreError::new("the desk is closed")) });
        }
        let asked = self.0.asked.lock().unwrap();
        let held = asked.iter().find(|asked| asked.conversation == conversation && asked.call.id == call).cloned();
        Box::pin(async move { Ok(held) })
    }

    fn close<'a>(&'a self, _: &'a str, calls: &'a [&'a str], _: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        if Desk::is_down(&self.0.fails_to_close) {
            return Box::pin(async { Err(StoreError::new("the desk is closed")) });
        }
        let (mut asked, mut answers) = (self.0.asked.lock().unwrap(), self.0.answers.lock().unwrap());
        for closed in asked.extract_if(.., |asked| calls.contains(&asked.call.id.as_str())) {
            let is_own = |about: &ApprovalRequest| about.call.id == closed.call.id;
            let own = answers.extract_if(.., |(about, _)| about.as_ref().is_some_and(is_own)).collect();
            self.0.closed.lock().unwrap().push((closed, own));
        }
        let is_confirmed = !Desk::is_down(&self.0.fails_to_confirm);
        Box::pin(async move { is_confirmed.then(Vec::new).ok_or_else(|| StoreError::new("the line was cut")) })
    }

    fn update<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        for asked in self.0.asked.lock().unwrap().iter_mut().filter(|asked| asked.id == request.id) {
            asked.clone_from(request);
        }
        Box::pin(async { Ok(()) })
    }

    fn reopen<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        for (asked, answers) in self.0.closed.lock().unwrap().extract_if(.., |(asked, _)| asked.id == request.id) {
            self.0.asked.lock().unwrap().push(asked);
            self.0.answers.lock().unwrap().extend(answers);
        }
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_halt_of_a_parallel_call_ends_a_turn_with_a_waiting_call() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::watched([
        Line::calls([("1", "asks", json!({ "prompt": "x" })), ("2", "reads", json!({}))]),
        Line::call("3", "lookup", json!({})),
        Line::text("so be it"),
    ]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
    bench.app(Hook::at::<AfterToolCall>("halts").reader(|_, _, ()| Halt::new("enough")).only("tool", "reads"));
    let agent = SubAgent::new(AgentDef::new("asks"), "Asks.").tools(["lookup"]);
    let reads = FnTool::new(ToolSpec::new("reads").parallel(), |_, _| Ok("read".to_owned()));
    let harness = bench.harness().approver(AtDesk(Arc::clone(&desk))).agent(agent).tool(reads);
    let session = bench.session(harness).await;
    let reply = session.turn(None, "hi").await;
    assert!(matches!(reply.outcome, Outcome::Halted(_)), "{reply} {:?}: {:#?}", reply.outcome, bench.stored().await);
    assert!(desk.asked.lock().unwrap().is_empty(), "nobody acts on an answer any more");
}

/// What decides about a waiting call when its turn is resumed, and whether the question is closed.
#[tokio::test]
async fn on_resume_what_a_person_answered_and_a_denial_decide_and_the_question_is_closed() {
    let (yes, edit) = (Some(Approval::Yes), Some(Approval::Edited(json!({ "id": 7 }).into())));
    let no = Some(Approval::No("never".into()));
    let by_hand = Some(Approval::Answer(ToolResult::new("by hand")));
    let (same, other) = (Permission::ask("b?"), Permission::ask("b, today?"));
    let cached = Permission::answer(ToolResult::new("cached"));
    let (allow, deny, silent) = (Permission::Allow, Permission::deny("no longer"), Permission::NoOpinion);
    // The answer of the person; on resume, that of a gate, whether it rewrites the input, and that of a hook at
    // `permission_request`; and the inputs that run, or what is asked.
    let table = [
        (&no, &same, false, &allow, Ok(vec![])),
        (&no, &same, false, &cached, Ok(vec![])),
        (&no, &other, false, &allow, Ok(vec![])),
        (&no, &other, false, &cached, Ok(vec![])),
        (&no, &other, false, &silent, Ok(vec![])),
        (&no, &same, true, &allow, Ok(vec![])),
        (&no, &allow, true, &allow, Ok(vec![])),
        (&by_hand, &other, false, &allow, Ok(vec![])),
        (&yes, &same, false, &allow, Ok(vec![5])),
        (&yes, &same, false, &deny, Ok(vec![])),
        (&yes, &other, false, &deny, Ok(vec![])),
        (&yes, &other, false, &allow, Err("b, today?")),
        (&yes, &other, false, &silent, Err("b, today?")),
        (&yes, &same, true, &allow, Err("b?")),
        (&yes, &allow, true, &silent, Err("b?")),
        (&edit, &same, false, &allow, Ok(vec![7])),
        (&edit, &other, false, &allow, Err("b, today?")),
        (&edit, &same, true, &cached, Err("b?")),
        (&None, &same, false, &allow, Ok(vec![5])),
        (&None, &same, false, &deny, Ok(vec![])),
        (&None, &other, false, &allow, Ok(vec![5])),
        (&None, &other, false, &silent, Err("b, today?")),
        (&None, &deny, false, &allow, Ok(vec![])),
    ];
    for (answer, gate, rewrites, hook, expected) in table {
        let what = format!("{answer:?}, {gate:?}, {rewrites}, {hook:?}");
        let desk = Arc::new(Desk::default());
        let mut bench = Bench::new([Line::call("1", "finds", json!({ "id": 5 })), Line::text("so be it")]);
        let resumed = Arc::new(AtomicBool::new(false));
        let (at_gate, at_request, gate, hook) =
            (Arc::clone(&resumed), Arc::clone(&resumed), gate.clone(), hook.clone());
        let judge = Hook::at::<BeforeToolCall>("gate").writer(move |_, _, input: &mut ToolInput| {
            if !at_gate.load(Ordering::Relaxed) {
                return Permission::ask("b?");
            }
            if rewrites {
                input["id"] = json!(6);
            }
            gate.clone()
        });
        bench.app(judge.on_failure(OnFailure::Deny));
        bench.app(Hook::at::<PermissionRequest>("hook").reader(move |_, _, _| {
            if at_request.load(Ordering::Relaxed) { hook.clone() } else { Permission::NoOpinion }
        }));
        let found = Arc::<Mutex<Vec<i64>>>::default();
        let ids = Arc::clone(&found);
        let finds = FnTool::new(ToolSpec::new("finds"), move |_, input| {
            ids.lock().unwrap().push(input["id"].as_i64().unwrap());
            Ok("found".to_owned())
        });
        let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(finds)).await;
        session.turn(None, "hi").await;
        resumed.store(true, Ordering::Relaxed);
        if let Some(answer) = answer {
            desk.answer(answer.clone());
        }
        let reply = session.resume(None).await;
        match (&expected, &reply.outcome) {
            (Err(question), Outcome::Suspended(asked)) => {
                assert_eq!(asked.question.reason.as_str(), *question, "{what}");
            }
            (Ok(_), Outcome::Answered(_)) => {}
            (_, outcome) => panic!("{what}: {outcome:?}"),
        }
        assert_eq!(desk.open(), usize::from(expected.is_err()), "{what}: the open questions");
        let found = found.lock().unwrap().clone();
        assert_eq!(found, expected.unwrap_or_default(), "{what}: {:#?}", bench.stored().await);
    }
}

#[tokio::test]
async fn an_answer_applies_even_if_the_gate_no_longer_asks() {
    for (answer, ran) in [
        (Approval::No("abuse".into()), Vec::new()),
        (Approval::Edited(json!({ "cents": 1 }).into()), vec!["1".to_owned()]),
        (Approval::Yes, vec!["100".to_owned()]),
    ] {
        let desk = Arc::new(Desk::default());
        let paid = Arc::new(Mutex::new(Vec::new()));
        let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 100 })), Line::text("so be it")]);
        let asks = Arc::new(AtomicBool::new(true));
        let gate = Arc::clone(&asks);
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(move |_, _, _| {
            if gate.load(Ordering::Relaxed) { Permission::ask("a payment") } else { Permission::Allow }
        }));
        let pays = Arc::clone(&paid);
        let pay = FnTool::new(ToolSpec::new("pay"), move |_, input| {
            pays.lock().unwrap().push(input["cents"].to_string());
            Ok("paid".to_owned())
        });
        let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
        let reply = session.turn(None, "hi").await;
        assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{reply}");
        asks.store(false, Ordering::Relaxed);
        let waiting = session.resume(None).await;
        assert!(matches!(waiting.outcome, Outcome::Suspended(_)), "nobody answered yet: {waiting}");
        desk.answer(answer.clone());
        session.resume(None).await;
        assert_eq!(*paid.lock().unwrap(), ran, "{answer:?}");
    }
}

/// Asks about each amount in its own words, and notes what was paid.
pub(crate) fn payments(bench: &mut Bench, paid: &Arc<Mutex<Vec<String>>>) -> impl Tool + use<> {
    bench.app(
        Hook::at::<BeforeToolCall>("gate")
            .reader(|_, _, input: &ToolInput| Permission::ask(format!("pay {}?", input["cents"]))),
    );
    let paid = Arc::clone(paid);
    FnTool::new(ToolSpec::new("pay"), move |_, input| {
        paid.lock().unwrap().push(input["cents"].to_string());
        Ok("paid".to_owned())
    })
}

#[tokio::test]
async fn an_edit_that_the_gate_asks_about_is_not_lost_when_the_turn_is_suspended() {
    let desk = Arc::new(Desk::default());
    let paid = Arc::<Mutex<Vec<String>>>::default();
    let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 100 })), Line::text("so be it")]);
    let pay = payments(&mut bench, &paid);
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    let question = |outcome: Outcome| match outcome {
        Outcome::Suspended(request) => request.question.reason.to_string(),
        outcome => panic!("{outcome:?}"),
    };
    assert_eq!(question(session.turn(None, "hi").await.outcome), "pay 100?");
    desk.answer(Approval::Edited(json!({ "cents": 1 }).into()));
    assert_eq!(question(session.resume(None).await.outcome), "pay 1?");
    desk.answer(Approval::Yes);
    assert_eq!(session.resume(None).await.to_string(), "so be it");
    assert_eq!(*paid.lock().unwrap(), ["1"]);
}

#[tokio::test]
async fn a_prompt_in_place_of_an_answer_says_that_the_call_was_not_run() {
    let desk = Arc::new(Desk::default());
    let paid = Arc::<Mutex<Vec<String>>>::default();
    let mut bench = Bench::new([
        Line::calls([("1", "pay", json!({ "cents": 1 })), ("2", "lookup", json!({}))]),
        Line::text("so be it"),
        Line::text("yes"),
    ]);
    let pay = payments(&mut bench, &paid);
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    session.turn(None, "hi").await;
    session.turn(None, "forget it").await;
    let not_run = "tool: <- Not run: the conversation continued without waiting for the question about it";
    assert_eq!(bench.stored().await[2..], [not_run, not_run, "user: forget it", "assistant: so be it"]);
    assert!(desk.asked.lock().unwrap().is_empty(), "nobody acts on an answer any more");
    assert!(paid.lock().unwrap().is_empty());
    session.turn(None, "still there?").await;
    assert_eq!(bench.stored().await.len(), 8, "nothing is repaired twice");
}

#[tokio::test]
async fn a_prompt_that_a_hook_rejects_leaves_the_question_open() {
    let desk = Arc::new(Desk::default());
    let paid = Arc::<Mutex<Vec<String>>>::default();
    let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("so be it")]);
    let pay = payments(&mut bench, &paid);
    bench.app(Hook::at::<UserPromptSubmit>("polite").reader(|_, event, _| {
        if event.prompt.contains("damn") { PromptVerdict::block("be polite") } else { PromptVerdict::default() }
    }));
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    session.turn(None, "hi").await;
    let blocked = session.turn(None, "damn").await;
    assert!(matches!(blocked.outcome, Outcome::PromptBlocked { .. }), "{blocked}");
    desk.answer(Approval::Yes);
    assert_eq!(session.resume(None).await.to_string(), "so be it");
    assert_eq!(*paid.lock().unwrap(), ["1"]);
}

#[tokio::test]
async fn a_message_that_a_hook_adds_does_not_separate_an_abandoned_call_from_its_result() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("so be it")]);
    let pay = payments(&mut bench, &Arc::default());
    bench.app(Hook::at::<UserPromptSubmit>("adds").writer(|_, _, messages: &mut Messages| {
        let at = messages.len() - 1;
        messages.insert(at, Message::new(Role::User, "a note"));
    }));
    let session = bench.session(bench.harness().approver(AtDesk(desk)).tool(pay)).await;
    session.turn(None, "hi").await;
    session.turn(None, "forget it").await;
    let heard: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert!(heard[heard.len() - 4].starts_with("assistant: -> pay"), "{heard:#?}");
    assert!(heard[heard.len() - 3].starts_with("tool: <- Not run"), "{heard:#?}");
    assert_eq!(heard[heard.len() - 2..], ["user: a note", "user: forget it"]);
}

/// Summarises everything before the turn.
struct BeforeTheTurn;

impl Compactor for BeforeTheTurn {
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        (*kind == CompactionKind::Full).then(|| Compaction::summarise("sum up", 0..conversation.turn))
    }
}

#[tokio::test]
async fn a_compaction_does_not_separate_the_result_of_a_waiting_call_from_the_call() {
    for resumes in [true, false] {
        let desk = Arc::new(Desk::default());
        let paid = Arc::<Mutex<Vec<String>>>::default();
        let mut bench =
            Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("sum"), Line::text("so be it")]);
        let rows = (0..10).map(|i| Message::new(Role::User, format!("{i} {}", "x".repeat(400))));
        bench.store.append("c", Append::new(rows)).await.unwrap();
        let pay = payments(&mut bench, &paid);
        let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
        session.turn(None, "hi").await;
        let pay = FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned()));
        let window = Window::new(2_000).compact_at(600).compactor(BeforeTheTurn);
        let harness = bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay).window(window);
        let session = bench.session(harness).await;
        desk.answer(Approval::Yes);
        let reply = if resumes { session.resume(None).await } else { session.turn(None, "forget it").await };
        assert_eq!(reply.to_string(), "so be it", "{:?}", reply.outcome);
        let heard: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
        assert!(heard[0].contains("sum") && heard[1].starts_with("assistant: -> pay"), "{heard:#?}");
        assert!(heard[2].starts_with("tool: <- "), "{heard:#?}");
    }
}

#[tokio::test]
async fn a_resumed_call_keeps_its_result_next_to_it_if_a_hook_leaves_the_call_out() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("b?")));
    bench.app(Hook::at::<FilterMessages>("last").writer(|_, _, messages: &mut Messages| {
        if messages.len() > 1 {
            messages.pop();
        }
    }));
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk)))).await;
    session.turn(None, "hi").await;
    desk.answer(Approval::Yes);
    session.resume(None).await;
    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert!(sent.len() == 3 && sent[1].starts_with("assistant") && sent[2].starts_with("tool"), "{sent:?}");
}

#[tokio::test]
async fn a_required_hook_that_fails_for_a_new_prompt_leaves_the_question_open() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("b?")));
    let redactor = Hook::at::<BeforeCreateMessage>("redactor").reader(|_, _, row: &Message| match &*row.text() {
        "again" => Err("down"),
        _ => Ok(()),
    });
    bench.app(redactor.on_failure(OnFailure::Required));
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk)))).await;
    session.turn(None, "hi").await;
    let reply = session.turn(None, "again").await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    let open = desk.asked.lock().unwrap().len();
    assert_eq!(open, 1, "{:#?}", bench.stored().await);
    desk.answer(Approval::Yes);
    session.resume(None).await;
    assert!(bench.log.take().contains(&"the tool".to_owned()));
}

#[tokio::test]
async fn hooks_see_the_prompt_again_when_its_turn_is_resumed() {
    let desk = Arc::new(Desk::default());
    let mut bench = Bench::new([Line::call("1", "pay", json!({})), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("b?")));
    bench.app(Hook::at::<PreToolMaterialization>("tools").reader(|_, event: &PreToolMaterialization, ()| {
        if event.prompt.contains("pay") { vec![Contribution::tool_bundle("payments", ["pay"])] } else { Vec::new() }
    }));
    let log = bench.log.clone();
    bench.app(Hook::at::<BeforeAgentStart>("notes").reader(move |_, event: &BeforeAgentStart, ()| {
        log.note(format!("asked to {}", event.prompt));
    }));
    let paid = bench.log.clone();
    let pay = FnTool::new(ToolSpec::new("pay"), move |_, _| {
        paid.note("paid");
        Ok("paid".to_owned())
    });
    let session = bench.session(bench.harness().bundled_tool(pay).approver(AtDesk(Arc::clone(&desk)))).await;
    session.turn(None, "please pay").await;
    desk.answer(Approval::Yes);
    session.resume(None).await;
    assert_eq!(bench.log.take(), ["asked to please pay", "the model", "asked to please pay", "paid", "the model"]);
}
