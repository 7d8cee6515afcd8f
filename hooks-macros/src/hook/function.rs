//! Parses the annotated function: its signature is parsed, its body is kept as tokens.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, GenericParam, Item, ReturnType, Safety, Signature, Type, TypeReference, Visibility};

use super::model::{Function, Parameter, Taken};
use crate::errors::Errors;
use crate::options::{first_span, without_spaces};
use crate::types::{Extent, bare, extent, find};

/// A function with any body.
struct FunctionItem {
    attributes: Vec<Attribute>,
    signature: Signature,
}

impl Parse for FunctionItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let signature = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(Self { attributes, signature })
    }
}

/// Parses the function and reports everything that a hook does not allow; `None` if it is not a function.
pub(crate) fn read(item: TokenStream, errors: &mut Errors) -> Option<Function> {
    let Ok(FunctionItem { attributes, signature }) = syn::parse2(item.clone()) else {
        let (what, span) = describe(item);
        errors.at(span, format!("`#[hook]` annotates a function, but this is {what}"));
        return None;
    };
    check_attributes(&attributes, errors);
    check_signature(&signature, errors);
    let parameters = parameters(&signature, errors);
    let (returned, returns) = returned(&signature, errors);
    Some(Function {
        name: signature.ident,
        description: description(&attributes),
        cfgs: attributes.into_iter().filter(|attribute| attribute.path().is_ident("cfg")).collect(),
        is_async: signature.asyncness.is_some(),
        parameters,
        returned,
        returns,
    })
}

/// The description of the item, and the span of its keyword.
fn describe(item: TokenStream) -> (&'static str, Span) {
    let start = first_span(&item).unwrap_or_else(Span::call_site);
    match syn::parse2::<Item>(item) {
        Ok(Item::Struct(item)) => ("a struct", item.struct_token.span),
        Ok(Item::Enum(item)) => ("an enum", item.enum_token.span),
        Ok(Item::Mod(item)) => ("a module; annotate the functions in it", item.mod_token.span),
        Ok(Item::Impl(item)) => ("an `impl` block", item.impl_token.span),
        Ok(Item::Trait(item)) => ("a trait", item.trait_token.span),
        Ok(Item::Const(item)) => ("a constant", item.const_token.span),
        Ok(Item::Static(item)) => ("a static", item.static_token.span),
        Ok(Item::Type(item)) => ("a type", item.type_token.span),
        Ok(Item::Use(item)) => ("an import", item.use_token.span),
        Ok(Item::ForeignMod(item)) => ("an `extern` block", item.abi.extern_token.span),
        Ok(Item::Macro(_)) => ("a macro; annotate the function that it generates", start),
        Ok(other) => ("something else", first_span(&other.to_token_stream()).unwrap_or(start)),
        Err(_) => ("something else; a closure is registered with `Hook::reader` or `Hook::writer`", start),
    }
}

/// Reports attributes that cannot be combined with this one.
fn check_attributes(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        let names: Vec<String> = attribute.path().segments.iter().map(|segment| segment.ident.to_string()).collect();
        match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["hook"] | [.., "hook_sdk", "hook"] => errors.on(
                attribute.path(),
                "a function is one hook: name several kinds as `kind = [before_tool_call, stop]`, and give another id a \
                 function of its own",
            ),
            ["test" | "bench"] | [.., "test"] | ["tokio" | "async_std" | "smol", "main"] => errors.on(
                attribute.path(),
                "a hook is called where its kind fires; remove this attribute, and call the function from a test or \
                 from `main`",
            ),
            _ => {}
        }
    }
}

fn check_signature(signature: &Signature, errors: &mut Errors) {
    let safety = if let Safety::Unsafe(token) = &signature.safety { Some(token) } else { None };
    let wrong = [
        (signature.constness.to_token_stream(), "a hook cannot be `const`; remove `const`"),
        (safety.to_token_stream(), "a hook cannot be `unsafe`: no caller upholds its safety contract"),
        (signature.abi.to_token_stream(), "a hook cannot be `extern`; remove it"),
        (signature.variadic.as_ref().map(|it| it.dots).to_token_stream(), "a hook cannot be variadic"),
    ];
    for (tokens, problem) in wrong.iter().filter(|(tokens, _)| !tokens.is_empty()) {
        errors.on(tokens, *problem);
    }
    if signature.ident == "main" {
        errors.on(&signature.ident, "`main` cannot be a hook; write another function for the hook");
    }
    for parameter in &signature.generics.params {
        let name: &dyn ToTokens = match parameter {
            GenericParam::Type(parameter) => &parameter.ident,
            GenericParam::Const(parameter) => &parameter.ident,
            // Lifetimes of parameters are allowed.
            GenericParam::Lifetime(_) => continue,
        };
        errors.on(
            &name.to_token_stream(),
            "a hook cannot be generic, because it is registered once; write a concrete type",
        );
    }
}

