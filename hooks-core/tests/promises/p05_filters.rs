//! Promise 5: the field that a filter reads may be code of the app. A panic in it is a failure of the hook.

use std::sync::{Arc, Mutex};

use hook_sdk::record::{Record, Status};
use hook_sdk::scope::HookRef;
use hook_sdk::verdict::Cause;

use hook_sdk::scope::HookUse;

use super::support::*;

/// A name whose text panics.
#[derive(Clone, Debug)]
struct Nameless;

impl AsRef<str> for Nameless {
    fn as_ref(&self) -> &str {
        panic!("no name")
    }
}

#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "nameless_step", subject = Trail, match(name))]
struct NamelessStep {
    name: Nameless,
}

#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "nameless_gate", subject = Trail, verdict = Permission, match(name))]
struct NamelessGate {
    name: Nameless,
}

#[hook(id = "step_reads", kind = NamelessStep, name = "x")]
fn step_reads() {}
#[hook(id = "step_lends", kind = NamelessStep, name = "x")]
fn step_lends(trail: &mut Trail) {
    trail.0.push("never");
}
#[hook(id = "step_owns", kind = NamelessStep, name = "x")]
async fn step_owns(trail: Trail) -> Trail {
    trail
}
#[hook(id = "step_waits", kind = NamelessStep, name = "x")]
async fn step_waits() {}

#[hook(id = "gate_reads", kind = NamelessGate, name = "x")]
fn gate_reads() -> Permission {
    Permission::Allow
}
#[hook(id = "gate_lends", kind = NamelessGate, name = "x")]
fn gate_lends(_trail: &mut Trail) -> Permission {
    Permission::Allow
}
#[hook(id = "gate_waits", kind = NamelessGate, name = "x")]
async fn gate_waits() -> Permission {
    Permission::Allow
}

/// The set of `hook`, after a hook that waits if there is one, and the records that an observer received.
fn observed(hook: HookRef, waits: Option<Hook>, observed: bool) -> (HookSet, Arc<Mutex<Vec<Record>>>) {
    let registry = Registry::empty().with([hook]).unwrap();
    let heard: Arc<Mutex<Vec<Record>>> = Arc::default();
    if observed {
        let into = Arc::clone(&heard);
        registry.observe(move |record: &Record| into.lock().unwrap().push(record.clone()));
    }
    let mut agent = Vec::new();
    if let Some(waits) = waits {
        agent.push(HookUse::id(waits.id().as_str()));
        registry.register(waits).unwrap();
    }
    agent.push(hook.into());
    (registry.scope(&AgentDef::new("a").hooks(agent), None).unwrap(), heard)
}

fn check_record(records: &[Record]) {
    let [record] = records else { panic!("one record: {records:?}") };
    let run = record.runs.iter().find(|run| run.hook.as_str() != "waits").unwrap();
    assert_eq!((run.status, run.cause.as_deref()), (Status::Panicked, Some("no name")));
    assert!(record.is_selected());
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_filter_fails_the_hook_with_and_without_a_listener() {
    hook_sdk::quiet_panics();
    for [keeps, observes, beside] in
        [[false, false, false], [true, false, true], [false, true, true], [true, true, false]]
    {
        let cx = HookContext::builder().keep_records(keeps).build();
        for hook in hooks![step_reads, step_lends, step_owns, step_waits] {
            let waits = Hook::at::<NamelessStep>("waits").async_reader(|_, _, _| later(1, ()));
            let (set, heard) = observed(hook, beside.then_some(waits), observes);
            let fired = set.fire(&cx, &NamelessStep { name: Nameless }, Trail::default()).await.unwrap();
            assert_eq!((fired.subject.0.len(), fired.report.failures.len()), (0, 1), "{hook:?}");
            assert_eq!(heard.lock().unwrap().len(), usize::from(observes));
            if observes {
                check_record(&heard.lock().unwrap());
            }
            if keeps {
                check_record(&[Record::clone(fired.report.record.as_ref().unwrap())]);
            }
        }
        for hook in hooks![gate_reads, gate_lends, gate_waits] {
            let waits = Hook::at::<NamelessGate>("waits").async_reader(|_, _, _| later(1, ()));
            let (set, heard) = observed(hook, beside.then_some(waits), observes);
            let fired = set.fire(&cx, &NamelessGate { name: Nameless }, Trail::default()).await.unwrap();
            let denial = fired.verdict.denial().unwrap();
            assert!(matches!(denial.cause, Cause::CouldNotAnswer(_)), "{hook:?}: {denial:?}");
            if observes {
                check_record(&heard.lock().unwrap());
            }
        }
    }
}

/// If the chain ends before a hook, its filter is evaluated only for the record.
#[test]
fn a_panic_in_a_filter_after_the_end_of_the_chain_is_contained() {
    let registry = Registry::empty().with(hooks![gate_reads]).unwrap();
    let denies = Hook::at::<NamelessGate>("denies").reader(|_, _, _| Permission::deny("no")).priority(-1);
    registry.register(denies).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["denies", "gate_reads"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &NamelessGate { name: Nameless }, Trail::default()).unwrap();
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "no");
    assert_eq!(fired.report.record.as_ref().unwrap().runs.len(), 2);
}

fn selects<K: HookKind>(set: &HookSet, event: &K) -> bool {
    set.selected(event).next().is_some()
}

#[test]
fn a_caller_can_ask_whether_any_hook_would_run() {
    let registry = registry([writes("any")]);
    let only = Hook::at::<Step>("only").reader(|_, _, _| ()).only("topic", "pay_*");
    registry.register(only).unwrap();
    let set = |ids: &[&str]| registry.scope(&AgentDef::new("a").hooks(ids.iter().copied()), None).unwrap();
    let topic = |topic: &str| Step { topic: topic.to_owned() };
    assert!(selects(&set(&["any"]), &topic("x")));
    assert!(selects(&set(&["only"]), &topic("pay_refund")) && !selects(&set(&["only"]), &topic("x")));
    assert!(!selects(&set(&[]), &topic("x")) && !selects(&set(&["any"]), &spend()));
    // A hook whose filter panics counts as one that would run, because it fails.
    let (nameless, _) = observed(hooks![step_reads][0], None, false);
    assert!(selects(&nameless, &NamelessStep { name: Nameless }));
}
