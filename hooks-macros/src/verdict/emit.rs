//! The implementations of `Default`, `From<()>` and `Verdict`.
//!
//! A field goes through a trait per rule, every token of it at the field's type: a type that the rule is not for is told
//! there, once.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Member};

use super::model::{Field, Rule, Shape, Variant, Verdict, Word};

pub(crate) fn emit(verdict: &Verdict) -> TokenStream {
    let Parts { aliases, nothing, semantics, methods } = match &verdict.shape {
        Shape::Struct(fields) => of_struct(fields),
        Shape::Enum(variants) => of_enum(variants),
    };
    let ty = &verdict.ty;
    let otherwise = if verdict.contributes { quote!(Contribute) } else { quote!(Control) };
    // At the type's name, where what a verdict lacks is told.
    let complete = quote_spanned! {ty.span()=>
        fn complete(verdict: &#ty) {
            __hooks_core::Complete::complete(verdict);
        }
    };
    let body = quote! {
        #complete
        #aliases

        #[automatically_derived]
        impl __hooks_core::Default for #ty {
            fn default() -> Self {
                #nothing
            }
        }

        #[automatically_derived]
        impl __hooks_core::Verdict for #ty where for<'a> #ty: __hooks_core::Completes<'a> {
            const SEMANTICS: __hooks_core::Option<__hooks_core::Semantics> = __hooks_core::Option::Some(
                __hooks_core::semantics_of(&[#semantics], __hooks_core::Semantics::#otherwise)
            );

            #methods
        }
    };
    within(verdict, &body)
}

/// A verdict that says nothing.
pub(crate) fn stand_in(verdict: &Verdict) -> TokenStream {
    let ty = &verdict.ty;
    let semantics = match (verdict.denies(), verdict.contributes) {
        (true, _) => quote!(Gate),
        (false, true) => quote!(Contribute),
        (false, false) => quote!(Control),
    };
    let body = quote! {
        impl __hooks_core::Default for #ty {
            fn default() -> Self {
                loop {}
            }
        }

        impl __hooks_core::Verdict for #ty where for<'a> #ty: __hooks_core::Completes<'a> {
            const SEMANTICS: __hooks_core::Option<__hooks_core::Semantics> =
                __hooks_core::Option::Some(__hooks_core::Semantics::#semantics);

            fn merge(&mut self, _: Self) {}
        }
    };
    within(verdict, &body)
}

fn within(verdict: &Verdict, body: &TokenStream) -> TokenStream {
    let Verdict { ty, core, .. } = verdict;
    quote! {
        #[doc(hidden)]
        #[allow(
            dead_code, unused_qualifications, unused_imports, unused_variables, unreachable_patterns, non_local_definitions,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
        const _: () = {
            use #core::private as __hooks_core;
            type __HooksCoreSelf = #ty;

            #[automatically_derived]
            impl __hooks_core::From<()> for #ty {
                #[inline]
                fn from((): ()) -> Self {
                    <Self as __hooks_core::Default>::default()
                }
            }

            #body
        };
    }
}

/// What differs between a struct and an enum.
struct Parts {
    aliases: TokenStream,
    /// The value that says nothing.
    nothing: TokenStream,
    /// The semantics of verdicts within, each followed by a comma.
    semantics: TokenStream,
    methods: TokenStream,
}

