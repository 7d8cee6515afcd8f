//! The implementation of `HookKind`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{DeriveInput, Ident, LitStr, Type};

use super::constructor;
use super::model::{KindDefinition, MatchField, item_fields};
use crate::hook::description;
use crate::names;
use crate::private::private;
use crate::types::place;

pub(crate) fn emit(item: &DeriveInput, kind: &KindDefinition) -> TokenStream {
    let (event, description) = (&item.ident, description(&item.attrs));
    let KindDefinition { outside_turn, .. } = kind;
    let name = kind.name.as_ref().map(LitStr::value).unwrap_or_default();
    let event_fields = item_fields(item).filter_map(|field| Some(field.ident.as_ref()?.unraw().to_string()));
    let private = private(&kind.core);
    let subject = Named::new(kind.subject.as_ref());
    let verdict = Named::new(kind.verdict.as_ref());
    let aliases = [subject.alias("__HookSdkSubject", "SubjectType"), verdict.alias("__HookSdkVerdict", "VerdictType")];
    let subject_type = subject.associated("Subject", "__HookSdkSubject");
    let verdict_type = verdict.associated("Verdict", "__HookSdkVerdict");
    let has_subject = kind.subject.is_some();
    let semantics = quote_spanned!(verdict.span=> __hook_sdk::semantics::<__HookSdkVerdict>(#has_subject));
    let subject_alias = subject.ident("__HookSdkSubject");
    let same = quote_spanned! {subject.span=>
        #[inline]
        fn same(before: &#subject_alias, after: &#subject_alias) -> __hook_sdk::bool {
            use __hook_sdk::NoEq as _;
            __hook_sdk::Probe::<#subject_alias>::SAME(before, after)
        }
    };
    let removal = subject.ident(if kind.removable.is_some() { "Allowed" } else { "Never" });
    let removal = quote_spanned!(subject.span=> type Removal = __hook_sdk::#removal;);
    let fields = kind.fields.iter().map(|field| self::field(field, event));
    let field_names = kind.fields.iter().map(MatchField::text);
    let check = kind.check.as_ref().map(|path| check(path, &subject));
    let on_failure = kind.on_failure.as_ref().map(|policy| {
        let policy = Ident::new(&policy.to_string(), Span::call_site());
        quote!(const ON_FAILURE: __hook_sdk::OnFailure = __hook_sdk::OnFailure::#policy;)
    });
    let json = kind.json.map(|_| {
        quote! {
            const WIRE: __hook_sdk::Option<fn() -> __hook_sdk::Wire<Self>> = {
                use __hook_sdk::NoJson as _;
                __hook_sdk::Probe::<#event>::WIRE
            };
        }
    });
    let json_checks = json_checks(event, kind, &subject, &verdict);
    // No other kind has the name of a built-in one: plans and records could not distinguish them.
    let built_in = kind.name.as_ref().filter(|name| names::kind_type(&name.value()).is_some());
    let own_name = built_in
        .map(|name| quote_spanned!(name.span()=> const _: () = __hook_sdk::kind_name(#name, ::core::module_path!());));
    let constructor = kind.takes.as_ref().map(|(_, takes)| constructor::emit(item, takes));
    let is_in_turn = !outside_turn && !kind.turn_over;
    let in_turn = is_in_turn.then(|| quote!(impl __hook_sdk::InTurn for #event {}));
    quote! {
        #[allow(
            unused_qualifications, unused_imports, non_local_definitions, clippy::all, clippy::pedantic, clippy::nursery,
            clippy::restriction
        )]
        const _: () = {
            use #private as __hook_sdk;

            #(#aliases)*

            #[automatically_derived]
            impl __hook_sdk::HookKind for #event {
                #subject_type
                #verdict_type
                #removal
                const NAME: &'static __hook_sdk::str = #name;
                const SEMANTICS: __hook_sdk::Semantics = #semantics;
                const OUTSIDE_TURN: __hook_sdk::bool = #outside_turn;
                const IN_TURN: __hook_sdk::bool = #is_in_turn;
                const FIELDS: &'static [__hook_sdk::Field<Self>] = &[#(#fields),*];

                #on_failure

                #json

                #check

                #same

                #[inline]
                fn slot() -> &'static __hook_sdk::Slot {
                    static SLOT: __hook_sdk::Slot = __hook_sdk::Slot::new();
                    &SLOT
                }

                const DESCRIPTOR: &'static __hook_sdk::KindDescriptor = {
                    static DESCRIPTOR: __hook_sdk::KindDescriptor = __hook_sdk::KindDescriptor::of::<#event>(
                        &[#(#field_names),*],
                        &[#(#event_fields),*],
                        #description,
                        __hook_sdk::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                    );
                    &DESCRIPTOR
                };
            }

            #constructor
            #in_turn
            #json_checks
            #own_name

            __hook_sdk::inventory::submit! {
                __hook_sdk::LinkedKind(<#event as __hook_sdk::HookKind>::DESCRIPTOR)
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
        quote_spanned!(self.span=> type #alias = <#ty as __hook_sdk::#fits>::Type;)
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

    fn ident(&self, name: &str) -> Ident {
        Ident::new(name, self.span)
    }
}

/// Reports missing serde traits: for the event at the word `json`, for subject and verdict at their own location.
fn json_checks(event: &Ident, kind: &KindDefinition, subject: &Named, verdict: &Named) -> TokenStream {
    let Some(span) = kind.json else { return TokenStream::new() };
    let event = Ident::new(&event.to_string(), span);
    let check = |ty: &TokenStream, span: Span| quote_spanned!(span=> const _: fn(&#ty) = |__hook_sdk_it| __hook_sdk::JsonType::json(__hook_sdk_it););
    let alias = |named: &Named, alias: &str| check(&named.ident(alias).into_token_stream(), named.span);
    let subject = kind.subject.as_ref().map(|_| alias(subject, "__HookSdkSubject"));
    let verdict = kind.verdict.as_ref().map(|_| alias(verdict, "__HookSdkVerdict"));
    let event = check(&event.into_token_stream(), span);
    quote!(#event #subject #verdict)
}

fn field(field: &MatchField, event: &Ident) -> TokenStream {
    let text = field.name.unraw().to_string();
    let path = &field.path;
    let place = path.clone().into_iter().last().map_or_else(Span::call_site, |last| last.span());
    // A method returns a reference itself.
    let is_call = matches!(path.clone().into_iter().last(), Some(proc_macro2::TokenTree::Group(_)));
    let borrow = (!is_call).then(|| quote_spanned!(place=> &));
    let get = quote_spanned!(place=> |event: &#event| __hook_sdk::FieldText::text(#borrow event.#path));
    let words = match &field.ty {
        Some(ty) => quote!({ use __hook_sdk::NoWords as _; __hook_sdk::Probe::<#ty>::KNOWN }),
        None => quote!(__hook_sdk::Option::None),
    };
    quote!(__hook_sdk::Field { name: #text, get: #get, words: #words })
}

/// Coerces the check to a function pointer of the required type, so that a mismatch is reported at its path.
fn check(path: &syn::Path, subject: &Named) -> TokenStream {
    let span = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let pointer = quote_spanned! {span=>
        const CHECK: fn(&__HookSdkSubject, &__HookSdkSubject) -> __hook_sdk::Result<(), __hook_sdk::Violation> = #path;
    };
    let subject_alias = subject.ident("__HookSdkSubject");
    quote_spanned! {subject.span=>
        fn check(&self, before: &#subject_alias, after: &#subject_alias) -> __hook_sdk::Result<(), __hook_sdk::Violation> {
            #pointer
            CHECK(before, after)
        }
    }
}
