//! A message of JSON-RPC, read so that no other reader can find another one in the same bytes.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The keys of JSON-RPC.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// The id of a request. Others than whole numbers and texts are not ones of MCP.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
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
    /// A key that is none of JSON-RPC.
    pub(crate) other: Option<String>,
}

/// Why a line is no message.
#[derive(Debug)]
pub(crate) struct Unreadable<'a> {
    pub(crate) problem: String,
    /// The id of a request, if it is certain.
    pub(crate) id: Option<&'a RawValue>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum MessageKind {
    Request(Id, String),
    Notification(String),
    Response(Id),
}

impl<'a> Message<'a> {
    /// Reads a line.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, Unreadable<'a>> {
        let fault = |problem: &str| Unreadable { problem: problem.to_owned(), id: None };
        let text = std::str::from_utf8(line).map_err(|_| fault("it is not UTF-8"))?;
        // Readers of some languages end a line there.
        if text.trim_end().contains('\r') {
            return Err(fault("it has a line break inside"));
        }
        let Entries(entries) = serde_json::from_str(text).map_err(|error| fault(&error.to_string()))?;
        let (mut id, mut method, mut other, mut version) = (None, None, None, None);
        let (mut params, mut result, mut error) = (None, None, None);
        for (key, value) in entries {
            match key.as_str() {
                "jsonrpc" => version = Some(value),
                "id" => id = Some(value),
                "method" => method = Some(value),
                "params" => params = Some(value),
                "result" => result = Some(value),
                "error" => error = Some(value),
                _ if MEMBERS.contains(&&*folded(&key)) => return Err(fault(&format!("it has a key {key:?}"))),
                _ => other = Some(key),
            }
        }
        // A line of a log may have an id too.
        if version.is_none() {
            return Err(fault("it has no `jsonrpc`"));
        }
        if let (Some(done), Some(failed)) = (result, error) {
            let (done, failed) = (done.get() != "null", failed.get() != "null");
            (result, error) = (result.filter(|_| done || !failed), error.filter(|_| failed));
        }
        let unfit = |problem: &str| Unreadable { problem: problem.to_owned(), id: id.filter(|_| method.is_some()) };
        let known: Option<Id> = match id {
            Some(id) => {
                Some(serde_json::from_str(id.get()).map_err(|_| fault("its id is no text and no whole number"))?)
            }
            None => None,
        };
        let kind = match (known, method, result.is_some() || error.is_some()) {
            (known, Some(method), false) => {
                let method: String = serde_json::from_str(method.get()).map_err(|_| unfit("its method is no text"))?;
                if !method.chars().all(|c| c.is_ascii_graphic()) {
                    return Err(unfit("its method has letters that no method has"));
                }
                known.map_or(MessageKind::Notification(String::clone(&method)), |id| MessageKind::Request(id, method))
            }
            (Some(known), None, true) if result.is_none() || error.is_none() => MessageKind::Response(known),
            _ => return Err(unfit("it is neither a request nor an answer")),
        };
        Ok(Self { raw_id: id, kind, params, result, error, other })
    }
}

/// The id of an answer that is no message for a strict reader, as far as one can tell.
pub(crate) fn id_of(line: &[u8]) -> Option<Id> {
    let text = String::from_utf8_lossy(line);
    let mut answer: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let id = answer.remove("id")?;
    let has = |key: &str| answer.get(key).is_some_and(|value| !value.is_null());
    if !has("jsonrpc") || has("method") || !has("result") && !has("error") {
        return None;
    }
    serde_json::from_value(id).ok()
}

/// The name of the tool and the arguments of a call, if every reader finds the same.
pub(crate) fn call_of(params: Option<&RawValue>) -> Result<(String, Option<Map<String, Value>>), String> {
    let params = params.ok_or("it has no params")?;
    serde_json::from_str::<Unambiguous<true>>(params.get()).map_err(|error| error.to_string())?;
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
    if name.trim() != name || name.contains(is_passed_over) {
        return Err(format!("its name {name:?} has letters that some readers pass over"));
    }
    match params.remove("arguments") {
        None | Some(Value::Null) => Ok((name, None)),
        Some(Value::Object(arguments)) => Ok((name, Some(arguments))),
        Some(_) => Err("its arguments are no object".to_owned()),
    }
}

/// The answer of a server to a call: its result, or the text of an error of the protocol. `None` if hooks cannot see all
/// that a client could.
pub(crate) fn answer_of(line: &[u8]) -> Option<Result<Map<String, Value>, String>> {
    let message = Message::read(line).ok().filter(|message| message.other.is_none())?;
    if let Some(error) = message.error {
        let error: Map<String, Value> = strict(error)?;
        let text = error.get("message")?.as_str()?;
        if error.keys().any(|key| !["code", "message", "data"].contains(&&**key)) {
            return None;
        }
        return Some(Err(error.get("data").map_or_else(|| text.to_owned(), |data| format!("{text} ({data})"))));
    }
    let result = strict(message.result?)?;
    // Two forms of a result at once: a client could read the one that hooks do not.
    let forms = [
        result.contains_key("content") || result.contains_key("structuredContent"),
        result.contains_key("toolResult"),
        result.get("resultType").is_some_and(|form| form == "input_required"),
    ];
    (forms.iter().filter(|has| **has).count() < 2).then_some(Ok(result))
}

/// An object in which no key stands twice, at any depth.
fn strict(object: &RawValue) -> Option<Map<String, Value>> {
    serde_json::from_str::<Unambiguous<false>>(object.get()).ok()?;
    serde_json::from_str(object.get()).ok()
}

/// What remains of a word for readers that do not tell upper from lower case, end it at a zero byte, or pass over what is
/// not to be seen.
pub(crate) fn folded(text: &str) -> String {
    let text: String = text.chars().take_while(|c| *c != '\0').filter(|c| !is_passed_over(*c)).collect();
    text.trim().to_uppercase().to_lowercase()
}

/// Control characters, marks of byte order, and what has no width.
fn is_passed_over(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
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

/// Any JSON in which no object has a key twice. If `FOLDED`, not in two spellings either, and no number is a whole one that
/// does not fit into 64 bits: readers round it, each in its way.
struct Unambiguous<const FOLDED: bool>;

impl<'de, const FOLDED: bool> Deserialize<'de> for Unambiguous<FOLDED> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de, const FOLDED: bool> Visitor<'de> for Unambiguous<FOLDED> {
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

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self, E> {
        if FOLDED && number.fract() == 0.0 && number.abs() >= 2_f64.powi(63) {
            return Err(E::custom(format_args!("the number {number} does not fit into 64 bits")));
        }
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
            let key_read = if FOLDED { folded(&key) } else { key.clone() };
            if !keys.insert(key_read) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
            }
        }
        Ok(self)
    }
}
