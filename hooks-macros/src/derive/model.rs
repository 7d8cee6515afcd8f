//! The checked model of `#[hook_kind(…)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{DeriveInput, Ident, LitStr, Path, Token, Type};

use super::constructor::Constructor;
use crate::hook::description;
use crate::private::Core;

/// A kind.
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
    pub(crate) core: Core,
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
            core: Core::default(),
            is_sound: item.generics.params.is_empty() && !matches!(item.data, syn::Data::Union(_)),
        }
    }
}

/// The fields of a struct.
pub(super) fn item_fields(item: &DeriveInput) -> impl Iterator<Item = &syn::Field> {
    let fields = if let syn::Data::Struct(data) = &item.data { Some(&data.fields) } else { None };
    fields.into_iter().flatten()
}
