//! A storm with aim: conversations over many turns, in which calls wait, people answer, cancel and say something new,
//! hooks fail and halt, the store fails before and after it stores, and agents call agents three levels deep.
//!
//! `HOOKS_AGENT_LIVES=3000 HOOKS_AGENT_SEED=7 cargo test -p hooks-agent --test it storm -- --nocapture` runs that many
//! conversations. A failure names the seed of its conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hook_sdk::data::{Block, CompactedHistory, Message, Messages, Role, ToolCall};
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{MemoryStore, MessageStore, StoreError, StoreFuture, Written};
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::window::{Compaction, Compactor, DropThenSummarise, ToCompact, Window};
use hooks_agent::{Harness, Limits, Outcome, Session, SubAgent};
use serde_json::json;

use super::stores::{Disturb, Disturbed};

/// `SplitMix64`.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.roll(all.len() as u64)).unwrap()]
    }
}

/// What happened to a call. Each has a number of its own in its input.
#[derive(Clone, Debug, Default)]
struct Fate {
    /// The gate let it run, or somebody approved it.
    may_run: bool,
    asked: bool,
    denied: bool,
    started: u32,
    finished: u32,
}

struct Asked {
    request: ApprovalRequest,
    answer: Option<Approval>,
    is_closed: bool,
}

/// Everything outside of the loop, and what it did.
struct Sky {
    dice: Dice,
    /// How bad the weather is, in per mille.
    chaos: u64,
    /// The window: 0 is large, 1 small, 2 is small and what makes room in it does what it likes.
    room: u64,
    calls: u64,
    fates: BTreeMap<u64, Fate>,
    questions: BTreeMap<(String, String), Asked>,
    turns: usize,
    /// The rows that compactions made. Each stands for rows that are not read any more.
    folded: BTreeSet<String>,
    /// What a provider would reject.
    broken: Vec<String>,
    log: Vec<String>,
}

#[derive(Clone)]
struct World(Arc<Mutex<Sky>>);

impl World {
    fn sky(&self) -> MutexGuard<'_, Sky> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn roll(&self, sides: u64) -> u64 {
        self.sky().dice.roll(sides)
    }

    fn strikes(&self) -> bool {
        let mut sky = self.sky();
        let chaos = sky.chaos;
        sky.dice.roll(1_000) < chaos
    }

    fn fate(&self, number: u64, change: impl FnOnce(&mut Fate)) {
        change(self.sky().fates.entry(number).or_default());
    }
}

fn number(input: &ToolInput) -> u64 {
    input["n"].as_u64().unwrap_or_default()
}

/// A call without its results behind it, or a result that is not of such a call.
fn unpaired(messages: &[Message]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let results = message.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.call_id.as_str()),
            _ => None,
        });
        let mut has_results = false;
        for id in results {
            has_results = true;
            let Some(at) = open.iter().position(|call| *call == id) else {
                return Some(format!("a result of {id} that has no open call"));
            };
            open.remove(at);
        }
        if !has_results && !open.is_empty() {
            return Some(format!("no results of {open:?}"));
        }
        open.extend(message.tool_calls().map(|call| call.id.as_str()));
    }
    (!open.is_empty()).then(|| format!("no results of {open:?}"))
}

struct Talks(World);

impl Model for Talks {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if let Some(broken) = unpaired(&call.messages) {
                self.0.sky().broken.push(format!("the model of {} reads {broken}", call.conversation));
            }
            if self.0.strikes() {
                return Err(match self.0.roll(4) {
                    0 => ModelError::Overflow("too long".to_owned()),
                    1 => ModelError::Rejected("no".to_owned()),
                    2 => ModelError::Broken("cut off".to_owned()),
                    _ => ModelError::Unavailable("down".to_owned()),
                });
            }
            let is_quiet = self.0.sky().chaos == 0;
            if call.tools.is_empty() || is_quiet || self.0.roll(10) < 4 {
                deltas.text("so ");
                tokio::task::yield_now().await;
                return Ok(ModelAnswer::text("so be it"));
            }
            let calls = (0..=self.0.roll(3)).map(|_| {
                let tool = &self.0.sky().dice.pick(&call.tools).name;
                let mut sky = self.0.sky();
                sky.calls += 1;
                // The ids of calls clash on purpose.
                let (n, id) = (sky.calls, sky.dice.roll(3));
                Block::ToolUse(ToolCall::new(format!("call_{id}"), tool, json!({ "n": n, "prompt": "go on" })))
            });
            Ok(ModelAnswer::new(calls.collect()))
        })
    }
}

