//! The macros that begin here, so that `$crate` finds this crate under any name.

/// The hooks that these functions are, for [`AgentDef::hooks`](crate::scope::AgentDef::hooks) and its like.
///
/// A path is that of the function itself, through imports and re-exports. A misspelt one does not compile; a function
/// that is no hook is reported by [`Registry::discover`](crate::Registry::discover), with its place.
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
        $crate::__private_0_1::list!([$crate] $($hooks)*)
    };
}

/// Declares, at link time, the kinds that a harness fires. Stands where an item may stand, next to the code that fires.
///
/// Once a program has such a declaration, [`Registry::audit`](crate::Registry::audit) reports the hooks of kinds that no
/// declaration names: nothing would ever run them. [`testing::conformance`](crate::testing::conformance) holds a harness
/// to its declaration. A kind is its type, or the name of a built-in one. Behind it stand the fields of its event that the
/// harness never fills: a hook that reads one would be as dead, so `audit` reports filters over them, and `conformance` each
/// field that is neither filled nor named so.
///
/// ```standalone_crate
/// use hooks_core::kinds::{AfterCreateMessage, BeforeToolCall};
///
/// hooks_core::fires![BeforeToolCall, AfterCreateMessage [never message_id], turn_end];
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! fires {
    ($($kinds:tt)*) => {
        $crate::__private_0_1::fires! { [$crate] $($kinds)* }
    };
}

/// Declares the crate to be a plugin: its hooks belong to it unless they say otherwise with `plugin = "…"`.
///
/// Stands once in the crate, best in its root. The name is written as an id is. An app that depends on the crate installs
/// it with [`Registry::install`](crate::Registry::install); until then its hooks are in no list. The version is that of the
/// crate, or what `version = "…"` says.
///
/// ```standalone_crate
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
///
/// hooks_core::plugin!("acme");
///
/// #[hook(id = "acme_guard", kind = before_tool_call)]
/// fn acme_guard(cx: &HookContext) -> Permission {
///     assert_eq!(cx.plugin(), Some("acme"));
///     Permission::NoOpinion
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::discover()?;
/// registry.install("acme")?;
/// let hooks = registry.scope(&AgentDef::new("support"), None)?;
/// assert!(hooks.has::<BeforeToolCall>());
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! plugin {
    () => {
        ::core::compile_error!("a plugin needs a name: write `plugin!(\"acme\");`");
    };
    ($($plugin:tt)*) => {
        $crate::__private_0_1::plugin! { [$crate] $($plugin)* }
    };
}

/// Makes two hooks with one id a build error. Optional; goes into the root of a crate (each binary, test and example has
/// its own).
///
/// ```standalone_crate
/// hooks_core::setup!();
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! setup {
    () => {
        #[doc(hidden)]
        #[allow(dead_code)]
        pub(crate) struct __HooksCoreIds;
        const _: () = $crate::__private_0_1::check::root(::core::module_path!());
    };
    ($($other:tt)+) => {
        $crate::__private_0_1::nothing! { $($other)+ }
    };
}
