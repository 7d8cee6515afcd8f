//! The types that each rule is for.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use super::{AnyOf, Attributed, Compares, Intersects, Joins, Keeps, Names};
use crate::id::HookId;
use crate::verdict::{Contexts, Denial, Question};

macro_rules! collections {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Keeps for $ty {
                type Itself = Self;

                fn nothing() -> Self {
                    Self::default()
                }

                fn says(&self) -> bool {
                    !self.is_empty()
                }
            }

            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Joins for $ty {
                type Itself = Self;

                fn nothing() -> Self {
                    Self::default()
                }

                fn says(&self) -> bool {
                    !self.is_empty()
                }

                fn merge(&mut self, later: Self) {
                    self.extend(later);
                }
            }
        )*
    };
}

collections! {
    [T] Vec<T>;
    [T: Ord] BTreeSet<T>;
    [K: Ord, V] BTreeMap<K, V>;
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>;
    [K: Eq + Hash, V, S: BuildHasher + Default] HashMap<K, V, S>;
}

#[diagnostic::do_not_recommend]
impl<T> Keeps for Option<T> {
    type Itself = Self;

    fn nothing() -> Self {
        None
    }

    fn says(&self) -> bool {
        self.is_some()
    }
}

#[diagnostic::do_not_recommend]
impl Keeps for String {
    type Itself = Self;

    fn nothing() -> Self {
        Self::new()
    }

    fn says(&self) -> bool {
        !self.is_empty()
    }
}

#[diagnostic::do_not_recommend]
impl Keeps for Contexts {
    type Itself = Self;

    fn nothing() -> Self {
        Self::default()
    }

    fn says(&self) -> bool {
        !self.is_empty()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Joins> Joins for Option<T> {
    type Itself = Self;

    fn nothing() -> Self {
        None
    }

    fn says(&self) -> bool {
        self.is_some()
    }

    fn merge(&mut self, later: Self) {
        match (self, later) {
            (Some(mine), Some(later)) => mine.merge(later),
            (mine, later) => mine.first(later),
        }
    }
}

#[diagnostic::do_not_recommend]
impl Joins for String {
    type Itself = Self;

    fn nothing() -> Self {
        Self::new()
    }

    fn says(&self) -> bool {
        !self.is_empty()
    }

    fn merge(&mut self, later: Self) {
        if !self.is_empty() && !later.is_empty() {
            self.push_str("\n\n");
        }
        self.push_str(&later);
    }
}

#[diagnostic::do_not_recommend]
impl Joins for Contexts {
    type Itself = Self;

    fn nothing() -> Self {
        Self::default()
    }

    fn says(&self) -> bool {
        !self.is_empty()
    }

    fn merge(&mut self, later: Self) {
        self.append(later);
    }
}

macro_rules! limits {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Intersects for Option<$ty> {
                type Itself = Self;

                fn nothing() -> Self {
                    None
                }

                fn says(&self) -> bool {
                    self.is_some()
                }

                fn merge(&mut self, later: Self) {
                    match (self, later) {
                        (Some(mine), Some(later)) => mine.retain(|one| later.contains(one)),
                        (mine, later) => mine.first(later),
                    }
                }
            }
        )*
    };
}

limits! {
    [T: PartialEq] Vec<T>;
    [T: Ord] BTreeSet<T>;
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>;
}

#[diagnostic::do_not_recommend]
impl AnyOf for bool {
    type Itself = Self;

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
    type Itself = Self;

    fn nothing() -> Self {
        None
    }

    fn says(&self) -> bool {
        self.is_some()
    }

    fn max(&mut self, later: Self) {
        // None is less than anything.
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
impl Names for Option<HookId> {
    type Itself = Self;

    fn nothing() -> Self {
        None
    }

    fn says(&self) -> bool {
        self.is_some()
    }

    fn merge(&mut self, later: Self) {
        self.first(later);
    }

    fn name(&mut self, hook: &HookId) {
        *self = Some(hook.clone());
    }
}

#[diagnostic::do_not_recommend]
impl Attributed for Option<HookId> {
    type Itself = Self;

    fn attribute(&mut self, hook: &HookId) {
        *self = Some(hook.clone());
    }
}

#[diagnostic::do_not_recommend]
impl Attributed for Denial {
    type Itself = Self;

    fn attribute(&mut self, hook: &HookId) {
        self.by = Some(hook.clone());
    }
}

#[diagnostic::do_not_recommend]
impl Attributed for Question {
    type Itself = Self;

    fn attribute(&mut self, hook: &HookId) {
        self.by = Some(hook.clone());
    }
}

#[diagnostic::do_not_recommend]
impl<T: Attributed> Attributed for Box<T> {
    type Itself = Self;

    fn attribute(&mut self, hook: &HookId) {
        (**self).attribute(hook);
    }
}
