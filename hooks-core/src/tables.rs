//! Setters and conversions as tables.

/// Setters by value, each named after its field: `field: argument`, or `field: argument => Some` for an `Option`.
macro_rules! setters {
    ($name:ident { $($(#[$doc:meta])* $field:ident: $argument:ty $(=> $wrap:path)?,)* }) => {
        impl $name {
            $(
                $(#[$doc])*
                #[must_use = "it returns the changed value"]
                pub fn $field(mut self, $field: $argument) -> Self {
                    self.$field = $($wrap)?($field.into());
                    self
                }
            )*
        }
    };
}

/// Conversions into a type: `Source => |value| expression`.
macro_rules! conversions {
    ($name:ident { $($(#[$doc:meta])* $from:ty => |$value:pat_param| $into:expr,)* }) => {$(
        $(#[$doc])*
        impl From<$from> for $name {
            fn from($value: $from) -> Self {
                $into
            }
        }
    )*};
}

pub(crate) use {conversions, setters};
