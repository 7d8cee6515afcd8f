//! Random turns with faults in the model, the tools, the store and the hooks, and with cancellation: invariants.

mod faults;
mod properties;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer, ModelError};
use hooks_agent::store::{Append, MessageStore};
use hooks_agent::window::Window;
use hooks_agent::{Limits, Outcome};
use proptest::prelude::*;
use serde_json::json;

use super::bench::Bench;
use super::stores::Disturbed;
use faults::{Fault, Faulty, Moody, Slow};
use properties::{in_order, well_formed};

#[derive(Clone, Debug)]
enum Say {
    Text,
    Nothing,
    Cut,
    Calls(Vec<usize>),
    Refused,
    Overflow,
    Busy,
    Broken,
    Hangs,
    Panics,
}

const TOOLS: [&str; 5] = ["lookup", "breaks", "panics", "slow", "missing"];

fn lines(script: &[Say]) -> Vec<Line> {
    let line = |(turn, say): (usize, &Say)| match say {
        Say::Text => Line::text("so be it").streamed(),
        Say::Nothing => Line::text(""),
        Say::Cut => Line::answer(ModelAnswer::text("so be").stop_reason("max_tokens")),
        Say::Calls(tools) => {
            // Ids clash on purpose: the loop makes them unique.
            let call = |(i, tool): (usize, &usize)| {
                (format!("call_{}", i / 2), TOOLS[*tool], json!({ "id": turn.to_string() }))
            };
            Line::calls(tools.iter().enumerate().map(call))
        }
        Say::Refused => Line::error(ModelError::Rejected("no".into())),
        Say::Overflow => Line::error(ModelError::Overflow("too long".into())),
        Say::Busy => Line::error(ModelError::rate_limited("wait", None)),
        Say::Broken => Line::error(ModelError::Broken("cut off".into())).streamed(),
        Say::Hangs => Line::error(ModelError::Rejected("hang".into())),
        Say::Panics => Line::error(ModelError::Rejected("panic".into())),
    };
    // So that most turns end with an answer.
    script.iter().enumerate().map(line).chain((0..3).map(|_| Line::text("that is all"))).collect()
}

fn say() -> impl Strategy<Value = Say> {
    prop_oneof![
        3 => Just(Say::Text),
        1 => Just(Say::Nothing),
        1 => Just(Say::Cut),
        6 => proptest::collection::vec(0..TOOLS.len(), 1..4).prop_map(Say::Calls),
        1 => Just(Say::Refused),
        1 => Just(Say::Overflow),
        1 => Just(Say::Busy),
        1 => Just(Say::Broken),
        1 => Just(Say::Hangs),
        1 => Just(Say::Panics),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    script: Vec<Say>,
    /// The misbehaving hooks, by number.
    hooks: Vec<usize>,
    store_fault: Option<(usize, Fault)>,
    /// The number of tokens at which the conversation is compacted. The history has about a hundred.
    window: Option<u64>,
    /// The number of polls after which the turn is cancelled.
    cancelled_after: Option<usize>,
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![Just(Fault::Fails), Just(Fault::Panics), Just(Fault::Hangs)]
}

fn case() -> impl Strategy<Value = Case> {
    (
        proptest::collection::vec(say(), 0..8),
        proptest::collection::vec(0..HOOKS, 0..4),
        proptest::option::weighted(0.3, (0..12_usize, fault())),
        proptest::option::weighted(0.3, 20..150_u64),
        proptest::option::weighted(0.4, 0..60_usize),
    )
        .prop_map(|(script, hooks, store_fault, window, cancelled_after)| Case {
            script,
            hooks,
            store_fault,
            window,
            cancelled_after,
        })
}

const HOOKS: usize = 19;
/// The hook that adds a context to the prompt.
const TELLS: usize = 11;
/// The hooks that are required for storing a row.
const REQUIRED: [usize; 2] = [4, 17];

macro_rules! fails {
    ($id:expr, $kind:ident, $policy:expr) => {
        Hook::at::<$kind>($id).reader(|_, _, _| Err::<(), _>("it failed")).on_failure($policy)
    };
}

fn hook(number: usize) -> Hook {
    let id = format!("h{number}");
    let id = id.as_str();
    match number {
        0 => Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny("no")),
        1 => Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::ask("may I?")),
        2 => fails!(id, BeforeToolCall, OnFailure::Deny),
        3 => fails!(id, BeforeToolCall, OnFailure::Required),
        4 => fails!(id, BeforeCreateMessage, OnFailure::Required),
        5 => fails!(id, AfterToolCallSuccess, OnFailure::Remove),
        6 => fails!(id, PostModelCall, OnFailure::Required),
        7 => Hook::at::<AfterToolCall>(id).reader(|_, _, ()| Err::<(), _>(Halt::new("enough"))),
        8 => Hook::at::<PostModelCall>(id).reader(|_, _, _| ReplyVerdict::Continue),
        9 => Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::continue_with("more")),
        10 => Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::block("no")),
        TELLS => Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::context("it is Monday")),
        12 => Hook::at::<AfterToolCallFailure>(id).replacer(|_, _, _: ToolResult| None::<ToolResult>),
        13 => Hook::at::<BeforeToolCall>(id).async_reader(|_, _, _| {
            Box::pin(async {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                Permission::Allow
            })
        }),
        14 => Hook::at::<AfterCreateMessage>(id).async_reader(|_, _, ()| Box::pin(tokio::task::yield_now())),
        15 => Hook::at::<BeforeCompaction>(id).reader(|_, _, ()| Permission::deny("not now")),
        16 => Hook::at::<PostCompact>(id).reader(|_, _, _| Err::<(), _>("it failed")),
        17 => fails!(id, AfterCreateMessage, OnFailure::Required),
        _ => Hook::at::<PreModelCall>(id).reader(|_, _, _| -> () { panic!("of course") }),
    }
}

