//! The rows of the table: each one of ours beside its floor, with its budget.

use std::hint::black_box;
use std::time::Instant;

use hook_sdk::data::Role;
use hook_sdk::kinds::{AfterToolCall, AfterToolCallSuccess, BeforeToolCall, FilterMessages};
use hook_sdk::prelude::*;
use hook_sdk::verdict::Decision;

use crate::measure::{Measured, pair, ready, summary};
use crate::{floors, hooks};

pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The ratio that must hold, and the one that is wished for.
    pub(crate) budget: f64,
    pub(crate) goal: Option<f64>,
    pub(crate) run: fn() -> Measured,
}

pub(crate) fn all() -> Vec<Row> {
    let row = |name, budget, goal, run| Row { name, budget, goal, run };
    vec![
        row("a kind nobody hooks, sync", 2.0, None, unhooked_sync as fn() -> Measured),
        row("a kind nobody hooks, async", 2.0, None, unhooked_async),
        row("8 sync hooks that read", 2.0, Some(1.5), || sync_same(hooks::sync_read::refs(), read_floor())),
        row("8 sync hooks with &mut that change nothing", 2.0, Some(1.5), || {
            sync_same(hooks::sync_lend::refs(), lend_floor(floors::lend()))
        }),
        row("8 sync hooks by value that change nothing", 2.0, Some(1.5), || {
            sync_same(hooks::sync_own::refs(), own_floor())
        }),
        row("8 sync gates without opinion", 2.0, Some(1.5), gates),
        row("8 sync hooks that each write one field, floor clones for each", 1.3, None, || {
            sync_same(hooks::sync_write::refs(), cloning_floor())
        }),
        row("8 async hooks that read, ready at once", 1.5, Some(1.1), || {
            async_same(hooks::async_read::refs(), async_read_floor())
        }),
        row("8 async hooks by value that change nothing, ready at once", 1.5, Some(1.1), || {
            async_same(hooks::async_own::refs(), async_own_floor(floors::async_own(), false))
        }),
        row("8 async hooks that each write one field, floor clones for each", 1.5, Some(1.1), || {
            async_same(hooks::async_write::refs(), async_own_floor(floors::async_write(), true))
        }),
        row("a tool call as a step, with a gate and a reader, floor: its dispatches by hand", 1.05, None, tool_call),
        row("8 sync hooks that read, observed, floor: timed", 1.5, None, observed),
        row("8 hooks on 10,000 messages untouched, floor: on 10", 1.2, None, histories),
        row("20 hooks out of 10,000 registered, floor: out of 20", 1.1, None, scoped),
        row("making a set of 20 out of 10,000, floor: out of 20", 2.0, None, making),
        row("ordering a stage of 10,000, per hook, floor: of 500", 4.0, None, ordering),
        row("reading a list of 80,000 in one line, per entry, floor: of 2,000", 4.0, None, reading),
        row("8 readers that wait 10 ms, floor: one", 1.5, None, waiting),
    ]
}

fn event() -> AfterToolCallSuccess {
    let input = serde_json::json!({ "id": 7 });
    AfterToolCallSuccess::new(ToolCall::new("call_1", "lookup", input.clone()), input)
}

fn unhooked_sync() -> Measured {
    let (set, cx, event, list) = (hooks::set([]), HookContext::new(), event(), black_box(Vec::<floors::Own>::new()));
    let (mut ours, mut floor) = (Some(ToolResult::new("found")), Some(ToolResult::new("found")));
    pair(
        || {
            let fired = set
                .fire_blocking(black_box(&cx), black_box(&event), ours.take().expect("it comes back"))
                .expect("nothing fails");
            ours = fired.subject;
        },
        || floor = if_any(&list, &cx, &event, floor.take().expect("it comes back")).expect("nothing fails").subject,
    )
}

fn unhooked_async() -> Measured {
    let (set, cx, event, list) =
        (hooks::set([]), HookContext::new(), event(), black_box(Vec::<floors::AsyncOwn>::new()));
    let (mut ours, mut floor) = (Some(ToolResult::new("found")), Some(ToolResult::new("found")));
    pair(
        || {
            let fired = ready!(set.fire(black_box(&cx), black_box(&event), ours.take().expect("it comes back")))
                .expect("nothing fails");
            ours = fired.subject;
        },
        || {
            let outcome =
                ready!(if_any_async(&list, black_box(&cx), black_box(&event), floor.take().expect("it comes back")));
            floor = outcome.expect("nothing fails").subject;
        },
    )
}

