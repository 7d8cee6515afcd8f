//! `#[hook]`.

mod check;
mod emit;
#[cfg(test)]
mod expansions;
mod filter;
mod function;
mod model;
mod run;
mod table;
mod values;

pub(crate) use function::description;
pub(crate) use table::OPTIONS;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::errors::Errors;
use crate::options;

/// Emits the unchanged function first, and then the errors or the registration.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = options::read(attribute, &mut errors);
    let function = function::read(item.clone(), &mut errors);
    let hook = check::check(&written, function, &mut errors);
    let mut output = item;
    match hook {
        Some(hook) if errors.is_empty() => emit::emit(&hook).to_tokens(&mut output),
        _ => errors.into_tokens().to_tokens(&mut output),
    }
    output
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::expand;

    /// Editors and debuggers must find the function where the user wrote it, even if the attribute has errors.
    #[test]
    fn the_function_comes_first_and_unchanged() {
        let attributes = [
            quote!(id = "a", kind = before_tool_call),
            quote!(id = "A", kind = [PreToolUse, x::Y], what = ?),
            quote!(kind = x::Y, priority = "high"),
            quote!(),
        ];
        let functions = [
            quote!(
                #[doc = " Doc."]
                #[inline]
                pub(crate) async fn a<'x>(cx: &'x HookContext, _: &mut S) -> Result<(), E> {
                    odd!(> syntax)
                }
            ),
            quote!(
                unsafe fn a<T>(self) -> ! {
                    loop {}
                }
            ),
            quote!(
                struct NotAFunction;
            ),
        ];
        for function in &functions {
            for attribute in &attributes {
                let expanded = expand(attribute.clone(), function.clone()).to_string();
                let rest = expanded.strip_prefix(&function.to_string());
                assert!(rest.is_some_and(|rest| !rest.is_empty()), "{expanded}");
            }
        }
    }

    #[test]
    fn a_hook_adds_one_unnamed_item() {
        let attribute = quote!(id = "a", kind = [before_tool_call, X], tool = "x", on_failure = deny);
        let file: syn::File = syn::parse2(expand(
            attribute,
            quote!(
                fn a(_: &mut S) {}
            ),
        ))
        .unwrap();
        let [syn::Item::Fn(_), syn::Item::Const(generated)] = &file.items[..] else { panic!("{:?}", file.items.len()) };
        assert_eq!(generated.ident, "_");
    }
}
