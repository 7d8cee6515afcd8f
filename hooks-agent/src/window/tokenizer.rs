use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// The tokenizer of a provider. Requires the feature `tokens`.
///
/// These are OpenAI's tokenizers. Their vocabularies are embedded in the program and parsed at first use. Other
/// providers publish no tokenizer for local use: [`O200k`](Self::O200k) is a good approximation for most of them, and a
/// lower [`Window::compact_at`](super::Window::compact_at) allows for the difference.
///
/// ```
/// use hooks_agent::window::{Tokenizer, Window};
///
/// let tokenizer = Tokenizer::of_model("gpt-4o").unwrap_or_default();
/// assert_eq!(tokenizer.count("Two words, and ein schönes Wort."), 8);
/// let window = Window::new(128_000).tokenizer(tokenizer);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tokenizer {
    /// `cl100k_base`, used by GPT-4 and GPT-3.5.
    Cl100k,
    /// `o200k_base`, used by GPT-4o and later models.
    #[default]
    O200k,
}

/// Longer text is counted in parts, because the library panics at a run of a million white space characters. A seam
/// adds at most two tokens.
const PART: usize = 8 * 1024;

impl Tokenizer {
    /// The tokenizer of OpenAI's model `name`. `None` if the model is unknown.
    pub fn of_model(name: &str) -> Option<Self> {
        use tiktoken_rs::tokenizer::{Tokenizer as Known, get_tokenizer};
        match get_tokenizer(name)? {
            Known::Cl100kBase => Some(Self::Cl100k),
            Known::O200kBase | Known::O200kHarmony => Some(Self::O200k),
            _ => None,
        }
    }

    /// The number of tokens of `text`.
    pub fn count(self, text: &str) -> u64 {
        let vocabulary = self.vocabulary();
        let (mut rest, mut tokens) = (text, 0);
        while !rest.is_empty() {
            let end = (0..=PART.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            tokens += vocabulary.count_ordinary(part) as u64;
            rest = after;
        }
        tokens
    }

    fn vocabulary(self) -> &'static CoreBPE {
        match self {
            Self::Cl100k => cl100k_base_singleton(),
            Self::O200k => o200k_base_singleton(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PART, Tokenizer};

    #[test]
    fn counts_are_those_of_the_provider() {
        // From OpenAI's description of its tokenizers.
        for (text, cl100k, o200k) in
            [("antidisestablishmentarianism", 6, 6), ("2 + 2 = 4", 7, 7), ("お誕生日おめでとう", 9, 8), ("", 0, 0)]
        {
            assert_eq!((Tokenizer::Cl100k.count(text), Tokenizer::O200k.count(text)), (cl100k, o200k), "{text}");
        }
    }

    #[test]
    fn a_model_is_known_by_its_name_and_another_is_not() {
        assert_eq!(Tokenizer::of_model("gpt-4"), Some(Tokenizer::Cl100k));
        assert_eq!(Tokenizer::of_model("gpt-4o-mini"), Some(Tokenizer::O200k));
        assert_eq!(Tokenizer::of_model("claude-sonnet-4-5"), None);
    }

    #[test]
    fn text_of_any_length_and_kind_is_counted_and_a_seam_adds_next_to_nothing() {
        // Without splitting, the library panics at the first one.
        for long in [" ".repeat(1_100_000) + "a", "日本".repeat(PART)] {
            assert!(Tokenizer::O200k.count(&long) > 0);
        }
        let words = "one of the words ".repeat(2_000);
        let expected = Tokenizer::O200k.vocabulary().count_ordinary(&words) as u64;
        let counted = Tokenizer::O200k.count(&words);
        assert!(counted >= expected && counted < expected + 10, "{counted} and {expected}");
    }
}
