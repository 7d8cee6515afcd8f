//! Promise 13: a background run is a job that any process with the hook can run.

use std::time::Duration;

use hook_sdk::record::Status;
use hook_sdk::verdict::Contribution;
use hook_sdk::worker::{JobError, Worker};

use super::detached_support::*;
use super::support::*;

#[tokio::test]
async fn a_job_runs_in_another_process_with_the_event_the_subject_and_the_ids() {
    let here = registry([background("note", |_, _| -> Vec<Contribution> { panic!("not in this process") })]);
    let lines = Lines::default();
    here.set_background(lines.clone());
    let set = scope(&here, &["note"]);
    let cx = cx().to_builder().agent("support").conversation("c-1").turn(3).build();
    for _ in 0..2 {
        let fired = set.fire(&cx, &wind_down(), vec![1, 2]).await.unwrap();
        assert_eq!(fired.report.record.clone().unwrap().runs[0].status, Status::Queued);
        assert!(fired.verdict.is_empty());
    }
    let jobs = lines.jobs();
    assert_ne!(jobs[0].id, jobs[1].id, "each job has its own id");
    assert_eq!(jobs[0].idempotency_key, jobs[1].idempotency_key, "both jobs have the same event, so the same key");
    let other = set.fire(&cx, &WindDown { number: 8 }, vec![1, 2]).await;
    drop(other);
    assert_ne!(lines.jobs()[2].idempotency_key, jobs[0].idempotency_key);

    // The other process, with a registry that shares nothing with the first.
    let contributes = |number: u32, subject: &[u32]| vec![Contribution::audit(format!("{number} {subject:?}"))];
    let there = registry([background("note", contributes)]);
    let ends = Ends::of(&there);
    let end = there.run_job(&HookContext::new(), &jobs[0]).await.unwrap();
    assert_eq!(end.contributions.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["7 [1, 2]"]);
    assert_eq!((end.ended.run.status, end.ended.again), (Status::Completed, false));
    let heard = ends.all();
    assert_eq!(heard, [end.ended]);
    assert_eq!((heard[0].ids.agent.as_deref(), heard[0].ids.conversation.as_deref()), (Some("support"), Some("c-1")));
    assert_eq!((heard[0].job.as_deref(), heard[0].ids.turn), (Some(jobs[0].id.as_str()), Some(3)));
}

#[tokio::test]
async fn a_job_that_this_process_cannot_run_is_a_readable_error() {
    let here = registry([background("note", |_, _| vec![])]);
    let lines = Lines::default();
    here.set_background(lines.clone());
    let _ = scope(&here, &["note"]).fire(&cx(), &wind_down(), vec![1]).await.unwrap();
    let job = lines.jobs().remove(0);
    let inline = Hook::at::<WindDown>("note").reader(|_, _, _| ());
    let disabled = registry([background("note", |_, _| vec![])]);
    disabled.disable("note").unwrap();
    let mut broken = job.clone();
    broken.event = serde_json::json!({ "number": "seven" });
    let cases = [
        (registry([background("notes", |_, _| vec![])]), &job, "which is not registered; did you mean `notes`?"),
        (registry([inline]), &job, "at `wind_down`, where it is not a background hook"),
        (disabled, &job, "which is disabled"),
        (here.clone(), &broken, "cannot run: invalid event: invalid type: string \"seven\""),
    ];
    for (registry, job, expected) in cases {
        let error: JobError = registry.run_job(&HookContext::new(), job).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_job_that_the_worker_can_no_longer_run_is_reported_as_failed() {
    let registry = registry([background("note", |_, _| vec![]).idempotent().retries(3)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let _ = scope(&registry, &["note"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
    registry.disable("note").unwrap();
    assert_eq!(registry.drain(SOON).await.background.failed, 1);
    assert_eq!(ends.rows(), [row("note", Status::Failed, 1)]);
    assert!(ends.all()[0].run.cause.as_deref().unwrap().contains("which is disabled"));
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_plugin_does_not_run_for_a_moment_waits_for_it() {
    let registry = registry([background("note", |_, _| vec![]).plugin("search")]);
    let ends = Ends::of(&registry);
    registry.install("search").unwrap();
    Worker::new().start(&registry).unwrap();
    let set = scope(&registry, &["note"]);
    registry.uninstall("search", &cx()).await.unwrap();
    let _ = set.fire(&cx(), &wind_down(), vec![]).await.unwrap();
    while ends.all().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    registry.install("search").unwrap();
    assert_eq!(registry.drain(SOON).await.background.done, 1);
    assert_eq!(ends.rows(), [row("note", Status::Failed, 1), row("note", Status::Completed, 2)]);
}

#[test]
fn queueing_a_job_and_an_empty_drain_need_no_runtime() {
    let registry = registry([background("note", |_, _| vec![])]);
    let lines = Lines::default();
    registry.set_background(lines.clone());
    let fired = scope(&registry, &["note"]).fire_blocking(&cx(), &wind_down(), vec![]).unwrap();
    assert_eq!(fired.report.record.clone().unwrap().runs[0].status, Status::Queued);
    assert_eq!(lines.jobs().len(), 1);
    let drained = futures_executor::block_on(registry.drain(SOON));
    assert_eq!(drained, hook_sdk::detached::DrainReport::default());
}

#[tokio::test]
async fn the_notice_of_a_job_has_the_visibility_of_its_hook() {
    for visibility in [Visibility::Internal, Visibility::UserVisible] {
        let registry = registry([background("note", |_, _| vec![]).visibility(visibility)]);
        let ends = Ends::of(&registry);
        Worker::new().start(&registry).unwrap();
        let _ = scope(&registry, &["note"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
        assert_eq!(registry.drain(SOON).await.background.done, 1);
        assert_eq!(ends.all()[0].run.visibility, visibility);
    }
}
