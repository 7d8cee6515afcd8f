//! A hook can be defined wherever a function can: in a body, in a block, in a module within a body. Two hooks can have the
//! same function name.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert
#![allow(clippy::items_after_statements)] // tested here

use hook_sdk::data::Role;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::scope::HookRef;

/// Hooks with the same function name in two modules. Only their ids differ.
mod first {
    use hook_sdk::prelude::*;

    #[hook(id = "first_of_the_name", kind = before_create_message)]
    pub(super) fn named(row: &mut Message) {
        row.rewrite_text(|text| Some(format!("{text} first")));
    }

    pub(super) mod second {
        use hook_sdk::prelude::*;

        #[hook(id = "second_of_the_name", kind = before_create_message, after = ["first_of_the_name"])]
        pub(in super::super) fn named(row: &mut Message) {
            row.rewrite_text(|text| Some(format!("{text} second")));
        }
    }
}

/// A hook that only its enclosing function can name.
fn of_a_function() -> HookRef {
    #[hook(id = "in_a_function", kind = before_create_message)]
    fn local(row: &mut Message) {
        row.rewrite_text(|text| Some(format!("{text} function")));
    }
    let [reference] = hooks![local];
    reference
}

/// The same name in another body, in a module within a closure.
fn of_a_block() -> HookRef {
    let make = || {
        mod local {
            use hook_sdk::prelude::*;

            #[hook(id = "in_a_block", kind = before_create_message)]
            pub(super) fn local(row: &mut Message) {
                row.rewrite_text(|text| Some(format!("{text} block")));
            }
        }
        hooks![local::local]
    };
    let [reference] = make();
    reference
}

/// A method cannot be a hook, but a function within an associated constant can.
struct Guard;

impl Guard {
    const HOOK: HookRef = {
        #[hook(id = "in_a_constant", kind = before_create_message)]
        fn local(row: &mut Message) {
            row.rewrite_text(|text| Some(format!("{text} constant")));
        }
        let [reference] = hooks![local];
        reference
    };
}

/// Parameters can be patterns, `mut` or `_`.
#[hook(id = "patterns", kind = before_create_message)]
fn patterns(mut row: Message, _: &HookContext, BeforeCreateMessage { .. }: &BeforeCreateMessage) -> Message {
    row.rewrite_text(|text| Some(format!("{text} patterns")));
    row
}

/// The function and its parameters can be raw identifiers, and the id a keyword.
#[hook(id = "loop", kind = before_create_message)]
fn r#loop(r#in: &mut Message, r#ref: &HookContext) {
    r#in.rewrite_text(|text| Some(format!("{text} loop {}", u8::from(r#ref.human_present()))));
}

#[test]
fn a_hook_is_registered_and_runs_wherever_it_is_defined() {
    let all = [
        hooks![first::named, first::second::named].to_vec(),
        vec![of_a_function(), of_a_block(), Guard::HOOK],
        hooks![patterns, r#loop].to_vec(),
    ];
    let all = all.concat();
    let registry = Registry::empty().with(all.clone()).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(all), None).unwrap();
    let row = Message::new(Role::User, "row");
    let fired = set.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row).unwrap();
    assert_eq!(fired.subject.text(), "row first second function block constant patterns loop 0");
}
