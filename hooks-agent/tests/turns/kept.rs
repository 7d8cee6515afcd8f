//! Random conversations, windows and faults: at every model call, what was stored is read, summarised, or reported as
//! left out; and it is always in the history.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hook_sdk::data::{Block, Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, MemoryStore, MessageStore, Row, StoreError};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{Harness, Limits};
use proptest::prelude::*;
use serde_json::json;

use super::bench::line;
use super::stores::{Disturb, Disturbed};

#[derive(Clone, Copy, Debug)]
enum Does {
    Says(usize),
    Calls(usize),
    Busy,
    Refuses,
    Empty,
}

#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    Appends,
    Fails,
}

#[derive(Clone, Debug)]
struct Case {
    /// The limit of the provider in characters.
    limit: usize,
    /// The number of tokens at which the loop compacts.
    window: Option<u64>,
    turns: usize,
    /// What the model does repeatedly.
    does: Vec<Does>,
    /// The calls of the store at which something happens.
    meanwhile: Vec<(usize, Meanwhile)>,
    hooks: Vec<usize>,
}

fn case() -> impl Strategy<Value = Case> {
    let does = prop_oneof![
        4 => (1..60_usize).prop_map(Does::Says),
        6 => (1..120_usize).prop_map(Does::Calls),
        1 => Just(Does::Busy),
        1 => Just(Does::Refuses),
        1 => Just(Does::Empty),
    ];
    let meanwhile = prop_oneof![4 => Just(Meanwhile::Appends), 1 => Just(Meanwhile::Fails)];
    (
        60..4_000_usize,
        prop::option::of(20..800_u64),
        1..7_usize,
        prop::collection::vec(does, 1..9),
        prop::collection::vec((0..60_usize, meanwhile), 0..4),
        prop::collection::vec(0..5_usize, 0..2),
    )
        .prop_map(|(limit, window, turns, does, meanwhile, hooks)| Case {
            limit,
            window,
            turns,
            does,
            meanwhile,
            hooks,
        })
}

/// How a message is recognised: words that begin with `#`, and the ids of calls.
fn marks(message: &Message) -> BTreeSet<String> {
    let words = |text: &str| {
        text.split(|c: char| c != '#' && !c.is_alphanumeric())
            .filter(|word| word.starts_with('#'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let of = |block: &Block| match block {
        Block::Text(text) => words(&text.text),
        Block::ToolUse(call) => vec![format!("call {}", call.id)],
        // The placeholder of a result whose text was dropped.
        Block::ToolResult(result) => vec![format!("result {}", result.call_id)],
        _ => Vec::new(),
    };
    message.content.iter().flat_map(of).collect()
}

/// A call of the model: what it read, and what was stored then.
struct Asked {
    turn: usize,
    read: BTreeSet<String>,
    stored: Vec<Row>,
}

#[derive(Default)]
struct Notes {
    asked: Vec<Asked>,
    /// The messages that each summary covers.
    covered: BTreeMap<String, BTreeSet<String>>,
}

struct Judge {
    case: Case,
    store: Arc<MemoryStore>,
    calls: AtomicUsize,
    turn: Arc<AtomicUsize>,
    notes: Arc<Mutex<Notes>>,
}

impl Model for Judge {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let number = self.calls.fetch_add(1, Ordering::Relaxed);
            let read: BTreeSet<_> = call.messages.iter().flat_map(marks).collect();
            let sums_up = call.messages.last().is_some_and(|message| message.text().starts_with("Sum up"));
            if !sums_up {
                let stored = self.store.history("c", None, 10_000).await.unwrap().rows;
                let turn = self.turn.load(Ordering::Relaxed);
                self.notes.lock().unwrap().asked.push(Asked { turn, read: read.clone(), stored });
            }
            let chars: usize = call.messages.iter().map(|message| line(message).len()).sum();
            if chars > self.case.limit {
                return Err(ModelError::Overflow("too long".to_owned()));
            }
            let does = self.case.does[number % self.case.does.len()];
            let text = |length: usize| format!("#m{number} {}", "word ".repeat(length));
            match does {
                Does::Busy => Err(ModelError::rate_limited("wait", None)),
                Does::Refuses => Err(ModelError::Rejected("no".to_owned())),
                Does::Empty => Ok(ModelAnswer::text("")),
                Does::Says(_) | Does::Calls(_) if sums_up => {
                    let mut notes = self.notes.lock().unwrap();
                    // A summary of a summary covers the same messages.
                    let covered = read.iter().flat_map(|mark| notes.covered.get(mark).cloned().unwrap_or_default());
                    let covered = covered.chain(read.iter().cloned()).collect();
                    notes.covered.insert(format!("#s{number}"), covered);
                    Ok(ModelAnswer::text(format!("#s{number} they talk")))
                }
                Does::Says(length) => Ok(ModelAnswer::text(text(length))),
                Does::Calls(length) => {
                    let call = ToolCall::new(
                        format!("c{number}"),
                        "find",
                        json!({ "n": length, "t": "x".repeat(length * 3) }),
                    );
                    Ok(ModelAnswer::new(vec![Block::from(text(1)), Block::ToolUse(call)]))
                }
            }
        })
    }
}

