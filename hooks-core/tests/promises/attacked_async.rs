//! Unusual futures, wakers on other threads, runtimes that ended, and code of the app that panics while a failure is
//! handled.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hook_sdk::hook::BoxFuture;
use hook_sdk::record::Record;
use hook_sdk::verdict::Denial;

use super::support::*;

/// What happened to the futures of one kind.
#[derive(Debug, Default)]
struct Seen {
    made: AtomicUsize,
    dropped: AtomicUsize,
    polled_after_its_end: AtomicBool,
}

impl Seen {
    fn alive(&self) -> usize {
        self.made.load(Ordering::SeqCst) - self.dropped.load(Ordering::SeqCst)
    }
}

/// How a hand-written future ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Ready,
    Panics,
    Never,
}

/// A future that is pending for some polls, and detects a poll after its end.
struct Odd<T> {
    left: usize,
    end: End,
    value: Option<T>,
    panics_in_drop: bool,
    seen: Arc<Seen>,
}

impl<T: Unpin> Future for Odd<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        if self.left > 0 || self.end == End::Never {
            self.left = self.left.saturating_sub(1);
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        match self.value.take() {
            None => self.seen.polled_after_its_end.store(true, Ordering::SeqCst),
            Some(_) if self.end == End::Panics => panic!("in poll"),
            Some(value) => return Poll::Ready(value),
        }
        Poll::Pending
    }
}

impl<T> Drop for Odd<T> {
    fn drop(&mut self) {
        self.seen.dropped.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics_in_drop, "in drop");
    }
}

fn odd<'a, T: Send + Unpin + 'a>(
    seen: &Arc<Seen>,
    left: usize,
    end: End,
    panics_in_drop: bool,
    value: T,
) -> BoxFuture<'a, T> {
    seen.made.fetch_add(1, Ordering::SeqCst);
    Box::pin(Odd { left, end, value: Some(value), panics_in_drop, seen: Arc::clone(seen) })
}

fn reads(name: &'static str, seen: &Arc<Seen>, left: usize, end: End, panics_in_drop: bool) -> Hook {
    let seen = Arc::clone(seen);
    let hook = Hook::at::<Step>(name).async_reader(move |_, _, _| odd(&seen, left, end, panics_in_drop, ()));
    hook.timeout(Timeout::None)
}

fn replaces(name: &'static str, seen: &Arc<Seen>, left: usize, end: End, panics_in_drop: bool) -> Hook {
    let seen = Arc::clone(seen);
    let hook = Hook::at::<Step>(name).async_replacer(move |_, _, mut trail: Trail| {
        trail.0.push(name);
        odd(&seen, left, end, panics_in_drop, trail)
    });
    hook.timeout(Timeout::None)
}

#[test]
fn a_future_that_finished_or_panicked_is_never_polled_again_and_all_are_dropped() {
    let ends = [End::Ready, End::Panics];
    for case in 0..3 * 3 * 3 * 8 {
        let seen: Arc<Seen> = Arc::default();
        let (polls, panics) = (case % 27, case / 27);
        let left = [polls % 3, polls / 3 % 3, polls / 9];
        let end = [0, 1, 2].map(|i| ends[panics >> i & 1]);
        let set = set([
            reads("a", &seen, left[0], end[0], false),
            reads("b", &seen, left[1], end[1], false),
            replaces("c", &seen, left[2], end[2], false),
        ]);
        let fired = futures_executor::block_on(set.fire(&cx(), &step(), Trail::default())).unwrap();
        let failed: Vec<_> = fired.report.failures.iter().map(|failure| failure.hook.to_string()).collect();
        let expected: Vec<_> = ["a", "b", "c"].into_iter().zip(end).filter(|(_, end)| *end == End::Panics).collect();
        assert_eq!(failed, expected.iter().map(|(id, _)| *id).collect::<Vec<_>>(), "{left:?} {end:?}");
        assert_eq!(fired.subject.unwrap().0, Vec::from_iter((end[2] == End::Ready).then_some("c")));
        assert!(!seen.polled_after_its_end.load(Ordering::SeqCst), "{left:?} {end:?}");
        assert_eq!((seen.made.load(Ordering::SeqCst), seen.alive()), (3, 0), "{left:?} {end:?}");
    }
}

