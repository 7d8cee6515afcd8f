//! Promise 19: the jobs that an event triggers are known before it is fired, so that a store can commit them with the
//! row.

use hook_sdk::data::{Message, Role};
use hook_sdk::detached::Job;
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::record::Status;

use super::detached_support::*;
use super::support::*;

fn said(role: Role) -> AfterCreateMessage {
    AfterCreateMessage::new(Message::new(role, "hello"))
}

/// An idempotent, a plain and a filtered background hook, and an inline hook.
fn registered() -> Registry {
    let background = |id: &str| Hook::at::<AfterCreateMessage>(id).background(|_, _, ()| Box::pin(async {}));
    registry([
        background("index").idempotent().retries(2),
        background("mail"),
        background("answers").only("role", "assistant"),
        Hook::at::<AfterCreateMessage>("counts").reader(|_, _, ()| ()),
    ])
}

#[tokio::test]
async fn jobs_returns_the_jobs_that_a_dispatch_would_queue() {
    let registry = registered();
    let lines = Lines::default();
    registry.set_background(lines.clone());
    let set = scope(&registry, &["index", "mail", "answers", "counts"]);
    let cx = cx().to_builder().conversation("c-1").build();
    for role in [Role::User, Role::Assistant] {
        let before = lines.jobs().len();
        let due = set.jobs(&cx, &said(role));
        assert_eq!(lines.jobs().len(), before, "`jobs` must not queue anything");
        let _ = set.fire(&cx, &said(role), ()).await.unwrap();
        let queued = lines.jobs().split_off(before);
        let what = |jobs: &[Job]| -> Vec<_> {
            jobs.iter()
                .map(|job| (job.hook.to_string(), job.idempotency_key.clone(), job.max_attempts, job.idempotent))
                .collect()
        };
        assert_eq!(what(&due), what(&queued));
    }
    let of_person = set.jobs(&cx, &said(Role::User));
    let hooks: Vec<_> = of_person.iter().map(|job| (job.hook.as_str(), job.idempotent, job.max_attempts)).collect();
    assert_eq!(hooks, [("index", true, 3), ("mail", false, 1)]);
}

#[tokio::test]
async fn jobs_that_are_already_queued_are_recorded_and_not_queued_again() {
    let registry = registered();
    let lines = Lines::default();
    registry.set_background(lines.clone());
    let set = scope(&registry, &["index", "mail", "counts"]);
    let cx = cx().to_builder().queued_jobs(true).build();
    let fired = set.fire(&cx, &said(Role::User), ()).await.unwrap();
    let record = fired.report.record.clone().unwrap();
    let runs: Vec<_> = record.runs.iter().map(|run| (run.hook.as_str(), run.status)).collect();
    assert!(runs.contains(&("index", Status::Queued)) && runs.contains(&("mail", Status::Queued)), "{runs:?}");
    assert!(runs.contains(&("counts", Status::Completed)), "{runs:?}");
    assert!(lines.jobs().is_empty());
}
