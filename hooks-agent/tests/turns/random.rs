//! Random turns with faults in the model, the tools, the store, the hooks, and cancellation: what always holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_agent::model::{Line, ModelAnswer, ModelError};
use hooks_agent::store::{MemoryStore, MessageStore, Page, Row, StoreError};
use hooks_agent::{Limits, Outcome};
use hooks_core::data::{Block, Message};
use hooks_core::hook::BoxFuture;
use hooks_core::prelude::*;
use proptest::prelude::*;
use serde_json::json;

use crate::bench::{Bench, Log};

/// A store that notes what it has, and fails where it is told to.
struct Faulty {
    kept: Arc<MemoryStore>,
    log: Log,
    calls: AtomicUsize,
    fails_at: Option<usize>,
}

impl Faulty {
    fn fault(&self) -> Result<(), StoreError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.fails_at == Some(call) { Err(StoreError::new("the disk is full")) } else { Ok(()) }
    }
}

impl MessageStore for Faulty {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        messages: Vec<Message>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.fault()?;
            let rows = self.kept.append(conversation, messages).await?;
            self.log.note("the store");
            Ok(rows)
        })
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
    ) -> BoxFuture<'a, Result<Row, StoreError>> {
        self.kept.update(conversation, id, update)
    }

    fn fold<'a>(&'a self, conversation: &'a str, messages: Vec<Message>) -> BoxFuture<'a, Result<(), StoreError>> {
        self.kept.fold(conversation, messages)
    }

    fn page<'a>(
        &'a self,
        conversation: &'a str,
        from: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(async move {
            self.fault()?;
            self.kept.page(conversation, from, limit).await
        })
    }
}

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
}

const TOOLS: [&str; 5] = ["lookup", "breaks", "panics", "slow", "missing"];

fn lines(script: &[Say]) -> Vec<Line> {
    let line = |(turn, say): (usize, &Say)| match say {
        Say::Text => Line::text("so be it").streamed(),
        Say::Nothing => Line::text(""),
        Say::Cut => Line::answer(ModelAnswer::text("so be").stop_reason("max_tokens")),
        Say::Calls(tools) => {
            // Ids clash on purpose: the loop gives each call one of its own.
            let call = |(i, tool): (usize, &usize)| {
                (format!("call_{}", i / 2), TOOLS[*tool], json!({ "id": turn.to_string() }))
            };
            Line::calls(tools.iter().enumerate().map(call))
        }
        Say::Refused => Line::error(ModelError::Rejected("no".into())),
        Say::Overflow => Line::error(ModelError::Overflow("too long".into())),
        Say::Busy => Line::error(ModelError::rate_limited("wait", None)),
        Say::Broken => Line::error(ModelError::Broken("cut off".into())).streamed(),
    };
    // So that most turns come to an answer of their own.
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
    ]
}

#[derive(Clone, Debug)]
struct Case {
    script: Vec<Say>,
    /// Hooks that misbehave, by number.
    hooks: Vec<usize>,
    store_fails_at: Option<usize>,
    /// Polls of the runtime after which the turn is cancelled.
    cancelled_after: Option<usize>,
}

fn case() -> impl Strategy<Value = Case> {
    (
        proptest::collection::vec(say(), 0..8),
        proptest::collection::vec(0..HOOKS, 0..4),
        proptest::option::weighted(0.3, 0..12_usize),
        proptest::option::weighted(0.4, 0..60_usize),
    )
        .prop_map(|(script, hooks, store_fails_at, cancelled_after)| Case {
            script,
            hooks,
            store_fails_at,
            cancelled_after,
        })
}

const HOOKS: usize = 16;

macro_rules! fails {
    ($id:expr, $kind:ident, $policy:expr) => {
        Hook::reader::<$kind, _, _, _>($id, |_, _, _| Err::<(), _>("it failed")).on_failure($policy)
    };
}

fn hook(number: usize) -> Hook {
    let id = format!("h{number}");
    let id = id.as_str();
    match number {
        0 => Hook::reader::<BeforeToolCall, _, _, _>(id, |_, _, _| Permission::deny("no")),
        1 => Hook::reader::<BeforeToolCall, _, _, _>(id, |_, _, _| Permission::ask("may I?")),
        2 => fails!(id, BeforeToolCall, OnFailure::Deny),
        3 => fails!(id, BeforeToolCall, OnFailure::Required),
        4 => fails!(id, BeforeCreateMessage, OnFailure::Required),
        5 => fails!(id, AfterToolCallSuccess, OnFailure::Remove),
        6 => fails!(id, PostModelCall, OnFailure::Required),
        7 => Hook::reader::<AfterToolCall, _, _, _>(id, |_, _, ()| Err::<(), _>(Halt::new("enough"))),
        8 => Hook::reader::<PostModelCall, _, _, _>(id, |_, _, _| ReplyVerdict::Continue),
        9 => Hook::reader::<Stop, _, _, _>(id, |_, _, ()| StopVerdict::continue_with("more")),
        10 => Hook::reader::<Stop, _, _, _>(id, |_, _, ()| StopVerdict::block("no")),
        11 => Hook::reader::<UserPromptSubmit, _, _, _>(id, |_, _, _| PromptVerdict::context("it is Monday")),
        12 => Hook::replacer::<AfterToolCallFailure, _, _, _>(id, |_, _, _: ToolResult| None::<ToolResult>),
        13 => Hook::async_reader::<BeforeToolCall, _, _, _>(id, |_, _, _| {
            Box::pin(async {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                Permission::allow()
            })
        }),
        14 => Hook::async_reader::<AfterCreateMessage, _, _, _>(id, |_, _, ()| Box::pin(tokio::task::yield_now())),
        _ => Hook::reader::<PreModelCall, _, _, _>(id, |_, _, _| -> () { panic!("of course") }),
    }
}

