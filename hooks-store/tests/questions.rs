//! Promise 20: questions outlive the process that asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use hook_sdk::data::{Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::{AfterCreateMessage, BeforeCreateMessage, BeforeToolCall};
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver, SuspendedTurn};
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{Append, Fold, MessageStore, StoreError, StoreFuture};
use hooks_agent::tool::{AsyncTool, FnTool, Tool, ToolError, ToolSpec};
use hooks_agent::{Harness, HarnessBuilder, Limits, Outcome, Reply, Session, SubAgent, TurnError};
use hooks_store::{AnswerError, Cleaning, DispatchFilter, Store, StoredApprover, StoredQuestion};
use serde_json::json;
use sqlx::Executor;
use tokio::sync::Semaphore;

use crate::databases::{self, Database};
use crate::support::{Process, lines};

/// Waits until there are this many questions.
async fn questions(store: &Store, count: usize) -> Vec<StoredQuestion> {
    let found = async {
        loop {
            let questions = store.questions().await.unwrap();
            if questions.len() == count {
                return questions;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), found).await.unwrap()
}

/// The only open question.
async fn question(store: &Store) -> StoredQuestion {
    questions(store, 1).await.remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_outlives_the_process_that_asked_and_the_call_runs_once() {
    for database in databases::all().await {
        for who in ["person", "agent"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().to_str().unwrap();
            database.empty().await;
            let mut asks = Process::start(&["ask", &database.url, path, who]);
            let asked = question(&database.store).await;
            assert_eq!(
                (asked.request.call.name.as_str(), asked.request.question.reason.as_str()),
                ("pay", "a payment")
            );
            asks.kill();
            // Another process answers, and a third one continues.
            database.store.answer(&asked.id, &Approval::Yes).await.unwrap();
            let mut resumes = Process::start(&["ask", &database.url, path, who, "resume"]);
            assert!(resumes.0.wait().unwrap().success());
            let replies = lines(&folder.path().join("replies"));
            assert!(replies.len() == 1 && replies[0].starts_with("Answered("), "{} {who}: {replies:?}", database.name);
            assert_eq!(lines(&folder.path().join("ran")), ["call_1"], "{} {who}", database.name);
            assert!(database.store.questions().await.unwrap().is_empty());
            // Nothing is left that could run again.
            let mut again = Process::start(&["ask", &database.url, path, who, "resume"]);
            assert!(again.0.wait().unwrap().success());
            assert!(lines(&folder.path().join("replies"))[1].contains("NothingToResume"));
            assert_eq!(lines(&folder.path().join("ran")), ["call_1"]);
        }
    }
}

/// A session whose gate asks about `pay` for ten or more, and the number of payments.
pub(crate) async fn session(
    database: &Database,
    approver: impl Approver,
    lines: Vec<Line>,
) -> (Session, Arc<AtomicUsize>) {
    let (harness, paid) = harness(database, approver, ToolSpec::new("pay"), lines);
    let session = harness.build().unwrap().session("c", AgentDef::new("a").hooks(["asks"])).open().await.unwrap();
    (session, paid)
}

fn harness(
    database: &Database,
    approver: impl Approver,
    pay: ToolSpec,
    lines: Vec<Line>,
) -> (HarnessBuilder, Arc<AtomicUsize>) {
    let registry = Registry::empty();
    let gate = |_: &HookContext, _: &BeforeToolCall, input: &ToolInput| match input["cents"].as_i64() {
        Some(..10) => Permission::Allow,
        _ => Permission::ask("a payment"),
    };
    registry.register(Hook::at::<BeforeToolCall>("asks").reader(gate).only("tool", "pay")).unwrap();
    let paid = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&paid);
    let pay = AsyncTool::new(pay, move |_: HookContext, input: ToolInput| {
        let count = Arc::clone(&count);
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            Ok::<_, ToolError>(format!("paid {}", input["cents"]))
        }
    });
    let harness = Harness::builder(registry)
        .model("main", Scripted::new(lines))
        .store(database.store.clone())
        .approver(approver)
        .tool(pay);
    (harness, paid)
}