#[test]
fn a_dispatch_dropped_after_any_poll_leaves_nothing_alive_and_the_next_one_is_unaffected() {
    let seen: Arc<Seen> = Arc::default();
    let sets = [
        set([reads("a", &seen, 1, End::Ready, true), reads("b", &seen, 9, End::Ready, true)]),
        set([replaces("a", &seen, 2, End::Ready, true), reads("b", &seen, 2, End::Never, true)]),
        set([reads("a", &seen, 0, End::Ready, false), replaces("b", &seen, 2, End::Never, true)]),
    ];
    let sound = set([writes("sound")]);
    for set in &sets {
        for polls in 0..6 {
            let (cx, event) = (cx(), step());
            let mut fired = Box::pin(set.fire(&cx, &event, Trail::default()));
            for _ in 0..polls {
                assert!(fired.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
            drop(fired);
            assert_eq!(seen.alive(), 0, "after {polls} polls");
            // The depth on this thread is back at zero, so this is not a nested dispatch.
            let fired = sound.fire_blocking(&cx, &event, Trail::default()).unwrap();
            assert_eq!(fired.subject.unwrap().0, ["sound"]);
        }
    }
    assert!(!seen.polled_after_its_end.load(Ordering::SeqCst));
}

/// A future that only another thread wakes.
#[derive(Default)]
struct Post(Mutex<(bool, Option<Waker>)>);

impl Post {
    fn deliver(&self) {
        let waker = {
            let mut post = self.0.lock().unwrap();
            post.0 = true;
            post.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(&self, task: &Context<'_>) -> Poll<()> {
        let mut post = self.0.lock().unwrap();
        if post.0 {
            return Poll::Ready(());
        }
        post.1 = Some(task.waker().clone());
        Poll::Pending
    }
}

#[test]
fn readers_woken_by_other_threads_in_any_order_are_merged_in_plan_order() {
    const READERS: usize = 32;
    const ROUNDS: usize = 50;
    for round in 0..ROUNDS {
        let posts: Vec<Arc<Post>> = std::iter::repeat_with(Arc::default).take(READERS).collect();
        let hooks = posts.iter().enumerate().map(|(i, post)| {
            let post = Arc::clone(post);
            let hook = Hook::at::<Spend>(&format!("h{i:02}")).async_reader(move |_, _, _| {
                let post = Arc::clone(&post);
                Box::pin(async move {
                    std::future::poll_fn(|task| post.poll(task)).await;
                    Permission::ask(format!("{i}"))
                })
            });
            hook.timeout(Timeout::None)
        });
        let set = set(hooks);
        // Each thread wakes its own readers, in one direction or the other.
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let mut own: Vec<_> = posts.iter().skip(thread).step_by(4).cloned().collect();
                if (round + thread) % 2 == 0 {
                    own.reverse();
                }
                std::thread::spawn(move || {
                    for post in own {
                        post.deliver();
                    }
                })
            })
            .collect();
        let fired = futures_executor::block_on(set.fire(&cx(), &spend(), Trail::default())).unwrap();
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(matches!(&fired.verdict, Permission::Ask(question) if question.reason.as_str() == "0"));
        let record = fired.report.record.clone().unwrap();
        let asked = record.runs.iter().filter(|run| run.verdict == Some("ask")).count();
        assert_eq!(asked, READERS);
    }
}

#[test]
fn a_deadline_whose_runtime_ended_is_an_error() {
    for waiting in [
        Hook::at::<Step>("waits").async_reader(|_, _, _| Box::pin(std::future::pending::<()>())),
        Hook::at::<Step>("waits").async_replacer(|_, _, _| Box::pin(std::future::pending::<Trail>())),
    ] {
        let set = set([writes("a"), waiting.timeout(Timeout::After(Duration::from_secs(3_600)))]);
        let (cx, event) = (cx(), step());
        let mut fired = Box::pin(set.fire(&cx, &event, Trail::default()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            std::future::poll_fn(|task| {
                assert!(fired.as_mut().poll(task).is_pending());
                Poll::Ready(())
            })
            .await;
        });
        drop(runtime);
        let error = futures_executor::block_on(fired).unwrap_err();
        assert!(matches!(&error, DispatchError::NoRuntime { hook, .. } if hook.as_str() == "waits"), "{error}");
        assert_eq!(error.into_subject::<Step>().unwrap().0, ["a"]);
    }
}

/// A verdict of the app that panics when it has to deny for a failed hook.
#[derive(Clone, Debug)]
struct Brittle {
    no: bool,
}

impl From<()> for Brittle {
    fn from((): ()) -> Self {
        Self { no: false }
    }
}

impl Verdict for Brittle {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Gate);

    fn merge(&mut self, later: Self) {
        assert!(!later.no, "in merge");
    }

    fn from_denial(denial: Denial) -> Option<Self> {
        let hook = denial.by.expect("a denial names its hook");
        assert!(hook.as_str() != "from_denial", "in from_denial");
        (hook.as_str() != "no_denial").then_some(Self { no: true })
    }
}

#[derive(Debug, HookKind)]
#[hook_kind(name = "brittle", subject = Trail, verdict = Brittle)]
struct BrittleGate {}

#[tokio::test(start_paused = true)]
async fn a_denial_that_the_app_s_verdict_cannot_express_is_an_error_that_holds_the_subject() {
    fn fails<T>() -> Result<T, &'static str> {
        Err("no answer")
    }
    let cases = [
        ("merge", "panicked: in merge"),
        ("from_denial", "panicked: in from_denial"),
        ("no_denial", "the verdict has no denial: implement `from_denial`"),
    ];
    for (at, cause) in cases {
        let forms = [
            Hook::at::<BrittleGate>(at).reader(|_, _, _| fails::<()>()),
            Hook::at::<BrittleGate>(at).writer(|_, _, _| -> () { panic!("no answer") }),
            Hook::at::<BrittleGate>(at).replacer(|_, _, _: Trail| fails::<Trail>()),
            Hook::at::<BrittleGate>(at).async_reader(|_, _, _| later(0, fails::<()>())),
            Hook::at::<BrittleGate>(at).async_reader(|_, _, _| later(1, fails::<()>())),
            Hook::at::<BrittleGate>(at).async_replacer(|_, _, _: Trail| later(0, fails::<Trail>())),
            Hook::at::<BrittleGate>(at).async_replacer(|_, _, _: Trail| later(1, fails::<Trail>())),
            Hook::at::<BrittleGate>(at).async_replacer(|_, _, _: Trail| later(60_000, fails::<Trail>())),
        ];
        for (form, hook) in forms.into_iter().enumerate() {
            let first = Hook::at::<BrittleGate>("first").writer(|_, _, trail| trail.0.push("first"));
            let behind = Hook::at::<BrittleGate>("behind").reader(|_, _, _| -> () { panic!("it went on") });
            let set = set([first.priority(-1), hook, behind.priority(1)]);
            let error = set.fire(&cx(), &BrittleGate {}, Trail::default()).await.unwrap_err();
            let text = error.to_string();
            let words = [&format!("`{at}`"), cause, "the verdict could not deny for it"];
            assert!(words.iter().all(|word| text.contains(*word)), "{form}: {text}");
            assert_eq!(error.into_subject::<BrittleGate>().unwrap().0, ["first"], "{form}");
        }
    }
}

#[test]
fn the_record_has_no_verdict_if_the_app_s_summary_panics() {
    #[derive(Clone, Debug, Default)]
    struct Mute;
    impl From<()> for Mute {
        fn from((): ()) -> Self {
            Self
        }
    }
    impl Verdict for Mute {
        const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
        fn merge(&mut self, _: Self) {}
        fn is_silent(&self) -> bool {
            true
        }
        fn summary(&self) -> Option<&'static str> {
            panic!("no word")
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "mute", verdict = Mute)]
    struct MuteKind {}

    let heard: Arc<Mutex<Option<Record>>> = Arc::default();
    let into = Arc::clone(&heard);
    let registry = registry([Hook::at::<MuteKind>("reads").reader(|_, _, ()| Mute)]);
    registry.observe(move |record: &Record| *into.lock().unwrap() = Some(record.clone()));
    let set = registry.scope(&AgentDef::new("a").hooks(["reads"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &MuteKind {}, ()).unwrap();
    assert_eq!(fired.report.failures[0].cause, "no word");
    assert_eq!(heard.lock().unwrap().as_ref().unwrap().verdict, None);
}
