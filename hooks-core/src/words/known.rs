//! Asks types at compile time what they are.

use std::marker::PhantomData;

use super::{KnownWords, Words};

/// The question what the type `T` is, as a parameter or as the returned type of a hook with the subject `S` if it depends
/// on that. The answers are constants: an inherent one of certain types takes precedence over that of a trait, which
/// every type has.
#[derive(Debug)]
pub struct Probe<T: ?Sized, S: ?Sized = ()>(PhantomData<fn() -> PhantomData<T>>, PhantomData<fn() -> PhantomData<S>>);

impl<T, S: ?Sized> Probe<T, S> {
    /// Infers the type from a value.
    pub const fn of(_: &T) -> Self {
        Self(PhantomData, PhantomData)
    }
}

impl<T: Words + ?Sized> Probe<T> {
    /// The words of the type.
    pub const KNOWN: Option<KnownWords> = Some(T::KNOWN);
}

/// The answer of every other type, such as `String`.
pub trait NoWords {
    /// There are no known words.
    const KNOWN: Option<KnownWords> = None;
}

impl<T: ?Sized> NoWords for Probe<T> {}
