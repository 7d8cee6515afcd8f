//! Payloads as no serializer would write them: keys twice, numbers that are none, text that is not UTF-8.

use std::fmt::Write as _;

use serde_json::Value;

/// A small generator of numbers, the same for the same seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides.max(1)
    }

    pub(super) fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// A document that may be no JSON.
#[derive(Clone)]
pub(super) enum Doc {
    Raw(String),
    Text(String),
    List(Vec<Doc>),
    Map(Vec<(String, Doc)>),
}

impl From<&Value> for Doc {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(map) => Self::Map(map.iter().map(|(key, value)| (key.clone(), value.into())).collect()),
            other => Self::Raw(other.to_string()),
        }
    }
}

impl Doc {
    pub(super) fn write(&self, dice: &mut Dice, into: &mut String) {
        let blank = |dice: &mut Dice| dice.of(&["", "", "", " ", "\n", "\t", "\r\n"]);
        let list = |dice: &mut Dice, into: &mut String, open: char, parts: Vec<(Option<&str>, &Doc)>, close: char| {
            into.push(open);
            for (at, (key, value)) in parts.into_iter().enumerate() {
                into.push_str(if at == 0 { "" } else { "," });
                into.push_str(blank(dice));
                if let Some(key) = key {
                    text(dice, key, into);
                    into.push_str(blank(dice));
                    into.push(':');
                }
                value.write(dice, into);
            }
            into.push_str(blank(dice));
            into.push(close);
        };
        match self {
            Self::Raw(raw) => into.push_str(raw),
            Self::Text(value) => text(dice, value, into),
            Self::List(values) => list(dice, into, '[', values.iter().map(|value| (None, value)).collect(), ']'),
            Self::Map(members) => {
                list(dice, into, '{', members.iter().map(|(key, value)| (Some(&**key), value)).collect(), '}');
            }
        }
    }

    fn parts(&mut self) -> Vec<&mut Doc> {
        match self {
            Self::List(list) => list.iter_mut().collect(),
            Self::Map(members) => members.iter_mut().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// Any value of the document, the whole one too.
    pub(super) fn any(&mut self, dice: &mut Dice) -> &mut Doc {
        let parts = match self {
            Self::List(list) => list.len(),
            Self::Map(members) => members.len(),
            _ => 0,
        };
        if parts == 0 || dice.below(4) == 0 {
            return self;
        }
        let at = dice.below(parts);
        let part = self.parts().swap_remove(at);
        part.any(dice)
    }
}

/// A text, some of its characters escaped.
fn text(dice: &mut Dice, value: &str, into: &mut String) {
    let escapes = dice.below(8) == 0;
    let written = Value::from(value).to_string();
    if !escapes || written.contains('\\') {
        into.push_str(&written);
        return;
    }
    for c in written.chars() {
        if c.is_ascii_alphabetic() && dice.below(3) == 0 {
            let _ = write!(into, "\\u{:04x}", u32::from(c));
        } else {
            into.push(c);
        }
    }
}

/// Another type in the place of a value.
pub(super) fn other_type(dice: &mut Dice, old: &Doc) -> Doc {
    const RAW: &[&str] = &[
        "null",
        "true",
        "false",
        "0",
        "-0",
        "7",
        "1e999",
        "-1e999",
        "1e-999",
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "0x10",
        "18446744073709551616",
        "1.0",
        "'x'",
        "undefined",
        "",
        "{}",
        "[]",
        "\"",
        "\"\\x41\"",
        "\"\u{0}\"",
        "\"a\nb\"",
        "\"\\u0000\"",
        "{\"a\"}",
        "[,]",
        "{,}",
    ];
    let mut written = String::new();
    match dice.below(7) {
        0 => Doc::List(vec![old.clone()]),
        1 => Doc::List(vec![old.clone(), old.clone()]),
        2 => Doc::Map(vec![(dice.of(&["command", "value", "", "0", "type"]).to_owned(), old.clone())]),
        3 => {
            // Escapes within a command would make it another one.
            let plain = if let Doc::Text(text) = old { Some(Value::from(&**text).to_string()) } else { None };
            if plain.is_none() {
                old.write(dice, &mut written);
            }
            Doc::Text(plain.unwrap_or(written))
        }
        4 => {
            let depth = [1, 2, 60, 126, 127, 128, 129, 5_000][dice.below(8)];
            old.write(dice, &mut written);
            let (open, close) = if dice.below(2) == 0 { ("[", "]") } else { ("{\"a\":", "}") };
            Doc::Raw(format!("{}{written}{}", open.repeat(depth), close.repeat(depth)))
        }
        _ => Doc::Raw(dice.of(RAW).to_owned()),
    }
}

/// The bytes that are sent for a text.
pub(super) fn sent(dice: &mut Dice, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len());
    let around = |before: &[u8], after: &[u8]| [before, text.as_bytes(), after].concat();
    match dice.below(40) {
        0 => around("\u{feff}".as_bytes(), b""),
        1 => around("\u{feff}\u{feff}".as_bytes(), b""),
        2 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        3 => [vec![0xff, 0xfe], text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat(),
        4 => [vec![0xfe, 0xff], text.encode_utf16().flat_map(u16::to_be_bytes).collect()].concat(),
        5 => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        6 => bytes[..at].to_vec(),
        7 => around(b"", text.as_bytes()),
        8 => around(b"", b"\n{}"),
        9 => around(b"", b"\0"),
        10 => around(b"", b","),
        11 => around(b")]}'\n", b""),
        12 => around(b"// note\n", b"/* */"),
        13 => around(b"data: ", b"\n\n"),
        14 => around(b"[", b"]"),
        15 => around(b"\x1e", b"\n"),
        16 => around(b" \t\r\n", b" \t\r\n"),
        17 => around("\u{a0}".as_bytes(), "\u{2028}".as_bytes()),
        18 => {
            bytes.insert(at, [0xff, 0xc0, 0x80, 0xed][dice.below(4)]);
            bytes
        }
        19 => {
            // A letter less may be another command.
            let marks = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| b"{}[]:,\"\\".contains(byte)));
            if let Some(mark) = marks {
                bytes.remove(at + mark);
            }
            bytes
        }
        20 => text.replace('"', "'").into_bytes(),
        21 => text.replace(['}', ']'], ",}").into_bytes(),
        _ => bytes,
    }
}
