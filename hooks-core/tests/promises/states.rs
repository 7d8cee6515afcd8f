//! States that hooks take: of the app, of a conversation, of a turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hook_sdk::context::{HookContextBuilder, MissingState};
use hook_sdk::diagnostics::{FindingKind, HarnessFacts, ProblemKind};
use hook_sdk::worker::Worker;

use super::support::*;

struct Limits {
    calls: u32,
}

#[derive(Debug, Default)]
struct Calls(AtomicU32);

impl Calls {
    fn count(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

#[hook(kind = before_tool_call)]
fn takes_limits(input: &ToolInput, limits: &State<Limits>) -> Permission {
    if input["calls"].as_u64() <= Some(u64::from(limits.calls)) { Permission::Allow } else { Permission::deny("many") }
}

#[hook(kind = before_create_message)]
async fn writes_with_limits(row: &mut Message, limits: &State<Limits>) {
    row.rewrite_text(|_| Some(limits.calls.to_string()));
}

#[hook(kind = before_tool_call)]
fn counts(cx: &HookContext) -> Result<Permission, MissingState> {
    let (turn, all) = (cx.turn_state::<Calls>()?.count(), cx.conversation_state::<Calls>()?.count());
    Ok(if turn > 2 || all > 3 { Permission::deny(format!("{turn} {all}")) } else { Permission::Allow })
}

fn set(names: &[&str]) -> HookSet {
    let registry = Registry::empty().with(hooks![takes_limits, writes_with_limits, counts]).unwrap();
    registry.scope(&AgentDef::new("support").hooks(names.iter().copied()), None).unwrap()
}

fn fire(hooks: &HookSet, cx: &HookContext) -> Permission {
    let call = ToolCall::new("1", "refund", serde_json::json!({ "calls": 2 }));
    let input = call.input.clone();
    hooks.fire_blocking(cx, &BeforeToolCall::new(call), input).unwrap().verdict
}

fn at(conversation: &str, turn: u64) -> HookContextBuilder {
    HookContext::builder().conversation(conversation).turn(turn)
}

#[tokio::test]
async fn a_state_of_the_app_is_a_parameter() {
    let hooks = set(&["takes_limits", "writes_with_limits"]);
    let cx = hooks.context(HookContext::builder().state(Limits { calls: 2 })).unwrap();
    assert_eq!(fire(&hooks, &cx), Permission::Allow);
    let row = Message::new(Role::User, "hi");
    let fired = hooks.fire(&cx, &BeforeCreateMessage::new(), row).await.unwrap();
    assert_eq!(fired.subject.text(), "2");
    let shared = Arc::new(Limits { calls: 1 });
    let cx = hooks.context(HookContext::builder().shared_state(shared)).unwrap();
    assert!(fire(&hooks, &cx).denial().is_some());
    assert_eq!(cx.state::<Limits>().unwrap().calls, 1);
    assert_eq!(takes_limits(&ToolInput::default(), &State::new(Limits { calls: 1 })), Permission::Allow);
}

#[test]
fn missing_states_are_told_when_the_context_is_built_and_by_the_check_and_a_guard_without_one_denies() {
    let hooks = set(&["takes_limits", "writes_with_limits", "counts"]);
    let error = hooks.context(HookContext::builder()).unwrap_err();
    let told: Vec<_> = error.problems().iter().map(|problem| (problem.kind(), problem.about())).collect();
    let missing = ProblemKind::MissingState;
    assert_eq!(told, [(missing, "takes_limits"), (missing, "writes_with_limits")]);
    assert!(error.to_string().contains("promises::states::Limits>`"), "{error}");

    let registry = Registry::empty().with(hooks![takes_limits]).unwrap();
    let hooks = registry.scope(&AgentDef::new("support").hooks(["takes_limits"]), None).unwrap();
    let found = |facts: HarnessFacts| {
        let findings = registry.audit_with([&hooks, &hooks], &facts).into_iter();
        findings
            .filter(|finding| finding.kind() == FindingKind::MissingState)
            .map(|finding| finding.to_string())
            .collect()
    };
    let (none, one): (Vec<String>, Vec<String>) =
        (found(HarnessFacts::new()), found(HarnessFacts::new().context(&HookContext::new())));
    assert!(none[0].ends_with("`HarnessFacts::context(&cx)`") && none.len() == 1 && one.len() == 1, "{none:?} {one:?}");
    let cx = HookContext::builder().state(Limits { calls: 2 }).build();
    assert_eq!(found(HarnessFacts::new().context(&cx)), Vec::<String>::new());

    let denied = fire(&hooks, &HookContext::new());
    assert!(denied.denial().is_some(), "{denied:?}");
}

#[hook(kind = after_create_message, run = background)]
async fn counts_later(_limits: &State<Limits>) {}

/// A job runs in the context of its worker, not in that of the turn.
#[tokio::test]
async fn states_of_jobs_are_missing_only_from_the_worker() {
    let registry = Registry::empty().with(hooks![counts_later]).unwrap();
    let set = || registry.scope(&AgentDef::new("support").hooks(["counts_later"]), None);
    Worker::new().start(&registry).unwrap();
    let error = set().unwrap_err();
    assert_eq!(error.problems()[0].kind(), ProblemKind::MissingState);
    assert!(error.to_string().ends_with("does not hold; start it with `Worker::new().context(…)`"), "{error}");
    let cx = HookContext::builder().state(Limits { calls: 2 }).build();
    Worker::new().context(cx).start(&registry).unwrap();
    set().unwrap().context(HookContext::builder()).unwrap();
}

#[test]
fn a_state_that_only_the_fallback_takes_is_missing_too() {
    let known = Registry::empty().with(hooks![takes_limits]).unwrap().hooks();
    let fails = Hook::at::<BeforeToolCall>("fails").reader(|_, _, _| Err::<Permission, _>("down"));
    let registry = registry([fails.fallback(&known[0])]);
    let hooks = registry.scope(&AgentDef::new("support").hooks(["fails"]), None).unwrap();
    let error = hooks.context(HookContext::builder()).unwrap_err();
    assert_eq!(error.problems()[0].kind(), ProblemKind::MissingState);
    let cx = hooks.context(HookContext::builder().state(Limits { calls: 2 })).unwrap();
    assert_eq!(fire(&hooks, &cx), Permission::Allow);
}

#[test]
fn states_of_turns_and_conversations_begin_and_end_with_them() {
    let hooks = set(&["counts"]);
    let ask = |cx: HookContextBuilder| fire(&hooks, &hooks.context(cx).unwrap());
    let outcomes = [("a", 1), ("a", 1), ("b", 1), ("a", 2), ("a", 2)].map(|(id, turn)| ask(at(id, turn)));
    let allowed = outcomes.iter().map(|outcome| outcome.denial().is_none());
    // The fourth call of conversation `a` is one too many.
    assert_eq!(allowed.collect::<Vec<_>>(), [true, true, true, true, false]);
    // A turn that is over cannot be counted, and is not begun anew.
    assert!(ask(at("a", 1)).denial().is_some());
    assert!(ask(at("b", 1)).denial().is_none() && ask(at("b", 1)).denial().is_some());
}

#[test]
fn an_ended_conversation_begins_anew_and_an_ended_turn_does_not() {
    let registry = Registry::empty().with(hooks![counts]).unwrap();
    let hooks = registry.scope(&AgentDef::new("support").hooks(["counts"]), None).unwrap();
    let cx = hooks.context(at("a", 1)).unwrap();
    let state = cx.conversation_state::<Calls>().unwrap();
    assert!(Arc::ptr_eq(&state, &cx.conversation_state::<Calls>().unwrap()));
    // A set that is made later shares it, a fork does not.
    let later = registry.scope(&AgentDef::new("other"), None).unwrap().context(at("a", 2)).unwrap();
    assert!(Arc::ptr_eq(&state, &later.conversation_state::<Calls>().unwrap()));
    let fork = registry.fork().scope(&AgentDef::new("other"), None).unwrap().context(at("a", 2)).unwrap();
    assert!(!Arc::ptr_eq(&state, &fork.conversation_state::<Calls>().unwrap()));

    let turn = Arc::downgrade(&cx.turn_state::<Calls>().unwrap());
    registry.conversation_states().end_turn("a", 1);
    assert!(turn.upgrade().is_none());
    cx.turn_state::<Calls>().unwrap_err();
    let weak = Arc::downgrade(&state);
    drop(state);
    registry.conversation_states().end("a");
    assert!(weak.upgrade().is_none());
    assert_eq!(cx.conversation_state::<Calls>().unwrap().count(), 1);
}

#[test]
fn a_guard_that_counts_denies_where_a_loop_sets_no_ids() {
    let hooks = set(&["counts"]);
    for (cx, expected) in [
        (HookContext::builder().turn(1), "HookContext::builder().conversation(…)"),
        (HookContext::builder().conversation("a"), "HookContext::builder().turn(…)"),
    ] {
        let cx = hooks.context(cx).unwrap();
        let error = counts(&cx).unwrap_err();
        assert!(format!("{error:?}").contains(expected), "{error}");
        assert!(fire(&hooks, &cx).denial().is_some());
    }
    let without = at("a", 1).build();
    assert!(counts(&without).unwrap_err().to_string().contains("hooks.context(…)"));
    assert!(fire(&hooks, &without).denial().is_some());
}

#[test]
fn at_most_ten_thousand_conversations_are_remembered() {
    let registry = Registry::empty();
    let hooks = registry.scope(&AgentDef::new("support"), None).unwrap();
    let state = |id: &str| hooks.context(at(id, 1)).unwrap().conversation_state::<Calls>().unwrap();
    let first = Arc::downgrade(&state("first"));
    let used = state("used");
    for i in 0..9_998 {
        state(&i.to_string());
    }
    assert!(first.upgrade().is_some() && Arc::ptr_eq(&used, &state("used")));
    state("one more");
    assert!(first.upgrade().is_none() && Arc::ptr_eq(&used, &state("used")));
}
