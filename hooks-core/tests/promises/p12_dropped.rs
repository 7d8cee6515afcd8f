//! Promise 12: there is exactly one record per dispatch, however the dispatch ends, as long as there is an observer.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use hook_sdk::CancellationToken;
use hook_sdk::hook::OnFailure;
use hook_sdk::record::{Record, Skip, Status};

use super::support::*;

type Heard = Arc<Mutex<Vec<Record>>>;

fn heard(registry: &Registry) -> Heard {
    let heard = Heard::default();
    let into = Arc::clone(&heard);
    registry.observe(move |record: &Record| into.lock().unwrap().push(record.clone()));
    heard
}

/// Hooks of each form that wait forever.
fn endless() -> Vec<Hook> {
    let forever = || Box::pin(std::future::pending::<()>());
    vec![
        Hook::at::<Step>("waits").async_reader(move |_, _, _| forever()),
        Hook::at::<Step>("waits").async_replacer(|_, _, trail: Trail| {
            Box::pin(async move {
                std::future::pending::<()>().await;
                trail
            })
        }),
        Hook::at::<Step>("waits").async_reader(|_, _, _| later(0, Err::<(), _>("no luck"))).fallback(
            &Hook::at::<Step>("other")
                .async_reader(|_, _, _| Box::pin(async { std::future::pending::<Result<(), &str>>().await })),
        ),
    ]
}

fn scope(hooks: impl IntoIterator<Item = Hook>) -> (HookSet, Heard) {
    let hooks: Vec<Hook> = hooks.into_iter().collect();
    let ids: Vec<String> = hooks.iter().map(|hook| hook.id().to_string()).collect();
    let registry = registry(hooks);
    let heard = heard(&registry);
    (registry.scope(&AgentDef::new("a").hooks(ids.iter().map(String::as_str)), None).unwrap(), heard)
}

#[tokio::test(start_paused = true)]
async fn a_dispatch_whose_future_is_dropped_is_recorded_as_dropped() {
    for hook in endless() {
        let never = Hook::at::<Step>("never").reader(|_, _, _| ()).only("topic", "x");
        let (set, heard) =
            scope([writes("before").priority(-1), hook, writes("behind").priority(1), never.priority(2)]);
        let (cx, event) = (cx().to_builder().turn(3).build(), step());
        let fired = tokio::time::timeout(Duration::from_millis(5), set.fire(&cx, &event, Trail::default())).await;
        assert!(fired.is_err());
        let heard = heard.lock().unwrap();
        let [record] = &heard[..] else { panic!("one record: {heard:?}") };
        assert!(record.dropped && !record.removed && record.verdict.is_none() && record.is_selected());
        assert_eq!(record.ids.turn, Some(3));
        let expected = [
            ("before", Status::Completed),
            ("waits", Status::Cancelled),
            ("behind", Status::Skipped(Skip::Aborted)),
            ("never", Status::Skipped(Skip::Filter)),
        ];
        assert_eq!(statuses(record), expected.map(|(id, status)| (id.to_owned(), status)));
        assert!(record.runs[0].changed && record.runs[1].duration.is_some() && record.runs[2].duration.is_none());
    }
}

#[test]
fn a_future_that_was_never_polled_has_no_record() {
    let (set, heard) = scope([waits("waits", 1)]);
    drop(set.fire(&cx(), &step(), Trail::default()));
    assert!(heard.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn there_is_one_record_however_a_dispatch_ends() {
    let token = CancellationToken::new();
    token.cancel();
    let cancelled = HookContext::builder().cancellation(token).build();
    let fails = |policy| Hook::at::<Step>("h").reader(|_, _, _| Err::<(), _>("no luck")).on_failure(policy);
    let cases: Vec<(Hook, &HookContext)> = vec![
        (writes("h"), &cancelled),
        (waits("h", 1), &cancelled),
        (waits("h", 9).timeout(Timeout::After(Duration::from_millis(1))), &cancelled),
        (fails(OnFailure::Continue), &cancelled),
        (fails(OnFailure::Remove), &cancelled),
        (fails(OnFailure::Required), &cancelled),
        (Hook::at::<Step>("h").replacer(|_, _, _| None::<Trail>), &cancelled),
        (Hook::at::<Step>("h").writer(|_, _, _| -> () { panic!("oh") }), &cancelled),
        (Hook::at::<Step>("h").reader(|_, _, _| Halt::new("enough")), &cancelled),
    ];
    for (row, (hook, cx)) in cases.into_iter().enumerate() {
        for cx in [cx, &HookContext::new()] {
            let (set, heard) = scope([hook.clone()]);
            let error = set.fire(cx, &step(), Trail::default()).await.is_err();
            let heard = heard.lock().unwrap();
            assert_eq!(heard.len(), 1, "row {row}, error: {error}");
            assert!(!heard[0].dropped && heard[0].runs[0].status != Status::Skipped(Skip::Aborted), "row {row}");
        }
    }
}

/// A dispatch that completes, and whose future is dropped afterwards, has one record only.
#[test]
fn dropping_a_finished_dispatch_makes_no_second_record() {
    let (set, heard) = scope([waits("waits", 0)]);
    let (cx, event) = (cx(), step());
    let mut future = Box::pin(set.fire(&cx, &event, Trail::default()));
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    drop(future);
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[test]
fn sets_made_after_an_observer_was_removed_do_not_notify_it() {
    let registry = registry([writes("a")]);
    let (first, second): (Heard, Heard) = Default::default();
    let observe = |heard: &Heard| {
        let into = Arc::clone(heard);
        registry.observe(move |record: &Record| into.lock().unwrap().push(record.clone()))
    };
    let (id, _) = (observe(&first), observe(&second));
    let agent = AgentDef::new("x").hooks(["a"]);
    let before = registry.scope(&agent, None).unwrap();
    assert!(registry.remove_observer(&id));
    assert!(!registry.remove_observer(&id), "the observer is already removed");
    let after = registry.scope(&agent, None).unwrap();
    for set in [&before, &after] {
        let _ = set.fire_blocking(&HookContext::new(), &step(), Trail::default()).unwrap();
    }
    assert_eq!((first.lock().unwrap().len(), second.lock().unwrap().len()), (1, 2));
    drop((before, after));
    assert_eq!(Arc::strong_count(&first), 1, "nothing keeps the observer alive");
}
