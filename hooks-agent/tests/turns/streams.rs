//! Streamed answers: what is shown was judged, and is what is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use hook_sdk::data::{Block, Role};
use hook_sdk::hook::{BoxFuture, Hold};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::{Limits, Outcome, TurnEvent};
use proptest::prelude::*;
use serde_json::json;

use super::bench::{Bench, turn_with_events};

/// Streams its pieces, then answers with all of them, or never.
#[derive(Clone)]
struct Pieces {
    said: Arc<Vec<String>>,
    /// Whether other tasks run between two pieces.
    yields: bool,
    /// How the call ends: with the answer, never, or broken.
    end: Ends,
    calls: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Answers,
    Stalls,
    /// The first call stalls, the next one answers.
    StallsOnce,
    Breaks,
    Panics,
}

impl Pieces {
    fn of(pieces: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let pieces = Arc::new(pieces.into_iter().map(Into::into).collect());
        Self { said: pieces, yields: true, end: Ends::Answers, calls: Arc::default() }
    }
}

impl Model for Pieces {
    fn call<'a>(&'a self, _: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let call = self.calls.fetch_add(1, Ordering::Relaxed);
            for piece in &*self.said {
                deltas.text(piece);
                if self.yields {
                    tokio::task::yield_now().await;
                }
            }
            if self.end == Ends::Stalls || self.end == Ends::StallsOnce && call == 0 {
                std::future::pending::<()>().await;
            }
            match self.end {
                Ends::Breaks => Err(ModelError::Broken("cut off".to_owned())),
                Ends::Panics => std::panic::resume_unwind(Box::new("of course")),
                _ => Ok(ModelAnswer::text(self.said.concat())),
            }
        })
    }
}

/// Replaces secrets by stars.
fn masks(secrets: &'static [&'static str]) -> Hook {
    Hook::at::<StreamDelta>("masks").writer(move |_, _, window: &mut String| {
        for secret in secrets {
            *window = window.replace(secret, "***");
        }
    })
}

fn texts(events: &[TurnEvent]) -> Vec<String> {
    let text = |event: &TurnEvent| if let TurnEvent::Text(text) = event { Some(text.clone()) } else { None };
    events.iter().filter_map(text).collect()
}

fn retractions(events: &[TurnEvent]) -> Vec<String> {
    let instead = |event: &TurnEvent| match event {
        TurnEvent::Retracted { instead, .. } => Some(instead.clone()),
        _ => None,
    };
    events.iter().filter_map(instead).collect()
}

async fn streamed(bench: &Bench, model: impl Model) -> (hooks_agent::Reply, Vec<TurnEvent>) {
    turn_with_events(&bench.session(bench.harness().model("main", model)).await, "hi").await
}

const SECRETS: &[&str] = &["4111 1111 1111 1111", "hunter2", "sk-proj-abcdef"];

#[test]
fn no_part_of_a_secret_is_shown_however_the_text_is_split_and_the_shown_text_is_the_reply() {
    let cases = std::env::var("HOOKS_AGENT_CHUNKS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let part = prop_oneof![
        2 => "[a-z ]{0,12}",
        1 => prop::sample::select(SECRETS).prop_map(str::to_owned),
        1 => prop::sample::select(SECRETS).prop_map(|secret| secret[..secret.len() / 2].to_owned()),
    ];
    proptest!(config, |(parts in prop::collection::vec(part, 1..8), cuts in prop::collection::vec(1..9_usize, 1..20), yields: bool)| {
        let text: Vec<char> = parts.concat().chars().collect();
        let (mut pieces, mut at) = (Vec::new(), 0);
        for cut in cuts.iter().cycle().take(text.len() + 1) {
            let end = (at + cut).min(text.len());
            pieces.push(text[at..end].iter().collect::<String>());
            at = end;
        }
        let longest = SECRETS.iter().map(|secret| secret.len()).max().unwrap();
        let mut bench = Bench::new([]);
        bench.app(masks(SECRETS).hold(longest));
        let mut model = Pieces::of(pieces.into_iter().filter(|piece| !piece.is_empty()));
        model.yields = yields;
        let (reply, events) = runtime.block_on(streamed(&bench, model));
        let shown = texts(&events).concat();
        let text: String = text.iter().collect();
        let expected = SECRETS.iter().fold(text, |text, secret| text.replace(secret, "***"));
        prop_assert_eq!(&shown, &expected);
        prop_assert_eq!(reply.to_string(), shown.clone());
        prop_assert_eq!(retractions(&events).len(), 0);
        let stored = runtime.block_on(bench.stored());
        if !shown.trim().is_empty() {
            prop_assert_eq!(&stored[1], &format!("assistant: {shown}"));
        }
    });
}

