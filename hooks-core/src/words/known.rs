//! Finds the words of a type, if it has any.

use std::marker::PhantomData;

use super::{KnownWords, Words};

/// The words of a field's type. [`NoWords`] applies to types without any.
#[derive(Debug)]
pub struct WordsOf<T: ?Sized>(PhantomData<T>);

impl<T: Words + ?Sized> WordsOf<T> {
    /// The words of the type.
    pub const KNOWN: Option<KnownWords> = Some(T::KNOWN);
}

/// The default for every other type, such as `String`.
pub trait NoWords {
    /// There are no known words.
    const KNOWN: Option<KnownWords> = None;
}

impl<T: ?Sized> NoWords for WordsOf<T> {}
