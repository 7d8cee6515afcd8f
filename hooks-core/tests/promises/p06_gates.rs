//! Promise 6: deny > defer > ask > allow > no opinion, and how each affects the other hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::diagnostics::FindingKind;
use hook_sdk::hook::{OnFailure, Timeout};
use hook_sdk::record::{FailureKind, Note, Skip, Status};
use hook_sdk::verdict::{Cause, Decision, Reason};

use super::support::*;

fn lattice() -> [(Permission, &'static str); 6] {
    [
        (Permission::NoOpinion, "none"),
        (Permission::Allow, "allow"),
        (Permission::answer(ToolResult::new("from a cache")), "answer"),
        (Permission::ask("a"), "ask"),
        (Permission::defer("b"), "defer"),
        (Permission::deny("c"), "deny"),
    ]
}

fn word(permission: &Permission) -> &'static str {
    permission.summary().unwrap_or("none")
}

#[tokio::test(start_paused = true)]
async fn the_strongest_of_two_answers_wins_in_any_order_at_once_or_later() {
    let all = lattice();
    for (i, (first, _)) in all.iter().enumerate() {
        for (j, (second, _)) in all.iter().enumerate() {
            for (wait_first, wait_second) in [(0, 0), (2, 1), (1, 2), (0, 1), (1, 0)] {
                let set =
                    set([says_later("x", wait_first, first.clone()), says_later("y", wait_second, second.clone())]);
                let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
                assert_eq!(word(&fired.verdict), all[i.max(j)].1, "{first:?} {second:?}");
            }
        }
    }
}

#[test]
fn among_equal_answers_the_first_wins_and_names_its_hook() {
    for (one, two) in [
        (Permission::ask("one"), Permission::ask("two")),
        (Permission::defer("one"), Permission::defer("two")),
        (Permission::deny("one"), Permission::deny("two")),
    ] {
        let fired = set([says("x", one), says("y", two)]).fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
        let (reason, by) = match fired.verdict {
            Permission::Ask(question) | Permission::Defer(question) => (question.reason, question.by),
            Permission::Deny(denial) => (denial.reason, denial.by),
            other => panic!("{other:?}"),
        };
        assert_eq!((reason.as_str(), by.unwrap().as_str()), ("one", "x"));
    }
}

fn counts(id: &str, count: &Arc<AtomicUsize>) -> Hook {
    let count = Arc::clone(count);
    Hook::at::<Spend>(id).reader(move |_, _, _| {
        count.fetch_add(1, Ordering::SeqCst);
    })
}

#[tokio::test(start_paused = true)]
async fn deny_is_final_and_later_stages_do_not_run() {
    for wait in [0, 5] {
        let count = Arc::default();
        let no = says_later("no", wait, Permission::deny("never"));
        let set = set([no, counts("later", &count).priority(1)]);
        let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
        assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "never");
        assert_eq!(count.load(Ordering::SeqCst), 0);
        let runs = fired.report.record.clone().unwrap().runs.clone();
        assert_eq!(runs[1].status, Status::Skipped(Skip::Decided));
        assert_eq!(runs[0].verdict, Some("deny"));
    }
}

/// Four readers of one stage, of which the third denies. Whatever the timing, the first two are merged and the last is
/// not.
#[tokio::test(start_paused = true)]
async fn within_a_stage_earlier_ones_are_awaited_and_later_ones_cancelled_whatever_the_timing() {
    let mut seen = Vec::new();
    for (a, b, c, d) in
        [(0, 0, 0, 0), (9, 1, 5, 2), (1, 9, 2, 0), (5, 5, 0, 9), (0, 9, 9, 1), (3, 2, 1, 0), (0, 1, 2, 3)]
    {
        let fails = |id: &str, millis| {
            Hook::at::<Spend>(id).async_reader(move |_, _, _| later(millis, Err::<(), _>(std::fmt::Error)))
        };
        let set = set([
            fails("a", a).on_failure(OnFailure::Continue),
            says_later("b", b, Permission::ask("b")),
            says_later("c", c, Permission::deny("c")),
            fails("d", d),
        ]);
        let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
        let record = fired.report.record.clone().unwrap();
        seen.push((fired.verdict, fired.report.failures.clone(), statuses(&record)));
    }
    assert_eq!(seen[0].0.denial().unwrap().by.as_ref().unwrap().as_str(), "c");
    let kinds: Vec<Status> = seen[0].2.iter().map(|(_, status)| *status).collect();
    assert_eq!(kinds, [Status::Failed, Status::Completed, Status::Completed, Status::Cancelled]);
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:#?}");
}