/// Streams a text, and answers with another one.
struct Unlike(&'static str, &'static str);

impl Model for Unlike {
    fn call<'a>(&'a self, _: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            for piece in self.0.split_inclusive(' ') {
                deltas.text(piece);
                tokio::task::yield_now().await;
            }
            Ok(ModelAnswer::text(self.1))
        })
    }
}

#[tokio::test]
async fn an_answer_that_is_longer_than_its_pieces_is_judged_shown_and_stored_to_its_end() {
    for (streamed_text, answer, shown, stored, retracted) in [
        ("the key is hunter2 ", "the key is hunter2 and hunter2 again", "the key is *** and *** again", None, 0),
        ("the key is hunt", "the key is hunter2, keep it", "the key is ***, keep it", None, 0),
        ("no key ", "no key here", "no key here", None, 0),
        ("hunter2", "hunter2\n\nhunter2", "***\n\n***", None, 0),
        ("hunter2 was it", "hunter2 was it", "*** was it", None, 0),
        // The answer is something else than what was streamed.
        ("hunter2 was it", "it was hunter2", "*** was it", Some("it was ***"), 1),
        ("hunter2 was it", "hunter2", "*** was it", Some("***"), 1),
        // The same letters are another text.
        ("the key is hun ter2", "the key is hunter2", "the key is hun ter2", Some("the key is ***"), 1),
        ("rm -rf / tmp", "rm -rf /tmp", "rm -rf / tmp", Some("rm -rf /tmp"), 1),
    ] {
        for hold in [0, 30] {
            let mut bench = Bench::new([]);
            bench.app(masks(SECRETS).hold(if streamed_text.ends_with("hunt") { 30 } else { hold }));
            let (reply, events) = streamed(&bench, Unlike(streamed_text, answer)).await;
            let stored = stored.unwrap_or(shown);
            assert_eq!(texts(&events).concat(), shown, "{answer}");
            assert_eq!(reply.to_string(), stored, "{answer}");
            assert_eq!(bench.stored().await[1], format!("assistant: {stored}"));
            assert_eq!(retractions(&events), vec![stored; retracted], "{answer}");
        }
    }
}

#[tokio::test]
async fn a_hook_that_denies_the_rest_of_an_answer_stops_it_there() {
    let mut bench = Bench::new([]);
    bench.app(masks(&["blue"]));
    bench.app(Hook::at::<StreamDelta>("stops").reader(|_, _, window: &String| {
        if window.contains("Ada") { Permission::deny("no names") } else { Permission::NoOpinion }
    }));
    let (reply, events) = streamed(&bench, Unlike("blue sky ", "blue sky, said Ada")).await;
    assert!(matches!(reply.outcome, Outcome::StreamStopped { .. }), "{reply:?}");
    assert_eq!(texts(&events).concat(), "*** sky ");
    assert!(!bench.stored().await.concat().contains("Ada"));
}

#[tokio::test]
async fn a_shown_answer_that_is_not_stored_is_retracted() {
    let required = |hook: Hook| hook.on_failure(OnFailure::Required);
    let no_row = Hook::at::<BeforeCreateMessage>("no_answer").reader(|_, _, row: &Message| match row.role {
        Role::Assistant => Err("the vault is closed"),
        _ => Ok(()),
    });
    let emptied = Hook::at::<PostModelCall>("empty").writer(|_, _, reply: &mut ModelReply| reply.content.clear());
    for (hook, instead) in [(required(no_row), "[Failed] A required check could not be run."), (emptied, "")] {
        let mut bench = Bench::new([]);
        bench.app(hook);
        let (reply, events) = streamed(&bench, Pieces::of(["so ", "be it"])).await;
        assert_eq!(texts(&events).concat(), "so be it");
        assert_eq!(retractions(&events), [instead], "{reply}");
        assert_eq!(bench.stored().await, ["user: hi"]);
    }
}

