//! Checks `#[hook_kind(…)]` for everything that its syntax can show.

use syn::ext::IdentExt;
use syn::{DeriveInput, Meta};

use super::constructor;
use super::model::{KindDefinition, item_fields};
use super::table::{OPTIONS, unknown};
use crate::errors::Errors;
use crate::options::{self, Written};

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
    let is_name = |known: &options::Known<KindDefinition>| known.name() == "name";
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