fn parameters(signature: &Signature, errors: &mut Errors) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for input in &signature.inputs {
        let typed = match input {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) => {
                errors.on(&receiver.self_token, "a hook must be a free function; remove `self`");
                continue;
            }
        };
        if let Some(cfg) = typed.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
            errors.on(cfg, "the parameters of a hook cannot depend on a `cfg`; write two functions");
        }
        if let Some(token) = find(typed.ty.to_token_stream(), "impl") {
            errors.at(token, "a hook cannot be generic, because it is registered once; write a concrete type");
            continue;
        }
        if let Type::Reference(reference) = bare(&typed.ty) {
            check_reference(reference, errors);
        }
        let name = if let syn::Pat::Ident(name) = &*typed.pat { name.ident.to_string() } else { String::new() };
        let parameter = parameter(name, &typed.ty);
        let tokens = parameter.ty.to_token_stream().to_string();
        let same = |other: &&Parameter| other.ty.to_token_stream().to_string() == tokens;
        let rewrites = |other: &&Parameter| other.taken != Taken::Read;
        if parameters.iter().any(|other| same(&other)) {
            errors.on(&typed.ty, format!("`{}` appears twice; take it once", without_spaces(&tokens)));
        } else if parameter.taken != Taken::Read && parameters.iter().any(|other| rewrites(&other)) {
            errors.on(
                &typed.ty,
                "a parameter by value or `&mut` is the subject, which a hook can take only once; take this one by `&`",
            );
        } else if parameter.taken == Taken::Owned && returns_nothing(signature) && tokens != "()" {
            errors.on(
                &typed.ty,
                "a parameter by value is the subject, which the hook must return; add a return type, or take \
                 this parameter by `&` or `&mut`",
            );
        }
        parameters.push(parameter);
    }
    parameters
}

fn returns_nothing(signature: &Signature) -> bool {
    match &signature.output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty()),
    }
}

fn parameter(name: String, ty: &Type) -> Parameter {
    let place = extent(ty).unwrap_or_else(|| (Span::call_site(), Span::call_site()));
    let (ty, taken) = match bare(ty) {
        Type::Reference(TypeReference { elem, mutability: Some(_), .. }) => (&**elem, Taken::Lent),
        Type::Reference(TypeReference { elem, .. }) => (&**elem, Taken::Read),
        owned => (owned, Taken::Owned),
    };
    Parameter { name, ty: ty.clone(), taken, place }
}

/// Reports references that no dispatch can lend, whatever their type.
fn check_reference(reference: &TypeReference, errors: &mut Errors) {
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static") {
        errors.on(lifetime, "a hook borrows its parameters only for its run; remove `'static`");
    }
    if reference.mutability.is_some() && matches!(bare(&reference.elem), Type::TraitObject(_)) {
        errors.on(&reference.elem, "the subject is one concrete type; write that type instead of the trait");
    }
}

/// The place of the return type, and the type if it can be named.
fn returned(signature: &Signature, errors: &mut Errors) -> (Extent, Option<TokenStream>) {
    let name = signature.ident.span();
    let ReturnType::Type(_, ty) = &signature.output else { return ((name, name), Some(quote!(()))) };
    if let Type::Never(never) = bare(ty) {
        errors.at(never.bang_token.span(), "a hook must return; remove `-> !`");
    }
    if let Type::Reference(TypeReference { mutability: Some(_), .. }) = bare(ty) {
        errors.on(ty, "a hook that takes the subject by `&mut` changes it in place; remove the return type");
    }
    let tokens = ty.to_token_stream();
    let named = find(tokens.clone(), "impl").is_none().then(|| without_lifetimes(tokens));
    (extent(ty).unwrap_or((name, name)), named)
}

/// Replaces the function's lifetimes, for use outside of it.
fn without_lifetimes(ty: TokenStream) -> TokenStream {
    let mut is_lifetime = false;
    let tokens = ty.into_iter().map(|token| {
        let after_tick = std::mem::replace(&mut is_lifetime, false);
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_lifetimes(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            TokenTree::Punct(punct) => {
                is_lifetime = punct.as_char() == '\'';
                punct.into()
            }
            TokenTree::Ident(name) if after_tick && name != "static" => Ident::new("_", name.span()).into(),
            other => other,
        }
    });
    tokens.collect()
}

/// The doc comment with its lines joined, without the leading space of each.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect::<Vec<_>>()
        .join("\n")
        .trim()
        .to_owned()
}
