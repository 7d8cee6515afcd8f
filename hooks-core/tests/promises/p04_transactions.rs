//! Promise 4: a hook that fails, panics, times out or is cancelled leaves no trace in the subject.

use std::time::Duration;

use hook_sdk::data::{Block, ToolResultBlock};
use hook_sdk::hook::{BoxFuture, OnFailure};
use hook_sdk::record::FailureKind;
use hook_sdk::{CancellationToken, DispatchError};
use serde_json::json;

use super::support::*;

/// A subject of an app that has only `Clone`: it cannot be compared, and it is not shared.
#[derive(Clone, Debug, Default)]
struct Plain {
    lines: Vec<String>,
}

#[derive(Debug, HookKind)]
#[hook_kind(name = "plain", subject = Plain)]
struct PlainKind {}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Lend,
    Own,
    OwnAsync,
    OwnAsyncLater,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Error,
    Panic,
    Timeout,
    Cancelled,
}

const FORMS: [Form; 4] = [Form::Lend, Form::Own, Form::OwnAsync, Form::OwnAsyncLater];

fn spoil(plain: &mut Plain) {
    plain.lines.clear();
    plain.lines.push("half done".to_owned());
}

fn ends(end: End) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    match end {
        End::Panic => panic!("half way"),
        _ => Err("half way".into()),
    }
}

fn spoiler(form: Form, end: End) -> Hook {
    match form {
        Form::Lend => Hook::at::<PlainKind>("spoiler").writer(move |_, _, plain| {
            spoil(plain);
            ends(end)
        }),
        Form::Own => Hook::at::<PlainKind>("spoiler").replacer(move |_, _, mut plain: Plain| {
            spoil(&mut plain);
            ends(end).map(|()| plain)
        }),
        Form::OwnAsync | Form::OwnAsyncLater => {
            Hook::at::<PlainKind>("spoiler").async_replacer(move |_, _, mut plain: Plain| -> BoxFuture<'_, _> {
                Box::pin(async move {
                    spoil(&mut plain);
                    if form == Form::OwnAsyncLater {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                    if matches!(end, End::Timeout | End::Cancelled) {
                        std::future::pending::<()>().await;
                    }
                    ends(end).map(|()| plain)
                })
            })
        }
    }
}

fn appends(id: &str, line: &'static str) -> Hook {
    Hook::at::<PlainKind>(id).writer(move |_, _, plain| plain.lines.push(line.to_owned()))
}

