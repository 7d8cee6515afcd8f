//! The registration of a hook. Everything stands in one `const _`, so nothing enters the user's namespace.
//!
//! A token that the compiler may complain about has the place of the user's token it stands for, and all tokens of an
//! expression that is checked have one place: otherwise the compiler underlines the whole attribute.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, LitStr};

use super::model::{Function, Hook, Kind, OnFailure, Parameter, RunMode, Taken, Timeout};
use crate::names;
use crate::options::first_span;

pub(crate) fn emit(hook: &Hook) -> TokenStream {
    let core = &hook.core;
    let cfgs = &hook.function.cfgs;
    let id = &hook.id;
    let name = &hook.function.name;
    let description = &hook.function.description;
    let options = options(hook);
    let uniqueness = uniqueness(id);
    // At the name: in an `impl` block, where no nameless constant may stand, the compiler says so there.
    let nameless = quote_spanned!(name.span()=> const _);
    let checks = checks(hook);
    let specs = specs(&hook.function);
    let contexts = contexts(&hook.function);
    let locked = hook.locked;
    let plugin = match &hook.plugin {
        Some(name) => quote!(__hooks_core::Option::Some(#name)),
        None => quote!(__hooks_core::Option::None),
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
            use #core::private as __hooks_core;
            use __hooks_core::{AsksNothing as _, TakesNothing as _};
            #uniqueness
            #(#events)*
            #checks
            __hooks_core::inventory::submit! {
                __hooks_core::HookSpec {
                    id: #id,
                    description: #description,
                    origin: __hooks_core::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                    function: || __hooks_core::type_of(&#name),
                    options: #options,
                    with: __hooks_core::first(&[#(#specs),*]),
                    plugin: #plugin,
                    locked: #locked,
                    asks_context: __hooks_core::any(&[#(#contexts),*]),
                    bindings: &[#({ #bindings }),*],
                }
            }
        };
    }
}

/// With `setup!()` in the crate root, two hooks with one id are two constants with one name.
fn uniqueness(id: &LitStr) -> TokenStream {
    // Raw, as an id may be a keyword. It is the name that the compiler tells, so it has nothing before it.
    let constant = Ident::new_raw(&id.value(), id.span());
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
    let visibility = hook.visibility.iter().map(|variant| Ident::new(&variant.to_string(), Span::call_site()));
    let capabilities = hook.capabilities.iter().map(|(_, variants)| {
        let variants = variants.iter().map(|variant| Ident::new(&variant.to_string(), Span::call_site()));
        quote!(.limited(&[#(__hooks_core::Capability::#variants),*]))
    });
    let run = run(hook);
    quote! {
        __hooks_core::options(#priority, #after, #before, #requires, #timeout, #on_failure)
            #(.visible(__hooks_core::Visibility::#visibility))*
            #(#capabilities)*
            #run
    }
}

/// How the hook is run, where that is not as most are.
fn run(hook: &Hook) -> TokenStream {
    let run = &hook.run;
    let (blocking, idempotent, retries) = (run.blocking.is_some(), run.idempotent, run.retries);
    let mode = match run.mode {
        RunMode::Inline if !blocking && !idempotent => return TokenStream::new(),
        RunMode::Inline => quote!(Inline),
        RunMode::Detached => quote!(Detached),
        RunMode::Background => quote!(Background),
    };
    quote!(.runs(__hooks_core::RunMode::#mode, #blocking, #idempotent, #retries))
}

/// What gives the hook an event of its own, where it needs one. An event that cannot be cloned is told at the option.
fn own(hook: &Hook, kind: Span) -> (TokenStream, TokenStream) {
    let place = match (hook.run.mode, hook.run.blocking) {
        (RunMode::Detached, _) => hook.run.place,
        (RunMode::Inline, Some(blocking)) => blocking,
        (RunMode::Inline, None) | (RunMode::Background, _) => {
            return (TokenStream::new(), quote!(__hooks_core::Option::None));
        }
    };
    // The kind itself stands at its own place: where it is none, that is told there and nowhere else.
    let key = quote_spanned!(kind=> __HooksCoreKind);
    let event = Ident::new("__hooks_core_event", place);
    let own = quote_spanned!(place=> |#event| __hooks_core::OwnedEvent::own(#event));
    let own = quote_spanned!(kind=> static __HOOKS_CORE_OWN: __hooks_core::Own<#key> = #own;);
    (own, quote!(__hooks_core::Option::Some(&__HOOKS_CORE_OWN)))
}

/// Whether a hook that nobody waits for takes the subject, by the types of its parameters.
fn takes_subject(hook: &Hook, kind: Span) -> TokenStream {
    if hook.run.mode == RunMode::Inline {
        return quote!(false);
    }
    let subject = quote_spanned!(kind=> __HooksCoreSubject);
    let askable = askable(&hook.function);
    let takes = askable.map(|parameter| {
        let (ty, span) = (&parameter.ty, parameter.span);
        quote_spanned!(span=> __hooks_core::Takes::<#ty, #subject>::SUBJECT)
    });
    quote!(false #(|| #takes)*)
}

/// The hook at one of its kinds.
///
/// Every mention of the kind stands at the user's word for it: where that is no kind, the mentions all say the same at one
/// place, and the compiler tells it once. Elsewhere the kind is left to inference.
fn binding(hook: &Hook, kind: &Kind, i: usize) -> TokenStream {
    let span = kind.span();
    let event = event_alias(kind, i);
    let name = &hook.function.name;
    let apart = hook.run.mode != RunMode::Inline;
    let called = if apart { Called::Apart } else { Called::Inline };
    let main = handler(&hook.function, called, &quote!(#name), name.span(), span);
    let (own, of_own) = own(hook, span);
    let takes_subject = takes_subject(hook, span);
    let (fallback, of_fallback) = fallback(hook, span);
    let decides = !apart && hook.function.decides && may_decide(&hook.function);
    let key = quote_spanned!(span=> __HooksCoreKind);
    let filters = hook.filters.iter().map(|(field, patterns)| {
        let field = LitStr::new(&field.unraw().to_string(), field.span());
        quote!((__hooks_core::check::field::<#key>(#field), #patterns))
    });
    let aliases = quote_spanned! {span=>
        type __HooksCoreKind = <#event as __hooks_core::KindType>::Itself;
        type __HooksCoreSubject = <__HooksCoreKind as __hooks_core::HookKind>::Subject;
        type __HooksCoreVerdict = <__HooksCoreKind as __hooks_core::HookKind>::Verdict;
    };
    quote! {
        #aliases
        #main
        #fallback
        #own
        __hooks_core::BindingSpec {
            kind: __hooks_core::kind::<#key>(),
            handler: &__HOOKS_CORE_HANDLER,
            fallback: #of_fallback,
            decides: #decides,
            filters: &[#(#filters),*],
            own: #of_own,
            takes_subject: #takes_subject,
        }
    }
}

/// The fallback in the form of the hook, and where it is. Whatever does not fit is told at its path.
fn fallback(hook: &Hook, kind: Span) -> (TokenStream, TokenStream) {
    let Some(path) = &hook.fallback else { return (TokenStream::new(), quote!(__hooks_core::Option::None)) };
    let place = path.segments.last().map_or(kind, |last| last.ident.span());
    let function = hook.function.at(place);
    // With its parameters counted first, the compiler does not go on to advise on a call that nobody wrote.
    let parameters = function.parameters.iter().map(|_| quote_spanned!(place=> _));
    let path =
        quote_spanned!(place=> { let __hooks_core_fallback: fn(#(#parameters),*) -> _ = #path; __hooks_core_fallback });
    let handler = handler(&function, Called::Fallback, &path, place, kind);
    let key = quote_spanned!(kind=> __HooksCoreKind);
    (handler, quote!(__hooks_core::Option::Some(__hooks_core::Fallback::of::<#key>(&__HOOKS_CORE_FALLBACK))))
}

/// What the user wrote for the kind, as one word.
fn event(kind: &Kind, i: usize) -> TokenStream {
    let alias = event_alias(kind, i);
    match kind {
        Kind::BuiltIn(name, span) => {
            let name = Ident::new(name, *span);
            quote!(type #alias = __hooks_core::kinds::#name;)
        }
        Kind::Type(path) => quote!(type #alias = #path;),
    }
}

fn event_alias(kind: &Kind, i: usize) -> Ident {
    format_ident!("__HooksCoreEvent{i}", span = kind.span())
}

/// A hook that takes the subject by value decides only where it returns a pair.
fn may_decide(function: &Function) -> bool {
    function.rewrites().is_none_or(|parameter| parameter.taken != Taken::Owned) || function.returns_pair
}

/// What the kinds have to offer for these options: constants that fail at the option itself.
fn checks(hook: &Hook) -> TokenStream {
    let mut checks = TokenStream::new();
    let specs = specs(&hook.function);
    for (i, spec) in specs.iter().enumerate().skip(1) {
        let (earlier, span) = (&specs[..i], first_span(spec).unwrap_or_else(Span::call_site));
        checks.extend(
            quote_spanned!(span=> const _: () = __hooks_core::check::parameters_once(&[#(#earlier),*], #spec);),
        );
    }
    for (i, kind) in hook.kinds.iter().enumerate() {
        let of = |kind: &Kind, i| {
            let (event, span) = (event_alias(kind, i), kind.span());
            quote_spanned!(span=> <#event as __hooks_core::KindType>::Itself)
        };
        let this = of(kind, i);
        for (field, _) in &hook.filters {
            let name = field.unraw().to_string();
            let here = names::option_elsewhere(&name).unwrap_or_default();
            checks.extend(
                quote_spanned!(field.span()=> const _: () = __hooks_core::check::filter::<#this>(#name, #here);),
            );
        }
        match hook.on_failure {
            Some((OnFailure::Remove, span)) => {
                checks.extend(quote_spanned!(span=> const _: () = __hooks_core::check::remove::<#this>();));
            }
            Some((OnFailure::Deny, span)) => {
                checks.extend(quote_spanned!(span=> const _: () = __hooks_core::check::deny::<#this>();));
            }
            Some((OnFailure::Continue | OnFailure::Required, _)) | None => {}
        }
        if let Some((key, variants)) = &hook.capabilities {
            checks.extend(quote_spanned!(*key=> const _: () = __hooks_core::check::contributes::<#this>();));
            for variant in variants {
                checks.extend(quote_spanned! {variant.span()=>
                    const _: () = __hooks_core::check::capability::<#this>(__hooks_core::Capability::#variant);
                });
            }
        }
        if hook.run.mode == RunMode::Background {
            let span = hook.run.place;
            checks.extend(quote_spanned!(span=> const _: () = __hooks_core::check::background::<#this>();));
        }
        for (earlier, other) in hook.kinds[..i].iter().enumerate() {
            let earlier = of(other, earlier);
            let span = kind.span();
            checks.extend(quote_spanned!(span=> const _: () = __hooks_core::check::distinct::<#this, #earlier>();));
        }
    }
    checks
}

/// What each parameter by `&` asks of a list. Its type tells, not its name, so each is asked.
fn specs(function: &Function) -> Vec<TokenStream> {
    askable(function)
        .map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hooks_core::Asks::<#ty>::SPEC))
        .collect()
}

/// The parameters by `&` whose types can be asked what they are.
fn askable(function: &Function) -> impl Iterator<Item = &Parameter> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    // A lifetime of the function's is not known beside it; subjects and parameters from a list have none.
    read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()))
}

/// Whether each parameter by `&` is the context, by its type.
fn contexts(function: &Function) -> Vec<TokenStream> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    let askable = read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()));
    askable.map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hooks_core::Asks::<#ty>::CONTEXT)).collect()
}

fn names_lifetime(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => names_lifetime(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// As what a function is called.
#[derive(Clone, Copy, PartialEq)]
enum Called {
    /// The hook, within its dispatch.
    Inline,
    /// The hook, apart from its dispatch.
    Apart,
    /// In the place of the hook.
    Fallback,
}

/// The function in the form that a dispatch calls: a closure, which learns its signature from the static's type.
///
/// A user's token may come out of another macro, where our variables are unknown. Each expression at such a token therefore
/// has variables of its own, bound at that token.
fn handler(function: &Function, as_what: Called, path: &TokenStream, place: Span, kind: Span) -> TokenStream {
    let apart = as_what == Called::Apart;
    let taken = function.rewrites().map(|parameter| parameter.taken);
    let arguments: Vec<Argument> = (0..)
        .zip(&function.parameters)
        .map(|(i, parameter)| argument(parameter, i, taken, function.is_async, apart))
        .collect();
    let bindings = arguments.iter().map(|argument| &argument.binding);
    let values = arguments.iter().map(|argument| &argument.value);
    // In parentheses the name is a value, and so it is in every message of the compiler's.
    // Whatever is wrong with the call as a whole is told at one token.
    let called = quote_spanned!(place=> (#path)(#(#values),*));
    let bindings = quote!(#(#bindings)*);
    let dot_await = function.is_async.then(|| quote_spanned!(place=> .await));
    let call = quote!(#bindings let __hooks_core_answer = #called #dot_await;);
    let returns = if taken == Some(Taken::Owned) {
        quote_spanned!(kind=> (__HooksCoreSubject, __HooksCoreVerdict))
    } else {
        quote_spanned!(kind=> __HooksCoreVerdict)
    };
    let of = quote_spanned!(kind=> __hooks_core::Of::<__HooksCoreKind, #returns>::NEW);
    let answer = |returns: &str, method: &str| answer(function.returned, &of, returns, method);
    let verdict = answer(if apart { "ReturnsApart" } else { "ReturnsVerdict" }, "verdict");
    let effect = answer("ReturnsSubject", "effect");
    let (form, body) = match (taken, function.is_async) {
        _ if apart => ("Apart", boxed(place, &quote!(#call #verdict))),
        (None | Some(Taken::Read), false) => ("Read", quote!(#call #verdict)),
        // That a fallback is no async function is told best where it is awaited.
        (None | Some(Taken::Read), true) if as_what == Called::Fallback => {
            ("ReadAsync", boxed(place, &quote!(#call #verdict)))
        }
        (Some(Taken::Owned), true) if as_what == Called::Fallback => ("OwnAsync", boxed(place, &quote!(#call #effect))),
        (None | Some(Taken::Read), true) => ("ReadAsync", answered(place, &bindings, &called, &verdict)),
        (Some(Taken::Lent), false) => ("Lend", quote!(#call #verdict)),
        (Some(Taken::Lent), true) => {
            let body = quote! {
                let mut __hooks_core_subject = __hooks_core_subject;
                #call
                let __hooks_core_answer = { #verdict };
                __hooks_core::effect_of(__hooks_core_subject, __hooks_core_answer)
            };
            ("OwnAsync", boxed(place, &body))
        }
        (Some(Taken::Owned), false) => ("Own", quote!(#call #effect)),
        (Some(Taken::Owned), true) => ("OwnAsync", answered(place, &bindings, &called, &effect)),
    };
    let form = Ident::new(form, kind);
    let closure = quote!(|__hooks_core_cx, __hooks_core_event, __hooks_core_subject| { #body });
    let name = if as_what == Called::Fallback { "__HOOKS_CORE_FALLBACK" } else { "__HOOKS_CORE_HANDLER" };
    let name = Ident::new(name, kind);
    quote_spanned! {kind=>
        static #name: __hooks_core::Call<__HooksCoreKind, __HooksCoreSubject, __HooksCoreVerdict> =
            __hooks_core::Call::#form(__hooks_core::form::#form::Static(#closure));
    }
}

/// One argument of the user's function.
struct Argument {
    /// Binds the variables of `value`.
    binding: TokenStream,
    value: TokenStream,
}

fn argument(parameter: &Parameter, i: usize, rewritten: Option<Taken>, is_async: bool, apart: bool) -> Argument {
    let read = if apart { "read_apart" } else { "read" };
    let span = parameter.span;
    let [cx, event, subject] =
        ["cx", "event", "subject"].map(|name| format_ident!("__hooks_core_{name}{i}", span = span));
    // The type is not written out: the function that is called says it.
    match (parameter.taken, rewritten) {
        (Taken::Lent, _) => {
            let borrow = is_async.then(|| quote!(&mut));
            Argument {
                binding: quote!(let (#event, #subject) = (__hooks_core_event, #borrow __hooks_core_subject);),
                value: quote_spanned!(span=> __hooks_core::Rewrite::lend(#event, #subject)),
            }
        }
        (Taken::Owned, _) => Argument {
            binding: quote!(let (#event, #subject) = (__hooks_core_event, __hooks_core_subject);),
            value: quote_spanned!(span=> __hooks_core::Rewrite::pass(#event, #subject)),
        },
        (Taken::Read, None) => Argument {
            binding: quote! {
                let (#cx, #event, #subject) = (__hooks_core_cx, __hooks_core_event, __hooks_core_subject);
            },
            value: {
                let read = Ident::new(read, span);
                quote_spanned!(span=> __hooks_core::Read::#read(#cx, #event, #subject))
            },
        },
        (Taken::Read, Some(_)) => Argument {
            binding: quote!(let (#cx, #event) = (__hooks_core_cx, __hooks_core_event);),
            value: quote_spanned!(span=> __hooks_core::Beside::read(#cx, #event)),
        },
    }
}

/// What the function returned in the form that a dispatch reads, every token at the return type.
fn answer(span: Span, kind_and_returns: &TokenStream, returns: &str, method: &str) -> TokenStream {
    let (returns, method) = (Ident::new(returns, span), Ident::new(method, span));
    let [of, returned] = ["of", "returned"].map(|name| format_ident!("__hooks_core_{name}", span = span));
    let value = quote_spanned!(span=> __hooks_core::Fails::settle(__hooks_core::#returns::#method(#of, #returned)));
    quote! {
        let (#of, #returned) = (#kind_and_returns, __hooks_core_answer);
        #value
    }
}

/// The future of the function itself, boxed with nothing but what is made of its answer.
fn answered(span: Span, bindings: &TokenStream, called: &TokenStream, answer: &TokenStream) -> TokenStream {
    let closure = quote!(|__hooks_core_answer| { #answer });
    let future = quote_spanned!(span=> __hooks_core::Box::pin(__hooks_core::Answered::new(#called, #closure)));
    quote!(#bindings #future)
}

/// The body as a boxed future; that it cannot be sent between threads is told at the function's name.
fn boxed(span: Span, body: &TokenStream) -> TokenStream {
    let future = quote!(async move { #body });
    quote_spanned!(span=> __hooks_core::Box::pin(#future))
}