#[tokio::test]
async fn pieces_are_shown_at_once_without_a_hook_and_held_back_only_as_far_as_a_hook_says() {
    let words: Vec<String> = (0..50).map(|i| format!("word{i} ")).collect();
    let bench = Bench::new([]);
    let (_, events) = streamed(&bench, Pieces::of(words.clone())).await;
    assert_eq!(texts(&events), words);

    let mut bench = Bench::new([]);
    let log = bench.log.clone();
    bench.app(Hook::at::<StreamDelta>("sees").hold_and_note(log));
    let (_, events) = streamed(&bench, Pieces::of(words.clone())).await;
    assert_eq!(texts(&events).concat(), words.concat());
    let held = bench.log.take();
    assert!(held.iter().all(|window| window.len() <= 10 + "word49 ".len()), "{held:?}");
    assert_eq!(held.len(), words.len() + 1, "one for each piece, and the rest");
}

trait HoldAndNote {
    fn hold_and_note(self, log: super::bench::Log) -> Hook;
}

impl HoldAndNote for hook_sdk::hook::HookAt<StreamDelta> {
    fn hold_and_note(self, log: super::bench::Log) -> Hook {
        self.reader(move |_, event: &StreamDelta, window: &String| {
            assert!(window.chars().count() >= event.fresh);
            log.note(window.as_str());
        })
        .hold(10)
    }
}

#[tokio::test]
async fn a_hook_that_denies_fails_asks_or_defers_stops_a_stream() {
    type Says = fn() -> Result<Permission, &'static str>;
    let says: [Says; 4] = [
        || Ok(Permission::deny("no names")),
        || Err("it broke"),
        || Ok(Permission::ask("may it?")),
        || Ok(Permission::defer("later")),
    ];
    for says in says {
        let mut bench = Bench::new([]);
        bench.app(
            Hook::at::<StreamDelta>("stops")
                .reader(
                    move |_, _, window: &String| {
                        if window.contains("Ada") { says() } else { Ok(Permission::NoOpinion) }
                    },
                )
                .hold(3),
        );
        let (reply, events) = streamed(&bench, Pieces::of(["It was ", "Ad", "a, of ", "course"])).await;
        let Outcome::StreamStopped { reason, by, .. } = &reply.outcome else { panic!("{reply:?}") };
        assert_eq!(by.as_ref().map(hook_sdk::HookId::as_str), Some("stops"));
        assert_eq!(texts(&events).concat(), "It was");
        assert_eq!(reply.to_string(), format!("It was\n[Blocked by hook] {reason}"));
        assert_eq!(bench.stored().await[1], format!("assistant: {reply}"));
        assert!(events.iter().any(|event| matches!(event, TurnEvent::Blocked { kind: "stream_delta", .. })));
        assert_eq!(reply.exit, ExitReason::AnswerBlocked);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stalled_stream_is_retried_if_nothing_was_shown() {
    let mut limits = Limits::default();
    limits.idle = Duration::from_secs(20);
    let mut model = Pieces::of(["Well, ", "you see"]);
    model.end = Ends::Stalls;
    let bench = Bench::new([]);
    let session = bench.session(bench.harness().model("main", model.clone()).limits(limits.clone())).await;
    let before = tokio::time::Instant::now();
    let reply = session.turn(None, "hi").await;
    assert_eq!((reply.to_string().as_str(), before.elapsed().as_secs()), ("[Failed] The model did not answer.", 20));
    assert_eq!(bench.stored().await, ["user: hi", "assistant: Well, you see [the answer broke off]"]);

    let (mut bench, calls) = (Bench::new([]), Arc::new(AtomicUsize::new(0)));
    bench.app(Hook::at::<StreamDelta>("sees").reader(|_, _, _| Permission::NoOpinion).hold(100));
    (model.end, model.calls) = (Ends::StallsOnce, Arc::clone(&calls));
    let session = bench.session(bench.harness().model("main", model).limits(limits)).await;
    let (reply, events) = turn_with_events(&session, "hi").await;
    assert_eq!((reply.to_string().as_str(), calls.load(Ordering::Relaxed)), ("Well, you see", 2));
    assert_eq!(texts(&events).concat(), "Well, you see");
}

#[tokio::test]
async fn the_shown_part_of_a_cancelled_answer_is_stored() {
    let mut model = Pieces::of(["Well, ", "you see"]);
    model.end = Ends::Stalls;
    let bench = Bench::new([]);
    let session = bench.session(bench.harness().model("main", model)).await;
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if event == TurnEvent::Text("you see".to_owned()) {
            turn.cancel();
        }
    }
    assert!(matches!(turn.await.outcome, Outcome::Cancelled));
    assert_eq!(bench.stored().await, ["user: hi", "assistant: Well, you see [the answer broke off]"]);
}

#[tokio::test]
async fn an_answer_that_a_hook_at_stop_blocks_is_not_shown_or_is_retracted() {
    for (line, shown, retracted) in
        [(Line::text("the secret is 42"), "", 0), (Line::text("the secret is 42").streamed(), "the secret is 42", 1)]
    {
        let mut bench = Bench::new([line]);
        bench.app(Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no secrets")));
        let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
        assert_eq!(reply.to_string(), "[Blocked by Stop hook] no secrets");
        assert_eq!(texts(&events).concat(), shown);
        assert_eq!(retractions(&events), vec![reply.to_string(); retracted]);
    }
}

#[tokio::test]
async fn a_row_that_differs_from_the_shown_text_is_reported() {
    let mut bench = Bench::new([Line::text("the secret is 42").streamed()]);
    bench.app(Hook::at::<BeforeCreateMessage>("masks").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| Some(text.replace("42", "**")));
    }));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(reply.to_string(), "the secret is **");
    assert_eq!(retractions(&events), ["the secret is **"]);
}

