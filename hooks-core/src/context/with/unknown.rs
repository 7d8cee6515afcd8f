//! Parameters with a key that their type does not know. Serde reads over it, so a misspelt key of a field with a default would
//! leave the hook with that default, and nobody would know.

use serde::de::value::Error as NoValue;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::text::nearest_names;

/// Reads parameters, every key of which their type has to know.
pub(super) fn read<T: DeserializeOwned>(given: Value) -> Result<T, String> {
    let mut unknown = Vec::new();
    let read: T = serde_ignored::deserialize(given, |path| unknown.push(path.to_string()))
        .map_err(|error: serde_json::Error| error.to_string())?;
    if unknown.is_empty() {
        return Ok(read);
    }
    let known = fields::<T>();
    let texts: Vec<String> = unknown.iter().map(|key| text(key, known)).collect();
    Err(texts.join("; "))
}

fn text(key: &str, known: &[&str]) -> String {
    // Which fields there are is known of the type itself, not of those within it.
    let known = if key.contains('.') { &[] } else { known };
    match nearest_names(key, known.iter().copied()) {
        none if none.is_empty() && !known.is_empty() => {
            format!("unknown field `{key}`, expected one of `{}`", known.join("`, `"))
        }
        near => format!("unknown field `{key}`{near}"),
    }
}

/// The fields of `T`, where it is a struct.
fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // It only asks what it would be given.
    let _ = T::deserialize(Asked(&mut fields));
    fields
}

/// Notes which fields are asked for, and has nothing to give.
struct Asked<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = NoValue;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NoValue> {
        Err(NoValue::custom("nothing to read"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, inner: V) -> Result<V::Value, NoValue> {
        inner.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NoValue> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}
