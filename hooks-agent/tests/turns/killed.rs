//! Processes that are killed while a group of calls is judged, asked about and run. The next process resumes the turn, or
//! gets another prompt.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use hook_sdk::data::{Block, Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{MessageStore, StoreError, StoreFuture};
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::{Outcome, Session, SubAgent, TurnError};
use serde_json::json;
use tokio::sync::Notify;

use super::bench::Bench;
use super::stores::{Disturb, Disturbed};

/// What a process does to the world outside, until it is killed at one of these steps.
struct Process {
    steps: AtomicUsize,
    dies_at: usize,
    dead: Notify,
}

impl Process {
    fn new(dies_at: usize) -> Arc<Self> {
        Arc::new(Self { steps: AtomicUsize::new(0), dies_at, dead: Notify::new() })
    }

    async fn step(&self) {
        if self.steps.fetch_add(1, Ordering::Relaxed) + 1 >= self.dies_at {
            self.dead.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

struct Dies(Arc<Process>);

impl Disturb for Dies {
    fn before(&self, call: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            if call != "page" {
                self.0.step().await;
            }
            Ok(())
        })
    }
}

/// What outlives a process: the calls that ran, and the questions.
#[derive(Default)]
struct Facts {
    ran: BTreeMap<String, usize>,
    open: BTreeMap<String, ApprovalRequest>,
    /// What the model read last.
    heard: BTreeMap<String, String>,
    wrong: Vec<String>,
}

#[derive(Clone, Default)]
struct World {
    facts: Arc<Mutex<Facts>>,
    /// Whether people have answered, and whether those have who take their time.
    answered: Arc<AtomicBool>,
    answered_late: Arc<AtomicBool>,
}

impl World {
    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap()
    }

    fn asked(&self, request: &ApprovalRequest) {
        let (id, mut facts) = (&request.call.id, self.facts());
        if facts.ran.contains_key(id) {
            facts.wrong.push(format!("{id} ran, and is asked about"));
        }
        facts.open.insert(id.clone(), request.clone());
    }

    /// The last letter of a call's id says what happens to it.
    fn answer_to(&self, id: &str) -> Approval {
        let (answered, late) = (&self.answered, &self.answered_late);
        match id.chars().last().unwrap() {
            'u' if !late.load(Ordering::Relaxed) => Approval::Suspend,
            _ if !answered.load(Ordering::Relaxed) => Approval::Suspend,
            'n' => Approval::No("not now".into()),
            'a' => Approval::Answer(ToolResult::new("by hand")),
            'e' => Approval::Edited(json!({ "edited": true }).into()),
            _ => Approval::Yes,
        }
    }
}

struct Desk(World, Arc<Process>);

impl Approver for Desk {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move {
            self.1.step().await;
            self.0.asked(request);
            self.1.step().await;
            Ok(self.0.answer_to(&request.call.id))
        })
    }

    fn held<'a>(&'a self, _: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        let held = self.0.facts().open.get(call).cloned();
        Box::pin(async move { Ok(held) })
    }

    fn close<'a>(&'a self, _: &'a str, calls: &'a [&'a str], _: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        Box::pin(async move {
            self.1.step().await;
            self.0.facts().open.retain(|id, _| !calls.contains(&id.as_str()));
            self.1.step().await;
            Ok(Vec::new())
        })
    }

    fn update<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        if let Some(open) = self.0.facts().open.get_mut(&request.call.id) {
            open.clone_from(request);
        }
        Box::pin(async { Ok(()) })
    }

    fn reopen<'a>(&'a self, _: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// Runs once it has begun.
struct Does(&'static str, World, Arc<Process>);

impl Tool for Does {
    fn spec(&self) -> ToolSpec {
        let spec = ToolSpec::new(self.0);
        if self.0 == "alone" { spec } else { spec.parallel() }
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        call: &'a ToolCall,
        _: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            *self.1.facts().ran.entry(call.id.clone()).or_default() += 1;
            self.2.step().await;
            Ok(ToolResult::new("it ran"))
        })
    }
}

/// Makes the calls, one for each letter, and those of the agent that it asks; then answers.
struct Caller(&'static str, World);

impl Model for Caller {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        let blocks = call.messages.iter().flat_map(|message| &message.content);
        let results = blocks.filter_map(|block| match block {
            Block::ToolResult(result) => {
                let text: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
                Some((result.call_id.clone(), text.join(" ")))
            }
            _ => None,
        });
        self.1.facts().heard.extend(results);
        let has_called = call.messages.iter().any(|message| message.tool_calls().next().is_some());
        let letters = if call.conversation == "c" { self.0 } else { "yn" };
        let level = call.conversation.replace("c/", "s");
        let calls = letters.chars().enumerate().map(|(at, letter)| {
            let tool = match letter {
                's' => "asks",
                'q' => "alone",
                _ => "does",
            };
            Block::ToolUse(ToolCall::new(format!("{level}{at}{letter}"), tool, json!({ "prompt": "go", "as": letter })))
        });
        let answer = if has_called { ModelAnswer::text("done") } else { ModelAnswer::new(calls.collect()) };
        Box::pin(async move { Ok(answer) })
    }
}

async fn open(bench: &Bench, world: &World, process: &Arc<Process>, letters: &'static str) -> Session {
    let does = |name| Does(name, world.clone(), Arc::clone(process));
    let harness = bench.harness().model("main", Caller(letters, world.clone())).tool(does("does")).tool(does("alone"));
    let harness = harness
        .agent(SubAgent::new(AgentDef::new("asks"), "Asks.").tools(["does"]))
        .approver(Desk(world.clone(), Arc::clone(process)))
        .store(Disturbed { store: Arc::clone(&bench.store), by: Dies(Arc::clone(process)) });
    bench.session(harness).await
}

