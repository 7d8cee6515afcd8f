//! Types whose values are known words. The compiler then rejects a filter pattern that matches none of them.
//!
//! ```
//! use hook_sdk::words::{KnownWords, Words};
//!
//! /// The regions of a shop.
//! pub enum Region {
//!     Eu,
//!     Us,
//! }
//!
//! impl Words for Region {
//!     const KNOWN: KnownWords = KnownWords { words: &["eu", "us"], open: false };
//! }
//! ```

pub(crate) mod known;

/// The known values of a field.
#[derive(Clone, Copy, Debug)]
pub struct KnownWords {
    /// The words, in the order in which messages list them.
    pub words: &'static [&'static str],
    /// Whether other values are possible. If so, an unknown word in a pattern is accepted, unless it equals a known one
    /// except for case and punctuation.
    pub open: bool,
}

/// A type whose values are known words.
pub trait Words {
    /// The known words.
    const KNOWN: KnownWords;
}

/// An enum with a word for each variant, the same in attributes, files, plans and serialized data.
macro_rules! closed_words {
    ($(#[$attribute:meta])* pub enum $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            /// All variants.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word for the variant, as used in attributes, files, plans and serialized data.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::words::Words for $name {
            const KNOWN: $crate::words::KnownWords = $crate::words::KnownWords { words: &[$($word,)*], open: false };
        }
    };
}

pub(crate) use closed_words;
