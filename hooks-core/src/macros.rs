//! Macros that are defined in this crate, so that `$crate` resolves under any name.

/// Names hooks by their functions, for [`AgentDef::hooks`](crate::scope::AgentDef::hooks) and similar methods.
///
/// Each path is the path of the function itself; imports and re-exports work. A misspelt path does not compile. A
/// function without `#[hook]` is reported by [`Registry::discover`](crate::Registry::discover), with its position.
///
/// ```
/// # use hook_sdk::prelude::*;
/// mod guards {
///     # use hook_sdk::prelude::*;
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
        $crate::__private_0_1::expand!(list [$crate] $($hooks)*)
    };
}

/// Declares at link time which kinds a harness fires. Write it as an item, next to the code that fires.
///
/// Once a program contains such a declaration, [`Registry::audit`](crate::Registry::audit) reports hooks of kinds that
/// no declaration names, because they never run. The crate `hooks-conformance` checks a harness against its declaration.
///
/// Name a kind by its type, or a built-in kind by its name. `[never field, …]` lists the fields of its event that the
/// harness never fills. `audit` reports filters on those fields, because they match only empty text, and
/// `hooks-conformance` reports every other field that is not filled. The name of a [step](crate::protocol) declares what
/// it fires: `tool_call`, `model_call`, `prompt`, `store`.
///
/// ```standalone_crate
/// use hook_sdk::kinds::BeforeAgentStart;
///
/// hook_sdk::fires![tool_call, store, BeforeAgentStart [never trigger], turn_end];
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! fires {
    ($($kinds:tt)*) => {
        $crate::__private_0_1::expand! { fires [$crate] $($kinds)* }
    };
}

/// Calls a macro with all built-in kinds, as `name => type`.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// macro_rules! tracers {
///     ($($name:ident => $kind:ty),*) => {
///         vec![$(Hook::at::<$kind>(concat!("traced_at_", stringify!($name))).reader(|_, _, _| ())),*]
///     };
/// }
///
/// let tracers: Vec<Hook> = hook_sdk::for_each_kind!(tracers);
/// assert!(tracers.iter().any(|hook| hook.id().as_str() == "traced_at_before_tool_call"));
/// ```
#[macro_export]
macro_rules! for_each_kind {
    ($macro:ident) => {
        $crate::__private_0_1::expand! { kinds [$crate] $macro }
    };
}

/// Declares the crate as a plugin. All its hooks belong to the plugin, except those with their own `plugin = "…"`.
///
/// Write it once per crate, preferably in the crate root. The name has the same form as a hook id. An app that depends
/// on the crate installs the plugin with [`Registry::install`](crate::Registry::install); until then none of its hooks
/// runs. The version is that of the crate, unless `version = "…"` is given.
///
/// ```standalone_crate
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// hook_sdk::plugin!("acme");
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
        $crate::__private_0_1::expand! { plugin [$crate] $($plugin)* }
    };
}

/// Makes two hooks with the same id a build error. Optional. Write it in the root of a crate; each binary, test and
/// example is a crate of its own.
///
/// ```standalone_crate
/// hook_sdk::setup!();
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! setup {
    () => {
        #[allow(dead_code)]
        pub(crate) struct __HookSdkIds;
        const _: () = $crate::__private_0_1::check::root(::core::module_path!());
    };
    ($($other:tt)+) => {
        $crate::__private_0_1::expand! { nothing $($other)+ }
    };
}
