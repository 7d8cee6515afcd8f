//! Blocking hooks, which run on the thread pool: promises 3, 4, 5 and 15 apply to them too.

use std::sync::mpsc;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use futures_executor::block_on;
use hook_sdk::DispatchError;
use hook_sdk::record::Status;
use hook_sdk::testing;

use super::support::*;

/// A transform whose event can be cloned.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "crunch", subject = Trail)]
struct Crunch {}

/// A gate whose event can be cloned.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "weigh", subject = Trail, verdict = Permission)]
struct Weigh {}

fn writes_on_the_pool(name: &'static str) -> Hook {
    Hook::at::<Crunch>(name).blocking().writer::<_, (), _>(move |_, _, trail| trail.0.push(name))
}

fn replaces_on_the_pool(name: &'static str) -> Hook {
    Hook::at::<Crunch>(name).blocking().replacer(move |_, _, mut trail: Trail| {
        trail.0.push(name);
        trail
    })
}

fn writes_inline(name: &'static str) -> Hook {
    Hook::at::<Crunch>(name).writer::<_, (), _>(move |_, _, trail| trail.0.push(name))
}

#[tokio::test]
async fn blocking_writers_form_a_chain_like_other_writers() {
    let here = thread::current().id();
    let elsewhere = Hook::at::<Crunch>("b").blocking().writer::<_, (), _>(move |_, _, trail| {
        trail.0.push(if thread::current().id() == here { "here" } else { "elsewhere" });
    });
    let fails = Hook::at::<Crunch>("c").blocking().writer(|_, _, trail| {
        trail.0.push("never");
        Err::<(), _>("no luck")
    });
    let panics = Hook::at::<Crunch>("d").blocking().writer::<_, (), _>(|_, _, trail| {
        trail.0.push("never");
        panic!("oh")
    });
    let hooks = [
        writes_inline("a"),
        elsewhere,
        fails,
        panics,
        writes_inline("e"),
        writes_on_the_pool("f"),
        replaces_on_the_pool("g"),
    ];
    let ran = testing::run(hooks, &Crunch {}, Trail::default()).await.unwrap();
    assert_eq!(ran.subject.0, ["a", "elsewhere", "e", "f", "g"]);
    ran.expect_changed("b").expect_failed("c", "no luck").expect_status("d", Status::Panicked);
    assert_eq!(ran.of("d").cause.as_deref(), Some("oh"));
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_dropped_with_its_changes() {
    let (release, released) = mpsc::channel::<()>();
    let (done, is_done) = mpsc::channel::<()>();
    let (released, done) = (Mutex::new(released), Mutex::new(done));
    let slow = Hook::at::<Crunch>("slow").blocking().writer::<_, (), _>(move |_, _, trail| {
        trail.0.push("late");
        let _ = released.lock().unwrap().recv();
        trail.0.push("later");
        let _ = done.lock().unwrap().send(());
    });
    let slow = slow.timeout(Timeout::After(Duration::from_millis(5)));
    let ran = testing::run([slow, writes_inline("next")], &Crunch {}, Trail::default()).await.unwrap();
    ran.expect_status("slow", Status::TimedOut);
    assert_eq!(ran.of("slow").cause.as_deref(), Some("not finished within 5ms"));
    assert_eq!(ran.subject.0, ["next"]);
    release.send(()).unwrap();
    is_done.recv().unwrap(); // its thread ran to its end
    assert_eq!(ran.subject.0, ["next"]);
}

#[tokio::test]
async fn blocking_readers_of_one_stage_run_in_parallel() {
    // Each waits for the other, so they would never end if they ran one after the other.
    let both = Arc::new(Barrier::new(2));
    let reads = |name: &'static str, answer: Permission| {
        let both = Arc::clone(&both);
        Hook::at::<Weigh>(name).blocking().reader(move |_, _, _| {
            both.wait();
            answer.clone()
        })
    };
    let hooks = [reads("a", Permission::Allow), reads("b", Permission::deny("too heavy"))];
    let ran = testing::run(hooks, &Weigh {}, Trail::default()).await.unwrap();
    ran.expect_completed("a").expect_denied("too heavy");
}

#[tokio::test]
async fn a_gate_that_panics_on_another_thread_denies() {
    let panics = Hook::at::<Weigh>("panics").blocking().reader::<_, (), _>(|_, _, _| panic!("oh"));
    let ran = testing::run([panics], &Weigh {}, Trail::default()).await.unwrap();
    ran.expect_status("panics", Status::Panicked);
    assert!(ran.verdict.denial().is_some());
}

#[test]
fn fire_blocking_refuses_a_blocking_hook_and_gives_the_subject_back() {
    let set = set([writes_inline("a"), writes_on_the_pool("b")]);
    let error = set.fire_blocking(&cx(), &Crunch {}, Trail(vec!["start"])).unwrap_err();
    assert!(matches!(&error, DispatchError::AsyncHook { hook, blocking: true, .. } if hook.as_str() == "b"));
    let text = "`fire_blocking` cannot run the hook `b`, which is `blocking` and runs on another thread, at `crunch`; \
                use `fire(…).await`";
    assert_eq!(error.to_string(), text);
    assert_eq!(error.into_subject::<Crunch>().unwrap().0, ["start"]);
}

#[test]
fn without_a_runtime_a_blocking_hook_fails() {
    let set = set([writes_inline("a"), writes_on_the_pool("b"), writes_inline("c")]);
    let fired = block_on(set.fire(&cx(), &Crunch {}, Trail::default())).unwrap();
    assert_eq!(fired.subject.0, ["a", "c"]);
    let cause = &fired.report.failures[0].cause;
    assert!(cause.contains("needs a thread of a Tokio runtime, but no runtime is running here"), "{cause}");
}

#[test]
fn a_hook_whose_deadline_passes_before_a_thread_is_free_never_begins() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build().unwrap();
    let (release, released) = mpsc::channel::<()>();
    let began = Arc::new(Mutex::new(false));
    let begins = Arc::clone(&began);
    let late = Hook::at::<Crunch>("late")
        .blocking()
        .writer::<_, (), _>(move |_, _, _| *begins.lock().unwrap() = true)
        .timeout(Timeout::After(Duration::from_millis(5)));
    runtime.block_on(async {
        // Occupies the only thread.
        let taken = tokio::task::spawn_blocking(move || released.recv());
        let ran = testing::run([late], &Crunch {}, Trail::default()).await.unwrap();
        ran.expect_status("late", Status::TimedOut);
        release.send(()).unwrap();
        taken.await.unwrap().unwrap();
        tokio::task::spawn_blocking(|| ()).await.unwrap(); // everything in the queue has run
    });
    assert!(!*began.lock().unwrap());
}
