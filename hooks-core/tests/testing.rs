//! The `testing` module, with which authors try their hooks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::ptr_arg,
    reason = "the helpers of tests are tests too"
)]

use std::panic::catch_unwind;
use std::time::Duration;

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::record::{Skip, Status};
use hook_sdk::testing::{self, Trial, TrialOutcome};

/// Before a note is filed.
#[derive(Debug, HookKind)]
#[hook_kind(name = "file_note", subject = String, verdict = Permission, match(topic))]
struct FileNote {
    topic: String,
}

/// When the app starts.
#[derive(Debug, HookKind)]
#[hook_kind(name = "app_start", outside_turn)]
struct AppStart {}

#[hook(id = "shout", kind = FileNote, topic = "loud*", after = ["trim", "guard"])]
fn shout(note: &mut String) {
    *note = note.to_uppercase();
}

#[hook(id = "trim", kind = FileNote)]
fn trim(note: &mut String) {
    *note = note.trim().to_owned();
}

#[hook(id = "guard", kind = FileNote)]
fn guard(note: &String) -> Permission {
    if note.contains("card") { Permission::deny("holds a card number") } else { Permission::NoOpinion }
}

#[hook(id = "slow", kind = FileNote, on_failure = continue, timeout = "2s")]
async fn slow(_note: &String) {
    tokio::time::sleep(Duration::from_secs(3600)).await;
}

#[hook(id = "broken", kind = FileNote, on_failure = continue)]
fn broken(note: &mut String) -> Result<(), std::io::Error> {
    note.clear();
    Err(std::io::Error::other("the disk is full"))
}

#[hook(id = "needs_trim", kind = FileNote, requires = ["trim"])]
fn needs_trim(_note: &String) {}

#[hook(id = "on_start", kind = AppStart)]
fn on_start() {}

fn note(topic: &str) -> FileNote {
    FileNote { topic: topic.to_owned() }
}

fn text_of(fails: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *catch_unwind(fails).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_hook_can_be_tried_alone_even_if_it_names_neighbours() {
    let ran = testing::run_blocking(hooks![shout], &note("loud"), "hey".to_owned()).unwrap();
    ran.expect_changed("shout");
    assert_eq!((ran.subject.as_str(), ran.runs().len()), ("HEY", 1));
}

#[tokio::test(start_paused = true)]
async fn deadlines_pass_in_paused_time() {
    let ran = testing::run(hooks![slow, trim], &note("x"), " a ".to_owned()).await.unwrap();
    ran.expect_status("slow", Status::TimedOut).expect_failed("slow", "2s").expect_changed("trim");
    assert_eq!(ran.subject, "a");
}

#[test]
fn functions_and_values_are_tried_together_with_state() {
    let value = Hook::at::<FileNote>("sign").writer(|cx, _, note: &mut String| {
        note.push_str(cx.state::<&'static str>().unwrap());
        note.push_str(cx.agent().unwrap());
    });
    let trial = Trial::of(hooks![trim]).and([value]).context(|cx| cx.state(" by ").agent("ada"));
    let ran = trial.run_blocking(&note("x"), "a ".to_owned()).unwrap();
    assert_eq!(ran.subject, "a by ada");
}

#[test]
fn a_trial_reports_filters_failures_and_verdicts() {
    let quiet = testing::run_blocking(hooks![shout], &note("quiet"), String::new()).unwrap();
    quiet.expect_skipped("shout", Skip::Filter);

    let ran = testing::run_blocking(hooks![broken, guard], &note("x"), "card 4111".to_owned()).unwrap();
    ran.expect_failed("broken", "disk is full").expect_unchanged("guard").expect_denied("card number");
    assert_eq!(ran.subject, "card 4111", "a failure leaves no trace");
    testing::run_blocking(hooks![guard], &note("x"), String::new()).unwrap().expect_free();
}

#[test]
fn a_kind_outside_a_turn_is_tried_like_any_other() {
    testing::run_blocking(hooks![on_start], &AppStart {}, ()).unwrap().expect_completed("on_start");
}

#[test]
fn a_failed_expectation_reports_what_every_hook_did() {
    fn tried() -> TrialOutcome<FileNote> {
        testing::run_blocking(hooks![trim, broken, guard], &note("x"), " card".to_owned()).unwrap()
    }
    let runs = "\nat `file_note`:\n  trim: completed, changed the subject\n  broken: failed: the disk is full\n  guard: completed, returned `deny`";
    let table: [(fn(), &str); 7] = [
        (
            || {
                tried().expect_unchanged("trim");
            },
            "expected `trim` not to change the subject, but it did",
        ),
        (
            || {
                tried().expect_changed("guard");
            },
            "expected `guard` to change the subject, but it did not",
        ),
        (
            || {
                tried().expect_completed("broken");
            },
            "expected the status of `broken` to be: completed; it is: failed",
        ),
        (
            || {
                tried().expect_failed("trim", "");
            },
            "expected `trim` to fail; its status is: completed",
        ),
        (
            || {
                tried().expect_failed("broken", "net");
            },
            "expected `broken` to fail with a cause that contains \"net\"",
        ),
        (
            || {
                tried().expect_denied("spam");
            },
            "expected a reason that contains \"spam\"; it is \"holds a card number\"",
        ),
        (
            || {
                tried().of("trym");
            },
            "the trial of `file_note` has no hook `trym`",
        ),
    ];
    for (fails, expected) in table {
        assert_eq!(text_of(fails), format!("{expected}{runs}"));
    }
}

#[test]
fn a_denial_by_a_failed_gate_does_not_count_as_a_policy_decision() {
    let failing = || {
        let gate = Hook::at::<FileNote>("gate").reader(|_, _, _| Err::<(), _>(std::io::Error::other("down")));
        testing::run_blocking([gate], &note("x"), String::new()).unwrap()
    };
    let text = text_of(move || {
        failing().expect_denied("");
    });
    let wanted =
        "expected a hook to decide to deny; the denial is the failure of a hook, which `expect_failed` expects";
    assert!(text.starts_with(wanted), "{text}");
}

#[test]
fn a_trial_that_tests_nothing_is_an_error() {
    let errors = [
        testing::run_blocking(hooks![on_start], &note("x"), String::new()).err().unwrap().to_string(),
        testing::run_blocking(hooks![], &note("x"), String::new()).err().unwrap().to_string(),
        testing::run_blocking(hooks![needs_trim], &note("x"), String::new()).err().unwrap().to_string(),
        format!("{:?}", testing::run_blocking(hooks![slow], &note("x"), String::new()).err().unwrap()),
    ];
    let parts = [
        "runs at `app_start`, but this trial fires `file_note`; fire its kind, or remove it",
        "a trial of `file_note` without hooks tests nothing; name some: `hooks![…]`",
        "requires `trim`, but no list that applies contains it; add it to the list that contains `needs_trim`",
        "`fire_blocking` cannot run the async hook `slow`",
    ];
    for (error, part) in errors.iter().zip(parts) {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn parameters_for_a_hook_that_is_not_tried_are_an_error() {
    let shout = Hook::at::<BeforeCreateMessage>("shout").writer(|_, _, _| ());
    let trial = testing::Trial::of([shout]).with("shoot", serde_json::json!({ "limit": 1 }));
    let error = trial.run_blocking(&BeforeCreateMessage::new(), Message::default()).unwrap_err();
    assert!(error.to_string().contains("did you mean `shout`?"), "{error}");
}
