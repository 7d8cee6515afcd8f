//! The attribute and derive macros of `hooks-core`. Use them from there: it re-exports both.
//!
//! Each macro is a pipeline of three stages over two models: `syntax` reads what was written, `check` tells everything
//! that is wrong with it at once, and `emit` writes code for what is right and can no longer fail.

mod derive;
mod errors;
mod hook;
mod list;
mod names;
mod options;
mod types;

use proc_macro::TokenStream;

/// Makes a function a hook: it runs at a fixed point of an agent's turn wherever an agent or a prompt names its id.
///
/// ```text
/// /// Masks e-mail addresses and card numbers in what a tool returns.
/// #[hook(id = "redact_pii", kind = after_tool_call_success, on_failure = remove)]
/// fn redact_pii(result: &mut ToolResult) { /* … */ }
/// ```
///
/// The function stays as it is written and can be called directly. Its doc comment is the hook's description.
///
/// | Option | Meaning | Default |
/// |---|---|---|
/// | `id` | a string: a lower-case letter, then lower-case letters, digits and `_` | required |
/// | `kind` | a built-in kind in `snake_case`, a type with `#[derive(HookKind)]`, or a list of them | required |
/// | `priority` | lower runs earlier (`i32`) | 0 |
/// | `after`, `before` | ids at the same kind to follow or precede where they are in scope | none |
/// | `requires` | as `after`, and their absence from the scope is an error | none |
/// | `timeout` | `"250ms"`, `"2s"`, `"1m"` or `none`, for an `async fn` | 30 s |
/// | `on_failure` | `continue`, `remove`, `deny` or `required` | `deny` on gates, `required` on `init`, else `continue` |
/// | `fallback` | a function of the hook's signature that answers where it failed; if that fails too, `on_failure` | none |
/// | a field of the kind, such as `tool` | patterns over its value: `"fs_*\|Bash"` | all |
/// | `crate` | the path of `hooks-core` where it has another name | `::hooks_core` |
///
/// Parameters may stand in any order, each at most once: `&HookContext`, `&Event`, `&With<T>` (parameters from the list
/// that names the hook), and the subject as `&Subject` (to
/// read), `&mut Subject` or `Subject` (to rewrite). A hook that takes the subject by value returns it, with a verdict as
/// `(Subject, Verdict)`, or as an `Option` where the kind allows removal; every other hook returns anything that converts
/// into the verdict. Both may be a `Result`.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, item: TokenStream) -> TokenStream {
    hook::expand(attribute.into(), item.into()).into()
}

/// Makes a struct or an enum the event of a kind of its own. See `hooks_core::HookKind`.
#[proc_macro_derive(HookKind, attributes(hook_kind))]
pub fn derive_hook_kind(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}

// Not public API. What `hooks_core::hooks!` expands to.
#[doc(hidden)]
#[proc_macro]
pub fn __list(input: TokenStream) -> TokenStream {
    list::expand(input.into()).into()
}

// Not public API. What `hooks_core::fires!` expands to.
#[doc(hidden)]
#[proc_macro]
pub fn __fires(input: TokenStream) -> TokenStream {
    list::fires(input.into()).into()
}

// Not public API. What `hooks_core::setup!` expands to where something is given to it.
#[doc(hidden)]
#[proc_macro]
pub fn __nothing(input: TokenStream) -> TokenStream {
    list::nothing(&input.into()).into()
}
