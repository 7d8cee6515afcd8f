//! Setters and conversions as tables.

/// Setters by value, each named after its field: `field: argument`, `field: argument => Some` for an `Option`, `field` for
/// a flag. `Type, self => self.part` sets the fields of a part, `Type, self => in self.parts()` those of each part.
macro_rules! setters {
    ($name:ty { $($rows:tt)* }) => {
        setters!($name, self => self, { $($rows)* });
    };
    ($name:ty, $self:ident => in $parts:expr, {
        $($(#[$doc:meta])* $field:ident $(: $argument:ty $(=> $wrap:path)?)?,)*
    }) => {
        impl $name {
            $(
                $(#[$doc])*
                #[must_use = "it returns the changed value"]
                pub fn $field(mut $self $(, $field: $argument)?) -> Self {
                    let value = setters!(@value $field $($argument $(=> $wrap)?)?);
                    for part in $parts {
                        part.$field = value;
                    }
                    $self
                }
            )*
        }
    };
    ($name:ty, $self:ident => $part:expr, {
        $($(#[$doc:meta])* $field:ident $(: $argument:ty $(=> $wrap:path)?)?,)*
    }) => {
        impl $name {
            $(
                $(#[$doc])*
                #[must_use = "it returns the changed value"]
                pub fn $field(mut $self $(, $field: $argument)?) -> Self {
                    $part.$field = setters!(@value $field $($argument $(=> $wrap)?)?);
                    $self
                }
            )*
        }
    };
    (@value $field:ident) => { true };
    (@value $field:ident $argument:ty) => { $field.into() };
    (@value $field:ident $argument:ty => $wrap:path) => { $wrap($field.into()) };
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

/// Implementations of a conversion of one's own: `Trait::method -> Target { Source => |value| expression }`.
macro_rules! converts {
    ($into:ident::$method:ident -> $target:ty { $($from:ty => |$value:ident| $result:expr,)* }) => {$(
        impl $into for $from {
            fn $method(self) -> $target {
                let $value = self;
                $result
            }
        }
    )*};
}

/// `Debug` as `Display`, because a `main` that returns an error and a test that unwraps it use `Debug`.
macro_rules! debug_as_display {
    ($name:ident) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// `Debug` with some parts of a type: `Type, self => { part: value }`.
macro_rules! debug_of {
    ($name:ident $(<$lifetime:lifetime>)?, $self:ident => { $($part:ident: $value:expr),* }) => {
        impl std::fmt::Debug for $name $(<$lifetime>)? {
            fn fmt(&$self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($part), &$value))*.finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use {conversions, converts, debug_as_display, debug_of, setters};