/// Two readers that both end the chain: the cause is that of the first one, even if the second one finishes earlier.
#[tokio::test(start_paused = true)]
async fn the_cause_of_a_denial_does_not_depend_on_timing() {
    for (a, b) in [(0, 0), (1, 5), (5, 1), (5, 0), (0, 5)] {
        let fails = Hook::at::<Spend>("fails").async_reader(move |_, _, _| later(a, Err::<(), _>(std::fmt::Error)));
        let set = set([fails, says_later("policy", b, Permission::deny("no"))]);
        let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
        let denial = fired.verdict.denial().unwrap();
        assert_eq!(denial.by.as_ref().unwrap().as_str(), "fails", "{a} {b}");
        assert_eq!(denial.cause, Cause::CouldNotAnswer(FailureKind::Error));
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_fails_denies_and_gives_the_failure_as_the_cause() {
    let table: Vec<(Hook, FailureKind)> = vec![
        (Hook::at::<Spend>("g").reader(|_, _, _| Err::<(), _>(std::fmt::Error)), FailureKind::Error),
        (Hook::at::<Spend>("g").writer(|_, _, _| Err::<(), _>(std::fmt::Error)), FailureKind::Error),
        (Hook::at::<Spend>("g").reader::<_, (), _>(|_, _, _| panic!("oh")), FailureKind::Panicked),
        (
            says_later("g", 50, Permission::Allow).timeout(Timeout::After(Duration::from_millis(1))),
            FailureKind::TimedOut,
        ),
    ];
    for (hook, kind) in table {
        let fired = set([hook.clone()]).fire(&cx(), &spend(), Trail::default()).await.unwrap();
        let denial = fired.verdict.denial().unwrap();
        assert_eq!(denial.cause, Cause::CouldNotAnswer(kind));
        assert_eq!(denial.by.as_ref().unwrap().as_str(), "g");
        assert!(denial.reason.as_str().contains("failed (") && fired.report.failures.len() == 1);

        let goes_on = hook.on_failure(OnFailure::Continue);
        let fired = set([goes_on]).fire(&cx(), &spend(), Trail::default()).await.unwrap();
        assert_eq!(fired.verdict, Permission::NoOpinion);
    }
    let fired = set([says("g", Permission::deny("no"))]).fire(&cx(), &spend(), Trail::default()).await.unwrap();
    assert_eq!(fired.verdict.denial().unwrap().cause, Cause::Policy);
}

#[test]
fn a_reason_cannot_be_empty() {
    for blank in ["", " ", "\t\n"] {
        assert_eq!(Permission::deny(blank).denial().unwrap().reason.as_str(), "no reason given");
        assert_eq!(serde_json::from_value::<Reason>(blank.into()).unwrap().as_str(), "no reason given");
        let denied = serde_json::json!({ "permission": "deny", "reason": blank });
        let denied: Permission = serde_json::from_value(denied).unwrap();
        assert_eq!(denied.denial().unwrap().reason.as_str(), "no reason given");
    }
}

fn rewrites(id: &'static str, really: bool) -> Hook {
    Hook::at::<Spend>(id).writer(move |_, _, trail| {
        if really {
            trail.0.push(id);
        }
    })
}

/// The first answer, and whether a later hook changes the subject; the final verdict, and the notes on the two runs.
#[test]
fn an_allow_is_discarded_after_a_change_and_an_ask_freezes_the_subject() {
    let frozen = Some(Note::SubjectFrozen);
    let outdated = Some(Note::AllowOutdated);
    let table = [
        (Permission::NoOpinion, true, "none", true, [None, None]),
        (Permission::Allow, false, "allow", false, [None, None]),
        (Permission::Allow, true, "none", true, [outdated, None]),
        (Permission::ask("?"), true, "ask", false, [None, frozen]),
        (Permission::ask("?"), false, "ask", false, [None, None]),
        (Permission::defer("?"), true, "defer", false, [None, frozen]),
    ];
    for (answer, really, verdict, changed, notes) in table {
        let set = set([says("gate", answer.clone()).priority(-1), rewrites("writer", really)]);
        let fired = set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
        assert_eq!((word(&fired.verdict), !fired.subject.0.is_empty()), (verdict, changed), "{answer:?} {really}");
        let record = fired.report.record.clone().unwrap();
        let got: Vec<_> = record.runs.iter().map(|run| run.note).collect();
        assert_eq!(got, notes, "{answer:?} {really}");
        assert_eq!(record.runs[1].changed, changed);
    }
}

#[test]
fn an_allow_after_the_last_change_holds_and_so_does_that_of_the_writer() {
    let allow = || {
        Hook::at::<Spend>("own").writer(|_, _, trail| {
            trail.0.push("own");
            Permission::Allow
        })
    };
    let early = says("early", Permission::Allow).priority(-1);
    let fired = set([early.clone(), allow()]).fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
    assert_eq!(fired.verdict, Permission::Allow);
    assert_eq!(fired.report.record.clone().unwrap().runs[0].note, Some(Note::AllowOutdated));

    let fails = Hook::at::<Spend>("fails").writer(|_, _, trail| {
        trail.0.push("fails");
        Err::<(), _>(std::fmt::Error)
    });
    let set = set([early, fails.on_failure(OnFailure::Continue)]);
    let fired = set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
    assert_eq!(fired.verdict, Permission::Allow, "a failed hook has changed nothing");
}

#[test]
fn audit_warns_of_an_allow_before_a_rewrite_unless_the_order_was_asked_for() {
    let warned = |hooks: Vec<Hook>| {
        let set = set(hooks);
        let warned: Vec<String> = set
            .audit()
            .iter()
            .map(|finding| {
                assert_eq!(finding.kind(), FindingKind::AllowBeforeRewrite, "{finding}");
                let text = finding.to_string();
                let mut names = text.split('`').skip(1).step_by(2).skip(1);
                format!("{} {}", names.next().unwrap(), names.next().unwrap())
            })
            .collect();
        warned
    };
    let early = || says("early", Permission::Allow).priority(-1);
    let silent = Hook::at::<Spend>("silent").reader(|_, _, _| ()).priority(-1);
    assert_eq!(warned(vec![early(), rewrites("writer", true)]), ["early writer"]);
    assert_eq!(warned(vec![says("gate", Permission::Allow), rewrites("writer", true)]), [""; 0]);
    assert_eq!(warned(vec![early(), rewrites("writer", true).after(["early"])]), [""; 0]);
    assert_eq!(warned(vec![silent, rewrites("writer", true)]), [""; 0], "this hook cannot allow");
    let both = Hook::at::<Spend>("both").writer(|_, _, _| Permission::Allow);
    assert_eq!(warned(vec![both]), [""; 0], "its own change is made before it allows");
}

#[test]
fn the_built_in_gate_has_the_same_verdicts() {
    let call = ToolCall::new("1", "refund", serde_json::json!({ "cents": 5 }));
    let halves = Hook::at::<BeforeToolCall>("halves").writer(|_, _, input| input["cents"] = 2.into());
    let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, event, input| {
        assert_eq!(event.call.input["cents"], 5, "the event keeps the original input");
        if input["cents"] == 2 { Permission::Allow } else { Permission::deny("not halved") }
    });
    let fired = set([guard, halves]).fire_blocking(&cx(), &BeforeToolCall::new(call.clone()), call.input).unwrap();
    assert_eq!((fired.verdict, &fired.subject["cents"]), (Permission::Allow, &serde_json::json!(2)));
}

#[tokio::test(start_paused = true)]
async fn a_halt_at_a_gate_is_a_denial_and_the_first_in_the_plan_wins() {
    let halts = |id: &str, millis| {
        let reason = id.to_owned();
        Hook::at::<Spend>(id).async_reader(move |_, _, _| later(millis, Halt::new(reason.as_str())))
    };
    let set = set([halts("a", 9), halts("b", 1), says("gate", Permission::Allow)]);
    let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
    assert_eq!(fired.report.halt.clone().unwrap().reason.as_str(), "a");
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "a");
}

