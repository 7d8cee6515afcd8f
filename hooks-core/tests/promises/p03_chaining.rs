//! Promise 3: each writer sees what the earlier ones left.

use hook_sdk::record::{Skip, Status};

use super::support::*;

fn writes_in_form(form: usize, name: &'static str) -> Hook {
    match form {
        0 => writes(name),
        1 => Hook::at::<Step>(name).replacer(move |_, _, mut trail: Trail| {
            trail.0.push(name);
            trail
        }),
        _ => Hook::at::<Step>(name).async_replacer(move |_, _, mut trail: Trail| {
            trail.0.push(name);
            later(5, trail)
        }),
    }
}

fn removes(form: usize) -> Hook {
    match form {
        0 => Hook::at::<Step>("gone").replacer(|_, _, _: Trail| None::<Trail>),
        _ => Hook::at::<Step>("gone").async_replacer(|_, _, _: Trail| later(5, None::<Trail>)),
    }
}

#[tokio::test(start_paused = true)]
async fn each_writer_sees_what_the_earlier_ones_left_in_every_form() {
    for forms in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 2, 2], [0, 0, 0]] {
        let names = ["a", "b", "c"];
        let set = set(std::iter::zip(forms, names).map(|(form, name)| writes_in_form(form, name)));
        let fired = set.fire(&cx(), &step(), Trail(vec!["start"])).await.unwrap();
        assert_eq!(fired.subject.unwrap().0, ["start", "a", "b", "c"], "{forms:?}");
        assert!(fired.report.record.clone().unwrap().runs.iter().all(|run| run.changed));
    }
}

#[tokio::test(start_paused = true)]
async fn a_removal_ends_the_chain_and_later_hooks_are_recorded_as_skipped() {
    for form in [0, 1] {
        let set = set([writes("a"), removes(form), writes("b"), waits("c", 1)]);
        let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
        assert_eq!(fired.subject, None);
        assert_eq!(fired.report.removed_by.clone().unwrap().as_str(), "gone");
        let record = fired.report.record.clone().unwrap();
        let got: Vec<_> = record.runs.iter().map(|run| run.status).collect();
        let skipped = Status::Skipped(Skip::Removed);
        assert_eq!(got, [Status::Completed, Status::Completed, skipped, skipped]);
        assert!(record.removed);
    }
}

#[tokio::test(start_paused = true)]
async fn the_result_does_not_depend_on_which_reader_finishes_first() {
    let delays = [[0, 10, 20], [0, 20, 10], [10, 0, 20], [10, 20, 0], [20, 0, 10], [20, 10, 0], [7, 7, 7]];
    let mut results = Vec::new();
    for delay in delays {
        let hooks = std::iter::zip(["a", "b", "c"], delay).map(|(name, millis)| {
            Hook::at::<PrePromptContext>(name).async_reader(move |_, _, ()| {
                let answer = if name == "b" { Err(std::fmt::Error) } else { Ok(Contribution::audit(name)) };
                later(millis, answer)
            })
        });
        let set = set(hooks);
        let fired = set.fire(&HookContext::new(), &PrePromptContext::new("hi"), ()).await.unwrap();
        results.push((fired.verdict, fired.report.failures.clone()));
    }
    assert_eq!(results[0].0.iter().count(), 2);
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn readers_of_one_stage_run_together_and_stages_one_after_the_other() {
    let start = tokio::time::Instant::now();
    let set = set([waits("a", 10), waits("b", 10), waits("c", 10), waits("d", 10).priority(1)]);
    let _fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(start.elapsed().as_millis(), 20);
}
