//! What the programs share: hooks that are linked, and the time that finding them takes.
//!
//! `#[hook]` on ten thousand functions takes minutes to build. [`hook!`] submits what the attribute submits, each hook with
//! an id, a place and a function type of its own; only the code of their handlers is shared, which start-up never calls.

use std::any::Any;
use std::hint::black_box;

use hook_sdk::data::ToolResult;
use hook_sdk::kinds::AfterToolCallSuccess;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
#[doc(hidden)]
pub use hook_sdk::__private_0_1 as private;
use measure::{Body, Class, Label, Peer, Role, Sitting, locked};

/// Links one hook.
#[macro_export]
macro_rules! hook {
    ($number:literal, $id:literal) => {
        $crate::private::inventory::submit! {
            $crate::private::HookSpec {
                id: $id,
                description: "Reads the result.",
                origin: $crate::private::Origin::new(file!(), line!(), module_path!()),
                function: || $crate::private::type_of(&$crate::reads::<$number>),
                options: $crate::private::options(
                    0,
                    $crate::private::Cow::Borrowed(&[]),
                    $crate::private::Cow::Borrowed(&[]),
                    $crate::private::Cow::Borrowed(&[]),
                    $crate::private::Timeout::Default,
                    None,
                ),
                with: None,
                plugin: None,
                locked: false,
                asks_context: false,
                bindings: &[$crate::private::BindingSpec {
                    kind: $crate::private::kind::<hook_sdk::kinds::AfterToolCallSuccess>(),
                    handler: $crate::HANDLER,
                    fallback: None,
                    decides: false,
                    filters: &[],
                    own: None,
                    takes_subject: false,
                }],
            }
        }
    };
}

/// A function for each number, with a type of its own.
pub fn reads<const NUMBER: usize>(result: &ToolResult) {
    black_box(result);
}

static READS: private::Call<AfterToolCallSuccess, ToolResult, ()> =
    private::Call::Read(private::form::Read::Static(|_, _, result| {
        reads::<0>(result);
        Ok(())
    }));

/// What is called, for all of them.
pub const HANDLER: &(dyn Any + Send + Sync) = &READS;

/// Measures the start of a program with `count` hooks linked in.
///
/// # Panics
/// If another number of hooks is there.
pub fn run(count: usize) {
    let found = Registry::discover().expect("the ids differ");
    let agent = AgentDef::new("bench").hooks((0..count).map(|number| format!("hook_{number}")));
    let set = found.scope(&agent, None).expect("all of them are there");
    assert_eq!(set.to_string().matches(" reads ").count(), count, "so many are linked");

    let version = locked(include_str!("../../Cargo.lock"), "hook-sdk");
    let ours = Peer { name: "hook-sdk", role: Role::Ours, version, isolates: true, chosen_at_run_time: true };
    let label = |variant| Label { class: Class::Scale, body: Body::Pass, variant, n: count };
    let mut sitting = Sitting::new(ours);
    sitting.call(label("start: finding N linked hooks"), || drop(black_box(Registry::discover())));
    sitting.call(label("start: finding them, and the set of all N"), move || {
        let registry = Registry::discover().expect("the ids differ");
        drop(black_box(registry.scope(&agent, None)));
    });
    sitting.run();
}
