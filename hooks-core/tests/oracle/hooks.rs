//! The hooks of a case, in every form. Each does what the script in the event says.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;

use hook_sdk::Violation;
use hook_sdk::hook::Timeout;
use hook_sdk::prelude::*;

use super::case::{Act, Case, Edit, Form, Move, Point, Role};
use super::detached;

/// The number of subjects alive, snapshots included.
pub(crate) static LIVE: AtomicIsize = AtomicIsize::new(0);

/// The byte that the kinds forbid.
pub(crate) const FORBIDDEN: u8 = 255;

/// A subject that is counted while it is alive.
#[derive(Debug)]
pub(crate) struct Bytes(Arc<Vec<u8>>);

impl Bytes {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        LIVE.fetch_add(1, Ordering::SeqCst);
        Self(Arc::new(bytes))
    }

    pub(crate) fn to_vec(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        let broken = after.0.contains(&FORBIDDEN) && !before.0.contains(&FORBIDDEN);
        if broken { Err(Violation::new("255 is forbidden")) } else { Ok(()) }
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        LIVE.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(&self.0))
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// What each hook does, and the text that filters match.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    moves: HashMap<&'static str, [Move; 2]>,
    topic: &'static str,
}

impl Script {
    pub(crate) fn of(&self, id: &str) -> Move {
        self.moves[id][0]
    }

    fn at(&self, id: &str, part: Part) -> Move {
        self.moves[id][usize::from(part == Part::Fallback)]
    }
}

#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "o_gate", subject = Bytes, verdict = Permission, check = Bytes::check, match(topic = script.topic))]
pub(crate) struct OGate {
    pub(crate) script: Script,
}

#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "o_step", subject = Bytes, removable, check = Bytes::check, match(topic = script.topic))]
pub(crate) struct OStep {
    pub(crate) script: Script,
}

#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "o_event", match(topic = script.topic))]
pub(crate) struct OEvent {
    pub(crate) script: Script,
}

pub(crate) type Fails = Box<dyn std::error::Error + Send + Sync>;

pub(crate) fn answer(it: Move) -> Permission {
    match it.act {
        Act::Say(1) => Permission::Allow,
        Act::Say(2) => Permission::ask("ask"),
        Act::Say(3) => Permission::defer("defer"),
        Act::Say(4) => Permission::deny("deny"),
        _ => Permission::NoOpinion,
    }
}

fn called(it: Move) -> Move {
    assert!(it.act != Act::PanicAtCall, "at the call");
    it
}

pub(crate) fn end(it: Move) -> Result<(), Fails> {
    match it.act {
        Act::Fail => Err("failed".into()),
        Act::Panic | Act::PanicAtCall => panic!("in the hook"),
        Act::HaltAsError => Err(Halt::new("enough").into()),
        Act::Say(_) | Act::Remove => Ok(()),
    }
}

pub(crate) fn edit(it: Move, bytes: &mut Bytes) {
    match it.edit {
        Edit::Nothing => {}
        Edit::Same => {
            let bytes = Arc::make_mut(&mut bytes.0);
            bytes.push(0);
            bytes.pop();
        }
        Edit::Push(byte) => Arc::make_mut(&mut bytes.0).push(byte),
        Edit::Break => Arc::make_mut(&mut bytes.0).push(FORBIDDEN),
    }
}

async fn wait(it: Move) {
    if it.delay > 0 {
        tokio::time::sleep(Duration::from_millis(it.delay)).await;
    }
}

pub(crate) async fn read_later<T>(it: Move, value: T) -> Result<T, Fails> {
    wait(it).await;
    end(it).map(|()| value)
}

fn own<T>(it: Move, mut bytes: Bytes, then: fn(Bytes, Move) -> T) -> Result<T, Fails> {
    edit(it, &mut bytes);
    end(it).map(|()| then(bytes, it))
}

pub(crate) async fn own_later<T>(it: Move, mut bytes: Bytes, then: fn(Bytes, Move) -> T) -> Result<T, Fails> {
    edit(it, &mut bytes);
    wait(it).await;
    end(it).map(|()| then(bytes, it))
}

pub(crate) fn lend<T>(it: Move, bytes: &mut Bytes, value: T) -> Result<T, Fails> {
    edit(it, bytes);
    end(it).map(|()| value)
}

fn halt() -> Halt {
    Halt::new("enough")
}

macro_rules! reading {
    ($kind:ident, $id:ident, $made:ident, $value:expr) => {
        match $made {
            Made { form: Form::ReadAsync, part, .. } => Hook::at::<$kind>($id).async_reader(move |_, event, _| {
                let it = called(event.script.at($id, part));
                Box::pin(read_later(it, $value(it)))
            }),
            Made { blocking: true, part, .. } => Hook::at::<$kind>($id).blocking().reader(move |_, event, _| {
                let it = called(event.script.at($id, part));
                end(it).map(|()| $value(it))
            }),
            Made { part, .. } => Hook::at::<$kind>($id).reader(move |_, event, _| {
                let it = called(event.script.at($id, part));
                end(it).map(|()| $value(it))
            }),
        }
    };
}

