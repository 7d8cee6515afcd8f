//! JSON as a gate has to read it: an object that names a key twice is an error, because the host may read the other one.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses one JSON document. A byte order mark before it is skipped; anything but white space after it is an error.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("is not UTF-8: {error}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    strict(text).or_else(|error| strict(&whole(text)).map_err(|_| format!("is not JSON: {error}")))
}

/// The value of JSON without duplicate keys.
pub(crate) fn strict(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str::<Strict>(text).map(|Strict(value)| value)
}

/// The text with a sign in place of each half of a character, as which JavaScript writes one that it has cut: `"\ud83d"`.
fn whole(text: &str) -> String {
    let (mut result, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('\\') {
        let unit = |from: usize| u16::from_str_radix(rest.get(from..from + 4)?, 16).ok();
        let escaped = |from: usize| rest[from..].starts_with("\\u").then(|| unit(from + 2)).flatten();
        let (end, is_half) = match escaped(at) {
            Some(0xd800..=0xdbff) if matches!(escaped(at + 6), Some(0xdc00..=0xdfff)) => (at + 12, false),
            Some(0xd800..=0xdfff) => (at + 6, true),
            _ => (at + 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8), false),
        };
        result.push_str(&rest[..if is_half { at } else { end }]);
        result.push_str(if is_half { "\u{fffd}" } else { "" });
        rest = &rest[end..];
    }
    result + rest
}

/// An object of the members that have a value.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// The first of the pointers that leads to a value other than `null`.
pub(crate) fn at<'a>(value: &'a Value, pointers: &[&str]) -> Option<&'a Value> {
    pointers.iter().filter_map(|pointer| value.pointer(pointer)).find(|value| !value.is_null())
}

/// Whether an object has several of these members, and not alike. Pointers that lead deeper do not count.
pub(crate) fn differ(object: &Value, pointers: &[&str]) -> bool {
    let members = pointers.iter().filter_map(|pointer| object.get(pointer.strip_prefix('/')?));
    let mut members = members.filter(|value| !value.is_null());
    members.next().is_some_and(|first| members.any(|value| value != first))
}

/// The first of the pointers that leads to a text that is not empty.
pub(crate) fn text<'a>(value: &'a Value, pointers: &[&str]) -> Option<&'a str> {
    let texts = pointers.iter().filter_map(|pointer| value.pointer(pointer)?.as_str());
    texts.into_iter().find(|text| !text.is_empty())
}

/// A JSON value without duplicate keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

macro_rules! plain {
    ($($visit:ident: $value:ty),*) => {
        $(fn $visit<E>(self, value: $value) -> Result<Value, E> {
            Ok(value.into())
        })*
    };
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    plain!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str, visit_string: String);

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(value)) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let Strict(value) = entries.next_value()?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