async fn run(case: &Case) -> Result<Outcome, TestCaseError> {
    let mut bench = Bench::watched(lines(&case.script));
    let hooks: BTreeSet<usize> = case.hooks.iter().copied().collect();
    for number in &hooks {
        bench.app(hook(*number));
    }
    let before = |i: usize| Message::new([Role::User, Role::Assistant][i % 2], format!("message {i}"));
    bench.store.append("c", Append::new((0..6).map(before))).await.unwrap();
    // Opening the session reads once.
    let at = case.store_fault.map(|(call, fault)| (call + 1, fault));
    let by = Faulty { log: bench.log.clone(), calls: AtomicUsize::new(0), at };
    let store = Disturbed { store: Arc::clone(&bench.store), by };
    let mut limits = Limits::default();
    limits.iterations = 12;
    let model = Moody(Arc::clone(&bench.model), bench.log.clone());
    let mut harness = bench.harness().model("main", model).store(store).limits(limits).tool(Slow);
    if let Some(tokens) = case.window {
        harness = harness.window(Window::new(1_000).compact_at(tokens));
    }
    let session = bench.session(harness).await;
    bench.log.take();
    let turn = session.turn(None, "hi");
    if let Some(polls) = case.cancelled_after {
        let token = turn.cancellation();
        tokio::spawn(async move {
            for _ in 0..polls {
                tokio::task::yield_now().await;
            }
            token.cancel();
        });
    }
    let reply = tokio::time::timeout(std::time::Duration::from_secs(36_000), turn).await;
    let reply = reply.map_err(|_| TestCaseError::fail("the turn never ends"))?;
    let stored = bench.store.page("c", None, 10_000).await.unwrap().rows;
    well_formed(stored.iter().map(|row| &row.message), case.store_fault.is_some())?;
    let undisturbed = case.store_fault.is_none() && REQUIRED.iter().all(|required| !hooks.contains(required));
    in_order(&bench.log.take(), undisturbed)?;
    // Contexts of the prompt are present at the first model call.
    let answers = bench.model.heard().into_iter().find(|call| call.system_prompt == "Be brief.");
    let reported = answers.map(|call| call.messages.iter().any(|message| message.text().contains("it is Monday")));
    // A conversation that is reduced to the running turn still contains it.
    prop_assert!(
        reported.is_none_or(|reported| reported == hooks.contains(&TELLS)),
        "the context is not where it should be"
    );
    // The model got the person's message, if it was called.
    let prompts = stored.iter().filter(|row| row.message.text() == "hi").count();
    prop_assert!(prompts <= 1, "the prompt is stored {prompts} times");
    Ok(reply.outcome)
}

#[test]
fn with_random_faults_the_conversation_is_well_formed_and_the_turn_ends_once() {
    let turns = std::env::var("HOOKS_AGENT_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(400);
    hook_sdk::quiet_panics();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let config = ProptestConfig { cases: turns, failure_persistence: None, ..ProptestConfig::default() };
    let outcomes = std::sync::Mutex::new(std::collections::BTreeMap::<String, usize>::new());
    proptest!(config, |(case in case())| {
        let outcome = runtime.block_on(run(&case))?;
        let name = format!("{outcome:?}");
        let name = name.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
        *outcomes.lock().unwrap().entry(name).or_default() += 1;
    });
    let outcomes = outcomes.into_inner().unwrap();
    println!("{turns} turns: {outcomes:?}");
    // All faults must occur: a run without faults would prove little.
    for outcome in ["Answered", "Cancelled", "Failed", "Halted"] {
        assert!(outcomes.contains_key(outcome), "no turn was {outcome}: {outcomes:?}");
    }
}
