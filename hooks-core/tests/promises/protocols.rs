//! The steps of a turn: whoever calls them cannot forget an answer of a hook.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use hook_sdk::data::{Block, ModelAnswer};
use hook_sdk::hook::OnFailure;
use hook_sdk::protocol::{Approval, NextStep, StepError, StepErrorKind, ToolQuestion};
use serde_json::json;

use super::support::*;

fn call() -> ToolCall {
    ToolCall::new("call_1", "pay", json!({ "cents": 900 }))
}

fn gate(id: &str, answer: impl Fn(&ToolInput) -> Permission + Send + Sync + 'static) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(move |_, _, input: &ToolInput| answer(input))
}

fn halts<T>() -> Result<T, Halt> {
    Err(Halt::new("enough"))
}

/// A tool call: its hooks, the answers of the approver, the outputs of the tool; what the model reads, the inputs that
/// ran, the questions, and how the turn ended.
struct Case {
    what: &'static str,
    hooks: fn() -> Vec<Hook>,
    answers: fn() -> Vec<Approval>,
    outputs: &'static [Result<&'static str, &'static str>],
    times: u32,
    reads: &'static str,
    ran: &'static [u64],
    asked: &'static [&'static str],
    end: &'static str,
}

const CASE: Case = Case {
    what: "",
    hooks: Vec::new,
    answers: Vec::new,
    outputs: &[Ok("paid")],
    times: 1,
    reads: "paid",
    ran: &[900],
    asked: &[],
    end: "",
};

fn asks() -> Hook {
    gate("asks", |_| Permission::ask("sure?"))
}

/// Asks about every amount.
fn asks_each() -> Hook {
    gate("asks_each", |input| Permission::ask(format!("{}?", input["cents"])))
}

fn limit() -> Hook {
    let judge = |input: &ToolInput| {
        if input["cents"].as_u64() > Some(5_000) { Permission::deny("too much") } else { Permission::Allow }
    };
    gate("limit", judge)
}

fn requested(answer: impl Fn(&mut ToolInput) -> Permission + Send + Sync + 'static) -> Hook {
    Hook::at::<PermissionRequest>("requested").writer(move |_, _, input: &mut ToolInput| answer(input))
}

