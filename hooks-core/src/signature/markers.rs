//! Types that only inference uses.

use std::marker::PhantomData;

/// A kind and the return type of its hooks, without a value: inference learns both from it before it looks for a
/// conversion.
#[derive(Debug)]
pub struct Of<K, R>(PhantomData<fn() -> (K, R)>);

impl<K, R> Of<K, R> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// Marker: the parameter is the event.
#[derive(Debug)]
pub enum ViaEvent {}
/// Marker: the parameter is the subject.
#[derive(Debug)]
pub enum ViaSubject {}
/// Marker: the return type converts into the verdict.
#[derive(Debug)]
pub enum ViaInto {}
