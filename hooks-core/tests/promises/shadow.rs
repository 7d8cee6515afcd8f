//! A hook in shadow mode decides nothing. The record contains what it would have decided.

use hook_sdk::hook::HookMode;
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::record::{Note, Record, Status};

use super::support::*;

fn call() -> (BeforeToolCall, ToolInput) {
    let call = ToolCall::new("c", "refund", serde_json::json!({"cents": 1}));
    let input = call.input.clone();
    (BeforeToolCall::new(call), input)
}

async fn fire(hooks: Vec<Hook>) -> Fired<BeforeToolCall> {
    let ids: Vec<String> = hooks.iter().map(|hook| hook.id().to_string()).collect();
    let registry = Registry::empty();
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    let set = registry.scope(&AgentDef::new("x").hooks(ids), None).unwrap();
    let (event, input) = call();
    set.fire(&HookContext::builder().keep_records(true).build(), &event, input).await.unwrap()
}

fn noted(record: &Record, hook: &str) -> (Status, Option<&'static str>, Option<Note>, bool) {
    let run = record.runs.iter().find(|run| run.hook.as_str() == hook).unwrap();
    (run.status, run.verdict, run.note, run.changed)
}

fn halts(_: &mut ToolInput) -> Result<(), Halt> {
    Err(Halt::new("enough"))
}

/// Each form of a hook, and each thing that a hook may return.
#[tokio::test]
async fn a_hook_in_shadow_has_no_effect() {
    let shadow = |hook: Hook| hook.mode(HookMode::Shadow);
    let at = || Hook::at::<BeforeToolCall>("shadow");
    let later = |verdict: Permission| {
        at().async_reader(move |_, _, _| {
            let verdict = verdict.clone();
            Box::pin(async move {
                tokio::task::yield_now().await;
                verdict
            })
        })
    };
    let table: Vec<(&str, Hook, Status, Option<&str>)> = vec![
        ("denies", at().reader(|_, _, _| Permission::deny("no")), Status::Completed, Some("deny")),
        ("denies later", later(Permission::deny("no")), Status::Completed, Some("deny")),
        (
            "changes",
            at().writer(|_, _, input: &mut ToolInput| *input = ToolInput::from(serde_json::json!({"cents": 9}))),
            Status::Completed,
            None,
        ),
        ("halts", at().writer(|_, _, input: &mut ToolInput| halts(input)), Status::Completed, Some("halt")),
        ("fails", at().reader(|_, _, _| Err::<(), _>("down")).on_failure(OnFailure::Deny), Status::Failed, None),
        (
            "is required",
            at().reader(|_, _, _| Err::<(), _>("down")).on_failure(OnFailure::Required),
            Status::Failed,
            None,
        ),
        (
            "panics",
            at().reader(|_, _, _| -> Permission { std::panic::resume_unwind(Box::new("broken")) }),
            Status::Panicked,
            None,
        ),
    ];
    for (what, hook, status, word) in table {
        let after = Hook::at::<BeforeToolCall>("after").reader(|_, _, input: &ToolInput| {
            if input["cents"] == 1 { Permission::Allow } else { Permission::deny("changed") }
        });
        let fired = fire(vec![shadow(hook), after.priority(10)]).await;
        assert!(matches!(fired.verdict, Permission::Allow), "{what}: {:?}", fired.verdict);
        assert_eq!(fired.subject["cents"], 1, "{what}");
        assert!(fired.report.failures.is_empty() && fired.report.halt.is_none(), "{what}");
        let record = fired.report.record.as_ref().unwrap();
        assert_eq!(noted(record, "shadow"), (status, word, Some(Note::Shadow), false), "{what}");
        assert_eq!(noted(record, "after").1, Some("allow"), "{what}");
    }
}

/// A final answer ends the wait for the other readers of its stage, and so does a failure that denies. In shadow,
/// neither may do so.
#[tokio::test(start_paused = true)]
async fn guards_that_run_concurrently_with_a_hook_in_shadow_still_decide() {
    let at = |id| Hook::at::<BeforeToolCall>(id);
    let shadows = || {
        [
            at("shadow").async_reader(|_, _, _| later(1, Permission::deny("in shadow"))),
            at("shadow").async_reader(|_, _, _| later(0, Permission::deny("in shadow"))),
            at("shadow").reader(|_, _, _| Permission::deny("in shadow")),
            at("shadow").async_reader(|_, _, _| later(1, Err::<(), _>("down"))).on_failure(OnFailure::Deny),
            at("shadow").async_reader(|_, _, _| later(1, Err::<(), _>("down"))).on_failure(OnFailure::Required),
            at("shadow").async_reader(|_, _, _| later(60_000, ())).on_failure(OnFailure::Required),
        ]
    };
    for allows in [true, false] {
        for (form, shadow) in shadows().into_iter().enumerate() {
            let verdict = if allows { Permission::Allow } else { Permission::deny("the guard") };
            let guard = at("guard").async_reader(move |_, _, _| later(5, verdict.clone()));
            let fired = fire(vec![shadow.mode(HookMode::Shadow), guard]).await;
            let reason = fired.verdict.denial().map(|denial| denial.reason.to_string());
            assert_eq!(reason.as_deref(), (!allows).then_some("the guard"), "{form}");
            let guard = noted(fired.report.record.as_ref().unwrap(), "guard");
            assert_eq!((guard.0, guard.1), (Status::Completed, Some(if allows { "allow" } else { "deny" })), "{form}");
        }
    }
}

