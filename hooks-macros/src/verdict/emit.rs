//! The implementations of `Default`, `From<()>` and `Verdict`.

mod of_enum;
mod of_struct;
mod part;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::model::{Shape, Verdict};
use crate::private::private;
use part::Shaped;

/// The implementations; without behavior if the verdict is invalid.
pub(crate) fn emit(verdict: &Verdict, is_valid: bool) -> TokenStream {
    let shaped = match &verdict.shape {
        _ if !is_valid => stand_in(verdict),
        Shape::Struct(fields) => of_struct::of_struct(fields),
        Shape::Enum(variants) => of_enum::of_enum(variants),
    };
    let Shaped { aliases, nothing, semantics, merge, .. } = &shaped;
    let methods = is_valid.then(|| methods(&shaped));
    let (ty, private) = (&verdict.ty, private(&verdict.core));
    let otherwise = if verdict.contributes { quote!(Contribute) } else { quote!(Control) };
    // Merges of built-in verdicts never panic.
    let built_in = verdict.core.is_this_crate().then(|| {
        quote!(
            const MERGE_MAY_PANIC: bool = false;
        )
    });
    // At the type's name, where missing traits are reported.
    let complete = quote_spanned! {ty.span()=>
        fn complete(verdict: &#ty) {
            __hook_sdk::Complete::complete(verdict);
        }
    };
    quote! {
        #[allow(
            dead_code, unused_qualifications, unused_imports, unused_variables, unreachable_patterns, non_local_definitions,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
        const _: () = {
            use #private as __hook_sdk;
            type __HookSdkSelf = #ty;

            #[automatically_derived]
            impl __hook_sdk::From<()> for #ty {
                #[inline]
                fn from((): ()) -> Self {
                    <Self as __hook_sdk::Default>::default()
                }
            }

            #complete
            #aliases

            #[automatically_derived]
            impl __hook_sdk::Default for #ty {
                fn default() -> Self {
                    #nothing
                }
            }

            #[automatically_derived]
            impl __hook_sdk::Verdict for #ty where for<'a> #ty: __hook_sdk::Completes<'a> {
                const SEMANTICS: __hook_sdk::Option<__hook_sdk::Semantics> = __hook_sdk::Option::Some(
                    __hook_sdk::semantics_of(&[#semantics], __hook_sdk::Semantics::#otherwise)
                );
                #built_in

                #[inline]
                fn merge(&mut self, later: Self) {
                    #merge
                }

                #methods
            }
        };
    }
}

fn stand_in(verdict: &Verdict) -> Shaped {
    let gate = verdict.denies().then(|| quote!(__hook_sdk::Option::Some(__hook_sdk::Semantics::Gate)));
    Shaped { nothing: quote!(loop {}), semantics: quote!(#gate), ..Shaped::default() }
}

/// The methods of `Verdict` in addition to `merge`.
fn methods(shaped: &Shaped) -> TokenStream {
    let Shaped { is_final, freezes_subject, subject_changed, attribute, attribution, .. } = shaped;
    let Shaped { from_denial, is_silent, summary, .. } = shaped;
    quote! {
        #[inline]
        fn is_final(&self) -> bool {
            #is_final
        }

        #[inline]
        fn freezes_subject(&self) -> bool {
            #freezes_subject
        }

        #[inline]
        fn subject_changed(&mut self) -> bool {
            #subject_changed
        }

        #[inline]
        fn attribute(&mut self, hook: &__hook_sdk::HookId) {
            #attribute
        }

        fn attribution(&self) -> __hook_sdk::Option<&__hook_sdk::Arc<__hook_sdk::Attribution>> {
            #attribution
        }

        fn from_denial(denial: __hook_sdk::Denial) -> __hook_sdk::Option<Self> {
            #from_denial
        }

        #[inline]
        fn is_silent(&self) -> bool {
            #is_silent
        }

        fn summary(&self) -> __hook_sdk::Option<&'static str> {
            #summary
        }
    }
}
