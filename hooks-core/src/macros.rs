//! The macros that begin here, so that `$crate` finds this crate under any name.

/// The hooks that these functions are, for [`AgentDef::hooks`](crate::scope::AgentDef::hooks) and its like.
///
/// A path is that of the function itself, through imports and re-exports. A misspelt one does not compile; a function
/// that is no hook is told by [`Registry::discover`](crate::Registry::discover), with its place.
///
/// ```
/// # use hooks_core::prelude::*;
/// mod guards {
///     # use hooks_core::prelude::*;
///     #[hook(id = "no_shouting", kind = before_create_message)]
///     pub fn no_shouting(row: &mut Message) {
///         row.rewrite_text(|text| Some(text.to_lowercase()));
///     }
/// }
///
/// let agent = AgentDef::new("support").hooks(hooks![guards::no_shouting]);
/// ```
#[macro_export]
macro_rules! hooks {
    ($($hooks:tt)*) => {
        $crate::private::list!([$crate] $($hooks)*)
    };
}

/// Declares, at link time, the kinds that a harness fires. Stands where an item may stand, next to the code that fires.
///
/// Once a program has such a declaration, [`Registry::audit`](crate::Registry::audit) reports the hooks of kinds that no
/// declaration names: nothing would ever run them. [`testing::conformance`](crate::testing::conformance) holds a harness
/// to its declaration.
///
/// ```standalone_crate
/// use hooks_core::kinds::{AfterCreateMessage, BeforeToolCall};
///
/// hooks_core::fires![BeforeToolCall, AfterCreateMessage];
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! fires {
    ($($kinds:tt)*) => {
        $crate::private::fires! { [$crate] $($kinds)* }
    };
}

/// Makes two hooks with one id a build error. Optional; goes into the root of a crate (each binary, test and example has
/// its own).
///
/// ```
/// hooks_core::setup!();
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! setup {
    () => {
        #[doc(hidden)]
        #[allow(dead_code, missing_debug_implementations, unreachable_pub)]
        pub struct __HooksCoreIds;
        const _: () = $crate::private::check::root(::core::module_path!());
    };
    ($($other:tt)+) => {
        $crate::private::nothing! { $($other)+ }
    };
}