/// What others do to the store meanwhile.
struct Others {
    store: Arc<MemoryStore>,
    at: Vec<(usize, Meanwhile)>,
    calls: AtomicUsize,
    turn: Arc<AtomicUsize>,
    /// What they appended, and in which turn.
    appended: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Disturb for Others {
    fn before(&self, _: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let now: Vec<_> = self.at.iter().filter(|(at, _)| *at + 1 == call).map(|(_, what)| *what).collect();
        Box::pin(async move {
            for what in now {
                match what {
                    Meanwhile::Fails => return Err(StoreError::new("the disk is full")),
                    Meanwhile::Appends => {
                        let row = Message::new(Role::User, format!("#o{call}"));
                        let written = self.store.append("c", Append::new([row])).await?;
                        let turn = self.turn.load(Ordering::Relaxed);
                        self.appended.lock().unwrap().push((turn, written.rows[0].id.clone()));
                    }
                }
            }
            Ok(())
        })
    }
}

fn hook(number: usize) -> Hook {
    let id = format!("h{number}");
    match number {
        0 => Hook::at::<BeforeCompaction>(&id).reader(|_, _, ()| Permission::deny("not now")),
        1 => Hook::at::<PostCompact>(&id)
            .writer(|_, _, rest: &mut CompactedHistory| rest.summary = None)
            .on_failure(OnFailure::Continue),
        2 => Hook::at::<PostCompact>(&id)
            .writer(|_, _, rest: &mut CompactedHistory| {
                // Neither a call nor its result.
                if let Some(at) = rest
                    .messages
                    .iter()
                    .position(|message| message.content.iter().all(|block| block.as_text().is_some()))
                {
                    rest.messages.remove(at);
                }
            })
            .on_failure(OnFailure::Continue),
        3 => Hook::at::<PostModelCall>(&id).reader(|_, _, _| Err::<(), _>("it failed")),
        _ => Hook::at::<UserPromptSubmit>(&id).reader(|_, _, _| PromptVerdict::context("it is Monday")),
    }
}

async fn run(case: &Case) -> Result<usize, TestCaseError> {
    let store = Arc::new(MemoryStore::new());
    let (turn, notes, appended) =
        (Arc::default(), Arc::<Mutex<Notes>>::default(), Arc::<Mutex<Vec<(usize, String)>>>::default());
    let registry = Registry::empty();
    let hooks: BTreeSet<_> = case.hooks.iter().copied().collect();
    for number in &hooks {
        registry.register(hook(*number)).unwrap();
    }
    registry.set_app(AppDef::new("app").hooks(hooks.iter().map(|number| format!("h{number}"))));
    let model = Judge {
        case: case.clone(),
        store: Arc::clone(&store),
        calls: AtomicUsize::new(0),
        turn: Arc::clone(&turn),
        notes: Arc::clone(&notes),
    };
    let others = Others {
        store: Arc::clone(&store),
        at: case.meanwhile.clone(),
        calls: AtomicUsize::new(0),
        turn: Arc::clone(&turn),
        appended: Arc::clone(&appended),
    };
    let mut limits = Limits::default();
    limits.iterations = 8;
    let find =
        FnTool::new(ToolSpec::new("find"), |_, input| Ok("out ".repeat(input["t"].as_str().map_or(0, str::len) / 3)));
    let mut harness = Harness::builder(registry)
        .model("main", model)
        .store(Disturbed { store: Arc::clone(&store), by: others })
        .limits(limits)
        .tool(find);
    if let Some(tokens) = case.window {
        harness = harness.window(Window::new(tokens * 2).compact_at(tokens));
    }
    let Ok(session) = harness.build().unwrap().session("c", AgentDef::new("a")).open().await else { return Ok(0) };
    let mut ever: Vec<Row> = Vec::new();
    let mut folds = 0;
    for number in 0..case.turns {
        turn.store(number, Ordering::Relaxed);
        let reply = session.turn(None, format!("#p{number} go on")).await;
        let history = store.history("c", None, 10_000).await.unwrap().rows;
        for row in &ever {
            prop_assert!(history.contains(row), "the history lost {row:?}");
        }
        let known: BTreeSet<_> = history.iter().flat_map(|row| marks(&row.message)).collect();
        for message in &*reply.messages {
            prop_assert!(marks(message).is_subset(&known), "the history never had {message:?}");
        }
        ever = history;

        let left_out = ever.iter().filter(|row| reply.left_out.contains(&row.id));
        let left_out: BTreeSet<_> = left_out.flat_map(|row| marks(&row.message)).collect();
        let notes = notes.lock().unwrap();
        let appended = appended.lock().unwrap();
        // A summary that is left out is reported for everything that it covers.
        let covered = left_out.iter().flat_map(|mark| notes.covered.get(mark).into_iter().flatten());
        let out: BTreeSet<_> = left_out.iter().chain(covered).collect();
        for asked in notes.asked.iter().filter(|asked| asked.turn == number) {
            let covered = asked.read.iter().flat_map(|mark| notes.covered.get(mark).into_iter().flatten());
            let there: BTreeSet<_> = asked.read.iter().chain(covered).collect();
            folds += usize::from(there.len() > asked.read.len());
            for row in &asked.stored {
                let read = marks(&row.message).iter().all(|mark| there.contains(mark));
                // Others write during a turn for the next one.
                let waits = appended.iter().any(|(at, id)| *at == number && *id == row.id);
                // A row whose output was dropped replaced the original one.
                let reported = marks(&row.message).iter().all(|mark| out.contains(&mark));
                prop_assert!(
                    read || waits || reported,
                    "turn {number} did not read {}, and its reply does not tell: {:?}",
                    line(&row.message),
                    asked.read
                );
            }
        }
    }
    Ok(folds)
}

#[test]
fn every_stored_row_is_read_summarised_or_reported_as_omitted_and_stays_in_the_history() {
    let cases = std::env::var("HOOKS_AGENT_KEPT").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let folded = AtomicUsize::new(0);
    proptest!(config, |(case in case())| {
        folded.fetch_add(runtime.block_on(run(&case))?, Ordering::Relaxed);
    });
    let folded = folded.into_inner();
    println!("{cases} conversations, {folded} calls that read a summary");
    assert!(folded > 0, "nothing was ever summed up");
}

/// A compaction shortens a call and a hook removes the message before it: the call is not stored twice.
#[tokio::test(start_paused = true)]
async fn removing_a_message_next_to_a_shortened_one_loses_nothing() {
    let does = vec![Does::Refuses, Does::Calls(67), Does::Calls(1), Does::Calls(62), Does::Calls(104)];
    let case = Case { limit: 1886, window: None, turns: 3, does, meanwhile: Vec::new(), hooks: vec![2] };
    run(&case).await.unwrap();
}
