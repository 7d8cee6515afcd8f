//! A hook may stand wherever a function may: in a body, a block, a module in a body, beside another of its name.
#![allow(clippy::unwrap_used)] // helpers of tests say what they expect by unwrapping
#![allow(clippy::items_after_statements)] // the point

use hooks_core::kinds::*;
use hooks_core::prelude::*;
use hooks_core::scope::HookRef;

/// Hooks of one name in two modules; the id tells them apart.
mod first {
    use hooks_core::prelude::*;

    #[hook(id = "first_of_the_name", kind = before_create_message)]
    pub(super) fn named(row: &mut Message) {
        row.rewrite_text(|text| Some(format!("{text} first")));
    }

    pub(super) mod second {
        use hooks_core::prelude::*;

        #[hook(id = "second_of_the_name", kind = before_create_message, after = ["first_of_the_name"])]
        pub(in super::super) fn named(row: &mut Message) {
            row.rewrite_text(|text| Some(format!("{text} second")));
        }
    }
}

/// A hook that its maker alone can name.
fn of_a_function() -> HookRef {
    #[hook(id = "in_a_function", kind = before_create_message)]
    fn local(row: &mut Message) {
        row.rewrite_text(|text| Some(format!("{text} function")));
    }
    let [reference] = hooks![local];
    reference
}

/// The same name in another body, within a closure, within a module.
fn of_a_block() -> HookRef {
    let make = || {
        mod local {
            use hooks_core::prelude::*;

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

/// An inherent function cannot be a hook; one in its body can.
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

/// Patterns, `mut`, `_` and names of the generated code's own kind are the user's business.
#[hook(id = "patterns", kind = before_create_message)]
fn patterns(mut row: Message, _: &HookContext, BeforeCreateMessage { .. }: &BeforeCreateMessage) -> Message {
    row.rewrite_text(|text| Some(format!("{text} patterns")));
    row
}

/// Raw names are names: of the function, of a parameter, of the id.
#[hook(id = "loop", kind = before_create_message)]
fn r#loop(r#in: &mut Message, r#ref: &HookContext) {
    r#in.rewrite_text(|text| Some(format!("{text} loop {}", u8::from(r#ref.human_present()))));
}

#[test]
fn every_place_is_registered_and_runs() {
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
