//! Enums of words that a harness may extend.

/// An enum of words by which hooks may filter. A word that this crate does not know becomes `Other`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$word_doc])* $word,)*
            /// Another word of the harness.
            Other(String),
        }

        // A harness may have other words.
        impl crate::words::Words for $name {
            const KNOWN: crate::words::KnownWords =
                crate::words::KnownWords { words: &[$($text,)*], open: true };
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                match self {
                    $(Self::$word => $text,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_ref())
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.as_str() {
                    $($text => Self::$word,)*
                    _ => Self::Other(word),
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                word.to_owned().into()
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> Self {
                word.as_ref().to_owned()
            }
        }
    };
}

pub(super) use words;
