//! Checks `#[hook_kind(…)]` for everything that its syntax can show.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{DeriveInput, Ident, LitStr, Meta, Path, Token, Type};

use super::constructor::{self, Constructor};
use super::table::{OPTIONS, unknown};
use crate::errors::Errors;
use crate::hook::description;
use crate::options::{self, Written};

/// A parsed kind.
pub(crate) struct KindDefinition {
    pub(crate) event: Ident,
    pub(crate) name: LitStr,
    pub(crate) subject: Option<Type>,
    pub(crate) verdict: Option<Type>,
    /// The span of `removable`.
    pub(crate) removable: Option<Span>,
    pub(crate) fields: Vec<MatchField>,
    /// The names of all fields of the event.
    pub(crate) event_fields: Vec<String>,
    pub(crate) check: Option<Path>,
    pub(crate) outside_turn: bool,
    /// Whether the kind fires after the end of the turn, so that there is nothing to halt.
    pub(crate) turn_over: bool,
    /// The kind's own default for `on_failure`, if it has one.
    pub(crate) on_failure: Option<Ident>,
    /// The `new` option, and the fields that the constructor takes.
    pub(crate) takes: Option<(Ident, Vec<Ident>)>,
    pub(crate) constructor: Option<Constructor>,
    /// The span of `json`.
    pub(crate) json: Option<Span>,
    pub(crate) description: String,
    pub(crate) core: TokenStream,
    /// Whether an implementation can be generated in spite of errors.
    pub(crate) is_sound: bool,
}

/// A filter field: the option's name, and the path from the event to the field.
pub(crate) struct MatchField {
    pub(crate) name: Ident,
    /// Its type, which may list the known words.
    pub(crate) ty: Option<Type>,
    pub(crate) path: TokenStream,
}

impl MatchField {
    pub(crate) fn text(&self) -> String {
        self.name.unraw().to_string()
    }
}

impl Parse for MatchField {
    /// `tool`, `tool = call.name` or `role: Role = message.role`
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        let ty = input.parse::<Option<Token![:]>>()?.map(|_| input.parse()).transpose()?;
        if input.is_empty() {
            // An option may be a keyword; a field with that name needs a raw identifier.
            let field =
                if name == name.unraw() { Ident::new_raw(&name.to_string(), name.span()) } else { name.clone() };
            return Ok(Self { path: quote!(#field), ty, name });
        }
        input.parse::<Token![=]>()?;
        Ok(Self { name, ty, path: input.parse()? })
    }
}

impl KindDefinition {
    /// The kind without any options.
    pub(super) fn new(item: &DeriveInput) -> Self {
        Self {
            event: item.ident.clone(),
            name: LitStr::new("", Span::call_site()),
            subject: None,
            verdict: None,
            removable: None,
            fields: Vec::new(),
            event_fields: item_fields(item)
                .filter_map(|field| Some(field.ident.as_ref()?.unraw().to_string()))
                .collect(),
            check: None,
            outside_turn: false,
            turn_over: false,
            on_failure: None,
            takes: None,
            constructor: None,
            json: None,
            description: description(&item.attrs),
            core: quote!(::hook_sdk),
            is_sound: item.generics.params.is_empty() && !matches!(item.data, syn::Data::Union(_)),
        }
    }
}

/// Checks the kind and returns what is usable. `errors` shows whether it is valid.
pub(crate) fn check(item: &DeriveInput, errors: &mut Errors) -> KindDefinition {
    if let syn::Data::Union(item) = &item.data {
        errors.on(&item.union_token, "an event is a struct or an enum");
    }
    for parameter in &item.generics.params {
        errors.on(parameter, "an event is one concrete type: remove its generics and lifetimes");
    }
    let mut kind = KindDefinition::new(item);
    let mut written: Vec<Written> = Vec::new();
    let attributes = || item.attrs.iter().filter(|attribute| attribute.path().is_ident("hook_kind"));
    for attribute in attributes() {
        if let Meta::List(list) = &attribute.meta {
            written.extend(options::read(list.tokens.clone(), errors));
        }
    }
    for option in options::take(&written, OPTIONS, &mut kind, errors) {
        unknown(option, errors);
    }
    for field in &mut kind.fields {
        let path = field.path.to_string();
        let is_it =
            |own: &&syn::Field| own.ident.as_ref().is_some_and(|own| own.unraw() == path.trim_start_matches("r#"));
        let own = item_fields(item).find(is_it);
        field.ty = field.ty.take().or(own.map(|own| own.ty.clone()));
    }
    kind.constructor = kind.takes.take().and_then(|(at, takes)| constructor::check(item, takes, &at, errors));
    let has = |name: &str| written.iter().any(|option| option.name() == name);
    // The name may have been given under another macro's name for it, which is reported separately.
    let is_name = |known: &options::Known<KindDefinition>| known.name == "name";
    let named =
        has("name") || written.iter().any(|option| options::elsewhere(OPTIONS, &option.name()).is_some_and(is_name));
    match attributes().next() {
        None => errors.on(&item.ident, "a kind needs `#[hook_kind(name = \"before_refund\", …)]`"),
        Some(first) if !named => {
            errors.on(first.path(), "a kind needs a name: `#[hook_kind(name = \"before_refund\")]`");
        }
        Some(_) => {}
    }
    kind.is_sound &= has("subject") == kind.subject.is_some() && has("verdict") == kind.verdict.is_some();
    if let (Some(removable), false) = (kind.removable, has("subject")) {
        errors.at(removable, "`removable` needs a subject, such as `subject = Refund`: this kind has no subject");
    }
    kind
}

/// The fields of a struct.
fn item_fields(item: &DeriveInput) -> impl Iterator<Item = &syn::Field> {
    let fields = if let syn::Data::Struct(data) = &item.data { Some(&data.fields) } else { None };
    fields.into_iter().flatten()
}
