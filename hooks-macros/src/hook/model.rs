//! A hook about which nothing is wrong that its syntax can show.

use std::ops::Deref;

use proc_macro2::{Span, TokenStream};
use syn::{Attribute, Ident, LitStr, Type};

/// A hook, which has what its options say as its own.
pub(crate) struct Hook {
    pub(crate) id: LitStr,
    pub(crate) kinds: Vec<Kind>,
    /// The path of `hooks-core`.
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

/// What the options say. What was not right was reported, and is as if it were not there.
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
    /// The function that answers where the hook failed.
    pub(crate) fallback: Option<syn::Path>,
    /// The plugin that it belongs to, where it is not the crate's.
    pub(crate) plugin: Option<LitStr>,
    /// Whether overrides leave it alone.
    pub(crate) locked: bool,
    /// Calls of `hooks_core::hook::Options` for options that only it has to know.
    pub(crate) settings: TokenStream,
    /// The place of the option, and the variants of what it may contribute.
    pub(crate) capabilities: Option<(Span, Vec<Ident>)>,
    pub(crate) filters: Vec<(Ident, LitStr)>,
    pub(crate) run: Run,
    pub(crate) core: Option<TokenStream>,
}

/// How a hook is run.
pub(crate) struct Run {
    pub(crate) mode: RunMode,
    /// The place of the mode's word.
    pub(crate) place: Span,
    /// Whether the word is none of the modes', which was reported.
    pub(crate) unknown: bool,
    /// The place of `blocking`, where it is there.
    pub(crate) blocking: Option<Span>,
    pub(crate) idempotent: bool,
    pub(crate) retries: u32,
    /// The place of `shadow`, where its answers do not count.
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
    /// A built-in kind by its name: the type's name, and the place of the word.
    BuiltIn(&'static str, Span),
    /// The path of a type.
    Type(syn::Path),
}

impl Kind {
    /// The place to point at when it is no kind.
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
    /// `#[cfg(…)]`, which holds for the registration as well.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// The place to point at when the return type is wrong: its first token and its last.
    pub(crate) returned: Span,
    pub(crate) returned_end: Span,
    /// The return type, which is asked what it can say; `None` where it has no name.
    pub(crate) returns: Option<TokenStream>,
}

pub(crate) struct Parameter {
    /// The type behind a `&`, or the whole type.
    pub(crate) ty: Type,
    pub(crate) taken: Taken,
    /// The first token of the type, and the last.
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
    /// A function of the same signature, every part of which is reported at `place`.
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

    /// How the hook takes the subject to rewrite it, if it does.
    pub(crate) fn rewrites(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.taken != Taken::Read)
    }
}