/// A cancelled reader is dropped. The verdict is returned as soon as the earlier readers have answered.
#[tokio::test(start_paused = true)]
async fn a_final_verdict_does_not_wait_for_later_readers_of_the_stage() {
    for (deny_at, done_at) in [(0, 7), (3, 7), (9, 9)] {
        let set = set([
            says_later("earlier", 7, Permission::Allow),
            says_later("no", deny_at, Permission::deny("never")),
            says_later("later", 9_000, Permission::Allow),
        ]);
        let start = tokio::time::Instant::now();
        let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
        assert_eq!(start.elapsed().as_millis(), done_at, "{deny_at}");
        assert_eq!(fired.report.record.clone().unwrap().runs[2].status, Status::Cancelled);
    }
}

#[test]
fn a_harness_can_match_on_each_of_the_five_answers() {
    for (permission, word) in lattice() {
        let expected = match permission.decide() {
            Decision::Run => ["none", "allow"].contains(&word),
            Decision::Answer(result) => word == "answer" && result.text() == "from a cache",
            Decision::Ask(question) => word == "ask" && !question.reason.as_str().is_empty(),
            Decision::Defer(question) => word == "defer" && !question.reason.as_str().is_empty(),
            Decision::Refuse(denial) => word == "deny" && permission.denial() == Some(denial),
        };
        assert!(expected, "{word}: {permission:?}");
    }
}

/// A reader that a final verdict drops is not polled any more, not even in the same round.
#[tokio::test]
async fn a_reader_after_a_denial_is_not_polled_again() {
    use std::sync::{Arc, Mutex};
    use std::task::Poll;

    // Rounds start with different hooks, so that one of these rounds starts with the denial.
    for rounds in 1..6 {
        let log: Arc<Mutex<Vec<&str>>> = Arc::default();
        let reader = |id: &'static str, rounds: u32, says: &'static str| {
            let log = Arc::clone(&log);
            Hook::at::<Spend>(id).async_reader(move |_, _, _| {
                let (log, mut polls) = (Arc::clone(&log), 0);
                Box::pin(std::future::poll_fn(move |task| {
                    task.waker().wake_by_ref();
                    polls += 1;
                    log.lock().unwrap().push(if polls > rounds { says } else { "polled" });
                    if polls > rounds { Poll::Ready(Permission::deny(says)) } else { Poll::Pending }
                }))
            })
        };
        let set = set([reader("denies", rounds, "denied"), reader("waits", u32::MAX, "never")]);
        let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
        assert!(fired.verdict.denial().is_some());
        assert_eq!(log.lock().unwrap().last(), Some(&"denied"), "{rounds}");
    }
}
