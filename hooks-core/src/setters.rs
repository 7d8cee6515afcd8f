//! Setters as a table.

/// Setters by value, each named after its field: `field: argument`, or `field: argument => Some` for an `Option`.
macro_rules! setters {
    ($name:ident { $($(#[$doc:meta])* $field:ident: $argument:ty $(=> $wrap:path)?,)* }) => {
        impl $name {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $field(mut self, $field: $argument) -> Self {
                    self.$field = $($wrap)?($field.into());
                    self
                }
            )*
        }
    };
}

pub(crate) use setters;
