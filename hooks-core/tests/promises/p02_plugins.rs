//! Promise 2: plugins come between the app's list and the scope's list, in the order of their installation.

use hook_sdk::plugin::Plugin;
use proptest::prelude::*;

use super::support::*;

const NAMES: [&str; 3] = ["p_a", "p_b", "p_c"];
const HOOKS: [[&str; 3]; 3] = [["a_z", "a_y", "a_x"], ["b_z", "b_y", "b_x"], ["c_z", "c_y", "c_x"]];

fn run(set: &HookSet) -> Vec<&'static str> {
    set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject.unwrap().0
}

#[test]
fn the_app_s_list_then_the_plugins_then_the_scope_s() {
    let registry = registry(["of_app", "of_agent"].map(writes));
    registry.set_app(AppDef::new("desk").hooks(["of_app"]));
    registry.install(Plugin::new("second").hook(writes("s_b")).hook(writes("s_a"))).unwrap();
    registry.install(Plugin::new("first").hook(writes("f")).hook(writes("early").priority(-1))).unwrap();
    let agent = AgentDef::new("a").hooks(["of_agent"]);
    let set = registry.scope(&agent, None).unwrap();
    assert_eq!(run(&set), ["early", "of_app", "s_b", "s_a", "f", "of_agent"], "{set}");
    assert!(set.to_string().contains(" of second;"), "{set}");

    // A list that names a hook of a plugin changes its position only if it is the app's own list.
    let agent = AgentDef::new("a").hooks(["of_agent", "f"]);
    registry.set_app(AppDef::new("desk").hooks(["s_a", "of_app"]));
    assert_eq!(run(&registry.scope(&agent, None).unwrap()), ["early", "s_a", "of_app", "s_b", "f", "of_agent"]);
}

proptest! {
    /// The order of registration within a plugin does not matter.
    #[test]
    fn plugins_are_ordered_by_installation(
        order in Just([0_usize, 1, 2]).prop_shuffle(),
        hooks in Just([0_usize, 1, 2]).prop_shuffle(),
        installed in 0_usize..=3,
        away in 0_usize..3,
    ) {
        let registry = Registry::empty();
        for &plugin in &order[..installed] {
            let made = hooks.iter().fold(Plugin::new(NAMES[plugin]), |made, &hook| made.hook(writes(HOOKS[plugin][hook])));
            registry.install(made).unwrap();
        }
        let expected = |without: Option<usize>| {
            let plugins = order[..installed].iter().filter(|plugin| Some(**plugin) != without);
            plugins.flat_map(|&plugin| hooks.iter().map(move |&hook| HOOKS[plugin][hook])).collect::<Vec<_>>()
        };
        let before = registry.scope(&AgentDef::new("a"), None).unwrap();
        prop_assert_eq!(run(&before), expected(None));
        let gone = futures_executor::block_on(registry.uninstall(NAMES[away], &cx()));
        prop_assert_eq!(gone.is_ok(), order[..installed].contains(&away));
        prop_assert_eq!(run(&registry.scope(&AgentDef::new("a"), None).unwrap()), expected(Some(away)));
        prop_assert_eq!(run(&before), expected(None), "an existing set does not change");
    }
}
