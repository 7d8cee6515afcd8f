//! The implementations of `Default`, `From<()>` and `Verdict`.

mod of_enum;
mod of_struct;
mod part;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::model::{Shape, Verdict};
use crate::private::private;
use part::Methods;

pub(crate) fn emit(verdict: &Verdict) -> TokenStream {
    let Methods { aliases, nothing, semantics, body: methods } = match &verdict.shape {
        Shape::Struct(fields) => of_struct::of_struct(fields),
        Shape::Enum(variants) => of_enum::of_enum(variants),
    };
    let ty = &verdict.ty;
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
    let body = quote! {
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
            #methods
        }
    };
    within(verdict, &body)
}

/// An implementation without behavior, for an invalid verdict.
pub(crate) fn stand_in(verdict: &Verdict) -> TokenStream {
    let ty = &verdict.ty;
    let semantics = match (verdict.denies(), verdict.contributes) {
        (true, _) => quote!(Gate),
        (false, true) => quote!(Contribute),
        (false, false) => quote!(Control),
    };
    let body = quote! {
        impl __hook_sdk::Default for #ty {
            fn default() -> Self {
                loop {}
            }
        }

        impl __hook_sdk::Verdict for #ty where for<'a> #ty: __hook_sdk::Completes<'a> {
            const SEMANTICS: __hook_sdk::Option<__hook_sdk::Semantics> =
                __hook_sdk::Option::Some(__hook_sdk::Semantics::#semantics);

            fn merge(&mut self, _: Self) {}
        }
    };
    within(verdict, &body)
}

fn within(verdict: &Verdict, body: &TokenStream) -> TokenStream {
    let ty = &verdict.ty;
    let private = private(&verdict.core);
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

            #body
        };
    }
}
