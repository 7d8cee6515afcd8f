//! Promise 10: a turn sees one set. A set is a snapshot, and later changes of the registry do not affect it.

use hook_sdk::diagnostics::FindingKind;
use hook_sdk::record::{Skip, Status};

use super::support::*;

fn run(set: &HookSet) -> Vec<&'static str> {
    set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject.unwrap().0
}

#[test]
fn existing_sets_do_not_change() {
    let registry = registry([writes("a"), writes("b")]);
    let agent = AgentDef::new("x").hooks(["a", "b"]);
    let before = registry.scope(&agent, None).unwrap();

    registry.replace(Hook::at::<Step>("a").writer(|_, _, trail| trail.0.push("new a"))).unwrap();
    let replaced = registry.scope(&agent, None).unwrap();
    registry.disable("b").unwrap();
    let disabled = registry.scope(&agent, None).unwrap();
    registry.set_app(AppDef::new("desk").hooks(["c"]));
    registry.register(writes("c")).unwrap();
    registry.enable("b").unwrap();
    let last = registry.scope(&agent, None).unwrap();

    assert_eq!(run(&before), ["a", "b"]);
    assert_eq!(run(&replaced), ["new a", "b"]);
    assert_eq!(run(&disabled), ["new a"]);
    assert_eq!(run(&last), ["c", "new a", "b"]);
}

#[test]
fn an_update_applies_all_of_its_changes_or_none() {
    let registry = registry([writes("a")]);
    let agent = AgentDef::new("x").hooks(["a"]);
    let (before, revision) = (registry.scope(&agent, None).unwrap(), registry.revision());
    let refused = registry.update(|draft| {
        draft.set_app(AppDef::new("desk").hooks(["b"]));
        draft.register(writes("b"))?;
        draft.register(writes("b"))
    });
    assert!(refused.is_err());
    assert_eq!((run(&registry.scope(&agent, None).unwrap()), registry.revision()), (vec!["a"], revision));

    // Another caller changes the registry meanwhile. Its change is kept, and the update runs again on the new state.
    let mut calls = 0;
    registry
        .update(|draft| {
            calls += 1;
            if calls == 1 {
                registry.register(writes("other")).unwrap();
            }
            draft.register(writes("b"))?;
            assert_eq!(run(&registry.scope(&agent, None).unwrap()), ["a"], "an unfinished update must not be visible");
            draft.set_app(AppDef::new("desk").hooks(["b", "other"]));
            Ok::<_, ConfigError>(())
        })
        .unwrap();
    assert_eq!(calls, 2);
    assert_eq!(run(&before), ["a"]);
    assert_eq!(run(&registry.scope(&agent, None).unwrap()), ["b", "other", "a"]);
}

#[test]
#[should_panic(expected = "change the draft instead")]
fn an_update_that_changes_the_registry_itself_ends() {
    let registry = registry([writes("a")]);
    let _ = registry.update(|_| registry.replace(writes("a")));
}

/// A hook that changes the registry from within a dispatch changes the next turn, not this one.
#[test]
fn a_hook_may_change_the_registry_while_it_runs() {
    let registry = registry([writes("b")]);
    let handle = registry.clone();
    let changes = Hook::at::<Step>("changes").writer(move |_, _, _| handle.disable("b"));
    registry.register(changes).unwrap();
    let agent = AgentDef::new("x").hooks(["changes", "b"]);
    let set = registry.scope(&agent, None).unwrap();
    assert_eq!((run(&set), run(&set)), (vec!["b"], vec!["b"]));
    assert!(run(&registry.scope(&agent, None).unwrap()).is_empty());
}

