//! Numbered cases about the ends of turns: those of `hooks-core/testdata/cases.md` that no other test covers.

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer};
use hooks_agent::{Limits, Outcome, StopEffect, TurnEvent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

/// The effects of hooks at the ends of turns.
fn effects(events: &[TurnEvent]) -> Vec<StopEffect> {
    events
        .iter()
        .filter_map(|event| if let TurnEvent::Stop { effect, .. } = event { Some(*effect) } else { None })
        .collect()
}

/// Logs the event, and continues if the turn has not been continued yet.
fn once_more(bench: &Bench, follow_up: &'static str) -> Hook {
    let log = bench.log.clone();
    Hook::at::<Stop>("once_more").reader(move |_, event: &Stop, ()| {
        log.note(format!("{} active={} cap={}", event.reason, event.stop_hook_active, event.at_iteration_cap));
        if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with(follow_up) }
    })
}

fn stops(bench: &Bench) -> Vec<String> {
    bench.log.take().into_iter().filter(|noted| noted.contains("active=")).collect()
}

#[tokio::test]
async fn v47_the_end_of_a_turn_is_reported_once_even_if_its_hooks_fail() {
    let mut bench = Bench::watched([Line::text("hello")]);
    bench.app(Hook::at::<Stop>("breaks_at_stop").reader(|_, _, ()| Err::<(), _>("no")));
    bench.app(Hook::at::<TurnEnd>("breaks_at_end").reader(|_, _, ()| Err::<(), _>("no")).priority(-200));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert!(matches!(reply.outcome, Outcome::Answered(_)), "{reply:?}");
    let log = bench.log.take();
    assert_eq!(log.iter().filter(|noted| *noted == "turn_end").count(), 1, "{log:?}");
    let failed = |at: &str, hook: &str| {
        let fired = events.iter().filter(
            |event| matches!(event, TurnEvent::Fired { kind, failed, .. } if *kind == at && failed.iter().any(|id| id.as_str() == hook)),
        );
        fired.count()
    };
    assert_eq!((failed("stop", "breaks_at_stop"), failed("turn_end", "breaks_at_end")), (1, 1));
}

#[tokio::test]
async fn a40_if_a_hook_continues_once_stop_fires_twice_and_the_follow_up_is_a_message() {
    let mut bench = Bench::new([Line::text("done"), Line::text("tested")]);
    bench.app(once_more(&bench, "run the tests"));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(effects(&events), [StopEffect::Continue, StopEffect::Allow]);
    assert_eq!(reply.to_string(), "tested");
    let stored = bench.stored().await;
    assert_eq!(stored.len(), 4, "{stored:?}");
    assert!(stored[2].starts_with("user: ") && stored[2].ends_with("\nrun the tests"), "{stored:?}");
}

#[tokio::test]
async fn continuing_without_a_text_sends_a_default_text() {
    let mut bench = Bench::new([Line::text("half"), Line::text("whole")]);
    bench.app(once_more(&bench, "  "));
    bench.turn().await;
    let asked = bench.stored().await[2].clone();
    assert!(asked.ends_with("\ngo on"), "{asked}");
}

#[tokio::test]
async fn a41_contexts_are_shown_with_the_answer_unless_a_hook_suppresses_them() {
    for (keeps, shown) in [(false, "done\n<stop-hook>two tests fail</stop-hook>"), (true, "done")] {
        let mut bench = Bench::new([Line::text("done")]);
        bench.app(Hook::at::<Stop>("tell").reader(move |_, _, ()| {
            let verdict = StopVerdict::default().with_context("two tests fail");
            if keeps { verdict.suppress_output() } else { verdict }
        }));
        assert_eq!(bench.turn().await.to_string(), shown);
        assert_eq!(bench.stored().await, ["user: hi", "assistant: done"], "the answer itself stays");
    }
}

#[tokio::test]
async fn a43_the_event_says_whether_the_turn_was_already_continued() {
    let mut bench = Bench::new((0..6).map(|i| Line::text(format!("try {i}"))));
    let log = bench.log.clone();
    bench.app(Hook::at::<Stop>("twice").reader(move |_, event: &Stop, ()| {
        log.note(format!("active={}", event.stop_hook_active));
        let last = event.last_message.as_ref().map(|message| message.text().into_owned()).unwrap_or_default();
        if ["try 2", "try 5"].contains(&last.as_str()) {
            StopVerdict::default()
        } else {
            StopVerdict::continue_with("more")
        }
    }));
    let session = bench.session(bench.harness()).await;
    for _turn in 0..2 {
        session.turn(None, "hi").await;
        assert_eq!(stops(&bench), ["active=false", "active=true", "active=true"]);
    }
}

