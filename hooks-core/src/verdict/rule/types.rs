//! Implements the rules for their types.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::{AnyOf, Attributed, Compares, Intersects, Joins, Keeps};
use crate::id::HookId;
use crate::verdict::{Attribution, Contexts, Denial, FollowUp, Question};

/// Types whose default means "not set".
macro_rules! keeps {
    ($([$($generics:tt)*] $ty:ty, $is_nothing:ident;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Keeps for $ty {
                type Type = Self;

                #[inline]
                fn nothing() -> Self {
                    Self::default()
                }

                #[inline]
                fn says(&self) -> bool {
                    !self.$is_nothing()
                }
            }
        )*
    };
}

keeps! {
    [T] Option<T>, is_none;
    [] String, is_empty;
    [] Contexts, is_empty;
    [] FollowUp, is_default;
    [T] Vec<T>, is_empty;
    [T: Ord] BTreeSet<T>, is_empty;
    [K: Ord, V] BTreeMap<K, V>, is_empty;
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>, is_empty;
    [K: Eq + Hash, V, S: BuildHasher + Default] HashMap<K, V, S>, is_empty;
}

macro_rules! joins {
    ($([$($generics:tt)*] $ty:ty, $mine:ident, $later:ident => $join:expr;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Joins for $ty {
                type Type = Self;

                fn join(&mut self, $later: Self) {
                    let $mine = self;
                    $join;
                }
            }
        )*
    };
}

joins! {
    [T: Joins] Option<T>, mine, later => match (mine, later) {
        (Some(mine), Some(later)) => mine.join(later),
        (mine, later) => mine.first(later),
    };
    [] String, mine, later => {
        if !mine.is_empty() && !later.is_empty() {
            mine.push_str("\n\n");
        }
        mine.push_str(&later);
    };
    [] Contexts, mine, later => mine.append(later);
    [] FollowUp, mine, later => FollowUp::join(mine, later);
    [T] Vec<T>, mine, later => mine.extend(later);
    [T: Ord] BTreeSet<T>, mine, later => mine.extend(later);
    [K: Ord, V] BTreeMap<K, V>, mine, later => mine.extend(later);
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>, mine, later => mine.extend(later);
    [K: Eq + Hash, V, S: BuildHasher + Default] HashMap<K, V, S>, mine, later => mine.extend(later);
}

macro_rules! intersects {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Intersects for Option<$ty> {
                type Type = Self;

                fn intersect(&mut self, later: Self) {
                    match (self, later) {
                        (Some(mine), Some(later)) => mine.retain(|one| later.contains(one)),
                        (mine, later) => mine.first(later),
                    }
                }
            }
        )*
    };
}

intersects! {
    [T: PartialEq] Vec<T>;
    [T: Ord] BTreeSet<T>;
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>;
}

#[diagnostic::do_not_recommend]
impl AnyOf for bool {
    type Type = Self;

    fn nothing() -> Self {
        false
    }

    fn says(&self) -> bool {
        *self
    }

    fn merge(&mut self, later: Self) {
        *self |= later;
    }
}

#[diagnostic::do_not_recommend]
impl<T: Ord> Compares for Option<T> {
    type Type = Self;

    fn max(&mut self, later: Self) {
        // `None` is less than any other value.
        if later > *self {
            *self = later;
        }
    }

    fn min(&mut self, later: Self) {
        if later.is_some() && (self.is_none() || later < *self) {
            *self = later;
        }
    }
}

#[diagnostic::do_not_recommend]
impl Attributed for Option<HookId> {
    type Type = Self;

    #[inline]
    fn attribute(&mut self, hook: &HookId) {
        *self = Some(hook.clone());
    }
}

#[diagnostic::do_not_recommend]
impl Attributed for Option<Arc<Attribution>> {
    type Type = Self;

    fn attribute(&mut self, _: &HookId) {}

    fn attribution(&self) -> Option<&Arc<Attribution>> {
        self.as_ref()
    }
}

macro_rules! attributed {
    ($($ty:ty),*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl Attributed for $ty {
                type Type = Self;

                #[inline]
                fn attribute(&mut self, hook: &HookId) {
                    self.by = Some(self.attribution.as_ref().map_or(hook, |other| &other.id).clone());
                }

                fn attribution(&self) -> Option<&Arc<Attribution>> {
                    self.attribution.as_ref()
                }
            }
        )*
    };
}

attributed!(Denial, Question);

#[diagnostic::do_not_recommend]
impl<T: Attributed> Attributed for Box<T> {
    type Type = Self;

    #[inline]
    fn attribute(&mut self, hook: &HookId) {
        (**self).attribute(hook);
    }

    fn attribution(&self) -> Option<&Arc<Attribution>> {
        (**self).attribution()
    }
}
