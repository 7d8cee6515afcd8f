//! Promise 2: how a plan is displayed.

use hook_sdk::hook::Hold;
use hook_sdk::kinds::{AfterCreateMessage, BeforeToolCall};

use super::detached_support::{Lines, background, scope};
use super::support::*;

#[hook(id = "shown_first", kind = before_tool_call, tool = "pay_*", priority = -1, on_failure = continue)]
fn first(_input: &mut ToolInput) {}

#[hook(id = "shown_second", kind = before_tool_call, timeout = "2s", after = ["shown_first"])]
async fn second() -> Permission {
    Permission::NoOpinion
}

#[hook(id = "shown_third", kind = before_tool_call, timeout = none)]
async fn third() {}

#[hook(id = "shown_fourth", kind = before_tool_call, blocking, timeout = "1s")]
fn fourth() {}

#[hook(id = "shown_off", kind = before_tool_call)]
fn off() {}

#[hook(id = "shown_nowhere", kind = after_create_message)]
fn nowhere() {}

#[test]
fn the_plan_shows_order_stages_writers_and_hooks_that_are_left_out() {
    let registry = Registry::empty().with(hooks![first, second, third, fourth, off, nowhere]).unwrap();
    registry.set_app(AppDef::new("desk").hooks(hooks![fourth]));
    registry.disable("shown_off").unwrap();
    let agent = AgentDef::new("support").hooks(hooks![third, second, first, off]);
    let set = registry.scope(&agent, None).unwrap();
    let shown: Vec<String> = set
        .to_string()
        .lines()
        // The positions of the hooks are in this file.
        .map(|line| line.split(" hooks-core/").next().unwrap_or_default().trim_end().to_owned())
        .collect();
    let expected = [
        "hooks of app `desk` and agent `support`",
        "before_tool_call (gate)",
        "   1   shown_first              writes priority -1; on failure continue; only tool pay_*;",
        "   2 ┌ shown_fourth             reads  blocking, within 1s; priority 0; on failure deny;",
        "   3 │ shown_third              reads  async, no deadline; priority 0; on failure deny;",
        "   4 └ shown_second             reads  async, within 2s; priority 0; after shown_first; on failure deny;",
        "   - shown_off                  left out: disabled",
    ];
    assert_eq!(shown[..expected.len()], expected, "{set}");
    assert!(shown[expected.len()].starts_with("note: "), "{set}");
    assert_eq!(shown.last().unwrap(), "1 other registered hooks are in no list of this scope");
    assert!(set.has::<BeforeToolCall>() && !set.has::<AfterCreateMessage>() && !set.has::<Step>());
}

#[test]
fn a_plan_that_leaves_nothing_out_shows_only_its_hooks() {
    let set = set([writes("a"), writes("b")]);
    let lines = set.to_string().lines().count();
    assert_eq!(lines, 4, "a title, a kind and two hooks: {set}");
}

#[test]
fn a_hook_outside_a_turn_may_stand_in_the_app_s_list_and_the_agent_s() {
    let registry = registry([Hook::at::<Boot>("on_boot").reader(|_, _, &()| ()), writes("a")]);
    registry.set_app(AppDef::new("desk").hooks(["on_boot"]));
    assert!(registry.scope(&AgentDef::new("x").hooks(["a", "on_boot"]), None).is_ok());
}

#[test]
fn the_plan_shows_how_often_a_background_hook_is_retried() {
    let table = [(3, " background, idempotent, 3 retries,"), (0, " background,")];
    for (retries, expected) in table {
        let hook = background("late", |_, _| vec![]).idempotent().retries(retries);
        let registry = registry([hook]);
        registry.set_background(Lines::default());
        let shown = scope(&registry, &["late"]).to_string();
        assert!(shown.contains(expected), "{shown}");
        assert_eq!(shown.contains("retries"), retries > 0, "{shown}");
    }
}

/// Sets and hooks end up in the log lines of an app.
#[test]
fn the_debug_output_of_a_set_names_its_hooks() {
    let set = set([writes("a")]);
    assert_eq!(format!("{set:?}"), "HookSet { hooks: [\"a\"], .. }");
    let planned = format!("{:?}", set.plan("step").next().unwrap());
    assert!(planned.starts_with("PlannedHook { hook: ") && planned.contains("\"a\""), "{planned}");
}

/// What the hooks of a stream hold back adds up.
#[test]
fn a_set_knows_how_much_of_a_stream_its_hooks_hold_back() {
    let set = set([writes("a").hold(16), writes("b").hold(4)]);
    assert_eq!(set.hold::<Step>(), Hold::from(16).and(4.into()));
    assert_ne!(set.hold::<Step>(), Hold::NOTHING);
    assert_eq!(set.hold::<Spend>(), Hold::NOTHING);
}
