//! The attribute and derive macros of `hook-sdk`, which re-exports them.
//!
//! Each macro is a pipeline of three stages over two models: `syntax` parses the input, `check` reports all mistakes
//! together, and `emit` generates code for a checked model, so it cannot fail.

// The layers: a module uses only modules above it.
mod errors;
mod names;
mod options;
mod types;
mod private;
mod list;
mod kinds;
mod kind;
mod plugin;
mod fires;
mod hook;
mod derive;
mod verdict;

use proc_macro::TokenStream;

/// Turns a function into a hook, which runs at a fixed point of an agent's turn if a list names its id.
///
/// ```text
/// /// Masks e-mail addresses and card numbers in what a tool returns.
/// #[hook(id = "redact_pii", kind = after_tool_call_success, on_failure = remove)]
/// fn redact_pii(result: &mut ToolResult) { /* … */ }
/// ```
///
/// The function itself is unchanged and can be called directly. Its doc comment is the hook's description.
///
#[doc = include_str!("hook/options.md")]
///
/// Parameters may be in any order, each at most once: `&HookContext`, `&Event`, `&With<T>` (parameters from the list
/// that names the hook), `&State<T>` (state of the app), and the subject as `&Subject` (to read) or as `&mut Subject` or `Subject` (to rewrite).
///
/// A hook that takes the subject by value returns `Subject`, `(Subject, Verdict)`, or `Option<Subject>` if the kind
/// allows removal. Every other hook returns any type that converts into the verdict. Both may return a `Result`.
///
/// A detached or background hook takes the subject only as `&Subject` and returns `()` or `Result<(), E>`; if the
/// verdict is `Contributions`, it may also return those.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, item: TokenStream) -> TokenStream {
    hook::expand(attribute.into(), item.into()).into()
}

/// Makes a struct or an enum the event of an app's own kind. See `hook_sdk::HookKind`.
///
#[doc = include_str!("derive/options.md")]
///
/// `match(option = path.to.field)` filters by a nested field, under the name before the `=`. The path may end in a method
/// that returns a `&str`. A type before the `=`, as in `match(region: Region = order.region)`, lists the valid words; it
/// implements `hook_sdk::words::Words`.
#[proc_macro_derive(HookKind, attributes(hook_kind))]
pub fn derive_hook_kind(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}

// Not public API. The event of a kind of `hook-sdk` itself.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn __event(attribute: TokenStream, item: TokenStream) -> TokenStream {
    derive::event(&attribute.into(), item.into()).into()
}

/// Makes an enum or a struct a verdict, and implements `Default` and `From<()>`, which mean no opinion. See
/// `hook_sdk::verdict::Verdict`.
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
/// Order the variants from the weakest to the strongest. Among equal variants, the first answer wins:
///
/// | Attribute of a variant | Meaning |
/// |---|---|
/// | `neutral` | no opinion: the first variant, without fields; required |
/// | `final` | nothing later changes it, so later stages do not run |
/// | `deny` | the denial, which is final, and also the answer of a hook that failed; it makes the verdict that of a gate. It must be the last variant, without fields or with one field that implements `From<Denial>` |
/// | `freezes` | the subject may no longer be rewritten, for example after a question about it |
/// | `lapses` | discarded if a later hook changes the subject, like an allow |
///
/// Each field of a struct is merged separately. A field of a variant may have a rule for merging two answers of that
/// variant:
///
/// | Attribute of a field | Type | Result of a merge |
/// |---|---|---|
/// | `first`, `last` | `Option`, `String`, a list, a map, a set | the first or the last value that is set |
/// | `joined` | a list, a set, a map, `String`, `Contexts`, or an `Option` of one | both: texts are joined with a blank line; for equal keys of a map, the later value wins |
/// | `intersected` | an `Option` of a list or a set | the elements of both; `None` means no limit |
/// | `any` | `bool` | `true` if any value is `true` |
/// | `max`, `min` | an `Option` | the larger or the smaller value |
/// | `nested` | a verdict | merged by its own rules; if it is a gate's verdict, so is this one |
/// | `by` | `Option<HookId>`; in a variant also a type with a `by` of its own, such as `Denial` | set by the dispatch: the hook that gave the answer; with `by = decision`, the hook that set the `nested` field `decision` |
///
/// In addition to its rule, a field of a struct may be `final`: once it is set, nothing later changes it. The type
/// itself may have `contribute`, if hooks only add to it, and `crate = path`.
#[proc_macro_derive(Verdict, attributes(verdict))]
pub fn derive_verdict(item: TokenStream) -> TokenStream {
    verdict::expand(item.into()).into()
}

// Not public API. What the macros of `hook-sdk` expand to: the name of the macro, and its input.
#[doc(hidden)]
#[proc_macro]
pub fn __expand(input: TokenStream) -> TokenStream {
    let mut input = proc_macro2::TokenStream::from(input).into_iter();
    let name = input.next().map(|name| name.to_string()).unwrap_or_default();
    let input = input.collect();
    let output = match name.as_str() {
        "list" => list::expand(input),
        "fires" => fires::expand(input),
        "plugin" => plugin::expand(input),
        "kinds" => kinds::expand(input),
        "patterns" => hook::patterns(),
        _ => list::nothing(&input),
    };
    output.into()
}
