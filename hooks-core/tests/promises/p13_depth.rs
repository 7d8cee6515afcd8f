//! Promise 13: nested dispatches are bounded in depth.

use std::sync::{Arc, Mutex, OnceLock};

use hook_sdk::context::within_this;
use tokio_util::sync::CancellationToken;

use super::support::*;

/// The depth that each hook sees, in the order in which the hooks ran.
type Depths = Arc<Mutex<Vec<usize>>>;

/// A set that one of its own hooks can fire.
type Own = Arc<OnceLock<HookSet>>;

fn limit_and_chain(error: &DispatchError) -> (usize, Vec<&'static str>) {
    match error {
        DispatchError::TooDeep { limit, chain, .. } => (*limit, chain.clone()),
        other => panic!("{other}"),
    }
}

/// A set with one hook that fires the set again and returns the result as its error.
fn endless(limit: Option<usize>, depths: &Depths) -> HookSet {
    let own = Own::default();
    let (this, depths) = (Arc::clone(&own), Arc::clone(depths));
    let again = Hook::at::<Step>("again").writer(move |cx, event, trail| {
        depths.lock().unwrap().push(cx.depth());
        trail.0.push("again");
        // With a new context, because the depth does not depend on the context.
        match this.get().unwrap().fire_blocking(&HookContext::new(), event, trail.clone()) {
            Ok(_) => Ok(()),
            Err(DispatchError::Required { failure, .. }) => Err(failure.cause),
            Err(error) => Err(error.to_string()),
        }
    });
    let registry = registry([again.on_failure(OnFailure::Required)]);
    if let Some(limit) = limit {
        registry.set_depth_limit(limit);
    }
    own.get_or_init(|| registry.scope(&AgentDef::new("a").hooks(["again"]), None).unwrap()).clone()
}

#[test]
fn endless_recursion_is_a_typed_error_at_the_limit() {
    for (said, limit) in [(None, 8), (Some(0), 1), (Some(1), 1), (Some(3), 3), (Some(64), 64), (Some(1_000), 64)] {
        let depths = Depths::default();
        let set = endless(said, &depths);
        let error = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("dispatches may be nested {limit} deep")), "{error}");
        assert_eq!(*depths.lock().unwrap(), (0..limit).collect::<Vec<_>>(), "{said:?}");
        // The depth is back at zero, so the next dispatch gets as deep.
        depths.lock().unwrap().clear();
        drop(set.fire_blocking(&cx(), &step(), Trail::default()));
        assert_eq!(depths.lock().unwrap().len(), limit, "{said:?}");
    }
}

#[test]
fn the_error_names_the_chain_and_gives_the_subject_back() {
    let inner = Own::default();
    let fire = Arc::clone(&inner);
    let found = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&found);
    let outer = Hook::at::<Seen>("outer").reader(move |cx, _, ()| {
        let refused = fire.get().unwrap().fire_blocking(cx, &step(), Trail(vec!["as it was"]));
        *keep.lock().unwrap() = refused.err();
    });
    let registry = registry([outer, writes("inner")]);
    registry.set_depth_limit(1);
    let set = registry.scope(&AgentDef::new("a").hooks(["outer", "inner"]), None).unwrap();
    let set = inner.get_or_init(|| set);
    drop(set.fire_blocking(&cx(), &Seen { number: 1 }, ()).unwrap());
    let error = found.lock().unwrap().take().unwrap();
    assert_eq!(limit_and_chain(&error), (1, vec!["seen"]));
    assert_eq!(
        error.to_string(),
        "dispatches may be nested 1 deep, and `step` would exceed that; break the cycle, or raise the limit with `Registry::set_depth_limit` (active: seen)"
    );
    assert_eq!(error.into_subject::<Step>().unwrap().0, ["as it was"], "the hook `inner` did not run");
    assert!(set.fire_blocking(&cx(), &step(), Trail::default()).is_ok(), "outside a hook, `step` may be fired");
}

/// A set of async hooks. `outer` fires `step` twice concurrently, and each hook of `step` notes its depth before and
/// after waiting.
fn concurrent(depths: &Depths) -> HookSet {
    let own = Own::default();
    let (this, of_outer, of_inner) = (Arc::clone(&own), Arc::clone(depths), Arc::clone(depths));
    let outer = Hook::at::<Seen>("outer").async_reader(move |cx, _, ()| {
        let (this, depths) = (Arc::clone(&this), Arc::clone(&of_outer));
        Box::pin(async move {
            let (set, event) = (this.get().unwrap(), step());
            let fire = || set.fire(cx, &event, Trail::default());
            let (a, b) = tokio::join!(fire(), fire());
            depths.lock().unwrap().push(cx.depth());
            assert!(a.is_ok() && b.is_ok());
        })
    });
    let inner = Hook::at::<Step>("inner").async_reader(move |cx, _, _| {
        let depths = Arc::clone(&of_inner);
        Box::pin(async move {
            let before = cx.depth();
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            depths.lock().unwrap().extend([before, cx.depth()]);
        })
    });
    let registry = registry([outer, inner]);
    registry.set_depth_limit(2);
    own.get_or_init(|| registry.scope(&AgentDef::new("a").hooks(["outer", "inner"]), None).unwrap()).clone()
}