/// Masks the rows of answers.
fn masks_rows() -> Hook {
    Hook::at::<BeforeCreateMessage>("rows").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| Some(text.replace("hunter2", "***")));
    })
}

fn required<K: HookKind>(id: &str) -> Hook {
    Hook::at::<K>(id).reader(|_, _, _| Err::<(), _>("it broke")).on_failure(OnFailure::Required)
}

#[tokio::test(start_paused = true)]
async fn a_masked_row_replaces_what_was_shown_however_the_stream_ends() {
    let at_so = |says: fn() -> Result<Permission, Halt>| {
        Hook::at::<StreamDelta>("stops")
            .reader(move |_, _, window: &String| if window.contains("so") { says() } else { Ok(Permission::NoOpinion) })
    };
    let cases = [
        (Ends::Breaks, None, " [the answer broke off]"),
        (Ends::Panics, None, " [the answer broke off]"),
        (Ends::Stalls, None, " [the answer broke off]"),
        (Ends::Answers, Some(at_so(|| Ok(Permission::deny("no")))), "\n[Blocked by hook] no"),
        (Ends::Answers, Some(at_so(|| Err(Halt::new("enough")))), "\n[Hook stopped] enough"),
        (Ends::Answers, Some(required::<PostModelCall>("fails")), "so"),
    ];
    for (at, (end, hook, note)) in cases.into_iter().enumerate() {
        for (cancels, late) in [(false, false), (true, false), (false, true)] {
            if (cancels || late) && end != Ends::Stalls {
                continue;
            }
            let mut bench = Bench::new([]);
            bench.app(masks_rows());
            hook.clone().into_iter().for_each(|hook| bench.app(hook));
            let mut limits = Limits::default();
            limits.turn = late.then_some(Duration::from_secs(1));
            let mut model = Pieces::of(["it is hunter2, ", "so"]);
            model.end = end;
            let session = bench.session(bench.harness().model("main", model).limits(limits)).await;
            let mut turn = session.turn(None, "hi");
            let mut events = Vec::new();
            while let Some(event) = turn.next().await {
                if cancels && matches!(event, TurnEvent::Text(_)) {
                    turn.cancel();
                }
                events.push(event);
            }
            let reply = turn.await;
            let stored = bench.stored().await[1].clone();
            assert!(texts(&events).concat().contains("hunter2"), "{at}");
            assert!(stored.starts_with("assistant: it is ***, ") && stored.ends_with(note), "{at}: {stored}");
            assert_eq!(retractions(&events), [stored.trim_start_matches("assistant: ")], "{at}: {reply}");
        }
    }
}

