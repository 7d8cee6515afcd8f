//! Approvals: the request that the approver gets, and its possible answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::HookId;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hook_sdk::verdict::Question;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::Line;
use hooks_agent::store::StoreFuture;
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Outcome, SubAgent, TurnError};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

/// Asks about inputs with an `id`, and denies `"never"`.
fn gate() -> Hook {
    let gate = Hook::at::<BeforeToolCall>("gate").reader(|_, _, input: &ToolInput| match input["id"].as_str() {
        Some("never") => Permission::deny("not that one"),
        Some("free") => Permission::NoOpinion,
        id => {
            let reason = format!("is {} right?", id.unwrap_or("nothing"));
            Permission::from(
                Question::new(reason).risk("high").choices(["once", "always"]).details(json!({ "cost": 3 })),
            )
        }
    });
    gate.only("tool", "lookup")
}

/// Gives one answer after another, and keeps the requests.
#[derive(Clone, Default)]
struct Person {
    answers: Arc<Mutex<Vec<Approval>>>,
    asked: Arc<Mutex<Vec<ApprovalRequest>>>,
}

impl Person {
    fn of(answers: impl IntoIterator<Item = Approval>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Self { answers: Arc::new(Mutex::new(answers)), asked: Arc::default() }
    }

    fn reasons(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|request| request.question.reason.to_string()).collect()
    }
}

impl Approver for Person {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async {
            self.asked.lock().unwrap().push(request.clone());
            let answer = self.answers.lock().unwrap().pop();
            match answer {
                Some(answer) => Ok(answer),
                None => std::future::pending().await,
            }
        })
    }
}

/// A call of `lookup` with `id`, whose gate asks `person`. Returns the input of the tool, and the stored result.
async fn asked(id: &str, person: &Person) -> (Vec<String>, String) {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": id })), Line::text("done")]);
    bench.app(gate());
    let session = bench.session(bench.harness().approver(person.clone())).await;
    session.turn(None, "hi").await;
    let ran = bench.log.take().into_iter().filter(|what| what == "the tool").collect();
    (ran, bench.stored().await[2].clone())
}

#[tokio::test(start_paused = true)]
async fn an_approver_can_approve_deny_edit_or_answer() {
    let edited = |id: &str| Approval::Edited(json!({ "id": id }).into());
    for (what, answers, ran, result, reasons) in [
        ("yes", vec![Approval::Yes], true, "found a", vec!["is a right?"]),
        ("no", vec![Approval::No("it is not".into())], false, "Denied: is a right?. it is not", vec!["is a right?"]),
        ("an input that is free", vec![edited("free")], true, "found free", vec!["is a right?"]),
        ("one that is denied", vec![edited("never")], false, "Denied: not that one", vec!["is a right?"]),
        (
            "one that is asked about",
            vec![edited("b"), Approval::Yes],
            true,
            "found b",
            vec!["is a right?", "is b right?"],
        ),
        ("the same", vec![edited("a")], true, "found a", vec!["is a right?"]),
        ("a result", vec![Approval::Answer(ToolResult::new("by hand"))], false, "by hand", vec!["is a right?"]),
        ("nothing", vec![], false, "Denied: is a right?. Nobody answered", vec!["is a right?"]),
    ] {
        let person = Person::of(answers);
        let (called, stored) = asked("a", &person).await;
        assert_eq!((called.len() == 1, stored.as_str()), (ran, format!("tool: <- {result}").as_str()), "{what}");
        assert_eq!(person.reasons(), reasons, "{what}");
    }
    // Repeated edits are limited.
    let (called, stored) = asked("a", &Person::of((0..20).map(|i| edited(&i.to_string())))).await;
    assert_eq!(called.len(), 0);
    assert!(stored.ends_with("The input was edited too often"), "{stored}");
}

#[tokio::test]
async fn hooks_at_results_see_a_result_from_the_approver() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]);
    bench.app(gate());
    bench.app(Hook::at::<AfterToolCallSuccess>("mask").writer(|_, _, result: &mut ToolResult| {
        result.rewrite_text(|text| Some(text.replace("hand", "****")));
    }));
    let person = Person::of([Approval::Answer(ToolResult::new("by hand"))]);
    let (_, events) = turn_with_events(&bench.session(bench.harness().approver(person)).await, "hi").await;
    assert_eq!(bench.stored().await[2], "tool: <- by ****");
    assert!(!events.iter().any(|event| matches!(event, hooks_agent::TurnEvent::ToolStarted(_))));
}