/// A compactor that does what it likes: it drops, rewrites and moves messages, and parts calls from their results.
struct Wild(World);

impl Compactor for Wild {
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        if self.0.roll(3) == 0 {
            return DropThenSummarise::default().compact(kind, conversation);
        }
        let is_gentle = self.0.roll(2) == 0;
        if self.0.roll(4) == 0 {
            let at = || usize::try_from(self.0.roll(conversation.messages.len() as u64 + 1)).unwrap();
            let (one, other) = (at(), at());
            return Some(Compaction::summarise("Sum up.", one.min(other)..one.max(other)));
        }
        let mut rest = Vec::new();
        for message in conversation.messages.iter() {
            let mut message = message.clone();
            match self.0.roll(6) {
                0 if !is_gentle || matches!(message.content.first(), Some(Block::Text(_))) => continue,
                1 | 2 => {
                    for block in &mut message.content {
                        match block {
                            Block::ToolResult(result) => result.content = vec![Block::from("cut")],
                            Block::Text(text) if !text.text.starts_with("say") => text.text.truncate(6),
                            _ => {}
                        }
                    }
                }
                3 if !is_gentle => {
                    let at = usize::try_from(self.0.roll(rest.len() as u64 + 1)).unwrap();
                    rest.insert(at, message);
                    continue;
                }
                4 if !is_gentle && !message.text().starts_with("say") => match self.0.roll(2) {
                    0 => drop(message.content.pop()),
                    _ => rest.push(message.clone()),
                },
                _ => {}
            }
            rest.push(message);
        }
        let rest = CompactedHistory::new(rest.into());
        Some(Compaction::Rest(if self.0.roll(2) == 0 { rest.summary("they talk") } else { rest }))
    }
}

struct Works(World, &'static str);

impl Tool for Works {
    fn spec(&self) -> ToolSpec {
        let spec = ToolSpec::new(self.1);
        if self.1 == "reads" { spec.parallel() } else { spec }
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        _: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let n = number(&input);
            self.0.fate(n, |fate| fate.started += 1);
            tokio::time::sleep(Duration::from_millis(self.0.roll(3))).await;
            self.0.fate(n, |fate| fate.finished += 1);
            if self.1 == "breaks" {
                Err(ToolError::new(format!("broke {n}")))
            } else {
                Ok(ToolResult::new(format!("did {n}")))
            }
        })
    }
}

struct Desk(World);

impl Approver for Desk {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let mut sky = self.0.sky();
            let key = (request.conversation.clone(), request.call.id.clone());
            let known = sky.questions.get(&key).filter(|asked| !asked.is_closed).and_then(|asked| asked.answer.clone());
            let answer = known.unwrap_or_else(|| match sky.dice.roll(4) {
                0 => Approval::Yes,
                1 => Approval::No("not now".to_owned()),
                _ => Approval::Suspend,
            });
            sky.log.push(format!("{key:?} #{} answered {answer:?}", number(&request.input)));
            let fate = sky.fates.entry(number(&request.input)).or_default();
            fate.asked = true;
            match &answer {
                Approval::Yes => fate.may_run = true,
                Approval::No(_) => fate.denied = true,
                _ => {}
            }
            let answered = Some(answer.clone()).filter(|answer| *answer != Approval::Suspend);
            sky.questions.insert(key, Asked { request: request.clone(), answer: answered, is_closed: false });
            Ok(answer)
        })
    }

    fn close<'a>(&'a self, of: &'a str, calls: &'a [&'a str], _: Option<u64>) -> StoreFuture<'a, Vec<String>> {
        Box::pin(async move {
            if self.0.strikes() {
                return Err(StoreError::new("the desk is closed"));
            }
            let mut sky = self.0.sky();
            let mut closed = Vec::new();
            for call in calls {
                if let Some(asked) = sky.questions.get_mut(&(of.to_owned(), (*call).to_owned()))
                    && std::mem::replace(&mut asked.is_closed, true)
                {
                    closed.push((*call).to_owned());
                }
            }
            sky.log.push(format!("{of}: closes {calls:?}, closed before {closed:?}"));
            drop(sky);
            if self.0.strikes() { Err(StoreError::new("the line was cut")) } else { Ok(closed) }
        })
    }

    fn update<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        let mut sky = self.0.sky();
        let key = (request.conversation.clone(), request.call.id.clone());
        if let Some(asked) = sky.questions.get_mut(&key).filter(|asked| asked.request.id == request.id) {
            asked.request.clone_from(request);
        }
        drop(sky);
        Box::pin(async { Ok(()) })
    }

    fn reopen<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        let mut sky = self.0.sky();
        sky.log.push(format!("{}: reopens {}", request.conversation, request.call.id));
        let key = (request.conversation.clone(), request.call.id.clone());
        if let Some(asked) = sky.questions.get_mut(&key).filter(|asked| asked.request.id == request.id) {
            asked.is_closed = false;
        }
        drop(sky);
        Box::pin(async { Ok(()) })
    }

    fn held<'a>(&'a self, of: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        let sky = self.0.sky();
        let held = sky.questions.get(&(of.to_owned(), call.to_owned())).filter(|asked| !asked.is_closed);
        let held = held.map(|asked| asked.request.clone());
        drop(sky);
        Box::pin(async move { Ok(held) })
    }
}

