//! The implementation of `HookKind`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::check::Kind;

pub(crate) fn emit(kind: &Kind) -> TokenStream {
    let Kind { event, name, core, outside_turn, .. } = kind;
    let unit = || quote!(());
    let subject = kind.subject.as_ref().map_or_else(unit, ToTokens::to_token_stream);
    let verdict = kind.verdict.as_ref().map_or_else(unit, ToTokens::to_token_stream);
    let has_subject = kind.subject.is_some();
    let removal = if kind.removable { quote!(Allowed) } else { quote!(Never) };
    let fields = kind.fields.iter().map(|field| {
        let text = field.name.to_string();
        let path = &field.path;
        let get = quote_spanned!(path.span()=> |event: &#event| ::core::convert::AsRef::<str>::as_ref(&event.#path));
        quote!(__hooks_core::Field { name: #text, get: #get })
    });
    let check = kind.check.as_ref().map(|path| {
        quote! {
            fn check(&self, before: &Self::Subject, after: &Self::Subject)
                -> __hooks_core::Result<(), #core::Violation>
            {
                #path(before, after)
            }
        }
    });
    let removable = kind.removable.then(|| quote!(impl __hooks_core::Removable for #event {}));
    let in_turn = (!outside_turn).then(|| quote!(impl __hooks_core::InTurn for #event {}));
    quote! {
        #[doc(hidden)]
        #[allow(
            unused_qualifications, unused_imports, non_local_definitions, clippy::all, clippy::pedantic, clippy::nursery,
            clippy::restriction
        )]
        const _: () = {
            use #core::private as __hooks_core;

            #[automatically_derived]
            impl __hooks_core::HookKind for #event {
                type Subject = #subject;
                type Verdict = #verdict;
                type Removal = __hooks_core::#removal;
                const NAME: &'static str = #name;
                const SEMANTICS: #core::Semantics = __hooks_core::semantics::<#verdict>(#has_subject);
                const OUTSIDE_TURN: bool = #outside_turn;
                const FIELDS: &'static [__hooks_core::Field<Self>] = &[#(#fields),*];

                #check

                #[inline]
                fn same(before: &Self::Subject, after: &Self::Subject) -> bool {
                    use __hooks_core::{ByEq as _, ByNothing as _};
                    (&__hooks_core::Same(before, after)).same()
                }

                #[inline]
                fn slot() -> &'static __hooks_core::Slot {
                    static SLOT: __hooks_core::Slot = __hooks_core::Slot::new();
                    &SLOT
                }
            }

            #removable
            #in_turn
        };
    }
}