#[tokio::test(start_paused = true)]
async fn the_next_hook_sees_what_the_last_success_left() {
    for form in FORMS {
        for end in [End::Error, End::Panic, End::Timeout] {
            if end == End::Timeout && matches!(form, Form::Lend | Form::Own) {
                continue;
            }
            let set = set([appends("first", "one"), spoiler(form, end), appends("last", "two")]);
            let before = Plain { lines: vec!["zero".to_owned()] };
            let fired = set.fire(&HookContext::new(), &PlainKind {}, before).await.unwrap();
            assert_eq!(fired.subject.lines, ["zero", "one", "two"], "{form:?} {end:?}");
            let kinds: Vec<_> = fired.report.failures.iter().map(|failure| failure.failure).collect();
            let expected = match end {
                End::Error => vec![FailureKind::Error],
                End::Panic => vec![FailureKind::Panicked],
                End::Timeout => vec![FailureKind::TimedOut],
                End::Cancelled => vec![],
            };
            assert_eq!(kinds, expected, "{form:?} {end:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_writer_leaves_no_trace_and_the_error_gives_the_subject_back() {
    let token = CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    let set = set([appends("first", "one"), spoiler(Form::OwnAsync, End::Cancelled), appends("last", "two")]);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        token.cancel();
    });
    let error = set.fire(&cx, &PlainKind {}, Plain::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the turn was cancelled while `spoiler` at `plain` was waiting");
    assert_eq!(error.into_subject::<PlainKind>().unwrap().lines, ["one"]);
}

fn halts() -> Result<(), Halt> {
    Err(Halt::new("enough"))
}

mod halting {
    use super::*;

    #[hook(kind = Step)]
    pub(super) fn verdict(trail: &mut Trail) -> Halt {
        trail.0.push("masked");
        Halt::new("enough")
    }

    #[hook(kind = Step)]
    pub(super) fn error(trail: &mut Trail) -> Result<(), Halt> {
        trail.0.push("masked");
        halts()
    }

    #[hook(kind = Step)]
    pub(super) fn boxed(trail: &mut Trail) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        trail.0.push("masked");
        Ok(halts()?)
    }

    #[hook(kind = Step)]
    pub(super) async fn awaited(trail: &mut Trail) -> Result<(), Halt> {
        trail.0.push("masked");
        later(1, halts()).await
    }

    #[hook(kind = Step, blocking)]
    pub(super) fn blocks(trail: &mut Trail) -> Result<(), Halt> {
        trail.0.push("masked");
        halts()
    }

    #[hook(kind = Step)]
    pub(super) fn given(mut trail: Trail) -> (Trail, Halt) {
        trail.0.push("masked");
        (trail, Halt::new("enough"))
    }
}

#[tokio::test]
async fn a_halt_keeps_the_change_as_the_verdict_and_as_the_error() {
    use halting::*;
    let registry = Registry::empty().with(hooks![verdict, error, boxed, awaited, blocks, given]).unwrap();
    for id in ["verdict", "error", "boxed", "awaited", "blocks", "given"] {
        let set = registry.scope(&AgentDef::new("a").hooks([id]), None).unwrap();
        let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
        assert_eq!(fired.subject.as_ref().unwrap().0, ["masked"], "{id}");
        let halt = fired.report.halt.as_ref().unwrap();
        assert_eq!((halt.reason.as_str(), halt.by.as_ref().unwrap().as_str()), ("enough", id));
        assert!(fired.report.failures.is_empty(), "{id}");
    }
}

/// What a mask made of the subject is lost if it does not return it.
#[tokio::test(start_paused = true)]
async fn a_halt_without_the_subject_that_the_hook_took_counts_as_its_on_failure_says() {
    let forms = || {
        [
            Hook::at::<Step>("mask").replacer(|_, _, trail: Trail| halts().map(|()| trail)),
            Hook::at::<Step>("mask").async_replacer(|_, _, trail: Trail| later(1, halts().map(|()| trail))),
        ]
    };
    let fire = async |hook: Hook, policy| {
        set([hook.on_failure(policy), writes("after")]).fire(&cx(), &step(), Trail(vec!["secret"])).await
    };
    for hook in forms() {
        let fired = fire(hook.clone(), OnFailure::Continue).await.unwrap();
        assert_eq!((fired.subject, fired.report.halt.is_some()), (Some(Trail(vec!["secret", "after"])), true));
        let fired = fire(hook.clone(), OnFailure::Remove).await.unwrap();
        assert_eq!((fired.subject, fired.report.halt.is_some()), (None, true));
        let error = fire(hook, OnFailure::Required).await.unwrap_err();
        let expected = "hook `mask` at `step` failed (error): it returned a `Halt` (enough) without the subject; return `(subject, Halt)`; the hook is required, so nothing after it ran";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_subject_in_the_error_has_no_trace_of_the_failed_required_hook() {
    for form in [Form::Lend, Form::Own] {
        for end in [End::Error, End::Panic] {
            let required = spoiler(form, end).on_failure(OnFailure::Required);
            let set = set([appends("first", "one"), required, appends("last", "two")]);
            let error = set.fire_blocking(&HookContext::new(), &PlainKind {}, Plain::default()).unwrap_err();
            assert!(matches!(error, DispatchError::Required { .. }));
            assert_eq!(error.into_subject::<PlainKind>().unwrap().lines, ["one"], "{form:?} {end:?}");
        }
    }
}

/// The call 1 with its result, and a result 9 without a call.
fn conversation() -> Messages {
    let call = Message::of(Role::Assistant, vec![Block::ToolUse(ToolCall::new("1", "look", serde_json::json!({})))]);
    let answers = |id: &str| Message::of(Role::Tool, vec![Block::ToolResult(ToolResultBlock::new(id, vec![]))]);
    Messages::from(vec![Message::new(Role::User, "hi"), call, answers("1"), answers("9")])
}

fn keeps(id: &'static str, keep: impl Fn(usize) -> bool + Send + Sync + 'static) -> Hook {
    Hook::at::<FilterMessages>(id).writer(move |_, _, messages| {
        let mut i = 0;
        messages.retain(|_| {
            i += 1;
            keep(i - 1)
        });
    })
}

#[test]
fn a_change_that_breaks_a_rule_of_the_kind_fails_the_hook() {
    type Keep = fn(usize) -> bool;
    let table: [(Keep, usize, Option<&str>); 5] = [
        (|_| true, 4, None),
        (|i| i != 1, 4, Some("the result of tool call `1` has no call before it; keep both or remove both")),
        (|i| i != 2, 4, Some("tool call `1` has no result; keep both or remove both")),
        (|i| i != 1 && i != 2, 2, None),
        // The result 9 had no call before, so a hook that keeps or removes it is not at fault.
        (|i| i != 3, 3, None),
    ];
    for (row, (keep, left, rule)) in table.into_iter().enumerate() {
        let set = set([keeps("filter", keep)]);
        let fired = set.fire_blocking(&cx(), &FilterMessages::new(), conversation()).unwrap();
        assert_eq!(fired.subject.len(), left, "row {row}");
        let got: Vec<_> = fired.report.failures.iter().map(|f| (f.failure, f.cause.as_str())).collect();
        let expected: Vec<_> = rule.iter().map(|rule| (FailureKind::Violation, *rule)).collect();
        assert_eq!(got, expected, "row {row}");
    }
}

#[test]
fn after_a_violation_the_next_hook_sees_the_previous_subject() {
    let set = set([keeps("breaks", |i| i != 1), keeps("first_only", |i| i != 0)]);
    let fired = set.fire_blocking(&cx(), &FilterMessages::new(), conversation()).unwrap();
    assert_eq!(fired.subject.len(), 3);
    assert_eq!(fired.report.failures.len(), 1);
}

/// A person who reads the row sees what ran, whatever hooks make of the text of the row.
#[test]
fn a_row_keeps_its_calls_and_the_names_of_their_tools() {
    type Edit = fn(&mut ToolCall);
    let row = Message::of(Role::Assistant, vec![Block::ToolUse(ToolCall::new("1", "find", json!({ "word": "blue" })))]);
    let edits: [(Edit, bool); 3] = [
        (|call| call.input = json!({ "word": "[masked]" }).into(), true),
        (|call| call.name = "refund".into(), false),
        (|call| call.id = "2".into(), false),
    ];
    for (edit, is_kept) in edits {
        let set = set([Hook::at::<BeforeCreateMessage>("edits").writer(move |_, _, row: &mut Message| {
            for block in &mut row.content {
                if let Block::ToolUse(call) = block {
                    edit(call);
                }
            }
        })]);
        let fired = set.fire_blocking(&cx(), &BeforeCreateMessage::new(), row.clone()).unwrap();
        assert_eq!((fired.subject != row, fired.report.failures.is_empty()), (is_kept, is_kept));
    }
}
