//! A message of JSON-RPC, read so that no other reader can find another one in the same bytes.

use std::collections::HashMap;
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
        let Entries(entries) = serde_json::from_str(text).map_err(|error| fault(&placed(text, text, &error)))?;
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
pub(crate) fn call_of(line: &[u8], params: Option<&RawValue>) -> Result<(String, Option<Map<String, Value>>), String> {
    let mut params = unambiguous::<true>(line, params.ok_or("it has no params")?)?;
    if let Some(key) = misspelt(&params, &["name", "arguments", "task"]) {
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

/// The answer of a server to a call or for a list: its result, or the text of an error of the protocol.
///
/// # Errors
/// Why hooks may not see all that a client could. The text has nothing of the answer, which hooks have not masked.
pub(crate) fn answer_of(line: &[u8]) -> Result<Result<Map<String, Value>, String>, String> {
    let message = Message::read(line).map_err(|unreadable| unreadable.problem)?;
    if message.other.is_some() {
        return Err("it has a key beside `result` and `error` that is none of JSON-RPC".to_owned());
    }
    if let Some(error) = message.error {
        let error = unambiguous::<false>(line, error)?;
        let text = error.get("message").and_then(Value::as_str).ok_or("its error has no message")?;
        if error.keys().any(|key| !["code", "message", "data"].contains(&&**key)) {
            return Err("its error has a key that errors do not have".to_owned());
        }
        return Ok(Err(error.get("data").map_or_else(|| text.to_owned(), |data| format!("{text} ({data})"))));
    }
    let result = unambiguous::<false>(line, message.result.ok_or("it has no result")?)?;
    if is_misspelt(&result) {
        return Err("a key stands there in a spelling that some readers take for the right one".to_owned());
    }
    // Two forms of a result at once: a client could read the one that hooks do not.
    let forms = [
        result.contains_key("content") || result.contains_key("structuredContent"),
        result.contains_key("toolResult"),
        result.get("resultType").is_some_and(|form| form == "input_required"),
    ];
    if forms.iter().filter(|has| **has).count() > 1 {
        return Err("it has two forms of a result".to_owned());
    }
    Ok(Ok(result))
}

/// Whether some readers find in a result what hooks, or the list of tools that are offered, do not.
fn is_misspelt(result: &Map<String, Value>) -> bool {
    let known =
        ["content", "structuredContent", "isError", "_meta", "resultType", "toolResult", "task", "tools", "nextCursor"];
    let items =
        |key: &str| result.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let resources = items("content").filter_map(|block| block.get("resource")?.as_object());
    misspelt(result, &known).is_some()
        || items("content").any(|block| misspelt(block, &["type", "text", "resource"]).is_some())
        || resources.into_iter().any(|resource| misspelt(resource, &["text"]).is_some())
        || items("tools").any(|tool| misspelt(tool, &["name"]).is_some())
}

/// A key that is none of these, and that some readers take for one.
fn misspelt<'a>(object: &'a Map<String, Value>, known: &[&str]) -> Option<&'a String> {
    let is_taken_for = |key: &String| known.iter().any(|known| key != known && folded(key) == folded(known));
    object.keys().find(|key| is_taken_for(key))
}

/// An object in which every reader finds the same: without a key that stands there twice, at any depth, and without numbers
/// that readers round, each in its way. If `FOLDED`, without keys in two spellings either.
fn unambiguous<const FOLDED: bool>(line: &[u8], part: &RawValue) -> Result<Map<String, Value>, String> {
    let text = part.get();
    let at = |error: serde_json::Error| placed(line, text, &error);
    serde_json::from_str::<Unambiguous<FOLDED>>(text).map_err(at)?;
    if let Some(number) = numbers(text).find(|number| !is_certain(number)) {
        let column = column_of(line, number) + 1;
        let number = if FOLDED { format!("the number {number:.40}") } else { "a number".to_owned() };
        return Err(format!("{number} at column {column} is one that readers round"));
    }
    serde_json::from_str(text).map_err(at)
}

/// What is wrong, and where in the line.
fn placed(line: impl AsRef<[u8]>, part: &str, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    match error.column() {
        0 => what.to_owned(),
        column => format!("{what} at column {}", column_of(line, part) + column),
    }
}

/// How many bytes of the line are before a part of it.
fn column_of(line: impl AsRef<[u8]>, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(line.as_ref().as_ptr().addr())
}

/// The numbers in JSON, as they are written.
fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit())?..];
            if let Some(string) = rest.strip_prefix('"') {
                let mut is_escaped = false;
                let end = string.find(|c| {
                    let is_end = c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    is_end
                })?;
                rest = &string[end + 1..];
                continue;
            }
            let is_over = |c: char| !c.is_ascii_digit() && !matches!(c, '-' | '+' | '.' | 'e' | 'E');
            let (number, behind) = rest.split_at(rest.find(is_over).unwrap_or(rest.len()));
            rest = behind;
            return Some(number);
        }
    })
}

/// Whether a number is a whole one of 64 bits, or one as writers of floating-point numbers print it. Of others, readers that
/// keep all digits find another value than those that round.
fn is_certain(number: &str) -> bool {
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    let Ok(value) = number.parse::<f64>() else { return false };
    let is = |printed: &str| decimal(printed) == decimal(number);
    let is_printed = || is(&format!("{value:e}")) || is(&format!("{value:.15e}")) || is(&format!("{value:.16e}"));
    number.contains(['.', 'e', 'E']) && is_printed()
}

/// The digits of a number without zeros around them, and the power of ten of the last one.
fn decimal(number: &str) -> (String, Option<i64>) {
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let fraction = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let digits = digits.replace(['-', '.'], "");
    let (all, digits) = (digits.len(), digits.trim_end_matches('0'));
    let shift = i64::try_from(all - digits.len()).ok().zip(i64::try_from(fraction).ok());
    let power = exponent.parse::<i64>().ok().zip(shift);
    let power = power.and_then(|(power, (zeros, fraction))| power.checked_add(zeros)?.checked_sub(fraction));
    match digits.trim_start_matches('0') {
        "" => (String::new(), Some(0)),
        digits => (digits.to_owned(), power),
    }
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
                        // Another one may be what hooks have to mask.
                        let known = MEMBERS.iter().find(|member| **member == key);
                        let key = known.map_or("a key".to_owned(), |key| format!("the key `{key}`"));
                        return Err(A::Error::custom(format_args!("{key} stands there twice")));
                    }
                    entries.push((key, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// Any JSON in which no object has a key twice. If `FOLDED`, not in two spellings either, and the error names the key.
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
        let mut keys = HashMap::new();
        while let Some((key, Self)) = map.next_entry::<String, Self>()? {
            let key_read = if FOLDED { folded(&key) } else { key.clone() };
            match keys.insert(key_read, key.clone()) {
                None => {}
                Some(_) if !FOLDED => return Err(A::Error::custom("a key stands there twice")),
                Some(other) if other == key => {
                    return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
                }
                Some(other) => {
                    return Err(A::Error::custom(format_args!(
                        "the keys {other:?} and {key:?} are one for some readers"
                    )));
                }
            }
        }
        Ok(self)
    }
}
