//! The checked model of `#[hook_kind(…)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{DeriveInput, Ident, LitStr, Path, Token, Type};

use crate::private::Core;

/// The options of a kind.
#[derive(Default)]
pub(crate) struct KindDefinition {
    pub(crate) name: Option<LitStr>,
    pub(crate) subject: Option<Type>,
    pub(crate) verdict: Option<Type>,
    /// The span of `removable`.
    pub(crate) removable: Option<Span>,
    pub(crate) fields: Vec<MatchField>,
    pub(crate) check: Option<Path>,
    pub(crate) outside_turn: bool,
    /// Whether the kind fires after the end of the turn, so that there is nothing to halt.
    pub(crate) turn_over: bool,
    /// The kind's own default for `on_failure`, if it has one.
    pub(crate) on_failure: Option<Ident>,
    /// The `new` option, and the fields that the constructor takes.
    pub(crate) takes: Option<(Ident, Vec<Ident>)>,
    /// The span of `json`.
    pub(crate) json: Option<Span>,
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

/// The fields of a struct.
pub(super) fn item_fields(item: &DeriveInput) -> impl Iterator<Item = &syn::Field> {
    let fields = if let syn::Data::Struct(data) = &item.data { Some(&data.fields) } else { None };
    fields.into_iter().flatten()
}