/// The same outcome as ours, so that the moves are the same too.
struct Outcome {
    subject: Option<ToolResult>,
    #[allow(dead_code)] // there to be moved
    report: Option<Box<[String; 4]>>,
}

#[inline(never)]
fn if_any(
    list: &[floors::Own],
    cx: &HookContext,
    event: &AfterToolCallSuccess,
    mut subject: ToolResult,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    if !list.is_empty() {
        for hook in list {
            subject = hook(cx, event, subject);
        }
    }
    Ok(Outcome { subject: Some(subject), report: None })
}

async fn if_any_async(
    list: &[floors::AsyncOwn],
    cx: &HookContext,
    event: &AfterToolCallSuccess,
    mut subject: ToolResult,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    if !list.is_empty() {
        for hook in list {
            subject = hook(cx, event, subject).await;
        }
    }
    Ok(Outcome { subject: Some(subject), report: None })
}

type Floor = Box<dyn FnMut(&HookContext, &AfterToolCallSuccess, ToolResult) -> ToolResult>;

/// Ours beside a floor over the same subject.
fn sync_same(refs: [hook_sdk::scope::HookRef; 8], mut by_hand: Floor) -> Measured {
    let (set, cx, event) = (hooks::set(refs), HookContext::new(), event());
    let (mut ours, mut floor) = (Some(ToolResult::new("found")), Some(ToolResult::new("found")));
    pair(
        || {
            let fired = set.fire_blocking(&cx, &event, ours.take().expect("it comes back")).expect("nothing fails");
            ours = fired.subject;
        },
        || floor = Some(by_hand(&cx, &event, floor.take().expect("it comes back"))),
    )
}

/// What an app that measures its hooks by hand writes: two readings of the clock for each, and a list for who listens.
fn observed() -> Measured {
    let (set, cx, event) = (hooks::observed(hooks::sync_read::refs()), HookContext::new(), event());
    let (list, observer) = (floors::read(), floors::observer());
    let (mut ours, mut floor) = (Some(ToolResult::new("found")), ToolResult::new("found"));
    pair(
        || {
            let fired = set.fire_blocking(&cx, &event, ours.take().expect("it comes back")).expect("nothing fails");
            ours = fired.subject;
        },
        || {
            let mut runs = Vec::with_capacity(list.len());
            for hook in &list {
                let start = Instant::now();
                hook(&cx, &event, &floor);
                runs.push(floors::Run { hook: "a_hook", ok: true, duration: start.elapsed() });
            }
            observer(&runs);
            black_box(&mut floor);
        },
    )
}

fn read_floor() -> Floor {
    let list = floors::read();
    Box::new(move |cx, event, subject| {
        for hook in &list {
            hook(cx, event, &subject);
        }
        subject
    })
}

fn lend_floor(list: Vec<floors::Lend>) -> Floor {
    Box::new(move |cx, event, mut subject| {
        for hook in &list {
            hook(cx, event, &mut subject);
        }
        subject
    })
}

fn own_floor() -> Floor {
    let list = floors::own();
    Box::new(move |cx, event, subject| list.iter().fold(subject, |subject, hook| hook(cx, event, subject)))
}

/// What a snapshot by hand costs: each hook gets a clone, which replaces the subject when it is done.
fn cloning_floor() -> Floor {
    let list = floors::write();
    Box::new(move |cx, event, mut subject| {
        for hook in &list {
            let mut draft = subject.clone();
            hook(cx, event, &mut draft);
            subject = draft;
        }
        subject
    })
}

fn gates() -> Measured {
    let (set, cx) = (hooks::set(hooks::gate::refs()), HookContext::new());
    let call = ToolCall::new("call_1", "lookup", serde_json::json!({ "id": 7 }));
    let (mut ours, mut floor, event, list) =
        (Some(call.input.clone()), call.input.clone(), BeforeToolCall::new(call), floors::gate());
    pair(
        || {
            let fired = set.fire_blocking(&cx, &event, ours.take().expect("it comes back")).expect("nothing fails");
            black_box(&fired.verdict);
            ours = Some(fired.subject);
        },
        || {
            let mut verdict = Permission::NoOpinion;
            for hook in &list {
                verdict.merge(hook(&cx, &floor));
            }
            black_box((&verdict, &mut floor));
        },
    )
}

