//! The other steps: a prompt, a stored row, the end of a turn, and calls that are left open.

use super::*;

#[test]
fn a_turn_that_ends_closes_its_calls_with_what_is_true() {
    let ends = || vec![Hook::at::<AfterToolCallSuccess>("ends").reader(|_, _, _| halts::<()>())];
    let calls = [call(), ToolCall::new("call_2", "pay", json!({ "cents": 1 }))];
    let mut messages = Messages::from(vec![
        Message::new(Role::User, "pay"),
        Message::of(Role::Assistant, calls.iter().cloned().map(Block::ToolUse).collect()),
    ]);
    let hooks = set(ends());
    let error = hooks.tool_call(&cx(), &calls[0]).run_blocking(|_| "paid").unwrap_err();
    assert_eq!(messages.open_calls().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["call_1", "call_2"]);
    messages.extend(error.close_calls(&messages));
    assert_eq!(messages.open_calls().count(), 0);
    let results: Vec<_> = messages.iter().skip(2).map(|message| message.content.clone()).collect();
    let text = json!(results).to_string();
    assert!(text.contains("paid") && text.contains("No result, the turn ended: the turn was halted: enough"), "{text}");
    assert!(error.close_calls(&messages).is_empty());
    // A sub-agent has calls of its own, whose ids may be the same.
    messages.truncate(2);
    let inner = ToolCall::new("call_1", "search", json!({}));
    let of_sub_agent = hooks.tool_call(&cx(), &inner).run_blocking(|_| "found").unwrap_err();
    assert!(!json!(of_sub_agent.close_calls(&messages)).to_string().contains("found"));
    // Nobody has masked what a failure says.
    let parse = |_: &HookContext, _: &AfterToolCallSuccess, result: &mut ToolResult| -> Result<(), String> {
        Err(format!("cannot parse {}", result.text()))
    };
    let mask = Hook::at::<AfterToolCallSuccess>("mask").writer(parse).on_failure(OnFailure::Required);
    let failed = set([mask]).tool_call(&cx(), &calls[0]).run_blocking(|_| "card 4111").unwrap_err();
    let row = Message::new(Role::User, "hello");
    let not_stored = set([]).store_blocking(&cx(), row, |_| Err::<(), _>("no postgres://app:hunter2@db")).unwrap_err();
    messages.truncate(2);
    for (error, why) in [(failed, "a required hook failed"), (not_stored, "something failed")] {
        let rows = error.close_calls(&messages);
        let text = json!(rows).to_string();
        assert!(text.contains(why) && !text.contains("4111") && !text.contains("hunter2"), "{text}");
    }
    // A call that waits stays open.
    messages.truncate(2);
    let step = set([asks()]).tool_call(&cx(), &calls[0]).ask_blocking(|_| Approval::Suspend).run_blocking(|_| "paid");
    assert!(step.unwrap_err().close_calls(&messages).is_empty());
}

/// Promise 15: what a step without a runtime cannot finish, it does not begin.
#[test]
fn a_step_without_a_runtime_does_nothing_if_a_later_hook_of_it_would_have_to_wait() {
    fn waits<K: HookKind>() -> HookSet {
        set([Hook::at::<K>("waits").async_reader(|_, _, _| Box::pin(async {}))])
    }
    let is_it = |error: &StepError| {
        let StepErrorKind::Dispatch(DispatchError::AsyncHook { hook, .. }) = error.kind() else { return false };
        hook.as_str() == "waits"
    };
    let (call, cx) = (call(), cx());
    let at_calls = [
        waits::<PermissionRequest>(),
        waits::<AfterToolCallSuccess>(),
        waits::<AfterToolCallFailure>(),
        waits::<AfterToolCall>(),
    ];
    // A permission is requested only if a gate asks.
    for hooks in &at_calls[1..] {
        let error = hooks.tool_call(&cx, &call).run_blocking(|_| -> &str { panic!("the tool ran") }).unwrap_err();
        assert!(is_it(&error), "{error}");
        assert_eq!(error.result().unwrap().text(), "Not run: a hook failed");
    }
    let question =
        ToolQuestion::new(call.clone(), call.input.clone(), hook_sdk::verdict::Question::new("sure?"), false);
    for hooks in &at_calls {
        let step = hooks.tool_call(&cx, &call).answered(&question, true);
        assert!(is_it(&step.run_blocking(|_| -> &str { panic!("the tool ran") }).unwrap_err()));
    }
    let (hooks, mut messages) = (waits::<PostModelCall>(), Messages::default());
    let step = hooks.model_call(&cx, ModelRequest::new("m"), &mut messages);
    assert!(is_it(&step.run_blocking(|_, _| -> ModelAnswer { panic!("the model was called") }).unwrap_err()));
    let hooks = waits::<AfterCreateMessage>();
    let row = Message::new(Role::User, "hello");
    assert!(is_it(&hooks.store_blocking(&cx, row, |_| -> String { panic!("the row was stored") }).unwrap_err()));
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
        let read = hooks.prompt(&cx(), "my card", &earlier).store_blocking(|row| stored.push(row.text().into_owned()));
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
    assert_eq!(prompt(&set([removes])), (Err("blocked: a hook removed the prompt".to_owned()), vec![]));
    let answers = Hook::at::<UserPromptSubmit>("r").writer(|_, _, messages: &mut Messages| {
        messages.pop();
        messages.push(Message::new(Role::Assistant, "my card"));
    });
    assert_eq!(prompt(&set([answers])).1, Vec::<String>::new());
}