fn cents(cents: u64) -> ToolInput {
    json!({ "cents": cents }).into()
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { what: "no hooks", ..CASE },
    Case { what: "an error of the tool", outputs: &[Err("offline")], reads: "offline", ..CASE },
    Case { what: "a denied call does not run", hooks: || vec![gate("no", |_| Permission::deny("never"))],
           reads: "Denied: never", ran: &[], ..CASE },
    Case { what: "a guard that fails denies",
           hooks: || vec![Hook::at::<BeforeToolCall>("no").reader(|_, _, _| -> Permission { panic!("broken") })],
           reads: "Denied: the hook `no` failed (panic); this is not a policy decision", ran: &[], ..CASE },
    Case { what: "a required hook that fails ends the turn",
           hooks: || vec![Hook::at::<BeforeToolCall>("no").reader(|_, _, _| -> Permission { panic!("broken") })
                .on_failure(OnFailure::Required)],
           reads: "Not run: the gate failed", ran: &[], end: "the hook is required", ..CASE },
    Case { what: "a halt", hooks: || vec![Hook::at::<BeforeToolCall>("no").reader(|_, _, _| halts::<Permission>())],
           reads: "Not run, the turn ended: enough", ran: &[], end: "the turn was halted: enough", ..CASE },
    Case { what: "the tool gets the input that the gates leave",
           hooks: || vec![Hook::at::<BeforeToolCall>("less").writer(|_, _, input: &mut ToolInput| input["cents"] = 5.into())],
           ran: &[5], ..CASE },
    Case { what: "an answer of a gate is the result",
           hooks: || vec![gate("dry", |_| Permission::answer(ToolResult::new("dry run"))),
                Hook::at::<AfterToolCallSuccess>("sees").writer(|_, _, result: &mut ToolResult| {
                    result.rewrite_text(|text| Some(text.to_uppercase()));
                })],
           reads: "DRY RUN", ran: &[], ..CASE },
    Case { what: "nobody to ask", hooks: || vec![asks()], reads: "Denied: sure?. There is nobody to ask", ran: &[], ..CASE },
    Case { what: "a yes", hooks: || vec![asks()], answers: || vec![Approval::Yes], asked: &["sure?"], ..CASE },
    Case { what: "a no", hooks: || vec![asks()], answers: || vec![Approval::No("Not today".to_owned())],
           reads: "Denied: sure?. Not today", ran: &[], asked: &["sure?"], ..CASE },
    Case { what: "a deferred call", hooks: || vec![gate("later", |_| Permission::defer("the bank decides"))],
           answers: || vec![Approval::Suspend], reads: "", ran: &[], asked: &["the bank decides"],
           end: "waiting for an answer: the bank decides", ..CASE },
    Case { what: "an answer in the tool's place", hooks: || vec![asks()],
           answers: || vec![Approval::Answer(ToolResult::new("by hand"))], reads: "by hand", ran: &[], asked: &["sure?"], ..CASE },
    Case { what: "the gates judge an edited input", hooks: || vec![asks(), limit().priority(1)],
           answers: || vec![Approval::Edited(cents(9_900))], reads: "Denied: too much", ran: &[], asked: &["sure?"], ..CASE },
    Case { what: "the same question about an edited input is answered", hooks: || vec![asks()],
           answers: || vec![Approval::Edited(cents(100))], ran: &[100], asked: &["sure?"], ..CASE },
    Case { what: "a new question about an edited input is asked", hooks: || vec![asks_each()],
           answers: || vec![Approval::Edited(cents(100)), Approval::Yes], ran: &[100], asked: &["900?", "100?"], ..CASE },
    Case { what: "endless edits end", hooks: || vec![asks_each()],
           answers: || (0..20).map(|n| Approval::Edited(cents(n))).collect(),
           reads: "Denied: 7?. The input was edited too often", ran: &[],
           asked: &["900?", "0?", "1?", "2?", "3?", "4?", "5?", "6?", "7?"], ..CASE },
    Case { what: "a hook says yes for the person", hooks: || vec![asks(), requested(|_| Permission::Allow)], ..CASE },
    Case { what: "a hook says no for the person", hooks: || vec![asks(), requested(|_| Permission::deny("night"))],
           answers: || vec![Approval::Yes], reads: "Denied: night", ran: &[], ..CASE },
    Case { what: "a hook without opinion leaves it to the person", hooks: || vec![asks(), requested(|_| Permission::NoOpinion)],
           answers: || vec![Approval::Yes], asked: &["sure?"], ..CASE },
    Case { what: "the gates judge what such a hook rewrote",
           hooks: || vec![asks(), limit().priority(1), requested(|input| { input["cents"] = 9_900.into(); Permission::Allow })],
           reads: "Denied: too much", ran: &[], ..CASE },
    Case { what: "a halt while a person is asked",
           hooks: || vec![asks(), Hook::at::<PermissionRequest>("no").reader(|_, _, _| halts::<Permission>())],
           answers: || vec![Approval::Yes], reads: "Not run, the turn ended: enough", ran: &[], end: "enough", ..CASE },
    Case { what: "a removed result",
           hooks: || vec![Hook::at::<AfterToolCallSuccess>("hides").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           reads: "[result removed by hides]", ..CASE },
    Case { what: "a halt after the tool keeps its result",
           hooks: || vec![Hook::at::<AfterToolCallSuccess>("ends").reader(|_, _, _| halts::<()>())], end: "enough", ..CASE },
    Case { what: "a mask that is required and fails withholds the result",
           hooks: || vec![Hook::at::<AfterToolCallSuccess>("mask").writer(|_, _, _| -> () { panic!("broken") })
                .on_failure(OnFailure::Required)],
           reads: "The tool ran. Its result is withheld: a required hook failed", end: "the hook is required", ..CASE },
    Case { what: "a mask of failures that is required and fails withholds them",
           hooks: || vec![Hook::at::<AfterToolCallFailure>("mask").writer(|_, _, _| -> () { panic!("broken") })
                .on_failure(OnFailure::Required)],
           outputs: &[Err("secret")],
           reads: "The tool ran. Its result is withheld: a required hook failed", end: "the hook is required", ..CASE },
    Case { what: "a tool that may run once is not run again", hooks: || vec![retries()], outputs: &[Err("offline")],
           reads: "offline", ..CASE },
    Case { what: "a tool that may run again", hooks: || vec![retries()], outputs: &[Err("offline"), Ok("paid")],
           times: 3, ran: &[900, 900], ..CASE },
    Case { what: "retries are bounded", hooks: || vec![retries()], outputs: &[Err("offline"); 3], times: 3,
           reads: "offline", ran: &[900, 900, 900], ..CASE },
    Case { what: "a halt after a failure ends the retries",
           hooks: || vec![retries(), Hook::at::<AfterToolCallFailure>("ends").reader(|_, _, _| halts::<Retry>())],
           outputs: &[Err("offline")], times: 3, reads: "offline", end: "enough", ..CASE },
    Case { what: "a halt after everything keeps the result",
           hooks: || vec![Hook::at::<AfterToolCall>("ends").reader(|_, _, ()| halts::<()>())], end: "enough", ..CASE },
];

fn retries() -> Hook {
    Hook::at::<AfterToolCallFailure>("again").reader(|_, _, _| Retry::After(std::time::Duration::ZERO))
}

#[tokio::test]
async fn a_tool_call_applies_every_answer() {
    for case in CASES {
        let hooks = set((case.hooks)());
        let call = call();
        for blocking in [false, true] {
            let (ran, asked) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
            let outputs = RefCell::new(case.outputs.iter());
            let answers = RefCell::new((case.answers)().into_iter());
            let tool = |input: ToolInput| {
                ran.borrow_mut().push(input["cents"].as_u64().unwrap());
                outputs.borrow_mut().next().copied().expect("one more run")
            };
            let ask = |question: ToolQuestion| {
                assert_eq!(question.call, call, "{}", case.what);
                asked.borrow_mut().push(question.question.reason.to_string());
                answers.borrow_mut().next().expect("one more question")
            };
            let is_silent = (case.answers)().is_empty();
            let cx = cx();
            let result = match (blocking, is_silent) {
                (false, true) => hooks.tool_call(&cx, &call).run_up_to(case.times, async |input| tool(input)).await,
                (false, false) => {
                    let step = hooks.tool_call(&cx, &call).ask(async |question| ask(question));
                    step.run_up_to(case.times, async |input| tool(input)).await
                }
                (true, true) => hooks.tool_call_blocking(&cx, &call).run_up_to(case.times, tool),
                (true, false) => hooks.tool_call_blocking(&cx, &call).ask(ask).run_up_to(case.times, tool),
            };
            let end = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
            assert!(end.contains(case.end) && end.is_empty() == case.end.is_empty(), "{}: {end}", case.what);
            let read = match &result {
                Ok(result) => result.text().into_owned(),
                Err(error) => error.result().map(|result| result.text().into_owned()).unwrap_or_default(),
            };
            assert_eq!(read, case.reads, "{}", case.what);
            assert_eq!(*ran.borrow(), case.ran, "{}", case.what);
            assert_eq!(*asked.borrow(), case.asked, "{}", case.what);
        }
    }
}

#[tokio::test]
async fn the_last_event_of_a_call_says_how_it_ended() {
    for case in CASES {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let last = Hook::at::<AfterToolCall>("last").reader(move |_, event: &AfterToolCall, ()| {
            log.lock().unwrap().push((event.result.clone(), event.error.clone()));
        });
        let hooks = set((case.hooks)().into_iter().chain([last.priority(-9)]));
        let mut outputs = case.outputs.iter();
        let mut answers = (case.answers)().into_iter();
        let (cx, call) = (cx(), call());
        let step = hooks.tool_call_blocking(&cx, &call);
        let step = step.ask(|_| answers.next().unwrap_or(Approval::No("There is nobody to ask".to_owned())));
        let result = step.run_up_to(case.times, |_| outputs.next().copied().unwrap());
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        match (&result, &seen[..]) {
            (Err(error), []) => assert!(matches!(error.kind(), StepErrorKind::Suspended(_)), "{}", case.what),
            (_, [(result, error)]) => {
                assert_eq!(result.is_none(), case.reads.contains("removed"), "{}", case.what);
                let failed = result.as_ref().is_some_and(|result| result.is_error);
                assert_eq!(error.is_some(), failed, "{}", case.what);
            }
            (result, seen) => panic!("{}: {result:?} {seen:?}", case.what),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_drops_the_tool_and_says_so() {
    let token = hook_sdk::CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    let (hooks, call) = (set([asks()]), call());
    let cancelled = async {
        token.cancel();
        std::future::pending::<&str>().await
    };
    let error = hooks.tool_call(&cx, &call).ask(async |_| true).run(|_| cancelled).await.unwrap_err();
    assert!(matches!(error.kind(), StepErrorKind::Cancelled));
    assert_eq!(error.result().unwrap().text(), "Not finished: the turn was cancelled");
    let error = hooks.tool_call(&cx, &call).ask(|_| std::future::pending::<bool>()).run(async |_| "paid").await;
    assert_eq!(error.unwrap_err().result().unwrap().text(), "Not run: the turn was cancelled");
}

#[test]
fn a_turn_that_ends_closes_its_calls_with_what_is_true() {
    let ends = || vec![Hook::at::<AfterToolCallSuccess>("ends").reader(|_, _, _| halts::<()>())];
    let calls = [call(), ToolCall::new("call_2", "pay", json!({ "cents": 1 }))];
    let mut messages = Messages::from(vec![
        Message::new(Role::User, "pay"),
        Message::of(Role::Assistant, calls.iter().cloned().map(Block::ToolUse).collect()),
    ]);
    let hooks = set(ends());
    let error = hooks.tool_call_blocking(&cx(), &calls[0]).run(|_| "paid").unwrap_err();
    assert_eq!(messages.open_calls().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["call_1", "call_2"]);
    messages.extend(error.close_calls(&messages));
    assert_eq!(messages.open_calls().count(), 0);
    let results: Vec<_> = messages.iter().skip(2).map(|message| message.content.clone()).collect();
    let text = json!(results).to_string();
    assert!(text.contains("paid") && text.contains("No result, the turn ended: the turn was halted: enough"), "{text}");
    assert!(error.close_calls(&messages).is_empty());
    // A call that waits stays open.
    messages.truncate(2);
    let step = set([asks()]).tool_call_blocking(&cx(), &calls[0]).ask(|_| Approval::Suspend).run(|_| "paid");
    assert!(step.unwrap_err().close_calls(&messages).is_empty());
}

#[test]
fn a_message_is_stored_as_its_hooks_leave_it() {
    let mask = || {
        Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, row: &mut Message| {
            row.rewrite_text(|text| Some(text.replace("ada", "[name]")));
        })
    };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let after = Hook::at::<AfterCreateMessage>("after").reader(move |_, event: &AfterCreateMessage, ()| {
        log.lock().unwrap().push((event.message.text().into_owned(), event.message_id.clone()));
    });
    let hooks = set([mask(), after]);
    let mut stored = Vec::new();
    let row = hooks
        .store_blocking(&cx(), Message::new(Role::User, "I am ada"), |row| {
            stored.push(row);
            "row_7".to_owned()
        })
        .unwrap();
    assert_eq!((&*row.text(), stored.len()), ("I am [name]", 1));
    assert_eq!(*seen.lock().unwrap(), [("I am [name]".to_owned(), Some("row_7".to_owned()))]);
    // Nothing is stored without the hook that is required, and nobody hears of a row that was not stored.
    let fails = Hook::at::<BeforeCreateMessage>("fails").reader(|_, _, _| -> () { panic!("broken") });
    let hooks = set([fails.on_failure(OnFailure::Required)]);
    assert!(
        hooks.store_blocking(&cx(), Message::new(Role::User, "hello"), |_| -> () { unreachable!("stored") }).is_err()
    );
    let full = |_| Err::<(), _>("the disk is full");
    let error = set([mask()]).store_blocking(&cx(), Message::new(Role::User, "hello"), full).unwrap_err();
    assert_eq!(error.to_string(), "the disk is full");
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[test]
fn a_prompt_is_blocked_rewritten_and_stored() {
    let earlier = Messages::from(vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "hi")]);
    let prompt = |hooks: &HookSet| {
        let mut stored = Vec::new();
        let read = hooks.prompt_blocking(&cx(), "my card", &earlier).store(|row| stored.push(row.text().into_owned()));
        let read = read.map(|messages| messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>());
        (read.map_err(|error| error.to_string()), stored)
    };
    let at = |answer: fn() -> PromptVerdict| set([Hook::at::<UserPromptSubmit>("p").reader(move |_, _, _| answer())]);
    let read = |texts: &[&str]| Ok(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
    assert_eq!(prompt(&set([])), (read(&["hello", "hi", "my card"]), vec!["my card".to_owned()]));
    assert_eq!(prompt(&at(|| PromptVerdict::block("no cards"))), (Err("blocked: no cards".to_owned()), vec![]));
    assert_eq!(prompt(&at(|| PromptVerdict::stop("closed"))), (Err("the turn was halted: closed".to_owned()), vec![]));
    let gold = prompt(&at(|| PromptVerdict::context("a gold member")));
    assert_eq!(gold, (read(&["hello", "hi", "a gold member", "my card"]), vec!["my card".to_owned()]));
    let rewrites = Hook::at::<UserPromptSubmit>("r").writer(|_, _, messages: &mut Messages| {
        messages.remove(0);
        messages.push(Message::new(Role::User, "be brief"));
    });
    assert_eq!(prompt(&set([rewrites])), (read(&["hi", "my card", "be brief"]), vec!["my card".to_owned()]));
    let masks = Hook::at::<BeforeCreateMessage>("m").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|_| Some("[masked]".to_owned()));
    });
    assert_eq!(prompt(&set([masks])), (read(&["hello", "hi", "[masked]"]), vec!["[masked]".to_owned()]));
    let removes = Hook::at::<UserPromptSubmit>("r").writer(|_, _, messages: &mut Messages| {
        messages.pop();
    });
    assert_eq!(prompt(&set([removes])), (read(&["hello", "hi"]), vec![]));
}