/// The letters: `r` runs, `d` is denied, a person says `y` for yes, `n` for no, `a` for a result, `e` for another input, `u` for
/// yes, but late. `s` is an agent that asks about a call of its own, and `q` runs alone.
fn gate(input: &ToolInput) -> Permission {
    match input["as"].as_str() {
        Some("r" | "s" | "q") | None => Permission::Allow,
        Some("d") => Permission::deny("never"),
        Some("e") => Permission::defer("may it?"),
        Some(_) => Permission::ask("may it?"),
    }
}

/// Resumes the turn until it ends, with the answers of those who take their time. Returns whether it continued.
async fn resumes_to_the_end(session: &Session, world: &World) -> bool {
    let mut continued = false;
    loop {
        let reply = session.resume(None).await;
        match reply.outcome {
            Outcome::Suspended(_) if !world.answered_late.swap(true, Ordering::Relaxed) => continued = true,
            Outcome::Answered(_) => return true,
            Outcome::Failed(TurnError::NothingToResume) => return continued,
            outcome => panic!("{outcome:?}"),
        }
    }
}

/// Kills a process at a step. Returns `None` if it ended before.
fn kill(letters: &'static str, is_suspended: bool, resumes: bool, dies_at: usize) -> Option<()> {
    let what = format!("`{letters}`, suspended: {is_suspended}, killed at {dies_at}, resumed: {resumes}");
    let (world, process) = (World::default(), Process::new(dies_at));
    let mut bench = Bench::new([]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, input: &ToolInput| gate(input)));
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let first = runtime();
    let is_killed = first.block_on(async {
        if is_suspended {
            let session = open(&bench, &world, &Process::new(usize::MAX), letters).await;
            let reply = session.turn(None, "hi").await;
            assert!(matches!(reply.outcome, Outcome::Suspended(_)), "{what}: {reply}");
        }
        world.answered.store(true, Ordering::Relaxed);
        let session = open(&bench, &world, &process, letters).await;
        let turn = if is_suspended { session.resume(None) } else { session.turn(None, "hi") };
        tokio::select! {
            _ = turn.into_future() => false,
            () = process.dead.notified() => true,
        }
    });
    // Nothing of it runs on.
    first.shutdown_background();
    let stored = runtime().block_on(async { bench.store.page("c", None, 100).await.unwrap().rows });
    let results: Vec<&Message> = stored.iter().map(|row| &row.message).filter(|row| row.role == Role::Tool).collect();
    let has_result = |id: &str| results.iter().any(|row| format!("{:?}", row.content).contains(&format!("{id:?}")));
    let questions: Vec<_> = world.facts().open.keys().filter(|id| !has_result(id)).cloned().collect();
    let waits = |level: &str| questions.iter().any(|id| id.starts_with(level));
    // While a call of the group waits, no call of it has run; while one of an agent waits, all that do not run have results.
    let (group_waits, agent_waits) = (waits("c"), waits("s"));
    runtime().block_on(async {
        let session = open(&bench, &world, &Process::new(usize::MAX), letters).await;
        let continued = resumes && resumes_to_the_end(&session, &world).await;
        assert!(!is_killed || continued || !resumes || !(group_waits || agent_waits), "{what}: it does not continue");
        let reply = session.turn(None, "and now").await;
        assert!(matches!(reply.outcome, Outcome::Answered(_)), "{what}: {reply}");
    });
    let facts = world.facts();
    assert!(facts.wrong.is_empty(), "{what}: {:?}", facts.wrong);
    for (at, letter) in letters.char_indices() {
        let id = format!("c{at}{letter}");
        let (ran, text) = (facts.ran.get(&id).copied().unwrap_or_default(), facts.heard[&id].as_str());
        let what = format!("{what}: {id} ran {ran} times: {text}");
        let may = usize::from(!matches!(letter, 'n' | 'a' | 'd' | 's'));
        assert!(ran <= may, "{what}");
        assert!(ran == 0 || !text.contains("Not run"), "{what}");
        let expected = match letter {
            'n' => "Denied: may it?. not now",
            'a' => "by hand",
            'd' => "Denied: never",
            's' => "done",
            _ => "it ran",
        };
        // What is certain stays certain.
        let is_certain = match letter {
            'n' | 'a' | 'd' | 'q' => group_waits || agent_waits,
            's' => group_waits || waits(&format!("s{id}")),
            _ => group_waits,
        };
        if !is_killed && (resumes || !letters.contains('u')) || resumes && is_certain {
            assert!(text.contains(expected) && ran == may, "{what}");
        } else if group_waits {
            assert!(text.contains("Not run") || has_result(&id), "{what}");
        }
    }
    assert!(facts.ran.values().all(|ran| *ran <= 1), "{what}: {:?}", facts.ran);
    is_killed.then_some(())
}

#[test]
fn whenever_a_process_is_killed_no_call_of_a_group_runs_twice_and_what_is_said_of_it_is_true() {
    let groups = [
        "y", "nr", "rn", "ar", "yn", "ny", "ynr", "en", "dn", "rd", "ndr", "nrq", "ynq", "una", "nnr", "sn", "ns",
        "sr", "ds", "sy", "ssn", "snq",
    ];
    for letters in groups {
        let is_asked = letters.contains(['y', 'n', 'a', 'e', 'u', 's']);
        for (is_suspended, resumes) in [(false, true), (false, false), (true, true), (true, false)] {
            if is_suspended && !is_asked || letters.contains('u') && !is_suspended {
                continue;
            }
            let kills = (1..200).map_while(|dies_at| kill(letters, is_suspended, resumes, dies_at)).count();
            assert!(kills > 1 && kills < 199, "{letters}: {kills} kills");
        }
    }
}
