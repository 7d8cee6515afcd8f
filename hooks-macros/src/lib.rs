//! The attribute and derive macros of `hooks-core`. Use them from there: it re-exports both.
//!
//! Each macro is a pipeline of three stages over two models: `syntax` parses the input, `check` reports all mistakes together,
//! and `emit` generates code for a checked model, so it cannot fail.

// The layers. A module uses those above it, never those below it.
mod errors;
mod names;
mod options;
mod types;
mod private;
mod list;
mod plugin;
mod fires;
mod hook;
mod derive;
mod verdict;

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
#[doc = include_str!("hook/options.md")]
///
/// Parameters may stand in any order, each at most once: `&HookContext`, `&Event`, `&With<T>` (parameters from the list
/// that names the hook), and the subject as `&Subject` (to
/// read), `&mut Subject` or `Subject` (to rewrite). A hook that takes the subject by value returns it, with a verdict as
/// `(Subject, Verdict)`, or as an `Option` where the kind allows removal; every other hook returns anything that converts
/// into the verdict. Both may be a `Result`. A hook that nobody waits for takes the subject as `&Subject` only, and returns
/// `()` or `Result<(), E>`; where the verdict is `Contributions` also those.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, item: TokenStream) -> TokenStream {
    hook::expand(attribute.into(), item.into()).into()
}

/// Makes a struct or an enum the event of a kind of its own. See `hooks_core::HookKind`.
///
#[doc = include_str!("derive/options.md")]
#[proc_macro_derive(HookKind, attributes(hook_kind))]
pub fn derive_hook_kind(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}

/// Makes an enum or a struct a verdict, with `Default` and `From<()>` for no opinion. See `hooks_core::verdict::Verdict`.
///
/// ```text
/// #[derive(Clone, Debug, Verdict)]
/// enum Review {
///     #[verdict(neutral)]
///     NoOpinion,
///     Look(#[verdict(joined)] Vec<String>),
///     #[verdict(deny)]
///     Refuse(Denial),
/// }
/// ```
///
/// Variants stand from the weakest to the strongest, and the first among equals holds:
///
/// | Word of a variant | Meaning |
/// |---|---|
/// | `neutral` | no opinion: the first variant, without fields; required |
/// | `final` | nothing later changes it, so later stages do not run |
/// | `deny` | the refusal, which is final, and the answer where a hook could not give one: it makes the verdict that of a gate. The last variant, with nothing in it or one field that is `From<Denial>` |
/// | `freezes` | the subject may no longer be rewritten, as after a question about it |
/// | `lapses` | counts only as long as no later hook changes the subject, as an allow |
///
/// Each field of a struct is merged on its own; a field of a variant may have a rule for where both are that variant:
///
/// | Word of a field | Type | Of two values |
/// |---|---|---|
/// | `first`, `last` | `Option`, `String`, a list, a map, a set | the first, the last that says something |
/// | `joined` | a list, a set, a map, `String`, `Contexts`, or an `Option` of one | both: texts with a blank line, of a map's equal keys the later |
/// | `intersected` | an `Option` of a list or a set | what is in both; `None` sets no limit |
/// | `any` | `bool` | one `true` is enough |
/// | `max`, `min` | an `Option` | the larger, the smaller |
/// | `nested` | a verdict | as it merges itself; one of a gate makes this one that of a gate |
/// | `by` | `Option<HookId>`; in a variant also what has a `by` of its own, as `Denial` | set by the dispatch: the hook whose answer it is; `by = decision`, the one whose `decision` holds, a `nested` field |
///
/// Beside its rule a struct's field may be `final`: once it says something, nothing later changes it. Of the whole type one
/// may say `contribute`, where hooks only add to it, and `crate = path`.
#[proc_macro_derive(Verdict, attributes(verdict))]
pub fn derive_verdict(item: TokenStream) -> TokenStream {
    verdict::expand(item.into()).into()
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
    fires::expand(input.into()).into()
}

// Not public API. What `hooks_core::setup!` expands to where something is given to it.
#[doc(hidden)]
#[proc_macro]
pub fn __nothing(input: TokenStream) -> TokenStream {
    list::nothing(&input.into()).into()
}

// Not public API. What `hooks_core::plugin!` expands to.
#[doc(hidden)]
#[proc_macro]
pub fn __plugin(input: TokenStream) -> TokenStream {
    plugin::expand(input.into()).into()
}
