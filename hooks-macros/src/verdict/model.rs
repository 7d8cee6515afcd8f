//! A verdict that was checked for everything that its syntax can show.

use proc_macro2::Span;
use syn::{Ident, Member, Type};

use crate::private::Core;

pub(crate) struct Verdict {
    pub(crate) ty: Ident,
    /// The path of `hook-sdk`.
    pub(crate) core: Core,
    /// Whether hooks only add to the verdict.
    pub(crate) contributes: bool,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    /// Every field is merged separately.
    Struct(Vec<Field>),
    /// Variants from the weakest to the strongest; the strongest wins.
    Enum(Vec<Variant>),
}

pub(crate) struct Variant {
    pub(crate) name: Ident,
    /// The fields with a rule.
    pub(crate) fields: Vec<Field>,
    /// The field for the denial, and the span of its type.
    pub(crate) refusal: Option<(Member, Span)>,
    pub(crate) words: Vec<Word>,
    /// Whether there was an attribute that does not apply to it.
    pub(crate) is_unclear: bool,
}

/// Words of an attribute.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            pub(crate) const NAMES: &[&str] = &[$($word,)*];

            pub(crate) fn of(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// An attribute of a variant.
    Word {
        /// No opinion.
        Neutral = "neutral",
        /// Nothing later changes it.
        Final = "final",
        /// The denial, also used for a gate that failed.
        Deny = "deny",
        /// The subject can no longer be changed.
        Freezes = "freezes",
        /// Discarded when the subject changes.
        Lapses = "lapses",
    }
}

impl Variant {
    pub(crate) fn is(&self, word: Word) -> bool {
        self.words.contains(&word)
    }
}

pub(crate) struct Field {
    pub(crate) member: Member,
    pub(crate) ty: Type,
    pub(crate) rule: Rule,
    /// For `by = decision`: the field whose hook it names.
    pub(crate) of: Option<Member>,
    /// Whether nothing later changes it once it is set.
    pub(crate) is_final: bool,
    /// The span of its type.
    pub(crate) span: Span,
}

words! {
    /// How two values of a field are merged.
    Rule {
        First = "first",
        Last = "last",
        Joined = "joined",
        Intersected = "intersected",
        Any = "any",
        Max = "max",
        Min = "min",
        /// The type is itself a verdict, with its own merge.
        Nested = "nested",
        /// The id of the hook, set by the dispatch.
        By = "by",
    }
}

impl Verdict {
    /// Whether one of its own variants is the denial.
    pub(crate) fn denies(&self) -> bool {
        matches!(&self.shape, Shape::Enum(variants) if variants.iter().any(|variant| variant.is(Word::Deny)))
    }
}