#[tokio::test]
async fn what_is_stored_stays_shown_if_a_hook_fails_after_that() {
    let mut bench = Bench::new([]);
    let audit = Hook::at::<AfterCreateMessage>("audit").reader(|_, event: &AfterCreateMessage, ()| {
        if event.message.role == Role::Assistant { Err("no") } else { Ok(()) }
    });
    bench.app(audit.on_failure(OnFailure::Required));
    let mut model = Pieces::of(["it is ", "so"]);
    model.end = Ends::Breaks;
    let (reply, events) = streamed(&bench, model).await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    assert_eq!(bench.stored().await[1], "assistant: it is so [the answer broke off]");
    assert_eq!(retractions(&events), <[&str; 0]>::default());
}

/// Defers the output of each call.
fn defers() -> Hook {
    Hook::at::<PreModelCall>("defers").writer(|_, _, request: &mut ModelRequest| request.defer_output = true)
}

#[tokio::test(start_paused = true)]
async fn a_deferred_answer_that_hooks_cannot_judge_is_replaced_by_a_note() {
    let row = Hook::at::<BeforeCreateMessage>("fails")
        .reader(|_, _, row: &Message| if row.text().contains("secret") { Err("it broke") } else { Ok(()) });
    let hooks = [required::<PostModelCall>("fails"), row.on_failure(OnFailure::Required), required::<Stop>("fails")];
    for hook in hooks {
        let mut bench = Bench::new([]);
        bench.app(defers());
        bench.app(hook);
        let (reply, events) = streamed(&bench, Pieces::of(["the ", "secret"])).await;
        assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
        let note = "[Withheld: the turn ended before all hooks had judged the answer]";
        assert_eq!(texts(&events), [note]);
        assert_eq!(bench.stored().await[1..], [format!("assistant: {note}")]);
    }
    let mut model = Pieces::of(["the ", "secret"]);
    model.end = Ends::Breaks;
    let mut bench = Bench::new([]);
    bench.app(defers());
    streamed(&bench, model).await;
    assert_eq!(bench.stored().await, ["user: hi"], "there is no answer");
}

#[tokio::test]
async fn an_answer_that_was_shown_to_its_end_did_not_break_off() {
    let mut bench = Bench::new([]);
    bench.app(required::<PostModelCall>("fails"));
    streamed(&bench, Pieces::of(["it is ", "so"])).await;
    assert_eq!(bench.stored().await[1..], ["assistant: it is so"]);
}

#[tokio::test(start_paused = true)]
async fn white_space_is_no_answer_and_is_shown_with_the_first_word() {
    let (bench, calls) = (Bench::new([]), Arc::new(AtomicUsize::new(0)));
    let mut model = Pieces::of(["\n", " ", "so ", "be it"]);
    model.calls = Arc::clone(&calls);
    let (reply, events) = streamed(&bench, model.clone()).await;
    assert_eq!((reply.to_string().as_str(), texts(&events)[0].as_str()), ("\n so be it", "\n so "));
    assert_eq!(retractions(&events), <[&str; 0]>::default());

    (model.said, model.end) = (Arc::new(vec!["\n".to_owned()]), Ends::StallsOnce);
    calls.store(0, Ordering::Relaxed);
    let (reply, events) = streamed(&Bench::new([]), model).await;
    assert_eq!((reply.to_string().as_str(), calls.load(Ordering::Relaxed)), ("\n", 2));
    assert_eq!(texts(&events), ["\n"]);
}

fn cut(text: &str) -> Line {
    Line::answer(ModelAnswer::text(text).stop_reason(hooks_agent::model::MAX_TOKENS))
}

fn continues_cut() -> Hook {
    Hook::at::<PostModelCall>("more").reader(|_, event: &PostModelCall, _| match event.stop_reason.as_str() {
        hooks_agent::model::MAX_TOKENS => ReplyVerdict::Continue,
        _ => ReplyVerdict::default(),
    })
}