pub(crate) fn asks() -> Vec<Line> {
    let calls = [("one", "pay", json!({ "cents": 100 })), ("two", "pay", json!({ "cents": 5 }))];
    vec![Line::calls(calls), Line::text("done")]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_waits_too_long_is_suspended_and_continues_with_the_answer() {
    let cases = [
        (Approval::Yes, 2, "paid 100"),
        (Approval::No("too much".to_owned()), 1, "too much"),
        (Approval::Edited(json!({ "cents": 1 }).into()), 2, "paid 1"),
        (Approval::Answer(ToolResult::new("paid by hand")), 1, "paid by hand"),
    ];
    for database in databases::all().await {
        for (answer, times, result) in &cases {
            database.empty().await;
            let approver = || StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
            let (first, paid) = session(&database, approver(), asks()).await;
            let reply = first.turn(None, "pay").await;
            let Outcome::Suspended(request) = &reply.outcome else { panic!("{:?}", reply.outcome) };
            assert_eq!((request.call.id.as_str(), reply.exit.to_string().as_str()), ("one", "suspended"));
            assert_eq!(paid.load(Ordering::SeqCst), 0, "neither it nor a later call runs");
            let waiting = first.resume(None).await;
            assert!(matches!(waiting.outcome, Outcome::Suspended(_)), "{:?}", waiting.outcome);

            let id = question(&database.store).await.id;
            assert_eq!(id, request.id);
            database.store.answer(&id, answer).await.unwrap();
            let (second, paid) = session(&database, approver(), vec![Line::text("done")]).await;
            let reply = second.resume(None).await;
            assert_eq!(reply.to_string(), "done", "{}: {answer:?}", database.name);
            assert_eq!(paid.load(Ordering::SeqCst), *times, "{}: {answer:?}", database.name);
            let stored: Vec<_> =
                second.messages().await.unwrap().iter().map(|message| format!("{:?}", message.content)).collect();
            assert!(stored[2].contains(result) && stored[3].contains("paid 5"), "{stored:?}");
            let nothing = second.resume(None).await;
            assert!(matches!(nothing.outcome, Outcome::Failed(TurnError::NothingToResume)), "{:?}", nothing.outcome);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_applies_even_if_the_gate_no_longer_asks() {
    for database in databases::all().await {
        database.empty().await;
        let approver = || StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
        let (first, _) = session(&database, approver(), asks()).await;
        let reply = first.turn(None, "pay").await;
        assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{:?}", reply.outcome);

        let paid = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&paid);
        let pay = FnTool::new(ToolSpec::new("pay"), move |_, _| Ok(count.fetch_add(1, Ordering::SeqCst).to_string()));
        let ungated = Harness::builder(Registry::empty())
            .model("main", Scripted::new([Line::text("done")]))
            .store(database.store.clone())
            .approver(approver())
            .tool(pay)
            .build()
            .unwrap();
        let second = ungated.session("c", AgentDef::new("a")).open().await.unwrap();
        let waiting = second.resume(None).await;
        assert!(matches!(waiting.outcome, Outcome::Suspended(_)), "{:?}", waiting.outcome);
        let id = question(&database.store).await.id;
        database.store.answer(&id, &Approval::No("abuse".to_owned())).await.unwrap();
        assert_eq!(second.resume(None).await.to_string(), "done", "{}", database.name);
        // The call about which nobody was asked.
        assert_eq!(paid.load(Ordering::SeqCst), 1, "{}", database.name);
        let stored = format!("{:?}", second.messages().await.unwrap());
        assert!(stored.contains("abuse"), "{stored}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_not_accepted_is_an_error_with_the_reason() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = || StoredApprover::new(store.clone()).patience(Duration::ZERO);
        assert_eq!(store.answer("no", &Approval::Yes).await, Err(AnswerError::Unknown("no".to_owned())));
        let (session_of_one, _) = session(&database, approver().expires(Duration::ZERO), asks()).await;
        let expired = session_of_one.turn(None, "pay").await;
        assert_eq!(expired.to_string(), "done", "what has expired counts as denied");
        assert!(store.questions().await.unwrap().is_empty());

        database.empty().await;
        let (asking, paid) = session(&database, approver(), asks()).await;
        let _suspended = asking.turn(None, "pay").await;
        let asked = question(store).await;
        let from_now = asked.expires_at.duration_since(SystemTime::now()).unwrap();
        assert!(from_now <= asked.request.expires, "{from_now:?} of {:?}", asked.request.expires);
        assert!(from_now + Duration::from_mins(5) > asked.request.expires, "both say the same time");
        let id = asked.id;
        assert_eq!(store.answer(&id, &Approval::Suspend).await, Err(AnswerError::NoAnswer));
        store.answer(&id, &Approval::Yes).await.unwrap();
        let other = Approval::No("too late".to_owned());
        assert_eq!(store.answer(&id, &other).await, Err(AnswerError::Answered(id.clone())));
        let again = store.answer(&id, &Approval::Yes).await.unwrap();
        assert_eq!(again.answer, Some(Approval::Yes), "the same answer twice is no error");
        let _done = asking.resume(None).await;
        assert_eq!(paid.load(Ordering::SeqCst), 2);
        for late in [Approval::Yes, other] {
            assert_eq!(store.answer(&id, &late).await, Err(AnswerError::Closed(id.clone())), "a turn has acted on it");
        }

        // A turn that was cancelled while it waited has ended without the call.
        database.empty().await;
        let patient = StoredApprover::new(store.clone()).patience(Duration::from_mins(1));
        let (cancelled, paid) = session(&database, patient, asks()).await;
        let turn = cancelled.turn(None, "pay");
        let token = turn.cancellation();
        let id = question(store).await.id;
        token.cancel();
        assert!(matches!(turn.await.outcome, Outcome::Cancelled));
        questions(store, 0).await;
        assert_eq!(store.answer(&id, &Approval::Yes).await, Err(AnswerError::Closed(id)));
        assert_eq!(paid.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_in_place_of_the_answer_leaves_the_call_undone() {
    for database in databases::all().await {
        for is_answered in [false, true] {
            database.empty().await;
            let approver = StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
            let script = [asks(), vec![Line::text("something else")]].concat();
            let (asking, paid) = session(&database, approver, script).await;
            let _suspended = asking.turn(None, "pay").await;
            let id = question(&database.store).await.id;
            if is_answered {
                database.store.answer(&id, &Approval::Yes).await.unwrap();
            }
            assert_eq!(asking.turn(None, "never mind").await.to_string(), "done");
            let answered = database.store.answer(&id, &Approval::Yes).await;
            assert_eq!(answered, Err(AnswerError::Closed(id)), "{}: nobody would act on it", database.name);
            let late = asking.resume(None).await;
            assert!(matches!(late.outcome, Outcome::Failed(TurnError::NothingToResume)), "{:?}", late.outcome);
            assert_eq!(paid.load(Ordering::SeqCst), 0, "{}", database.name);
        }
    }
}

/// A call with the same id, but with another input or another reason.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_applies_only_to_its_own_question() {
    let pays = |cents: i64| vec![Line::call("one", "pay", json!({ "cents": cents })), Line::text("done")];
    for database in databases::all().await {
        for deleted in [true, false] {
            database.empty().await;
            let approver = || StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
            let (first, _) = session(&database, approver(), pays(100)).await;
            let _suspended = first.turn(None, "pay").await;
            let id = question(&database.store).await.id;
            database.store.answer(&id, &Approval::Yes).await.unwrap();
            if deleted {
                database.store.delete("c").await.unwrap();
                assert!(database.store.questions().await.unwrap().is_empty(), "{}", database.name);
            } else {
                // Like after a compaction: the call is not in the view any more, and its id can be reused.
                let version = database.store.page("c", None, 1).await.unwrap().version;
                database.store.fold("c", Fold::new(version, [])).await.unwrap();
            }
            let (second, paid) = session(&database, approver(), pays(99_999)).await;
            let reply = second.turn(None, "pay").await;
            assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{}: {:?}", database.name, reply.outcome);
            assert_eq!(paid.load(Ordering::SeqCst), 0, "{}", database.name);
            let asked = question(&database.store).await;
            assert_eq!((asked.request.input["cents"].as_i64(), asked.answer), (Some(99_999), None));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_failure_of_the_database_does_not_end_the_wait() {
    for database in databases::all().await {
        let patient = StoredApprover::new(database.store.clone()).patience(Duration::from_mins(1));
        let (asking, paid) = session(&database, patient, asks()).await;
        let turn = asking.turn(None, "pay");
        let id = question(&database.store).await.id;
        let mut connection = databases::connect(&database.url).await;
        connection.execute("ALTER TABLE hooks_questions RENAME TO away").await.unwrap();
        // Longer than the interval of checking for an answer.
        tokio::time::sleep(Duration::from_millis(300)).await;
        connection.execute("ALTER TABLE away RENAME TO hooks_questions").await.unwrap();
        database.store.answer(&id, &Approval::Yes).await.unwrap();
        assert_eq!(turn.await.to_string(), "done", "{}", database.name);
        assert_eq!(paid.load(Ordering::SeqCst), 2, "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_question_hides_no_other_question() {
    for database in databases::all().await {
        let approver = StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
        let (asking, _) = session(&database, approver, asks()).await;
        let _suspended = asking.turn(None, "pay").await;
        let mut connection = databases::connect(&database.url).await;
        let torn = "INSERT INTO hooks_questions (id, conversation, call_id, request, status, asked_at, expires_at) \
                    VALUES ('torn', 'c', 'x', '{\"id', 'open', 0, 9999999999999)";
        connection.execute(torn).await.unwrap();
        assert_eq!(database.store.questions().await.unwrap().len(), 1, "{}", database.name);
        let found = database.store.check().await.unwrap();
        assert!(found.len() == 1 && found[0].contains("torn"), "{}: {found:?}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_continues_however_deeply_its_input_is_nested() {
    for database in databases::all().await {
        for levels in (60..=130).step_by(5) {
            let deep = (0..levels).fold(json!(1), |inner, _| json!([inner]));
            let approver = StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
            let lines = vec![Line::call("call_1", "pay", json!({ "cents": 2_000, "deep": deep })), Line::text("done")];
            database.empty().await;
            let (asking, paid) = session(&database, approver, lines).await;
            let first = asking.turn(None, "pay").await;
            let about = format!("{} {levels}: {first}", database.name);
            let asked = question(&database.store).await;
            let deepest = (0..130).fold(json!(1), |inner, _| json!([inner]));
            let refused = database.store.answer(&asked.id, &Approval::Edited(deepest.into())).await;
            assert!(matches!(refused, Err(AnswerError::Store(_))), "{about}: {refused:?}");
            database.store.answer(&asked.id, &Approval::Yes).await.unwrap();
            assert_eq!(asking.resume(None).await.to_string(), "done", "{about}");
            // An input that could not be read again reaches no tool.
            assert_eq!(paid.load(Ordering::SeqCst), usize::from(levels < 100), "{about}");
            assert_eq!(asking.messages().await.unwrap().len(), 4, "{about}");
            assert_eq!(database.store.check().await.unwrap(), Vec::<String>::new(), "{about}");
        }
    }
}

/// A process that was paused for too long, and continues after another one answered a new prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Paused {
    /// Before it asks for the answer.
    AtTheGate,
    /// In the tool.
    InTheTool,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_about_a_call_is_true_even_if_another_process_lost_its_lease_meanwhile() {
    for database in databases::all().await {
        for paused in [Paused::AtTheGate, Paused::InTheTool] {
            database.empty().await;
            let approver = || StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
            let (first, _) = session(&database, approver(), asks()).await;
            let _suspended = first.turn(None, "pay").await;
            let id = question(&database.store).await.id;
            database.store.answer(&id, &Approval::Yes).await.unwrap();

            let (reached, go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
            let pause = |at: Paused| {
                let (reached, go) = (Arc::clone(&reached), Arc::clone(&go));
                move || {
                    let (reached, go) = (Arc::clone(&reached), Arc::clone(&go));
                    async move {
                        if at == paused {
                            reached.add_permits(1);
                            go.acquire().await.unwrap().forget();
                        }
                    }
                }
            };
            let registry = Registry::empty();
            let gate = pause(Paused::AtTheGate);
            let asks = Hook::at::<BeforeToolCall>("asks").async_reader(move |_, _, _| {
                let pause = gate();
                Box::pin(async move {
                    pause.await;
                    Permission::ask("a payment")
                })
            });
            registry.register(asks).unwrap();
            let ran = Arc::new(AtomicUsize::new(0));
            let pay = Pay {
                ran: Arc::clone(&ran),
                pause: Box::new({
                    let pause = pause(Paused::InTheTool);
                    move || Box::pin(pause())
                }),
            };
            let harness = Harness::builder(registry)
                .model("main", Scripted::new([Line::text("done")]))
                .store(database.store.clone())
                .approver(approver())
                .tool(pay)
                .build()
                .unwrap();
            let resumed = harness.session("c", AgentDef::new("a").hooks(["asks"])).open().await.unwrap();
            let turn = resumed.resume(None);
            let over = Arc::new(Semaphore::new(0));
            let ended = tokio::spawn({
                let over = Arc::clone(&over);
                async move {
                    let reply = turn.await;
                    over.add_permits(9);
                    reply
                }
            });
            reached.acquire().await.unwrap().forget();

            // Nothing was heard of that process for too long.
            let mut connection = databases::connect(&database.url).await;
            connection.execute("UPDATE hooks_leases SET holder = NULL, token = token + 1").await.unwrap();
            // It continues as soon as the other one has stored that the call did not run.
            let registry = Registry::empty();
            let continues = {
                let (go, over) = (Arc::clone(&go), Arc::clone(&over));
                Hook::at::<AfterCreateMessage>("continues").async_reader(move |_, event, ()| {
                    let is_result = event.message.role == Role::Tool;
                    let (go, over) = (Arc::clone(&go), Arc::clone(&over));
                    Box::pin(async move {
                        if is_result {
                            go.add_permits(1);
                            over.acquire().await.unwrap().forget();
                        }
                    })
                })
            };
            registry.register(continues).unwrap();
            let other = Harness::builder(registry)
                .model("main", Scripted::new([Line::text("as you like")]))
                .store(database.store.clone())
                .approver(approver())
                .build()
                .unwrap();
            let other = other.session("c", AgentDef::new("a").hooks(["continues"])).open().await.unwrap();
            assert_eq!(other.turn(None, "never mind").await.to_string(), "as you like", "{}", database.name);
            go.add_permits(1);
            let lost = ended.await.unwrap();
            assert!(
                matches!(lost.outcome, Outcome::Failed(TurnError::Store(StoreError::LeaseLost))),
                "{:?}",
                lost.outcome
            );

            let stored = format!("{:?}", other.messages().await.unwrap());
            let says_not_run = stored.contains("Not run");
            let has_run = ran.load(Ordering::SeqCst) > 0;
            let expected = (paused == Paused::InTheTool, paused == Paused::AtTheGate);
            assert_eq!((has_run, says_not_run), expected, "{} {paused:?}: {stored}", database.name);
            assert!(database.store.questions().await.unwrap().is_empty());
        }
    }
}

/// Pays after a pause.
struct Pay {
    ran: Arc<AtomicUsize>,
    pause: Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>,
}

impl Tool for Pay {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("pay")
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        _: &'a ToolCall,
        _: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            self.ran.fetch_add(1, Ordering::SeqCst);
            (self.pause)().await;
            Ok(ToolResult::new("paid"))
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_calls_that_ask_need_one_answer_each() {
    for database in databases::all().await {
        let approver = StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
        let registry = Registry::empty();
        registry.register(Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("a payment"))).unwrap();
        let paid = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&paid);
        let pay = FnTool::new(ToolSpec::new("pay").parallel(), move |_, _| {
            Ok(count.fetch_add(1, Ordering::SeqCst).to_string())
        });
        let calls = ["one", "two", "three"].map(|id| (id, "pay", json!({})));
        let harness = Harness::builder(registry)
            .model("main", Scripted::new([Line::calls(calls), Line::text("done")]))
            .store(database.store.clone())
            .approver(approver)
            .tool(pay)
            .build()
            .unwrap();
        let session = harness.session("c", AgentDef::new("a").hooks(["asks"])).open().await.unwrap();
        let mut reply = session.turn(None, "pay").await;
        let mut answers = 0;
        while matches!(reply.outcome, Outcome::Suspended(_)) {
            let open = database.store.questions().await.unwrap().remove(0);
            database.store.answer(&open.id, &Approval::Yes).await.unwrap();
            answers += 1;
            assert_eq!(paid.load(Ordering::SeqCst), 0, "{}: they start together", database.name);
            reply = session.resume(None).await;
        }
        assert_eq!(
            (reply.to_string().as_str(), answers, paid.load(Ordering::SeqCst)),
            ("done", 3, 3),
            "{}",
            database.name
        );
        assert!(database.store.questions().await.unwrap().is_empty());
    }
}

/// A payment about which `who` asks, in its own conversation or in that of the agent that called it.
async fn paying(
    store: &Store,
    conversation: &str,
    who: &str,
    lines: Vec<Line>,
) -> (Harness, AgentDef, Arc<AtomicUsize>) {
    let registry = Registry::empty();
    let asks = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| Permission::ask("a payment");
    registry.register(Hook::at::<BeforeToolCall>("asks").reader(asks).only("tool", "pay")).unwrap();
    let paid = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&paid);
    let pay = FnTool::new(ToolSpec::new("pay"), move |_, _| Ok(count.fetch_add(1, Ordering::SeqCst).to_string()));
    let harness = Harness::builder(registry)
        .model("main", Scripted::new(lines))
        .store(store.clone())
        .approver(StoredApprover::new(store.clone()).patience(Duration::ZERO))
        .tool(pay)
        .agent(SubAgent::new(AgentDef::new("clerk").hooks(["asks"]), "Pays."))
        .build()
        .unwrap();
    let agent = AgentDef::new(who).hooks(["asks"]);
    drop(harness.session(conversation, agent.clone()).open().await.unwrap());
    (harness, agent, paid)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_ended_between_an_answer_and_its_turn_loses_neither() {
    for database in databases::all().await {
        let store = &database.store;
        let pay = |id: &'static str| Line::call(id, "pay", json!({}));
        let delegate = Line::call("0", "clerk", json!({ "prompt": "pay" }));
        // The conversations have ids in which the id of another one could be found.
        for (conversation, lines) in [("c", vec![pay("1")]), ("c/0", vec![delegate, pay("1")])] {
            let (harness, agent, paid) = paying(store, conversation, "support", lines).await;
            let session = harness.session(conversation, agent).open().await.unwrap();
            let reply = session.turn(None, "pay").await;
            assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{reply}");
            assert_eq!(paid.load(Ordering::SeqCst), 0);
        }
        let asked = store.questions().await.unwrap();
        assert_eq!(asked.len(), 2);
        for question in &asked {
            store.answer(&question.id, &Approval::Yes).await.unwrap();
        }
        assert!(store.questions().await.unwrap().is_empty(), "nobody is asked again");
        assert_eq!(store.answered_questions().await.unwrap().len(), 2);

        // The next process cannot open one of them, and continues the other.
        let (harness, agent, paid) =
            paying(store, "other", "support", vec![Line::text("done"), Line::text("done")]).await;
        let resume = async |turn: SuspendedTurn| {
            assert_eq!(turn.agent, "support");
            let session =
                harness.session(turn.conversation, agent.clone()).open().await.map_err(|why| why.to_string())?;
            Ok::<_, String>(session.resume(None))
        };
        let fails_once = AtomicUsize::new(0);
        let first = store.resume_answered(async |turn| match fails_once.fetch_add(1, Ordering::SeqCst) {
            0 => Err("no such customer".to_owned()),
            _ => resume(turn).await,
        });
        let replies = first.await.unwrap();
        assert_eq!(replies.len(), 2);
        assert_eq!(replies[0].as_ref().unwrap_err(), "no such customer");
        assert_eq!(replies[1].as_ref().unwrap().to_string(), "done");
        assert_eq!(paid.load(Ordering::SeqCst), 1);

        // Each click on a page may resume, and only one of the turns has something to say.
        let (rest, other) = tokio::join!(store.resume_answered(resume), store.resume_answered(resume));
        let replies: Vec<_> = rest.unwrap().into_iter().chain(other.unwrap()).map(|reply| reply.unwrap()).collect();
        assert_eq!((replies.len(), paid.load(Ordering::SeqCst)), (1, 2), "{}: {replies:?}", database.name);
        assert!(store.resume_answered(resume).await.unwrap().is_empty(), "each answer counts once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_expired_while_nobody_waited_is_a_denial_and_its_turn_continues() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = || StoredApprover::new(store.clone()).patience(Duration::ZERO);
        let (asking, paid) = session(&database, approver(), asks()).await;
        let _suspended = asking.turn(None, "pay").await;
        question(store).await;
        let mut connection = databases::connect(&database.url).await;
        connection.execute("UPDATE hooks_questions SET expires_at = 1").await.unwrap();
        assert!(store.questions().await.unwrap().is_empty());
        let replies = store.resume_answered(async |_| Ok::<_, TurnError>(asking.resume(None))).await.unwrap();
        assert_eq!(replies[0].as_ref().unwrap().to_string(), "done");
        assert_eq!(paid.load(Ordering::SeqCst), 1, "only the call that nobody had to approve ran");
        assert!(store.answered_questions().await.unwrap().is_empty());
    }
}

/// Such as by a program without a loop, or after a kill between the two.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_closed_with_the_result_of_its_call() {
    for database in databases::all().await {
        let approver = StoredApprover::new(database.store.clone()).patience(Duration::ZERO);
        let (asking, _) = session(&database, approver, asks()).await;
        let _suspended = asking.turn(None, "pay").await;
        let question = question(&database.store).await;
        let result = ToolResult::new("paid by hand").into_block(&question.request.call);
        let append = Append::new([Message::of(Role::Tool, vec![result])]);
        database.store.append("c", append).await.unwrap();
        assert!(database.store.questions().await.unwrap().is_empty(), "{}", database.name);
        let answered = database.store.answer(&question.id, &Approval::Yes).await;
        assert_eq!(answered, Err(AnswerError::Closed(question.id)), "{}", database.name);
    }
}

/// An answer is not lost before a turn has acted on it, however long that takes.
#[tokio::test(flavor = "multi_thread")]
async fn cleaning_leaves_questions_whose_turns_can_continue() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = || StoredApprover::new(store.clone()).patience(Duration::ZERO);
        let (first, paid) = session(&database, approver(), asks()).await;
        let _suspended = first.turn(None, "pay").await;
        let id = question(store).await.id;
        let clean = async || store.clean(Cleaning::older_than(Duration::from_hours(1))).await.unwrap().questions;
        let mut connection = databases::connect(&database.url).await;
        let old = "UPDATE hooks_questions SET asked_at = 1, expires_at = 2";
        connection.execute(old).await.unwrap();
        assert_eq!(clean().await, 0, "{}: an expired question is a denial that a turn has to read", database.name);
        connection.execute("UPDATE hooks_questions SET expires_at = 9000000000000000").await.unwrap();
        store.answer(&id, &Approval::Yes).await.unwrap();
        connection.execute("UPDATE hooks_questions SET answered_at = 1, expires_at = 2").await.unwrap();
        assert_eq!(clean().await, 0, "{}", database.name);
        let _done = first.resume(None).await;
        assert_eq!((paid.load(Ordering::SeqCst), clean().await), (2, 1), "{}", database.name);
    }
}

/// Lists leave it out, so somebody has to say so.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_hides_nothing_and_is_found_by_a_check() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = StoredApprover::new(store.clone()).patience(Duration::ZERO);
        let (first, _) = session(&database, approver, asks()).await;
        let _suspended = first.turn(None, "pay").await;
        assert_eq!(store.check().await.unwrap(), Vec::<String>::new(), "{}", database.name);
        let mut connection = databases::connect(&database.url).await;
        connection.execute("UPDATE hooks_questions SET id = 'torn', request = '{\"x'").await.unwrap();
        let found = store.check().await.unwrap();
        assert!(found.len() == 1 && found[0].contains("the question `torn` cannot be read"), "{found:?}");
        let rows = "INSERT INTO hooks_dispatches (source, kind, conversation, recorded_at, failed, record) \
                    VALUES ('x', 'k', 'c', 1, 0, '{}'), ('x', 'k', 'c', 1, 0, '{\"x')";
        connection.execute(rows).await.unwrap();
        let listed = store.dispatches(&DispatchFilter::new(), 10).await.unwrap();
        assert_eq!(listed.len(), 2);
        assert!(listed[0].record.as_str().is_some_and(|why| why.contains("cannot be read")), "{:?}", listed[0].record);
    }
}

/// Others can write between two pieces, and no piece takes longer than a transaction may.
#[tokio::test(flavor = "multi_thread")]
async fn many_rows_are_removed_in_pieces() {
    for database in databases::all().await {
        let mut connection = databases::connect(&database.url).await;
        let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12001) \
                    INSERT INTO hooks_dispatches (source, kind, conversation, recorded_at, failed, record) \
                    SELECT 'x', 'k', 'c', 1, 0, '{}' FROM n";
        connection.execute(many).await.unwrap();
        let old = || Cleaning::older_than(Duration::from_hours(1));
        assert_eq!(database.store.clean(old().dry_run()).await.unwrap().dispatches, 12_001, "{}", database.name);
        assert_eq!(database.store.clean(old()).await.unwrap().dispatches, 12_001, "{}", database.name);
        assert_eq!(database.store.clean(old()).await.unwrap().dispatches, 0, "{}", database.name);
    }
}

/// Says when it is asked.
struct Heard(StoredApprover, Arc<Semaphore>);

impl Approver for Heard {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        self.1.add_permits(1);
        self.0.approve(request)
    }

    fn held<'a>(&'a self, of: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        self.0.held(of, call)
    }

    fn close<'a>(&'a self, of: &'a str, calls: &'a [&'a str], lease: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        self.0.close(of, calls, lease)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_turn_that_ends_while_it_waits_leaves_the_question_open() {
    for database in databases::all().await {
        for end in ["cancelled", "dropped", "late", "stopped"] {
            database.empty().await;
            let approver = |patience| StoredApprover::new(database.store.clone()).patience(patience);
            let (first, _) = session(&database, approver(Duration::ZERO), asks()).await;
            let _suspended = first.turn(None, "pay").await;
            let id = question(&database.store).await.id;

            let asked = Arc::new(Semaphore::new(0));
            let harness = Harness::builder(Registry::empty())
                .model("main", Scripted::new([]))
                .store(database.store.clone())
                .approver(Heard(approver(Duration::from_mins(1)), Arc::clone(&asked)))
                .build()
                .unwrap();
            let mut limits = Limits::default();
            limits.turn = (end == "late").then_some(Duration::from_millis(300));
            let waits = harness.session("c", AgentDef::new("a")).limits(limits).open().await.unwrap();
            let turn = waits.resume(None);
            asked.acquire().await.unwrap().forget();
            match end {
                "cancelled" => {
                    turn.cancel();
                    let _cancelled = turn.await;
                }
                "dropped" => drop(turn),
                "late" => {
                    let _late = turn.await;
                }
                _ => {
                    let ended = tokio::spawn(turn.into_future());
                    harness.stop("deploy", Duration::ZERO).await.unwrap();
                    let _stopped = ended.await.unwrap();
                }
            }
            // After the turn has ended, if it was only dropped.
            let (next, paid) = session(&database, approver(Duration::ZERO), asks()[1..].to_vec()).await;
            let still = next.resume(None).await;
            assert!(matches!(still.outcome, Outcome::Suspended(_)), "{} {end}: {:?}", database.name, still.outcome);
            database.store.answer(&id, &Approval::Yes).await.unwrap();
            assert_eq!(next.resume(None).await.to_string(), "done", "{} {end}", database.name);
            assert_eq!(paid.load(Ordering::SeqCst), 2, "{} {end}", database.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_is_enough_for_a_call_whose_row_is_masked() {
    for database in databases::all().await {
        database.empty().await;
        let registry = Registry::empty();
        registry.register(Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("a mail"))).unwrap();
        let mask = Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, row: &mut Message| {
            row.rewrite_text(|text| text.contains("ada@x").then(|| text.replace("ada@x", "[mail]")));
        });
        registry.register(mask.on_failure(OnFailure::Required)).unwrap();
        let mails = Arc::new(Semaphore::new(0));
        let to_ada = Arc::clone(&mails);
        let send = FnTool::new(ToolSpec::new("send"), move |_, input| {
            to_ada.add_permits(usize::from(input["to"] == "ada@x"));
            Ok("sent".to_owned())
        });
        let harness = Harness::builder(registry)
            .unchecked("the mask has no other tests")
            .model("main", Scripted::new([Line::call("1", "send", json!({ "to": "ada@x" })), Line::text("done")]))
            .store(database.store.clone())
            .approver(StoredApprover::new(database.store.clone()).patience(Duration::ZERO))
            .tool(send)
            .build()
            .unwrap();
        let session = harness.session("c", AgentDef::new("a").hooks(["asks", "mask"])).open().await.unwrap();
        let _suspended = session.turn(None, "write to her").await;
        let asked = question(&database.store).await;
        assert_eq!(asked.request.input["to"], "ada@x", "a person sees what would run");
        database.store.answer(&asked.id, &Approval::Yes).await.unwrap();
        assert_eq!(session.resume(None).await.to_string(), "done", "{}", database.name);
        assert_eq!(mails.available_permits(), 1, "{}", database.name);
        let stored = format!("{:?}", session.messages().await.unwrap());
        assert!(stored.contains("[mail]") && !stored.contains("ada@x"), "{stored}");
    }
}

/// A person may click twice, or still look at a question that another person has answered.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_one_question_is_none_to_the_next_one_about_the_same_call() {
    let edit = Approval::Edited(json!({ "cents": 70_000 }).into());
    for database in databases::all().await {
        for late in [&edit, &Approval::Yes] {
            database.empty().await;
            let store = &database.store;
            let registry = Registry::empty();
            let gate = Hook::at::<BeforeToolCall>("asks")
                .reader(|_, _, input: &ToolInput| Permission::ask(format!("pay {}?", input["cents"])));
            registry.register(gate).unwrap();
            let harness = Harness::builder(registry)
                .model("main", Scripted::new([Line::call("one", "pay", json!({ "cents": 5 })), Line::text("done")]))
                .store(store.clone())
                .approver(StoredApprover::new(store.clone()).patience(Duration::from_secs(2)))
                .tool(FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned())))
                .build()
                .unwrap();
            let session = harness.session("c", AgentDef::new("a").hooks(["asks"])).open().await.unwrap();
            let turn = tokio::spawn(session.turn(None, "pay").into_future());
            let first = question(store).await;
            store.answer(&first.id, &edit).await.unwrap();
            let second = async {
                loop {
                    let asked = question(store).await;
                    if asked.id != first.id {
                        return asked;
                    }
                }
            };
            let second = tokio::time::timeout(Duration::from_mins(1), second).await.unwrap();
            assert_eq!(second.request.question.reason.as_str(), "pay 70000?", "{}", database.name);
            let again = store.answer(&first.id, late).await;
            assert_eq!(again, Err(AnswerError::Closed(first.id)), "{}", database.name);
            let reply = turn.await.unwrap();
            let Outcome::Suspended(waiting) = &reply.outcome else { panic!("{} {late:?}: {reply}", database.name) };
            assert_eq!(waiting.id, second.id, "{}", database.name);
        }
    }
}

/// Its database is away while it is asked.
struct Down(StoredApprover, String);

impl Approver for Down {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move {
            let mut connection = databases::connect(&self.1).await;
            connection.execute("ALTER TABLE hooks_questions RENAME TO away").await.unwrap();
            let answer = self.0.approve(request).await;
            connection.execute("ALTER TABLE away RENAME TO hooks_questions").await.unwrap();
            answer
        })
    }

    fn held<'a>(&'a self, of: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        self.0.held(of, call)
    }

    fn close<'a>(&'a self, of: &'a str, calls: &'a [&'a str], lease: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        self.0.close(of, calls, lease)
    }
}

/// An answer is not lost because the database is locked, full or away for a moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_turn_that_cannot_read_the_answer_fails_and_the_next_one_takes_it() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = || StoredApprover::new(store.clone()).patience(Duration::ZERO);
        let (first, _) = session(&database, approver(), asks()).await;
        let _suspended = first.turn(None, "pay").await;
        store.answer(&question(store).await.id, &Approval::Yes).await.unwrap();
        let (down, paid) = session(&database, Down(approver(), database.url.clone()), vec![]).await;
        let failed = down.resume(None).await;
        assert!(matches!(failed.outcome, Outcome::Failed(TurnError::Store(_))), "{}: {failed}", database.name);
        assert_eq!((paid.load(Ordering::SeqCst), store.answered_questions().await.unwrap().len()), (0, 1));
        let (next, paid) = session(&database, approver(), vec![Line::text("done")]).await;
        assert_eq!(next.resume(None).await.to_string(), "done", "{}", database.name);
        assert_eq!(paid.load(Ordering::SeqCst), 2, "{}", database.name);
        assert!(store.answered_questions().await.unwrap().is_empty(), "{}", database.name);
    }
}

/// Its connection is cut when it closes a question.
struct Cut(StoredApprover);

impl Approver for Cut {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        self.0.approve(request)
    }

    fn held<'a>(&'a self, of: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        self.0.held(of, call)
    }

    fn close<'a>(&'a self, of: &'a str, calls: &'a [&'a str], lease: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        Box::pin(async move {
            self.0.close(of, calls, lease).await?;
            Err(StoreError::new("the connection was cut"))
        })
    }

    fn reopen<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        self.0.reopen(request)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_taken_without_a_confirmation_is_left_to_the_next_turn() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = || StoredApprover::new(store.clone()).patience(Duration::ZERO);
        let (first, _) = session(&database, approver(), asks()).await;
        let _suspended = first.turn(None, "pay").await;
        let asked = question(store).await;
        store.answer(&asked.id, &Approval::Yes).await.unwrap();
        let (cut, paid) = session(&database, Cut(approver()), vec![]).await;
        let failed = cut.resume(None).await;
        assert!(matches!(failed.outcome, Outcome::Failed(TurnError::Store(_))), "{}: {failed}", database.name);
        assert_eq!((paid.load(Ordering::SeqCst), store.answered_questions().await.unwrap().len()), (0, 1));
        let (next, paid) = session(&database, approver(), vec![Line::text("done")]).await;
        assert_eq!(next.resume(None).await.to_string(), "done", "{}", database.name);
        assert_eq!(paid.load(Ordering::SeqCst), 2, "{}", database.name);
        assert!(store.answered_questions().await.unwrap().is_empty(), "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_changed_and_its_question_reopened_unless_a_person_closed_it_or_another_turn_took_it() {
    for database in databases::all().await {
        let store = &database.store;
        let approver = StoredApprover::new(store.clone()).patience(Duration::ZERO);
        let (first, _) = session(&database, approver.clone(), asks()).await;
        let Outcome::Suspended(mut request) = first.turn(None, "pay").await.outcome else { panic!("not suspended") };
        request.contexts.push("a hint".to_owned());
        approver.update(&request).await.unwrap();
        assert_eq!(approver.held("c", "one").await.unwrap().unwrap().contexts, ["a hint"], "{}", database.name);
        store.answer(&request.id, &Approval::Yes).await.unwrap();
        approver.close("c", &["one"], None).await.unwrap();
        request.lease = Some(0);
        assert_eq!(approver.reopen(&request).await, Err(StoreError::LeaseLost), "{}", database.name);
        request.lease = None;
        approver.reopen(&request).await.unwrap();
        assert_eq!(store.answered_questions().await.unwrap().len(), 1, "{}", database.name);
        assert!(store.close_question(&request.id).await.unwrap());
        approver.reopen(&request).await.unwrap();
        assert_eq!(store.question(&request.id).await.unwrap(), None, "{}", database.name);
    }
}

