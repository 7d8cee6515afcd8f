//! Checks `#[hook_kind(…)]` for everything that its syntax can show.

use syn::ext::IdentExt;
use syn::{DeriveInput, Type};

use super::constructor;
use super::model::{KindDefinition, item_fields};
use super::table::{OPTIONS, unknown};
use crate::errors::Errors;
use crate::options;

/// Checks the kind and returns what is usable. `errors` shows whether it is valid.
pub(crate) fn check(item: &DeriveInput, errors: &mut Errors) -> KindDefinition {
    if let syn::Data::Union(item) = &item.data {
        errors.on(&item.union_token, "an event is a struct or an enum");
    }
    for parameter in &item.generics.params {
        errors.on(parameter, "an event is one concrete type: remove its generics and lifetimes");
    }
    let mut kind = KindDefinition::default();
    let attributes = || item.attrs.iter().filter(|attribute| attribute.path().is_ident("hook_kind"));
    let lists = attributes().filter_map(|attribute| Some(attribute.meta.require_list().ok()?.tokens.clone()));
    let written = options::read(lists, errors);
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
    kind.takes = kind.takes.take().filter(|(at, takes)| constructor::check(item, takes, at, errors));
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
    let (event, subject) = (&item.ident, kind.subject.as_ref());
    if let Some(subject) = subject
        .filter(|subject| matches!(subject, Type::Path(it) if it.path.is_ident("Self") || it.path.is_ident(event)))
    {
        errors.on(subject, "the subject cannot be the event itself: hooks rewrite the one and read the other");
        kind.subject = None;
    }
    let is_one_type = item.generics.params.is_empty() && !matches!(item.data, syn::Data::Union(_));
    kind.is_sound = is_one_type && has("subject") == kind.subject.is_some() && has("verdict") == kind.verdict.is_some();
    if let (Some(removable), false) = (kind.removable, has("subject")) {
        errors.at(removable, "`removable` needs a subject, such as `subject = Refund`: this kind has no subject");
    }
    kind
}