fn of_struct(fields: &[Field]) -> Parts {
    let parts: Vec<Part<'_>> =
        fields.iter().enumerate().map(|(i, field)| Part::new(field, &i.to_string(), false)).collect();
    let nested: Vec<&Part<'_>> = parts.iter().filter(|part| part.field.rule == Rule::Nested).collect();
    let members = || parts.iter().map(|part| &part.field.member);
    let aliases = parts.iter().map(Part::alias);
    let nothing = parts.iter().map(Part::nothing);
    let semantics = nested.iter().map(|part| part.of("SEMANTICS"));
    let merges = parts.iter().zip(members()).map(|(part, it)| part.merge(&quote!(&mut self.#it), &quote!(later.#it)));
    let says: Vec<TokenStream> = parts.iter().map(Part::says).collect();
    let finals = parts.iter().zip(&says).map(|(part, says)| match (part.field.is_final, part.field.rule) {
        (true, _) => says.clone(),
        (false, Rule::Nested) => part.call("is_final", &part.borrowed()),
        (false, _) => quote!(false),
    });
    let freezes = nested.iter().map(|part| part.call("freezes_subject", &part.borrowed()));
    let lapses = nested.iter().map(|part| part.call("subject_changed", &part.lent()));
    let attributed = parts.iter().filter_map(|part| {
        let lent = part.lent();
        part.attribute("name", &quote!(#lent, hook))
    });
    let refusals = nested.iter().map(|part| {
        let (member, answer) = (&part.field.member, part.call("could_not_answer", &quote!(kind, hook)));
        quote! {
            if let __hooks_core::Option::Some(answer) = #answer {
                this.#member = answer;
                refuses = true;
            }
        }
    });
    let words = parts.iter().zip(&says).map(|(part, says)| match (part.field.rule, &part.field.member) {
        (Rule::By, _) => TokenStream::new(),
        (Rule::Nested, _) => {
            let word = part.call("summary", &part.borrowed());
            quote!(if let __hooks_core::Option::Some(word) = #word { return __hooks_core::Option::Some(word); })
        }
        (_, Member::Named(name)) => {
            let word = name.unraw().to_string().replace('_', " ");
            quote!(if #says { return __hooks_core::Option::Some(#word); })
        }
        (_, Member::Unnamed(_)) => quote!(if #says { return __hooks_core::Option::Some("decides"); }),
    });
    let speaks = parts.iter().zip(&says).filter(|(part, _)| part.field.rule != Rule::By).map(|(_, says)| says);
    let methods = quote! {
        fn merge(&mut self, later: Self) {
            #(#merges;)*
        }

        fn is_final(&self) -> bool {
            #(#finals ||)* false
        }

        fn freezes_subject(&self) -> bool {
            #(#freezes ||)* false
        }

        fn subject_changed(&mut self) -> bool {
            let mut changed = false;
            #(changed |= #lapses;)*
            changed
        }

        fn attribute(&mut self, hook: &__hooks_core::HookId) {
            if !__hooks_core::Verdict::is_silent(self) {
                #(#attributed;)*
            }
        }

        fn could_not_answer(
            kind: __hooks_core::FailureKind,
            hook: &__hooks_core::HookId,
        ) -> __hooks_core::Option<Self> {
            let mut this = <Self as __hooks_core::Default>::default();
            let mut refuses = false;
            #(#refusals)*
            if refuses { __hooks_core::Option::Some(this) } else { __hooks_core::Option::None }
        }

        fn is_silent(&self) -> bool {
            !(#(#speaks ||)* false)
        }

        fn summary(&self) -> __hooks_core::Option<&'static str> {
            #(#words)*
            __hooks_core::Option::None
        }
    };
    Parts {
        aliases: quote!(#(#aliases)*),
        nothing: quote!(Self { #(#nothing),* }),
        semantics: quote!(#(#semantics,)*),
        methods,
    }
}

fn of_enum(variants: &[Variant]) -> Parts {
    let parts: Vec<Vec<Part<'_>>> = variants
        .iter()
        .enumerate()
        .map(|(v, variant)| {
            let fields = variant.fields.iter().enumerate();
            fields.map(|(i, field)| Part::new(field, &format!("{v}_{i}"), true)).collect()
        })
        .collect();
    let with_parts = || variants.iter().zip(&parts);
    let refusal = variants.iter().find(|variant| variant.is(Word::Deny));
    let aliases = parts.iter().flatten().map(Part::alias);
    let neutral = variants.iter().filter(|variant| variant.is(Word::Neutral)).map(|variant| &variant.name);
    let names: Vec<&Ident> = variants.iter().map(|variant| &variant.name).collect();
    let ranks = (0_u32..).take(variants.len());
    let equals = with_parts().filter_map(|(variant, parts)| equals(&variant.name, parts));
    let those = |said: fn(&Variant) -> bool| {
        let names = variants.iter().filter(|variant| said(variant)).map(|variant| &variant.name);
        quote!(match self { #(Self::#names { .. } => true,)* _ => false })
    };
    let is_final = those(|variant| variant.is(Word::Final) || variant.is(Word::Deny));
    let freezes = those(|variant| variant.is(Word::Freezes));
    let lapses = those(|variant| variant.is(Word::Lapses));
    let is_silent = those(|variant| variant.is(Word::Neutral));
    let attributed = with_parts().flat_map(|(Variant { name, .. }, parts)| {
        parts.iter().filter_map(move |part| {
            let member = &part.field.member;
            let set = part.attribute("attribute", &quote!(__hooks_core_it, hook))?;
            Some(quote!(if let Self::#name { #member: __hooks_core_it, .. } = self { #set; }))
        })
    });
    let could_not_answer = refusal.map_or_else(
        || quote!(__hooks_core::Option::None),
        |Variant { name, refusal, .. }| {
            // Every token of the call at the type, so that one which is no refusal is told there.
            let why = refusal.as_ref().map(|(member, span)| {
                let call = quote_spanned!(*span=> __hooks_core::Refusal::refusal(__hooks_core_denial));
                quote!(#member: { let __hooks_core_denial = __hooks_core::denial(kind, hook); #call })
            });
            quote!(__hooks_core::Option::Some(Self::#name { #why }))
        },
    );
    let semantics = refusal.map(|_| quote!(__hooks_core::Option::Some(__hooks_core::Semantics::Gate),));
    let summaries = variants.iter().map(|variant| {
        let name = &variant.name;
        let word = words(&name.unraw().to_string());
        if variant.is(Word::Neutral) {
            quote!(Self::#name { .. } => __hooks_core::Option::None)
        } else {
            quote!(Self::#name { .. } => __hooks_core::Option::Some(#word))
        }
    });
    let methods = quote! {
        fn merge(&mut self, later: Self) {
            fn strength(verdict: &__HooksCoreSelf) -> u32 {
                match verdict { #(__HooksCoreSelf::#names { .. } => #ranks,)* }
            }

            match (&mut *self, later) {
                #(#equals)*
                (this, later) => if strength(&later) > strength(this) { *this = later; }
            }
        }

        fn is_final(&self) -> bool {
            #is_final
        }

        fn freezes_subject(&self) -> bool {
            #freezes
        }

        fn subject_changed(&mut self) -> bool {
            let lapses = #lapses;
            if lapses {
                *self = <Self as __hooks_core::Default>::default();
            }
            lapses
        }

        fn attribute(&mut self, hook: &__hooks_core::HookId) {
            #(#attributed)*
        }

        fn could_not_answer(
            kind: __hooks_core::FailureKind,
            hook: &__hooks_core::HookId,
        ) -> __hooks_core::Option<Self> {
            #could_not_answer
        }

        fn is_silent(&self) -> bool {
            #is_silent
        }

        fn summary(&self) -> __hooks_core::Option<&'static str> {
            match self { #(#summaries,)* }
        }
    };
    Parts {
        aliases: quote!(#(#aliases)*),
        nothing: quote!(#(Self::#neutral {})*),
        semantics: quote!(#semantics),
        methods,
    }
}

/// What is done with two of one variant that has fields with a rule. Who gave the answer is the first, as without a rule.
fn equals(name: &Ident, parts: &[Part<'_>]) -> Option<TokenStream> {
    let ruled: Vec<&Part<'_>> = parts.iter().filter(|part| part.field.rule != Rule::By).collect();
    if ruled.is_empty() {
        return None;
    }
    let members: Vec<&Member> = ruled.iter().map(|part| &part.field.member).collect();
    let variables =
        |of: &str| -> Vec<Ident> { (0..ruled.len()).map(|i| format_ident!("__hooks_core_{of}{i}")).collect() };
    let (mine, theirs) = (variables("mine"), variables("theirs"));
    let both = ruled.iter().zip(mine.iter().zip(&theirs));
    let merges = both.map(|(part, (mine, theirs))| part.merge(&quote!(#mine), &quote!(#theirs)));
    Some(quote! {
        (Self::#name { #(#members: #mine,)* .. }, Self::#name { #(#members: #theirs,)* .. }) => { #(#merges;)* }
    })
}

/// A variant's name as words: `NeedsReview` is `needs review`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// The trait of a rule, and the one that gives the type itself back.
fn traits(rule: Rule, in_variant: bool) -> [&'static str; 2] {
    let rule = match rule {
        Rule::First | Rule::Last => "Keeps",
        Rule::Joined => "Joins",
        Rule::Intersected => "Intersects",
        Rule::Any => "AnyOf",
        Rule::Max | Rule::Min => "Compares",
        Rule::By if in_variant => "Attributed",
        Rule::By => "Names",
        Rule::Nested => return ["Verdict", "VerdictType"],
    };
    [rule, rule]
}

/// A field and what it is merged by.
struct Part<'a> {
    field: &'a Field,
    /// The alias of its type, which is an unknown type where the rule is not for it.
    alias: Ident,
    /// The trait of its rule.
    rule: Ident,
    /// The trait that gives the type itself back.
    fits: Ident,
}

impl<'a> Part<'a> {
    fn new(field: &'a Field, place: &str, in_variant: bool) -> Self {
        let [rule, fits] = traits(field.rule, in_variant).map(|name| Ident::new(name, field.span));
        Self { field, alias: format_ident!("__HooksCoreField{place}", span = field.span), rule, fits }
    }

    fn alias(&self) -> TokenStream {
        let Self { field: Field { ty, span, .. }, alias, fits, .. } = self;
        quote_spanned!(*span=> type #alias = <#ty as __hooks_core::#fits>::Itself;)
    }

    /// An item of the rule.
    fn of(&self, name: &str) -> TokenStream {
        let Self { field: Field { span, .. }, alias, rule, .. } = self;
        let name = Ident::new(name, *span);
        quote_spanned!(*span=> <#alias as __hooks_core::#rule>::#name)
    }

    fn call(&self, method: &str, arguments: &TokenStream) -> TokenStream {
        let function = self.of(method);
        quote_spanned!(self.field.span=> #function(#arguments))
    }

    fn borrowed(&self) -> TokenStream {
        let member = &self.field.member;
        quote!(&self.#member)
    }

    fn lent(&self) -> TokenStream {
        let member = &self.field.member;
        quote!(&mut self.#member)
    }

    /// The field's initial value.
    fn nothing(&self) -> TokenStream {
        let Self { field: Field { member, rule, span, .. }, alias, .. } = self;
        let value = match rule {
            Rule::Nested => quote_spanned!(*span=> <#alias as __hooks_core::From<()>>::from(())),
            _ => self.call("nothing", &TokenStream::new()),
        };
        quote_spanned!(*span=> #member: #value)
    }

    fn merge(&self, mine: &TokenStream, theirs: &TokenStream) -> TokenStream {
        let method = match self.field.rule {
            Rule::First => "first",
            Rule::Last => "last",
            Rule::Max => "max",
            Rule::Min => "min",
            Rule::Joined | Rule::Intersected | Rule::Any | Rule::By | Rule::Nested => "merge",
        };
        self.call(method, &quote!(#mine, #theirs))
    }

    /// Whether the field says anything.
    fn says(&self) -> TokenStream {
        match self.field.rule {
            Rule::Nested => {
                let silent = self.call("is_silent", &self.borrowed());
                quote!(!#silent)
            }
            _ => self.call("says", &self.borrowed()),
        }
    }

    /// Notes the hook, where the field does that.
    fn attribute(&self, method: &str, arguments: &TokenStream) -> Option<TokenStream> {
        match self.field.rule {
            Rule::By => Some(self.call(method, arguments)),
            Rule::Nested => Some(self.call("attribute", arguments)),
            _ => None,
        }
    }
}
