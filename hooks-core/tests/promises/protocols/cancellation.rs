//! A turn that is cancelled, and a tool that is run again.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_drops_the_tool_and_says_so() {
    let token = CancellationToken::new();
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

#[tokio::test]
async fn a_tool_that_was_cut_off_took_its_time() {
    let token = CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    let took = Arc::new(Mutex::new(Duration::ZERO));
    let kept = Arc::clone(&took);
    let sees = Hook::at::<AfterToolCall>("sees").reader(move |_, event, ()| *kept.lock().unwrap() = event.duration);
    let cut_off = async {
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_millis(2) {}
        token.cancel();
        std::future::pending::<&str>().await
    };
    set([sees]).tool_call(&cx, &call()).run(|_| cut_off).await.unwrap_err();
    assert!(*took.lock().unwrap() >= Duration::from_millis(2), "{took:?}");
}

#[tokio::test]
async fn a_turn_that_is_cancelled_while_a_hook_waits_did_not_fail() {
    let waits = |token: &CancellationToken| {
        let token = token.clone();
        Hook::at::<BeforeToolCall>("waits").async_reader(move |_, _, _| {
            token.cancel();
            Box::pin(std::future::pending::<Permission>())
        })
    };
    let sees = |token: &CancellationToken| {
        let token = token.clone();
        Hook::at::<AfterToolCallSuccess>("waits").async_reader(move |_, _, _| {
            token.cancel();
            Box::pin(std::future::pending::<()>())
        })
    };
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let cases = [
        (set([waits(&first)]), first, "Not run: the turn was cancelled"),
        (set([sees(&second)]), second, "The tool ran. Its result is withheld: the turn was cancelled"),
    ];
    for (hooks, token, reads) in cases {
        let cx = HookContext::builder().cancellation(token).build();
        let error = hooks.tool_call(&cx, &call()).run(async |_| "paid").await.unwrap_err();
        assert!(matches!(error.kind(), StepErrorKind::Cancelled), "{error}");
        assert_eq!(error.result().unwrap().text(), reads);
    }
}

#[tokio::test]
async fn nothing_starts_in_a_turn_that_is_cancelled() {
    let token = CancellationToken::new();
    token.cancel();
    let (cx, call) = (HookContext::builder().cancellation(token).build(), call());
    let tool = || -> &str { unreachable!("the tool runs") };
    for hooks in [set([]), retries_after(Duration::ZERO)] {
        let results = [
            hooks.tool_call(&cx, &call).run(async |_| tool()).await,
            hooks.tool_call(&cx, &call).run_up_to(2, async |_| tool()).await,
            hooks.tool_call(&cx, &call).run_blocking(|_| tool()),
        ];
        for error in results.map(Result::unwrap_err) {
            assert!(matches!(error.kind(), StepErrorKind::Cancelled), "{error}");
            assert_eq!(error.result().unwrap().text(), "Not run: the turn was cancelled");
        }
        let mut messages = Messages::default();
        let model = async |_, _| -> &str { unreachable!("the model is called") };
        let row = |_: Message| -> () { unreachable!("a row is stored") };
        let errors = [
            hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages).run(model).await.unwrap_err(),
            hooks.prompt(&cx, "hello", &Messages::default()).store_blocking(row).unwrap_err(),
            hooks.stop(&cx, Message::new(Role::Assistant, "hi"), &mut 0).store_blocking(row).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error.kind(), StepErrorKind::Cancelled), "{error}");
        }
    }
}

/// Asks for another run after `wait`.
fn retries_after(wait: Duration) -> HookSet {
    set([Hook::at::<AfterToolCallFailure>("again").reader(move |_, _, _| Retry::After(wait))])
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_before_the_tool_runs_again_ends_with_the_failure() {
    for wait in [Duration::ZERO, Duration::from_millis(1), Duration::from_secs(3_600)] {
        for blocking in [false, true] {
            let (token, hooks, call, ran) = (CancellationToken::new(), retries_after(wait), call(), AtomicU32::new(0));
            let cx = HookContext::builder().cancellation(token.clone()).build();
            let offline = || {
                token.cancel();
                ran.fetch_add(1, Ordering::Relaxed);
                Err::<&str, _>("offline")
            };
            let result = if blocking {
                hooks.tool_call(&cx, &call).run_up_to_blocking(3, |_| offline())
            } else {
                hooks.tool_call(&cx, &call).run_up_to(3, async |_| offline()).await
            };
            let error = result.unwrap_err();
            assert!(matches!(error.kind(), StepErrorKind::Cancelled), "{error}");
            assert_eq!((&*error.result().unwrap().text(), ran.into_inner()), ("offline", 1));
        }
    }
}

/// Runs a tool that fails twice, on a runtime without a timer or on none.
fn without_a_timer(wait: Duration) -> (String, u32) {
    let (hooks, cx, call, ran) = (retries_after(wait), cx(), call(), AtomicU32::new(0));
    let offline = async |_| match ran.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err("offline"),
        _ => Ok("paid"),
    };
    let step = hooks.tool_call(&cx, &call).run_up_to(3, offline);
    let result = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(step).unwrap();
    (result.text().into_owned(), ran.into_inner())
}

#[test]
fn without_a_timer_only_a_run_without_a_wait_is_repeated() {
    assert_eq!(without_a_timer(Duration::ZERO), ("paid".to_owned(), 3));
    assert_eq!(without_a_timer(Duration::from_millis(1)), ("offline".to_owned(), 1));
    let (hooks, cx, call) = (retries_after(Duration::from_millis(1)), cx(), call());
    let mut step = std::pin::pin!(hooks.tool_call(&cx, &call).run_up_to(3, async |_| Err::<&str, _>("offline")));
    let polled = step.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    assert!(matches!(polled, std::task::Poll::Ready(Ok(result)) if result.text() == "offline"));
}
