//! The registration of a hook. It is inside one `const _`, so nothing enters the user's namespace.
//!
//! Tokens that the compiler may report have the span of the corresponding token of the user. All tokens of a checked
//! expression have the same span; otherwise the compiler underlines the whole attribute.

mod checks;
mod handler;
mod types;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, LitStr};

use super::model::{Hook, Kind, OnFailure, RunMode, Timeout};
use crate::private::private;
use checks::checks;
use handler::{Called, handler};
use types::{contexts, returned, specs, takes_subject};

pub(crate) fn emit(hook: &Hook) -> TokenStream {
    let private = private(&hook.core);
    let cfgs = &hook.function.cfgs;
    let id = &hook.id;
    let name = &hook.function.name;
    let description = &hook.function.description;
    let options = options(hook);
    let uniqueness = uniqueness(id);
    // With the span of the function's name: in an `impl` block, where `const _` is not allowed, the error is reported
    // there.
    let nameless = quote_spanned!(name.span()=> const _);
    let checks = checks(hook);
    let specs = specs(&hook.function);
    let contexts = contexts(&hook.function);
    let locked = hook.locked;
    let plugin = match &hook.plugin {
        Some(name) => quote!(__hook_sdk::Option::Some(#name)),
        None => quote!(__hook_sdk::Option::None),
    };
    let events = hook.kinds.iter().enumerate().map(|(i, kind)| event(kind, i));
    let bindings: Vec<TokenStream> = hook.kinds.iter().enumerate().map(|(i, kind)| binding(hook, kind, i)).collect();
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(
            deprecated, dead_code, non_local_definitions, non_upper_case_globals, unused_imports, unused_qualifications,
            unused_parens, unused_variables, unreachable_code, single_use_lifetimes, elided_lifetimes_in_paths,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
        #nameless: () = {
            use #private as __hook_sdk;
            use __hook_sdk::{AnyParameter as _, CanDecide as _};
            #uniqueness
            #(#events)*
            #checks
            __hook_sdk::inventory::submit! {
                __hook_sdk::HookSpec {
                    id: #id,
                    description: #description,
                    origin: __hook_sdk::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                    function: || __hook_sdk::type_of(&#name),
                    options: #options,
                    with: __hook_sdk::first(&[#(#specs),*]),
                    plugin: #plugin,
                    locked: #locked,
                    asks_context: __hook_sdk::any(&[#(#contexts),*]),
                    bindings: &[#({ #bindings }),*],
                }
            }
        };
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

fn options(hook: &Hook) -> TokenStream {
    let priority = hook.priority;
    let [after, before, requires] = [&hook.after, &hook.before, &hook.requires]
        .map(|ids| quote!(__hook_sdk::Cow::Borrowed(&[#(__hook_sdk::Cow::Borrowed(#ids)),*])));
    let timeout = match hook.timeout {
        Timeout::Default => quote!(__hook_sdk::Timeout::Default),
        Timeout::Millis(millis) => {
            quote!(__hook_sdk::Timeout::After(__hook_sdk::Duration::from_millis(#millis)))
        }
        Timeout::None => quote!(__hook_sdk::Timeout::None),
    };
    let on_failure = match &hook.on_failure {
        None => quote!(__hook_sdk::Option::None),
        Some((policy, _)) => {
            let policy = match policy {
                OnFailure::Continue => quote!(Continue),
                OnFailure::Remove => quote!(Remove),
                OnFailure::Deny => quote!(Deny),
                OnFailure::Required => quote!(Required),
            };
            quote!(__hook_sdk::Option::Some(__hook_sdk::OnFailure::#policy))
        }
    };
    let settings = &hook.settings;
    let capabilities = hook.capabilities.iter().map(|(_, variants)| {
        let variants = variants.iter().map(|variant| Ident::new(&variant.to_string(), Span::call_site()));
        quote!(.limited(&[#(__hook_sdk::Capability::#variants),*]))
    });
    let run = run(hook);
    quote! {
        __hook_sdk::options(#priority, #after, #before, #requires, #timeout, #on_failure)
            #settings
            #(#capabilities)*
            #run
    }
}

/// The run options, if they are not the default.
fn run(hook: &Hook) -> TokenStream {
    let run = &hook.run;
    let (blocking, idempotent, retries) = (run.blocking.is_some(), run.idempotent, run.retries);
    let mode = match run.mode {
        RunMode::Inline if !blocking && !idempotent => return TokenStream::new(),
        RunMode::Inline => quote!(Inline),
        RunMode::Detached => quote!(Detached),
        RunMode::Background => quote!(Background),
    };
    quote!(.runs(__hook_sdk::RunMode::#mode, #blocking, #idempotent, #retries))
}

/// The function that clones the event, if the hook needs its own. An event that is not `Clone` is reported at the
/// option.
fn own(hook: &Hook, kind: Span) -> (TokenStream, TokenStream) {
    let place = match (hook.run.mode, hook.run.blocking) {
        (RunMode::Detached, _) => hook.run.place,
        (RunMode::Inline, Some(blocking)) => blocking,
        (RunMode::Inline, None) | (RunMode::Background, _) => {
            return (TokenStream::new(), quote!(__hook_sdk::Option::None));
        }
    };
    // The kind itself has its own span: if it is not a kind, that is reported only there.
    let key = quote_spanned!(kind=> __HookSdkKind);
    let event = Ident::new("__hook_sdk_event", place);
    let own = quote_spanned!(place=> |#event| __hook_sdk::OwnedEvent::own(#event));
    let own = quote_spanned!(kind=> static __HOOKS_CORE_OWN: __hook_sdk::OwnEvent<#key> = #own;);
    (own, quote!(__hook_sdk::Option::Some(&__HOOKS_CORE_OWN)))
}

/// The binding of the hook to one of its kinds.
///
/// Every mention of the kind has the span of the user's word for it: if that is not a kind, all mentions produce the
/// same error at one location, which the compiler reports once. Elsewhere the kind is inferred.
fn binding(hook: &Hook, kind: &Kind, i: usize) -> TokenStream {
    let span = kind.span();
    let event = event_alias(kind, i);
    let name = &hook.function.name;
    let detached = hook.run.mode != RunMode::Inline;
    let called = if detached { Called::Detached } else { Called::Inline };
    let main = handler(&hook.function, called, &quote!(#name), name.span(), span);
    let (own, of_own) = own(hook, span);
    let takes_subject = takes_subject(hook, span);
    let (fallback, of_fallback) = fallback(hook, span);
    let returned = returned(&hook.function, span);
    let decides = if detached { quote!(false) } else { quote!(#returned::DECIDES) };
    let key = quote_spanned!(span=> __HookSdkKind);
    let filters = hook.filters.iter().map(|(field, patterns)| {
        let field = LitStr::new(&field.unraw().to_string(), field.span());
        quote!((__hook_sdk::check::field::<#key>(#field), #patterns))
    });
    let aliases = quote_spanned! {span=>
        type __HookSdkKind = <#event as __hook_sdk::KindType>::Type;
        type __HookSdkSubject = <__HookSdkKind as __hook_sdk::HookKind>::Subject;
        type __HookSdkVerdict = <__HookSdkKind as __hook_sdk::HookKind>::Verdict;
    };
    quote! {
        #aliases
        #main
        #fallback
        #own
        __hook_sdk::BindingSpec {
            kind: __hook_sdk::kind::<#key>(),
            handler: &__HOOKS_CORE_HANDLER,
            form: __hook_sdk::Form::of(&__HOOKS_CORE_HANDLER),
            fallback: #of_fallback,
            decides: #decides,
            filters: &[#(#filters),*],
            own: #of_own,
            takes_subject: #takes_subject,
        }
    }
}

/// The fallback in the form of the hook, and its position. Everything that does not fit is reported at its path.
fn fallback(hook: &Hook, kind: Span) -> (TokenStream, TokenStream) {
    let Some(path) = &hook.fallback else { return (TokenStream::new(), quote!(__hook_sdk::Option::None)) };
    let place = path.segments.last().map_or(kind, |last| last.ident.span());
    let function = hook.function.at(place);
    // The parameters are counted first, so that the compiler does not suggest changes to a call that the user did not
    // write.
    let parameters = function.parameters.iter().map(|_| quote_spanned!(place=> _));
    let path =
        quote_spanned!(place=> { let __hook_sdk_fallback: fn(#(#parameters),*) -> _ = #path; __hook_sdk_fallback });
    let returned = returned(&hook.function, kind);
    let handler = handler(&function, Called::Fallback(&returned), &path, place, kind);
    (handler, quote!(__hook_sdk::Option::Some(&__HOOKS_CORE_FALLBACK)))
}

/// The kind as the user wrote it, as one identifier.
fn event(kind: &Kind, i: usize) -> TokenStream {
    let alias = event_alias(kind, i);
    match kind {
        Kind::BuiltIn(name, span) => {
            let name = Ident::new(name, *span);
            quote!(type #alias = __hook_sdk::kinds::#name;)
        }
        Kind::Type(path) => quote!(type #alias = #path;),
    }
}

fn event_alias(kind: &Kind, i: usize) -> Ident {
    format_ident!("__HookSdkEvent{i}", span = kind.span())
}
