//! Compares the list of kinds in the macros with the kinds themselves.

use std::collections::BTreeSet;

use hook_sdk::hook::OnFailure;
use hook_sdk::kinds;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

/// A kind of the app.
#[derive(HookKind)]
#[hook_kind(name = "lunch", match(dish))]
struct Lunch {
    dish: String,
}

macro_rules! everywhere {
    ($($name:ident => $kind:ty),* $(,)?) => {
        /// Has every name that an attribute accepts. If a name stood for another type, its hook would be registered under
        /// another name.
        #[hook(id = "everywhere", kind = [$($name),*])]
        fn everywhere() {}

        #[test]
        fn the_names_of_the_macros_are_those_of_the_types() {
            $(assert_eq!(stringify!($name), <$kind as HookKind>::NAME);)*
        }
    };
}

hook_sdk::for_each_kind!(everywhere);

fn built_in() -> Vec<&'static hook_sdk::KindDescriptor> {
    kinds::all().into_iter().filter(|kind| kind.origin.module.starts_with("hook_sdk::kinds")).collect()
}

#[test]
fn the_names_of_attributes_are_those_of_the_kinds() {
    let registry = Registry::empty().with(hooks![everywhere]).unwrap();
    let named: BTreeSet<_> = registry.hooks()[0].kinds().collect();
    let exported: BTreeSet<_> = built_in().into_iter().map(|kind| kind.name).collect();
    let unnamed: Vec<_> = exported.difference(&named).collect();
    assert!(
        unnamed.is_empty(),
        "no attribute can name the kinds {unnamed:?}: add them to `KINDS` in hooks-macros/src/names.rs"
    );
    assert_eq!(named, exported);
}

#[test]
fn the_descriptor_of_a_kind_matches_its_type() {
    let lunch = kinds::all().into_iter().find(|kind| kind.name == "lunch").unwrap();
    assert_eq!((lunch.semantics, lunch.fields, lunch.json), (Semantics::Event, &["dish"][..], false));
    assert_eq!(lunch.description, "A kind of the app.");
    assert!(lunch.origin.file.ends_with("listed.rs") && lunch.origin.line > 0);
    assert_eq!(Lunch { dish: "soup".to_owned() }.dish, "soup");
}

#[test]
fn every_built_in_kind_can_be_fired_as_json_and_says_when_it_fires() {
    for kind in built_in() {
        assert!(kind.json, "{kind:?}");
        assert!(kind.description.starts_with("Fires "), "{kind:?}");
    }
}

#[test]
fn kinds_outside_a_turn() {
    let outside: Vec<_> = built_in().into_iter().filter(|kind| kind.outside_turn).map(|kind| kind.name).collect();
    assert_eq!(
        outside,
        [
            "gateway_start",
            "gateway_stop",
            "init",
            "message_received",
            "message_sending",
            "message_sent",
            "session_end",
            "session_start",
            "shutdown"
        ],
        "at these kinds, only the app's list applies: if a new kind fires outside a turn, add it to this list"
    );
}

#[test]
fn the_default_of_on_failure_depends_on_the_kind() {
    for kind in built_in() {
        let expected = match (kind.name, kind.semantics) {
            ("init", _) => OnFailure::Required,
            (_, Semantics::Gate) => OnFailure::Deny,
            _ => OnFailure::Continue,
        };
        assert_eq!(kind.on_failure, expected, "{kind:?}");
    }
}

#[test]
fn a_failing_hook_of_init_is_an_error() {
    let registry = Registry::empty();
    let fails = |_: &HookContext, _: &Init, (): &()| Err::<(), _>("no database");
    registry.register(Hook::at::<Init>("opens_database").reader(fails)).unwrap();
    registry.set_app(AppDef::new("app").hooks(["opens_database"]));
    let hooks = registry.scope(&AgentDef::new("a"), None).unwrap();
    let error = hooks.fire_blocking(&HookContext::new(), &Init::new("mail"), ()).unwrap_err();
    assert!(error.to_string().contains("opens_database"), "{error}");
    assert!(hooks.to_string().contains("on failure required"), "{hooks}");
}