async fn run(case: &Case) -> Result<Outcome, TestCaseError> {
    let mut bench = Bench::watched(lines(&case.script));
    let mut numbers = case.hooks.clone();
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        bench.app(hook(number));
    }
    let store = Faulty {
        kept: Arc::clone(&bench.store),
        log: bench.log.clone(),
        calls: AtomicUsize::new(0),
        // Opening the session reads once.
        fails_at: case.store_fails_at.map(|call| call + 1),
    };
    let mut limits = Limits::default();
    limits.iterations = 12;
    let session = bench.session(bench.harness().store(store).limits(limits).tool(Slow)).await;
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
    let reply = tokio::time::timeout(std::time::Duration::from_secs(3_600), turn).await;
    let reply = reply.map_err(|_| TestCaseError::fail("the turn never ends"))?;
    let stored = bench.store.page("c", None, 10_000).await.unwrap().rows;
    well_formed(stored.iter().map(|row| &row.message), case.store_fails_at.is_some())?;
    in_order(&bench.log.take())?;
    Ok(reply.outcome)
}

/// Each call has its one result, behind it. Where the store itself failed, calls may be left open: it took no more rows.
fn well_formed<'a>(messages: impl Iterator<Item = &'a Message>, store_failed: bool) -> Result<(), TestCaseError> {
    let mut open: Vec<&str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for block in messages.flat_map(|message| &message.content) {
        match block {
            Block::ToolUse(call) => {
                prop_assert!(!seen.contains(&call.id.as_str()), "two calls have the id {}", call.id);
                seen.push(&call.id);
                open.push(&call.id);
            }
            Block::ToolResult(result) => {
                let at = open.iter().position(|id| *id == result.call_id);
                prop_assert!(at.is_some(), "a result without its call: {}", result.call_id);
                open.remove(at.unwrap());
            }
            _ => {}
        }
    }
    prop_assert!(open.is_empty() || store_failed, "calls without a result: {open:?}");
    Ok(())
}

fn in_order(log: &[String]) -> Result<(), TestCaseError> {
    let count = |what: &str| log.iter().filter(|noted| *noted == what).count();
    prop_assert_eq!(count("turn_end"), 1, "{:?}", log);
    prop_assert_eq!(log.last().map(String::as_str), Some("turn_end"), "{:?}", log);
    prop_assert_eq!(count("before_tool_call"), count("after_tool_call"), "{:?}", log);
    for (before, after) in log.iter().zip(log.iter().skip(1)) {
        // Not before the store has it, and never without.
        prop_assert_eq!(after == "after_create_message", before == "the store", "{:?}", log);
        let ran = ["after_tool_call_success", "after_tool_call_failure", "the tool"].contains(&after.as_str());
        let asked = before == "before_tool_call" && after == "permission_request";
        if ["before_tool_call", "permission_request"].contains(&before.as_str()) {
            prop_assert!(ran || asked || after == "after_tool_call", "between a gate and its result: {after}: {log:?}");
        }
    }
    let (first_call, prompt) = (
        log.iter().position(|what| what == "pre_model_call"),
        log.iter().position(|what| what == "user_prompt_submit"),
    );
    prop_assert!(first_call.is_none() || prompt < first_call, "{:?}", log);
    Ok(())
}

/// A tool that takes its time.
struct Slow;

impl hooks_agent::tool::Tool for Slow {
    fn spec(&self) -> hooks_agent::tool::ToolSpec {
        hooks_agent::tool::ToolSpec::new("slow")
    }

    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        _call: &'a ToolCall,
        _input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, hooks_agent::tool::ToolError>> {
        Box::pin(async {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            Ok(ToolResult::text("at last"))
        })
    }
}

#[test]
fn whatever_happens_the_conversation_is_well_formed_and_the_turn_ends_once() {
    let turns = std::env::var("HOOKS_AGENT_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(400);
    hooks_core::quiet_panics();
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
    // The faults are all there: a run in which nothing went wrong would say little.
    for outcome in ["Answered", "Cancelled", "Failed", "Halted"] {
        assert!(outcomes.contains_key(outcome), "no turn was {outcome}: {outcomes:?}");
    }
}