macro_rules! writing {
    ($kind:ident, $id:ident, $made:ident, $value:expr, $then:expr) => {
        match $made {
            Made { form: Form::Lend, blocking: false, part } => {
                Hook::at::<$kind>($id).writer(move |_, event, bytes| {
                    let it = called(event.script.at($id, part));
                    lend(it, bytes, $value(it))
                })
            }
            Made { form: Form::Lend, blocking: true, part } => {
                Hook::at::<$kind>($id).blocking().writer(move |_, event, bytes| {
                    let it = called(event.script.at($id, part));
                    lend(it, bytes, $value(it))
                })
            }
            Made { form: Form::Own, blocking: false, part } => Hook::at::<$kind>($id)
                .replacer(move |_, event, bytes| own(called(event.script.at($id, part)), bytes, $then)),
            Made { form: Form::Own, blocking: true, part } => Hook::at::<$kind>($id)
                .blocking()
                .replacer(move |_, event, bytes| own(called(event.script.at($id, part)), bytes, $then)),
            Made { form: Form::OwnAsync, part, .. } => Hook::at::<$kind>($id).async_replacer(move |_, event, bytes| {
                Box::pin(own_later(called(event.script.at($id, part)), bytes, $then))
            }),
            _ => reading!($kind, $id, $made, $value),
        }
    };
}

macro_rules! detached {
    ($kind:ident, $id:ident, $bytes:expr) => {
        Hook::at::<$kind>($id).detached(move |_, event, subject| {
            detached::begun($id, $bytes(subject));
            let it = called(event.script.of($id));
            Box::pin(read_later(it, ()))
        })
    };
}

fn nothing(_: Move) {}

fn halts(_: Move) -> Halt {
    halt()
}

/// Which of the two functions of a hook this is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Hook,
    Fallback,
}

/// A function to be made.
#[derive(Clone, Copy)]
struct Made {
    form: Form,
    blocking: bool,
    part: Part,
}

fn value(point: Point, id: &'static str, form: Made, role: Role) -> Hook {
    if form.form == Form::Detached {
        return match point {
            Point::Gate => detached!(OGate, id, Bytes::to_vec),
            Point::Step => detached!(OStep, id, Bytes::to_vec),
            Point::Event => detached!(OEvent, id, |&()| Vec::new()),
        };
    }
    let halting = |bytes, _| (bytes, halt());
    match (point, role) {
        (Point::Gate, Role::Answers) => writing!(OGate, id, form, answer, |bytes, it| (bytes, answer(it))),
        (Point::Gate, Role::Silent) => writing!(OGate, id, form, nothing, |bytes, _| bytes),
        (Point::Gate, Role::Halts) => writing!(OGate, id, form, halts, halting),
        (Point::Step, Role::Answers) => {
            writing!(OStep, id, form, nothing, |bytes, it| (it.act != Act::Remove).then_some(bytes))
        }
        (Point::Step, Role::Silent) => writing!(OStep, id, form, nothing, |bytes, _| bytes),
        (Point::Step, Role::Halts) => writing!(OStep, id, form, halts, halting),
        (Point::Event, Role::Halts) => reading!(OEvent, id, form, halts),
        (Point::Event, _) => reading!(OEvent, id, form, nothing),
    }
}

/// Registers the hooks of the case from last to first, because the order of registration must not matter.
pub(crate) fn registry(case: &Case) -> Registry {
    let registry = Registry::empty().with(super::filtered::functions()).unwrap();
    for spec in case.specs.iter().rev().filter(|spec| !spec.filtered) {
        let ids = |list: &[usize]| list.iter().map(|&other| case.specs[other].id).collect::<Vec<_>>();
        let made =
            |part| value(case.point, spec.id, Made { form: spec.form, blocking: spec.blocking, part }, spec.role);
        let mut hook = made(Part::Hook).priority(spec.priority);
        if spec.form.is_async() || spec.blocking {
            let millis = spec.timeout.filter(|_| spec.form.is_async());
            hook = hook.timeout(millis.map_or(Timeout::None, |millis| Timeout::After(Duration::from_millis(millis))));
        }
        if spec.fallback {
            hook = hook.fallback(&made(Part::Fallback));
        }
        hook = hook.after(ids(&spec.after)).before(ids(&spec.before)).requires(ids(&spec.requires));
        if let Some(policy) = spec.policy {
            hook = hook.on_failure(policy);
        }
        registry.register(hook).unwrap();
    }
    registry.set_app(AppDef::new("app").hooks(case.specs.iter().filter(|spec| spec.in_app).map(|spec| spec.id)));
    registry
}

pub(crate) fn agent(case: &Case) -> AgentDef {
    AgentDef::new("agent").hooks(case.specs.iter().filter(|spec| !spec.in_app).map(|spec| spec.id))
}

pub(crate) fn script(case: &Case, round: usize) -> Script {
    let moves = case.specs.iter().zip(&case.moves[round]).map(|(spec, it)| (spec.id, *it)).collect();
    Script { moves, topic: if Case::filters_match(round) { "on" } else { "off" } }
}
