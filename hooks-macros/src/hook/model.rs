//! The checked model of `#[hook]`: the options of the attribute, and the signature of the function.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{Attribute, Ident, LitStr, Path, Type};

use crate::kind::Kind;
use crate::options::Written;
use crate::private::Core;
use crate::types::Extent;

/// The options. Invalid ones were reported and are treated as missing.
#[derive(Default)]
pub(crate) struct Hook {
    pub(crate) id: Option<LitStr>,
    /// The group that the function belongs to.
    pub(crate) group: Option<Path>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) after: Vec<LitStr>,
    pub(crate) before: Vec<LitStr>,
    pub(crate) requires: Vec<LitStr>,
    /// The fallback function.
    pub(crate) fallback: Option<Path>,
    /// The hook's plugin, if it is not the crate's.
    pub(crate) plugin: Option<LitStr>,
    /// Whether overrides cannot change the hook.
    pub(crate) locked: bool,
    /// The variants of the capabilities.
    pub(crate) capabilities: Vec<Ident>,
    /// The options that the macro only passes on.
    pub(crate) settings: Vec<Setting>,
    pub(crate) filters: Vec<(Ident, LitStr)>,
    /// The path of `hook-sdk`.
    pub(crate) core: Core,
}

/// A field of `hook_sdk::hook::Options`.
pub(crate) struct Setting {
    /// The name, as it was written.
    pub(crate) key: Ident,
    pub(crate) value: TokenStream,
    /// The span of the value, as it was written.
    pub(crate) place: Span,
}

impl Hook {
    /// Sets the field of the option's name.
    pub(super) fn set(&mut self, option: &Written, value: Option<TokenStream>) {
        let (key, place) = (option.key.clone(), option.value_span());
        self.settings.extend(value.map(|value| Setting { key, value, place }));
    }

    pub(super) fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == name)
    }

    /// The variant of an option whose value is a word: its last token.
    pub(super) fn variant(&self, name: &str) -> Option<Ident> {
        fn last(tokens: TokenStream) -> Option<Ident> {
            match tokens.into_iter().last()? {
                TokenTree::Ident(variant) => Some(variant),
                TokenTree::Group(group) => last(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => None,
            }
        }
        last(self.setting(name)?.value.clone())
    }

    /// The variant of `run`, unless the hook runs inline.
    pub(super) fn run_apart(&self) -> Option<Ident> {
        self.variant("run").filter(|mode| mode != "Inline")
    }
}

pub(crate) struct Function {
    pub(crate) name: Ident,
    pub(crate) description: String,
    /// `#[cfg(…)]` attributes, which also apply to the registration.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// The place for errors about the return type.
    pub(crate) returned: Extent,
    /// The return type, which determines what the hook can decide; `None` if it cannot be named.
    pub(crate) returns: Option<TokenStream>,
}

#[derive(Clone)]
pub(crate) struct Parameter {
    /// Empty if it is a pattern.
    pub(crate) name: String,
    /// The type behind `&`, or the whole type.
    pub(crate) ty: Type,
    pub(crate) taken: Taken,
    /// The place of the type.
    pub(crate) place: Extent,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// `&T`
    Read,
    /// `&mut T`
    Lent,
    /// `T`
    Owned,
}

impl Function {
    /// Returns the same signature with every span set to `place`.
    pub(crate) fn at(&self, place: Span) -> Self {
        let place = (place, place);
        let parameters = self.parameters.iter().map(|parameter| Parameter { place, ..parameter.clone() });
        Self {
            name: self.name.clone(),
            description: String::new(),
            cfgs: Vec::new(),
            is_async: self.is_async,
            parameters: parameters.collect(),
            returned: place,
            returns: None,
        }
    }

    /// The parameter with which the hook rewrites the subject, if any.
    pub(crate) fn rewrites(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.taken != Taken::Read)
    }
}
