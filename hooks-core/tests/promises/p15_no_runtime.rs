//! Promise 15: no runtime is needed if all selected hooks are plain functions.

use futures_executor::block_on;
use hook_sdk::DispatchError;
use hook_sdk::hook::Timeout;
use hook_sdk::record::{Skip, Status};

use super::support::*;

/// A future that is pending once and needs no timer.
fn yields<T: Send + 'static>(value: T) -> hook_sdk::hook::BoxFuture<'static, T> {
    let mut value = Some(value);
    let mut waited = false;
    Box::pin(std::future::poll_fn(move |cx| {
        if std::mem::replace(&mut waited, true) {
            return value.take().map_or(std::task::Poll::Pending, std::task::Poll::Ready);
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    }))
}

fn reads_later(id: &str) -> Hook {
    Hook::at::<Step>(id).async_reader(|_, _, _| yields(()))
}

fn writes_later(id: &'static str) -> Hook {
    Hook::at::<Step>(id).async_replacer(move |_, _, mut trail: Trail| {
        trail.0.push(id);
        yields(trail)
    })
}

#[test]
fn plain_functions_fire_without_a_runtime_both_ways() {
    assert!(tokio::runtime::Handle::try_current().is_err());
    let set = set([writes("a"), writes("b")]);
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a", "b"]);
    let fired = block_on(set.fire(&cx(), &step(), Trail::default())).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a", "b"]);
}

#[test]
fn an_async_hook_under_fire_blocking_is_a_typed_error_before_anything_runs() {
    let set = set([writes("a"), reads_later("waits")]);
    let error = set.fire_blocking(&cx(), &step(), Trail(vec!["start"])).unwrap_err();
    assert!(matches!(&error, DispatchError::AsyncHook { hook, kind: "step", .. } if hook.as_str() == "waits"));
    assert_eq!(error.to_string(), "`fire_blocking` cannot run the async hook `waits` at `step`; use `fire(…).await`");
    assert_eq!(error.into_subject::<Step>().unwrap().0, ["start"]);
}

#[test]
fn an_async_hook_that_waits_with_a_deadline_is_a_typed_error_that_holds_the_subject() {
    for waiting in [reads_later("waits"), writes_later("waits")] {
        let set = set([writes("a"), waiting, writes("b")]);
        let error = block_on(set.fire(&cx(), &step(), Trail::default())).unwrap_err();
        assert!(matches!(&error, DispatchError::NoRuntime { hook, kind: "step", .. } if hook.as_str() == "waits"));
        let text = "the hook `waits` at `step` has a timeout and had to wait, but no Tokio runtime with a timer is running here;";
        assert!(error.to_string().starts_with(text), "{error}");
        assert_eq!(error.into_subject::<Step>().unwrap().0, ["a"]);
    }
}

#[test]
fn a_runtime_without_timers_counts_as_no_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let set = set([writes_later("waits")]);
    let error = runtime.block_on(set.fire(&cx(), &step(), Trail::default())).unwrap_err();
    assert!(matches!(error, DispatchError::NoRuntime { .. }));
}

#[test]
fn an_async_hook_without_a_deadline_works_anywhere() {
    let hooks = [reads_later("waits"), writes_later("writes")].map(|hook| hook.timeout(Timeout::None));
    let fired = block_on(set(hooks).fire(&cx(), &step(), Trail::default())).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["writes"]);
}

#[test]
fn an_async_hook_with_a_deadline_that_is_ready_at_once_works_anywhere() {
    let ready = Hook::at::<Step>("ready").async_replacer(|_, _, trail: Trail| later(0, trail));
    assert!(block_on(set([ready]).fire(&cx(), &step(), Trail::default())).is_ok());
}

#[test]
fn the_error_gives_the_subject_back_only_as_its_own_type() {
    let set = set([reads_later("waits")]);
    let error = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap_err();
    let error = error.into_subject::<BeforeCreateMessage>().unwrap_err();
    assert!(error.into_subject::<Step>().is_ok());
}

/// The hooks of the stage that could not start were cancelled; those after it were skipped.
#[test]
fn the_record_says_which_hooks_a_missing_runtime_kept_from_running() {
    let registry = registry([writes("a"), reads_later("waits"), reads_later("other"), writes("b")]);
    let records = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let into = std::sync::Arc::clone(&records);
    registry.observe(move |record: &hook_sdk::record::Record| into.lock().unwrap().push(statuses(record)));
    let agent = AgentDef::new("x").hooks(["a", "waits", "other", "b"]);
    let set = registry.scope(&agent, None).unwrap();
    block_on(set.fire(&cx(), &step(), Trail::default())).unwrap_err();
    let records = records.lock().unwrap();
    let [record] = &records[..] else { panic!("{records:?}") };
    let expected = [
        ("a", Status::Completed),
        ("waits", Status::Cancelled),
        ("other", Status::Cancelled),
        ("b", Status::Skipped(Skip::Aborted)),
    ];
    assert_eq!(*record, expected.map(|(hook, status)| (hook.to_owned(), status)));
}
