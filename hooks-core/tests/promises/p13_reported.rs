//! Promise 13: a detached run is reported like a run that the dispatch waits for, and its filter applies.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::record::{OnEnd, Record, RunEnd, Skip, Status};
use hook_sdk::verdict::Contribution;
use hook_sdk::{CancellationToken, testing};

use super::detached_support::*;
use super::support::*;

#[tokio::test(start_paused = true)]
async fn the_end_of_the_turn_does_not_end_a_detached_run() {
    let token = CancellationToken::new();
    let sees = Hook::at::<SeenOften>("sees").detached(|cx, _, ()| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if cx.cancellation().is_some_and(CancellationToken::is_cancelled) {
                Err("it was cancelled")
            } else {
                Ok(())
            }
        })
    });
    let registry = registry([sees]);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["sees"]);
    let cx = HookContext::builder().cancellation(token.clone()).turn(3).build();
    let _ = set.fire(&cx, &SeenOften {}, ()).await.unwrap();
    token.cancel();
    registry.drain(SOON).await;
    assert_eq!(ends.rows(), [row("sees", Status::Completed, 1)]);
    assert_eq!(ends.all()[0].ids.turn, Some(3));
}

#[tokio::test]
async fn audit_notes_and_jobs_of_a_detached_hook_come_with_the_report_of_its_end() {
    let leaves = Hook::at::<WindDown>("leaves").detached(|_, event, subject| {
        let said =
            vec![Contribution::audit(format!("{} {subject:?}", event.number)), Contribution::background_job("j", 1)];
        later(0, Ok::<_, String>(said))
    });
    let ran = testing::run([leaves], &wind_down(), vec![1]).await.unwrap();
    ran.expect_completed("leaves");
    assert_eq!(ran.left.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["7 [1]"]);
    assert_eq!(ran.left.background_jobs().count(), 1);
    assert!(ran.verdict.is_empty(), "the dispatch did not wait for it");
}

#[tokio::test]
async fn the_filter_of_a_detached_hook_applies() {
    let never =
        Hook::at::<Often>("never").detached::<_, (), _>(|_, _, ()| panic!("it does not match")).only("topic", "x");
    let ran = testing::run([never], &Often { topic: "y".to_owned() }, ()).await.unwrap();
    ran.expect_skipped("never", Skip::Filter);
}

/// An event with a field to filter by.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "often", match(topic))]
struct Often {
    topic: String,
}

#[tokio::test]
async fn no_record_contains_the_event_of_a_run() {
    const SECRET: &str = "4111-1111";
    let fails = Hook::at::<Often>("fails").detached(|_, _, ()| later(0, Err::<(), _>("no luck")));
    let registry = registry([fails]);
    let shown = Arc::new(Mutex::new(String::new()));
    let into = Arc::clone(&shown);
    registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
        *into.lock().unwrap() = format!("{ended:?} {}", serde_json::to_string(ended).unwrap());
    }));
    registry.observe(|record: &Record| assert!(!format!("{record:?}").contains(SECRET)));
    let event = Often { topic: SECRET.to_owned() };
    let _ = scope(&registry, &["fails"]).fire(&HookContext::new(), &event, ()).await.unwrap();
    registry.drain(SOON).await;
    let shown = shown.lock().unwrap();
    assert!(shown.contains("no luck") && !shown.contains(SECRET), "{shown}");
}