#[test]
fn a_model_call_applies_every_answer() {
    let cx = cx();
    let run = |hooks: &HookSet, outputs: &[Result<ModelAnswer, &str>]| {
        let mut messages = Messages::from(vec![Message::new(Role::User, "hello")]);
        let (mut calls, mut outputs) = (Vec::new(), outputs.iter());
        let step = hooks.model_call_blocking(&cx, ModelRequest::new("Be kind."), &mut messages);
        let said = step.run(|request, messages| {
            calls.push(format!("{} {}", request.system_prompt, messages.last().unwrap().text()));
            outputs.next().cloned().expect("one more call")
        });
        (said.map_err(|error| error.to_string()), calls, messages.len())
    };
    let text = |text: &str| Ok(ModelAnswer::text(text));
    let said = |text: &str| Ok(Message::new(Role::Assistant, text));
    assert_eq!(run(&set([]), &[text("hi")]), (said("hi"), vec!["Be kind. hello".to_owned()], 1));
    assert_eq!(run(&set([]), &[Err("offline")]).0, Err("offline".to_owned()));
    let answers = Hook::at::<PreModelCall>("cache").writer(|_, _, request: &mut ModelRequest| {
        *request = request.clone().answer("cached");
    });
    assert_eq!(run(&set([answers]), &[]), (said("cached"), vec![], 1));
    let sees = Hook::at::<PrefilterLlmHistory>("sees").writer(|_, _, messages: &mut Messages| {
        messages[0].rewrite_text(|_| Some("[masked]".to_owned()));
    });
    assert_eq!(run(&set([sees]), &[text("hi")]), (said("hi"), vec!["Be kind. [masked]".to_owned()], 1));
    let again = || {
        Hook::at::<PostModelCall>("again").writer(|_, _, reply: &mut ModelReply| {
            reply.messages.push(Message::new(Role::User, "again"));
            ReplyVerdict::Continue
        })
    };
    let (answer, calls, messages) = run(&set([again()]), &[text("1"), Err("2"), text("3"), text("4")]);
    assert_eq!((answer, calls.len(), messages), (said("4"), 4, 4), "three more calls, and no more");
    // Text that was shown cannot be taken back, and a call is run.
    assert_eq!(run(&set([again()]), &[Ok(ModelAnswer::text("shown").streamed(true))]).1.len(), 1);
    let calls = || vec![Block::ToolUse(ToolCall::new("", "pay", json!({}))), Block::ToolUse(call())];
    let (answer, times, _) = run(&set([again()]), &[Ok(ModelAnswer::new(calls()))]);
    let ids: Vec<_> = answer.unwrap().tool_calls().map(|call| call.id.clone()).collect();
    assert_eq!((times.len(), ids), (1, vec!["call_0".to_owned(), "call_1".to_owned()]));
    // The arguments of an answer that was cut off may be cut off too.
    let cut = ModelAnswer::new(calls()).stop_reason("max_tokens");
    assert_eq!(run(&set([]), &[Ok(cut)]).0.unwrap().tool_calls().count(), 0);
    let ends = Hook::at::<PostModelCall>("ends").reader(|_, _, _| halts::<ReplyVerdict>());
    assert_eq!(run(&set([ends]), &[text("hi")]).0, Err("the turn was halted: enough".to_owned()));
}

