//! The registration of a hook. Everything stands in one `const _`, so nothing enters the user's namespace.
//!
//! A token that the compiler may complain about has the place of the user's token it stands for, and all tokens of an
//! expression that is checked have one place: otherwise the compiler underlines the whole attribute.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::LitStr;

use super::model::{Function, Hook, Kind, OnFailure, Parameter, Taken, Timeout};

pub(crate) fn emit(hook: &Hook) -> TokenStream {
    let core = &hook.core;
    let cfgs = &hook.function.cfgs;
    let id = &hook.id;
    let name = &hook.function.name;
    let description = &hook.function.description;
    let options = options(hook);
    let uniqueness = uniqueness(id);
    let bindings: Vec<TokenStream> = hook.kinds.iter().map(|kind| binding(hook, kind)).collect();
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(
            deprecated, dead_code, non_local_definitions, non_upper_case_globals, unused_imports, unused_qualifications,
            unused_variables, unreachable_code, single_use_lifetimes, elided_lifetimes_in_paths,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
        const _: () = {
            use #core::private as __hooks_core;
            #uniqueness
            __hooks_core::inventory::submit! {
                __hooks_core::HookSpec {
                    id: #id,
                    description: #description,
                    origin: __hooks_core::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                    function: || __hooks_core::type_of(&#name),
                    options: #options,
                    bindings: &[#({ #bindings }),*],
                }
            }
        };
    }
}

/// With `setup!()` in the crate root, two hooks with one id are two constants with one name.
fn uniqueness(id: &LitStr) -> TokenStream {
    let constant = format_ident!("hook_id_{}", id.value(), span = id.span());
    let constant = quote_spanned!(id.span()=> const #constant: () = (););
    quote! {
        struct __HooksCoreIds;
        const _: () = {
            // The type in the crate root where `setup!()` put one there, and the one above where it did not.
            use crate::*;
            impl __HooksCoreIds { #constant }
        };
    }
}

fn options(hook: &Hook) -> TokenStream {
    let priority = hook.priority;
    let [after, before, requires] = [&hook.after, &hook.before, &hook.requires]
        .map(|ids| quote!(__hooks_core::Cow::Borrowed(&[#(__hooks_core::Cow::Borrowed(#ids)),*])));
    let timeout = match hook.timeout {
        Timeout::Default => quote!(__hooks_core::Timeout::Default),
        Timeout::Millis(millis) => {
            quote!(__hooks_core::Timeout::After(__hooks_core::Duration::from_millis(#millis)))
        }
        Timeout::None => quote!(__hooks_core::Timeout::None),
    };
    let on_failure = match &hook.on_failure {
        None => quote!(__hooks_core::Option::None),
        Some((policy, _)) => {
            let policy = match policy {
                OnFailure::Continue => quote!(Continue),
                OnFailure::Remove => quote!(Remove),
                OnFailure::Deny => quote!(Deny),
                OnFailure::Required => quote!(Required),
            };
            quote!(__hooks_core::Option::Some(__hooks_core::OnFailure::#policy))
        }
    };
    quote!(__hooks_core::options(#priority, #after, #before, #requires, #timeout, #on_failure))
}

/// The hook at one of its kinds.
fn binding(hook: &Hook, kind: &Kind) -> TokenStream {
    let core = &hook.core;
    let kind = match kind {
        Kind::BuiltIn(name, span) => {
            let name = format_ident!("{name}", span = *span);
            quote!(#core::kinds::#name)
        }
        Kind::Type(path) => quote!(#path),
    };
    let checks = checks(hook);
    let handler = handler(&hook.function);
    let decides = hook.function.decides && may_decide(&hook.function);
    let filters = hook.filters.iter().map(|(field, patterns)| {
        let field = LitStr::new(&field.to_string(), field.span());
        quote!((__hooks_core::check::field::<__HooksCoreKind>(#field), #patterns))
    });
    quote! {
        type __HooksCoreKind = #kind;
        type __HooksCoreSubject = <__HooksCoreKind as __hooks_core::HookKind>::Subject;
        type __HooksCoreVerdict = <__HooksCoreKind as __hooks_core::HookKind>::Verdict;
        #checks
        #handler
        __hooks_core::BindingSpec {
            kind: __hooks_core::kind::<__HooksCoreKind>(),
            handler: &__HOOKS_CORE_HANDLER,
            decides: #decides,
            filters: &[#(#filters),*],
        }
    }
}

/// A hook that takes the subject by value decides only where it returns a pair.
fn may_decide(function: &Function) -> bool {
    function.rewrites().is_none_or(|parameter| parameter.taken != Taken::Owned) || function.returns_pair
}

/// What the kind has to offer for these options: constants that fail at the option itself.
fn checks(hook: &Hook) -> TokenStream {
    let filters = hook.filters.iter().map(|(field, _)| {
        let name = field.to_string();
        quote_spanned!(field.span()=> const _: () = __hooks_core::check::filter::<__HooksCoreKind>(#name);)
    });
    let policy = hook.on_failure.map(|(policy, span)| match policy {
        OnFailure::Remove => quote_spanned!(span=> const _: () = __hooks_core::check::remove::<__HooksCoreKind>();),
        OnFailure::Deny => quote_spanned!(span=> const _: () = __hooks_core::check::deny::<__HooksCoreKind>();),
        OnFailure::Continue | OnFailure::Required => TokenStream::new(),
    });
    quote!(#(#filters)* #policy)
}

/// The function in the form that a dispatch calls.
fn handler(function: &Function) -> TokenStream {
    let name = &function.name;
    let taken = function.rewrites().map(|parameter| parameter.taken);
    let arguments: Vec<TokenStream> =
        function.parameters.iter().map(|parameter| argument(parameter, taken, function.is_async)).collect();
    let dot_await = function.is_async.then(|| quote_spanned!(name.span()=> .await));
    let call = quote!(let __hooks_core_answer = #name(#(#arguments),*) #dot_await;);
    let verdict = spanned_answer(function.returned, &quote!(ReturnsVerdict), &quote!(verdict), &quote!());
    let effect =
        spanned_answer(function.returned, &quote!(ReturnsSubject), &quote!(effect), &quote!(__HooksCoreSubject,));
    let (form, signature, body) = match (taken, function.is_async) {
        (None, false) => (quote!(Read), read_signature(), quote!(#call #verdict)),
        (None, true) => (quote!(ReadAsync), read_async_signature(), boxed(name.span(), &quote!(#call #verdict))),
        (Some(Taken::Lent), false) => (quote!(Lend), lend_signature(), quote!(#call #verdict)),
        (Some(Taken::Lent), true) => {
            let body = quote! {
                let mut __hooks_core_subject = __hooks_core_subject;
                #call
                __hooks_core::effect_of(__hooks_core_subject, #verdict)
            };
            (quote!(OwnAsync), own_async_signature(), boxed(name.span(), &body))
        }
        (Some(_), false) => (quote!(Own), own_signature(), quote!(#call #effect)),
        (Some(_), true) => (quote!(OwnAsync), own_async_signature(), boxed(name.span(), &quote!(#call #effect))),
    };
    quote! {
        fn __hooks_core_call #signature { #body }
        static __HOOKS_CORE_HANDLER: __hooks_core::Handler<__HooksCoreKind> =
            __hooks_core::Handler::#form(__hooks_core::form::#form::Static(__hooks_core_call));
    }
}

/// One argument of the user's function.
fn argument(parameter: &Parameter, rewritten: Option<Taken>, is_async: bool) -> TokenStream {
    let Parameter { ty, taken, span } = parameter;
    let span = span.resolved_at(Span::call_site());
    match (taken, rewritten) {
        (Taken::Lent, _) => {
            let subject = if is_async {
                quote_spanned!(span=> &mut __hooks_core_subject)
            } else {
                quote_spanned!(span=> __hooks_core_subject)
            };
            quote_spanned!(span=> <#ty as __hooks_core::Rewrite<__HooksCoreKind, __HooksCoreSubject>>::lend(#subject))
        }
        (Taken::Owned, _) => {
            quote_spanned!(span=> <#ty as __hooks_core::Rewrite<__HooksCoreKind, __HooksCoreSubject>>::pass(__hooks_core_subject))
        }
        (Taken::Read, None) => quote_spanned! {span=>
            <&#ty as __hooks_core::Read<'_, __HooksCoreKind, __HooksCoreSubject, _>>::read(
                __hooks_core_cx, __hooks_core_event, __hooks_core_subject
            )
        },
        (Taken::Read, Some(_)) => quote_spanned! {span=>
            <&#ty as __hooks_core::Beside<'_, __HooksCoreKind, __HooksCoreSubject, _>>::read(
                __hooks_core_cx, __hooks_core_event
            )
        },
    }
}

/// `Trait::<Kind, Subject, Verdict, _>::method(answer)`, every token at the return type.
fn spanned_answer(span: Span, name: &TokenStream, method: &TokenStream, subject: &TokenStream) -> TokenStream {
    let span = span.resolved_at(Span::call_site());
    let respan = |tokens: &TokenStream| -> TokenStream {
        tokens
            .clone()
            .into_iter()
            .map(|mut token| {
                token.set_span(span);
                token
            })
            .collect()
    };
    let (name, method, subject) = (respan(name), respan(method), respan(subject));
    quote_spanned!(span=> __hooks_core::#name::<__HooksCoreKind, #subject __HooksCoreVerdict, _>::#method(__hooks_core_answer))
}

/// The body as a boxed future; that it cannot be sent between threads is told at the function's name.
fn boxed(span: Span, body: &TokenStream) -> TokenStream {
    let future = quote!(async move { #body });
    quote_spanned!(span=> __hooks_core::Box::pin(#future))
}

fn read_signature() -> TokenStream {
    quote! {(
        __hooks_core_cx: &__hooks_core::HookContext,
        __hooks_core_event: &__HooksCoreKind,
        __hooks_core_subject: &__HooksCoreSubject,
    ) -> __hooks_core::Answer<__HooksCoreVerdict>}
}

fn lend_signature() -> TokenStream {
    quote! {(
        __hooks_core_cx: &__hooks_core::HookContext,
        __hooks_core_event: &__HooksCoreKind,
        __hooks_core_subject: &mut __HooksCoreSubject,
    ) -> __hooks_core::Answer<__HooksCoreVerdict>}
}

fn own_signature() -> TokenStream {
    quote! {(
        __hooks_core_cx: &__hooks_core::HookContext,
        __hooks_core_event: &__HooksCoreKind,
        __hooks_core_subject: __HooksCoreSubject,
    ) -> __hooks_core::Answer<__hooks_core::Effect<__HooksCoreSubject, __HooksCoreVerdict>>}
}

fn read_async_signature() -> TokenStream {
    quote! {<'__hooks_core>(
        __hooks_core_cx: &'__hooks_core __hooks_core::HookContext,
        __hooks_core_event: &'__hooks_core __HooksCoreKind,
        __hooks_core_subject: &'__hooks_core __HooksCoreSubject,
    ) -> __hooks_core::BoxFuture<'__hooks_core, __hooks_core::Answer<__HooksCoreVerdict>>}
}

fn own_async_signature() -> TokenStream {
    quote! {<'__hooks_core>(
        __hooks_core_cx: &'__hooks_core __hooks_core::HookContext,
        __hooks_core_event: &'__hooks_core __HooksCoreKind,
        __hooks_core_subject: __HooksCoreSubject,
    ) -> __hooks_core::BoxFuture<
        '__hooks_core,
        __hooks_core::Answer<__hooks_core::Effect<__HooksCoreSubject, __HooksCoreVerdict>>,
    >}
}
