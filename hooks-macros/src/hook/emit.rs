//! The registration of a hook. It is inside one `const _`, so nothing enters the user's namespace.
//!
//! Tokens that the compiler may report have the span of the corresponding token of the user. All tokens of a checked
//! expression have the same span; otherwise the compiler underlines the whole attribute.

mod checks;
mod handler;
mod types;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, LitStr};

use super::model::{Function, Hook, Setting};
use crate::kind::Kind;
use crate::private::private;
use checks::checks;
use handler::{Called, handler};
use types::{event, event_alias, needs, returned, takes_subject};

pub(crate) fn emit(hook: &Hook, id: &LitStr, function: &Function) -> TokenStream {
    let private = private(&hook.core);
    let Function { name, description, cfgs, .. } = function;
    let options = options(hook);
    let uniqueness = hook.group.is_none().then(|| uniqueness(id));
    // With the span of the function's name: in an `impl` block, where `const _` is not allowed, the error is reported
    // there.
    let nameless = quote_spanned!(name.span()=> const _);
    let checks = checks(hook, function);
    let needs = needs(function);
    let locked = hook.locked;
    let plugin = option(hook.plugin.as_ref());
    let events = hook.kinds.iter().enumerate().map(|(i, kind)| event(kind, i));
    let bindings = hook.kinds.iter().enumerate().map(|(i, kind)| binding(hook, function, kind, i));
    let group = option(hook.group.as_ref().map(|group| quote!(<#group as __hook_sdk::HookGroup>::ENTRY)));
    quote! {
        #(#cfgs)*
        #[allow(
            deprecated, dead_code, non_local_definitions, non_upper_case_globals, unused_imports, unused_qualifications,
            unused_parens, unused_variables, unused_mut, unreachable_code, single_use_lifetimes, elided_lifetimes_in_paths,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
        #nameless: () = {
            use #private as __hook_sdk;
            use __hook_sdk::{AnyParameter as _, CanDecide as _};
            #uniqueness
            #(#events)*
            #checks
            #options
            static __HOOK_SDK_NEEDS: &[__hook_sdk::Need] = &[#(#needs),*];
            __hook_sdk::inventory::submit! {
                __hook_sdk::LinkedHook {
                    id: #id,
                    description: #description,
                    group: #group,
                    origin: __hook_sdk::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                    plugin: #plugin,
                    locked: #locked,
                    function: || __hook_sdk::type_of(&#name),
                    bindings: &[#(|| { #bindings }),*],
                }
            }
        };
    }
}

/// An expression of type `Option`.
fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(__hook_sdk::Option::Some(#value)),
        None => quote!(__hook_sdk::Option::None),
    }
}

/// With `setup!()` in the crate root, two hooks with the same id become two constants with the same name.
fn uniqueness(id: &LitStr) -> TokenStream {
    // A raw identifier, because an id may be a keyword. The compiler shows the name, so it has no prefix.
    let constant = Ident::new_raw(&id.value(), id.span());
    let constant = quote_spanned!(id.span()=> const #constant: () = (););
    quote! {
        struct __HookSdkIds;
        const _: () = {
            // The type in the crate root if `setup!()` defined it, otherwise the one above.
            use crate::*;
            impl __HookSdkIds { #constant }
        };
    }
}

/// The function that makes the options of the hook.
fn options(Hook { after, before, requires, settings, .. }: &Hook) -> TokenStream {
    let lists = [("after", after), ("before", before), ("requires", requires)].into_iter();
    let lists = lists.filter(|(_, ids)| !ids.is_empty()).map(|(name, ids)| {
        let ids = quote!(__hook_sdk::Cow::Borrowed(&[#(__hook_sdk::Cow::Borrowed(#ids)),*]));
        (name.to_owned(), ids)
    });
    let settings = settings.iter().map(|Setting { key, value, .. }| (key.unraw().to_string(), value.clone()));
    let fields = lists.chain(settings).map(|(name, value)| {
        let field = Ident::new(&name, Span::call_site());
        quote!(__hook_sdk_options.#field = #value;)
    });
    quote! {
        fn __hook_sdk_options() -> __hook_sdk::Options {
            let mut __hook_sdk_options = <__hook_sdk::Options as __hook_sdk::Default>::default();
            #(#fields)*
            __hook_sdk_options
        }
    }
}

/// The function that clones the event, if the hook needs an event of its own. An event that is not `Clone` is reported at
/// the option.
fn clone_event(hook: &Hook, kind: Span) -> TokenStream {
    let place = match (hook.run_apart(), hook.setting("blocking")) {
        (Some(mode), _) if mode == "Detached" => Some(mode.span()),
        (None, Some(blocking)) => Some(blocking.place),
        _ => None,
    };
    option(place.map(|place| {
        // The kind itself has its own span: if it is not a kind, that is reported only there.
        let key = quote_spanned!(kind=> __HookSdkKind);
        let event = Ident::new("__hook_sdk_event", place);
        let clone = quote_spanned!(place=> |#event| __hook_sdk::OwnedEvent::own(#event));
        quote_spanned!(kind=> { static __HOOK_SDK_CLONE: __hook_sdk::CloneEvent<#key> = #clone; __HOOK_SDK_CLONE })
    }))
}

/// The binding of the hook to one of its kinds.
///
/// Every mention of the kind has the span of the user's word for it: if that is not a kind, all mentions produce the
/// same error at one location, which the compiler reports once. Elsewhere the kind is inferred.
fn binding(hook: &Hook, function: &Function, kind: &Kind, i: usize) -> TokenStream {
    let span = kind.span();
    let event = event_alias(kind, i);
    let name = &function.name;
    let apart = hook.run_apart().is_some();
    let called = if apart { Called::Detached } else { Called::Inline };
    let main = handler(function, called, &quote!(#name), name.span(), span);
    let clone_event = clone_event(hook, span);
    let takes_subject = if apart { takes_subject(function, span) } else { quote!(false) };
    let fallback = fallback(hook, function, span);
    let fallback_address = option(fallback.as_ref().map(|_| quote!(&__HOOK_SDK_FALLBACK)));
    let returned = returned(function, span);
    let decides = if apart { quote!(false) } else { quote!(#returned::DECIDES) };
    let key = quote_spanned!(span=> __HookSdkKind);
    let filters = hook.filters.iter().map(|(field, patterns)| {
        let field = LitStr::new(&field.unraw().to_string(), field.span());
        quote!((#field, #patterns))
    });
    let aliases = quote_spanned! {span=>
        type __HookSdkKind = <#event as __hook_sdk::KindType>::Type;
        type __HookSdkSubject = <__HookSdkKind as __hook_sdk::HookKind>::Subject;
        type __HookSdkVerdict = <__HookSdkKind as __hook_sdk::HookKind>::Verdict;
    };
    let binding = quote_spanned! {span=>
        __hook_sdk::Binding::of::<#key>(
            __hook_sdk_options(),
            &__HOOK_SDK_HANDLER,
            #fallback_address,
            #decides,
            (&[#(#filters),*], __HOOK_SDK_NEEDS),
            #clone_event,
            #takes_subject,
        )
    };
    quote! {
        #aliases
        #main
        #fallback
        #binding
    }
}

/// The fallback in the form of the hook. Everything that does not fit is reported at its path.
fn fallback(hook: &Hook, function: &Function, kind: Span) -> Option<TokenStream> {
    let path = hook.fallback.as_ref()?;
    let place = path.segments.last().map_or(kind, |last| last.ident.span());
    let returned = returned(function, kind);
    let function = function.at(place);
    Some(handler(&function, Called::Fallback(&returned), &quote!(#path), place, kind))
}