#[tokio::test(start_paused = true)]
async fn dispatches_that_alternate_on_one_thread_have_separate_depths() {
    let depths = Depths::default();
    let set = concurrent(&depths);
    let (context, event) = (cx(), Seen { number: 1 });
    let fire = || set.fire(&context, &event, ());
    let (a, b, c) = tokio::join!(fire(), fire(), fire());
    for fired in [a, b, c] {
        assert!(fired.unwrap().report.failures.is_empty());
    }
    let mut found = depths.lock().unwrap().clone();
    found.sort_unstable();
    assert_eq!(found, [[0; 3].as_slice(), &[1; 12]].concat(), "three outer hooks, six inner ones before and after");
    assert_eq!(context.depth(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_depth_is_correct_on_many_threads_and_for_tasks_that_move_between_them() {
    let depths = Depths::default();
    let set = concurrent(&depths);
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let set = set.clone();
            tokio::spawn(async move { set.fire(&cx(), &Seen { number: 1 }, ()).await.unwrap().report.failures.len() })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), 0);
    }
    assert!(depths.lock().unwrap().iter().all(|depth| *depth < 2));
}

#[tokio::test(start_paused = true)]
async fn a_panic_a_deadline_and_a_cancellation_reset_the_depth() {
    let token = CancellationToken::new();
    let cancelled = HookContext::builder().cancellation(token.clone()).build();
    let panics = Hook::at::<Step>("panics")
        .async_reader(|_, _, _| -> hook_sdk::hook::BoxFuture<'_, ()> { panic!("when it is called") });
    let sync = Hook::at::<Step>("sync").writer(|_, _, _: &mut Trail| -> () { panic!("too") });
    let slow = waits("slow", 1_000).timeout(Timeout::After(std::time::Duration::from_millis(5)));
    for hook in [panics, sync, slow] {
        let set = set([hook]);
        assert_eq!(set.fire(&cx(), &step(), Trail::default()).await.unwrap().report.failures.len(), 1);
        assert_eq!(cx().depth(), 0);
    }
    let set = set([waits("waits", 1_000)]);
    let event = step();
    let mut dropped = Box::pin(set.fire(&cancelled, &event, Trail::default()));
    assert!(futures_now(&mut dropped).await.is_none());
    drop(dropped);
    assert_eq!(cx().depth(), 0, "a dispatch that is dropped while it waits");
    token.cancel();
    assert!(set.fire(&cancelled, &event, Trail::default()).await.is_err());
    assert_eq!(cx().depth(), 0);
    let depths = Depths::default();
    drop(endless(None, &depths).fire_blocking(&cx(), &step(), Trail::default()));
    assert_eq!(depths.lock().unwrap().len(), 8, "the whole limit is available again");
}

/// The output of the future if its first poll completes it.
async fn futures_now<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|task| {
        let polled = std::pin::Pin::new(&mut *future).poll(task);
        std::task::Poll::Ready(match polled {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

/// A task that a hook spawned starts at depth zero, unless it keeps the depth with `within_this`.
#[tokio::test]
async fn a_spawned_task_may_keep_the_depth_of_its_hook() {
    let found = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&found);
    let depths = Depths::default();
    let endless = endless(Some(3), &depths);
    let spawner = Hook::at::<Seen>("spawner").reader(move |_, _, ()| {
        let fire = || {
            let set = endless.clone();
            async move { set.fire(&HookContext::new(), &step(), Trail::default()).await.unwrap_err().to_string() }
        };
        keep.lock().unwrap().extend([tokio::spawn(fire()), tokio::spawn(within_this(fire()))]);
    });
    drop(set([spawner]).fire_blocking(&cx(), &Seen { number: 1 }, ()).unwrap());
    let tasks: Vec<_> = found.lock().unwrap().drain(..).collect();
    let mut errors = Vec::new();
    for task in tasks {
        errors.push(task.await.unwrap());
    }
    assert!(errors[0].contains("(active: step > step > step)"), "{}", errors[0]);
    assert!(errors[1].contains("(active: seen > step > step)"), "{}", errors[1]);
    assert_eq!(depths.lock().unwrap().len(), 3 + 2);
}

/// Plugin and parameters in a context belong to one hook. The hooks that it fires do not inherit them.
#[test]
fn hooks_fired_with_a_hook_s_context_inherit_neither_plugin_nor_parameters() {
    #[derive(serde::Deserialize)]
    struct Limit {}

    let inner = Own::default();
    let fire = Arc::clone(&inner);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (of_outer, of_inner) = (Arc::clone(&seen), Arc::clone(&seen));
    let note = |seen: &Mutex<Vec<_>>, cx: &HookContext| {
        seen.lock().unwrap().push((cx.plugin().map(str::to_owned), cx.with::<Limit>().is_some()));
    };
    let outer = Hook::at::<Seen>("outer").reader(move |cx, _, ()| {
        note(&of_outer, cx);
        drop(fire.get().unwrap().fire_blocking(cx, &step(), Trail::default()).unwrap());
    });
    let app = Hook::at::<Step>("app").writer(move |cx, _, _| note(&of_inner, cx));
    let registry = registry([app]);
    registry.install(hook_sdk::plugin::Plugin::new("acme").hook(outer.parameters::<Limit>())).unwrap();
    let set = inner.get_or_init(|| registry.scope(&AgentDef::new("a").hooks(["app"]), None).unwrap());
    drop(set.fire_blocking(&cx(), &Seen { number: 1 }, ()).unwrap());
    assert_eq!(*seen.lock().unwrap(), [(Some("acme".to_owned()), true), (None, false)]);
}
