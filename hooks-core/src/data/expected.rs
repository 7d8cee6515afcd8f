//! What a type expects to be read from, in words for the one who wrote something else.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

/// What a `T` is read from: ``an object with `cents` and `reason` ``, or the name of the type where it does not say.
pub(crate) fn expected<'de, T: Deserialize<'de>>() -> String {
    let mut fields: &'static [&'static str] = &[];
    // It is asked, never answered.
    let _ = T::deserialize(Asked(&mut fields));
    let names: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    match names.split_last() {
        None => format!("`{}`", short_name(std::any::type_name::<T>())),
        Some((only, [])) => format!("an object with {only}"),
        Some((last, rest)) => format!("an object with {} and {last}", rest.join(", ")),
    }
}

/// The name of a type without its path. Of a generic one the whole: its parameters have paths too.
fn short_name(path: &str) -> &str {
    if path.contains('<') { path } else { path.rsplit("::").next().unwrap_or(path) }
}

/// Notes which fields a type asks for.
struct Asked<'a>(&'a mut &'static [&'static str]);

/// There is nothing to read.
#[derive(Debug)]
struct Nothing;

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to read")
    }
}

impl std::error::Error for Nothing {}

impl Error for Nothing {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Nothing;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Nothing> {
        Err(Nothing)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Nothing> {
        *self.0 = fields;
        Err(Nothing)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
