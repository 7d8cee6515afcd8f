//! Random turns with faults in the model, the tools, the store, the hooks, and cancellation: what always holds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError, Scripted};
use hooks_agent::store::{MemoryStore, MessageStore, Page, Row, StoreError};
use hooks_agent::window::Window;
use hooks_agent::{Limits, Outcome};
use hooks_core::data::{Block, Message};
use hooks_core::hook::BoxFuture;
use hooks_core::prelude::*;
use proptest::prelude::*;
use serde_json::json;

use crate::bench::{Bench, Log};

/// How something of the app misbehaves.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Fails,
    Panics,
    Hangs,
}

/// A store that notes what it has, and misbehaves at the call at which it is told to.
struct Faulty {
    kept: Arc<MemoryStore>,
    log: Log,
    calls: AtomicUsize,
    at: Option<(usize, Fault)>,
}

impl Faulty {
    async fn call(&self) -> Result<(), StoreError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.at {
            Some((at, fault)) if at == call => match fault {
                Fault::Fails => Err(StoreError::new("the disk is full")),
                Fault::Panics => std::panic::resume_unwind(Box::new("the driver is broken")),
                Fault::Hangs => std::future::pending().await,
            },
            _ => Ok(()),
        }
    }
}

/// A scripted model that notes when it is called, and misbehaves where its line says so.
struct Moody(Arc<Scripted>, Log);

impl Model for Moody {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.1.note("the model");
        Box::pin(async move {
            match self.0.call(call, deltas).await {
                Err(ModelError::Rejected(word)) if word == "hang" => std::future::pending().await,
                Err(ModelError::Rejected(word)) if word == "panic" => {
                    std::panic::resume_unwind(Box::new("the client is broken"))
                }
                answer => answer,
            }
        })
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
            self.call().await?;
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
        Box::pin(async move {
            self.call().await?;
            self.kept.fold(conversation, messages).await
        })
    }

    fn page<'a>(
        &'a self,
        conversation: &'a str,
        from: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(async move {
            self.call().await?;
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
        Say::Hangs => Line::error(ModelError::Rejected("hang".into())),
        Say::Panics => Line::error(ModelError::Rejected("panic".into())),
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
        1 => Just(Say::Hangs),
        1 => Just(Say::Panics),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    script: Vec<Say>,
    /// Hooks that misbehave, by number.
    hooks: Vec<usize>,
    store_fault: Option<(usize, Fault)>,
    /// Tokens from which on the conversation is compacted; what was said before the turn has about a hundred.
    window: Option<u64>,
    /// Polls of the runtime after which the turn is cancelled.
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
/// The hook that puts a context beside the prompt.
const TELLS: usize = 11;
/// Hooks without which a row that is about to be stored is not.
const REQUIRED: [usize; 2] = [4, 17];

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
        TELLS => Hook::reader::<UserPromptSubmit, _, _, _>(id, |_, _, _| PromptVerdict::context("it is Monday")),
        12 => Hook::replacer::<AfterToolCallFailure, _, _, _>(id, |_, _, _: ToolResult| None::<ToolResult>),
        13 => Hook::async_reader::<BeforeToolCall, _, _, _>(id, |_, _, _| {
            Box::pin(async {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                Permission::allow()
            })
        }),
        14 => Hook::async_reader::<AfterCreateMessage, _, _, _>(id, |_, _, ()| Box::pin(tokio::task::yield_now())),
        15 => Hook::reader::<BeforeCompaction, _, _, _>(id, |_, _, ()| Permission::deny("not now")),
        16 => Hook::reader::<PostCompact, _, _, _>(id, |_, _, _| Err::<(), _>("it failed")),
        17 => fails!(id, AfterCreateMessage, OnFailure::Required),
        _ => Hook::reader::<PreModelCall, _, _, _>(id, |_, _, _| -> () { panic!("of course") }),
    }
}