/// Drops the turn when it has been polled this often.
fn killed(turn: BoxFuture<'static, Reply>, polls: usize, killed: Arc<Semaphore>) -> BoxFuture<'static, Reply> {
    let (mut turn, mut left) = (Some(turn), polls);
    Box::pin(std::future::poll_fn(move |cx| {
        left -= usize::from(turn.is_some());
        if left == 0 && turn.take().is_some() {
            killed.add_permits(1);
        }
        turn.as_mut().map_or(Poll::Pending, |turn| turn.as_mut().poll(cx))
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_neither_separates_an_answer_from_its_result_nor_runs_a_call_twice() {
    let (no, by_hand) = (Approval::No("never".to_owned()), Approval::Answer(ToolResult::new("by hand")));
    let specs = [ToolSpec::new("pay"), ToolSpec::new("pay").parallel()];
    for database in databases::all().await {
        let store = &database.store;
        let agent = || AgentDef::new("a").hooks(["asks"]);
        let paying = |lines: Vec<Line>, spec: &ToolSpec| {
            let approver = StoredApprover::new(store.clone()).patience(Duration::ZERO);
            harness(&database, approver, spec.clone(), lines)
        };
        for (spec, (answer, text)) in
            specs.iter().flat_map(|spec| [(spec, (&no, "never")), (spec, (&by_hand, "by hand"))])
        {
            for polls in 1.. {
                database.empty().await;
                let (first, _) = paying(asks(), spec);
                let first = first.build().unwrap().session("c", agent()).open().await.unwrap();
                let _suspended = first.turn(None, "pay").await;
                store.answer(&question(store).await.id, answer).await.unwrap();
                let dead = Arc::new(Semaphore::new(0));
                let kills = Arc::clone(&dead);
                let (harness, paid) = paying(vec![Line::text("done")], spec);
                let harness = harness.around_turns(move |_, turn| killed(turn, polls, Arc::clone(&kills)));
                let dying = harness.build().unwrap().session("c", agent()).open().await.unwrap();
                let is_killed = tokio::select! {
                    _done = dying.resume(None).into_future() => false,
                    _dead = dead.acquire() => true,
                };
                drop(dying);
                let (next, paid_next) = paying(vec![Line::text("done")], spec);
                let next = next.build().unwrap().session("c", agent()).open().await.unwrap();
                let _done = next.resume(None).await;
                let stored = format!("{:?}", next.messages().await.unwrap());
                let what = format!("{}, parallel: {}, killed at {polls}", database.name, spec.parallel);
                assert_eq!(stored.matches(text).count(), 1, "{what}: {stored}");
                let paid = paid.load(Ordering::SeqCst) + paid_next.load(Ordering::SeqCst);
                assert!(paid <= 1, "{what}: {paid} payments: {stored}");
                assert!(store.answered_questions().await.unwrap().is_empty(), "{what}");
                if !is_killed {
                    break;
                }
            }
        }
    }
}