#[test]
fn a_disabled_hook_is_skipped_recorded_so_and_reported_by_audit() {
    let registry = registry([writes("a"), writes("b"), writes("c"), writes("d")]);
    for id in ["d", "b", "c"] {
        registry.disable(id).unwrap();
    }
    let set = registry.scope(&AgentDef::new("x").hooks(["c", "a", "b"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a"]);
    let disabled = Status::Skipped(Skip::Disabled);
    let expected = [("a", Status::Completed), ("c", disabled), ("b", disabled)].map(|(id, s)| (id.to_owned(), s));
    assert_eq!(statuses(&fired.report.record.clone().unwrap()), expected);
    // In the order of the lists, in every run.
    let reported: Vec<_> = set
        .audit()
        .iter()
        .map(|finding| {
            assert_eq!(finding.kind(), FindingKind::DisabledHook, "{finding}");
            finding.about()
        })
        .collect();
    assert_eq!(reported, ["c", "b"]);
    assert!(set.to_string().contains("left out: disabled"));
}

#[test]
fn audit_reports_findings_in_the_order_of_the_lists() {
    let ids: Vec<&'static str> = (0..20).map(|i| -> &'static str { format!("h{i:02}").leak() }).collect();
    let registry = registry(ids.iter().map(|id| writes(id)));
    for id in &ids {
        registry.disable(id).unwrap();
    }
    let set = registry.scope(&AgentDef::new("x").hooks(ids.clone()), None).unwrap();
    let reported: Vec<_> = set
        .audit()
        .iter()
        .map(|finding| {
            assert_eq!(finding.kind(), FindingKind::DisabledHook, "{finding}");
            finding.about()
        })
        .collect();
    assert_eq!(reported, ids);
}

#[test]
fn a_requirement_on_a_disabled_hook_is_an_error_that_says_so() {
    let registry = registry([writes("a").requires(["b"]), writes("b")]);
    registry.disable("b").unwrap();
    let agent = AgentDef::new("x").hooks(["a", "b"]);
    let error = registry.scope(&agent, None).unwrap_err().to_string();
    assert!(error.contains("requires `b`, which is disabled"), "{error}");
    // The advice must be correct: to name the hook once more does not help.
    assert!(!error.contains("name it beside"), "{error}");
    registry.disable("a").unwrap();
    assert!(registry.scope(&agent, None).is_ok(), "a disabled hook requires nothing");
}

#[test]
fn a_constraint_on_a_disabled_hook_is_ignored() {
    let registry = registry([writes("a").after(["b"]), writes("b").after(["a"])]);
    registry.disable("b").unwrap();
    assert_eq!(run(&registry.scope(&AgentDef::new("x").hooks(["a", "b"]), None).unwrap()), ["a"]);
}

#[test]
fn an_unknown_hook_cannot_be_disabled_enabled_or_replaced() {
    let registry = registry([writes("redact_pii")]);
    let expected = "there is no hook `redact_pi`; did you mean `redact_pii`?";
    for error in [registry.disable("redact_pi"), registry.enable("redact_pi"), registry.replace(writes("redact_pi"))] {
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
}

/// What a closure captures is code of the app. Its `Drop` may call the registry that released the hook.
#[test]
fn the_drop_of_a_released_hook_may_call_the_registry() {
    struct Looks(Registry, std::sync::mpsc::Sender<usize>);
    impl Drop for Looks {
        fn drop(&mut self) {
            let _ = self.1.send(self.0.hooks().len());
        }
    }
    type Change = fn(&Registry, Hook);
    let changes: [(&str, Change); 4] = [
        ("a", |registry, hook| {
            registry.register(hook).unwrap();
            registry.replace(writes("a")).unwrap();
        }),
        ("b", |registry, hook| assert!(registry.register(hook).is_err())),
        ("c", |registry, hook| assert!(registry.replace(hook).is_err())),
        ("No id", |registry, hook| assert!(registry.register(hook).is_err())),
    ];
    for (id, change) in changes {
        let (tell, dropped) = std::sync::mpsc::channel();
        // On a separate thread, because a deadlock would hang the test.
        std::thread::spawn(move || {
            let registry = registry([writes("b")]);
            let looks = Looks(registry.clone(), tell);
            let hook = Hook::at::<Step>(id).writer(move |_, _, _| drop(looks.0.hooks()));
            change(&registry, hook);
        });
        let hooks = dropped.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(hooks, Ok(if id == "a" { 2 } else { 1 }), "{id}");
    }
}

#[test]
fn registering_a_function_again_changes_nothing() {
    #[hook(id = "stays_disabled", kind = before_create_message)]
    fn stays_disabled(row: &mut Message) {
        row.rewrite_text(|_| Some("ran".to_owned()));
    }
    let registry = Registry::empty().with(hooks![stays_disabled]).unwrap();
    registry.disable("stays_disabled").unwrap();
    let registry = registry.with(hooks![stays_disabled]).unwrap();
    let set = registry.scope(&AgentDef::new("x").hooks(hooks![stays_disabled]), None).unwrap();
    let row = Message::new(Role::User, "as it was");
    assert_eq!(set.fire_blocking(&cx(), &BeforeCreateMessage::new(), row).unwrap().subject.text(), "as it was");
}