#[test]
fn the_end_of_a_turn_is_judged_before_it_is_stored() {
    let cx = cx();
    let run = |hooks: &HookSet, mut continued: u32| {
        let mut stored = Vec::new();
        let step = hooks.stop(&cx, Message::new(Role::Assistant, "done"), &mut continued);
        let next = step.store_blocking(|row| stored.push(row.text().into_owned()));
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

#[test]
fn hooks_continue_a_turn_a_bounded_number_of_times_and_know_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let hooks = set([Hook::at::<Stop>("s").reader(move |_, event: &Stop, ()| {
        log.lock().unwrap().push((event.stop_hook_active, event.at_iteration_cap));
        StopVerdict::continue_with("more")
    })]);
    let (cx, mut continued) = (cx(), 0);
    let mut turn = || {
        let step = hooks.stop(&cx, Message::new(Role::Assistant, "done"), &mut continued);
        matches!(step.limit(2).store_blocking(|_| ()).unwrap(), NextStep::Continue { .. })
    };
    assert_eq!([turn(), turn(), turn()], [true, true, false]);
    assert_eq!(continued, 2);
    assert_eq!(*seen.lock().unwrap(), [(false, false), (true, false), (true, true)]);
    // A step that stores nothing continues nothing.
    let mut continued = 0;
    let step = hooks.stop(&cx, Message::new(Role::Assistant, "done"), &mut continued);
    assert!(step.store_blocking(|_| Err::<(), _>("the disk is full")).is_err());
    assert_eq!(continued, 0);
}

#[tokio::test]
async fn an_async_hook_runs_in_a_step_that_waits_and_is_an_error_in_one_that_does_not() {
    let calls = [ToolCall::new("call_1", "refund", serde_json::json!({}))];
    let masks = || {
        Hook::at::<BeforeCreateMessage>("masks").async_replacer(|_, _, row: Message| {
            Box::pin(async move {
                tokio::task::yield_now().await;
                Ok::<_, String>(row)
            })
        })
    };
    let judges =
        || Hook::at::<BeforeToolCall>("judges").async_reader(|_, _, _| Box::pin(async { Permission::deny("no") }));
    let row = || Message::new(Role::User, "hello");
    assert!(set([masks()]).store(&cx(), row(), async |_| ()).await.is_ok());
    let error = set([masks()]).store_blocking(&cx(), row(), |_| -> () { unreachable!("stored") }).unwrap_err();
    assert!(matches!(error.kind(), StepErrorKind::Dispatch(_)), "{error}");
    assert_eq!(set([judges()]).tool_call(&cx(), &calls[0]).run(async |_| "paid").await.unwrap().text(), "Denied: no");
    let (hooks, cx) = (set([masks()]), cx());
    let error = hooks.prompt(&cx, "hello", &Messages::default()).store_blocking(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), StepErrorKind::Dispatch(_)), "{error}");
    let error = hooks.stop(&cx, row(), &mut 0).store_blocking(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), StepErrorKind::Dispatch(_)), "{error}");
    let routes = Hook::at::<PreModelCall>("routes").async_reader(|_, _, _| Box::pin(tokio::task::yield_now()));
    let (called, mut messages) = (set([routes]), Messages::default());
    let step = called.model_call(&cx, ModelRequest::new("Be kind."), &mut messages);
    let error = step.run_blocking(|_, _| "hello").unwrap_err();
    assert!(matches!(error.kind(), StepErrorKind::Dispatch(_)), "{error}");
    let guarded = set([judges()]);
    let error = guarded.tool_call(&cx, &calls[0]).run_blocking(|_| "paid").unwrap_err();
    assert!(matches!(error.kind(), StepErrorKind::Dispatch(_)), "{error}");
}