#[tokio::test]
async fn a46_a_kind_without_hooks_is_not_reported() {
    let mut bench = Bench::new([Line::text("done")]);
    bench.app(Hook::at::<TurnEnd>("elsewhere").reader(|_, _, ()| ()));
    let (_, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(effects(&events), []);
    let mut bench = Bench::new([Line::text("done")]);
    bench.app(Hook::at::<Stop>("there").reader(|_, _, ()| ()));
    let (_, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(effects(&events), [StopEffect::Allow]);
}

#[tokio::test]
async fn a46_a_kind_whose_filters_do_not_match_is_not_reported() {
    for (role, expected) in [("tool", 0), ("user", 1)] {
        let mut bench = Bench::new([Line::text("done")]);
        bench.app(Hook::at::<AfterCreateMessage>("filtered").reader(|_, _, ()| ()).only("role", role));
        let (_, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
        let fired = events.iter().filter(|event| matches!(event, TurnEvent::Fired { .. }));
        assert_eq!(fired.count(), expected, "{role}");
    }
}

#[tokio::test]
async fn a47_the_event_says_why_the_turn_ends_and_whether_it_reached_the_step_limit() {
    let another = |i: u32| Line::call("1", "lookup", json!({ "id": i.to_string() }));
    let same = || Line::call("1", "lookup", json!({ "id": "a" }));
    let cut = Line::answer(ModelAnswer::text("so it").stop_reason("max_tokens"));
    for (lines, expected) in [
        ((0..9).map(another).collect::<Vec<_>>(), "max_iterations active=false cap=true"),
        ((0..9).map(|_| same()).collect(), "doom_loop active=false cap=false"),
        (vec![Line::text("done")], "final_response active=false cap=false"),
        (vec![cut], "length_truncation active=false cap=false"),
        ((0..5).map(another).chain([Line::text("done")]).collect(), "final_response active=false cap=true"),
    ] {
        let mut bench = Bench::new(lines);
        let log = bench.log.clone();
        bench.app(Hook::at::<Stop>("note").reader(move |_, event: &Stop, ()| {
            log.note(format!("{} active={} cap={}", event.reason, event.stop_hook_active, event.at_iteration_cap));
        }));
        let mut limits = Limits::default();
        limits.iterations = 6;
        bench.session(bench.harness().limits(limits)).await.turn(None, "hi").await;
        assert_eq!(stops(&bench), [expected]);
    }
}

#[tokio::test]
async fn continuing_at_the_limit_is_reported_and_has_no_effect() {
    let mut bench = Bench::new([Line::text("done"), Line::text("never")]);
    bench.app(once_more(&bench, "more"));
    let mut limits = Limits::default();
    limits.iterations = 1;
    let (reply, events) = turn_with_events(&bench.session(bench.harness().limits(limits)).await, "hi").await;
    assert_eq!((reply.to_string().as_str(), effects(&events)), ("done", vec![StopEffect::ContinueAtMaxIter]));
}

#[tokio::test]
async fn continuations_by_hooks_count_as_steps_and_a_tool_call_resets_their_limit() {
    let another = |i: usize| Line::call("1", "lookup", json!({ "id": i.to_string() }));
    // Two continuations, a call, two more continuations, and a third one above the limit.
    let lines = [Line::text("a"), Line::text("b"), another(0), Line::text("c"), Line::text("d"), Line::text("e")];
    let mut bench = Bench::new(lines);
    bench.app(Hook::at::<Stop>("go_on").reader(|_, _, ()| StopVerdict::continue_with("more")));
    let mut limits = Limits::default();
    limits.stop_continues = 2;
    let (reply, events) = turn_with_events(&bench.session(bench.harness().limits(limits)).await, "hi").await;
    let mut expected = vec![StopEffect::Continue; 4];
    expected.push(StopEffect::ReentryCapped);
    assert_eq!(effects(&events), expected);
    // Each continuation caused another model call.
    assert_eq!((reply.to_string().as_str(), reply.iterations), ("e", 6));
}

#[tokio::test]
async fn continuing_without_tokens_is_reported_as_that_and_not_as_the_step_limit() {
    let usage = hook_sdk::data::Usage::new(90, 20);
    let mut bench = Bench::new([Line::answer(ModelAnswer::text("done").usage(usage)), Line::text("never")]);
    bench.app(once_more(&bench, "more"));
    let mut limits = Limits::default();
    limits.tokens = Some(100);
    let (reply, events) = turn_with_events(&bench.session(bench.harness().limits(limits)).await, "hi").await;
    assert_eq!((reply.to_string().as_str(), effects(&events)), ("done", vec![StopEffect::ContinueAtTokenBudget]));
    assert_eq!(stops(&bench), ["final_response active=false cap=false"]);
}

#[tokio::test]
async fn a_turn_that_ends_badly_after_its_answer_was_stored_says_both() {
    let failed = "[Failed] A required check could not be run.";
    for (streams, what) in [false, true].into_iter().flat_map(|streams| [0, 1, 2].map(|what| (streams, what))) {
        let line = Line::text("the answer");
        let mut bench = Bench::new([if streams { line.streamed() } else { line }]);
        let required = |hook: Hook| hook.on_failure(OnFailure::Required);
        let is_answer = |event: &AfterCreateMessage| event.message.text() == "the answer";
        let (hook, end) = match what {
            0 => {
                let hook = Hook::at::<AfterCreateMessage>("h");
                let hook = hook.reader(move |_, event, ()| if is_answer(event) { Err("down") } else { Ok(()) });
                (required(hook), failed)
            }
            1 => {
                let hook = Hook::at::<AfterCreateMessage>("h");
                let halts = move |event: &_| if is_answer(event) { Err(Halt::new("enough")) } else { Ok(()) };
                (hook.reader(move |_, event, ()| halts(event)), "[Hook stopped] enough")
            }
            _ => (required(Hook::at::<TurnEnd>("h").reader(|_, _, ()| Err::<(), _>("down"))), failed),
        };
        bench.app(hook);
        let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
        assert_eq!(reply.to_string(), format!("the answer\n{end}"), "{what}, streams: {streams}");
        assert_eq!(bench.stored().await[1], "assistant: the answer", "{what}");
        assert!(!events.iter().any(|event| matches!(event, TurnEvent::Retracted { .. })), "{what}: {events:?}");
    }
}
