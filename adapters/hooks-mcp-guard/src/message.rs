//! A message of JSON-RPC, read so that no other reader can find another one in the same bytes.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The id of a request. Others than whole numbers and texts are not ones of MCP.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// A line with one message.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    /// As it was written, where it was.
    pub(crate) raw_id: Option<&'a RawValue>,
    pub(crate) kind: MessageKind,
    pub(crate) params: Option<&'a RawValue>,
    pub(crate) result: Option<&'a RawValue>,
    pub(crate) error: Option<&'a RawValue>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum MessageKind {
    Request(Id, String),
    Notification(String),
    Response(Id),
}

impl<'a> Message<'a> {
    /// Reads a line. The error says why it is no message, and has the id if it is certain.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, (Option<&'a RawValue>, String)> {
        let fault = |problem: &str| (None, problem.to_owned());
        let text = std::str::from_utf8(line).map_err(|_| fault("it is not UTF-8"))?;
        // Readers of some languages end a line there.
        if text.trim_end().contains('\r') {
            return Err(fault("it has a line break inside"));
        }
        let Entries(entries) = serde_json::from_str(text).map_err(|error| (None, error.to_string()))?;
        let (mut id, mut method) = (None, None);
        let (mut params, mut result, mut error) = (None, None, None);
        for (key, value) in entries {
            match key.as_str() {
                "jsonrpc" => {}
                "id" => id = Some(value),
                "method" => method = Some(value),
                "params" => params = Some(value),
                "result" => result = Some(value),
                "error" if value.get() == "null" => {}
                "error" => error = Some(value),
                _ => return Err((None, format!("it has a key `{key}`, which is none of JSON-RPC"))),
            }
        }
        let unfit = |problem: &str| (id, problem.to_owned());
        let known: Option<Id> = match id {
            Some(id) => Some(serde_json::from_str(id.get()).map_err(|_| fault("its id is no text and no number"))?),
            None => None,
        };
        let kind = match (known, method, result.is_some() || error.is_some()) {
            (known, Some(method), false) => {
                let method = serde_json::from_str(method.get()).map_err(|_| unfit("its method is no text"))?;
                known.map_or(MessageKind::Notification(String::clone(&method)), |id| MessageKind::Request(id, method))
            }
            (Some(known), None, true) if result.is_none() || error.is_none() => MessageKind::Response(known),
            _ => return Err(unfit("it is neither a request nor an answer")),
        };
        Ok(Self { raw_id: id, kind, params, result, error })
    }
}

/// The name of the tool and the arguments of a call, if every reader finds the same.
pub(crate) fn call_of(params: Option<&RawValue>) -> Result<(String, Option<Map<String, Value>>), String> {
    let params = params.ok_or("it has no params")?;
    serde_json::from_str::<Unambiguous>(params.get()).map_err(|error| error.to_string())?;
    let mut params: Map<String, Value> = serde_json::from_str(params.get()).map_err(|error| error.to_string())?;
    if let Some(key) =
        params.keys().find(|key| ["name", "arguments", "task"].contains(&&*folded(key)) && folded(key) != **key)
    {
        return Err(format!("it has a key `{key}`"));
    }
    if params.contains_key("task") {
        return Err("it is to run as a task, whose result cannot be guarded".to_owned());
    }
    let Some(Value::String(name)) = params.remove("name") else { return Err("its name is no text".to_owned()) };
    match params.remove("arguments") {
        None => Ok((name, None)),
        Some(Value::Object(arguments)) => Ok((name, Some(arguments))),
        Some(_) => Err("its arguments are no object".to_owned()),
    }
}

/// The answer of a server to a call: its result, or the text of an error of the protocol. `None` if hooks cannot see all
/// that a client could.
pub(crate) fn answer_of(line: &[u8]) -> Option<Result<Map<String, Value>, String>> {
    let message = Message::read(line).ok()?;
    if let Some(error) = message.error {
        let error: Map<String, Value> = strict(error)?;
        let text = error.get("message")?.as_str()?;
        return Some(Err(error.get("data").map_or_else(|| text.to_owned(), |data| format!("{text} ({data})"))));
    }
    Some(Ok(strict(message.result?)?))
}

/// An object without duplicates.
fn strict(object: &RawValue) -> Option<Map<String, Value>> {
    serde_json::from_str::<Entries<'_>>(object.get()).ok()?;
    serde_json::from_str(object.get()).ok()
}

/// What remains of a word for readers that do not tell upper from lower case.
pub(crate) fn folded(text: &str) -> String {
    text.trim().to_uppercase().to_lowercase()
}

/// The keys and values of an object without duplicates.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one message, an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(String, &RawValue)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, _>()? {
                    if entries.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
                    }
                    entries.push((key, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// Any JSON in which no object has two keys that a reader could take for one.
struct Unambiguous;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some((key, Self)) = map.next_entry::<String, Self>()? {
            if !keys.insert(folded(&key)) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
            }
        }
        Ok(self)
    }
}
