//! The implementation of `HookKind`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;

use super::check::{KindDefinition, MatchField};
use super::constructor;
use crate::private::private;
use crate::types::place;

pub(crate) fn emit(kind: &KindDefinition) -> TokenStream {
    let KindDefinition { event, name, outside_turn, description, .. } = kind;
    let private = private(&kind.core);
    let subject = Named::new(kind.subject.as_ref());
    let verdict = Named::new(kind.verdict.as_ref());
    let aliases =
        [subject.alias("__HooksCoreSubject", "SubjectType"), verdict.alias("__HooksCoreVerdict", "VerdictType")];
    let subject_type = subject.associated("Subject", "__HooksCoreSubject");
    let verdict_type = verdict.associated("Verdict", "__HooksCoreVerdict");
    let semantics = semantics(&verdict, kind.subject.is_some());
    let subject_alias = subject.ident("__HooksCoreSubject");
    let same = quote_spanned! {subject.span=>
        #[inline]
        fn same(before: &#subject_alias, after: &#subject_alias) -> __hooks_core::bool {
            use __hooks_core::{ByEq as _, ByNothing as _};
            (&__hooks_core::Same(before, after)).same()
        }
    };
    let removal = subject.ident(if kind.removable.is_some() { "Allowed" } else { "Never" });
    let removal = quote_spanned!(subject.span=> type Removal = __hooks_core::#removal;);
    let fields = kind.fields.iter().map(|field| self::field(field, event));
    let field_names = kind.fields.iter().map(MatchField::text);
    let event_fields = &kind.event_fields;
    let check = kind.check.as_ref().map(|path| check(path, &subject));
    let on_failure = kind.on_failure.as_ref().map(|policy| {
        let policy = syn::Ident::new(&policy.to_string(), Span::call_site());
        quote!(const ON_FAILURE: __hooks_core::OnFailure = __hooks_core::OnFailure::#policy;)
    });
    let json = json(kind);
    let json_checks = json_checks(kind, &subject, &verdict);
    let removable = kind.removable.map(|_| quote!(impl __hooks_core::Removable for #event {}));
    let constructor = kind.constructor.as_ref().map(|constructor| constructor::emit(event, constructor));
    let is_in_turn = !outside_turn && !kind.turn_over;
    let in_turn = is_in_turn.then(|| quote!(impl __hooks_core::InTurn for #event {}));
    quote! {
        #[doc(hidden)]
        #[allow(
            unused_qualifications, unused_imports, non_local_definitions, clippy::all, clippy::pedantic, clippy::nursery,
            clippy::restriction
        )]
        const _: () = {
            use #private as __hooks_core;

            #(#aliases)*

            #[automatically_derived]
            impl __hooks_core::HookKind for #event {
                #subject_type
                #verdict_type
                #removal
                const NAME: &'static __hooks_core::str = #name;
                const SEMANTICS: __hooks_core::Semantics = #semantics;
                const OUTSIDE_TURN: __hooks_core::bool = #outside_turn;
                const IN_TURN: __hooks_core::bool = #is_in_turn;
                const FIELDS: &'static [__hooks_core::Field<Self>] = &[#(#fields),*];

                #on_failure

                #json

                #check

                #same

                #[inline]
                fn slot() -> &'static __hooks_core::Slot {
                    static SLOT: __hooks_core::Slot = __hooks_core::Slot::new();
                    &SLOT
                }

                fn descriptor() -> &'static __hooks_core::KindDescriptor {
                    static ENGINE: __hooks_core::Engine = __hooks_core::Engine::of::<#event>();
                    static DESCRIPTOR: __hooks_core::KindDescriptor = __hooks_core::KindDescriptor::of::<#event>(
                        &[#(#field_names),*],
                        &[#(#event_fields),*],
                        #description,
                        __hooks_core::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                        &ENGINE,
                    );
                    &DESCRIPTOR
                }
            }

            #constructor
            #removable
            #in_turn
            #json_checks

            __hooks_core::inventory::submit! {
                __hooks_core::Submitted(<#event as __hooks_core::HookKind>::descriptor)
            }
        };
    }
}

/// A type that the user named, and the span for everything generated from it. A type that does not fit is then reported
/// only once, because the compiler merges equal errors at one location.
struct Named {
    ty: TokenStream,
    span: Span,
}

impl Named {
    fn new(ty: Option<&Type>) -> Self {
        let span = ty.and_then(place).unwrap_or_else(Span::call_site);
        let ty = ty.map_or_else(|| quote!(()), ToTokens::to_token_stream);
        Self { ty, span }
    }

    fn alias(&self, alias: &str, fits: &str) -> TokenStream {
        let (ty, alias, fits) = (&self.ty, self.ident(alias), self.ident(fits));
        quote_spanned!(self.span=> type #alias = <#ty as __hooks_core::#fits>::Type;)
    }

    /// The associated type. Documentation shows the type as the user wrote it.
    fn associated(&self, name: &str, alias: &str) -> TokenStream {
        let (ty, name, alias) = (&self.ty, self.ident(name), self.ident(alias));
        quote_spanned! {self.span=>
            #[cfg(doc)]
            type #name = #ty;
            #[cfg(not(doc))]
            type #name = #alias;
        }
    }

    fn ident(&self, name: &str) -> syn::Ident {
        syn::Ident::new(name, self.span)
    }
}

fn semantics(verdict: &Named, has_subject: bool) -> TokenStream {
    quote_spanned!(verdict.span=> __hooks_core::semantics::<__HooksCoreVerdict>(#has_subject))
}

/// The JSON form of the kind's values.
fn json(kind: &KindDefinition) -> Option<TokenStream> {
    let event = &kind.event;
    kind.json.map(|_| {
        quote! {
            const WIRE: __hooks_core::Option<fn() -> __hooks_core::Wire<Self>> = {
                use __hooks_core::NoJson as _;
                __hooks_core::Json::<#event>::WIRE
            };
        }
    })
}

/// Reports missing serde traits: for the event at the word `json`, for subject and verdict at their own location.
fn json_checks(kind: &KindDefinition, subject: &Named, verdict: &Named) -> TokenStream {
    let Some(span) = kind.json else { return TokenStream::new() };
    let event = syn::Ident::new(&kind.event.to_string(), span);
    let check = |ty: &TokenStream, span: Span| quote_spanned!(span=> const _: fn(&#ty) = |__hooks_core_it| __hooks_core::JsonType::json(__hooks_core_it););
    let alias = |named: &Named, alias: &str| check(&named.ident(alias).into_token_stream(), named.span);
    let subject = kind.subject.as_ref().map(|_| alias(subject, "__HooksCoreSubject"));
    let verdict = kind.verdict.as_ref().map(|_| alias(verdict, "__HooksCoreVerdict"));
    let event = check(&event.into_token_stream(), span);
    quote!(#event #subject #verdict)
}

fn field(field: &MatchField, event: &syn::Ident) -> TokenStream {
    let text = field.name.unraw().to_string();
    let path = &field.path;
    let place = path.clone().into_iter().last().map_or_else(Span::call_site, |last| last.span());
    // A method returns a reference itself.
    let is_call = matches!(path.clone().into_iter().last(), Some(proc_macro2::TokenTree::Group(_)));
    let borrow = (!is_call).then(|| quote_spanned!(place=> &));
    let get = quote_spanned!(place=> |event: &#event| __hooks_core::FieldText::text(#borrow event.#path));
    let words = match &field.ty {
        Some(ty) => quote!({ use __hooks_core::NoWords as _; __hooks_core::WordsOf::<#ty>::KNOWN }),
        None => quote!(__hooks_core::Option::None),
    };
    quote!(__hooks_core::Field { name: #text, get: #get, words: #words })
}

/// Coerces the check to a function pointer of the required type, so that a mismatch is reported at its path.
fn check(path: &syn::Path, subject: &Named) -> TokenStream {
    let span = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let pointer = quote_spanned! {span=>
        const CHECK: fn(&__HooksCoreSubject, &__HooksCoreSubject) -> __hooks_core::Result<(), __hooks_core::Violation> = #path;
    };
    let subject_alias = subject.ident("__HooksCoreSubject");
    quote_spanned! {subject.span=>
        fn check(&self, before: &#subject_alias, after: &#subject_alias) -> __hooks_core::Result<(), __hooks_core::Violation> {
            #pointer
            CHECK(before, after)
        }
    }
}