/// A step beside what a loop without it writes, as short as it can be: the same dispatches, and the same answers read.
fn tool_call() -> Measured {
    let [gate, ..] = hooks::gate::refs();
    let [reader, ..] = hooks::sync_read::refs();
    let (set, cx) = (hooks::set([gate, reader]), HookContext::new());
    let call = ToolCall::new("call_1", "lookup", serde_json::json!({ "id": 7 }));
    let tool = |input: ToolInput| {
        black_box(input);
        ToolResult::new("found")
    };
    pair(
        || {
            let _ = black_box(set.tool_call(&cx, &call).run_blocking(tool).expect("nothing fails"));
        },
        || {
            let _ = black_box(by_hand(&set, &cx, &call, tool).expect("nothing fails"));
        },
    )
}

#[inline(never)]
fn by_hand(
    set: &HookSet,
    cx: &HookContext,
    call: &ToolCall,
    tool: impl FnOnce(ToolInput) -> ToolResult,
) -> Result<ToolResult, Box<dyn std::error::Error>> {
    let mut input = call.input.clone();
    if set.has::<BeforeToolCall>() {
        let fired = set.fire_blocking(cx, &BeforeToolCall::new(call.clone()), input)?;
        if let Some(halt) = &fired.report.halt {
            return Err(halt.reason.as_str().into());
        }
        if !matches!(fired.verdict.decide(), Decision::Run) {
            return Err("denied".into());
        }
        input = fired.subject;
    }
    let start = Instant::now();
    let mut result = Some(tool(input.clone()));
    let elapsed = start.elapsed();
    if set.has::<AfterToolCallSuccess>() {
        let event = AfterToolCallSuccess::new(call.clone(), input.clone()).duration(elapsed);
        let fired = set.fire_blocking(cx, &event, result.unwrap_or_else(|| ToolResult::new("")))?;
        if let Some(halt) = &fired.report.halt {
            return Err(halt.reason.as_str().into());
        }
        result = fired.subject;
    }
    if set.has::<AfterToolCall>() {
        let mut event = AfterToolCall::new(call.clone(), input).duration(elapsed);
        event.result.clone_from(&result);
        let fired = set.fire_blocking(cx, &event, ())?;
        if let Some(halt) = &fired.report.halt {
            return Err(halt.reason.as_str().into());
        }
    }
    Ok(result.unwrap_or_else(|| ToolResult::new("[removed]")))
}

/// Ours beside a floor that is a future over the same subject.
fn async_same<F>(refs: [hook_sdk::scope::HookRef; 8], by_hand: F) -> Measured
where
    F: AsyncFn(&HookContext, &AfterToolCallSuccess, ToolResult) -> ToolResult,
{
    let (set, cx, event) = (hooks::set(refs), HookContext::new(), event());
    let (mut ours, mut floor) = (Some(ToolResult::new("found")), Some(ToolResult::new("found")));
    pair(
        || {
            let fired = ready!(set.fire(&cx, &event, ours.take().expect("it comes back"))).expect("nothing fails");
            ours = fired.subject;
        },
        || floor = Some(ready!(by_hand(&cx, &event, floor.take().expect("it comes back")))),
    )
}

fn async_read_floor() -> impl AsyncFn(&HookContext, &AfterToolCallSuccess, ToolResult) -> ToolResult {
    let list = floors::async_read();
    async move |cx: &HookContext, event: &AfterToolCallSuccess, subject| {
        for hook in &list {
            hook(cx, event, &subject).await;
        }
        subject
    }
}

fn async_own_floor(
    list: Vec<floors::AsyncOwn>,
    clone: bool,
) -> impl AsyncFn(&HookContext, &AfterToolCallSuccess, ToolResult) -> ToolResult {
    async move |cx: &HookContext, event: &AfterToolCallSuccess, mut subject: ToolResult| {
        for hook in &list {
            // The snapshot is there until the hook is done.
            let snapshot = clone.then(|| subject.clone());
            subject = hook(cx, event, subject).await;
            drop(snapshot);
        }
        subject
    }
}

