//! Promise 8: if no hook is selected, a dispatch allocates nothing, reads no clock, uses no runtime and emits no
//! record.
//!
//! The allocator counts per thread, and each test has its own thread.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hook_sdk::prelude::*;

/// Before a note is filed.
#[derive(Debug, HookKind)]
#[hook_kind(name = "file_note", subject = String, verdict = Permission, match(topic))]
struct FileNote {
    topic: String,
}

#[hook(id = "reads", kind = FileNote, topic = "x")]
fn reads(_note: &String) {}

#[hook(id = "writes", kind = FileNote, topic = "x")]
fn writes(_note: &mut String) {}

#[hook(id = "reads_later", kind = FileNote, topic = "x")]
async fn reads_later(_note: &String) {}

#[hook(id = "writes_later", kind = FileNote, topic = "x")]
async fn writes_later(note: String) -> String {
    note
}

#[hook(id = "elsewhere", kind = after_create_message)]
fn elsewhere() {}

/// Sets in which no hook is selected for the topic `y`.
fn sets(registry: &Registry) -> Vec<(&'static str, HookSet)> {
    let set = |ids: &[&str]| registry.scope(&AgentDef::new("a").hooks(ids.iter().copied()), None).unwrap();
    let lists: [(&str, &[&str]); 5] = [
        ("no hook at all", &[]),
        ("a hook of another kind", &["elsewhere"]),
        ("no sync filter matches", &["reads", "writes"]),
        ("no async filter matches", &["reads_later", "writes_later"]),
        ("no filter matches", &["reads", "reads_later", "writes", "writes_later"]),
    ];
    let mut sets: Vec<_> = lists.into_iter().map(|(why, ids)| (why, set(ids))).collect();
    registry.disable("reads").unwrap();
    let ids = AgentDef::new("a").hooks(["reads"]);
    sets.push(("the only hook is disabled", registry.scope(&ids, None).unwrap()));
    sets
}

#[test]
fn a_dispatch_without_selected_hooks_allocates_nothing_uses_no_runtime_and_emits_no_record() {
    let registry = Registry::empty().with(hooks![reads, writes, reads_later, writes_later, elsewhere]).unwrap();
    for keeps_records in [false, true] {
        let cx = HookContext::builder().keep_records(keeps_records).build();
        let event = FileNote { topic: "y".to_owned() };
        // A context that keeps records also gets the record of a dispatch whose filters did not match.
        for (why, set) in sets(&registry).into_iter().filter(|(why, _)| !keeps_records || !why.contains("filter")) {
            let fire = || {
                // Without a runtime, and in one poll.
                let fired = pin!(set.fire(&cx, &event, String::new())).poll(&mut Context::from_waker(Waker::noop()));
                let Poll::Ready(Ok(fired)) = fired else { panic!("it waited") };
                assert_eq!(fired.verdict, Permission::NoOpinion);
                assert!(fired.report.record.is_none());
            };
            fire(); // The first dispatch initialises what the process shares.
            let counted = allocation_counter::measure(fire);
            assert_eq!(counted.count_total, 0, "{why}");
        }
    }
}

/// A sync hook without an opinion allocates nothing either, if nobody listens.
#[test]
fn a_sync_hook_that_changes_nothing_allocates_nothing() {
    let registry = Registry::empty().with(hooks![reads, writes]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["reads", "writes"]), None).unwrap();
    let (cx, event) = (HookContext::new(), FileNote { topic: "x".to_owned() });
    let fire = || {
        let _fired = set.fire_blocking(&cx, &event, String::new()).unwrap();
    };
    fire();
    assert_eq!(allocation_counter::measure(fire).count_total, 0);
}