#[tokio::test]
async fn a_truncated_answer_is_one_row_with_the_calls_that_follow_it_or_alone_if_no_step_is_left() {
    for steps in [1, 9] {
        let look = Line::call("1", "lookup", json!({ "id": 1 }));
        let mut bench = Bench::new([cut("Let me look."), look, Line::text("done")]);
        bench.app(continues_cut());
        let mut limits = Limits::default();
        limits.iterations = steps;
        bench.session(bench.harness().limits(limits)).await.turn(None, "hi").await;
        let stored = bench.stored().await;
        assert!(stored[1].starts_with("assistant: Let me look."), "{stored:?}");
        assert_eq!((stored.len(), stored[1].contains("lookup")), if steps == 1 { (2, false) } else { (4, true) });
        if let Some(last) = bench.model.heard().get(2) {
            assert_eq!(last.messages.len(), 3, "the half is read once");
        }
    }
}

#[tokio::test]
async fn a_truncated_answer_that_a_hook_continues_is_shown_and_part_of_the_reply() {
    let whole = "Flight A is late,\nflight B is full.";
    for (deferred, blocked) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut bench = Bench::new([cut("Flight A is late,"), Line::text("flight B is full.").streamed()]);
        bench.app(continues_cut());
        if deferred {
            bench.app(defers());
        }
        bench.app(Hook::at::<Stop>("stops").reader(move |_, event: &Stop, ()| {
            assert_eq!(event.last_message.as_ref().unwrap().text(), whole);
            if blocked { StopVerdict::block("no") } else { StopVerdict::default() }
        }));
        let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
        let shown = if blocked { "[Blocked by Stop hook] no" } else { whole };
        assert_eq!(reply.to_string(), shown);
        assert_eq!(texts(&events), if blocked { Vec::new() } else { vec![whole.to_owned()] });
        assert_eq!(bench.stored().await[1..], [format!("assistant: {}", shown.replace('\n', " | "))]);
        assert_eq!(bench.model.heard()[1].messages.last().unwrap().text(), "Flight A is late,");
    }
}

/// Thinks, then calls a tool, in pieces.
struct Thinks(AtomicUsize, bool);

impl Model for Thinks {
    fn call<'a>(&'a self, _: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            if self.0.fetch_add(1, Ordering::Relaxed) > 0 {
                return Ok(ModelAnswer::text("done"));
            }
            if self.1 {
                deltas.thinking("is it ");
                deltas.thinking("hunter2?");
                deltas.tool_input("1", "lookup", r#"{"id":"#);
                deltas.tool_input("1", "lookup", r#""hunter2"}"#);
            }
            Ok(ModelAnswer::new(vec![
                Block::Other(json!({ "type": "thinking", "thinking": "is it hunter2?", "signature": "s" })),
                Block::ToolUse(ToolCall::new("1", "lookup", json!({ "id": "hunter2" }))),
            ]))
        })
    }
}