fn histories() -> Measured {
    let conversation = |length| {
        Messages::from((0..length).map(|i| Message::new(Role::User, format!("message {i}"))).collect::<Vec<_>>())
    };
    let (set, cx, event) = (hooks::set(hooks::history::refs()), HookContext::new(), FilterMessages::new());
    let (mut long, mut short) = (Some(conversation(10_000)), Some(conversation(10)));
    black_box(floors::edit_history());
    let fire = |subject: &mut Option<Messages>| {
        let fired = set.fire_blocking(&cx, &event, subject.take().expect("it comes back")).expect("nothing fails");
        *subject = Some(fired.subject);
    };
    pair(|| fire(&mut long), || fire(&mut short))
}

/// A registry of so many hooks of which an agent names twenty.
fn registry(size: usize) -> (Registry, AgentDef) {
    let registry = Registry::empty();
    let id = |i: usize| format!("hook_{i}");
    for i in 0..size {
        let hook = Hook::at::<AfterToolCallSuccess>(&id(i)).reader(|_, _, result: &ToolResult| {
            black_box(result);
        });
        registry.register(hook).expect("the ids differ");
    }
    let agent = AgentDef::new("bench").hooks((0..20).map(|i| id(i * (size / 20))));
    (registry, agent)
}

fn scoped() -> Measured {
    let set = |size| {
        let (registry, agent) = registry(size);
        registry.scope(&agent, None).expect("nothing is wrong")
    };
    let (many, few, cx, event) = (set(10_000), set(20), HookContext::new(), event());
    let fire = |set: &HookSet, subject: &mut Option<ToolResult>| {
        *subject =
            set.fire_blocking(&cx, &event, subject.take().expect("it comes back")).expect("nothing fails").subject;
    };
    let (mut ours, mut floor) = (Some(ToolResult::new("found")), Some(ToolResult::new("found")));
    pair(|| fire(&many, &mut ours), || fire(&few, &mut floor))
}

fn making() -> Measured {
    let ((many, ours), (few, floor)) = (registry(10_000), registry(20));
    let make = |registry: &Registry, agent: &AgentDef| {
        black_box(registry.scope(agent, None).expect("nothing is wrong"));
    };
    pair(|| make(&many, &ours), || make(&few, &floor))
}

/// What grows with the square of a list would show here.
fn ordering() -> Measured {
    let registry = registry(10_000).0;
    let agent = |count: usize| AgentDef::new("bench").hooks((0..count).map(|i| format!("hook_{i}")));
    let (many, few) = (agent(10_000), agent(500));
    let time = |agent: &AgentDef, count: u32| {
        let start = Instant::now();
        black_box(registry.scope(agent, None).expect("nothing is wrong"));
        start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
    };
    let mut pairs: Vec<(f64, f64)> = (0..11).map(|_| (time(&many, 10_000), time(&few, 500))).collect();
    summary(&mut pairs)
}

fn reading() -> Measured {
    let list = |count: usize| {
        let ids: Vec<String> = (0..count).map(|i| format!("\"ü{i}\"")).collect();
        format!("{{\"hooks\": [{}]}}", ids.join(","))
    };
    let (long, short) = (list(80_000), list(2_000));
    let time = |text: &str, count: u32| {
        let start = Instant::now();
        black_box(AgentDef::from_json("bench.json", text).expect("nothing is wrong"));
        start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
    };
    let mut pairs: Vec<(f64, f64)> = (0..11).map(|_| (time(&long, 80_000), time(&short, 2_000))).collect();
    summary(&mut pairs)
}

fn waiting() -> Measured {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let all = hooks::waiting::refs();
    let (eight, one, cx, event) = (hooks::set(all), hooks::set(all.into_iter().take(1)), HookContext::new(), event());
    let time = |set: &HookSet| {
        let start = Instant::now();
        let fired = runtime.block_on(set.fire(&cx, &event, ToolResult::new("found"))).expect("nothing fails");
        black_box(fired.subject);
        start.elapsed().as_secs_f64() * 1e9
    };
    let mut pairs: Vec<(f64, f64)> = (0..15).map(|_| (time(&eight), time(&one))).collect();
    summary(&mut pairs)
}