#[tokio::test]
async fn an_override_can_put_a_guard_in_shadow_and_take_it_out_again() {
    let registry = Registry::empty();
    registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::deny("no"))).unwrap();
    let agent = AgentDef::new("x").hooks(["guard"]);
    let (event, input) = call();
    let layer = |mode| [Overrides::new("workspace").set("guard", Override::new().mode(mode))];
    for (mode, denied) in [(HookMode::Shadow, false), (HookMode::Enforce, true)] {
        registry.set_overrides(layer(mode)).unwrap();
        let set = registry.scope(&agent, None).unwrap();
        let fired = set.fire(&HookContext::new(), &event, input.clone()).await.unwrap();
        assert_eq!(fired.verdict.denial().is_some(), denied, "{mode:?}");
    }
    let shadow: Override = serde_json::from_str(r#"{"mode": "shadow"}"#).unwrap();
    assert_eq!(shadow, Override::new().mode(HookMode::Shadow));
    let detached = Hook::at::<BeforeToolCall>("mails").detached(|_, _, _| Box::pin(async {}));
    registry.register(detached).unwrap();
    let refused = registry.set_overrides([Overrides::new("w").set("mails", shadow)]).unwrap_err().to_string();
    assert!(refused.contains("`mails`") && refused.contains("no dispatch waits for a detached hook"), "{refused}");
    registry.register(Hook::at::<BeforeToolCall>("locked").reader(|_, _, _| ()).locked()).unwrap();
    let refused = registry.set_overrides([Overrides::new("w").set("locked", shadow)]).unwrap_err().to_string();
    assert!(refused.contains("`mode` cannot be overridden"), "{refused}");
}

#[hook(id = "watches", kind = before_tool_call, mode = shadow)]
fn watches() -> Permission {
    Permission::deny("no")
}

#[hook(id = "refuses", kind = before_tool_call, mode = enforce)]
fn refuses() -> Permission {
    Permission::deny("no")
}

#[tokio::test]
async fn an_override_of_the_mode_replaces_that_of_the_attribute() {
    let (shadow, enforce) = (HookMode::Shadow, HookMode::Enforce);
    let table = [
        (&hooks![watches], "watches", None, shadow),
        (&hooks![watches], "watches", Some(enforce), enforce),
        (&hooks![refuses], "refuses", None, enforce),
        (&hooks![refuses], "refuses", Some(shadow), shadow),
    ];
    for (listed, id, over, holds) in table {
        let registry = Registry::empty().with(*listed).unwrap();
        let changes = over.map(|mode| Overrides::new("workspace").set(id, Override::new().mode(mode)));
        registry.set_overrides(changes).unwrap();
        let set = registry.scope(&AgentDef::new("x").hooks(*listed), None).unwrap();
        let (event, input) = call();
        let cx = HookContext::builder().keep_records(true).build();
        let fired = set.fire(&cx, &event, input).await.unwrap();
        assert_eq!(fired.verdict.denial().is_some(), holds == enforce, "{id} {over:?}");
        assert_eq!(set.to_string().contains("in shadow;"), holds == shadow, "{set}");
        let note = (holds == shadow).then_some(Note::Shadow);
        assert_eq!(noted(fired.report.record.as_ref().unwrap(), id).2, note, "{id} {over:?}");
    }
}

#[tokio::test]
async fn a_hook_in_shadow_cannot_remove_the_subject() {
    let removes = || Hook::at::<Step>("removes").replacer(|_, _, _: Trail| None::<Trail>).mode(HookMode::Shadow);
    let set = set([removes(), writes("after")]);
    let cx = HookContext::builder().keep_records(true).build();
    let fired = set.fire(&cx, &step(), Trail::default()).await.unwrap();
    assert_eq!(fired.subject.as_ref().unwrap().0, ["after"]);
    let record = fired.report.record.as_ref().unwrap();
    assert_eq!(noted(record, "removes"), (Status::Completed, Some("remove"), Some(Note::Shadow), false));
}
