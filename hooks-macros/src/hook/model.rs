//! A hook that was checked for everything that its syntax can show.

use std::ops::Deref;

use proc_macro2::{Span, TokenStream};
use syn::{Attribute, Ident, LitStr, Type};

/// A hook. It dereferences to its options.
pub(crate) struct Hook {
    pub(crate) id: LitStr,
    pub(crate) kinds: Vec<Kind>,
    /// The path of `hook-sdk`.
    pub(crate) core: TokenStream,
    pub(crate) function: Function,
    pub(crate) options: Options,
}

impl Deref for Hook {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.options
    }
}

/// The options. Invalid ones were reported and are treated as missing.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) id: Option<LitStr>,
    pub(crate) kinds: Option<Vec<Kind>>,
    pub(crate) priority: i32,
    pub(crate) after: Vec<LitStr>,
    pub(crate) before: Vec<LitStr>,
    pub(crate) requires: Vec<LitStr>,
    pub(crate) timeout: Timeout,
    pub(crate) on_failure: Option<(OnFailure, Span)>,
    /// The fallback function.
    pub(crate) fallback: Option<syn::Path>,
    /// The hook's plugin, if it is not the crate's.
    pub(crate) plugin: Option<LitStr>,
    /// Whether overrides cannot change the hook.
    pub(crate) locked: bool,
    /// Method calls on `hook_sdk::hook::Options`, for options that the macro only passes on.
    pub(crate) settings: TokenStream,
    /// The span of the option, and the variants of the capabilities.
    pub(crate) capabilities: Option<(Span, Vec<Ident>)>,
    pub(crate) filters: Vec<(Ident, LitStr)>,
    pub(crate) run: Run,
    pub(crate) core: Option<TokenStream>,
}

/// How the hook runs.
pub(crate) struct Run {
    pub(crate) mode: RunMode,
    /// The span of the mode.
    pub(crate) place: Span,
    /// Whether the mode is unknown, which was reported.
    pub(crate) unknown: bool,
    /// The span of `blocking`, if present.
    pub(crate) blocking: Option<Span>,
    pub(crate) idempotent: bool,
    pub(crate) retries: u32,
    /// The span of `shadow`, if the hook is in shadow mode.
    pub(crate) shadow: Option<Span>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            mode: RunMode::default(),
            place: Span::call_site(),
            unknown: false,
            blocking: None,
            idempotent: false,
            retries: 0,
            shadow: None,
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RunMode {
    #[default]
    Inline,
    Detached,
    Background,
}

pub(crate) enum Kind {
    /// A built-in kind by name: the name of its type, and the span of the word.
    BuiltIn(&'static str, Span),
    /// The path of a type.
    Type(syn::Path),
}

impl Kind {
    /// The span for errors about the kind.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::BuiltIn(_, span) => *span,
            Self::Type(path) => path.segments.last().map_or_else(Span::call_site, |last| last.ident.span()),
        }
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) enum Timeout {
    #[default]
    Default,
    Millis(u64),
    None,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnFailure {
    Continue,
    Remove,
    Deny,
    Required,
}

pub(crate) struct Function {
    pub(crate) name: Ident,
    pub(crate) description: String,
    /// `#[cfg(…)]` attributes, which also apply to the registration.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// The span for errors about the return type: its first and last token.
    pub(crate) returned: Span,
    pub(crate) returned_end: Span,
    /// The return type, which determines what the hook can decide; `None` if it cannot be named.
    pub(crate) returns: Option<TokenStream>,
}

pub(crate) struct Parameter {
    /// The type behind `&`, or the whole type.
    pub(crate) ty: Type,
    pub(crate) taken: Taken,
    /// The spans of the first and the last token of the type.
    pub(crate) span: Span,
    pub(crate) end: Span,
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
        let parameters = self.parameters.iter();
        let parameters =
            parameters.map(|parameter| Parameter { ty: parameter.ty.clone(), span: place, end: place, ..*parameter });
        Self {
            name: self.name.clone(),
            description: String::new(),
            cfgs: Vec::new(),
            is_async: self.is_async,
            parameters: parameters.collect(),
            returned: place,
            returned_end: place,
            returns: None,
        }
    }

    /// The parameter with which the hook rewrites the subject, if any.
    pub(crate) fn rewrites(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.taken != Taken::Read)
    }
}