async fn run(case: &Case) -> Result<Outcome, TestCaseError> {
    let mut bench = Bench::watched(lines(&case.script));
    let hooks: BTreeSet<usize> = case.hooks.iter().copied().collect();
    for number in &hooks {
        bench.app(hook(*number));
    }
    let before = |i: usize| Message::new([Role::User, Role::Assistant][i % 2], format!("message {i}"));
    bench.store.append("c", (0..6).map(before).collect()).await.unwrap();
    let store = Faulty {
        kept: Arc::clone(&bench.store),
        log: bench.log.clone(),
        calls: AtomicUsize::new(0),
        // Opening the session reads once.
        at: case.store_fault.map(|(call, fault)| (call + 1, fault)),
    };
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
    // What hooks put beside the prompt is there when a model is first asked to answer.
    let answers = bench.model.heard().into_iter().find(|call| call.system_prompt == "Be brief.");
    let told = answers.map(|call| call.messages.iter().any(|message| message.text().contains("it is Monday")));
    // A conversation of which only the turn under way is left has it still.
    prop_assert!(told.is_none_or(|told| told == hooks.contains(&TELLS)), "the context is not where it should be");
    // The person has been heard, where anything was.
    let prompts = stored.iter().filter(|row| row.message.text() == "hi").count();
    prop_assert!(prompts <= 1, "the prompt is stored {prompts} times");
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

/// What holds of the order in which things happened. `undisturbed`: nothing kept a row from being stored.
fn in_order(log: &[String], undisturbed: bool) -> Result<(), TestCaseError> {
    let count = |what: &str| log.iter().filter(|noted| *noted == what).count();
    prop_assert_eq!(count("turn_end"), 1, "{:?}", log);
    prop_assert_eq!(log.last().map(String::as_str), Some("turn_end"), "{:?}", log);

    // Each before has its one after: of calls always, of the rest where nothing kept it from being done.
    prop_assert_eq!(count("before_tool_call"), count("after_tool_call"), "{:?}", log);
    let withdrawn = ["before_create_message", "stop", "before_create_message"];
    // An answer that `stop` blocked is not stored; what is stored in its place goes by the hooks too.
    let kept: Vec<String> = (0..log.len())
        .filter(|&at| log[at..].iter().take(3).map(String::as_str).ne(withdrawn))
        .map(|at| log[at].clone())
        .collect();
    alternate(&kept, "before_create_message", "after_create_message", undisturbed)?;
    alternate(log, "pre_model_call", "post_model_call", false)?;
    alternate(log, "before_compaction", "post_compact", false)?;

    for (before, after) in log.iter().zip(log.iter().skip(1)) {
        // Not before the store has it, and never without.
        prop_assert_eq!(after == "after_create_message", before == "the store", "{:?}", log);
        let ran = ["after_tool_call_success", "after_tool_call_failure", "the tool"].contains(&after.as_str());
        let asked = before == "before_tool_call" && after == "permission_request";
        match before.as_str() {
            "before_tool_call" | "permission_request" => {
                prop_assert!(
                    ran || asked || after == "after_tool_call",
                    "between a gate and its result: {after}: {log:?}"
                );
            }
            "after_tool_call" => prop_assert_eq!(after, "before_store_tool_result", "{:?}", log),
            "before_store_tool_result" => prop_assert_eq!(after, "before_create_message", "{:?}", log),
            _ => {}
        }
    }
    let (first_call, prompt) = (
        log.iter().position(|what| what == "pre_model_call"),
        log.iter().position(|what| what == "user_prompt_submit"),
    );
    prop_assert!(first_call.is_none() || prompt < first_call, "{:?}", log);
    Ok(())
}

/// No `after` without a `before` of its own; where they are `paired`, no `before` without an `after` either.
fn alternate(log: &[String], before: &str, after: &str, paired: bool) -> Result<(), TestCaseError> {
    let mut open = 0;
    for what in log {
        if what == before {
            prop_assert!(!paired || open == 0, "{before} twice: {log:?}");
            open += 1;
        } else if what == after {
            prop_assert!(open > 0, "{after} without {before}: {log:?}");
            open = 0;
        }
    }
    prop_assert!(!paired || open == 0, "{before} without {after}: {log:?}");
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