#[tokio::test]
async fn an_approval_request_names_the_hook_that_asks_and_can_be_serialised() {
    let ask = Line::call("1", "research", json!({ "prompt": "what is it?" }));
    let lines =
        [ask, Line::call("2", "lookup", json!({ "id": "a" })), Line::text("a bird"), Line::text("a bird, I hear")];
    let mut bench = Bench::new(lines);
    bench.app(gate());
    let person = Person::of([Approval::Yes]);
    let harness = bench.harness().agent(SubAgent::new(AgentDef::new("research"), "Looks things up."));
    bench.session(harness.approver(person.clone())).await.turn(None, "hi").await;
    let request = person.asked.lock().unwrap()[0].clone();
    assert_eq!((request.agent.as_str(), &request.agent_path[..]), ("research", &["a".to_owned()][..]));
    assert_eq!((request.conversation.as_str(), request.call.id.as_str()), ("c/1", "2"));
    assert!(request.id.starts_with(&request.turn) && request.turn.starts_with("c/1:1:"), "{request:?}");
    assert_eq!(
        (request.question.risk.as_deref(), &request.question.choices[..]),
        (Some("high"), &["once".to_owned(), "always".to_owned()][..])
    );
    assert_eq!((request.question.details["cost"].as_u64(), request.expires), (Some(3), Duration::from_secs(600)));
    assert_eq!(request.question.by.as_ref().map(HookId::as_str), Some("gate"));
    let kept: ApprovalRequest = serde_json::from_str(&serde_json::to_string(&request).unwrap()).unwrap();
    assert_eq!(kept, request);
    let answer = Approval::Edited(json!({ "id": "b" }).into());
    assert_eq!(serde_json::to_value(&answer).unwrap(), json!({ "answer": "edited", "with": { "id": "b" } }));
}

#[tokio::test(start_paused = true)]
async fn the_result_of_an_undecided_call_says_that_nobody_answered_in_time() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("later").reader(|_, _, _| Permission::defer("the desk is closed")));
    let person = Person::default();
    bench.session(bench.harness().approver(person.clone())).await.turn(None, "hi").await;
    assert_eq!(
        bench.stored().await[2],
        "tool: <- Not run: it was deferred (the desk is closed), and nobody decided in time"
    );
    assert!(person.asked.lock().unwrap()[0].deferred);
}

/// Multiplies the amount.
fn writer() -> Hook {
    Hook::at::<BeforeToolCall>("writes").writer(|_, _, input: &mut ToolInput| {
        if input["cents"] == 7 {
            input["cents"] = json!(70);
        }
    })
}

#[tokio::test]
async fn what_gates_make_of_an_edited_input_is_asked_about_again() {
    for is_caller in [false, true] {
        for (second, ran) in [(Approval::Yes, vec!["70"]), (Approval::No("never".into()), vec![])] {
            let bench = Bench::new([
                Line::call("1", "clerk", json!({ "prompt": "pay" })),
                Line::call("2", "pay", json!({ "cents": 5 })),
                Line::text("done"),
                Line::text("done"),
            ]);
            let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("a refund"));
            bench.registry.register(asks.only("tool", "pay")).unwrap();
            bench.registry.register(writer().only("tool", "pay").priority(-5)).unwrap();
            let (own, of_caller) =
                if is_caller { (vec!["asks"], vec!["writes"]) } else { (vec!["writes", "asks"], vec![]) };
            let paid = Arc::new(Mutex::new(Vec::new()));
            let pays = Arc::clone(&paid);
            let pay = FnTool::new(ToolSpec::new("pay"), move |_, input| {
                pays.lock().unwrap().push(input["cents"].to_string());
                Ok("paid".to_owned())
            });
            let person = Person::of([Approval::Edited(json!({ "cents": 7 }).into()), second]);
            let harness = bench.harness().tool(pay).approver(person.clone());
            let agent = SubAgent::new(AgentDef::new("clerk").hooks(own), "Pays.");
            let harness = harness.agent(agent).unchecked("the rewrites have no policy").build().unwrap();
            let session = harness.session("c", AgentDef::new("a").hooks(of_caller)).open().await.unwrap();
            session.turn(None, "hi").await;
            let asked: Vec<_> =
                person.asked.lock().unwrap().iter().map(|request| request.input["cents"].to_string()).collect();
            assert_eq!(asked, ["5", "70"], "the person sees what would run");
            assert_eq!(*paid.lock().unwrap(), ran);
        }
    }
}

#[tokio::test]
async fn nobody_can_answer_later_if_the_approver_keeps_no_questions() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]);
    bench.app(gate());
    let session = bench.session(bench.harness().approver(|_: &ApprovalRequest| Approval::Suspend)).await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "done");
    assert_eq!(bench.stored().await[2], "tool: <- Denied: is a right?. Nobody can answer later here");
    let nothing = session.resume(None).await;
    assert!(matches!(nothing.outcome, Outcome::Failed(TurnError::NothingToResume)), "{:?}", nothing.outcome);
    assert!(!bench.log.take().contains(&"the tool".to_owned()));
}
