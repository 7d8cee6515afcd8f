//! Types whose values are known words, so that a pattern for a word that there is not can be refused.
//!
//! ```
//! use hooks_core::words::{KnownWords, Words};
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

use std::fmt;
use std::marker::PhantomData;

/// The words that a field may be.
#[derive(Clone, Copy, Debug)]
pub struct KnownWords {
    /// In the order in which messages list them.
    pub words: &'static [&'static str],
    /// Whether a harness may have others. A pattern for another word is then its own affair; one that is a word here but
    /// for case and punctuation is a mistake in any case.
    pub open: bool,
}

/// A type whose values are known words.
pub trait Words {
    /// Which.
    const KNOWN: KnownWords;
}

/// An enum of which each variant is a word, the same in attributes, files, plans and on the wire.
macro_rules! closed_words {
    ($(#[$attribute:meta])* pub enum $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            /// The word for it, in attributes, files, plans and on the wire.
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

/// The words of a field's type: [`NoWords`] answers where this does not.
#[doc(hidden)]
pub struct WordsOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> fmt::Debug for WordsOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WordsOf")
    }
}

impl<T: Words + ?Sized> WordsOf<T> {
    /// What the type says.
    pub const KNOWN: Option<KnownWords> = Some(T::KNOWN);
}

/// The answer of every other type, such as `String`.
#[doc(hidden)]
pub trait NoWords {
    /// It may be anything.
    const KNOWN: Option<KnownWords> = None;
}

impl<T: ?Sized> NoWords for WordsOf<T> {}