impl Disturb for World {
    fn before(&self, call: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if call != "page" && self.strikes() { Err(StoreError::new("the disk is full")) } else { Ok(()) }
        })
    }

    fn folded(&self, written: &Written) {
        self.sky().folded.extend(written.rows.iter().map(|row| row.id.clone()));
    }

    fn after(&self, call: &'static str) -> Result<(), StoreError> {
        // The row is there, and nobody knows.
        if matches!(call, "append" | "fold") && self.strikes() {
            Err(StoreError::new("the connection is lost"))
        } else {
            Ok(())
        }
    }
}

macro_rules! fragile {
    ($registry:ident, $world:ident: $($kind:ident),*) => {
        vec![$({
            let (id, world) = (format!("fragile_{}", <$kind as HookKind>::NAME), $world.clone());
            let hook = Hook::at::<$kind>(&id).reader(move |_, _, _| {
                if !world.strikes() {
                    return Ok::<(), Box<dyn std::error::Error + Send + Sync>>(());
                }
                Err(if world.roll(3) == 0 { Halt::new("enough").into() } else { "it is down".into() })
            });
            $registry.register(hook.on_failure(OnFailure::Required)).unwrap();
            id
        }),*]
    };
}

fn harness(world: &World, store: &Arc<MemoryStore>) -> (Harness, AgentDef) {
    let registry = Registry::empty();
    let judges = world.clone();
    let gate = Hook::at::<BeforeToolCall>("gate").reader(move |_, _, input: &ToolInput| {
        let n = number(input);
        // What a gate says about a call stays the same, as long as no person answered.
        match n % 5 {
            0 => Permission::ask("may I?"),
            1 => {
                judges.fate(n, |fate| fate.denied = true);
                Permission::deny("never")
            }
            _ => {
                judges.fate(n, |fate| fate.may_run = true);
                Permission::NoOpinion
            }
        }
    });
    registry.register(gate).unwrap();
    let counts = world.clone();
    registry.register(Hook::at::<TurnEnd>("counts").reader(move |_, _, ()| counts.sky().turns += 1)).unwrap();
    let ids = fragile!(registry, world: FilterMessages, UserPromptSubmit, BeforeAgentStart, PrePolicy, PreModelCall,
        PostModelCall, BeforeToolCall, PermissionRequest, AfterToolCallSuccess, AfterToolCallFailure, AfterToolCall,
        BeforeStoreToolResult, BeforeCreateMessage, AfterCreateMessage, Stop, BeforeCompaction, PostCompact);
    registry.set_app(AppDef::new("storm").hooks(ids.iter().map(String::as_str).chain(["counts", "forgets"])));
    let forgets = world.clone();
    let forgets = Hook::at::<FilterMessages>("forgets").writer(move |_, _, messages: &mut Messages| {
        let mut is_out = false;
        messages.retain(|message| {
            if message.role != Role::Tool {
                is_out = forgets.sky().room > 0 && forgets.roll(6) == 0;
            }
            !is_out
        });
    });
    registry.register(forgets.on_failure(OnFailure::Continue)).unwrap();
    let mut limits = Limits::default();
    limits.iterations = 12;
    limits.retries = 1;
    let level = |name: &str, tools: &[&str]| {
        SubAgent::new(AgentDef::new(name).hooks::<String>([]), "Helps.").tools(tools.iter().copied())
    };
    let mut harness = Harness::builder(registry)
        .model("main", Talks(world.clone()))
        .store(Disturbed { store: Arc::clone(store), by: world.clone() })
        .approver(Desk(world.clone()))
        .window(match world.sky().room {
            0 => Window::new(100_000),
            1 => Window::new(200).compact_at(60),
            _ => Window::new(200).compact_at(60).compactor(Wild(world.clone())),
        })
        .limits(limits)
        .agent(level("one", &["works", "reads", "two"]))
        .agent(level("two", &["works", "breaks", "three"]))
        .agent(level("three", &["works", "reads"]));
    for tool in ["works", "reads", "breaks"] {
        harness = harness.tool(Works(world.clone(), tool));
    }
    for name in ["one", "two", "three"] {
        let about = format!("gate in agent `{name}`");
        harness = harness.accept(FindingKind::DroppedGate, about, "the gate of the caller judges");
    }
    (harness.build().unwrap(), AgentDef::new("a").hooks(["gate"]))
}

