//! A verdict about which nothing is wrong that its syntax can show.

use proc_macro2::{Span, TokenStream};
use syn::{Ident, Member, Type};

pub(crate) struct Verdict {
    pub(crate) ty: Ident,
    /// The path of `hooks-core`.
    pub(crate) core: TokenStream,
    /// Whether hooks only add to it.
    pub(crate) contributes: bool,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    /// Every field is merged on its own.
    Struct(Vec<Field>),
    /// The strongest holds, from the weakest to the strongest.
    Enum(Vec<Variant>),
}

pub(crate) struct Variant {
    pub(crate) name: Ident,
    /// The fields that have a rule.
    pub(crate) fields: Vec<Field>,
    /// Where a refusal holds why, and the place of its type.
    pub(crate) refusal: Option<(Member, Span)>,
    pub(crate) words: Vec<Word>,
    /// Whether something else was written that nobody knows.
    pub(crate) is_unclear: bool,
}

/// What is said of a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// Nothing was said.
    Neutral,
    /// Nothing later can change it.
    Final,
    /// The answer of a gate that could not answer.
    Deny,
    /// The subject stays as it is from then on.
    Freezes,
    /// It counts only as long as the subject stays as it is.
    Lapses,
}

pub(crate) const WORDS: [(&str, Word); 5] = [
    ("neutral", Word::Neutral),
    ("final", Word::Final),
    ("deny", Word::Deny),
    ("freezes", Word::Freezes),
    ("lapses", Word::Lapses),
];

impl Variant {
    pub(crate) fn is(&self, word: Word) -> bool {
        self.words.contains(&word)
    }
}

pub(crate) struct Field {
    pub(crate) member: Member,
    pub(crate) ty: Type,
    pub(crate) rule: Rule,
    /// The field of which it names the hook, in `by = decision`.
    pub(crate) of: Option<Member>,
    /// Whether nothing later can change it once it says something.
    pub(crate) is_final: bool,
    /// The place of its type.
    pub(crate) span: Span,
}

/// How two values of a field are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    First,
    Last,
    Joined,
    Intersected,
    Any,
    Max,
    Min,
    /// As its own type says, which is a verdict too.
    Nested,
    /// It names the hook; the dispatch sets it.
    By,
}

/// The words of the rules, each with what it goes by.
pub(crate) const RULES: [(&str, Rule); 9] = [
    ("first", Rule::First),
    ("last", Rule::Last),
    ("joined", Rule::Joined),
    ("intersected", Rule::Intersected),
    ("any", Rule::Any),
    ("max", Rule::Max),
    ("min", Rule::Min),
    ("nested", Rule::Nested),
    ("by", Rule::By),
];

impl Verdict {
    /// Whether it is one of `hooks-core`, which alone writes `crate = crate`.
    pub(crate) fn is_built_in(&self) -> bool {
        self.core.to_string() == "crate"
    }

    /// Whether a variant of its own says what a hook's failure comes to.
    pub(crate) fn denies(&self) -> bool {
        matches!(&self.shape, Shape::Enum(variants) if variants.iter().any(|variant| variant.is(Word::Deny)))
    }
}
