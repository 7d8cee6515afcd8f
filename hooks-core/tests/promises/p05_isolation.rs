//! Promise 5: whatever a hook does, nothing unwinds into the harness, and the dispatch goes on as `on_failure` says.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::hook::{BoxFuture, OnFailure, Timeout};
use hooks_core::record::FailureKind;
use hooks_core::{CancellationToken, DispatchError};

use crate::support::*;

/// Panics when it is dropped, unless something is unwinding already.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "in drop");
    }
}

/// An error that panics where a text is asked of it.
#[derive(Debug)]
struct Mute;

impl fmt::Display for Mute {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no words")
    }
}

impl std::error::Error for Mute {}

/// An error that panics when it is dropped.
#[derive(Debug)]
struct Explosive(Bomb);

impl fmt::Display for Explosive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("explosive")
    }
}

impl std::error::Error for Explosive {}

/// An error that is its own cause.
#[derive(Debug)]
struct Endless;

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("again")
    }
}

impl std::error::Error for Endless {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self)
    }
}

/// A future written by hand: it panics in the poll of this number, or in its drop.
struct Rough {
    polls: usize,
    panics_at: usize,
    ready_at: usize,
    bomb: bool,
}

impl Future for Rough {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.polls += 1;
        assert!(self.polls != self.panics_at, "in poll");
        if self.polls == self.ready_at {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Rough {
    fn drop(&mut self) {
        assert!(!self.bomb, "in drop");
    }
}

fn rough(id: &str, panics_at: usize, ready_at: usize, bomb: bool) -> Hook {
    Hook::async_reader::<Step, _, _, _>(id, move |_, _, _| Box::pin(Rough { polls: 0, panics_at, ready_at, bomb }))
}

type Fails = Result<(), Box<dyn std::error::Error + Send + Sync>>;

fn bad_error(which: usize) -> Fails {
    match which {
        0 => Err("an error".into()),
        1 => Err(Box::new(Mute)),
        2 => Err(Box::new(Explosive(Bomb))),
        3 => Err(Box::new(Endless)),
        4 => panic!("a text"),
        5 => panic!("a text with {}", "a value"),
        6 => std::panic::panic_any(7_u8),
        _ => std::panic::panic_any(Bomb),
    }
}

/// Every form in which a hook can return or panic at once, or later.
fn forms(which: usize) -> Vec<Hook> {
    vec![
        Hook::reader::<Step, _, _, _>("read", move |_, _, _| bad_error(which)),
        Hook::writer::<Step, _, _, _>("lend", move |_, _, _| bad_error(which)),
        Hook::replacer::<Step, _, _, _>("own", move |_, _, trail: Trail| bad_error(which).map(|()| trail)),
        Hook::async_reader::<Step, _, _, _>("read_now", move |_, _, _| Box::pin(async move { bad_error(which) })),
        Hook::async_reader::<Step, _, _, _>("read_later", move |_, _, _| {
            Box::pin(async move {
                later(1, ()).await;
                bad_error(which)
            })
        }),
        Hook::async_reader::<Step, _, _, _>("read_before_the_first_poll", move |_, _, _| {
            let answer = bad_error(which);
            Box::pin(async move { answer })
        }),
        Hook::async_replacer::<Step, _, _, _>("own_now", move |_, _, trail: Trail| {
            Box::pin(async move { bad_error(which).map(|()| trail) })
        }),
        Hook::async_replacer::<Step, _, _, _>("own_later", move |_, _, trail: Trail| {
            Box::pin(async move {
                later(1, ()).await;
                bad_error(which).map(|()| trail)
            })
        }),
        Hook::async_replacer::<Step, _, _, _>("own_before_the_first_poll", move |_, _, trail: Trail| {
            let answer = bad_error(which);
            Box::pin(async move { answer.map(|()| trail) })
        }),
    ]
}

#[tokio::test(start_paused = true)]
async fn errors_and_panics_of_every_form_stay_where_they_are() {
    let again = format!("again{}", ": again".repeat(100));
    let table = [
        (FailureKind::Error, "an error"),
        (FailureKind::Error, "an error whose text panicked: no words"),
        (FailureKind::Panicked, "in drop"),
        (FailureKind::Error, &again[..512]),
        (FailureKind::Panicked, "a text"),
        (FailureKind::Panicked, "a text with a value"),
        (FailureKind::Panicked, "a panic without text"),
        (FailureKind::Panicked, "a panic without text"),
    ];
    for (which, (kind, cause)) in table.into_iter().enumerate() {
        for hook in forms(which) {
            let id = hook.id().to_string();
            let set = set([writes("before"), hook, writes("behind")]);
            let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
            assert_eq!(fired.subject.unwrap().0, ["before", "behind"], "{which} {id}");
            let got: Vec<_> = fired.failures.iter().map(|f| (f.hook.as_str(), f.failure, f.cause.as_str())).collect();
            assert_eq!(got, [(id.as_str(), kind, cause)], "{which}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_poll_or_in_the_drop_of_a_future_is_the_hook_s_failure() {
    let table: [(Hook, Option<&str>); 5] = [
        (rough("fine", 0, 2, false), None),
        (rough("first_poll", 1, 0, false), Some("in poll")),
        (rough("second_poll", 2, 0, false), Some("in poll")),
        (rough("drop_when_done_at_once", 0, 1, true), Some("in drop")),
        (rough("drop_when_done_later", 0, 3, true), Some("in drop")),
    ];
    for (hook, cause) in table {
        let id = hook.id().to_string();
        let set = set([hook, writes("behind")]);
        let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
        assert_eq!(fired.subject.unwrap().0, ["behind"]);
        let got: Vec<_> = fired.failures.iter().map(|failure| failure.cause.as_str()).collect();
        assert_eq!(got, Vec::from_iter(cause), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_overrun_deadline_is_a_failure_and_a_late_answer_is_dropped() {
    let answered = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&answered);
    let slow = Hook::async_replacer::<Step, _, _, _>("slow", move |_, _, mut trail: Trail| {
        let flag = Arc::clone(&flag);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            flag.store(true, Ordering::SeqCst);
            trail.0.push("late");
            trail
        })
    });
    let set = set([slow.timeout(Timeout::After(Duration::from_millis(10))), writes("behind")]);
    let start = tokio::time::Instant::now();
    let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(start.elapsed().as_millis(), 10);
    assert_eq!(fired.subject.unwrap().0, ["behind"]);
    let failure = &fired.failures[0];
    assert_eq!((failure.failure, failure.cause.as_str()), (FailureKind::TimedOut, "not done within 10ms"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!answered.load(Ordering::SeqCst), "its future is gone");
}

#[tokio::test(start_paused = true)]
async fn an_async_hook_has_thirty_seconds_where_it_says_nothing() {
    let start = tokio::time::Instant::now();
    let fired = set([waits("slow", 60_000)]).fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!((start.elapsed().as_secs(), fired.failures.len()), (30, 1));
    let forever = waits("slow", 60_000).timeout(Timeout::None);
    let fired = set([forever]).fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!((start.elapsed().as_secs(), fired.failures.len()), (90, 0));
}

/// A hook that always has something to do eats the whole budget of its task in each poll; its deadline must come anyway.
#[tokio::test]
async fn a_busy_hook_is_stopped_at_its_deadline_too() {
    let busy = Hook::async_reader::<Step, _, _, _>("busy", |_, _, _| {
        Box::pin(async {
            let start = std::time::Instant::now();
            while start.elapsed() < Duration::from_secs(5) {
                tokio::task::consume_budget().await;
            }
        })
    });
    let set = set([busy.timeout(Timeout::After(Duration::from_millis(20))), writes("behind")]);
    let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(fired.failures.len(), 1);
    assert_eq!(fired.failures[0].failure, FailureKind::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_names_the_first_hook_that_is_still_waiting() {
    let token = CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    let fails = Hook::async_reader::<Step, _, _, _>("fails", |_, _, _| later(1, Err::<(), _>(fmt::Error)));
    let registry = registry([fails, waits("done", 10), waits("slow", 1_000), waits("done_too", 10), writes("behind")]);
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let into = Arc::clone(&seen);
    registry.observe(move |record: &hooks_core::record::Record| *into.lock().unwrap() = statuses(record));
    let agent = AgentDef::new("a").hooks(["fails", "done", "slow", "done_too", "behind"]);
    let set = registry.scope(&agent, None).unwrap();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        token.cancel();
    });
    let error = set.fire(&cx, &step(), Trail::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the turn was cancelled while `slow` at `step` was waiting");
    let shown = seen.lock().unwrap().iter().map(|(id, status)| format!("{id}: {status}")).collect::<Vec<_>>();
    assert_eq!(
        shown,
        [
            "fails: failed",
            "done: completed",
            "slow: cancelled",
            "done_too: cancelled",
            "behind: skipped: the dispatch ended with an error"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_the_dispatch_drops_the_pending_hooks_and_nothing_unwinds() {
    struct Pending(Arc<AtomicUsize>);
    impl Future for Pending {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            Poll::Pending
        }
    }
    impl Drop for Pending {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
            panic!("in drop");
        }
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let pending = |id: &str| {
        let dropped = Arc::clone(&dropped);
        Hook::async_reader::<Step, _, _, _>(id, move |_, _, _| -> BoxFuture<'_, ()> {
            Box::pin(Pending(Arc::clone(&dropped)))
        })
    };
    let explosive = Hook::async_reader::<Step, _, _, _>("explosive", |_, _, _| later(1, bad_error(2)));
    let set = set([pending("a"), explosive, pending("b")]);
    let (cx, event) = (cx(), step());
    let fired = tokio::time::timeout(Duration::from_millis(5), set.fire(&cx, &event, Trail::default())).await;
    assert!(fired.is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn an_app_s_clone_compare_and_check_may_panic_too() {
    #[derive(Debug)]
    struct Touchy(&'static str);
    impl Clone for Touchy {
        fn clone(&self) -> Self {
            assert!(self.0 != "clone", "in clone");
            Self(self.0)
        }
    }
    impl PartialEq for Touchy {
        fn eq(&self, other: &Self) -> bool {
            assert!(self.0 != "compare", "in compare");
            self.0 == other.0
        }
    }
    fn check(before: &Touchy, _: &Touchy) -> Result<(), hooks_core::Violation> {
        assert!(before.0 != "check", "in check");
        Ok(())
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "touchy", subject = Touchy, check = check)]
    struct TouchyKind {}

    let forms = || {
        [
            Hook::writer::<TouchyKind, _, _, _>("lend", |_, _, touchy| touchy.0 = "changed"),
            Hook::replacer::<TouchyKind, _, _, _>("own", |_, _, _: Touchy| Touchy("changed")),
            Hook::async_replacer::<TouchyKind, _, _, _>("now", |_, _, _: Touchy| later(0, Touchy("changed"))),
            Hook::async_replacer::<TouchyKind, _, _, _>("later", |_, _, _: Touchy| later(1, Touchy("changed"))),
        ]
    };
    for at in ["clone", "compare", "check"] {
        for hook in forms() {
            let fired = set([hook]).fire(&cx(), &TouchyKind {}, Touchy(at)).await.unwrap();
            assert_eq!(fired.subject.0, at);
            assert_eq!(fired.failures.len(), 1);
            assert_eq!(fired.failures[0].cause, format!("in {at}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_s_verdict_may_panic_too() {
    #[derive(Clone, Debug, Default)]
    struct Bid(u32);
    impl From<()> for Bid {
        fn from((): ()) -> Self {
            Self(0)
        }
    }
    impl Verdict for Bid {
        const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
        fn merge(&mut self, later: Self) {
            assert!(later.0 != 13, "no thirteen");
            self.0 = self.0.max(later.0);
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "auction", verdict = Bid)]
    struct Auction {}

    let hooks = [
        Hook::reader::<Auction, _, _, _>("bad", |_, _, ()| Bid(13)),
        Hook::async_reader::<Auction, _, _, _>("bad", |_, _, ()| later(0, Bid(13))),
        Hook::async_reader::<Auction, _, _, _>("bad", |_, _, ()| later(1, Bid(13))),
        Hook::async_replacer::<Auction, _, _, _>("bad", |_, _, ()| later(1, ((), Bid(13)))),
    ];
    for bad in hooks {
        let good = Hook::reader::<Auction, _, _, _>("good", |_, _, ()| Bid(7));
        let fired = set([bad, good]).fire(&cx(), &Auction {}, ()).await.unwrap();
        assert_eq!((fired.verdict.0, fired.failures.len()), (7, 1));
        assert_eq!(fired.failures[0].cause, "no thirteen");
    }
}

#[test]
fn an_observer_that_panics_disturbs_nobody() {
    let registry = registry([writes("a")]);
    let heard = Arc::new(AtomicUsize::new(0));
    registry.observe(|_: &hooks_core::record::Record| panic!("observer"));
    let count = Arc::clone(&heard);
    registry.observe(move |_: &hooks_core::record::Record| {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let set = registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a"]);
    assert_eq!(heard.load(Ordering::SeqCst), 1);
}

#[test]
fn the_dispatch_goes_on_as_on_failure_says() {
    let fails = || Hook::reader::<Step, _, _, _>("fails", |_, _, _| Err::<(), _>(fmt::Error));
    let fire = |hook: Hook| set([hook, writes("behind")]).fire_blocking(&cx(), &step(), Trail::default());

    for continues in [fails(), fails().on_failure(OnFailure::Continue)] {
        let fired = fire(continues).unwrap();
        assert_eq!(fired.subject.unwrap().0, ["behind"]);
        assert_eq!(fired.failures[0].on_failure, OnFailure::Continue);
    }
    let fired = fire(fails().on_failure(OnFailure::Remove)).unwrap();
    assert_eq!((fired.subject, fired.removed_by.unwrap().as_str()), (None, "fails"));

    let error = fire(fails().on_failure(OnFailure::Required)).unwrap_err();
    assert!(matches!(&error, DispatchError::Required { failure, .. } if failure.hook.as_str() == "fails"));
    assert!(error.to_string().starts_with("hook `fails` at `step` failed (error): an error occurred"), "{error}");
    assert!(error.into_subject::<Step>().unwrap().0.is_empty());
}

#[test]
fn a_policy_that_the_kind_does_not_offer_is_refused() {
    let at_step = || Hook::reader::<Step, _, _, _>("h", |_, _, _| ());
    let at_gate = || says("h", Permission::allow());
    let table = [
        (at_step().on_failure(OnFailure::Deny), "the hook `h` has `on_failure = deny`, which `step` does not offer"),
        (
            at_gate().on_failure(OnFailure::Remove),
            "the hook `h` has `on_failure = remove`, which `spend` does not offer",
        ),
    ];
    for (hook, text) in table {
        let error = Registry::empty().register(hook).unwrap_err().to_string();
        assert!(error.ends_with(text), "{error}");
    }
}