#[test]
fn the_end_of_a_turn_is_judged_before_it_is_stored() {
    let cx = cx();
    let run = |hooks: &HookSet, continued: u32| {
        let mut stored = Vec::new();
        let step = hooks.stop_blocking(&cx, Message::new(Role::Assistant, "done")).continued(continued);
        let next = step.store(|row| stored.push(row.text().into_owned()));
        (next.map_err(|error| error.to_string()), stored)
    };
    let at = |answer: fn() -> StopVerdict| set([Hook::at::<Stop>("s").reader(move |_, _, ()| answer())]);
    let answer = || Message::new(Role::Assistant, "done");
    let ended = |notices: &[&str]| {
        Ok(NextStep::End { answer: answer(), notices: notices.iter().map(|text| (*text).to_owned()).collect() })
    };
    let done = || vec!["done".to_owned()];
    assert_eq!(run(&set([]), 0), (ended(&[]), done()));
    assert_eq!(run(&at(|| StopVerdict::end("enough").with_system_message("bye")), 0), (ended(&["bye"]), done()));
    assert_eq!(run(&at(|| StopVerdict::end("x").with_context("more")), 0), (ended(&["more"]), done()));
    assert_eq!(run(&at(|| StopVerdict::end("x").with_context("more").suppress_output()), 0), (ended(&[]), done()));
    let continues = at(|| StopVerdict::continue_with("run the tests"));
    let follow_up = Message::new(Role::User, "run the tests");
    let next = NextStep::Continue { answer: answer(), follow_up, notices: vec![] };
    assert_eq!(run(&continues, 7), (Ok(next), done()));
    assert_eq!(run(&continues, 8), (ended(&[]), done()), "the limit");
    let blocked = run(&at(|| StopVerdict::block("secret")), 0);
    assert_eq!(blocked, (Err("blocked: secret".to_owned()), vec!["[Blocked] secret".to_owned()]));
    let fails = Hook::at::<Stop>("s").reader(|_, _, ()| -> StopVerdict { panic!("broken") });
    let (error, stored) = run(&set([fails.on_failure(OnFailure::Required)]), 0);
    assert!(error.is_err());
    assert_eq!(stored, ["[Withheld: the turn ended before all hooks had judged the answer]"]);
}

