//! Promise 13: a detached run owns its event, context and subject, and keeps nothing alive after its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::record::Status;
use hook_sdk::worker::Worker;
use tokio::sync::Semaphore;

use super::detached_support::*;
use super::support::*;

/// An event that counts its living instances.
#[derive(Debug, HookKind)]
#[hook_kind(name = "tick", subject = Counted)]
struct Tick {
    alive: Counted,
    clones: Arc<AtomicUsize>,
}

impl Tick {
    fn new(alive: &Arc<AtomicUsize>) -> Self {
        Self { alive: Counted::new(alive), clones: Arc::default() }
    }
}

impl Clone for Tick {
    fn clone(&self) -> Self {
        self.clones.fetch_add(1, Ordering::SeqCst);
        Self { alive: self.alive.clone(), clones: Arc::clone(&self.clones) }
    }
}

/// A value that counts its living instances.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(alive: &Arc<AtomicUsize>) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(alive))
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_detached_run_owns_its_event_and_subject_and_drops_them_at_its_end() {
    let alive = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(Semaphore::new(0));
    let detached = |name: &'static str| {
        let gate = Arc::clone(&gate);
        Hook::at::<Tick>(name).detached(move |_, _, _| {
            let gate = Arc::clone(&gate);
            Box::pin(async move { drop(gate.acquire().await) })
        })
    };
    let registry = registry([detached("a"), detached("b"), detached("c")]);
    let set = scope(&registry, &["a", "b", "c"]);
    let event = Tick::new(&alive);
    let clones = Arc::clone(&event.clones);
    let fired = set.fire(&HookContext::new(), &event, Counted::new(&alive)).await.unwrap();
    drop((fired, event));
    assert_eq!(clones.load(Ordering::SeqCst), 1, "the detached hooks of a dispatch share one event");
    assert_eq!(alive.load(Ordering::SeqCst), 4, "one event, three subjects");
    gate.add_permits(2);
    let drained = registry.drain(SOON).await;
    assert_eq!((drained.detached.done, drained.detached.cancelled), (3, 0));
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_detached_run_drops_its_event_and_subject() {
    let alive = Arc::new(AtomicUsize::new(0));
    let forever = Hook::at::<Tick>("forever").detached(|_, _, _| Box::pin(std::future::pending::<()>()));
    let registry = registry([forever.timeout(Timeout::None)]);
    let set = scope(&registry, &["forever"]);
    let event = Tick::new(&alive);
    let _ = set.fire(&HookContext::new(), &event, Counted::new(&alive)).await.unwrap();
    drop(event);
    assert_eq!(alive.load(Ordering::SeqCst), 2);
    assert_eq!(registry.drain(Duration::ZERO).await.detached.cancelled, 1);
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[test]
fn detached_runs_of_a_runtime_that_ends_are_reported_as_cancelled() {
    let alive = Arc::new(AtomicUsize::new(0));
    let forever = Hook::at::<Tick>("forever").detached(|_, _, _| Box::pin(std::future::pending::<()>()));
    let registry = registry([forever.timeout(Timeout::None)]);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["forever"]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let event = Tick::new(&alive);
        let _ = set.fire(&HookContext::new(), &event, Counted::new(&alive)).await.unwrap();
        tokio::task::yield_now().await;
    });
    drop(runtime);
    assert_eq!(ends.rows(), [row("forever", Status::Cancelled, 1)]);
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[test]
fn the_queue_of_a_worker_does_not_keep_its_registry_alive() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _within = runtime.enter();
    let state = Arc::new(());
    let kept = Arc::clone(&state);
    let registry = registry([background("note", move |_, _| {
        let _ = &kept;
        vec![]
    })]);
    Worker::new().start(&registry).unwrap();
    drop(registry);
    assert_eq!(Arc::strong_count(&state), 1);
}
