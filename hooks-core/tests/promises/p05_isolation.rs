//! Promise 5: nothing that a hook does unwinds into the harness.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hook_sdk::hook::BoxFuture;
use hook_sdk::record::FailureKind;

use super::support::*;

/// Panics when it is dropped, except during unwinding.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "in drop");
    }
}

/// An error whose `Display` panics.
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

/// A hand-written future that panics in the poll with this number, or in its drop.
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
    Hook::at::<Step>(id).async_reader(move |_, _, _| Box::pin(Rough { polls: 0, panics_at, ready_at, bomb }))
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

/// Each form in which a hook can return an error or panic, at once or later.
fn forms(which: usize) -> Vec<Hook> {
    vec![
        Hook::at::<Step>("read").reader(move |_, _, _| bad_error(which)),
        Hook::at::<Step>("lend").writer(move |_, _, _| bad_error(which)),
        Hook::at::<Step>("own").replacer(move |_, _, trail: Trail| bad_error(which).map(|()| trail)),
        Hook::at::<Step>("read_now").async_reader(move |_, _, _| Box::pin(async move { bad_error(which) })),
        Hook::at::<Step>("read_later").async_reader(move |_, _, _| {
            Box::pin(async move {
                later(1, ()).await;
                bad_error(which)
            })
        }),
        Hook::at::<Step>("read_before_the_first_poll").async_reader(move |_, _, _| {
            let answer = bad_error(which);
            Box::pin(async move { answer })
        }),
        Hook::at::<Step>("own_now")
            .async_replacer(move |_, _, trail: Trail| Box::pin(async move { bad_error(which).map(|()| trail) })),
        Hook::at::<Step>("own_later").async_replacer(move |_, _, trail: Trail| {
            Box::pin(async move {
                later(1, ()).await;
                bad_error(which).map(|()| trail)
            })
        }),
        Hook::at::<Step>("own_before_the_first_poll").async_replacer(move |_, _, trail: Trail| {
            let answer = bad_error(which);
            Box::pin(async move { answer.map(|()| trail) })
        }),
    ]
}

#[tokio::test(start_paused = true)]
async fn errors_and_panics_of_every_form_are_contained() {
    let again = format!("{}...", &format!("again{}", ": again".repeat(100))[..509]);
    let table = [
        (FailureKind::Error, "an error"),
        (FailureKind::Error, "an error whose `Display` panicked: no words"),
        (FailureKind::Panicked, "in drop"),
        (FailureKind::Error, &again),
        (FailureKind::Panicked, "a text"),
        (FailureKind::Panicked, "a text with a value"),
        (FailureKind::Panicked, "a panic without a message"),
        (FailureKind::Panicked, "a panic without a message"),
    ];
    for (which, (kind, cause)) in table.into_iter().enumerate() {
        for hook in forms(which) {
            let id = hook.id().to_string();
            let set = set([writes("before"), hook, writes("behind")]);
            let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
            assert_eq!(fired.subject.unwrap().0, ["before", "behind"], "{which} {id}");
            let got: Vec<_> =
                fired.report.failures.iter().map(|f| (f.hook.as_str(), f.failure, f.cause.as_str())).collect();
            assert_eq!(got, [(id.as_str(), kind, cause)], "{which}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_poll_or_in_the_drop_of_a_future_fails_the_hook() {
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
        let got: Vec<_> = fired.report.failures.iter().map(|failure| failure.cause.as_str()).collect();
        assert_eq!(got, Vec::from_iter(cause), "{id}");
    }
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
        Hook::at::<Step>(id)
            .async_reader(move |_, _, _| -> BoxFuture<'_, ()> { Box::pin(Pending(Arc::clone(&dropped))) })
    };
    let explosive = Hook::at::<Step>("explosive").async_reader(|_, _, _| later(1, bad_error(2)));
    let set = set([pending("a"), explosive, pending("b")]);
    let (cx, event) = (cx(), step());
    let fired = tokio::time::timeout(Duration::from_millis(5), set.fire(&cx, &event, Trail::default())).await;
    assert!(fired.is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}
