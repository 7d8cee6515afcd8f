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

/// Declares a group of hooks: several functions with one id, one entry in a list, and one `with`.
///
/// The id is the name of the item; `hooks![…]` takes its path. A function joins the group with `group = path` in place
/// of `id`. It has its own options, and each kind can have one function of the group. All that take parameters take the
/// same type, `&With<T>`. The plan, records and messages show the id of the group at each of its kinds.
///
/// ```
/// use hook_sdk::data::Role;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// hook_sdk::group! {
///     /// Masks the words that its list names.
///     pub mask_words
/// }
///
/// #[derive(serde::Deserialize)]
/// struct Masked {
///     words: Vec<String>,
/// }
///
/// impl Masked {
///     fn mask(&self, text: &str) -> Option<String> {
///         let masked = self.words.iter().fold(text.to_owned(), |text, word| text.replace(word, "[masked]"));
///         (masked != text).then_some(masked)
///     }
/// }
///
/// #[hook(group = mask_words, kind = before_create_message, on_failure = required)]
/// fn rows(masked: &With<Masked>, row: &mut Message) {
///     row.rewrite_text(|text| masked.mask(text));
/// }
///
/// #[hook(group = mask_words, kind = after_tool_call_success, on_failure = remove)]
/// fn results(masked: &With<Masked>, result: &mut ToolResult) {
///     result.rewrite_text(|text| masked.mask(text));
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::empty().with(hooks![mask_words])?;
/// let agent = r#"{"name": "support", "hooks": [{"id": "mask_words", "with": {"words": ["sesame"]}}]}"#;
/// let hooks = registry.scope(&AgentDef::from_json("support.json", agent)?, None)?;
/// let row = Message::new(Role::User, "it is sesame");
/// let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row)?;
/// assert_eq!(fired.subject.text(), "it is [masked]");
/// assert!(hooks.has::<AfterToolCallSuccess>());
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! group {
    ($(#[doc = $doc:literal])* $vis:vis $id:ident) => {
        $(#[doc = $doc])*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        $vis struct $id;

        impl $crate::__private_0_1::HookGroup for $id {
            const ENTRY: &'static $crate::__private_0_1::GroupEntry = &$crate::__private_0_1::GroupEntry {
                id: $crate::__private_0_1::check::id(::core::stringify!($id)),
                description: ::core::concat!($($doc, "\n",)*),
                origin: $crate::__private_0_1::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                item: || $crate::__private_0_1::type_of(&$id),
            };
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!("a group is one item: write `hook_sdk::group! { /// Masks … pub mask_pii }`");
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

/// Declares the crate as a library of hooks, which lists choose from. [`Registry::audit`](crate::Registry::audit) does not
/// report those that no list names. Write it once per crate.
///
/// Parameters that name tools, in a list or as the keys of an object, are declared with a JSON pointer, such as
/// `library! { deny_secrets: "/tools" }`: [`Registry::check`](crate::Registry::check) then reports a misspelt tool.
///
/// ```standalone_crate
/// use hook_sdk::prelude::*;
///
/// hook_sdk::library!();
///
/// #[hook(kind = before_tool_call)]
/// fn no_calls() -> Permission {
///     Permission::deny("no tool is called here")
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// assert!(Registry::discover()?.audit([]).is_empty());
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! library {
    ($($hook:ident: $tools:literal),* $(,)?) => {
        const _: () = {
            $crate::__private_0_1::inventory::submit! {
                $crate::__private_0_1::LibraryEntry {
                    module: ::core::module_path!(),
                    tools: &[$((::core::stringify!($hook), $tools)),*],
                }
            }
        };
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