#[tokio::test]
async fn the_steps_of_a_turn_can_be_spawned() {
    let hooks = set([asks()]);
    let ran = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&ran);
    let task = tokio::spawn(async move {
        let (cx, call) = (cx(), call());
        let asked = AtomicU32::new(0);
        let step = hooks.tool_call(&cx, &call).ask(async |question: ToolQuestion| {
            tokio::task::yield_now().await;
            asked.fetch_add(1, Ordering::Relaxed);
            question.question.reason.as_str() == "sure?"
        });
        let result = step
            .run(async |input| {
                tokio::task::yield_now().await;
                log.lock().unwrap().push(input["cents"].as_u64());
                Ok::<_, String>("paid")
            })
            .await?;
        let mut messages = Messages::default();
        let mut stored = Vec::new();
        hooks.store(&cx, Message::new(Role::User, "hello"), async |row| stored.push(row)).await?;
        hooks.prompt(&cx, "hello", &messages).store(async |row| stored.push(row)).await?;
        let model = async |_, messages: Messages| {
            tokio::task::yield_now().await;
            format!("{} messages", messages.len())
        };
        let reply = hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages).run(model).await?;
        let _next = hooks.stop(&cx, reply).store(async |row| stored.push(row)).await?;
        Ok::<_, StepError>((result, asked.into_inner(), stored.len()))
    });
    let (result, asked, stored) = task.await.unwrap().unwrap();
    assert_eq!((&*result.text(), asked, stored), ("paid", 1, 3));
    assert_eq!(*ran.lock().unwrap(), [Some(900)]);
}