#[tokio::test]
async fn thinking_and_tool_input_are_streamed_and_hooks_change_only_what_is_shown() {
    for masked in [false, true] {
        let mut bench = Bench::new([]);
        if masked {
            bench.app(masks(SECRETS).hold(Hold::SENTENCE));
        }
        let (reply, events) = streamed(&bench, Thinks(AtomicUsize::new(0), true)).await;
        assert_eq!(reply.to_string(), "done");
        let thought: String = events
            .iter()
            .filter_map(|e| if let TurnEvent::Thinking(t) = e { Some(t.as_str()) } else { None })
            .collect();
        let input: String = events
            .iter()
            .filter_map(|e| if let TurnEvent::ToolInput { text, .. } = e { Some(text.as_str()) } else { None })
            .collect();
        let secret = if masked { "***" } else { "hunter2" };
        assert_eq!((thought, input), (format!("is it {secret}?"), format!(r#"{{"id":"{secret}"}}"#)));
        // What is stored, and what the tool gets, is what the model wrote.
        assert_eq!(bench.stored().await[2], "tool: <- found hunter2");
        let row = serde_json::to_string(&reply.messages[1]).unwrap();
        assert!(row.contains("is it hunter2?"), "{row}");
    }
}

#[tokio::test]
async fn hooks_judge_each_channel_of_a_whole_answer_once() {
    let whole = |text: &str| text.contains("hunter2?") || text.contains(r#"{"id":"hunter2"}"#);
    for (streams, deferred) in [(true, false), (true, true), (false, false), (false, true)] {
        for channel in ["thinking", "tool_input"] {
            let (mut bench, log) = (Bench::new([]), super::bench::Log::default());
            let seen = log.clone();
            let gate = Hook::at::<StreamDelta>("gate").reader(move |_, _, window: &String| {
                seen.note(window.as_str());
                if whole(window) { Permission::deny("no keys") } else { Permission::NoOpinion }
            });
            bench.app(gate.only("channel", channel).hold(30));
            if deferred {
                bench.app(defers());
            }
            let (reply, events) = streamed(&bench, Thinks(AtomicUsize::new(0), streams)).await;
            let what = format!("{channel}, streams: {streams}, deferred: {deferred}");
            assert!(matches!(reply.outcome, Outcome::StreamStopped { .. }), "{what}: {reply}");
            assert!(!bench.log.take().contains(&"the tool".to_owned()), "{what}");
            assert!(!events.iter().any(|event| matches!(event, TurnEvent::ToolInput { .. } | TurnEvent::Thinking(_))));
            assert_eq!(log.take().len(), 1, "{what}");
        }
    }
}

#[tokio::test]
async fn hooks_see_the_text_of_all_blocks_of_a_whole_answer_together() {
    let line = Line::answer(ModelAnswer::new(vec![Block::from("the key is hun"), Block::from("ter2, ok")]));
    for deferred in [false, true] {
        let mut bench = Bench::new([line.clone()]);
        bench.app(masks(SECRETS));
        if deferred {
            bench.app(defers());
        }
        let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
        assert_eq!(texts(&events), ["the key is ***, ok"]);
        assert_eq!(bench.stored().await[1], format!("assistant: {reply}"));
    }
    // What hooks leave as it is keeps its blocks.
    let mut bench = Bench::new([line]);
    bench.app(masks(&["something else"]));
    bench.turn().await;
    assert_eq!(bench.stored().await[1], "assistant: the key is hun | ter2, ok");
}

#[tokio::test]
async fn events_can_be_serialised_and_streamed_and_a_slow_reader_gets_the_number_of_dropped_events() {
    let bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]);
    let session = bench.session(bench.harness()).await;
    let events: Vec<TurnEvent> = session.turn(None, "hi").collect().await;
    let kinds: Vec<_> = events.iter().map(|event| serde_json::to_value(event).unwrap()["type"].clone()).collect();
    for kind in ["stored", "model_called", "tool_started", "tool_finished", "text"] {
        assert!(kinds.contains(&json!(kind)), "{kind}: {kinds:?}");
    }

    let mut limits = Limits::default();
    limits.events = 4;
    let calls = (0..40).map(|i| Line::call(i.to_string(), "lookup", json!({ "id": i.to_string() })));
    let bench = Bench::new(calls.chain([Line::text("done")]));
    let session = bench.session(bench.harness().limits(limits)).await;
    let mut turn = session.turn(None, "hi");
    session.messages().await.unwrap();
    session.clone().close(SessionEndReason::Idle).await.unwrap();
    let first = turn.next().await;
    assert!(matches!(first, Some(TurnEvent::Missed { events, .. }) if events > 100), "{first:?}");
    assert_eq!(turn.await.to_string(), "done");
}

/// Thinks and begins a call, and then cannot be reached, except for the second time.
struct Interrupted(AtomicUsize);

impl Model for Interrupted {
    fn call<'a>(&'a self, _: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            deltas.thinking("is it?");
            if self.0.fetch_add(1, Ordering::Relaxed) > 0 {
                return Ok(ModelAnswer::text("done"));
            }
            deltas.tool_input("1", "lookup", "{");
            Err(ModelError::Unavailable("busy".to_owned()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_before_its_text_is_retried_and_its_thoughts_come_before_the_retry() {
    let (reply, events) = streamed(&Bench::new([]), Interrupted(AtomicUsize::new(0))).await;
    assert_eq!(reply.to_string(), "done");
    let kinds = events.iter().map(|event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned());
    let shown = ["model_called", "thinking", "tool_input", "retrying"];
    let shown: Vec<_> = kinds.filter(|kind| shown.contains(&kind.as_str())).collect();
    assert_eq!(shown, ["model_called", "thinking", "tool_input", "retrying", "model_called", "thinking"]);
}