/// What the store has, by conversation: what is read, and all that was ever appended.
async fn stored(world: &World, store: &MemoryStore) -> Vec<(String, Vec<Message>)> {
    let mut all = Vec::new();
    for id in store.conversations(None, 1_000).await.unwrap().ids {
        let read = store.page(&id, None, 10_000).await.unwrap().rows;
        let mut appended = store.history(&id, None, 10_000).await.unwrap().rows;
        appended.retain(|row| !world.sky().folded.contains(&row.id));
        for rows in [read, appended] {
            all.push((id.clone(), rows.into_iter().map(|row| row.message).collect()));
        }
    }
    all
}

/// What must hold at any time. A call can stay open in the store if the store fails, but never in what a model reads.
fn holds(world: &World, all: &[(String, Vec<Message>)]) -> Result<(), String> {
    let sky = world.sky();
    for (n, fate) in &sky.fates {
        if fate.started > 1 {
            return Err(format!("call #{n} ran {} times: {fate:?}", fate.started));
        }
        if fate.started > 0 && (!fate.may_run || fate.denied) {
            return Err(format!("call #{n} ran without its gate: {fate:?}"));
        }
    }
    for (conversation, messages) in all {
        let mut calls: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
        let mut prompts = BTreeSet::new();
        for message in messages {
            let text = message.text();
            if message.role == Role::User && text.starts_with("say ") && !prompts.insert(text.clone().into_owned()) {
                return Err(format!("{conversation}: `{text}` is stored twice"));
            }
            for block in &message.content {
                match block {
                    Block::ToolUse(call) if calls.insert(&call.id, (number(&call.input), false)).is_some() => {
                        return Err(format!("{conversation}: two calls have the id {}", call.id));
                    }
                    Block::ToolResult(result) => {
                        let Some((n, has_result)) = calls.get_mut(result.call_id.as_str()) else {
                            return Err(format!("{conversation}: a result without its call: {result:?}"));
                        };
                        if std::mem::replace(has_result, true) {
                            return Err(format!("{conversation}: a second result of #{n}: {result:?}"));
                        }
                        let fate = sky.fates.get(n).cloned().unwrap_or_default();
                        let text: String = result.content.iter().filter_map(Block::as_text).collect();
                        let says_ran = text.contains(&format!("did {n}")) || text.contains(&format!("broke {n}"));
                        let says_not = text.contains("Not run") || text.contains("Denied");
                        if says_ran && fate.finished == 0 || says_not && fate.started > 0 {
                            return Err(format!("{conversation}: the result of #{n} is not true: {text}; {fate:?}"));
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    if let Some(broken) = sky.broken.first() {
        return Err(broken.clone());
    }
    Ok(())
}

async fn open(harness: &Harness, agent: &AgentDef) -> Option<Session> {
    harness.session("c", agent.clone()).system_prompt("Be brief.").open().await.ok()
}

/// One conversation.
async fn live(world: &World, store: &Arc<MemoryStore>) -> Result<(), String> {
    let (mut machine, agent) = harness(world, store);
    let Some(mut session) = open(&machine, &agent).await else { return Ok(()) };
    let actions = 4 + world.roll(12);
    let mut prompts = 0;
    for _ in 0..actions {
        let action = world.roll(12);
        world.sky().log.push(format!("action {action}"));
        match action {
            0..=7 => {
                let turn = if action < 4 {
                    prompts += 1;
                    session.turn(None, format!("say {prompts}"))
                } else {
                    session.resume(None)
                };
                let (cancel, drop_it) = (turn.cancellation(), world.roll(8) == 0);
                let cancels_at = (world.roll(3) == 0).then(|| world.roll(120));
                if let Some(polls) = cancels_at {
                    if drop_it {
                        for _ in 0..polls {
                            tokio::task::yield_now().await;
                        }
                        drop(turn);
                        // Another process does not wait for its end, as it does not where a store has no leases.
                        tokio::time::sleep(Duration::from_secs(3_600)).await;
                    } else {
                        tokio::spawn(async move {
                            for _ in 0..polls {
                                tokio::task::yield_now().await;
                            }
                            cancel.cancel();
                        });
                        let ended = outcome(&turn.await.outcome);
                        world.sky().log.push(ended);
                    }
                } else {
                    let ended = outcome(&turn.await.outcome);
                    world.sky().log.push(ended);
                }
            }
            8 => {
                let mut sky = world.sky();
                let open = sky.questions.iter().filter(|(_, asked)| !asked.is_closed && asked.answer.is_none());
                let open: Vec<_> = open.map(|(key, _)| key.clone()).collect();
                if !open.is_empty() {
                    let key = sky.dice.pick(&open).clone();
                    let answer = if sky.dice.roll(2) == 0 { Approval::Yes } else { Approval::No("no".to_owned()) };
                    sky.log.push(format!("{key:?} is answered later: {answer:?}"));
                    sky.questions.get_mut(&key).unwrap().answer = Some(answer);
                }
            }
            9 => drop(session.add(None, Message::new(Role::User, "by the way")).await),
            10 => drop(session.compact("").await),
            _ => {
                // Another process.
                (machine, _) = harness(world, store);
                match open(&machine, &agent).await {
                    Some(opened) => session = opened,
                    None => return Ok(()),
                }
            }
        }
        holds(world, &stored(world, store).await)?;
    }
    // The weather clears up: somebody says something, and no call stays open.
    world.sky().chaos = 0;
    let reply = session.turn(None, "say goodbye").await;
    if !matches!(reply.outcome, Outcome::Answered(_)) {
        return Err(format!("in fair weather, a turn ends with {:?}", reply.outcome));
    }
    holds(world, &stored(world, store).await)
}

fn outcome(outcome: &Outcome) -> String {
    format!("{outcome:?}").chars().take(160).collect()
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn in_a_storm_every_call_has_one_true_result_and_none_runs_without_its_gate() {
    hook_sdk::quiet_panics();
    let (lives, seed) = (setting("HOOKS_AGENT_LIVES", 60), setting("HOOKS_AGENT_SEED", 1));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (mut turns, mut failed) = (0, Vec::new());
    for seed in seed..seed + lives {
        let sky = Sky {
            dice: Dice(seed),
            chaos: [0, 5, 20, 60][(seed % 4) as usize],
            room: seed / 4 % 3,
            calls: 0,
            fates: BTreeMap::new(),
            questions: BTreeMap::new(),
            turns: 0,
            folded: BTreeSet::new(),
            broken: Vec::new(),
            log: Vec::new(),
        };
        let (world, store) = (World(Arc::new(Mutex::new(sky))), Arc::new(MemoryStore::new()));
        let ended = runtime.block_on(async {
            let life = live(&world, &store);
            tokio::time::timeout(Duration::from_secs(360_000), life)
                .await
                .unwrap_or_else(|_| Err("it hangs".to_owned()))
        });
        turns += world.sky().turns;
        if let Err(error) = ended {
            failed.push(format!("seed {seed}: {error}"));
            if lives == 1 {
                println!("{}", world.sky().log.join("\n"));
                let all = runtime.block_on(stored(&world, &store));
                for (conversation, messages) in all {
                    for message in &messages {
                        let ids: Vec<_> = message.tool_calls().map(|call| &call.id).collect();
                        println!("{conversation} | {} {ids:?}", super::bench::line(message));
                    }
                }
            }
        }
    }
    println!("{lives} conversations, {turns} turns, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed[..failed.len().min(12)].join("\n"));
}
