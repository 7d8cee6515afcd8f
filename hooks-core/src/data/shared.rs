//! Defines the copy-on-write types.

/// Wraps `$data` in an `Arc` that is copied on write while it is shared. Serde sees only the data. Types marked
/// `in pool` are serialized by the pool.
macro_rules! shared {
    ($(#[$doc:meta])* $name:ident($data:ty)) => {
        shared! {
            $(#[$doc])*
            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde(transparent)]
            $name($data) in pool
        }
    };
    ($(#[$doc:meta])* $name:ident($data:ty) in pool) => {
        $(#[$doc])*
        #[derive(Clone, Default)]
        pub struct $name(std::sync::Arc<$data>);

        impl std::ops::Deref for $name {
            type Target = $data;

            #[inline]
            fn deref(&self) -> &$data {
                &self.0
            }
        }

        impl std::ops::DerefMut for $name {
            /// Copies the data first if it is shared.
            #[inline]
            fn deref_mut(&mut self) -> &mut $data {
                std::sync::Arc::make_mut(&mut self.0)
            }
        }

        impl PartialEq for $name {
            /// Compares pointers first, because an untouched snapshot is the same allocation.
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                std::sync::Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$data> for $name {
            fn from(data: $data) -> Self {
                Self(std::sync::Arc::new(data))
            }
        }
    };
}

pub(crate) use shared;
