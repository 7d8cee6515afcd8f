//! Generates the handler: the function in the form that a dispatch calls.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Ident, Index};

use super::types::parameter;
use crate::hook::model::{Function, Parameter, Taken};
use crate::types::Extent;

/// The role in which a function is called.
#[derive(Clone, Copy)]
pub(super) enum Called<'a> {
    /// As the hook, within its dispatch.
    Inline,
    /// As the hook, detached from its dispatch.
    Detached,
    /// As the fallback of a hook with this return type.
    Fallback(&'a TokenStream),
}

/// Generates the handler: a closure that gets its signature from the type of the static.
///
/// A user's token may come from another macro, where our variables are not in scope. Each expression at such a token
/// therefore has its own variables, bound at that token.
pub(super) fn handler(
    function: &Function,
    as_what: Called<'_>,
    path: &TokenStream,
    place: Span,
    kind: Span,
) -> TokenStream {
    let detached = matches!(as_what, Called::Detached);
    let is_fallback = matches!(as_what, Called::Fallback(_));
    let taken = function.rewrites().map(|parameter| parameter.taken);
    let arguments = function.parameters.iter().enumerate();
    let (bindings, values): (Vec<_>, Vec<_>) =
        arguments.map(|(i, parameter)| argument(parameter, i, taken, function.is_async, detached)).unzip();
    // In parentheses the name is a value, also in compiler messages. Errors about the call as a whole are reported at
    // one token. A fallback is called through a trait, whose message says what a fallback is. Its parameters are counted
    // first, so that the compiler does not suggest changes to a call that the user did not write, and then compared with
    // those of the hook, which are all that a list and the context provide.
    let called = if is_fallback {
        let count = values.iter().map(|_| quote_spanned!(place=> _,));
        let types = function.parameters.iter().map(parameter);
        let of = quote_spanned!(place=> __hook_sdk::FallbackFunction::<(#(#count)*), _>::call);
        let called = quote_spanned!(place=> #of(#path, __hook_sdk_takes.tie((#(#values,)*))));
        let of = function.is_async.then(|| quote_spanned!(place=> __hook_sdk::FallbackFuture::future));
        quote_spanned! {place=> #of({
            let __hook_sdk_takes = __hook_sdk::FallbackTakes::NEW;
            let __hook_sdk_called: _ = #called;
            __hook_sdk::FallbackParameters::<(#(#types,)*)>::fits(__hook_sdk_takes);
            __hook_sdk_called
        })}
    } else {
        quote_spanned!(place=> (#path)(#(#values),*))
    };
    let bindings = quote!(#(#bindings)*);
    let dot_await = function.is_async.then(|| quote_spanned!(place=> .await));
    // With a type, so that the compiler does not suggest one.
    let call = quote!(#bindings let __hook_sdk_answer: _ = #called #dot_await;);
    let returns = if taken == Some(Taken::Owned) {
        quote_spanned!(kind=> (__HookSdkSubject, __HookSdkVerdict))
    } else {
        quote_spanned!(kind=> __HookSdkVerdict)
    };
    let of = quote_spanned!(kind=> __hook_sdk::Of::<__HookSdkKind, #returns>::NEW);
    let fits = match as_what {
        Called::Fallback(returned) => fits(returned, taken == Some(Taken::Owned), place, kind),
        Called::Inline | Called::Detached => error_fits(function, detached, kind),
    };
    let answer = |returns: &str, method: &str| {
        let answer = answer(function.returned, &of, returns, method);
        quote!(#fits #answer)
    };
    let verdict = answer(if detached { "ReturnsDetached" } else { "ReturnsVerdict" }, "verdict");
    let effect = answer("ReturnsSubject", "effect");
    let (form, body) = match (taken, function.is_async) {
        _ if detached => ("Detached", boxed(place, &quote!(#call #verdict))),
        (None | Some(Taken::Read), false) => ("Read", quote!(#call #verdict)),
        // A fallback that is not async is best reported where it is awaited.
        (None | Some(Taken::Read), true) if is_fallback => ("ReadAsync", boxed(place, &quote!(#call #verdict))),
        (Some(Taken::Owned), true) if is_fallback => ("ReplaceAsync", boxed(place, &quote!(#call #effect))),
        (None | Some(Taken::Read), true) => ("ReadAsync", answered(place, &bindings, &called, &verdict)),
        (Some(Taken::Lent), false) => ("Write", quote!(#call #verdict)),
        (Some(Taken::Lent), true) => {
            let body = quote! {
                let mut __hook_sdk_subject = __hook_sdk_subject;
                #call
                let __hook_sdk_answer = { #verdict };
                __hook_sdk::effect_of(__hook_sdk_subject, __hook_sdk_answer)
            };
            ("ReplaceAsync", boxed(place, &body))
        }
        (Some(Taken::Owned), false) => ("Replace", quote!(#call #effect)),
        (Some(Taken::Owned), true) => ("ReplaceAsync", answered(place, &bindings, &called, &effect)),
    };
    let form = Ident::new(form, kind);
    let closure = quote!(|__hook_sdk_cx, __hook_sdk_event, __hook_sdk_subject| { #body });
    let name = if is_fallback { "__HOOK_SDK_FALLBACK" } else { "__HOOK_SDK_HANDLER" };
    let name = Ident::new(name, kind);
    quote_spanned! {kind=>
        static #name: __hook_sdk::Call<__HookSdkKind, __HookSdkSubject, __HookSdkVerdict> =
            __hook_sdk::Call::#form(__hook_sdk::form::#form::Static(#closure));
    }
}

/// Checks by type that a fallback returns a verdict if its hook does.
fn fits(returned: &TokenStream, owned: bool, place: Span, kind: Span) -> TokenStream {
    let (key, answer) = (quote_spanned!(kind=> __HookSdkKind), Ident::new("__hook_sdk_decision", place));
    let subject = if owned { quote_spanned!(kind=> __HookSdkSubject) } else { quote!(__hook_sdk::Lent) };
    let required = quote!({ __hook_sdk::requires_decision::<#key>(#returned::GIVES_VERDICT) });
    let fits = quote_spanned!(place=> __hook_sdk::FallbackOf::<#key>::fits(#answer););
    quote! {
        use __hook_sdk::{Decides as _, DecidesNothing as _};
        let #answer = (&__hook_sdk::Probe::<_, #subject>::of(&__hook_sdk_answer)).decision();
        let #answer = __hook_sdk::RequireDecision::<#key, #required>::of(#answer);
        #fits
    }
}

/// Checks by type that the error of the hook is a `Halt` only if there is a turn to end.
fn error_fits(function: &Function, detached: bool, kind: Span) -> TokenStream {
    if function.returns.as_ref().is_some_and(|returns| returns.to_string() == "()") {
        return TokenStream::new();
    }
    let place = function.returned;
    let error = format_ident!("__hook_sdk_error", span = place.0);
    let bound = if detached {
        quote_spanned!(place.0=> DetachedError)
    } else {
        let key = quote_spanned!(kind=> __HookSdkKind);
        quote_spanned!(place.0=> ErrorAt::<#key>)
    };
    let fits = call(place, &bound, "fits", &fields(place, &error, 1));
    quote! {
        use __hook_sdk::{FailsByHalt as _, FailsPlainly as _};
        let #error = ((&__hook_sdk::Probe::<_, __hook_sdk::Lent>::of(&__hook_sdk_answer)).error(),);
        #fits;
    }
}

/// One argument of the user's function, after the binding of its variables.
fn argument(
    parameter: &Parameter,
    i: usize,
    rewritten: Option<Taken>,
    is_async: bool,
    detached: bool,
) -> (TokenStream, TokenStream) {
    let place = parameter.place;
    let all = format_ident!("__hook_sdk_all{i}", span = place.0);
    let borrow = (is_async && parameter.taken == Taken::Lent).then(|| quote!(&mut));
    let to_rewrite = quote!(__hook_sdk_event, #borrow __hook_sdk_subject);
    let subject = quote!(__hook_sdk_subject);
    let subject = if detached { subject } else { quote!(__hook_sdk::Option::Some(#subject)) };
    // The type is omitted, because the called function determines it.
    let (inputs, of, name, count) = match (parameter.taken, rewritten) {
        (Taken::Lent, _) => (to_rewrite, "SubjectParameter", "lend", 2),
        (Taken::Owned, _) => (to_rewrite, "SubjectParameter", "pass", 2),
        (Taken::Read, None) => (quote!(__hook_sdk_cx, __hook_sdk_event, #subject), "ReadParameter", "read", 3),
        (Taken::Read, Some(_)) => (quote!(__hook_sdk_cx, __hook_sdk_event), "ContextParameter", "read", 2),
    };
    let value = call(place, &Ident::new(of, place.0), name, &fields(place, &all, count));
    (quote!(let #all = (#inputs);), value)
}

/// Converts the return value for the dispatch, with every token at the return type.
fn answer(place: Extent, kind_and_returns: &TokenStream, returns: &str, method: &str) -> TokenStream {
    let all = format_ident!("__hook_sdk_all", span = place.0);
    let value = call(place, &Ident::new(returns, place.0), method, &fields(place, &all, 2));
    let value = call(place, &Ident::new("Fails", place.0), "settle", &value);
    quote! {
        let #all = (#kind_and_returns, __hook_sdk_answer);
        #value
    }
}

/// A call of a trait function with the span of a type, from its first to its last token. The compiler underlines
/// everything between the first and the last token of an expression, so each expression uses only these two spans, and
/// an error is reported once.
fn call((start, end): Extent, of: &impl ToTokens, name: &str, arguments: &TokenStream) -> TokenStream {
    let name = Ident::new(name, start.located_at(end));
    let path = quote_spanned!(start=> __hook_sdk::#of::#name);
    let arguments = quote_spanned!(start.located_at(end)=> (#arguments));
    quote!(#path #arguments)
}

/// The fields of a tuple in order.
fn fields((start, end): Extent, tuple: &Ident, count: u32) -> TokenStream {
    let fields = (0..count).map(|i| {
        let index = Index { index: i, span: start.located_at(end) };
        quote_spanned!(start=> #tuple.#index,)
    });
    fields.collect()
}

/// The boxed future of the function, with only the conversion of its output.
fn answered(span: Span, bindings: &TokenStream, called: &TokenStream, answer: &TokenStream) -> TokenStream {
    let closure = quote!(|__hook_sdk_answer| { #answer });
    let future = quote_spanned!(span=> __hook_sdk::Box::pin(__hook_sdk::AnswerFuture::new(#called, #closure)));
    quote!(#bindings #future)
}

/// The body as a boxed future. If it is not `Send`, that is reported at the function's name.
fn boxed(span: Span, body: &TokenStream) -> TokenStream {
    let future = quote!(async move { #body });
    quote_spanned!(span=> __hook_sdk::Box::pin(#future))
}
