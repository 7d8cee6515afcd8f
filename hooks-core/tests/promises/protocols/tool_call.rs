//! A tool call: its gates, the person, the tool, and the hooks that see its result.

use std::cell::RefCell;

use super::*;

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

/// Asks about every amount.
fn asks_each() -> Hook {
    gate("asks_each", |input| Permission::ask(format!("{}?", input["cents"])))
}

/// Rewrites every input.
fn adds() -> Hook {
    let adds = |_: &HookContext, _: &BeforeToolCall, input: &mut ToolInput| {
        input["cents"] = (input["cents"].as_u64().unwrap_or(0) + 1).into();
    };
    Hook::at::<BeforeToolCall>("adds").writer(adds)
}

fn limit() -> Hook {
    let judge = |input: &ToolInput| {
        if input["cents"].as_u64() > Some(5_000) { Permission::deny("too much") } else { Permission::Allow }
    };
    gate("limit", judge)
}

fn asks_much() -> Hook {
    let judge = |input: &ToolInput| {
        if input["cents"].as_u64() > Some(5_000) { Permission::ask("really?") } else { Permission::Allow }
    };
    gate("asks_much", judge)
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
           reads: "Not run: a hook failed", ran: &[], end: "the hook is required", ..CASE },
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
    Case { what: "an edited input that a gate rewrites is asked about again", hooks: || vec![adds(), asks()],
           answers: || vec![Approval::Edited(cents(100)), Approval::Yes], ran: &[101], asked: &["sure?", "sure?"], ..CASE },
    Case { what: "also if no gate asks about it any more",
           hooks: || vec![adds(), gate("asks_much", |input| if input["cents"].as_u64() > Some(500) { Permission::ask("sure?") } else { Permission::Allow })],
           answers: || vec![Approval::Edited(cents(100)), Approval::No("Not that".to_owned())],
           reads: "Denied: sure?. Not that", ran: &[], asked: &["sure?", "sure?"], ..CASE },
    Case { what: "a new question about an edited input is asked", hooks: || vec![asks_each()],
           answers: || vec![Approval::Edited(cents(100)), Approval::Yes], ran: &[100], asked: &["900?", "100?"], ..CASE },
    Case { what: "a new question of another gate about an edited input is asked", hooks: || vec![asks(), asks_much()],
           answers: || vec![Approval::Edited(cents(9_900)), Approval::No("Never".to_owned())],
           reads: "Denied: really?. Never", ran: &[], asked: &["sure?", "really?"], ..CASE },
    Case { what: "each question about an edited input is asked once", hooks: || vec![asks(), asks_much()],
           answers: || vec![Approval::Edited(cents(9_900)), Approval::Edited(cents(9_800))],
           ran: &[9_800], asked: &["sure?", "really?"], ..CASE },
    Case { what: "an answer is about all that gates ask", hooks: || vec![asks(), gate("also", |_| Permission::ask("also?"))],
           answers: || vec![Approval::Edited(cents(100))], ran: &[100], asked: &["sure?"], ..CASE },
    Case { what: "a question that is deferred now has no answer",
           hooks: || vec![gate("asks", |input| if input["cents"] == 900 { Permission::ask("sure?") } else { Permission::defer("sure?") })],
           answers: || vec![Approval::Edited(cents(100)), Approval::No("Never".to_owned())],
           reads: "Denied: sure?. Never", ran: &[], asked: &["sure?", "sure?"], ..CASE },
    Case { what: "hooks answer in the person's place once a call",
           hooks: || vec![asks_each(), requested(|input| if input["cents"] == 100 { Permission::Allow } else { Permission::NoOpinion })],
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
                (true, true) => hooks.tool_call(&cx, &call).run_up_to_blocking(case.times, tool),
                (true, false) => hooks.tool_call(&cx, &call).ask_blocking(ask).run_up_to_blocking(case.times, tool),
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

/// The question with which a call is suspended, as a store gives it back.
fn suspended(step: Result<ToolResult, StepError>) -> ToolQuestion {
    let error = step.unwrap_err();
    let StepErrorKind::Suspended(question) = error.kind() else { panic!("{error}") };
    serde_json::from_value(json!(question)).unwrap()
}

#[test]
fn an_answer_of_a_later_turn_approves_only_its_question() {
    let (cx, call) = (cx(), call());
    let suspends = |hooks: Vec<Hook>| {
        set(hooks).tool_call(&cx, &call).ask_blocking(|_| Approval::Suspend).run_blocking(|_| "paid")
    };
    let question = suspended(suspends(vec![asks()]));
    // The stored row of the call may be masked.
    let masked = ToolCall::new("call_1", "pay", json!({ "cents": "[masked]" }));
    let resumed = |question: &ToolQuestion, answer: Approval, hooks: Vec<Hook>| {
        let (mut asked, mut ran) = (Vec::new(), Vec::new());
        let hooks = set(hooks);
        let step = hooks.tool_call(&cx, &masked).answered(question, answer).ask_blocking(|question| {
            asked.push(question.question.reason.to_string());
            false
        });
        let result = step.run_blocking(|input| {
            ran.push(input["cents"].as_u64().unwrap());
            "paid"
        });
        (result.unwrap().text().into_owned(), asked, ran)
    };
    let paid = |cents: u64| ("paid".to_owned(), vec![], vec![cents]);
    let denied = |text: &str, asked: &[&str]| {
        (format!("Denied: {text}"), asked.iter().map(ToString::to_string).collect::<Vec<_>>(), vec![])
    };
    let no = || Approval::No("Never".to_owned());
    let other = || gate("other", |_| Permission::ask("other?"));
    let both = || vec![asks(), other()];
    assert_eq!(resumed(&question, Approval::Yes, vec![asks()]), paid(900));
    assert_eq!(resumed(&question, Approval::Yes, vec![]), paid(900));
    assert_eq!(resumed(&question, Approval::Edited(cents(100)), vec![asks()]), paid(100));
    assert_eq!(resumed(&question, no(), vec![]), denied("sure?. Never", &[]));
    assert_eq!(resumed(&question, no(), both()), denied("sure?. Never", &[]));
    let never = gate("never", |_| Permission::deny("never"));
    assert_eq!(resumed(&question, Approval::Yes, vec![asks(), never]), denied("never", &[]));
    let said_no = denied("other?. The person said no", &["other?"]);
    for hooks in [vec![other()], both(), vec![other(), asks()]] {
        assert_eq!(resumed(&question, Approval::Yes, hooks), said_no);
    }
    let defers = gate("asks", |_| Permission::defer("sure?"));
    assert_eq!(resumed(&question, Approval::Yes, vec![defers]), denied("sure?. The person said no", &["sure?"]));
    // What was asked together is answered together, also if the second question came later.
    let question_of_both = suspended(suspends(both()));
    assert_eq!(resumed(&question_of_both, Approval::Yes, both()), paid(900));
    let hooks = set(both());
    let step = hooks.tool_call(&cx, &call).answered(&question, true).ask_blocking(|_| Approval::Suspend);
    let later = suspended(step.run_blocking(|_| "paid"));
    assert_eq!(later.question.reason.as_str(), "other?");
    assert_eq!(resumed(&later, Approval::Yes, both()), paid(900));
    // What somebody edited is what else is asked about, and what runs.
    for hooks in [both(), vec![other()]] {
        let (hooks, mut seen) = (set(hooks), Vec::new());
        let step =
            hooks.tool_call(&cx, &call).answered(&question, Approval::Edited(cents(100))).ask_blocking(|asked| {
                seen.push(("asked", asked.input["cents"].as_u64()));
                true
            });
        let mut ran = None;
        let _paid = step
            .run_blocking(|input| {
                ran = input["cents"].as_u64();
                "paid"
            })
            .unwrap();
        assert_eq!((seen, ran), (vec![("asked", Some(100))], Some(100)));
    }
    // A question about another call approves nothing, and that call runs with its own input.
    for (id, tool) in [("call_2", "pay"), ("call_1", "delete")] {
        let other = ToolCall::new(id, tool, json!({ "cents": 7 }));
        let (asking, allowing) = (set([asks()]), set([]));
        let denied = asking.tool_call(&cx, &other).answered(&question, true).run_blocking(|_| "ran").unwrap();
        assert_eq!(denied.text(), "Denied: sure?. There is nobody to ask");
        let step = allowing.tool_call(&cx, &other).answered(&question, no());
        let ran = step.run_blocking(|input| input["cents"].to_string()).unwrap();
        assert_eq!(ran.text(), "7");
    }
    // So does a question of another conversation: models use the same ids again.
    let conversation = |id: &str| HookContext::builder().conversation(id).build();
    let (hooks, mut asked) = (set([asks()]), None);
    let first = conversation("a");
    let step = hooks.tool_call(&first, &call).ask_blocking(|question| {
        asked = Some(question);
        Approval::Suspend
    });
    for question in [suspended(step.run_blocking(|_| "paid")), asked.unwrap()] {
        let ran = |cx: &HookContext| {
            hooks.tool_call(cx, &call).answered(&question, true).run_blocking(|_| "paid").unwrap().text().into_owned()
        };
        assert_eq!(ran(&first), "paid");
        for other in [conversation("b"), cx.clone()] {
            assert_eq!(ran(&other), "Denied: sure?. There is nobody to ask");
        }
    }
    // A cancelled turn runs nothing, whatever was answered.
    let token = CancellationToken::new();
    token.cancel();
    let (cancelled, hooks) = (cx.to_builder().cancellation(token).build(), set([]));
    for answer in [Approval::Yes, no(), Approval::Suspend] {
        let step = hooks.tool_call(&cancelled, &call).answered(&question, answer);
        let error = step.run_blocking(|_| "paid").unwrap_err();
        assert!(matches!(error.kind(), StepErrorKind::Cancelled), "{error}");
    }
    // The input that somebody edited before nobody could answer.
    let mut answers = [Approval::Edited(cents(100)), Approval::Suspend].into_iter();
    let hooks = set([asks_each()]);
    let step = hooks.tool_call(&cx, &call).ask_blocking(|_| answers.next().unwrap());
    let edited = suspended(step.run_blocking(|_| "paid"));
    assert_eq!(resumed(&edited, Approval::Yes, vec![asks_each()]), paid(100));
}

#[tokio::test]
async fn the_last_event_of_a_call_says_how_it_ended() {
    for case in CASES {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let last = Hook::at::<AfterToolCall>("last").reader(move |_, event: &AfterToolCall, ()| {
            log.lock().unwrap().push((event.result.clone(), event.error.clone(), event.attempt));
        });
        let hooks = set((case.hooks)().into_iter().chain([last.priority(-9)]));
        let mut outputs = case.outputs.iter();
        let mut answers = (case.answers)().into_iter();
        let (cx, call) = (cx(), call());
        let step = hooks.tool_call(&cx, &call);
        let step = step.ask_blocking(|_| answers.next().unwrap_or(Approval::No("There is nobody to ask".to_owned())));
        let result = step.run_up_to_blocking(case.times, |_| outputs.next().copied().unwrap());
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        match (&result, &seen[..]) {
            (Err(error), []) => assert!(matches!(error.kind(), StepErrorKind::Suspended(_)), "{}", case.what),
            (_, [(result, error, attempt)]) => {
                assert_eq!(*attempt as usize, case.ran.len(), "{}", case.what);
                assert_eq!(result.is_none(), case.reads.contains("removed"), "{}", case.what);
                let failed = result.as_ref().is_some_and(|result| result.is_error);
                assert_eq!(error.is_some(), failed, "{}", case.what);
            }
            (result, seen) => panic!("{}: {result:?} {seen:?}", case.what),
        }
    }
}

#[test]
fn the_last_event_of_a_call_has_the_error_that_the_model_reads() {
    let masks = Hook::at::<AfterToolCallFailure>("masks").writer(|_, _, result: &mut ToolResult| {
        result.rewrite_text(|_| Some("masked".to_owned()));
    });
    let removes = Hook::at::<AfterToolCallFailure>("removes").replacer(|_, _, _: ToolResult| None::<ToolResult>);
    for (hook, text) in [(masks, "masked"), (removes, "[result removed by removes]")] {
        let last = Hook::at::<AfterToolCall>("last").reader(move |_, event: &AfterToolCall, ()| {
            assert_eq!(event.error.as_deref(), Some(text));
        });
        let hooks = set([hook, last.on_failure(OnFailure::Required)]);
        let result = hooks.tool_call(&cx(), &call()).run_blocking(|_| Err::<&str, _>("secret")).unwrap();
        assert_eq!((&*result.text(), result.is_error), (text, true));
    }
}

#[test]
fn a_gate_reads_what_is_known_of_the_tool_and_a_call_without_an_id_gets_one() {
    let gate = Hook::at::<BeforeToolCall>("gate").reader(|_, event: &BeforeToolCall, _| {
        let info = event.info.clone().unwrap_or_default();
        assert!(event.call.id.starts_with("call_"));
        match (info.destructive, &info.server) {
            (Some(false), Some(server)) if server == "bank" => Permission::Allow,
            _ => Permission::deny("unknown"),
        }
    });
    let hooks = set([gate]);
    let (cx, call) = (cx(), ToolCall::without_id("refund", json!({})));
    let info = ToolInfo::default().server("bank").destructive(false).schema(json!({ "type": "object" }));
    let known = hooks.tool_call(&cx, &call).info(&info).run_blocking(|_| "paid").unwrap();
    assert_eq!(known.text(), "paid");
    let unknown = hooks.tool_call(&cx, &call).run_blocking(|_| "paid").unwrap();
    assert_eq!(unknown.text(), "Denied: unknown");
    assert_ne!(ToolCall::without_id("refund", json!({})).id, call.id);
}
